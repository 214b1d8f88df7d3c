/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_script: the file of --conf, a bash script which may define environ(), mounts(), hooks() and rc().
 *
 * The scripts that pyxis (Slurm's plugin) writes are interpreted here, which saves starting bash: functions that consist of only
 *
 *	echo "TEXT"
 *	[ -n "${X-}" ] && echo "X=${X}" || :
 *	echo 'TEXT' > ${ENROOT_ROOTFS}/PATH
 *
 * with no other expansion than ${X}. bash runs any other script: it is sourced once, and its functions are called in the order in
 * which they are asked for here.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <sys/types.h>

/* The bash that does it (enroot_shell.c). */
struct enroot_shell {
	const char *script;
	pid_t pid; /* 0: it has ended */
	int pidfd, ask, answer, said;
	struct strv before; /* the environment */
	bool begun;
};

struct enroot_script {
	char *path, *text;           /* NULL: there is none */
	char *cwd;                   /* where it runs */
	bool plain;                  /* needs no bash */
	bool environ, mounts, hooks; /* which functions it defines */
	const struct strv *words;    /* its arguments */
	struct enroot_shell shell;
};

/* path NULL: no script. words: the container's command, which must last. */
int enroot_script_read(
	const char *path, const struct strv *words, struct enroot_script *out, struct err *e);
void enroot_script_done(struct enroot_script *s);
/* Between these the environment has what the script exports. */
int enroot_script_begin(struct enroot_script *s, struct err *e);
int enroot_script_end(struct enroot_script *s, struct err *e);
/* What the function prints; nothing if it is not defined. */
int enroot_script_environ(struct enroot_script *s, struct buf *out, struct err *e);
int enroot_script_mounts(struct enroot_script *s, struct buf *out, struct err *e);
/* root: the container's, which ENROOT_ROOTFS in the environment names, too. */
int enroot_script_hooks(struct enroot_script *s, int root, struct err *e);
/* *out: the body of rc(), or NULL. The caller frees. */
int enroot_script_rc(struct enroot_script *s, char **out, struct err *e);

/* Interprets the function `name`: its output goes to out, files written by > go to files as pairs "PATH\0TEXT" (NULL: writing
 * is not allowed). out NULL: only looks whether it could. 1: done; 0: there is no such function; -1: it takes bash. Pure. */
int enroot_script_simple(const char *text, const char *name, struct buf *out, struct strv *files);
