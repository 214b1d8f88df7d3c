/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger: how many bytes of disk each file of a tree takes up, by inode, and their sum. Pure.
 *
 * The sum is always that of the entries: removing a file subtracts exactly what was counted for it, even if the file system
 * reports another size by then (blocks are allocated late, or freed).
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
/* Sets how much inode `ino` takes up now. */
void ledger_set(struct ledger *l, uint64_t ino, uint64_t bytes);
void ledger_drop(struct ledger *l, uint64_t ino);
/* How many bytes may still come. */
uint64_t ledger_left(const struct ledger *l);
