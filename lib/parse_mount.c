/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <ctype.h>
#include <string.h>

/* --mount being read: the mount, and which families of options were used. */
struct mount_words {
	struct spec_mount m;
	char *type;
	const char *cwd;
	bool volume_option, image_option, bind_option, tmpfs_option;
};

static int bool_value(const char *key, const char *value, bool *out, struct err *e)
{
	if (!value)
		*out = true;
	else if (parse_bool(value, out, e) < 0)
		return err_set(e, ERR_USAGE, "invalid value for %s: %s", key, value);
	return 0;
}

static int set_bind_option(struct mount_words *w, const char *key, const char *value, struct err *e)
{
	if (str_eq(key, "bind-recursive") && str_eq(value, "enabled")) /* asks for nothing, of any type */
		return 0;
	w->bind_option = true;
	w->m.said_options = true;
	if (str_eq(key, "bind-propagation")) {
		free(w->m.propagation);
		w->m.propagation = *value ? xstrdup(value) : NULL;
		for (char *c = w->m.propagation; c && *c; c++)
			*c = (char)tolower((unsigned char)*c);
		return 0;
	}
	if (str_eq(key, "bind-nonrecursive"))
		return bool_value(key, value, &w->m.non_recursive, e);
	if (str_eq(value, "disabled"))
		w->m.non_recursive = true;
	else if (str_eq(value, "writable"))
		w->m.ro_top = true; /* asks for less than it gets */
	else if (str_eq(value, "readonly"))
		w->m.ro_all = true;
	else if (!str_eq(value, "enabled"))
		return err_set(e, ERR_USAGE,
			"invalid value for bind-recursive: %s (must be \"enabled\", "
			"\"disabled\", \"writable\", or \"readonly\")",
			value);
	return 0;
}

/* K, which is K with nothing, or K=V. One without a name is passed over. */
static void set_pair(struct strv *pairs, const char *value)
{
	if (!*value || *value == '=')
		return;

	auto_free char *pair = xasprintf("%s%s", value, strchr(value, '=') ? "" : "=");

	strv_env_set(pairs, pair);
}

static int set_volume_option(struct mount_words *w, const char *key, const char *value, struct err *e)
{
	w->volume_option = true;
	w->m.said_options = true;
	w->m.said_driver = true; /* docker's client sends it along */
	if (str_eq(key, "volume-nocopy"))
		return bool_value(key, value, &w->m.nocopy, e);
	if (str_eq(key, "volume-label")) {
		set_pair(&w->m.labels, value);
		return 0;
	}
	if (str_eq(key, "volume-subpath")) {
		free(w->m.subpath);
		w->m.subpath = *value ? xstrdup(value) : NULL;
		return 0;
	}
	if (str_eq(key, "volume-driver")) {
		free(w->m.driver);
		w->m.driver = *value ? xstrdup(value) : NULL;
		return 0;
	}
	set_pair(&w->m.options, value);
	return 0;
}

static int set_tmpfs_option(struct mount_words *w, const char *key, const char *value, struct err *e)
{
	char *end;
	long mode;

	w->tmpfs_option = true;
	if (str_eq(key, "tmpfs-size")) {
		if (parse_bytes(value, &w->m.tmpfs_size, e) < 0)
			return err_set(e, ERR_USAGE, "invalid value for %s: %s", key, value);
		return 0;
	}
	mode = strtol(value, &end, 8);
	if (!isdigit((unsigned char)*value) || *end || mode > UINT32_MAX)
		return err_set(e, ERR_USAGE, "invalid value for %s: %s", key, value);
	w->m.tmpfs_mode = mode;
	return 0;
}

static void replace(char **place, char *s)
{
	free(*place);
	*place = s;
}

/* value NULL: the key stood alone. */
static int set_field(
	struct mount_words *w, const char *field, const char *key, const char *value, struct err *e)
{
	if (str_eq(key, "readonly") || str_eq(key, "ro"))
		return bool_value(key, value, &w->m.read_only, e);
	if (!value && !str_eq(key, "volume-nocopy") && !str_eq(key, "bind-nonrecursive"))
		return err_set(e, ERR_USAGE, "invalid field '%s' must be a key=value pair", field);
	if (str_eq(key, "type")) {
		replace(&w->type, xstrdup(value));
		for (char *c = w->type; *c; c++)
			*c = (char)tolower((unsigned char)*c);
	} else if (str_eq(key, "source") || str_eq(key, "src")) {
		replace(&w->m.src, xstrdup(value));
	} else if (str_eq(key, "target") || str_eq(key, "dst") || str_eq(key, "destination")) {
		replace(&w->m.dst, xstrdup(value));
	} else if (str_eq(key, "bind-propagation") || str_eq(key, "bind-nonrecursive") ||
		   str_eq(key, "bind-recursive")) {
		return set_bind_option(w, key, value, e);
	} else if (str_eq(key, "volume-nocopy") || str_eq(key, "volume-label") ||
		   str_eq(key, "volume-driver") || str_eq(key, "volume-opt") ||
		   str_eq(key, "volume-subpath")) {
		return set_volume_option(w, key, value, e);
	} else if (str_eq(key, "tmpfs-size") || str_eq(key, "tmpfs-mode")) {
		return set_tmpfs_option(w, key, value, e);
	} else if (str_eq(key, "image-subpath")) {
		w->image_option = true;
		replace(&w->m.subpath, *value ? xstrdup(value) : NULL);
	} else if (str_eq(key, "consistency")) {
		replace(&w->m.consistency, *value ? xstrdup(value) : NULL);
		for (char *c = w->m.consistency; c && *c; c++)
			*c = (char)tolower((unsigned char)*c);
	} else {
		return err_set(e, ERR_USAGE, "unexpected key '%s' in '%s'", key, field);
	}
	return 0;
}

static int read_fields(struct mount_words *w, const char *word, struct err *e)
{
	auto_strv struct strv fields = {0};

	if (parse_csv(word, &fields, e) < 0)
		return -1;
	for (size_t i = 0; i < fields.n; i++) {
		const char *equals = strchr(fields.v[i], '=');
		auto_free char *key = xstrndup(fields.v[i], strcspn(fields.v[i], "="));

		for (char *c = key; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		if (set_field(w, fields.v[i], key, equals ? equals + 1 : NULL, e) < 0)
			return -1;
	}
	return 0;
}

static int check_families(const struct mount_words *w, struct err *e)
{
	const char *type = w->type ? w->type : "volume";

	if (!*type)
		return err_set(e, ERR_USAGE, "type is required");
	if (!w->m.dst || !*w->m.dst)
		return err_set(e, ERR_USAGE, "target is required");
	if (w->volume_option && !str_eq(type, "volume"))
		return err_set(e, ERR_USAGE, "cannot mix 'volume-*' options with mount type '%s'", type);
	if (w->image_option && !str_eq(type, "image"))
		return err_set(e, ERR_USAGE, "cannot mix 'image-*' options with mount type '%s'", type);
	if (w->bind_option && !str_eq(type, "bind"))
		return err_set(e, ERR_USAGE, "cannot mix 'bind-*' options with mount type '%s'", type);
	if (w->tmpfs_option && !str_eq(type, "tmpfs"))
		return err_set(e, ERR_USAGE, "cannot mix 'tmpfs-*' options with mount type '%s'", type);
	if (w->m.ro_top && !w->m.read_only)
		return err_set(e, ERR_USAGE,
			"option 'bind-recursive=writable' requires 'readonly' to be specified "
			"in conjunction");
	if (w->m.ro_all && !w->m.read_only)
		return err_set(e, ERR_USAGE,
			"option 'bind-recursive=readonly' requires 'readonly' to be specified "
			"in conjunction");
	if (w->m.ro_all && !str_eq(w->m.propagation, "rprivate"))
		return err_set(e, ERR_USAGE,
			"option 'bind-recursive=readonly' requires "
			"'bind-propagation=rprivate' to be specified in conjunction");
	return 0;
}

static int finish_mount(struct mount_words *w, const char *word, struct err *e)
{
	static const char *const types[MOUNT_KINDS] = {
		[MOUNT_BIND] = "bind", [MOUNT_VOLUME] = "volume", [MOUNT_TMPFS] = "tmpfs", [MOUNT_IMAGE] = "image"};
	size_t kind = 0;

	if (check_families(w, e) < 0)
		return -1;
	while (kind < MOUNT_KINDS && !str_eq(types[kind], w->type ? w->type : "volume"))
		kind++;
	if (kind == MOUNT_KINDS)
		return err_set(e, ERR_USAGE, "invalid mount config for type %s: mount type unknown",
			QUOTED(w->type));
	w->m.kind = (enum mount_kind)kind;
	if (w->m.src && (w->m.kind == MOUNT_BIND || *w->m.src == '.')) /* a path, even if the type does not take it as one */
		replace(&w->m.src, parse_source(w->m.src, strlen(w->m.src), w->cwd));
	if (!w->m.src && w->m.kind == MOUNT_VOLUME)
		w->m.src = xstrdup("");
	w->m.why = xasprintf("--mount %s", word);
	parse_mount_paths(&w->m);
	return 0;
}

int parse_mount(struct spec *s, const char *word, const char *cwd, struct err *e)
{
	struct mount_words w = {.cwd = cwd};
	int r;

	w.m.tmpfs_size = w.m.tmpfs_mode = SPEC_UNSET;
	r = read_fields(&w, word, e);
	if (r == 0)
		r = finish_mount(&w, word, e);
	free(w.type);
	if (r == 0)
		*spec_add_mount(s) = w.m;
	else
		spec_mount_done(&w.m);
	return r;
}
