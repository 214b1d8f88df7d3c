/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_say: what a process on its way into a container sends to the process that started it, over a SEQPACKET socket:
 * descriptors, and a struct err if a phase fails. The socket is close-on-exec, so that its end of file means that the
 * command runs.
 */
#pragma once

#include "launch.h"

enum { SAY_ERROR = 'e', SAY_PTY = 't', SAY_INSIDE = 'i', SAY_BORN = 'b' };

void launch_say(int sock, char what, const int *fds, int n);
void __attribute__((noreturn)) launch_say_err(int sock, const struct err *e);
/* The same of become(): see there for `reached`, which may be NULL. */
void __attribute__((noreturn)) launch_say_last(int sock, const struct err *e, bool *reached);
/* That a process ended without having reached its end. */
int launch_refused(const char *name, struct err *e);
void launch_say_refused(int sock, const char *name);
/* The error, in docker's words, for the exec of the command `name`, found as `path`, that failed with errno `sys`. */
int launch_exec_err(const char *name, const char *path, int sys, bool there, struct err *e);
/* Puts docker's words around an error that its runtime gives, too, at a start or exec. Returns the exit code that the state of a
 * container shows that could not be started. */
int launch_words(bool exec, struct err *e);
/* The first word of the process in between that makes the container's first process as a child of its own parent; or an error. */
void launch_say_born(int sock, pid_t pid, int pidfd);
int launch_hear_born(
	int sock, const struct launch *l, pid_t between, struct launched *out, struct err *e);
/* Reads until the child has exec'ed (0) or told why it cannot (-1). l: for a container; x: for an exec; the other is NULL. */
int launch_listen(int sock, const struct launch *l, const struct launch_exec *x,
	struct launched *out, struct err *e);
