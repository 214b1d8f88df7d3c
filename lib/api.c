/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include "auto.h"
#include "filter.h"
#include "parse.h"
#include "version.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

static const struct api_route *const tables[] = {api_containers, api_execs, api_streams, api_images,
	api_archive, api_bundle, api_disk, api_volumes, api_networks, api_usage, api_prune, api_system};

/* ---- what routes share ---------------------------------------------------------------- */

int api_error(struct api *a, int status, struct err *e, const char *fmt, ...)
{
	va_list ap;

	a->status = status;
	*e = (struct err){.kind = ERR_SYSTEM};
	va_start(ap, fmt);
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap); /* cut where too long */
	va_end(ap);
	return -1;
}

int api_done(struct api *a, int status)
{
	http_reply(a->h, status, NULL, NULL, 0);
	return 0;
}

int api_json(struct api *a, int status, json_t *value)
{
	http_reply_json(a->h, status, value);
	return 0;
}

int api_container(struct api *a, id_text id, struct err *e)
{
	if (!*a->arg)
		return err_set(e, ERR_USAGE, "invalid name or ID supplied: \"\"");
	return state_find(a->s, a->arg, id, e);
}

int api_container_state(struct api *a, struct state *st, struct err *e)
{
	id_text id;

	return api_container(a, id, e) < 0 ? -1 : state_load(a->s, id, st, e);
}

static bool is_map_of_strings(const json_t *j)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)j, key,
		v) if (!json_is_string(v) && !json_is_null(v)) return false;
	return json_is_object(j);
}

static bool is_list_of_strings(const json_t *j)
{
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)j, i, v) if (!json_is_string(v)) return false;
	return json_is_array(j);
}

static bool is_object(const json_t *j)
{
	return json_is_object(j);
}

static bool is_string(const json_t *j)
{
	return json_is_string(j);
}

static bool is_boolean(const json_t *j)
{
	return json_is_boolean(j);
}

int api_check(const json_t *object, const char *const *fields, struct err *e)
{
	static const struct {
		char letter;
		bool (*is)(const json_t *j);
		const char *words;
	} types[] = {{'s', is_string, "a string"}, {'b', is_boolean, "a boolean"},
		{'o', is_object, "an object"}, {'l', is_list_of_strings, "an array of strings"},
		{'m', is_map_of_strings, "a map of strings"}};

	for (; *fields; fields++) {
		const json_t *v = json_object_get(object, *fields + 1);

		for (size_t i = 0; i < ARRAY_LEN(types); i++)
			if (types[i].letter == **fields && v && !json_is_null(v) && !types[i].is(v))
				return err_set(e, ERR_USAGE, "invalid JSON: %s must be %s",
					*fields + 1, types[i].words);
	}
	return 0;
}

int api_number(struct api *a, const char *key, int64_t otherwise, int64_t *out, struct err *e)
{
	const char *v = http_query(a->r, key);
	struct err range;
	bool syntax;

	*out = otherwise;
	if (!v || !*v || parse_decimal(v, out, &range) == 0)
		return 0;
	syntax = str_ends(range.text, "syntax");
	return err_set(e, ERR_SYSTEM, "strconv.Atoi: parsing %s: %s", QUOTED(v),
		syntax ? "invalid syntax" : "value out of range");
}

int api_platform(struct api *a, const char *key, int since, char **out, struct err *e)
{
	const char *v = a->minor >= since ? http_query(a->r, key) : NULL, *os, *arch, *variant;
	auto_json json_t *j = NULL;

	*out = NULL;
	if (!v || !*v)
		return 0;
	if (!(j = json_loads(v, 0, NULL)) || !json_is_object(j))
		return err_set(e, ERR_USAGE, "failed to parse platform: %.100s is no object of JSON", v);
	os = json_str(j, "os", "");
	arch = json_str(j, "architecture", "");
	variant = json_str(j, "variant", "");
	if (!*os && !*arch && *variant)
		return err_set(e, ERR_USAGE,
			"optional platform fields provided, but OS and Architecture are missing");
	if (!*os || !*arch)
		return err_set(e, ERR_USAGE, "both OS and Architecture must be provided");
	*out = xasprintf("%s/%s%s%s", os, arch, *variant ? "/" : "", variant);
	return 0;
}

static int one_size(struct api *a, const char *key, const char *name, uint16_t *out, struct err *e)
{
	const char *v = http_query(a->r, key), *digits;
	size_t n;

	v = v ? v : "";
	digits = v + strspn(v, "0");
	n = strspn(digits, "0123456789");
	if (*v != '-' && (!*v || digits[n]))
		return err_set(e, ERR_USAGE, "invalid resize %s \"%.100s\": invalid syntax", name, v);
	if (*v == '-' || n > 10 || atoll(digits) > UINT32_MAX)
		return err_set(e, ERR_USAGE, "invalid resize %s \"%.100s\": value out of range", name, v);
	*out = (uint16_t)atoll(digits);
	return 0;
}

int api_size(struct api *a, uint16_t *rows, uint16_t *cols, struct err *e)
{
	return one_size(a, "h", "height", rows, e) < 0 ? -1 : one_size(a, "w", "width", cols, e);
}

/* {"label":{"a=b":true}}, or from older clients {"label":["a=b"]} throughout. False: neither form. */
static bool filters_ok(const json_t *j)
{
	bool lists = false, maps = false;
	const char *key, *name;
	json_t *values, *v;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)j, key, values)
	{
		lists |= json_is_array(values);
		maps |= json_is_object(values);
		if (!json_is_array(values) && !json_is_object(values) && !json_is_null(values))
			return false;
		json_array_foreach(values, i, v) if (!json_is_string(v) && !json_is_null(v)) return false;
		json_object_foreach(
			values, name, v) if (!json_is_boolean(v) && !json_is_null(v)) return false;
	}
	return json_is_null(j) || (json_is_object(j) && !(lists && maps));
}

/* A key without values counts, too: docker refuses one that it does not know, and some that want a value. */
static void add_filters(const char *key, const json_t *values, struct filters *out)
{
	const char *name;
	json_t *v;
	size_t i;

	filter_put(out, key, NULL);
	json_array_foreach((json_t *)(uintptr_t)values, i, v)
		filter_put(out, key, json_is_string(v) ? json_string_value(v) : "");
	json_object_foreach((json_t *)(uintptr_t)values, name, v)
	{
		if (json_is_true(v))
			filter_put(out, key, name);
		else
			filter_put_off(out, key, name);
	}
}

int api_filters(struct api *a, struct filters *out, struct err *e)
{
	const char *text = http_query(a->r, "filters"), *key;
	auto_json json_t *j = NULL;
	json_t *values;

	if (!text || !*text)
		return 0;
	j = json_loads(text, JSON_DECODE_ANY, NULL);
	if (!j || !filters_ok(j))
		return err_set(e, ERR_USAGE, "invalid filter");
	json_object_foreach(j, key, values) add_filters(key, values, out);
	return 0;
}

void api_tidy(json_t *object)
{
	const char *key;
	json_t *v;
	void *next;

	json_object_foreach_safe(object, next, key, v)
	{
		if (json_is_null(v) || (json_is_string(v) && !*json_string_value(v)) ||
			(json_is_integer(v) && json_integer_value(v) == 0))
			(void)json_object_del(object, key); /* it is there */
	}
}

/* ---- finding the route ---------------------------------------------------------------- */

/* "1.44" is after "1.5"; a missing part counts as 0, as with docker. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		char *a_end, *b_end;
		long x = strtol(a, &a_end, 10), y = strtol(b, &b_end, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a = a_end + (*a_end == '.');
		b = b_end + (*b_end == '.');
	}
	return 0;
}

/* Takes "1.44" off "/v1.44/info"; NULL: the path begins with no version. The caller frees. */
static char *take_version(const char **path)
{
	size_t n = str_starts(*path, "/v") ? strspn(*path + 2, "0123456789.") : 0;
	char *version;

	if (!n || (*path)[2 + n] != '/')
		return NULL;
	version = xstrndup(*path + 2, n);
	*path += 2 + n;
	return version;
}

static int check_version(struct api *a, const char *version, struct err *e)
{
	const char *dot = version ? strchr(version, '.') : NULL;

	a->minor = atoi(dot ? dot + 1 : API_VERSION + 2);
	if (version && compare_versions(version, API_VERSION_MIN) < 0)
		return api_error(a, 400, e,
			"client version %.100s is too old. Minimum supported API version is " API_VERSION_MIN
			", please upgrade your client to a newer version",
			version);
	if (version && compare_versions(version, API_VERSION) > 0)
		return api_error(a, 400, e,
			"client version %.100s is too new. Maximum supported API version is " API_VERSION,
			version);
	return 0;
}

/* A path as it stands in a header, where no byte of it may end the line. */
static void add_path(struct buf *b, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			strchr("-._~$&+,/:;=@", c))
			buf_add(b, path, 1);
		else
			buf_printf(b, "%%%02X", c);
	}
}

/* As docker's daemon does, sends clients to the cleaned path. But an image's name may be a file's, where "./x" and "/x"
 * differ. */
static bool redirected(struct api *a)
{
	const char *at = a->r->path, *tail;
	auto_free char *version = take_version(&at), *clean = parse_clean_path(a->r->path), *path = NULL;
	auto_buf struct buf to = {0};

	tail = str_ends(a->r->path, "/") && clean[1] ? "/" : "";
	path = xasprintf("%s%s", clean, tail);
	if (*a->r->path != '/' || str_starts(at, "/images/") || strcmp(path, a->r->path) == 0)
		return false;
	add_path(&to, path);
	buf_puts(&to, a->r->asked);
	http_set(a->h, "Location", to.s);
	(void)api_done(a, 301);
	return true;
}

/* Matches "/containers/STAR/json"; returns what the star stands for, "" if there is none; NULL: another path. The
 * caller frees. */
static char *match(const char *pattern, const char *path)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : 0, n = strlen(path), after;

	if (!star)
		return strcmp(pattern, path) == 0 ? xstrdup("") : NULL;
	after = strlen(star + 1);
	if (strncmp(pattern, path, before) != 0 || n < before + after ||
		strcmp(path + n - after, star + 1) != 0)
		return NULL;
	return xstrndup(path + before, n - before - after);
}

static const struct api_route *find(const char *method, const char *path, char **arg)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		for (const struct api_route *r = tables[i]; r->path; r++) {
			char *found = match(r->path, path);

			if (found && strcmp(r->method, method) == 0) {
				*arg = found;
				return r;
			}
			free(found);
		}
	return NULL;
}

static int status_of(const struct err *e)
{
	switch (e->kind) {
	case ERR_USAGE:
	case ERR_NO_COMMAND:
	case ERR_NOT_EXECUTABLE:
		return 400; /* of ERR_RUNTIME docker has 500 */
	case ERR_NOT_FOUND:
		return 404;
	case ERR_CONFLICT:
		return 409;
	case ERR_UNSUPPORTED:
		return 501;
	default:
		return 500;
	}
}

/* The headers of docker's daemon, from which clients learn the API version. */
static void usual_headers(struct http *h)
{
	http_set(h, "Api-Version", API_VERSION);
	http_set(h, "Docker-Experimental", "false");
	http_set(h, "Ostype", "linux");
	http_set(h, "Server", "Docker/" DOCKER_VERSION " (linux)");
}

/* Docker's daemon takes what stands in a form as part of the query; but an archive that is called one for want of a better type stays
 * whole. */
static int read_form(struct api *a, struct err *e)
{
	static const char *const archives[] = {"/images/load", "/images/create", "/build"};

	for (size_t i = 0; i < ARRAY_LEN(archives); i++)
		if (str_ends(a->r->path, archives[i]))
			return 0;
	return str_eq(a->r->method, "POST") ? http_read_form(a->h, e) : 0;
}

static void answer(struct api *a)
{
	const char *at = a->r->path;
	auto_free char *version = take_version(&at), *arg = NULL;
	const struct api_route *route = find(a->r->method, at, &arg);
	struct err e = {0};
	int done = -1;

	if (redirected(a))
		return;
	usual_headers(a->h);
	a->arg = arg;
	if (!route) /* docker's answer to a wrong method as well */
		(void)api_error(a, 404, &e, "page not found");
	else if (check_version(a, version, &e) == 0 && read_form(a, &e) == 0)
		done = route->run(a, &e);
	assert(done < 0 || http_replied(a->h)); /* else its client waits for ever */
	if (done == 0)
		return;
	if (!http_replied(a->h))
		http_reply_error(a->h, a->status ? a->status : status_of(&e), e.text);
	else
		(void)http_end(a->h);
}

void api_log(const struct api *a, const struct strv *sentences)
{
	for (size_t i = 0; i < sentences->n; i++)
		a->log(sentences->v[i]);
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Reaps supervisors of containers and keepers of execs that this process started, also those that end before the client
 * says more. */
static void await_request(int fd)
{
	sigset_t set, before;
	auto_close int ends = -1;
	struct signalfd_siginfo info;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &before); /* cannot fail with these arguments */
	ends = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = ends, .events = POLLIN}};

		reap();
		if (poll(p, 2, -1) < 0 || p[0].revents)
			break;
		(void)!read(ends, &info, sizeof(info)); /* that some have ended is all it tells */
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL); /* likewise */
}

void api_serve(const struct store *s, int fd, void (*log)(const char *sentence))
{
	auto_http struct http *h = http_open(fd);
	auto_http_request struct http_request r = {0};
	struct err e;

	while (http_next(h, &r, &e) > 0) {
		struct api a = {.s = s, .h = h, .r = &r, .log = log};

		answer(&a);
		if (http_rests(h))
			await_request(fd);
		reap();
	}
}
