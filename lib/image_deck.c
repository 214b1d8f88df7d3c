/* SPDX-License-Identifier: Apache-2.0 */
#include "image_deck.h"

#include "deck_file.h"
#include "image_files.h"
#include "sys.h"

#include <string.h>

#define NAME      "images.cards"
#define FORM      0x736c7264696d6731ULL
#define SETTLED_S 2 /* the coarsest clock that a file system has */

bool image_sign(const struct store *s, struct image_sign *out)
{
	static const char *const dirs[] = {"images", "refs"};

	memset(out, 0, sizeof(*out)); /* it is compared whole */
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (sys_changed(s->root, dirs[i], &out->inode[i], &out->changed[i]) < 0)
			return false;
	return true;
}

/* ---- reading ---- */

struct cursor {
	const char *at, *end; /* a 0 stands at the end */
};

static const char *next(struct cursor *c)
{
	const char *s = c->at;

	if (s >= c->end)
		return "";
	c->at += strlen(s) + 1;
	return s;
}

static char *next_or_null(struct cursor *c)
{
	const char *s = next(c);

	return *s ? xstrdup(s) : NULL;
}

/* How many there are stands before them. */
static void next_list(struct cursor *c, struct strv *out)
{
	for (long n = strtol(next(c), NULL, 10); n > 0 && c->at < c->end; n--)
		strv_add(out, next(c));
}

static bool read_one(const struct store *s, struct cursor *c, struct image *out)
{
	auto_image struct image i = {0};
	auto_strv struct strv layers = {0};
	const char *hex = next(c);

	if (!str_is_hex(hex, SHA256_HEX))
		return false; /* what fills it up */
	i.id = xasprintf("sha256:%s", hex);
	i.architecture = next_or_null(c);
	i.os = next_or_null(c);
	i.created = next_or_null(c);
	i.parent = next_or_null(c);
	i.size = strtoll(next(c), NULL, 10);
	i.is_parent = *next(c) == '1';
	next_list(c, &layers);
	for (size_t k = 0; k < layers.n; k++)
		strv_addf(&i.layers, "%s/layers/%s.sqsh", s->root_path, layers.v[k]);
	next_list(c, &i.refs);
	next_list(c, &i.config.labels);
	*out = i;
	i = (struct image){0};
	return true;
}

bool image_deck_read(const struct store *s, const struct image_sign *sign, struct image **out, size_t *n)
{
	size_t len = 0, count = 0;
	auto_free char *text = deck_file_read(s, NAME, FORM, &len);
	struct cursor c;
	struct image *list = NULL, i;

	if (!text || len < sizeof(*sign) || memcmp(text, sign, sizeof(*sign)) != 0)
		return false;
	c = (struct cursor){text + sizeof(*sign), text + len};
	while (read_one(s, &c, &i)) {
		if ((count & (count + 1)) == 0)
			list = xrealloc(list, 2 * (count + 1), sizeof(*list));
		list[count++] = i;
	}
	*out = list;
	*n = count;
	return true;
}

/* ---- writing ---- */

static void put(struct buf *out, const char *s)
{
	buf_add(out, s ? s : "", (s ? strlen(s) : 0) + 1);
}

static void put_number(struct buf *out, int64_t n)
{
	buf_printf(out, "%lld", (long long)n);
	buf_putc(out, '\0');
}

static void put_list(struct buf *out, const struct strv *list)
{
	put_number(out, (int64_t)list->n);
	for (size_t i = 0; i < list->n; i++)
		put(out, list->v[i]);
}

static void put_layers(struct buf *out, const struct strv *layers)
{
	put_number(out, (int64_t)layers->n);
	for (size_t i = 0; i < layers->n; i++) {
		const char *slash = strrchr(layers->v[i], '/');

		buf_add(out, slash ? slash + 1 : layers->v[i], SHA256_HEX);
		buf_putc(out, '\0');
	}
}

static void put_one(struct buf *out, const struct image *i)
{
	put(out, i->id + strlen("sha256:"));
	put(out, i->architecture);
	put(out, i->os);
	put(out, i->created);
	put(out, i->parent);
	put_number(out, i->size);
	put(out, i->is_parent ? "1" : "");
	put_layers(out, &i->layers);
	put_list(out, &i->refs);
	put_list(out, &i->config.labels);
}

void image_deck_write(const struct store *s, const struct image_sign *sign, int64_t began_ns,
	const struct image *list, size_t n)
{
	auto_buf struct buf out = {0};
	auto_close int fd = -1;
	struct timespec now;

	fd = deck_file_begin(s, NAME, began_ns, &now);
	if (fd < 0)
		return;
	now.tv_sec -= SETTLED_S;
	if (sign->changed[0].tv_sec >= now.tv_sec || sign->changed[1].tv_sec >= now.tv_sec) {
		deck_file_drop(s, NAME);
		return;
	}
	buf_add(&out, sign, sizeof(*sign));
	for (size_t i = 0; i < n; i++)
		put_one(&out, &list[i]);
	deck_file_pad(&out);
	deck_file_end(s, NAME, FORM, fd, &out);
}
