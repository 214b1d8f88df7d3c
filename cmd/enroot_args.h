/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_args: the grammar of enroot's command lines. It differs from docker's: options end at the first operand,
 * single letters cannot be combined, and mistakes are answered with the usage on standard output.
 */
#pragma once

#include "cmd.h"
#include "err.h"
#include "opt.h"
#include "str.h"

/* The options of all commands; a row has the offset of its member. */
struct args {
	char *arch, *output, *name, *conf, *rc, *target, *desc;
	struct strv env, mounts;
	bool force, fancy, root, rw, pid, net, ipc, uts, all, checksum;
	bool info, keep, quiet, verify, extract; /* only of bundles */
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
	/* NULL: a bundle, which goes by its own file name */
	int (*run)(const struct args *a, int argc, char **argv);
};

/* How many words were options; -1: a mistake; -2: help was asked for. */
int enroot_parse(const struct verb *v, int argc, char **argv, struct args *a);
/* Checks the syntax of --mount and --env. */
int enroot_check(const struct args *a, struct err *e);
int enroot_usage(const struct verb *v, int status); /* returns the exit status, as does the next */
int enroot_fail(const struct err *e);
/* status: of wait(), about the command. Returns its exit code; if it died of a signal, so does this process. */
int enroot_end_as(int status);
