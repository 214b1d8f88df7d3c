/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hop: a tiny program between this one and a container's command, so that the container cannot get at our executable.
 *
 * During exec, /proc/self/exe is still the program that calls it. A command, or a "#!" interpreter, that is a link to
 * /proc/self/exe makes this very program run in the container, where others can then open its file. If the file belongs to
 * an id of the container, they can change its mode and write to it once nobody runs it: a file of the caller's on the host
 * (CVE-2019-5736 was such an attack). So where that is possible, the last program before the command is not this one but
 * a few instructions (hop/program.c) in a sealed memory file.
 *
 * Without arguments the program waits and ends: a process of which others may see all, as nothing of ours is left in it.
 */
#pragma once

#include <stdbool.h>

#ifndef HOP_CLOSE_RANGE_CLOEXEC
#define HOP_CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#define HOP_FAILED 'h'

/* What the hop program reports if the exec fails. */
struct hop_failed {
	char what;
	char there; /* whether a file of that name exists */
	int sys;    /* errno */
	char path[600];
};

struct err;

/* Whether a process inside could change this program's file. To be called outside the containers' user namespace, in which
 * the machine root's files seem to belong to nobody. */
bool hop_needed(void);
/* A descriptor of the hop program, for hop_exec(); or -1. */
int hop_open(struct err *e);
/* Becomes the hop program, which does nothing, has no variables, and ends with its input. Returns only on failure, with errno. */
int hop_wait(int hop);
/* execve() through the hop program. sock: to which it reports (see launch_say.h); it must not close on exec. first: the
 * container had no process before. Returns only on failure, with errno. */
int hop_exec(int hop, int sock, bool first, const char *path, char *const *argv, char *const *env);
