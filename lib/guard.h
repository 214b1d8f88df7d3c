/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard: the process between a client and what it exec'ed, outside of the container's pid namespace where nothing in it
 * reaches it. When the client dies, even by SIGKILL, the lifeline breaks and the whole tree goes; so it does when a limit
 * of the exec's is passed. A client whose user lets go by keys sends the terminal first: then the tree lives on. When the command ends, what it left in the background stays, as with docker: it
 * becomes pid 1's.
 */
#pragma once

#include "launch.h"

#include <sys/stat.h>
#include <sys/types.h>

struct guard {
	int64_t began;
	int self;         /* pidfd of the guard */
	pid_t shim;       /* parent of the command, in the container's pid namespace */
	int pidfd;        /* of it */
	int command;      /* pidfd of the command, or -1 */
	int talk[2];      /* with it, who has the second */
	int machine_proc; /* shows everything, whatever is mounted in the container */
	int proc;         /* the container's: short, for what is done often */
	int shared;       /* whether the command is in our memory still: see sys_clone_vm() */
	struct stat tag; /* of the namespace that all of them are in, and nobody else: "ns/cgroup" */
};

/* What the shim says in the end. */
struct shim_report {
	int status;          /* the command's */
	struct rusage usage; /* of it and of all that the shim waited for, and not of the shim */
};

void guard_run(const struct launch_exec *l, const struct guard *g) __attribute__((noreturn));
