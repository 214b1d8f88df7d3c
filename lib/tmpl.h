/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl: the template language of docker's --format, which is that of Go's text/template.
 *
 *	auto_tmpl struct tmpl *t = tmpl_parse("{{.Names}}", e);
 *	if (!t || tmpl_exec(t, &(struct tmpl_data){ .json = row }, &out, e) < 0)
 *		...
 *
 * Any text may be given: the depth of nesting, the steps of one execution and its output are bounded.
 * Errors carry Go's sentences ("template: :1: unclosed action"), since clients match them; what docker
 * writes before them ("template parsing error: ") is the caller's.
 *
 * A JSON object can be looked at in three ways, because Go's templates show the difference:
 *   map     (.fields NULL) a missing key gives "<no value>", or an error with .missing_is_error
 *   struct  (.fields set) a missing member is an error, an absent one that .fields knows is Go's zero
 *           value; objects in members which .fields calls maps are maps of typed elements
 *   object  (.object) members are computed when they are asked for; methods take strings
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

struct tmpl;
struct tmpl *tmpl_parse(const char *text, struct err *e);
/* The same with the name that errors carry: "template: version:1: ...". */
struct tmpl *tmpl_parse_named(const char *name, const char *text, struct err *e);
void tmpl_free(struct tmpl *t);

static inline void auto_tmpl_(struct tmpl **t)
{
	tmpl_free(*t);
}
#define auto_tmpl __attribute__((cleanup(auto_tmpl_)))

struct tmpl_method {
	const char *name; /* NULL ends the rows */
	/* Adds its text to `out`. argv has `args` strings; NULL where that is 0. */
	void (*text)(void *self, const char *const *argv, struct buf *out);
	int args;
	const char *heading; /* of the column in a table; unused here */
	/* Instead of text, for what is none: a new reference, never NULL. */
	json_t *(*value)(void *self, const char *const *argv);
};

struct tmpl_field;

struct tmpl_object {
	const char *type; /* Go's name of it, for errors: "*formatter.ContainerContext" */
	const struct tmpl_method *methods;
	void *self;
	/* What is printed of it as a whole: the struct behind it, a new reference, and what its members are, of which `type` is one;
	 * NULL: "{}". */
	json_t *(*whole)(void *self);
	const struct tmpl_field *fields;
};

/* TMPL_STRUCT: there or not there; a row of its kind only names its type. */
enum tmpl_kind {
	TMPL_PTR,
	TMPL_STRING,
	TMPL_INT,
	TMPL_BOOL,
	TMPL_SLICE,
	TMPL_MAP,
	TMPL_DURATION,
	TMPL_STRUCT
};

/* A member whose Go type its JSON does not show: a map, or something that may be absent or null. */
struct tmpl_field {
	/* "Labels", or "LogConfig.Config" where the name alone is not enough ("network.Inspect.Created" by the type of the
	 * outermost struct); NULL ends. */
	const char *name;
	enum tmpl_kind kind;
	enum tmpl_kind elem; /* what a missing key of a TMPL_MAP gives */
	const char *type; /* Go's name of it: "system.Commit", "*container.State", "[]mount.Mount" */
	/* All members, also those which its JSON leaves out, NULL ends; or NULL. Of several rows of a name the one that knows all
	 * which are there; of the outermost struct the name is its type. "{container.Resources" ... "}" stands around those of an
	 * embedded struct, "(" ... ")" around those of one that is a pointer. */
	const char *const *order;
};

struct tmpl_data {
	const json_t *json;
	const struct tmpl_object *object; /* instead of json */
	const struct tmpl_field *fields;
	const char *type; /* of a struct, for errors: "system.dockerInfo" */
	const char *const *optional; /* set: no member of the outermost struct but these may be left out, NULL ends */
	bool missing_is_error; /* of maps */
	bool exact;            /* a struct's members by Go's names alone: ID, and not Id */
	bool numbers;          /* of maps are Go's json.Number */
	json_t *texts;         /* tmpl_exec()'s own */
	bool headings; /* json, upper, truncate and so on pass strings on: for a table's first line */
};

/* What was written before an error stays in `out`, as with Go. */
int tmpl_exec(const struct tmpl *t, const struct tmpl_data *d, struct buf *out, struct err *e);
/* Parse and execute over maps. */
int tmpl_render(const char *text, const json_t *data, struct buf *out, struct err *e);
