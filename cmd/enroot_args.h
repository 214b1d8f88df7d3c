/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_args: the grammar of enroot's command lines. It is not docker's: options end at the first operand,
 * letters are never joined, what is wrong gets the usage on standard output.
 */
#pragma once

#include "cmd.h"
#include "err.h"
#include "opt.h"
#include "str.h"

/* One set for all commands: an option's place is its offset. */
struct args {
	char *arch, *output, *name, *conf, *rc, *target, *desc;
	struct strv env, mounts;
	bool force, fancy, root, rw, pid, net, ipc, uts, all, checksum;
	bool info, keep, quiet, verify, extract; /* a bundle's own */
};

void enroot_args_done(struct args *a);
#define auto_args __attribute__((cleanup(enroot_args_done)))

enum kind { FLAG, TEXT, LIST };

struct row {
	char letter;
	const char *name, *value, *about;
	size_t at;
	enum kind kind;
};
#define IS_FLAG(T, member) MEMBER_AT(T, member, bool), FLAG
#define IS_TEXT(T, member) MEMBER_AT(T, member, char *), TEXT
#define IS_LIST(T, member) MEMBER_AT(T, member, struct strv), LIST

struct verb {
	const char *name, *args, *about;
	const struct row *rows;
	int min, max; /* operands; -1: any number */
	/* NULL: of a bundle, which has a name of its own */
	int (*run)(const struct args *a, int argc, char **argv);
};

/* How many words were options; -1: wrong, -2: help is wanted. */
int enroot_parse(const struct verb *v, int argc, char **argv, struct args *a);
/* The forms of --mount and --env. */
int enroot_check(const struct args *a, struct err *e);
int enroot_usage(const struct verb *v, int status); /* both give the exit status */
int enroot_fail(const struct err *e);
/* The status for how a command ended, as wait() has it; by a signal, so do we. */
int enroot_end_as(int status);
