/* SPDX-License-Identifier: Apache-2.0 */
/* image_history: an image's history with the sizes of the layers its steps made, newest first. */
#include "image.h"
#include "stamp.h"

#include <string.h>

/* The size of the layer with this diff id ("sha256:..."); 0 if it does not exist. */
static int size_of(const struct store *s, const char *diff_id, int64_t *size, struct err *e)
{
	*size = 0;
	if (!diff_id || !str_starts(diff_id, "sha256:"))
		return 0;
	if (image_layer_size(s, diff_id + strlen("sha256:"), size, e) == 0 || e->kind != ERR_SYSTEM)
		return 0;
	return -1;
}

static int64_t seconds_of(const char *created)
{
	struct timespec t = {.tv_sec = STAMP_NEVER};

	(void)stamp_read(created, &t); /* without one: never, as docker shows */
	return t.tv_sec;
}

static json_t *step(const json_t *h, int64_t size)
{
	return json_pack("{s:s, s:I, s:o, s:n, s:I, s:o}", "Id", "<missing>", "Created",
		(json_int_t)seconds_of(json_str(h, "created", "")), "CreatedBy",
		json_text(json_str(h, "created_by", "")), "Tags", "Size", (json_int_t)size,
		"Comment", json_text(json_str(h, "comment", "")));
}

/* Fills in the image that each step made, as far as it is known: the image itself, its parent, and so on. */
static void name_steps(const struct store *s, const struct image *i, json_t *list)
{
	auto_image struct image parent = {0};
	json_t *h;
	size_t k;

	json_array_foreach(list, k, h)
	{
		struct image next = {0};
		struct err unused; /* then further ids are missing, as in docker for images from a registry */

		(void)json_object_set_new(h, "Id", json_string(i->id)); /* memory, as below */
		if (i->refs.n)
			(void)json_object_set_new(h, "Tags", json_from_strv(&i->refs));
		if (!i->parent || image_find_ref(s, i->parent, &next, &unused) < 0)
			return;
		image_done(&parent);
		parent = next;
		if (image_load_refs(s, &parent, &unused) < 0)
			return;
		i = &parent;
	}
}

json_t *image_history(const struct store *s, const struct image *i, struct err *e)
{
	auto_json json_t *config = image_read_config(s, i, e), *whole = NULL, *list = json_array();
	const json_t *history = json_object_get(config, "history");
	const json_t *ids = json_object_get(json_object_get(config, "rootfs"), "diff_ids");
	json_t *h;
	size_t k, layer = 0;

	if (!config)
		return NULL;
	json_array_foreach(history, k, h)
	{
		const char *id = json_string_value(json_array_get(ids, layer));
		bool empty = json_bool(h, "empty_layer", false);
		int64_t size;

		if (size_of(s, empty ? NULL : id, &size, e) < 0)
			return NULL;
		(void)json_array_insert_new(list, 0, step(h, size)); /* memory */
		layer += !empty;
	}
	if (json_array_size(list) == 0) {
		whole = json_pack("{s:s}", "created", i->created ? i->created : "");
		(void)json_array_append_new(list, step(whole, i->size)); /* memory */
	}
	name_steps(s, i, list);
	return take(list);
}
