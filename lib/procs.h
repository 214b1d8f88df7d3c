/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs: the processes of a container, read from our own /proc: nothing of the image runs for it, and
 * nothing that the container mounts over its /proc deceives it.
 */
#pragma once

#include "err.h"
#include "state.h"

#include <stdint.h>
#include <sys/types.h>

/* What /proc/PID/stat tells. Times are in ticks of the clock, memory in bytes. */
struct proc {
	pid_t pid, ppid, pgrp, session;
	char comm[65];
	char state; /* R S D T Z ... */
	int tty, nice, priority, tpgid;
	int64_t threads;
	uint64_t user, system, start;
	uint64_t children; /* time of those which have ended and were waited for */
	uint64_t virtual, resident;
};

/* Those in the pid namespace of its pid 1, and those which came of them; oldest first. Where the container
 * shares somebody else's pid namespace: its pid 1 and what came of it. Not running: ERR_CONFLICT. */
int procs_list(const struct state *st, struct proc **out, size_t *n, struct err *e);
/* Whether it is number 1 in its pid namespace, so all in there is the container's; -1: errno says why that is not known. */
int procs_own_namespace(pid_t pid);
/* Neither its namespaces nor its memory are to be looked at, though whoever is in a container of ours is: a process of our
 * own in there. (Where we are root, there is none.) */
bool procs_is_hidden(pid_t pid);
/* None of its threads comes back to the program, or it is gone: of a pid 1, all in its namespace is being killed. */
bool procs_is_leaving(pid_t pid);
/* One process. False: there is none, or errno is not one of procs_gone(). */
bool procs_read(pid_t pid, struct proc *out);
/* Whether errno says that a process has ended, and not that it cannot be asked. */
bool procs_gone(int error);
/* Its arguments, blanks between, "[comm]" where there are none; the caller frees. NULL with errno. */
char *procs_command(const struct proc *p);
