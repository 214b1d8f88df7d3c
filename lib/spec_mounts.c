/* SPDX-License-Identifier: Apache-2.0 */
/* spec_mounts: mounts in docker's JSON: -v words are HostConfig.Binds, --tmpfs HostConfig.Tmpfs, --mount HostConfig.Mounts. */
#include "parse.h"
#include "spec_rows.h"

#include <string.h>

static const char *const types[MOUNT_KINDS] = {
	[MOUNT_BIND] = "bind", [MOUNT_VOLUME] = "volume", [MOUNT_TMPFS] = "tmpfs", [MOUNT_IMAGE] = "image"};

struct spec_mount *spec_add_mount(struct spec *s)
{
	struct spec_mount *m;

	s->mounts = xrealloc(s->mounts, s->n_mounts + 1, sizeof(*s->mounts));
	m = &s->mounts[s->n_mounts++];
	*m = (struct spec_mount){.tmpfs_size = SPEC_UNSET, .tmpfs_mode = SPEC_UNSET};
	return m;
}

void spec_mount_done(struct spec_mount *m)
{
	free(m->src);
	free(m->volume);
	free(m->tmpfs_volume);
	free(m->dst);
	free(m->said_src);
	free(m->said_dst);
	free(m->propagation);
	free(m->subpath);
	free(m->mode);
	free(m->driver);
	free(m->consistency);
	strv_done(&m->tmpfs_words);
	strv_done(&m->labels);
	strv_done(&m->options);
	free(m->tmpfs_options);
	free(m->why);
	*m = (struct spec_mount){0};
}

void spec_mounts_done(struct spec *s)
{
	for (size_t i = 0; i < s->n_mounts; i++)
		spec_mount_done(&s->mounts[i]);
	free(s->mounts);
	s->mounts = NULL;
	s->n_mounts = 0;
}

static const char *src_of(const struct spec_mount *m)
{
	return m->said_src ? m->said_src : m->src;
}

const char *spec_mount_dst(const struct spec_mount *m)
{
	return m->said_dst ? m->said_dst : m->dst;
}

/* Docker stores an empty object if any of these options was given. */
static const char *options_of(const struct spec_mount *m)
{
	return m->kind == MOUNT_BIND ? "BindOptions" : "VolumeOptions";
}

/* Docker's options of a tmpfs may have values, but none that it knows has one. */
static json_t *lists_of_one(const struct strv *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++)
		(void)json_array_append_new(list, json_pack("[s]", words->v[i])); /* memory only */
	return list;
}

static json_t *mount_to_json(const struct spec_mount *m)
{
	json_t *j = json_object();

	spec_json_set(j, "Type", json_string(types[m->kind]));
	if (m->src && *m->src)
		spec_json_set(j, "Source", json_text(src_of(m)));
	spec_json_set(j, "Target", json_text(spec_mount_dst(m)));
	if (m->read_only)
		spec_json_set(j, "ReadOnly", json_true());
	if (m->said_options)
		spec_json_set(j, options_of(m), json_object());
	if (m->propagation)
		spec_json_set(j, "BindOptions.Propagation", json_text(m->propagation));
	if (m->non_recursive)
		spec_json_set(j, "BindOptions.NonRecursive", json_true());
	if (m->ro_top)
		spec_json_set(j, "BindOptions.ReadOnlyNonRecursive", json_true());
	if (m->ro_all)
		spec_json_set(j, "BindOptions.ReadOnlyForceRecursive", json_true());
	if (m->consistency)
		spec_json_set(j, "Consistency", json_text(m->consistency));
	if (m->create_src)
		spec_json_set(j, "BindOptions.CreateMountpoint", json_true());
	if (m->nocopy)
		spec_json_set(j, "VolumeOptions.NoCopy", json_true());
	if (m->labels.n)
		spec_json_set(j, "VolumeOptions.Labels", json_from_map(&m->labels));
	if (m->said_driver)
		spec_json_set(j, "VolumeOptions.DriverConfig", json_object());
	if (m->driver)
		spec_json_set(j, "VolumeOptions.DriverConfig.Name", json_text(m->driver));
	if (m->options.n)
		spec_json_set(j, "VolumeOptions.DriverConfig.Options", json_from_map(&m->options));
	if (m->unnamed)
		spec_json_set(j, "Unnamed", json_true());
	if (m->of_volumes)
		spec_json_set(j, "OfVolumes", json_true());
	if (m->of_binds)
		spec_json_set(j, "OfBinds", json_true());
	if (m->taken_over)
		spec_json_set(j, "TakenOver", json_true());
	if (m->subpath)
		spec_json_set(j, m->kind == MOUNT_IMAGE ? "ImageOptions.Subpath" : "VolumeOptions.Subpath",
			json_text(m->subpath));
	/* docker stores an empty object even if 0 was given */
	if (m->tmpfs_size != SPEC_UNSET || m->tmpfs_mode != SPEC_UNSET)
		spec_json_set(j, "TmpfsOptions", json_object());
	if (m->tmpfs_size != SPEC_UNSET && m->tmpfs_size)
		spec_json_set(j, "TmpfsOptions.SizeBytes", json_integer(m->tmpfs_size));
	if (m->tmpfs_mode != SPEC_UNSET && m->tmpfs_mode)
		spec_json_set(j, "TmpfsOptions.Mode", json_integer(m->tmpfs_mode));
	if (m->tmpfs_words.n)
		spec_json_set(j, "TmpfsOptions.Options", lists_of_one(&m->tmpfs_words));
	return j;
}

void spec_mounts_to_json(const struct spec *s, json_t *j)
{
	json_t *binds = json_array(), *mounts = json_array(), *tmpfs = json_object();

	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct spec_mount *m = &s->mounts[i];
		auto_free char *word = NULL;

		if (m->mode) {
			/* Only with something behind it, be it an empty mode, is a target that looks like a mode taken
			 * for a target. */
			word = xasprintf("%s:%s%s%s", src_of(m), spec_mount_dst(m),
				*m->mode || parse_mode_ok(spec_mount_dst(m)) ? ":" : "", m->mode);
			(void)json_array_append_new(binds, json_text(word)); /* memory */
		} else if (m->tmpfs_options) {
			word = json_utf8(spec_mount_dst(m), strlen(spec_mount_dst(m)));
			(void)json_object_set_new(tmpfs, word, json_text(m->tmpfs_options)); /* memory */
		} else {
			if (m->of_binds)
				(void)json_array_append_new(binds, json_text(spec_mount_dst(m))); /* memory */
			(void)json_array_append_new(mounts, mount_to_json(m)); /* memory */
		}
	}
	if (s->binds_set || json_array_size(binds))
		spec_json_set(j, "HostConfig.Binds", json_incref(binds));
	if (json_array_size(mounts))
		spec_json_set(j, "HostConfig.Mounts", json_incref(mounts));
	if (json_object_size(tmpfs))
		spec_json_set(j, "HostConfig.Tmpfs", json_incref(tmpfs));
	json_decref(binds);
	json_decref(mounts);
	json_decref(tmpfs);
}

/* Typed getters for the parts of a mount: absent is fine, another type is not. */
static int get_str(const json_t *j, const char *path, char **out, struct err *e)
{
	const json_t *v = spec_json_get(j, path);

	if (v && !json_is_string(v))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Mounts: %s must be a string", path);
	if (v && *json_string_value(v))
		*out = xstrdup(json_string_value(v));
	return 0;
}

static int get_bool(const json_t *j, const char *path, bool *out, struct err *e)
{
	const json_t *v = spec_json_get(j, path);

	if (v && !json_is_boolean(v))
		return err_set(e, ERR_USAGE,
			"invalid JSON: HostConfig.Mounts: %s must be a boolean", path);
	if (v)
		*out = json_is_true(v);
	return 0;
}

static int get_int(const json_t *j, const char *path, int64_t *out, struct err *e)
{
	const json_t *v = spec_json_get(j, path);

	if (v && !json_is_integer(v))
		return err_set(e, ERR_USAGE,
			"invalid JSON: HostConfig.Mounts: %s must be an integer", path);
	if (v)
		*out = json_integer_value(v);
	return 0;
}

static int get_map(const json_t *j, const char *path, struct strv *out, struct err *e)
{
	const json_t *map = spec_json_get(j, path);
	const char *key;
	json_t *v;

	if (map && !json_is_object(map))
		return err_set(e, ERR_USAGE,
			"invalid JSON: HostConfig.Mounts: %s must be an object", path);
	json_object_foreach((json_t *)(uintptr_t)map, key, v)
	{
		if (!json_is_string(v))
			return err_set(e, ERR_USAGE,
				"invalid JSON: HostConfig.Mounts: %s must hold strings", path);
		strv_addf(out, "%s=%s", key, json_string_value(v));
	}
	return 0;
}

static int get_tmpfs_words(const json_t *j, struct strv *out, struct err *e)
{
	json_t *list = spec_json_get(j, "TmpfsOptions.Options"), *one;
	size_t i;

	if (list && !json_is_array(list) && !json_is_null(list))
		return err_set(e, ERR_USAGE,
			"invalid JSON: HostConfig.Mounts: TmpfsOptions.Options must be a list");
	json_array_foreach(list, i, one)
	{
		const char *word = json_string_value(json_array_get(one, 0));
		size_t n = json_array_size(one);

		if (n < 1 || n > 2)
			return err_set(e, ERR_USAGE,
				"invalid mount config for type \"tmpfs\": invalid option array length");
		if (n == 2 || !(str_eq(word, "exec") || str_eq(word, "noexec")))
			return err_set(e, ERR_USAGE,
				"invalid mount config for type \"tmpfs\": invalid option: %s",
				word ? word : "");
		strv_add(out, word);
	}
	return 0;
}

static int fill_mount(struct spec_mount *m, const json_t *j, struct err *e)
{
	auto_free char *type = NULL;
	size_t kind = 0;

	if (get_str(j, "Type", &type, e) < 0 || get_str(j, "Source", &m->src, e) < 0 ||
		get_str(j, "Target", &m->dst, e) < 0 || get_bool(j, "ReadOnly", &m->read_only, e) < 0 ||
		get_str(j, "BindOptions.Propagation", &m->propagation, e) < 0 ||
		get_bool(j, "BindOptions.NonRecursive", &m->non_recursive, e) < 0 ||
		get_bool(j, "BindOptions.ReadOnlyNonRecursive", &m->ro_top, e) < 0 ||
		get_bool(j, "BindOptions.ReadOnlyForceRecursive", &m->ro_all, e) < 0 ||
		get_str(j, "Consistency", &m->consistency, e) < 0 ||
		get_bool(j, "BindOptions.CreateMountpoint", &m->create_src, e) < 0 ||
		get_bool(j, "VolumeOptions.NoCopy", &m->nocopy, e) < 0 ||
		get_map(j, "VolumeOptions.Labels", &m->labels, e) < 0 ||
		get_str(j, "VolumeOptions.DriverConfig.Name", &m->driver, e) < 0 ||
		get_map(j, "VolumeOptions.DriverConfig.Options", &m->options, e) < 0 ||
		get_bool(j, "Unnamed", &m->unnamed, e) < 0 ||
		get_bool(j, "OfVolumes", &m->of_volumes, e) < 0 ||
		get_bool(j, "OfBinds", &m->of_binds, e) < 0 ||
		get_bool(j, "TakenOver", &m->taken_over, e) < 0 ||
		get_str(j, "VolumeOptions.Subpath", &m->subpath, e) < 0 ||
		get_int(j, "TmpfsOptions.SizeBytes", &m->tmpfs_size, e) < 0 ||
		get_int(j, "TmpfsOptions.Mode", &m->tmpfs_mode, e) < 0)
		return -1;
	while (kind < MOUNT_KINDS && !str_eq(types[kind], type))
		kind++;
	if (!m->dst)
		return err_set(e, ERR_USAGE,
			"invalid mount config for type %s: field Target must not be empty",
			QUOTED(type ? type : ""));
	if (kind == MOUNT_KINDS)
		return err_set(e, ERR_USAGE, "invalid mount config for type %s: mount type unknown",
			QUOTED(type ? type : ""));
	m->kind = (enum mount_kind)kind;
	m->said_options = (m->kind == MOUNT_BIND || m->kind == MOUNT_VOLUME) &&
	                  json_is_object(json_object_get(j, options_of(m)));
	m->said_driver = m->kind == MOUNT_VOLUME &&
	                 json_is_object(spec_json_get(j, "VolumeOptions.DriverConfig"));
	if (m->tmpfs_size == SPEC_UNSET && json_is_object(json_object_get(j, "TmpfsOptions")))
		m->tmpfs_size = 0; /* docker writes no zeros, but where they were given it writes the object */
	if (m->kind == MOUNT_TMPFS && get_tmpfs_words(j, &m->tmpfs_words, e) < 0)
		return -1;
	parse_mount_paths(m);
	if (m->unnamed && *m->dst != '/') {
		free(m->said_dst);
		m->said_dst = m->dst;
		m->dst = parse_target_in(m->said_dst);
	}
	if (m->kind == MOUNT_VOLUME && !m->src)
		m->src = xstrdup("");
	if (m->kind == MOUNT_IMAGE && get_str(j, "ImageOptions.Subpath", &m->subpath, e) < 0)
		return -1;
	if (m->subpath && !*m->subpath) {
		free(m->subpath);
		m->subpath = NULL;
	}
	m->why = xasprintf("--mount type=%s%s%s,target=%s%s", type, m->src && *m->src ? ",source=" : "",
		m->src ? m->src : "", m->dst, m->read_only ? ",readonly" : "");
	return 0;
}

/* The mount of a target that stands alone in Binds. It takes its place there, so that it is told of in the same order again. */
static const json_t *mount_of_bind(const json_t *mounts, const char *target)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)mounts, i, one)
	{
		if (json_bool(one, "OfBinds", false) && str_eq(json_str(one, "Target", ""), target))
			return one;
	}
	return NULL;
}

static bool is_of_bind(const json_t *mount, const json_t *binds)
{
	json_t *word;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)binds, i, word)
	{
		if (json_bool(mount, "OfBinds", false) &&
			str_eq(json_str(mount, "Target", ""), json_string_value(word)))
			return true;
	}
	return false;
}

static int mounts_from_json(struct spec *s, const json_t *mounts, const json_t *binds, struct err *e)
{
	size_t i;
	json_t *v;

	if (mounts && !json_is_array(mounts))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Mounts must be an array");
	json_array_foreach(mounts, i, v)
	{
		if (!json_is_object(v))
			return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Mounts must hold objects");
		if (!is_of_bind(v, binds) && fill_mount(spec_add_mount(s), v, e) < 0)
			return -1;
	}
	return 0;
}

/* A target alone in Binds. Once it has a volume, that is among the mounts. */
static int target_from_json(struct spec *s, const char *target, const json_t *mounts, struct err *e)
{
	const json_t *mount = mount_of_bind(mounts, target);
	struct spec_mount *m;

	if (!*target)
		return err_set(e, ERR_USAGE, "invalid volume specification: ''");
	m = spec_add_mount(s);
	if (mount)
		return fill_mount(m, mount, e);
	m->kind = MOUNT_VOLUME;
	m->of_binds = true;
	m->src = xstrdup("");
	m->dst = xstrdup(target);
	m->why = xasprintf("--volume %s", target);
	parse_mount_paths(m);
	return 0;
}

int spec_mounts_from_json(struct spec *s, const json_t *j, struct err *e)
{
	const json_t *binds = spec_json_get(j, "HostConfig.Binds");
	const json_t *tmpfs = spec_json_get(j, "HostConfig.Tmpfs");
	const json_t *mounts = spec_json_get(j, "HostConfig.Mounts");
	const char *key;
	json_t *v;
	size_t i;

	if ((binds && !json_is_array(binds)) || (tmpfs && !json_is_object(tmpfs)))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.%s has the wrong type",
			binds ? "Binds" : "Tmpfs");
	s->binds_set = s->binds_set || binds;
	json_array_foreach(binds, i, v)
	{
		if (!json_is_string(v))
			return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Binds must hold strings");
		if ((strchr(json_string_value(v), ':')
				    ? parse_volume(s, json_string_value(v), NULL, e)
				    : target_from_json(s, json_string_value(v), mounts, e)) < 0)
			return -1;
	}
	if (mounts_from_json(s, mounts, binds, e) < 0)
		return -1;
	json_object_foreach((json_t *)tmpfs, key, v)
	{
		auto_free char *word = NULL;

		if (!json_is_string(v))
			return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Tmpfs must hold strings");
		word = xasprintf("%s%s%s", key, *json_string_value(v) ? ":" : "", json_string_value(v));
		if (parse_tmpfs(s, word, e) < 0)
			return -1;
	}
	return 0;
}

bool spec_propagates(const struct spec_mount *m)
{
	return m->kind == MOUNT_BIND && m->propagation &&
	       (str_ends(m->propagation, "shared") || str_ends(m->propagation, "slave"));
}
