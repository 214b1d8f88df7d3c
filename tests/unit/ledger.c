/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include "auto.h"
#include "tap.h"

#define FILES 5000

/* Some numbers that look like an inode's, many of them neighbours. */
static uint64_t ino_of(uint64_t i)
{
	return 1 + (i % 2 ? i : i * 4096);
}

static uint64_t sum_of(const struct ledger *l)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < l->room; i++)
		sum += l->at[i].bytes;
	return sum;
}

static void simple(void)
{
	auto_ledger struct ledger l = {.limit = 100000};

	is_int((int64_t)ledger_left(&l), 100000, "an empty ledger leaves everything");
	ledger_drop(&l, 7);
	ledger_set(&l, 7, 4096);
	ledger_set(&l, 8, 8192);
	is_int((int64_t)l.used, 12288, "what files take up is added");
	ledger_set(&l, 7, 0);
	is_int((int64_t)l.used, 8192, "a file that shrinks takes up less");
	ledger_set(&l, 8, 120000);
	is_int((int64_t)ledger_left(&l), 0, "beyond the limit nothing is left");
	ledger_drop(&l, 8);
	ledger_drop(&l, 8);
	is_int((int64_t)l.used, 0, "a file that goes takes with it what was counted, and once");
}

static void many(void)
{
	auto_ledger struct ledger l = {.limit = UINT64_MAX};
	uint64_t want = 0;

	for (uint64_t i = 0; i < FILES; i++)
		ledger_set(&l, ino_of(i), i);
	for (uint64_t i = 0; i < FILES; i += 3)
		ledger_drop(&l, ino_of(i));
	for (uint64_t i = 1; i < FILES; i += 3)
		ledger_set(&l, ino_of(i), 2 * i);
	for (uint64_t i = 0; i < FILES; i++)
		want += i % 3 == 0 ? 0 : i % 3 == 1 ? 2 * i : i;
	is_int((int64_t)l.used, (int64_t)want, "the sum of thousands is right after removals");
	is_int((int64_t)sum_of(&l), (int64_t)want, "and is that of the entries");
	is_int((int64_t)l.n, FILES - (FILES + 2) / 3, "each has one entry");
	for (uint64_t i = 0; i < FILES; i++)
		ledger_drop(&l, ino_of(i));
	is_int((int64_t)l.used, 0, "nothing is left of them");
	is_int((int64_t)l.n, 0, "not one entry");
}

int main(void)
{
	simple();
	many();
	return done_testing();
}
