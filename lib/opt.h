/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt: one row is the whole truth about an option: parsing, --help, shell completion and the check of the man pages
 * walk the same rows. The grammar is that of docker's command line: --name value, --name=value, -abc, -eVALUE,
 * -e=VALUE, --flag=false, "--" ends options; run, create and exec stop at the first operand, other
 * commands take options anywhere. Errors have docker's words.
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
	OPT_IS_LIST,    /* struct strv, each value is added */
	OPT_IS_CALL,    /* int (*call)(void *target, const char *value, struct err *) */
	OPT_IS_NOTHING, /* the value, if arg is not NULL, is ignored; no member at offset */
	OPT_TYPES
};

enum {
	OPT_HIDDEN = 1,     /* not in --help */
	OPT_NO_EFFECT = 2,  /* accepted; says once on standard error that it has no effect here */
	OPT_OURS = 4,       /* not docker's: listed apart in --help */
	OPT_DEPRECATED = 8, /* not in --help, warned of; help is "use --other instead" */
	OPT_SECONDS = 16,   /* a duration where a bare number means seconds */
	OPT_WINDOWS = 32, /* not in --help: docker's client parses it, but refuses it if the daemon does not run on Windows */
	OPT_EXPERIMENTAL = 64, /* likewise, if the daemon is not configured as experimental */
};
/* A further flag: docker's API has the option from 1.MINOR on, and docker's client refuses it for an older daemon. */
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
	const char *more;  /* a further paragraph of the help, with a newline at its end; or NULL */
	const char *aliases; /* all spellings: "docker container run, docker run"; NULL: name alone */
	const struct opt *opts; /* NULL: none */
	size_t target_size; /* of the struct that the options fill, which is zeroed, then init()ed; 0: none */
	void (*init)(void *target);
	int (*run)(void *target, int argc, char **argv); /* operands; returns the exit status */
	void (*done)(void *target);
	int min_args, max_args; /* max -1: any */
	bool stop_at_operand;
	size_t held; /* offset of a struct strv in the target for warnings about options without effect; 0: print them at once */
	bool verbatim; /* its arguments are another program's and are not parsed, except --help if it is refused */
	bool hidden;         /* not in the list of commands */
	const char *refusal; /* for a command that docker has and sbx has not: its error message */
	const struct command *members; /* for a group of such commands ("swarm init"); the last has no name */
	unsigned since; /* docker's API has the command from 1.since on; 0: every version */
	bool ours;      /* not docker's: usage is printed with our own name */
};

struct parsed {
	const char *api; /* set before opt_parse(): the API version that the client speaks; NULL: the newest */
	char **operands; /* NULL-terminated; the array is ours, the strings are argv's */
	int n;
	bool help;            /* --help came; what follows it was not parsed */
	struct strv warnings; /* whole lines for standard error */
	struct strv refused; /* likewise, about OPT_WINDOWS, OPT_EXPERIMENTAL and OPT_SINCE: the command must not run then */
};

void parsed_done(struct parsed *p);
#define auto_parsed __attribute__((cleanup(parsed_done)))

/* argv: without the command's own name. On failure (ERR_USAGE) target may be filled in part. */
int opt_parse(const struct command *c, int argc, char *const *argv, void *target,
	struct parsed *out, struct err *e);
/* Checks the number of operands. ERR_USAGE: "requires at least 1 argument", without the command's name. */
int opt_arity(const struct command *c, int n, struct err *e);

/* Whether that version of docker's API ("1.30"; NULL: the newest) is older than 1.since. What is not a number counts as 0, as in
 * docker's client. */
bool opt_api_lacks(const char *api, unsigned since);

/* The whole --help page, without the rows that the API version lacks. path: "docker run". */
void opt_help(const struct command *c, const char *path, const char *api, int columns, struct buf *out);
/* Selects the rows that have all flags of `with` and none of `without`, and that the API version has. */
struct opt_rows {
	unsigned with, without;
	const char *api;
};
/* Whether an earlier row has the same name: parsing takes the first one. */
bool opt_is_covered(const struct opt *rows, const struct opt *o);
/* The selected rows as a block of help, sorted and wrapped. */
void opt_help_rows(const struct opt *rows, const struct opt_rows *which, int columns, struct buf *out);
/* A line for each row, separated by tabs: command, letter, name, arg, flags, help (with blanks for newlines). */
void opt_dump(const char *command, const struct opt *rows, struct buf *out);
