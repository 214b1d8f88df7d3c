/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_parts: what the files of top share: the options of ps and the table (top.c), what stands in a column
 * (top_cells.c). Nobody else includes this.
 */
#pragma once

#include "top.h"

#include "procs.h"

#include <time.h>

/* What is the same for all rows. */
struct view {
	double now;   /* seconds since the machine started */
	time_t clock; /* the same as a time of day */
	long hz;
	double memory; /* of the machine */
};

struct entry {
	const struct proc *p;
	const struct view *v;
	uid_t uid;      /* inside */
	bool wide_time; /* as ps -ef shows it, not as ps aux */
};

/* Of a column of ps. cell: of one process; the caller frees. */
struct column {
	const char *key, *title;
	char *(*cell)(const struct entry *r);
};

const struct column *top_column(const char *key); /* NULL: ps may know it */
char *top_cell_uid(const struct entry *r);
char *top_cell_user(const struct entry *r);
