/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck_list: what a listing says of all things of a kind, in one file (deck_file): with thousands, opening files for
 * each is nearly all that a listing does. The things appear and go by renames, links and removals in one directory or
 * two: as long as the kernel describes these as it did before they were read, the file says what they hold. It is kept
 * only when they had not been changed for so long that a change meanwhile must bear another time.
 *
 *	int64_t began = sys_now_ns();
 *	bool known = deck_list_sign(s, &kind, &sign);
 *
 *	if (known && deck_list_open(s, &kind, &sign, &d))
 *		while (...) deck_next(&d) ...
 *	else read them all; and if there are many,
 *		if (known && deck_list_begin(s, &kind, &sign, began, &p))
 *			for each: deck_put(&p, ...);
 *			deck_list_end(&p)
 */
#pragma once

#include "deck_file.h"

enum { DECK_MANY = 128 }; /* so many are worth a file */

struct deck_kind {
	const char *file;
	uint64_t form;       /* another one whenever what is put changes */
	const char *dirs[2]; /* of the store; the second may be NULL */
};

struct deck_sign {
	uint64_t inode[2];
	struct timespec changed[2];
};

/* To be asked before anything is read. False: there is none. */
bool deck_list_sign(const struct store *s, const struct deck_kind *k, struct deck_sign *out);

struct deck_text {
	char *text;
	const char *at, *end; /* a 0 stands at the end */
};

/* False: there is no file of this sign. */
bool deck_list_open(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	struct deck_text *out);
void deck_list_close(struct deck_text *d);
#define auto_deck_text __attribute__((cleanup(deck_list_close)))

/* What was put, in its order. At the end: "". */
const char *deck_next(struct deck_text *d);
char *deck_next_copy(struct deck_text *d); /* NULL for "" */
int64_t deck_next_number(struct deck_text *d);
void deck_next_list(struct deck_text *d, struct strv *out);

struct deck_pen {
	const struct store *s;
	const struct deck_kind *kind;
	int fd;
	struct buf body;
};

/* False: somebody else is about it, or the directories were changed lately. Else deck_list_end() must follow. */
bool deck_list_begin(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	int64_t began_ns, struct deck_pen *out);
void deck_put(struct deck_pen *p, const char *text); /* NULL is "" */
void deck_put_part(struct deck_pen *p, const char *text, size_t n);
void deck_put_number(struct deck_pen *p, int64_t n);
void deck_put_list(struct deck_pen *p, const struct strv *list);
void deck_list_end(struct deck_pen *p);
