/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_node: shared by the files of tmpl: the parsed template, and values while it runs. Nobody else includes
 * this.
 */
#pragma once

#include "tmpl.h"

enum node_kind {
	N_LIST,     /* kids */
	N_TEXT,     /* text */
	N_ACTION,   /* kid 0: pipe */
	N_PIPE,     /* names: declared variables; kids: commands */
	N_COMMAND,  /* kids: operands */
	N_FIELD,    /* names: A B of .A.B */
	N_VARIABLE, /* names: $x A B of $x.A.B */
	N_CHAIN,    /* kid 0: a parenthesised pipe; names: what follows it */
	N_IDENT,    /* text: a function */
	N_DOT,
	N_NIL,
	N_BOOL,
	N_NUMBER,
	N_STRING, /* text: its value; source: as it was written */
	N_IF,     /* kids: pipe, list, list or NULL */
	N_RANGE,
	N_WITH,
	N_TEMPLATE, /* text: name; kid 0: pipe or NULL */
	N_BREAK,
	N_CONTINUE,
};

struct node {
	enum node_kind kind;
	size_t pos; /* in the template's text */
	struct node **kids;
	size_t n;
	struct strv names;
	char *text; /* 0-terminated, but may hold zeros too */
	size_t len;
	char *source; /* numbers and strings as they were written */
	int64_t integer;
	double real, imaginary;
	bool is_real, is_complex, overflows, truth, assign; /* is_real: not an integer; assign: "=", not ":=" */
	struct node *older; /* the list of all nodes, to free them */
};

struct named {
	char *name;
	struct node *body;
};

struct tmpl {
	char *name, *text;
	struct node *all, *body;
	struct named *defs;
	size_t n_defs;
};

/* The lexer splits the whole text at once; the last token is TOK_EOF or TOK_ERROR. */
enum tok {
	TOK_EOF,
	TOK_ERROR, /* message in `note` */
	TOK_TEXT,
	TOK_OPEN,  /* {{ */
	TOK_CLOSE, /* }} */
	TOK_SPACE,
	TOK_IDENT,
	TOK_FIELD,
	TOK_VARIABLE,
	TOK_DOT,
	TOK_NIL,
	TOK_BOOL,
	TOK_NUMBER,
	TOK_CHAR,
	TOK_STRING, /* "..." */
	TOK_RAW,    /* `...` */
	TOK_PIPE,
	TOK_LPAREN,
	TOK_RPAREN,
	TOK_COMMA,
	TOK_ASSIGN,
	TOK_DECLARE,
	TOK_KEYWORD,
};

struct token {
	enum tok kind;
	size_t pos, len;
	char *note;
};

struct token *tmpl_lex(const char *text, size_t *n);
void tmpl_tokens_free(struct token *tokens, size_t n);

/* Constants. s: with its quotes. */
bool tmpl_unquote(const char *s, size_t len, struct buf *b);
/* s: without its underscores, which are where Go lets them be. */
bool tmpl_number(const char *s, struct node *n);
bool tmpl_underscores_fit(const char *s);

/* Appends the text of a node as it stands in Go's errors. */
void tmpl_node_string(const struct node *n, struct buf *out);
bool tmpl_is_function(const char *name);

enum val_kind {
	V_NONE,
	V_NIL,
	V_BOOL,
	V_INT,
	V_REAL,
	V_STRING,
	V_COMPLEX, /* r, and im */
	V_TIME,    /* s, as JSON has it */
	V_ARRAY,
	V_OBJECT,
	V_ROW
};

/* Borrowed: from the data, from the template, or from what the run keeps until its end. */
struct val {
	enum val_kind kind;
	bool b;
	int64_t i;
	double r, im;
	const char *s;
	size_t len;
	const json_t *j;     /* of arrays and objects; NULL is an empty one */
	bool is_struct;      /* an object: Go's struct, not a map */
	bool is_pointer;     /* a pointer to a struct */
	bool loose;          /* of Go's type interface {}, as it is from an untyped map or slice */
	enum tmpl_kind elem; /* of a typed map */
	const char *from;    /* the member that it was found in */
	const char *type;    /* Go's type, if it is known */
	const char *const *part; /* of a struct embedded in `from`: where its members begin in that one's order */
};

struct run {
	const struct tmpl *t;
	const struct tmpl_data *d;
	struct buf *out;
	struct err *e;
	const struct node *at; /* the node for errors */
	const char *name;      /* of the template that `at` is in */
	struct var {
		const char *name;
		struct val v;
	} * vars;
	size_t n_vars, cap_vars;
	json_t *pool; /* values that live until the end of the run */
	struct strv kept;
	size_t spent, steps;
	int depth;
	bool broke, continued;
};

struct val val_string(const char *s, size_t len);
struct val val_int(int64_t i);
struct val val_bool(bool b);
/* The value of a member or element `child` of `parent` (key NULL: an element). */
struct val val_child(
	const struct tmpl_data *d, const struct val *parent, const char *key, const json_t *child);
/* Names of Go's types whose values have methods. */
#define GO_DURATION "time.Duration"
#define GO_TIME     "time.Time"
#define GO_PORT     "nat.Port"
#define GO_NUMBER   "json.Number"
struct method_call {
	struct run *r;
	const struct go_method *m;
	const struct val *self, *args;
	struct val *out;
	struct buf *why;
};
struct go_method {
	const char *type; /* "*T": a method of pointers to T, and of values of T that have an address */
	const char *name;
	int (*call)(const struct method_call *c); /* -1: c->why has the error */
	const char *takes;                        /* a letter for each argument, see func_wants() */
	const char *word;                         /* for `call`, as is n */
	int64_t n;
};
const struct go_method *go_method(const struct val *v, const char *name);
extern const struct go_method go_time_methods[];
/* Values of type []uint8, which are printed as numbers. */
struct val val_bytes(struct run *r, const char *s, size_t len);
bool val_is_bytes(const struct val *v);
void val_add_bytes(const struct val *v, struct buf *out); /* appends the bytes themselves */
/* Appends what a method without arguments ("String") returns; false: the value has no such method. */
bool val_text(const struct val *v, const char *method, struct buf *out);
/* All members of a struct in order; NULL: not known. */
const char *const *val_order(const struct tmpl_data *d, const struct val *v);
#define GO_HEADER  "formatter.SubHeaderContext" /* the headings of a listing's columns */
#define GO_HEADERS "formatter.HeaderContext"    /* a member of every row */
/* The JSON name of a field of docker's structs, if it differs from Go's name; back: the other way round. NULL: it does not. */
const char *go_spelling(const char *name, bool back);
/* Whether the value is an embedded struct that has no such member itself, although the struct around it may. */
bool val_is_beside(const struct val *v, const char *key);
/* The struct embedded under that name, whose members are in the same JSON object. NULL: none; "": it is not exported. */
const char *val_embedded(struct run *r, const struct val *v, const char *name, struct val *out);
/* Stores the text of each number in j under the address of its value. */
void val_number_texts(const json_t *j, json_t *texts);
/* A key of a map as a value. */
struct val val_key(const struct val *map, const char *key);
/* Whether the struct behind a row has an unexported member of that name. */
bool tmpl_is_of_row(const struct tmpl_data *d, const char *name);
/* Whether it is a pointer, which Go prints as an address if it is a member of something. */
bool val_is_pointer(const struct val *v);
bool val_truth(const struct val *v);
const char *val_type(const struct val *v); /* Go's name of its type */
size_t val_len(const struct val *v);
/* The keys of an object in the order in which Go shows them; the caller frees the array. */
const char **val_keys(const struct val *v, bool sorted, size_t *n);

int run_error(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends the method's text, made valid UTF-8, as docker's comes from JSON. */
void method_text(const struct tmpl_method *m, void *self, const char *const *argv, struct buf *out);
/* Makes what `out` has from `from` on valid UTF-8. */
void mend_utf8(size_t from, struct buf *out);
/* The most bytes that a run may write, and that a value may have. */
#define TMPL_OUTPUT_MAX (64u << 20)
#define TMPL_TOO_MUCH   "too much output"
/* Whether to stop, as the output would be refused anyway. */
static inline bool is_too_much(const struct buf *out)
{
	return out->len > TMPL_OUTPUT_MAX;
}
/* A string value of s, which is freed at the end of the run. */
struct val run_keep(struct run *r, char *s, size_t len);
struct val run_keep_copy(struct run *r, const char *s, size_t len); /* s may contain zero bytes */
json_t *run_pool(struct run *r, json_t *j);

/* The arguments of a member, evaluated only if it turns out to be a method: the operands behind it in its command, and
 * the value that a pipe hands on (NULL: none). A NULL pointer to this: no arguments at all. */
struct run_behind {
	const struct val *dot;
	const struct node *cmd;
	const struct val *final;
};
size_t run_n_args(const struct run_behind *b);
/* The arguments' values; the caller frees the array. wants: as func_wants(). NULL: an error. */
struct val *run_args(struct run *r, const struct run_behind *b, const char *wants, size_t *n);
/* .A.B.C of the value `of`, beginning with names->v[first]; only the last name may take arguments. */
int run_chain(struct run *r, const struct val *of, const struct strv *names, size_t first,
	const struct run_behind *b, struct val *out);
/* Writes {{.Name}} of a row straight to the output, for most of a listing is made of these; false: the pipe is another. */
bool run_row_text(struct run *r, const struct val *dot, const struct node *pipe);

/* Go's fmt. */
void fmt_print(const struct tmpl_data *d, const struct val *v, struct buf *out);
/* The same for an argument of print or printf, where pointers are printed in another way. */
void fmt_print_argument(const struct tmpl_data *d, const struct val *v, struct buf *out); /* %v */
void fmt_printf(const struct tmpl_data *d, const char *fmt, size_t len, const struct val *args,
	size_t n, struct buf *out);
void fmt_quote(const char *s, size_t len, struct buf *out); /* %q */
/* Go's encoding/json. */
void fmt_json(const struct tmpl_data *d, const struct val *v, struct buf *out);

/* Functions other than and, or: the number of arguments is checked before they are evaluated, the type of each one after that. An
 * error in the call itself goes to why. */
int func_arity(struct run *r, const char *name, size_t given);
/* The types of a function's arguments, a letter for each, the last one for all that follow: 's'tring, 'i'nt, 'a' list of strings,
 * a 'd'uration, a 't'ime, its 'l'ocation, a 'r'estart policy, '.' anything. */
const char *func_wants(const struct run *r, const char *name);
/* Converts a value to the type of that letter; an error if it cannot. node: where it comes from; NULL: from a pipe. */
int func_fit(struct run *r, const struct node *node, char wants, struct val *v);
int func_call(struct run *r, const char *name, const struct val *args, size_t n, struct val *out,
	struct buf *why);
