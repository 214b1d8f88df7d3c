/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_say: what a process on its way into a container says to the one which started it, over a SEQPACKET
 * socket: descriptors and, when a phase fails, one struct err. The socket is close-on-exec, so that
 * end of file means that the command runs.
 */
#pragma once

#include "launch.h"

enum { SAY_ERROR = 'e', SAY_PTY = 't', SAY_INSIDE = 'i' };

void launch_say(int sock, char what, const int *fds, int n);
void __attribute__((noreturn)) launch_say_err(int sock, const struct err *e);
/* In docker's words: exec of the command `name`, found as `path`, failed with `sys`. */
int launch_exec_err(const char *name, const char *path, int sys, bool there, struct err *e);
/* Puts docker's words around what its runtime refuses too, of a start or of an exec. Returns what the state of a container
 * that could not be started has for an exit code. */
int launch_words(bool exec, struct err *e);
/* Reads until the child has exec'ed (0) or told why not (-1). l: of a container that is made; or NULL. */
int launch_listen(int sock, const struct launch *l, const struct plan *p, struct launched *out,
	struct err *e);
