/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl: Go's text/template, the language of docker's --format.
 *
 *	auto_tmpl struct tmpl *t = tmpl_parse("{{.Names}}", e);
 *	if (!t || tmpl_exec(t, &(struct tmpl_data){ .json = row }, &out, e) < 0)
 *		...
 *
 * The text need not be trusted: the depth of nesting, the steps of an execution and its output are bounded. Errors are Go's
 * sentences ("template: :1: unclosed action"), since clients match them; docker's words before them ("template
 * parsing error: ") are up to the caller.
 *
 * Data come in three forms, because Go's templates treat them differently:
 *   map     (.json with .fields NULL) a missing key gives "<no value>", or an error with .missing_is_error
 *   struct  (.json with .fields) an unknown member is an error; a member that .fields knows but the JSON lacks
 *           is Go's zero value; objects that .fields calls maps are maps of typed elements
 *   object  (.object) members are computed when they are asked for; methods take strings
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

struct tmpl;
struct tmpl *tmpl_parse(const char *text, struct err *e);
/* The same with a name for errors: "template: version:1: ...". */
struct tmpl *tmpl_parse_named(const char *name, const char *text, struct err *e);
void tmpl_free(struct tmpl *t);

static inline void auto_tmpl_(struct tmpl **t)
{
	tmpl_free(*t);
}
#define auto_tmpl __attribute__((cleanup(auto_tmpl_)))

struct tmpl_method {
	const char *name; /* NULL ends the rows */
	/* Adds the member's text to `out`. argv: `args` strings; NULL if args is 0. */
	void (*text)(void *self, const char *const *argv, struct buf *out);
	int args;
	const char *heading; /* the column's in a table; unused here */
	/* Instead of text(), for a member that is not a string: a new reference, never NULL. */
	json_t *(*value)(void *self, const char *const *argv);
};

struct tmpl_field;

struct tmpl_object {
	const char *type; /* Go's name of it, for errors: "*formatter.ContainerContext" */
	const struct tmpl_method *methods;
	void *self;
	/* The struct that is printed for {{.}}, a new reference; NULL: "{}" is printed. */
	json_t *(*whole)(void *self);
	const struct tmpl_field *fields; /* the types of that struct's members; there must be a row for `type` */
};

/* Go's kinds of types. A row of kind TMPL_STRUCT gives the member's type, but no zero value. */
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

/* A member whose Go type cannot be seen from its JSON: a map, or one that may be absent or null. */
struct tmpl_field {
	/* "Labels"; if the name alone is ambiguous "LogConfig.Config", or "network.Inspect.Created" with the type of the outermost
	 * struct. NULL ends the rows. */
	const char *name;
	enum tmpl_kind kind;
	enum tmpl_kind elem; /* of a TMPL_MAP: the kind of the zero value that a missing key gives */
	const char *type; /* Go's name of the type: "system.Commit", "*container.State", "[]mount.Mount" */
	/* All members of a struct in Go's order, with those that the JSON leaves out; NULL ends. Or NULL. If several rows have the
	 * same name, the one counts that has every member present. For the outermost struct, `name` is its type. The members of an
	 * embedded struct stand between "{container.Resources" and "}", of an embedded pointer between "(..." and ")". */
	const char *const *order;
};

struct tmpl_data {
	const json_t *json;
	const struct tmpl_object *object; /* instead of json */
	const struct tmpl_field *fields;
	const char *type; /* of a struct, for errors: "system.dockerInfo" */
	const char *const *optional; /* the only members of the outermost struct that the JSON may leave out, NULL ends; or NULL: any */
	bool missing_is_error; /* for maps */
	bool exact;            /* members of structs must have Go's names: ID, not Id */
	bool numbers;          /* numbers in maps are of Go's type json.Number */
	json_t *texts;         /* for tmpl_exec() itself */
	bool headings; /* for a table's first line: functions like json, upper, truncate return strings unchanged */
};

/* As with Go, what was written before an error stays in `out`. */
int tmpl_exec(const struct tmpl *t, const struct tmpl_data *d, struct buf *out, struct err *e);
/* Parses and executes a template, with `data` as maps. */
int tmpl_render(const char *text, const json_t *data, struct buf *out, struct err *e);
