/* SPDX-License-Identifier: Apache-2.0 */
#include "network_parts.h"

#include "event.h"
#include "parse.h"
#include "sha256.h"
#include "stamp.h"
#include "state.h"
#include "status.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define HOST_STAYS "container cannot be disconnected from host network or connected to host network"
#define NEVER_CHANGES \
	"a container keeps the network that it was created with: networks of sbx connect nothing"

static const struct {
	const char *name, *driver;
} predefined[] = {{"bridge", "bridge"}, {"host", "host"}, {"none", "null"}};

bool network_is_predefined(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(predefined); i++)
		if (str_eq(predefined[i].name, name))
			return true;
	return false;
}

/* Any name will do as a name, so it is no file's name. Of what is not UTF-8, as it stands in the file. */
static void file_of(const char *name, char out[SHA256_HEX + 1])
{
	auto_free char *mended = json_utf8(name, strlen(name));

	sha256_hex(mended, strlen(mended), out);
}

static json_t *new_object(const char *name, const char *id, const struct timespec *created)
{
	char stamp[STAMP_SIZE];

	stamp_print(created, stamp);
	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:b, s:b, s:{s:s, s:n, s:[]}, s:b, s:b, s:b, s:{s:s},"
			 " s:b, s:{}, s:{}, s:{}}",
		"Name", json_text(name), "Id", id, "Created", stamp, "Scope", "local", "Driver",
		"bridge", "EnableIPv4", 1, "EnableIPv6", 0, "IPAM", "Driver", "default", "Options",
		"Config", "Internal", 0, "Attachable", 0, "Ingress", 0, "ConfigFrom", "Network", "",
		"ConfigOnly", 0, "Containers", "Options", "Labels");
}

/* Its id stays the same in a store: a digest of its name and the store's path. */
static void predefined_id(const struct store *s, const char *name, id_text id)
{
	auto_free char *text = xasprintf("%s %s", name, s->root_path);

	sha256_hex(text, strlen(text), id);
}

json_t *network_predefined(const struct store *s, size_t i)
{
	struct timespec created = {0};
	id_text id;
	json_t *j;

	if (i >= ARRAY_LEN(predefined))
		return NULL;
	predefined_id(s, predefined[i].name, id);
	(void)sys_birth(s->root, &created); /* it was opened: nothing can go wrong */
	j = new_object(predefined[i].name, id, &created);
	(void)json_object_set_new(j, "Driver", json_string(predefined[i].driver)); /* memory */
	return j;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(json_str(*(json_t *const *)a, "Name", ""),
		json_str(*(json_t *const *)b, "Name", ""));
}

static void sort(json_t *list)
{
	size_t n = json_array_size(list);
	auto_free json_t **v = xcalloc(n, sizeof(json_t *));

	for (size_t i = 0; i < n; i++)
		v[i] = json_incref(json_array_get(list, i));
	qsort(v, n, sizeof(json_t *), by_name);
	(void)json_array_clear(list); /* it is an array */
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, v[i]); /* memory */
}

/* JSON of something else is as little a network as what is no JSON. */
static json_t *read_made(int dir, const char *path, struct err *e)
{
	auto_json json_t *j = json_read_at(dir, path, JSON_STORED_MAX, e);
	const char *name = json_str(j, "Name", NULL), *slash = strrchr(path, '/');
	char file[SHA256_HEX + 1] = "";

	if (!j)
		return NULL;
	if (name)
		file_of(name, file);
	if (!str_eq(file, slash ? slash + 1 : path) || !str_is_hex(json_str(j, "Id", ""), ID_LEN)) {
		(void)err_set(e, ERR_CORRUPT, "%s: not the network that its name tells of", path);
		return NULL;
	}
	return take(j);
}

static int append_made(const struct store *s, DIR *d, json_t *list, struct strv *unread, struct err *e)
{
	struct dirent *at;

	while (errno = 0, (at = readdir(d)) != NULL) {
		json_t *j;

		if (!str_is_hex(at->d_name, SHA256_HEX))
			continue;
		j = read_made(dirfd(d), at->d_name, e);
		if (j) {
			(void)json_array_append_new(list, j); /* memory */
			continue;
		}
		if (e->sys == ENOENT)
			continue; /* removed meanwhile */
		(void)err_ctx(e, "%s/networks", s->root_path);
		if (!unread)
			return -1;
		strv_add(unread, e->text);
	}
	return errno ? err_sys(e, "list the networks") : 0;
}

json_t *network_list(const struct store *s, struct strv *unread, struct err *e)
{
	auto_json json_t *list = json_array();
	auto_close int dir = store_dir(s, "networks", e);
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	int done;

	if (!d) {
		if (dir >= 0)
			(void)err_sys(e, "list the networks");
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(predefined); i++)
		(void)json_array_append_new(list, network_predefined(s, i)); /* memory */
	done = append_made(s, d, list, unread, e);
	(void)take_fd(&dir); /* the stream's */
	(void)closedir(d);   /* only read from */
	if (done < 0)
		return NULL;
	sort(list);
	return take(list);
}

static int not_found(const char *what, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "network %s not found", what);
}

static json_t *made(const struct store *s, const char *name, struct err *e)
{
	char file[SHA256_HEX + 1], path[SHA256_HEX + 16];
	json_t *j;

	file_of(name, file);
	(void)snprintf(path, sizeof(path), "networks/%s", file); /* fits */
	j = read_made(s->root, path, e);
	if (!j && (e->kind == ERR_NOT_FOUND || e->sys == ENOENT))
		(void)not_found(name, e);
	else if (!j)
		(void)err_ctx(e, "network %s: %s", name, s->root_path);
	return j;
}

bool network_id(const struct store *s, const char *name, id_text id)
{
	auto_json json_t *j = NULL;
	struct err unused; /* there is none */

	if (network_is_predefined(name)) {
		predefined_id(s, name, id);
		return true;
	}
	j = made(s, name, &unused);
	(void)snprintf(id, sizeof(id_text), "%s", json_str(j, "Id", "")); /* it is as long as that */
	return j != NULL;
}

int network_check(const struct store *s, const char *name, struct err *e)
{
	auto_json json_t *j = NULL;

	if (!name || !*name || str_eq(name, "default") || network_is_predefined(name) ||
		str_starts(name, "container:"))
		return 0;
	j = made(s, name, e);
	return j ? 0 : -1;
}

static json_t *by_exact_name(const struct store *s, const char *name, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(predefined); i++)
		if (str_eq(predefined[i].name, name))
			return network_predefined(s, i);
	return made(s, name, e);
}

json_t *network_find(const struct store *s, const char *name, struct err *e)
{
	auto_free char *what = parse_object_name(name, e);
	auto_json json_t *list = NULL, *found = NULL;
	auto_strv struct strv unread = {0};
	json_t *j;
	size_t i;

	if (!what)
		return NULL;
	/* by its name it is found whatever became of the others; a name may look like the id of another, which goes first */
	found = by_exact_name(s, what, e);
	if (!str_is_hex(what, SHA256_HEX) && (found || e->kind != ERR_NOT_FOUND))
		return take(found);
	list = network_list(s, &unread, e);
	if (!list)
		return NULL;
	json_array_foreach(list, i, j)
	{
		if (str_eq(json_str(j, "Id", ""), what))
			return json_incref(j);
	}
	if (found)
		return take(found);
	json_array_foreach(list, i, j)
	{
		if (!*what || !str_starts(json_str(j, "Id", ""), what))
			continue;
		if (found) {
			(void)err_set(e, ERR_USAGE,
				"network %s is ambiguous (2 matches found on ID prefix)", what);
			return NULL;
		}
		found = json_incref(j);
	}
	if (!found && unread.n) /* one of those that cannot be read may be it */
		(void)err_set(e, ERR_CORRUPT, "%s", unread.v[0]);
	else if (!found)
		(void)not_found(what, e);
	return take(found);
}

void network_settle(const struct store *s, char **name)
{
	auto_json json_t *j = NULL;
	struct err unused; /* one that is not there is found missing at the start */

	if (network_check(s, *name, &unused) == 0 || !(j = network_find(s, *name, &unused)))
		return;
	free(*name);
	*name = xstrdup(json_str(j, "Name", ""));
}

static int check_name(const char *name, struct err *e)
{
	if (!name[strspn(name, " \t\n")])
		return err_set(e, ERR_USAGE, "invalid network name: name is empty");
	if (network_is_predefined(name) || str_eq(name, "default"))
		return err_set(e, ERR_DENIED, "operation is not permitted on predefined %s network", name);
	return 0;
}

static void tell(const struct store *s, const char *action, const json_t *network)
{
	auto_json json_t *attributes = json_pack("{s:s, s:s}", "name",
		json_str(network, "Name", ""), "type", json_str(network, "Driver", ""));

	event_emit(s, "network", action, json_str(network, "Id", ""), attributes);
}

static int already(const char *name, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "network with name %s already exists", name);
}

json_t *network_create(const struct store *s, const char *name, const json_t *ask, struct err *e)
{
	auto_close int dir = store_dir(s, "networks", e);
	auto_json json_t *j = NULL;
	char file[SHA256_HEX + 1];
	struct timespec now;
	id_text id;

	if (dir < 0 || check_name(name, e) < 0)
		return NULL;
	file_of(name, file);
	if (faccessat(dir, file, F_OK, 0) == 0) {
		(void)already(name, e);
		return NULL;
	}
	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	if (id_random(id, e) < 0)
		return NULL;
	j = new_object(name, id, &now);
	if (network_take(s, j, ask, e) < 0)
		return NULL;
	if (json_create_at(dir, file, j, e) < 0) {
		if (e->sys == EEXIST) {
			(void)already(name, e);
			return NULL;
		}
		(void)err_ctx(e, "network %s", name);
		(void)store_ctx(s, e);
		return NULL;
	}
	tell(s, "create", j);
	return take(j);
}

json_t *network_containers(const struct store *s, const char *name, struct err *e)
{
	json_t *all = json_object();
	struct state *list = NULL;
	size_t n = 0;

	if (state_list_alive(s, &list, &n, e) < 0) {
		json_decref(all);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (str_eq(status_network(&list[i]), name))
			(void)json_object_set_new(all, list[i].id,
				json_pack("{s:o, s:s, s:s, s:s, s:s}", "Name",
					json_text(list[i].name ? list[i].name : ""), "EndpointID", "",
					"MacAddress", "", "IPv4Address", "", "IPv6Address", "")); /* memory */
	state_list_free(list, n);
	return all;
}

/* Whether another one's settings come from it. */
static bool is_config_of(const struct store *s, const char *name)
{
	auto_strv struct strv unread = {0}; /* they cannot be used either */
	struct err unused;                  /* if it fails, the name is not needed */
	auto_json json_t *list = network_list(s, &unread, &unused);
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j) if (str_eq(name, json_str(json_object_get(j, "ConfigFrom"),
								"Network", ""))) return true;
	return false;
}

/* What does not hold what it must may go by its name; else it would stay for ever. */
static json_t *find_doomed(const struct store *s, const char *what, struct err *e)
{
	json_t *j = network_find(s, what, e);

	if (!j && e->kind == ERR_CORRUPT && !(j = made(s, what, e)) && e->kind == ERR_CORRUPT)
		j = json_pack("{s:o, s:s}", "Name", json_text(what), "Id", "");
	return j;
}

/* One that runs and cannot be read may be on any. */
static int nobody_on(const struct store *s, const char *name, const char *id, struct err *e)
{
	struct state *list = NULL;
	size_t n = 0;
	int result = 0;

	if (state_list_alive(s, &list, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && result == 0; i++) {
		if (list[i].status == ST_DEAD)
			result = err_set(e, ERR_CORRUPT,
				"nobody can say which network container %.12s is on: %s",
				list[i].id, list[i].error);
		else if (str_eq(status_network(&list[i]), name))
			result = err_set(e, ERR_CONFLICT,
				"error while removing network: network %s id %s has active endpoints",
				name, id);
	}
	state_list_free(list, n);
	return result;
}

int network_remove(const struct store *s, const char *what, struct err *e)
{
	auto_json json_t *j = find_doomed(s, what, e);
	auto_close int dir = -1;
	char file[SHA256_HEX + 1];
	const char *name;

	if (!j)
		return -1;
	name = json_str(j, "Name", "");
	if (network_is_predefined(name))
		return err_set(e, ERR_DENIED, "%s is a pre-defined network and cannot be removed", name);
	if (json_bool(j, "ConfigOnly", false) && is_config_of(s, name))
		return err_set(e, ERR_DENIED,
			"error while removing network: configuration network \"%s\" is in use", name);
	if (nobody_on(s, name, json_str(j, "Id", ""), e) < 0)
		return -1;
	dir = store_dir(s, "networks", e);
	if (dir < 0)
		return -1;
	file_of(name, file);
	if (unlinkat(dir, file, 0) < 0 && errno != ENOENT) {
		(void)err_sys(e, "remove network %s", name);
		return store_ctx(s, e);
	}
	tell(s, "destroy", j);
	return 0;
}

static int disconnect(const struct state *st, const char *name, struct err *e)
{
	const char *of = status_network(st);

	if (str_eq(of, name) && state_runs(st) && str_eq(name, "host"))
		return err_set(e, ERR_USAGE, HOST_STAYS);
	if (!str_eq(of, name)) /* docker has two ways to say it */
		return err_set(e, ERR_CONFLICT, "container %s is not connected to %snetwork %s",
			st->id, state_runs(st) ? "" : "the ", name);
	return err_set(e, ERR_UNSUPPORTED, NEVER_CHANGES);
}

static int connect_to(const struct state *st, const char *name, struct err *e)
{
	const char *of = status_network(st);

	if (str_eq(of, name))
		return err_set(e, ERR_DENIED, "endpoint with name %s already exists in network %s",
			st->name, name);
	if (str_eq(name, "host"))
		return err_set(e, ERR_USAGE, HOST_STAYS);
	if (str_eq(of, "host"))
		return err_set(e, ERR_USAGE,
			"container sharing network namespace with another container or host cannot be "
			"connected to any other network");
	return err_set(e, ERR_UNSUPPORTED, NEVER_CHANGES);
}

int network_connect(
	const struct store *s, const char *what, const char *container, bool on, struct err *e)
{
	auto_state struct state st = {0};
	auto_json json_t *j = NULL;
	id_text id;

	if (state_find_said(s, container, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return -1;
	j = network_find(s, what, e);
	if (!j && !on && !state_runs(&st)) /* the network of a stopped container is looked up by name only */
		return disconnect(&st, what, e);
	if (!j)
		return -1;
	return on ? connect_to(&st, json_str(j, "Name", ""), e)
	          : disconnect(&st, json_str(j, "Name", ""), e);
}

int network_disconnect_by_force(
	const struct store *s, const char *what, const char *container, struct err *e)
{
	auto_json json_t *j = NULL;
	id_text id;

	if (state_find_said(s, container, id, e) == 0 || e->kind != ERR_NOT_FOUND)
		return network_connect(s, what, container, false, e);
	if (!(j = network_find(s, what, e)))
		return -1;
	return err_set(e, ERR_NOT_FOUND, "endpoint %s not found", container);
}
