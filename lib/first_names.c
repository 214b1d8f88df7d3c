/* SPDX-License-Identifier: Apache-2.0 */
#include "first_names.h"

#include "auto.h"
#include "str.h"

struct first_name {
	uint64_t dev, ino;
	char *path;
};

static struct first_name *slot_of(const struct first_names *f, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)((ino ^ dev << 7) * 0x9e3779b97f4a7c15u >> 20);

	for (;; i++) {
		struct first_name *s = &f->slots[i & (f->size - 1)];

		if (!s->path || (s->dev == dev && s->ino == ino))
			return s;
	}
}

static void grow(struct first_names *f)
{
	const struct first_names old = *f;

	f->size = old.size ? 2 * old.size : 64;
	f->slots = xcalloc(f->size, sizeof(*f->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].path)
			*slot_of(f, old.slots[i].dev, old.slots[i].ino) = old.slots[i];
	free(old.slots);
}

const char *first_names_get(struct first_names *f, uint64_t dev, uint64_t ino, const char *path)
{
	struct first_name *s;

	if (2 * f->n >= f->size)
		grow(f);
	s = slot_of(f, dev, ino);
	if (s->path)
		return s->path;
	*s = (struct first_name){dev, ino, xstrdup(path)};
	f->n++;
	return NULL;
}

void first_names_done(struct first_names *f)
{
	for (size_t i = 0; i < f->size; i++)
		free(f->slots[i].path);
	free(f->slots);
}
