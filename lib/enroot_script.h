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
 * with no other expansion than ${X}. bash runs any other script.
 */
#pragma once

#include "err.h"
#include "str.h"

struct enroot_script {
	char *path, *text;           /* NULL: there is none */
	char *cwd;                   /* where it runs */
	bool plain;                  /* needs no bash */
	bool environ, mounts, hooks; /* which functions it defines */
	char *rc;                    /* the body of rc(), or NULL */
};

/* path NULL: no script. */
int enroot_script_read(const char *path, struct enroot_script *out, struct err *e);
void enroot_script_done(struct enroot_script *s);
/* What the function prints; nothing if it is not defined. */
int enroot_script_environ(const struct enroot_script *s, struct buf *out, struct err *e);
int enroot_script_mounts(const struct enroot_script *s, struct buf *out, struct err *e);
/* root: the container's, which ENROOT_ROOTFS in the environment names, too. */
int enroot_script_hooks(const struct enroot_script *s, int root, struct err *e);
/* The body of rc(), or NULL. The caller frees. */
char *enroot_script_rc(const struct enroot_script *s);

/* Interprets the function `name`: its output goes to out, files written by > go to files as pairs "PATH\0TEXT" (NULL: writing
 * is not allowed). 1: done; 0: there is no such function; -1: it takes bash. Pure. */
int enroot_script_simple(const char *text, const char *name, struct buf *out, struct strv *files);
