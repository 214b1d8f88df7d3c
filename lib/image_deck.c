/* SPDX-License-Identifier: Apache-2.0 */
#include "image_deck.h"

#include "image_files.h"

#include <string.h>

const struct deck_kind image_deck = {"images.cards", 0x736c7264696d6731ULL, {"images", "refs"}};

static bool read_one(const struct store *s, struct deck_text *d, struct image *out)
{
	auto_image struct image i = {0};
	auto_strv struct strv layers = {0};
	const char *hex = deck_next(d);

	if (!str_is_hex(hex, SHA256_HEX))
		return false; /* what fills it up */
	i.id = xasprintf("sha256:%s", hex);
	i.architecture = deck_next_copy(d);
	i.os = deck_next_copy(d);
	i.created = deck_next_copy(d);
	i.parent = deck_next_copy(d);
	i.size = deck_next_number(d);
	i.is_parent = *deck_next(d) == '1';
	deck_next_list(d, &layers);
	for (size_t k = 0; k < layers.n; k++)
		strv_addf(&i.layers, "%s/layers/%s.sqsh", s->root_path, layers.v[k]);
	deck_next_list(d, &i.refs);
	deck_next_list(d, &i.config.labels);
	*out = i;
	i = (struct image){0};
	return true;
}

bool image_deck_read(const struct store *s, const struct deck_sign *sign, struct image **out, size_t *n)
{
	auto_deck_text struct deck_text d = {0};
	struct image *list = NULL, i;
	size_t count = 0;

	if (!deck_list_open(s, &image_deck, sign, &d))
		return false;
	while (read_one(s, &d, &i)) {
		if ((count & (count + 1)) == 0)
			list = xrealloc(list, 2 * (count + 1), sizeof(*list));
		list[count++] = i;
	}
	*out = list;
	*n = count;
	return true;
}

/* ---- writing ---- */

static void put_layers(struct deck_pen *p, const struct strv *layers)
{
	deck_put_number(p, (int64_t)layers->n);
	for (size_t i = 0; i < layers->n; i++) {
		const char *slash = strrchr(layers->v[i], '/');

		deck_put_part(p, slash ? slash + 1 : layers->v[i], SHA256_HEX);
	}
}

static void put_one(struct deck_pen *p, const struct image *i)
{
	deck_put(p, i->id + strlen("sha256:"));
	deck_put(p, i->architecture);
	deck_put(p, i->os);
	deck_put(p, i->created);
	deck_put(p, i->parent);
	deck_put_number(p, i->size);
	deck_put(p, i->is_parent ? "1" : "");
	put_layers(p, &i->layers);
	deck_put_list(p, &i->refs);
	deck_put_list(p, &i->config.labels);
}

void image_deck_write(const struct store *s, const struct deck_sign *sign, int64_t began_ns,
	const struct image *list, size_t n)
{
	struct deck_pen p;

	if (!deck_list_begin(s, &image_deck, sign, began_ns, &p))
		return;
	for (size_t i = 0; i < n; i++)
		put_one(&p, &list[i]);
	deck_list_end(&p);
}
