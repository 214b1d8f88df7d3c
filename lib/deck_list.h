/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck_list: what a listing shows of all objects of a kind, cached in one file (deck_file), as with thousands of objects a
 * listing takes its time opening their files. Objects appear and disappear by renames, links and removals in one or two
 * directories: the file is valid as long as their inodes and ctimes are those from before the objects were read. It is written
 * only if the directories were unchanged for so long that a change meanwhile must have got another ctime.
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

enum { DECK_MANY = 128 }; /* from this number of objects on a file pays */

struct deck_kind {
	const char *file;
	uint64_t form;       /* to be changed with the fields that are put */
	const char *dirs[2]; /* the objects' directories in the store; the second may be NULL */
};

struct deck_sign {
	uint64_t inode[2];
	struct timespec changed[2];
};

/* To be called before anything is read. False: there is no sign, so there can be no file. */
bool deck_list_sign(const struct store *s, const struct deck_kind *k, struct deck_sign *out);

struct deck_text {
	char *text;
	const char *at, *end; /* a 0 stands at the end */
};

/* False: there is no file with this sign. */
bool deck_list_open(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	struct deck_text *out);
void deck_list_close(struct deck_text *d);
#define auto_deck_text __attribute__((cleanup(deck_list_close)))

/* What was put, in the same order; "" at the end. */
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

/* True: deck_list_end() must follow. False: another process is writing the file, or the directories were changed recently. */
bool deck_list_begin(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	int64_t began_ns, struct deck_pen *out);
void deck_put(struct deck_pen *p, const char *text); /* NULL is "" */
void deck_put_part(struct deck_pen *p, const char *text, size_t n);
void deck_put_number(struct deck_pen *p, int64_t n);
void deck_put_list(struct deck_pen *p, const struct strv *list);
void deck_list_end(struct deck_pen *p);
