/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard: the process between a client and the command that it exec'ed; outside the container's pid namespace, so that
 * nothing in the container can reach it. When the client dies, even by SIGKILL, the guard kills the whole tree of processes;
 * likewise when a limit of the exec is passed. If the user detaches by keys, the client sends the guard the terminal first,
 * and the tree goes on. When the command ends, its background processes stay, as with docker: they become pid 1's.
 */
#pragma once

#include "launch.h"

#include <sys/stat.h>
#include <sys/types.h>

struct guard {
	int64_t began;
	int self;         /* pidfd of the guard */
	pid_t shim;       /* parent of the command, in the container's pid namespace */
	int pidfd;        /* of the shim */
	int command;      /* pidfd of the command, or -1 */
	int talk[2];      /* sockets between guard and shim, which has the second */
	int machine_proc; /* shows everything, whatever is mounted in the container */
	int sock;         /* see launch_say.h */
	bool reached;     /* see become.h */
	int shared;       /* whether the command still runs in our memory: see sys_clone_vm() */
	struct stat tag; /* "ns/cgroup": a namespace that the exec's processes are in, and no others */
	int tag_ns;      /* it itself, until the client has it */
};

/* What the shim reports at the end. */
struct shim_report {
	int status;          /* the command's */
	struct rusage usage; /* of the command and all other processes that the shim waited for */
};

void guard_run(const struct launch_exec *l, const struct guard *g) __attribute__((noreturn));
