/* SPDX-License-Identifier: Apache-2.0 */
/* The API about containers: create, list, inspect, start, stop, remove. */
#include "api.h"

#include "auto.h"
#include "await.h"
#include "engine.h"
#include "event.h"
#include "filter.h"
#include "image.h"
#include "inspect.h"
#include "masks.h"
#include "parse.h"
#include "pause.h"
#include "pull.h"
#include "sieve.h"
#include "size.h"
#include "status.h"

#include <string.h>

/* ---- create --------------------------------------------------------------------------- */

static bool is_empty_array(const json_t *j)
{
	return json_is_array(j) && json_array_size(j) == 0;
}

/* docker's client sends systempaths=unconfined as two empty lists. */
static void unmask(json_t *host)
{
	json_t *words = json_object_get(host, "SecurityOpt");

	if (!is_empty_array(json_object_get(host, "MaskedPaths")) ||
		!is_empty_array(json_object_get(host, "ReadonlyPaths")))
		return;
	words = json_is_array(words) ? json_incref(words) : json_array();
	(void)json_array_append_new(words, json_string("systempaths=unconfined")); /* memory */
	json_set(host, "SecurityOpt", words);
}

/* A command given as a single string becomes a list of it, also an empty string. */
static void keep_word(json_t *body, const char *key)
{
	json_t *v = json_object_get(body, key);

	if (json_is_string(v))
		json_set(body, key, json_pack("[O]", v));
}

/* What docker's clients say where nothing was asked for. */
static void tidy(json_t *body)
{
	json_t *host = json_object_get(body, "HostConfig"), *stop, *health;

	stop = json_incref(json_object_get(body, "StopTimeout")); /* 0 is a wish here */
	keep_word(body, "Entrypoint");
	keep_word(body, "Cmd");
	api_tidy(body);
	if (json_is_integer(stop))
		json_set(body, "StopTimeout", json_incref(stop));
	json_decref(stop);
	api_tidy(host);
	api_tidy(json_object_get(host, "RestartPolicy"));
	api_tidy(json_object_get(host, "LogConfig"));
	health = json_object_get(body, "Healthcheck");
	api_tidy(health);
	if (is_empty_array(json_object_get(health, "Test")))
		(void)json_object_del(health, "Test"); /* is there */
	unmask(host);
	if (json_int(host, "MemorySwappiness", 0) == -1)
		(void)json_object_del(host, "MemorySwappiness"); /* is there */
	if (json_bool(body, "NetworkDisabled", false) && !json_is_object(host)) {
		host = json_object();
		json_set(body, "HostConfig", host);
	}
	if (json_bool(body, "NetworkDisabled", false))
		json_set(host, "NetworkMode", json_string("none"));
}

/* docker's client sends these volumes in another form: in a request they are an error. */
static int check_binds(const json_t *binds, struct err *e)
{
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)binds, i, v)
	{
		const char *word = json_is_string(v) ? json_string_value(v) : "/";

		if (*word && *word != '/' && !strchr(word, ':'))
			return err_set(e, ERR_USAGE,
				"invalid volume specification: '%s': invalid mount config for type "
				"\"volume\": invalid mount path: '%s' mount path must be absolute",
				word, word);
	}
	return 0;
}

/* Options of another type, with nothing in them. */
static int check_mounts(const json_t *mounts, struct err *e)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)mounts, i, one)
	{
		const char *type = json_str(one, "Type", ""),
			   *wrong = str_eq(type, "bind")     ? "VolumeOptions"
		                    : str_eq(type, "volume") ? "BindOptions"
		                    : str_eq(type, "tmpfs")  ? "BindOptions"
		                                             : NULL;

		if (wrong && *json_str(one, "Target", "") &&
			json_is_object(json_object_get(one, wrong)) &&
			(!str_eq(type, "bind") || *json_str(one, "Source", "")))
			return err_set(e, ERR_USAGE,
				"invalid mount config for type \"%s\": field %s must not be specified",
				type, wrong);
	}
	return 0;
}

/* What docker's client asks of "default" it asks of the network that this is. */
static void name_default(json_t *body)
{
	json_t *endpoints =
		       json_object_get(json_object_get(body, "NetworkingConfig"), "EndpointsConfig"),
	       *asked = json_object_get(endpoints, "default");
	const char *mode = json_str(json_object_get(body, "HostConfig"), "NetworkMode", "");

	if (!asked || (*mode && !str_eq(mode, "default")))
		return;
	json_set(endpoints, "bridge", json_incref(asked));
	(void)json_object_del(endpoints, "default"); /* is there */
}

/* One was all that older clients could name. */
static int check_endpoints(const json_t *endpoints, struct err *e)
{
	auto_buf struct buf names = {0};
	const char *name;
	json_t *one;

	if (json_object_size(endpoints) < 2)
		return 0;
	json_object_foreach((json_t *)(uintptr_t)endpoints, name, one)
		buf_printf(&names, "%s%s", names.len ? ", " : "", name);
	return err_set(e, ERR_USAGE, "Container cannot be connected to network endpoints: %s", names.s);
}

static bool is_masked(const char *path, bool frozen)
{
	if (!frozen && str_starts(path, "/sys/devices/system/cpu/") && str_ends(path, "/thermal_throttle"))
		return true; /* MASK_OF_CPU */
	for (const struct mask_path *m = mask_paths; m->path; m++)
		if (m->freeze == frozen && str_eq(m->path, path))
			return true;
	return false;
}

/* What tidy() has left: docker's lists, of any version, are the ones that every container has. */
static int check_masks(const json_t *host, struct err *e)
{
	static const char *const keys[] = {"MaskedPaths", "ReadonlyPaths"};
	const json_t *lists[] = {json_object_get(host, keys[0]), json_object_get(host, keys[1])};
	const json_t *path;
	size_t at;

	if (is_empty_array(lists[0]) != is_empty_array(lists[1]))
		return err_set(e, ERR_USAGE, "MaskedPaths and ReadonlyPaths can be emptied only together");
	for (size_t i = 0; i < 2; i++)
		json_array_foreach(lists[i], at,
			path) if (json_is_string(path) && !is_masked(json_string_value(path),
								  i == 1)) return err_set(e, ERR_USAGE,
			"%s: %s is none of docker's", keys[i], QUOTED(json_string_value(path)));
	return 0;
}

static int read_spec(struct api *a, struct spec *spec, struct err *e)
{
	auto_json json_t *body = api_read_json(a, e);
	const char *name = http_query(a->r, "name"), *platform = http_query(a->r, "platform"), *endpoint;
	const json_t *host;

	if (!body || api_types("ContainerConfigWrapper", body, e) < 0)
		return -1;
	tidy(body);
	name_default(body);
	host = json_object_get(body, "HostConfig");
	if (check_binds(json_object_get(host, "Binds"), e) < 0 ||
		check_mounts(json_object_get(host, "Mounts"), e) < 0 || check_masks(host, e) < 0 ||
		spec_from_json(spec, body, e) < 0 || pull_check_platform(platform, e) < 0)
		return -1;
	if (!spec->image)
		return err_set(e, ERR_USAGE, "config cannot be empty in order to create a container");
	if (name && *name) {
		free(spec->name);
		spec->name = xstrdup(name);
	}
	if (platform && *platform) {
		free(spec->platform);
		spec->platform = xstrdup(platform);
	}
	if (spec->oom_score_adj == 0) /* docker's client sends 0 when nothing was asked for */
		spec->oom_score_adj = SPEC_UNSET;
	if (!spec->restart || !*spec->restart) { /* docker's client sends it, others leave it out */
		free(spec->restart);
		spec->restart = xstrdup("no");
	}
	if (a->minor < 40 && json_is_object(host) && !(spec->ipc_mode && *spec->ipc_mode)) { /* its default then */
		free(spec->ipc_mode);
		spec->ipc_mode = xstrdup("shareable");
	}
	if (a->minor < 42) /* it had no effect */
		spec->console = (struct spec_size){0};
	if (a->minor < 44 && check_endpoints(spec->endpoints, e) < 0)
		return -1;
	/* Endpoints without a network mode: the first endpoint's network is the mode. */
	endpoint = json_object_iter_key(json_object_iter(spec->endpoints));
	if (!spec->network && endpoint)
		spec->network = xstrdup(endpoint);
	return 0;
}

static int create(struct api *a, struct err *e)
{
	auto_spec struct spec spec = {0};
	auto_json json_t *warnings = NULL;
	id_text id;

	spec_init(&spec);
	if (read_spec(a, &spec, e) < 0)
		return -1;
	warnings = api_warnings(&spec); /* before what has no effect is forgotten */
	if (engine_create(a->s, &spec, id, e) < 0) {
		/* By 404 clients know an image that they should pull. */
		if (e->kind == ERR_NOT_FOUND && str_starts(e->text, "No such container"))
			e->kind = ERR_USAGE;
		return -1;
	}
	if (spec.image_warning)
		(void)json_array_insert_new(warnings, 0, json_string(spec.image_warning)); /* memory */
	return api_json(a, 201, json_pack("{s:s, s:O}", "Id", id, "Warnings", warnings));
}

/* ---- list and inspect ----------------------------------------------------------------- */

static json_t *ports_list(const json_t *ports)
{
	json_t *list = json_array(), *bindings, *one;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)ports, key, bindings)
	{
		const char *slash = strchr(key, '/'), *type = slash ? slash + 1 : "tcp";

		if (json_array_size(bindings) == 0)
			(void)json_array_append_new(list,
				json_pack("{s:i, s:s}", "PrivatePort", atoi(key), "Type", type)); /* memory */
		json_array_foreach(bindings, i, one)(void) json_array_append_new(list,
			json_pack("{s:s, s:i, s:i, s:s}", "IP", json_str(one, "HostIp", ""),
				"PrivatePort", atoi(key), "PublicPort",
				atoi(json_str(one, "HostPort", "0")), "Type", type)); /* memory */
	}
	return list;
}

static json_t *names_of(const struct state *st, const struct strv *aliases)
{
	auto_strv struct strv names = {0};
	json_t *list = json_array();

	state_names(st, aliases, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *name = xasprintf("/%s", names.v[i]);

		(void)json_array_append_new(list, json_text(name)); /* memory */
	}
	return list;
}

/* As ps shows it: the id, if the name is another image's by now, or none's. */
static const char *image_of(const struct store *s, const struct state *st)
{
	const char *name = st->image ? st->image : "", *id = st->image_id ? st->image_id : "";
	const char *hex = str_starts(name, "sha256:") ? name + 7 : name;

	if (str_starts(id, "sha256:") && !str_starts(id + 7, hex) && !image_is_called(s, name, id))
		return id;
	return name;
}

static json_t *host_summary(const struct api *a, const json_t *host)
{
	json_t *j = json_pack("{s:s}", "NetworkMode", json_str(host, "NetworkMode", "default"));
	json_t *notes = json_object_get(host, "Annotations");

	if (a->minor >= 46 && json_object_size(notes))
		(void)json_object_set(j, "Annotations", notes); /* memory only */
	return j;
}

json_t *api_container_row(struct api *a, const struct state *st, const json_t *spec,
	const struct strv *aliases, bool size)
{
	auto_json json_t *ports = status_ports(st, spec);
	auto_free char *words = status_words(st);
	json_t *j = json_object();

	json_set(j, "Id", json_string(st->id));
	json_set(j, "Names", names_of(st, aliases));
	json_set(j, "Image", json_text(image_of(a->s, st)));
	json_set(j, "ImageID", json_text(st->image_id ? st->image_id : ""));
	json_set(j, "Command", json_text(st->command ? st->command : ""));
	json_set(j, "Created", json_integer(st->created.tv_sec));
	json_set(j, "Ports", ports_list(ports));
	json_set(j, "Labels", json_from_map(&st->labels));
	json_set(j, "State", json_string(status_names[st->status]));
	json_set(j, "Status", json_string(words));
	json_set(j, "HostConfig", host_summary(a, json_object_get(spec, "HostConfig")));
	json_set(j, "NetworkSettings",
		json_pack("{s:o}", "Networks", container_networks(a->s, st, spec)));
	json_set(j, "Mounts", container_mounts(a->s, spec));
	if (size) {
		auto_image struct image image = {0};
		int64_t writable = container_size(a->s, st->id);
		struct err unused;

		writable = writable < 0 ? 0 : writable; /* one bad container does not hide the others */

		/* an image that does not exist any more has no size */
		if (st->image_id)
			(void)image_find(a->s, st->image_id, &image, &unused);
		json_set(j, "SizeRw", json_integer(writable));
		json_set(j, "SizeRootFs", json_integer(writable + image.size));
	}
	return j;
}

static int list(struct api *a, struct err *e)
{
	bool all = http_query_bool(a->r, "all"), size = http_query_bool(a->r, "size");
	auto_filters struct filters f = {0};
	auto_sieve struct sieve sieve = {0};
	auto_strv struct strv aliases = {0};
	struct state *states = NULL;
	json_t *rows;
	int64_t limit;
	size_t n = 0;

	if (api_number(a, "limit", -1, &limit, e) < 0 || api_filters(a, &f, e) < 0 ||
		sieve_make(a->s, &f, &sieve, e) < 0)
		return -1;
	all = all || limit > 0 || filter_has(&f, "status") || filter_has(&f, "exited");
	if (state_list(a->s, !all, &states, &n, e) < 0)
		return -1;
	state_aliases(a->s, &aliases);
	rows = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *spec = NULL;

		if ((limit <= 0 || json_array_size(rows) < (size_t)limit) &&
			sieve_passes(&sieve, &states[i], &spec))
			(void)json_array_append_new(rows,
				api_container_row(a, &states[i], sieve_spec(a->s, &states[i], &spec),
					&aliases, size)); /* memory */
		json_decref(spec);
	}
	state_list_free(states, n);
	return api_json(a, 200, rows);
}

static int inspect(struct api *a, struct err *e)
{
	id_text id;
	json_t *j;

	if (api_container(a, id, e) < 0)
		return -1;
	j = container_inspect(a->s, id, http_query_bool(a->r, "size"), e);
	if (!j)
		return -1;
	api_old_container(a, j);
	return api_json(a, 200, j);
}

/* ---- start, stop, kill ---------------------------------------------------------------- */

static bool runs(const struct state *st)
{
	return st->status == ST_RUNNING || st->status == ST_PAUSED;
}

static void hang_up(int sock, const struct ctl_attach *wants, void *arg)
{
	(void)wants, (void)arg;
	(void)close(sock); /* nothing was sent on it */
}

/* docker's client waits for the end of a container that could not be started. */
static void give_up(struct api *a, const struct state *st)
{
	auto_state struct state now = {0};
	struct err other;

	if (state_load(a->s, st->id, &now, &other) == 0 &&
		(now.status == ST_RUNNING || now.status == ST_PAUSED))
		return; /* another process was quicker */
	if (st->auto_remove)
		(void)engine_remove(a->s, st->id, false, true, &other); /* its supervisor did, if it came so far */
	await_join(a->s, st->id, hang_up, NULL);
}

/* Older clients sent settings with the start request instead of create. Fewer than seven bytes cannot contain any. */
static bool has_settings(const struct api *a)
{
	const char *length = http_header(a->r, "content-length");

	return a->r->has_body && (!length || atoll(length) > 7);
}

/* If the runtime fails because of a file, docker's daemon answers as if the request were wrong (400); for no other
 * reason. */
static int not_started(struct err *e)
{
	static const char *const files[] = {
		"not a directory", "no such file or directory", "permission denied"};

	if (e->kind == ERR_USAGE || e->kind == ERR_UNSUPPORTED) {
		e->kind = ERR_SYSTEM;
	} else if (e->kind == ERR_RUNTIME) {
		for (size_t i = 0; i < ARRAY_LEN(files); i++)
			if (strstr(e->text, files[i]))
				e->kind = ERR_USAGE;
	}
	return -1;
}

static int start(struct api *a, struct err *e)
{
	const char *checkpoint = http_query(a->r, "checkpoint");
	auto_state struct state st = {0};

	if (has_settings(a))
		return err_set(e, ERR_USAGE,
			"starting container with non-empty request body was deprecated since API v1.22 "
			"and removed in v1.24");
	if (checkpoint && *checkpoint)
		return err_set(e, ERR_USAGE, "checkpoint is only supported in experimental mode");
	if (api_container_state(a, &st, e) < 0)
		return -1;
	if (st.status == ST_RUNNING)
		return api_done(a, 304);
	if (engine_start(a->s, st.id, NULL, NULL, e) == 0)
		return api_done(a, 204);
	give_up(a, &st);
	return not_started(e);
}

/* Checked before the container is looked for. */
static int timeout_of(struct api *a, int64_t *seconds, struct err *e)
{
	return api_number(a, "t", SPEC_UNSET, seconds, e);
}

/* Older clients could name none, and what they said was ignored. */
static const char *signal_of(const struct api *a)
{
	return a->minor < 42 ? NULL : http_query(a->r, "signal");
}

static int stop(struct api *a, struct err *e)
{
	auto_state struct state st = {0};
	int64_t seconds;

	if (timeout_of(a, &seconds, e) < 0 || api_container_state(a, &st, e) < 0)
		return -1;
	if (!runs(&st) && st.status != ST_RESTARTING)
		return api_done(a, 304);
	return engine_stop(a->s, st.id, signal_of(a), seconds, e) < 0 ? -1 : api_done(a, 204);
}

static int restart(struct api *a, struct err *e)
{
	int64_t seconds;

	if (timeout_of(a, &seconds, e) < 0 || engine_restart(a->s, a->arg, signal_of(a), seconds, e) < 0)
		return -1;
	return api_done(a, 204);
}

static int kill_it(struct api *a, struct err *e)
{
	return engine_kill(a->s, a->arg, http_query(a->r, "signal"), e) < 0 ? -1 : api_done(a, 204);
}

static int pause_it(struct api *a, struct err *e)
{
	id_text id;

	return api_container(a, id, e) < 0 || engine_pause(a->s, id, true, e) < 0 ? -1
	                                                                          : api_done(a, 204);
}

static int unpause(struct api *a, struct err *e)
{
	auto_state struct state st = {0};

	if (api_container_state(a, &st, e) < 0)
		return -1;
	if (st.status != ST_PAUSED) /* docker has no status of its own for this */
		return api_error(a, 500, e, "Container %s is not paused", st.id);
	return engine_pause(a->s, st.id, false, e) < 0 ? -1 : api_done(a, 204);
}

static int rename_it(struct api *a, struct err *e)
{
	auto_state struct state st = {0};
	const char *to = http_query(a->r, "name");
	auto_free char *old = NULL;

	if (!to || !*to)
		return err_set(e, ERR_USAGE, "Neither old nor new names may be empty");
	if (api_container_state(a, &st, e) < 0)
		return -1;
	old = xasprintf("/%s", st.name);
	if (state_rename(a->s, &st, to, e) < 0)
		return -1;
	event_container(a->s, &st, "rename", "oldName", old);
	return api_done(a, 204);
}

static int remove_it(struct api *a, struct err *e)
{
	id_text id;

	if (api_container(a, id, e) < 0)
		return -1;
	if (http_query_bool(a->r, "link")
			? engine_remove_link(a->s, a->arg, e) < 0
			: engine_remove_named(a->s, id, a->arg, http_query_bool(a->r, "force"),
				  http_query_bool(a->r, "v"), e) < 0)
		return -1;
	return api_done(a, 204);
}

static int no_checkpoints(struct api *a, struct err *e)
{
	(void)a;
	return err_set(e, ERR_UNSUPPORTED, NO_CHECKPOINTS);
}

const struct api_route api_containers[] = {
	{"GET", "/containers/json", list},
	{"POST", "/containers/create", create},
	{"GET", "/containers/*/json", inspect},
	{"POST", "/containers/*/start", start},
	{"POST", "/containers/*/stop", stop},
	{"POST", "/containers/*/restart", restart},
	{"POST", "/containers/*/kill", kill_it},
	{"POST", "/containers/*/pause", pause_it},
	{"POST", "/containers/*/unpause", unpause},
	{"POST", "/containers/*/rename", rename_it},
	{"GET", "/containers/*/checkpoints", no_checkpoints},
	{"POST", "/containers/*/checkpoints", no_checkpoints},
	{"DELETE", "/containers/*", remove_it},
	{0},
};
