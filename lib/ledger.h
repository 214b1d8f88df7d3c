/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger: what each file of a tree takes up on the disk, by inode, and the sum of it. Pure.
 *
 * The sum is always that of the entries: what is counted for a file when it goes is what was counted when it came, even
 * if the file system changed its mind between (blocks that are allocated late, or given back).
 */
#pragma once

#include <stdint.h>

struct ledger {
	uint64_t limit, used; /* bytes */
	struct ledger_entry {
		uint64_t ino; /* 0: free */
		uint64_t bytes;
	} * at;
	uint64_t n, room; /* entries; a power of two, or 0 */
};

void ledger_done(struct ledger *l);
#define auto_ledger __attribute__((cleanup(ledger_done)))
/* What inode `ino` takes up now. */
void ledger_set(struct ledger *l, uint64_t ino, uint64_t bytes);
void ledger_drop(struct ledger *l, uint64_t ino);
/* How many bytes may still come. */
uint64_t ledger_left(const struct ledger *l);
