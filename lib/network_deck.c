/* SPDX-License-Identifier: Apache-2.0 */
/* network_deck: what listings show of all networks, cached in one file (deck_list) if there are many, root/networks.cards. */
#include "deck_list.h"
#include "network_parts.h"
#include "sys.h"

#include <string.h>

/* Without the three predefined networks, whose ids depend on the store's path. */
static const struct deck_kind kind = {"networks.cards", 0x736c72646e657431ULL, {"networks"}};

void network_done(struct network *n)
{
	free(n->name);
	free(n->driver);
	free(n->created);
	strv_done(&n->labels);
	*n = (struct network){0};
}

void network_list_free(struct network *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		network_done(&list[i]);
	free(list);
}

static void set_id(struct network *n, const char *id)
{
	(void)snprintf(n->id, sizeof(n->id), "%s", id); /* it is as long as that */
}

void network_read(const json_t *j, struct network *out)
{
	*out = (struct network){.name = xstrdup(json_str(j, "Name", "")),
		.driver = xstrdup(json_str(j, "Driver", "")),
		.created = xstrdup(json_str(j, "Created", "")),
		.ipv4 = json_bool(j, "EnableIPv4", false),
		.ipv6 = json_bool(j, "EnableIPv6", false),
		.internal = json_bool(j, "Internal", false)};
	set_id(out, json_str(j, "Id", ""));
	json_map_strv(json_object_get(j, "Labels"), &out->labels);
}

/* ---- the file ---- */

static bool read_one(struct deck_text *d, struct network *out)
{
	const char *id = deck_next(d);

	if (!str_is_hex(id, ID_LEN))
		return false; /* what fills it up */
	*out = (struct network){0};
	set_id(out, id);
	out->name = xstrdup(deck_next(d));
	out->driver = xstrdup(deck_next(d));
	out->created = xstrdup(deck_next(d));
	out->ipv4 = *deck_next(d) == '1';
	out->ipv6 = *deck_next(d) == '1';
	out->internal = *deck_next(d) == '1';
	deck_next_list(d, &out->labels);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct network *)a)->name, ((const struct network *)b)->name);
}

static bool read_all(const struct store *s, const struct deck_sign *sign, struct network **out, size_t *n)
{
	auto_deck_text struct deck_text d = {0};
	struct network *list = xcalloc(DECK_MANY, sizeof(*list));
	size_t count = 0, room = DECK_MANY;

	if (!deck_list_open(s, &kind, sign, &d)) {
		free(list);
		return false;
	}
	for (json_t *j; (j = network_predefined(s, count)) != NULL; json_decref(j))
		network_read(j, &list[count++]); /* there is room for these */
	while (read_one(&d, &list[count]))
		if (++count == room) {
			room *= 2;
			list = xrealloc(list, room, sizeof(*list));
		}
	qsort(list, count, sizeof(*list), by_name);
	*out = list;
	*n = count;
	return true;
}

static void put_one(struct deck_pen *p, const struct network *n)
{
	deck_put(p, n->id);
	deck_put(p, n->name);
	deck_put(p, n->driver);
	deck_put(p, n->created);
	deck_put(p, n->ipv4 ? "1" : "");
	deck_put(p, n->ipv6 ? "1" : "");
	deck_put(p, n->internal ? "1" : "");
	deck_put_list(p, &n->labels);
}

/* One of another hand's that has no id would be the last that is read. */
static bool all_have_ids(const struct network *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!str_is_hex(list[i].id, ID_LEN))
			return false;
	return true;
}

static void write_all(const struct store *s, const struct deck_sign *sign, int64_t began_ns,
	const struct network *list, size_t n)
{
	struct deck_pen p;

	if (!all_have_ids(list, n) || !deck_list_begin(s, &kind, sign, began_ns, &p))
		return;
	for (size_t i = 0; i < n; i++)
		if (!network_is_predefined(list[i].name))
			put_one(&p, &list[i]);
	deck_list_end(&p);
}

int network_list_brief(
	const struct store *s, struct network **out, size_t *n, struct strv *unread, struct err *e)
{
	size_t told = unread ? unread->n : 0;
	int64_t began = sys_now_ns();
	struct deck_sign sign;
	bool known = deck_list_sign(s, &kind, &sign);
	auto_json json_t *all = NULL;
	json_t *j;
	size_t i;

	if (known && read_all(s, &sign, out, n))
		return 0;
	if (!(all = network_list(s, unread, e)))
		return -1;
	*n = json_array_size(all);
	*out = xcalloc(*n, sizeof(**out));
	json_array_foreach(all, i, j) network_read(j, &(*out)[i]);
	if (known && *n >= DECK_MANY && (!unread || unread->n == told)) /* else the file would hide one */
		write_all(s, &sign, began, *out, *n);
	return 0;
}
