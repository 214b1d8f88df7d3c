/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing: prints rows by --format, as every `docker X ls` does: "table ...", "json", "raw" or a template. A kind of
 * listing is a table of columns; a row is whatever the columns' functions take.
 *
 *	auto_listing struct listing l = { 0 };
 *	listing_begin(&l, &ps_rows, format);
 *	for each: listing_row(&l, &row, e)
 *	listing_end(&l, &out, e)
 *
 * If a row fails, nothing is written to `out`.
 */
#pragma once

#include "tmpl.h"

struct listing_kind {
	const char *type; /* Go's name of a row: "*formatter.ContainerContext" */
	const struct tmpl_method *columns;
	const char *table; /* without --format: "table {{.ID}}\t{{.Names}}" */
	const char *raw;   /* what --format raw stands for; NULL: it has no special meaning */
	/* See struct tmpl_object; may be NULL. */
	json_t *(*whole)(void *row);
	const struct tmpl_field *fields;
};

struct listing {
	const struct listing_kind *kind;
	struct tmpl *t;
	bool is_table, is_ours; /* ours: the default table, not a template, which may contain escape sequences */
	struct buf rows;
	struct err wrong; /* with the template */
};

/* format NULL or "": the default table. An error in the format ("template parsing error: ...") is not returned here but by the
 * next call, because docker's client asks the daemon first, whose errors come before. */
void listing_begin(struct listing *l, const struct listing_kind *k, const char *format);
/* -1 if there is an error in the format. */
int listing_check(const struct listing *l, struct err *e);
int listing_row(struct listing *l, void *row, struct err *e);
int listing_end(struct listing *l, struct buf *out, struct err *e);
void listing_done(struct listing *l);
#define auto_listing __attribute__((cleanup(listing_done)))

/* Labels ("K=V") as a column shows them: sorted, separated by commas. */
void listing_labels(const struct strv *labels, struct buf *out);
/* Appends the label's value; nothing if there is no such label. */
void listing_label(const struct strv *labels, const char *key, struct buf *out);
