/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine: what a process that reads a stranger's bytes may still do, once it has opened what it needs.
 *
 * A list of system calls, by seccomp, for each kind of such a process, and no privileges by exec. What is not on the
 * list ends the process at once (SIGSYS); what libraries merely try is refused. No list has a socket in it that could
 * be connected, so there is no network. Where files are written by name, Landlock fences them as well if
 * the kernel has it.
 *
 * It cannot be undone, and is inherited. In a build with sanitizers, which make calls of their own, the list
 * ends nobody.
 */
#pragma once

#include "err.h"

enum confine {
	CONFINE_READER,  /* reads and writes what it has open */
	CONFINE_CONVERT, /* and starts threads: an archive becomes a layer */
	CONFINE_SERVER,  /* the image server: and hands out mounts */
	CONFINE_UNPACK,  /* makes files below its root */
	CONFINE_IMPORT, /* makes files below the directories it may write to, and starts the helper program */
	CONFINE_QUOTA, /* makes, reads, writes and removes files below its root */
	CONFINE_KINDS
};

int confine(enum confine who, struct err *e);
/* How such a process ended that gave no answer, in words; -1. status: as waitpid() gives it. */
int confine_err(const char *who, int status, struct err *e);
/* Beneath these directories files may be written, elsewhere only read. A kernel without Landlock: nothing. */
int confine_writes(const int *dirs, int n, struct err *e);
