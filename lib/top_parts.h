/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_parts: shared by the files of top: the options of ps and the table (top.c), the cells of its columns (top_cells.c).
 * Nobody else includes this.
 */
#pragma once

#include "top.h"

#include "procs.h"

#include <time.h>

/* What is the same for all rows. */
struct view {
	double now;   /* seconds since the machine started */
	time_t clock; /* the same moment as Unix time */
	long hz;
	double memory; /* of the machine */
};

struct entry {
	const struct proc *p;
	const struct view *v;
	uid_t id;       /* inside: the user's, or for top_cell_gid() and _group() the group's */
	bool wide_time; /* show times like ps -ef, not like ps aux */
};

/* A column of ps. cell: gives the text for a process; the caller frees. */
struct column {
	const char *key, *title;
	char *(*cell)(const struct entry *r);
};

const struct column *top_column(const char *key); /* NULL: not implemented here, but ps may know it */
char *top_cell_uid(const struct entry *r);
char *top_cell_user(const struct entry *r);
char *top_cell_gid(const struct entry *r);
char *top_cell_group(const struct entry *r);
