/* SPDX-License-Identifier: Apache-2.0 */
/* inspect, container inspect, image inspect and so on: print objects as JSON or through a template. */
#include "cmd.h"

#include "image.h"
#include "inspect.h"
#include "network.h"
#include "parse.h"
#include "pull.h"
#include "spec.h"
#include "state.h"
#include "tmpl.h"
#include "volume.h"

#include <string.h>

struct inspect {
	char *format, *type, *platform;
	bool size, verbose;
};

/* clang-format off */
static const struct opt inspect_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 's', "size",   NULL,     "Display total file sizes if the type is container", OPT_FLAG(struct inspect, size) },
	{ 0,   "type",   "string", "Only inspect objects of the given type", OPT_STR(struct inspect, type) },
	{ 0 },
};
static const struct opt container_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 's', "size",   NULL,     "Display total file sizes", OPT_FLAG(struct inspect, size) },
	{ 0 },
};
static const struct opt network_opts[] = {
	{ 'f', "format",  "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 'v', "verbose", NULL,     "Verbose output for diagnostics", OPT_FLAG(struct inspect, verbose) },
	{ 0 },
};
static const struct opt image_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 0, "platform", "string", "Inspect a specific platform of the multi-platform image.\nIf the image or the server is not multi-platform capable, the command will error out if the platform does not match.\n'os[/arch[/variant]]': Explicit platform (eg. linux/amd64)", OPT_STR(struct inspect, platform), OPT_SINCE(49) },
	{ 0 },
};
static const struct opt volume_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 0 },
};
/* clang-format on */

static void inspect_done(void *target)
{
	struct inspect *p = target;

	free(p->format);
	free(p->type);
	free(p->platform);
}

/* Finds and describes one object. NULL: an error that is ready to be printed. */
typedef json_t *(*find_fn)(const struct store *s, const char *name, bool size, struct err *e);

/* An empty name is refused by docker's client itself, before it asks the daemon. */
static bool has_name(const char *kind, const char *name, struct err *e)
{
	bool has = name[strspn(name, STR_BLANKS)];

	if (!has)
		(void)err_set(e, ERR_NOT_FOUND, "invalid %s name or ID: value is empty", kind);
	return has;
}

/* Docker's client cleans the request's path, so that a name like "." vanishes, and the daemon answers with the list of all
 * objects, which the client cannot parse as one. */
static bool names_list(const char *type, const char *name, struct err *e)
{
	auto_free char *bare = str_trim(name);
	bool is = parse_request_lists(bare);

	if (is)
		(void)err_set(e, ERR_USAGE, "json: cannot unmarshal array into Go value of type %s", type);
	return is;
}

static json_t *container_of(const struct store *s, const char *id, bool size, struct err *e)
{
	json_t *j = container_inspect(s, id, size, e);

	if (!j)
		(void)err_ctx(e, "Error response from daemon");
	return j;
}

static json_t *find_container(const struct store *s, const char *name, bool size, struct err *e)
{
	id_text id;

	if (!has_name("container", name, e) || names_list("container.InspectResponse", name, e))
		return NULL;
	if (state_find(s, name, id, e) == 0)
		return container_of(s, id, size, e);
	(void)err_ctx(e, "Error response from daemon");
	return NULL;
}

static json_t *find_image(const struct store *s, const char *name, bool size, struct err *e)
{
	auto_image struct image image = {0};
	json_t *j = NULL;

	(void)size;
	if (!*name) {
		(void)err_set(e, ERR_NOT_FOUND, "Error: No such image: ");
		return NULL;
	}
	if (parse_request_lists(name) && names_list("image.InspectResponse", name, e))
		return NULL;
	if (image_find_named(s, name, &image, e) == 0)
		j = image_inspect(s, &image, e);
	if (!j)
		(void)err_ctx(e, "Error response from daemon");
	return j;
}

static json_t *network_with_users(const struct store *s, const char *name, struct err *e)
{
	json_t *j = network_find(s, name, e);
	json_t *on_it = j ? network_containers(s, json_str(j, "Name", ""), e) : NULL;

	if (on_it) {
		(void)json_object_set_new(j, "Containers", on_it); /* memory */
		return j;
	}
	json_decref(j);
	return NULL;
}

static json_t *find_network(const struct store *s, const char *name, bool size, struct err *e)
{
	json_t *j;

	(void)size;
	if (!has_name("network", name, e) || names_list("network.Inspect", name, e))
		return NULL;
	j = network_with_users(s, name, e);
	if (!j)
		(void)err_ctx(e, "Error response from daemon");
	return j;
}

/* The daemon's answer to a request for the list of all volumes. */
static json_t *all_volumes(const struct store *s, struct err *e)
{
	auto_strv struct strv unread = {0};
	json_t *all = json_array();
	struct volume *list = NULL;
	size_t n = 0;

	if (volume_list(s, &list, &n, &unread, e) < 0) {
		(void)err_ctx(e, "Error response from daemon");
		json_decref(all);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(all, volume_inspect(&list[i])); /* memory */
	volume_list_free(list, n);
	return json_pack("{s:o, s:o}", "Volumes", all, "Warnings",
		unread.n ? json_from_strv(&unread) : json_null());
}

static json_t *find_volume(const struct store *s, const char *name, bool size, struct err *e)
{
	auto_volume struct volume v = {0};

	(void)size;
	if (!has_name("volume", name, e))
		return NULL;
	if (parse_request_lists(name))
		return all_volumes(s, e);
	if (volume_find(s, name, &v, e) == 0)
		return volume_inspect(&v);
	(void)err_ctx(e, "Error response from daemon");
	return NULL;
}

/* The same for `volume inspect`, for which docker's client gives templates only its struct, never the raw JSON. */
static json_t *find_own_volume(const struct store *s, const char *name, bool size, struct err *e)
{
	if (has_name("volume", name, e) && parse_request_lists(name)) /* a list parsed as the struct leaves it empty */
		return json_pack("{s:s, s:n, s:s, s:s, s:n, s:s}", "Driver", "", "Labels",
			"Mountpoint", "", "Name", "", "Options", "Scope", "");
	return find_volume(s, name, size, e);
}

/* No object of a kind has this name, or can have it. */
static bool is_none(const struct err *e)
{
	return e->kind == ERR_NOT_FOUND || e->kind == ERR_USAGE;
}

static json_t *find_any(const struct store *s, const char *name, bool size, struct err *e)
{
	auto_volume struct volume volume = {0};
	auto_image struct image image = {0};
	json_t *j;
	id_text id;

	if (!has_name("container", name, e) || names_list("container.InspectResponse", name, e))
		return NULL;
	if (state_find(s, name, id, e) == 0)
		return container_of(s, id, size, e);
	if (e->kind == ERR_USAGE) { /* several begin so: docker looks no further */
		(void)err_ctx(e, "Error response from daemon");
		return NULL;
	}
	if (is_none(e) && image_find_named(s, name, &image, e) == 0) {
		j = image_inspect(s, &image, e);
		if (!j)
			(void)err_ctx(e, "Error response from daemon");
		return j;
	}
	if (is_none(e)) {
		j = network_with_users(s, name, e);
		if (j)
			return j;
	}
	if (is_none(e) && volume_find(s, name, &volume, e) == 0)
		return volume_inspect(&volume);
	if (is_none(e))
		(void)err_set(e, ERR_NOT_FOUND, "Error: No such object: %s", name);
	else
		(void)err_ctx(e, "Error response from daemon");
	return NULL;
}

/* Objects that only a manager of a swarm has. */
static json_t *find_of_swarm(const struct store *s, const char *name, bool size, struct err *e)
{
	(void)s;
	(void)size;
	(void)name;
	(void)err_set(e, ERR_CONFLICT,
		"Error response from daemon: This node is not a swarm manager. Use \"docker swarm init\" or "
		"\"docker swarm join\" to connect this node to swarm and try again.");
	return NULL;
}

static json_t *find_plugin(const struct store *s, const char *name, bool size, struct err *e)
{
	(void)s;
	(void)size;
	(void)err_set(e, ERR_NOT_FOUND, "Error response from daemon: plugin %s not found", QUOTED(name));
	return NULL;
}

static const struct kind {
	const char *name;
	find_fn find;
} kinds[] = {
	{"config", find_of_swarm},
	{"container", find_container},
	{"image", find_image},
	{"network", find_network},
	{"node", find_of_swarm},
	{"plugin", find_plugin},
	{"secret", find_of_swarm},
	{"service", find_of_swarm},
	{"task", find_of_swarm},
	{"volume", find_volume},
};

static find_fn find_of(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eq(kinds[i].name, type))
			return kinds[i].find;
	return NULL;
}

/* The object with its config as docker's client has that of an image: in a struct that leaves out empty members. NULL: the
 * object is not an image. */
static json_t *without_empty(const json_t *object)
{
	static const char *const order[] = {"User", "ExposedPorts", "Env", "Entrypoint", "Cmd",
		"Volumes", "WorkingDir", "Labels", "StopSignal", "ArgsEscaped", "Healthcheck",
		"OnBuild", "Shell"};
	const json_t *was = json_object_get(object, "Config");
	json_t *config, *copy, *v;

	if (!json_object_get(object, "RootFS") || !was)
		return NULL;
	config = json_object();
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		v = json_object_get(was, order[i]);
		if (v && !json_is_null(v) && !(json_is_string(v) && !json_string_length(v)) &&
			!(json_is_array(v) && !json_array_size(v)) &&
			!(json_is_object(v) && !json_object_size(v) && !str_eq(order[i], "Labels")))
			(void)json_object_set(config, order[i], v); /* memory, as below */
	}
	copy = json_copy((json_t *)(uintptr_t)object);
	(void)json_object_set_new(copy, "Config", config);
	return copy;
}

/* Docker's structs. mark: a member that only this one has; optional: members that its JSON may lack. */
static const struct go_type {
	const char *mark, *what, *name, *optional[8];
} go_types[] = {
	{"HostConfig", "container", "container.InspectResponse",
		{"SizeRw", "SizeRootFs", "ImageManifestDescriptor"}},
	{"RootFS", "image", "image.InspectResponse",
		{"Variant", "OsVersion", "Descriptor", "Manifests", "Container", "ContainerConfig"}},
	{"IPAM", "network", "network.Inspect", {"Peers", "Services"}},
	{"Mountpoint", "volume", "volume.Volume", {"Status", "UsageData", "ClusterVolume"}},
};

static const struct go_type *type_of(const json_t *object)
{
	const struct go_type *t = go_types;

	while (t < go_types + ARRAY_LEN(go_types) - 1 && !json_object_get(object, t->mark))
		t++;
	return t;
}

/* Executes the template on docker's typed struct, and, if that fails, on the raw JSON as maps, as docker's client does. */
static int through(
	const struct tmpl *t, find_fn find, const json_t *object, struct buf *out, struct err *e)
{
	const struct go_type *type = type_of(object);
	auto_json json_t *compact = without_empty(object);
	struct tmpl_data typed = {.json = compact ? compact : object,
		.fields = inspect_fields,
		.exact = true,
		.type = type->name,
		.optional = type->optional};
	struct tmpl_data raw = {.json = object, .missing_is_error = true, .numbers = true};
	auto_buf struct buf one = {0};
	bool strict = find == find_own_volume;

	if (tmpl_exec(t, &typed, &one, e) < 0) {
		buf_done(&one);
		if (strict || tmpl_exec(t, &raw, &one, e) < 0)
			return err_ctx(e, "template parsing error");
	}
	buf_add(out, one.s, one.len);
	buf_putc(out, '\n');
	return 0;
}

/* The list as JSON, on one line or indented as by docker, whose client writes the objects of `volume inspect` itself and
 * else passes on what its daemon wrote. */
static void as_json(const json_t *list, find_fn find, bool indented, struct buf *out)
{
	auto_free char *text =
		json_dumps(list, JSON_PRESERVE_ORDER | JSON_DIGITS |
					 (indented ? (size_t)JSON_INDENT(4) : (size_t)JSON_COMPACT));

	json_go(text ? text : "[]", find == find_own_volume, out);
	buf_putc(out, '\n');
}

/* Shows all objects that were found, and then the errors about the others. */
static int show(const struct inspect *p, find_fn find, char **names, struct err *e)
{
	bool json = str_eq(p->format, "json"), template = p->format && *p->format && !json;
	auto_tmpl struct tmpl *t = template ? tmpl_parse(p->format, e) : NULL;
	auto_json json_t *list = json_array();
	auto_strv struct strv missing = {0};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_buf struct buf out = {0};
	int rc;

	if (template && !t) {
		(void)err_ctx(e, "template parsing error");
		return say_error(e, 64);
	}
	if (store_open(&s, e) < 0)
		return say_error(e, 1);
	if (find == find_any || find == find_container)
		state_know_ids(&s, names);
	for (char **name = names; *name; name++) {
		json_t *object = find(&s, *name, p->size, e);

		if (!object) {
			strv_add(&missing, e->text);
			continue;
		}
		(void)json_array_append_new(list, object); /* memory */
		if (p->size && !str_eq(type_of(object)->what, "container"))
			(void)fprintf(stderr, "WARNING: --size ignored for %s\n", type_of(object)->what);
		if (template && through(t, find, object, &out, e) < 0)
			strv_add(&missing, e->text);
	}
	if (!template)
		as_json(list, find, !json, &out);
	else if (out.len == 0)
		buf_putc(&out, '\n');
	rc = say_out(&out);
	for (size_t i = 0; i < missing.n; i++)
		(void)fprintf(stderr, "%s\n", missing.v[i]);
	return missing.n ? 1 : rc;
}

static int inspect_main(void *target, int argc, char **argv)
{
	struct inspect *p = target;
	find_fn find = p->type ? find_of(p->type) : find_any;
	struct err e;

	(void)argc;
	if (!find) {
		if (*p->type)
			(void)fprintf(stderr, "unknown type: %s: must be one of", QUOTED(p->type));
		else
			(void)fputs("type is empty: must be one of", stderr);
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			(void)fprintf(stderr, "%s \"%s\"", i ? "," : "", kinds[i].name);
		(void)fprintf(stderr, "\n");
		return 1;
	}
	return show(p, find, argv, &e);
}

static int container_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return show(target, find_container, argv, &e);
}

static int network_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return show(target, find_network, argv, &e);
}

static int volume_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return show(target, find_own_volume, argv, &e);
}

static int image_main(void *target, int argc, char **argv)
{
	const struct inspect *p = target;
	struct err e;

	auto_store struct store s = {-1, -1, NULL, NULL};

	if (pull_check_platform(p->platform, &e) < 0)
		return say_error(&e, 1);
	for (int i = 0; p->platform && i < argc; i++) {
		auto_image struct image image = {0};

		/* a missing image is reported by show() */
		if ((s.root >= 0 || store_open(&s, &e) == 0) &&
			image_find_named(&s, argv[i], &image, &e) == 0 &&
			spec_check_platform(p->platform, argv[i], image.architecture, &e) < 0) {
			say_daemon_error(&e);
			return 1;
		}
	}
	return show(target, find_image, argv, &e);
}

const struct command cmd_inspect = {
	.name = "inspect",
	.args = "[OPTIONS] NAME|ID [NAME|ID...]",
	.about = "Return low-level information on Docker objects",
	.opts = inspect_opts,
	.target_size = sizeof(struct inspect),
	.run = inspect_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_container_inspect = {
	.name = "container inspect",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Display detailed information on one or more containers",
	.opts = container_opts,
	.target_size = sizeof(struct inspect),
	.run = container_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_image_inspect = {
	.name = "image inspect",
	.args = "[OPTIONS] IMAGE [IMAGE...]",
	.about = "Display detailed information on one or more images",
	.opts = image_opts,
	.target_size = sizeof(struct inspect),
	.run = image_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_network_inspect = {
	.name = "network inspect",
	.args = "[OPTIONS] NETWORK [NETWORK...]",
	.about = "Display detailed information on one or more networks",
	.opts = network_opts,
	.target_size = sizeof(struct inspect),
	.run = network_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_volume_inspect = {
	.name = "volume inspect",
	.args = "[OPTIONS] VOLUME [VOLUME...]",
	.about = "Display detailed information on one or more volumes",
	.opts = volume_opts,
	.target_size = sizeof(struct inspect),
	.run = volume_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};
