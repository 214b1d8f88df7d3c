/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include "auto.h"

void ledger_done(struct ledger *l)
{
	free(l->at);
	*l = (struct ledger){0};
}

static uint64_t home_of(const struct ledger *l, uint64_t ino)
{
	return (ino * 0x9e3779b97f4a7c15ull >> 20) & (l->room - 1);
}

/* Its entry, or the free one where it belongs. */
static struct ledger_entry *find(const struct ledger *l, uint64_t ino)
{
	uint64_t i = home_of(l, ino);

	while (l->at[i].ino && l->at[i].ino != ino)
		i = (i + 1) & (l->room - 1);
	return &l->at[i];
}

static void grow(struct ledger *l)
{
	struct ledger old = *l;

	l->room = old.room ? 2 * old.room : 64;
	l->at = xcalloc(l->room, sizeof(*l->at));
	for (uint64_t i = 0; i < old.room; i++)
		if (old.at[i].ino)
			*find(l, old.at[i].ino) = old.at[i];
	free(old.at);
}

void ledger_set(struct ledger *l, uint64_t ino, uint64_t bytes)
{
	struct ledger_entry *entry;

	if (l->n >= l->room / 2)
		grow(l);
	entry = find(l, ino);
	l->n += !entry->ino;
	l->used += bytes - entry->bytes;
	*entry = (struct ledger_entry){ino, bytes};
}

void ledger_drop(struct ledger *l, uint64_t ino)
{
	struct ledger_entry *hole = l->room ? find(l, ino) : NULL;
	uint64_t i;

	if (!hole || !hole->ino)
		return;
	l->used -= hole->bytes;
	l->n--;
	*hole = (struct ledger_entry){0};
	/* Entries that found that place taken stand behind it, and must not be cut off from it. */
	for (i = ((uint64_t)(hole - l->at) + 1) & (l->room - 1); l->at[i].ino;
		i = (i + 1) & (l->room - 1)) {
		struct ledger_entry moved = l->at[i];

		l->at[i] = (struct ledger_entry){0};
		*find(l, moved.ino) = moved;
	}
}

uint64_t ledger_left(const struct ledger *l)
{
	return l->used < l->limit ? l->limit - l->used : 0;
}
