/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_wait: waits for the next word of a process on its way into a container, but never without end.
 *
 * Until its exec that process is ours, and nobody of ours stops it. Whoever is in a pid namespace that it joins may: by kill(-1,
 * SIGSTOP), again and again. So what is found stopped is let go on, some times. A start that its user does not want any more ends
 * where it is stopped, or some time later, as it might be held up in another way (traced).
 */
#pragma once

#include "launch.h"

#include <stdbool.h>

struct launch_wait {
	const struct launch *container; /* whose layers' server is revived meanwhile; NULL: an exec */
	pid_t pid;                      /* the container's first process, or the guard of an exec */
	const char *name;               /* of the command */
	bool (*unwanted)(void *arg);    /* see launch.h; or NULL */
	void *arg;
};

enum launch_heard { LAUNCH_WORD, LAUNCH_LEFT, LAUNCH_HELD_UP };

/* LAUNCH_WORD: sock is readable. LAUNCH_LEFT: an exec whose client is about to end it, begun or not. LAUNCH_HELD_UP: with *e; of an
 * exec all but the guard was killed, which ends by that. */
enum launch_heard launch_wait(int sock, const struct launch_wait *w, struct err *e);
