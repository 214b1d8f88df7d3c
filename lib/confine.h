/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine: restricts a process that reads untrusted bytes, once it has opened what it needs; or that others may trace.
 *
 * Each kind of such a process has a list of system calls that a seccomp filter allows; and no_new_privs. Any other call kills
 * the process (SIGSYS), except some that libraries merely try, which fail. No list allows connecting a socket, so there is no
 * network. Processes that write files by name are fenced by Landlock as well, if the kernel has it.
 *
 * This is inherited and cannot be undone. In a build with sanitizers, which make system calls of their own, a call that is not
 * on the list does not kill.
 */
#pragma once

#include "err.h"

enum confine {
	CONFINE_READER,  /* reads and writes open descriptors */
	CONFINE_CONVERT, /* and starts threads: makes a layer of an archive */
	CONFINE_SERVER,  /* and hands out mounts: the image server */
	CONFINE_UNPACK,  /* makes files below its root */
	CONFINE_IMPORT, /* makes files below the directories of confine_writes(), and starts the helper program */
	CONFINE_QUOTA, /* makes, reads, writes and removes files below its root */
	CONFINE_WAIT,  /* becomes another program, which waits and ends */
	CONFINE_KINDS
};

int confine(enum confine who, struct err *e);
/* Sets the error for a confined process `who` that ended without an answer; returns -1. status: from waitpid(). */
int confine_err(const char *who, int status, struct err *e);
/* Allows writing files below these directories only; does nothing on a kernel without Landlock. */
int confine_writes(const int *dirs, int n, struct err *e);
