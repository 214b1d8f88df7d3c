/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt: one row is the whole truth about an option. Parsing, --help, shell completion and the
 * man-page check walk the same rows. The grammar is that of docker's command line: --name value, --name=value,
 * -abc, -eVALUE, -e=VALUE, --flag=false, "--" ends options; run, create and exec stop at the
 * first operand, other commands take options anywhere. Errors have docker's words.
 *
 *	static const struct opt rows[] = {
 *		{ 'a', "all",   NULL,  "Show all containers", OPT_FLAG(struct ps_args, all) },
 *		{ 'n', "last",  "int", "Show n last ...",     OPT_INT(struct ps_args, last) },
 *		{ 0 },
 *	};
 *
 * The order of rows does not matter: help sorts them by name.
 */
#pragma once

#include "err.h"
#include "str.h"

enum opt_type {
	OPT_IS_FLAG,   /* bool at offset */
	OPT_IS_STR,    /* char * at offset; the last one wins */
	OPT_IS_INT,    /* int64_t, in Go's spelling: 10, -1, 0x10, 1_000 */
	OPT_IS_UINT16, /* int64_t, 0 to 65535 */
	OPT_IS_BYTES,  /* int64_t, "512m" */
	OPT_IS_DURATION, /* int64_t in ns, "1m30s"; a bare number is refused unless the row says seconds */
	OPT_IS_LIST, /* struct strv, every one added */
	OPT_IS_CALL, /* int (*call)(void *target, const char *value, struct err *) */
	OPT_IS_NOTHING, /* a value (or none where arg is NULL) is taken and forgotten: nothing at offset */
	OPT_TYPES
};

enum {
	OPT_HIDDEN = 1,     /* not in --help */
	OPT_NO_EFFECT = 2,  /* accepted; says once on standard error that it has no effect here */
	OPT_OURS = 4,       /* not docker's: listed apart in --help */
	OPT_DEPRECATED = 8, /* not in --help, warned of; help is "use --other instead" */
	OPT_SECONDS = 16,   /* a duration where a bare number means seconds */
	OPT_WINDOWS = 32, /* not in --help: docker's client parses it, and refuses it for every other system */
	OPT_EXPERIMENTAL = 64, /* the same, where the daemon's settings do not allow it */
};
/* One more of the flags: docker's API has it from 1.MINOR on, and docker's client refuses it to an older one. */
#define OPT_SINCE(minor) ((unsigned)(minor) << 8)

struct opt {
	char letter;      /* 0: none */
	const char *name; /* NULL ends the rows */
	const char *arg; /* docker's word for the value: "string", "list", "bytes"; NULL for a flag */
	const char *help; /* docker's sentence */
	enum opt_type type;
	size_t offset;
	int (*call)(void *target, const char *value, struct err *e);
	unsigned flags;
};

/* A row's type, its place in the target struct T, and no function. */
#define OPT_FLAG(T, member)     OPT_IS_FLAG, MEMBER_AT(T, member, bool), NULL
#define OPT_STR(T, member)      OPT_IS_STR, MEMBER_AT(T, member, char *), NULL
#define OPT_INT(T, member)      OPT_IS_INT, MEMBER_AT(T, member, int64_t), NULL
#define OPT_UINT16(T, member)   OPT_IS_UINT16, MEMBER_AT(T, member, int64_t), NULL
#define OPT_BYTES(T, member)    OPT_IS_BYTES, MEMBER_AT(T, member, int64_t), NULL
#define OPT_DURATION(T, member) OPT_IS_DURATION, MEMBER_AT(T, member, int64_t), NULL
#define OPT_LIST(T, member)     OPT_IS_LIST, MEMBER_AT(T, member, struct strv), NULL
#define OPT_CALL(function)      OPT_IS_CALL, 0, function
#define OPT_NOTHING()           OPT_IS_NOTHING, 0, NULL

struct command {
	const char *name;  /* "run", or "container inspect" */
	const char *args;  /* "[OPTIONS] IMAGE [COMMAND] [ARG...]" */
	const char *about; /* "Create and run a new container from an image" */
	const char *more; /* what the help says below that, with a newline at its end; NULL: nothing */
	const char *aliases; /* all spellings: "docker container run, docker run"; NULL: name alone */
	const struct opt *opts; /* NULL: none */
	size_t target_size;     /* of the struct the options fill: zeroed, then `init`; 0: none */
	void (*init)(void *target);
	int (*run)(void *target, int argc, char **argv); /* operands; returns the exit status */
	void (*done)(void *target);
	int min_args, max_args; /* max -1: any */
	bool stop_at_operand;
	size_t held; /* offset of a struct strv in the target: what has no effect, for the command to say; 0: said at once */
	bool verbatim; /* its words are another program's: none is looked at, but --help where it is refused */
	bool hidden;         /* not in the list of commands */
	const char *refusal; /* a command that docker has and we have not: all it does is say this */
	const struct command *members; /* where that is several: these, "swarm init"; the last has no name */
	unsigned since;                /* docker's API has it from 1.since on; 0: all of them */
	bool ours;                     /* not docker's: usage is printed with our own name */
};

struct parsed {
	const char *api; /* before opt_parse(): the version that the client speaks; NULL: the newest */
	char **operands; /* NULL-terminated; the array is ours, the strings are argv's */
	int n;
	bool help;            /* --help was met; the rest was not read */
	struct strv warnings; /* whole lines for standard error */
	struct strv refused; /* the same of OPT_WINDOWS, OPT_EXPERIMENTAL and OPT_SINCE: nothing is to be done then */
};

void parsed_done(struct parsed *p);
#define auto_parsed __attribute__((cleanup(parsed_done)))

/* argv without the command's own name. Fills target; on failure (ERR_USAGE) target may be filled in part. */
int opt_parse(const struct command *c, int argc, char *const *argv, void *target,
	struct parsed *out, struct err *e);
/* Is the count of operands right? ERR_USAGE, "requires at least 1 argument" (without the command). */
int opt_arity(const struct command *c, int n, struct err *e);

/* Is that version of docker's API ("1.30"; NULL: the newest) from before 1.since? Docker's client takes what is no number for 0. */
bool opt_api_lacks(const char *api, unsigned since);

/* The whole --help page. path: "docker run"; without the rows that the API lacks. */
void opt_help(const struct command *c, const char *path, const char *api, int columns, struct buf *out);
/* Which rows: those that have all of `with` and none of `without`, and that the API has. */
struct opt_rows {
	unsigned with, without;
	const char *api;
};
/* The first row of a name is the one that is read: a part of a table has other words for the same. */
bool opt_is_covered(const struct opt *rows, const struct opt *o);
/* A block of them, sorted and wrapped. */
void opt_help_rows(const struct opt *rows, const struct opt_rows *which, int columns, struct buf *out);
/* One line a row: command, letter, name, arg, flags, help; tabs between, newlines in help as blanks. */
void opt_dump(const char *command, const struct opt *rows, struct buf *out);
