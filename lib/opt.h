/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt: one row is the whole truth about an option. Parsing, --help, shell completion and the
 * man-page check walk the same rows. The grammar is that of docker's command line: --name value, --name=value,
 * -abc, -eVALUE, -e=VALUE, --flag=false, "--" ends options; run, create and exec stop at the
 * first operand, other commands take options anywhere.
 */
#pragma once

#include "err.h"
#include "str.h"

enum opt_type {
	OPT_FLAG,     /* bool at offset */
	OPT_STR,      /* char * at offset; the last one wins */
	OPT_INT,      /* int64_t */
	OPT_BYTES,    /* int64_t, "512m" */
	OPT_DURATION, /* int64_t in ns, "1m30s"; a bare number is refused unless the row says seconds */
	OPT_LIST,     /* struct strv, every one added */
	OPT_CALL,     /* int (*call)(void *target, const char *value, struct err *) */
};

enum {
	OPT_HIDDEN = 1,     /* not in --help */
	OPT_NO_EFFECT = 2,  /* accepted; says once on standard error that it has no effect here */
	OPT_OURS = 4,       /* not docker's: listed apart in --help */
	OPT_DEPRECATED = 8,
	OPT_SECONDS = 16,   /* a duration where a bare number means seconds */
};

struct opt {
	char letter;      /* 0: none */
	const char *name; /* NULL ends the rows */
	const char *arg;  /* docker's word for the value: "string", "list", "bytes"; NULL for a flag */
	const char *help; /* docker's sentence */
	enum opt_type type;
	size_t offset;
	int (*call)(void *target, const char *value, struct err *e);
	unsigned flags;
};

/* The row's place in its target, its type proved by the compiler. */
#define OPT_AT(type, target, member, want) \
	(offsetof(target, member) + 0 * sizeof((want *)0 == &((target *)0)->member)), NULL

struct command {
	const char *name;  /* "run", or "container ls" */
	const char *args;  /* "[OPTIONS] IMAGE [COMMAND] [ARG...]" */
	const char *about; /* "Create and run a new container from an image" */
	const char *aliases; /* "docker container run, docker run", or NULL */
	const struct opt *opts; /* NULL: none */
	size_t target_size; /* of the struct the options fill: zeroed, then `init` */
	void (*init)(void *target);
	int (*run)(void *target, int argc, char **argv); /* operands; returns the exit status */
	void (*done)(void *target);
	int min_args, max_args; /* max -1: any */
	bool stop_at_operand;
	int usage_status; /* exit status of usage errors: 125 for run and create-like, 1 else */
};
