/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hop: the step between this program and a container's command.
 *
 * While a process execs, /proc/self/exe is the program that it runs until then. A command, or the interpreter in its
 * first line, that is /proc/self/exe makes this program run in the container, as what anybody in there may open. If
 * its file is one that an id of the container's owns, it can be given other rights, and be written when nobody
 * runs it any more: that is the caller's own program, on the host. So where it could be, the last program before the
 * command is not this one but one of a few instructions (hop/program.c), in memory that is sealed and nobody else's.
 */
#pragma once

#include <stdbool.h>

#ifndef HOP_CLOSE_RANGE_CLOEXEC
#define HOP_CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#define HOP_FAILED 'h'

/* What it says when there is no command. */
struct hop_failed {
	char what;
	char there; /* a file of that name is */
	int sys;    /* errno */
	char path[600];
};

struct err;

/* Whether somebody inside could change this program. To be asked outside of the containers' user namespace, in which
 * every file of the machine's root belongs to nobody. */
bool hop_needed(void);
/* The program, for who execs soon: a descriptor, or -1. */
int hop_open(struct err *e);
/* execve() by way of it; sock: where to tell what comes of it (see launch_say.h); first: nobody was in the container before.
 * Returns only with an error, in errno. */
int hop_exec(int hop, int sock, bool first, const char *path, char *const *argv, char *const *env);
