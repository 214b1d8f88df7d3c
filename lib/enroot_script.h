/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_script: the file of --conf, a bash script which may define environ(), mounts(), hooks() and rc().
 *
 * What pyxis writes is done here and costs nothing: a function whose lines are only
 *
 *	echo "TEXT"
 *	[ -n "${X-}" ] && echo "X=${X}" || :
 *	echo 'TEXT' > ${ENROOT_ROOTFS}/PATH
 *
 * with no other expansion than ${X}. All else is left to bash.
 */
#pragma once

#include "err.h"
#include "str.h"

struct enroot_script {
	char *path, *text;           /* NULL: there is none */
	char *cwd;                   /* where it runs */
	bool plain;                  /* needs no bash */
	bool environ, mounts, hooks; /* functions to call */
	char *rc;                    /* the body of that one, or NULL */
};

/* path NULL: no script. */
int enroot_script_read(const char *path, struct enroot_script *out, struct err *e);
void enroot_script_done(struct enroot_script *s);
/* What the functions print; nothing where there is none. */
int enroot_script_environ(const struct enroot_script *s, struct buf *out, struct err *e);
int enroot_script_mounts(const struct enroot_script *s, struct buf *out, struct err *e);
/* root: the container's, which ENROOT_ROOTFS in the environment names as well. */
int enroot_script_hooks(const struct enroot_script *s, int root, struct err *e);
/* The body of rc(), or NULL. The caller frees. */
char *enroot_script_rc(const struct enroot_script *s);

/* Pure: the output of function `name` into out, files written with > as "PATH\0TEXT" pairs into files
 * (NULL: not allowed). 1: done; 0: there is no such function; -1: only bash can tell. */
int enroot_script_simple(const char *text, const char *name, struct buf *out, struct strv *files);
