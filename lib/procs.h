/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs: lists the processes of a container from our own /proc: without running any program of the image, and not deceived
 * by what the container mounts over its /proc.
 */
#pragma once

#include "err.h"
#include "state.h"

#include <stdint.h>
#include <sys/types.h>

/* From /proc/PID/stat. Times are in clock ticks, memory in bytes. */
struct proc {
	pid_t pid, ppid, pgrp, session;
	char comm[65];
	char state; /* R S D T Z ... */
	int tty, nice, priority, tpgid;
	int64_t threads;
	uint64_t user, system, start;
	uint64_t children; /* processor time of children that were waited for */
	uint64_t virtual, resident;
};

/* The processes in the pid namespace of the container's pid 1, and all descendants, oldest first. If the container shares
 * another's pid namespace: its pid 1 and descendants. Not running: ERR_CONFLICT. */
int procs_list(const struct state *st, struct proc **out, size_t *n, struct err *e);
/* Whether another container that runs is in its pid namespace: then procs_list() lists that one's processes, too. */
bool procs_are_shared(const struct store *s, const struct state *st);
/* Calls call() for each of its threads until one is false; false also if they cannot be listed. */
bool procs_each_thread(pid_t pid, bool (*call)(pid_t thread, void *arg), void *arg);
/* Whether the process is number 1 of its pid namespace, so that all processes in it are the container's; -1: errno. */
int procs_own_namespace(pid_t pid);
/* Whether we may look neither at its namespaces nor at its memory, although it is in a container of ours: so it is a process
 * of our own in there. (As root we may look at every process, and this is always false.) */
bool procs_is_hidden(pid_t pid);
/* Whether all its threads are exiting, or it is gone; if it is a pid 1, its whole namespace is being killed then. */
bool procs_is_leaving(pid_t pid);
/* Whether one of its threads sleeps where no signal reaches it at this moment. */
bool procs_is_stuck(pid_t pid);
/* Reads one process. False: with an errno of procs_gone() there is no such process, with another it cannot be read. */
bool procs_read(pid_t pid, struct proc *out);
/* Whether this errno means that a process has ended, and not that it cannot be read. */
bool procs_gone(int error);
/* Whether it means that a process has ended or is another user's; any other one leaves that unknown. */
bool procs_not_ours(int error);
/* Its arguments, separated by blanks; "[comm]" if it has none. The caller frees. NULL with errno. */
char *procs_command(const struct proc *p);
