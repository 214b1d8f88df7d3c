/* SPDX-License-Identifier: Apache-2.0 */
#include "image_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

json_t *image_read_config(const struct store *s, const struct image *i, struct err *e)
{
	auto_free char *name = xasprintf("images/%s/config.json", i->id + 7);
	json_t *j;

	if (!i->by_path) {
		j = json_read_at(s->root, name, IMAGE_CONFIG_MAX, e);
		image_config_spell(j);
		return j;
	}
	return json_pack("{s:s, s:s, s:o}", "architecture", i->architecture ? i->architecture : "",
		"os", i->os ? i->os : "", "config", image_config_json(&i->config));
}

/* When the image got its latest name. NULL on failure. */
static char *last_tag_time(const struct store *s, const struct image *i, struct err *e)
{
	struct timespec newest = {0};
	struct stat st;
	char text[32];
	struct tm tm;

	for (size_t k = 0; k < i->refs.n; k++) {
		auto_free char *file = image_ref_file(i->refs.v[k]), *path = xasprintf("refs/%s", file);

		if (fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue; /* the name was removed just now */
			(void)err_sys(e, "stat %s", path);
			return NULL;
		}
		if (st.st_mtim.tv_sec > newest.tv_sec)
			newest = st.st_mtim;
	}
	if (newest.tv_sec == 0)
		return xstrdup("0001-01-01T00:00:00Z");
	(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&newest.tv_sec, &tm));
	return xasprintf("%s.%09ldZ", text, newest.tv_nsec);
}

/* "debian@sha256:..." are digests, other names are tags. */
static json_t *names(const struct image *i, bool digests)
{
	json_t *list = json_array();

	for (size_t k = 0; k < i->refs.n; k++)
		if ((strchr(i->refs.v[k], '@') != NULL) == digests)
			(void)json_array_append_new(list, json_string(i->refs.v[k])); /* memory only */
	return list;
}

/* With all of docker's members, whether the stored one has them or not; build triggers, and what builders store about
 * arguments, are passed through. */
static json_t *whole_config(const struct image *i, const json_t *stored)
{
	json_t *config = image_config_json(&i->config);
	json_t *was = json_object_get(stored, "config"), *on_build = json_object_get(was, "OnBuild");

	if (json_is_array(on_build))
		(void)json_object_set(config, "OnBuild", on_build); /* memory only */
	if (json_is_true(json_object_get(was, "ArgsEscaped")))
		(void)json_object_set_new(config, "ArgsEscaped", json_true()); /* likewise */
	/* no label is not the same as no labels */
	if (json_is_object(json_object_get(was, "Labels")) && !i->config.labels.n)
		(void)json_object_set_new(config, "Labels", json_object()); /* memory only */
	return config;
}

static json_t *root_fs(const json_t *stored)
{
	json_t *ids = json_object_get(json_object_get(stored, "rootfs"), "diff_ids");

	if (json_array_size(ids) == 0)
		return json_pack("{s:s}", "Type", "layers");
	return json_pack("{s:s, s:O}", "Type", "layers", "Layers", ids);
}

/* "" where it is not there any more. */
static const char *parent_of(const struct store *s, const struct image *i)
{
	auto_image struct image parent = {0};
	struct err gone;

	return i->parent && image_find_ref(s, i->parent, &parent, &gone) == 0 ? i->parent : "";
}

json_t *image_inspect(const struct store *s, const struct image *given, struct err *e)
{
	auto_json json_t *stored = image_read_config(s, given, e), *out = NULL;
	struct image i = *given; /* of which only the names are other ones */
	auto_free char *tagged = NULL;
	const char *variant;

	if (!stored)
		return NULL;
	i.refs = (struct strv){0};
	if (!i.by_path && image_load_refs(s, &i, e) < 0)
		return NULL;
	tagged = last_tag_time(s, &i, e);
	if (!tagged) {
		strv_done(&i.refs);
		return NULL;
	}
	out = json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "Id", i.id,
		"RepoTags", names(&i, false), "RepoDigests", names(&i, true), "Parent",
		parent_of(s, &i), "Comment", json_str(stored, "comment", ""), "Created",
		i.created ? i.created : "", "DockerVersion", json_str(stored, "docker_version", ""),
		"Author", json_str(stored, "author", ""), "Config", whole_config(&i, stored),
		"Architecture", i.architecture ? i.architecture : "");
	variant = json_str(stored, "variant", NULL);
	if (variant)
		(void)json_object_set_new(out, "Variant", json_string(variant)); /* as below: memory only */
	(void)json_object_update_new(
		out, json_pack("{s:s, s:I, s:I, s:{s:n, s:s}, s:o, s:{s:s}}", "Os",
			     i.os ? i.os : "linux", "Size", (json_int_t)i.size, "VirtualSize",
			     (json_int_t)i.size, "GraphDriver", "Data", "Name", "squashfs",
			     "RootFS", root_fs(stored), "Metadata", "LastTagTime", tagged));
	strv_done(&i.refs);
	if (!out)
		(void)err_set(e, ERR_CORRUPT, "image %.19s cannot be shown as JSON", i.id);
	return take(out);
}
