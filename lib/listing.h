/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing: rows by --format, as every `docker X ls` has it: "table ...", "json", "raw" or a template. A
 * kind of rows is a table of columns; a row is whatever their functions take.
 *
 *	auto_listing struct listing l = { 0 };
 *	listing_begin(&l, &ps_rows, format);
 *	for each: listing_row(&l, &row, e)
 *	listing_end(&l, &out, e)
 *
 * Nothing reaches `out` when a row fails.
 */
#pragma once

#include "tmpl.h"

struct listing_kind {
	const char *type; /* Go's name of a row: "*formatter.ContainerContext" */
	const struct tmpl_method *columns;
	const char *table; /* without --format: "table {{.ID}}\t{{.Names}}" */
	const char *raw;   /* --format raw, or NULL: a word like any other */
	/* As in struct tmpl_object, or NULL. */
	json_t *(*whole)(void *row);
	const struct tmpl_field *fields;
};

struct listing {
	const struct listing_kind *kind;
	struct tmpl *t;
	bool is_table, is_ours; /* ours: the table as it comes, of no template that may have colours in it */
	struct buf rows;
	struct err wrong; /* with the template */
};

/* format NULL or "": the table. One that makes no sense is told by what comes next, in docker's sentence: "template parsing error:
 * ...". Before that its client has asked the daemon, which may have refused more. */
void listing_begin(struct listing *l, const struct listing_kind *k, const char *format);
/* Whether it makes sense: 0, or -1. */
int listing_check(const struct listing *l, struct err *e);
int listing_row(struct listing *l, void *row, struct err *e);
int listing_end(struct listing *l, struct buf *out, struct err *e);
void listing_done(struct listing *l);
#define auto_listing __attribute__((cleanup(listing_done)))

/* Labels ("K=V") as a column has them: sorted, with commas. */
void listing_labels(const struct strv *labels, struct buf *out);
/* What the label says; nothing of one that is not there. */
void listing_label(const struct strv *labels, const char *key, struct buf *out);
