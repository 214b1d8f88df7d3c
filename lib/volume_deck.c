/* SPDX-License-Identifier: Apache-2.0 */
/* volume_deck: what a listing shows of all volumes, cached in one file (deck_list), root/volumes.cards. */
#include "deck_list.h"
#include "sys.h"
#include "volume_parts.h"

#include <string.h>

static const struct deck_kind kind = {"volumes.cards", 0x736c7264766f6c31ULL, {"volumes"}};

static bool read_one(const struct store *s, struct deck_text *d, struct volume *out)
{
	const char *name = deck_next(d);

	if (!*name)
		return false; /* what fills it up */
	*out = (struct volume){.name = xstrdup(name)};
	out->path = volume_path(s, name);
	out->created.tv_sec = deck_next_number(d);
	out->created.tv_nsec = deck_next_number(d);
	deck_next_list(d, &out->labels);
	deck_next_list(d, &out->options);
	return true;
}

static bool read_all(const struct store *s, const struct deck_sign *sign, struct volume **out, size_t *n)
{
	auto_deck_text struct deck_text d = {0};
	struct volume *list = NULL, v;
	size_t count = 0;

	if (!deck_list_open(s, &kind, sign, &d))
		return false;
	while (read_one(s, &d, &v)) {
		if ((count & (count + 1)) == 0)
			list = xrealloc(list, 2 * (count + 1), sizeof(*list));
		list[count++] = v;
	}
	*out = list;
	*n = count;
	return true;
}

static void write_all(const struct store *s, const struct deck_sign *sign, int64_t began_ns,
	const struct volume *list, size_t n)
{
	struct deck_pen p;

	if (!deck_list_begin(s, &kind, sign, began_ns, &p))
		return;
	for (size_t i = 0; i < n; i++) {
		deck_put(&p, list[i].name);
		deck_put_number(&p, list[i].created.tv_sec);
		deck_put_number(&p, list[i].created.tv_nsec);
		deck_put_list(&p, &list[i].labels);
		deck_put_list(&p, &list[i].options);
	}
	deck_list_end(&p);
}

int volume_list(const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e)
{
	size_t told = unread ? unread->n : 0;
	int64_t began = sys_now_ns();
	struct deck_sign sign;
	bool known = deck_list_sign(s, &kind, &sign);

	if (known && read_all(s, &sign, out, n))
		return 0;
	if (volume_list_all(s, out, n, unread, e) < 0)
		return -1;
	if (known && *n >= DECK_MANY && (!unread || unread->n == told)) /* else the file would hide one */
		write_all(s, &sign, began, *out, *n);
	return 0;
}
