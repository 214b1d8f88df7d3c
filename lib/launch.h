/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: applies a plan. The only station which changes the machine; it decides nothing.
 *
 * launch_container() is called by the supervisor, which has joined the user namespace of the
 * image server and will be the parent of the container's pid 1. launch_exec() is called by a
 * process that was forked for it: it joins a running container and leaves a process in it.
 * Both come back when the command was exec'ed, or with the reason why it was not.
 */
#pragma once

#include "cgroup.h"
#include "err.h"
#include "layers.h"
#include "plan.h"
#include "seccomp.h"

#include <sys/resource.h>

struct launch {
	const struct plan *plan;
	const char *upper; /* the directory with its upper and work, absolute */
	int quota;         /* all of the root, limited in what it takes up (quota.h), or -1 */
	const char *stage; /* a directory of ours with root, c and l0, l1, ... in it */
	const struct store *store;
	struct lease *lease;      /* detached mounts of its layers, lowest first; taken */
	const struct strv *lower; /* or, where there is no FUSE, directories; n == 0: the lease */
	const char *rootfs; /* or, where there is no overlay, a complete directory; else NULL */
	const struct seccomp_filter *filter;
	const struct cgroup *cgroup; /* open, or with no directory */
	bool hide;  /* this program is to be out of reach for the command: see hop.h */
	int std[3]; /* the container's ends; -1: its own /dev/null; unused with a tty */
	/* Namespaces which are there already: a seed's (all -1: none), or those `joined` of the plan of the
	 * process `join` (-1: none). */
	int seed[SEED_FDS];
	int join;
	int shm; /* a detached mount of /dev/shm of `join`'s; launch_container() opens it where the plan says so */
	/* What the caller can do while the child builds the container; or NULL. */
	int (*meanwhile)(void *arg, struct err *e);
	void *arg;
};

struct launched {
	pid_t pid;
	int pidfd;
	int pty;  /* master, or -1 */
	int proc; /* the container's own procfs, or -1 */
	/* Its mount namespace: whoever holds it takes the mounts down, and nobody who waits for the end of pid 1
	 * waits for that. -1: of an exec. */
	int mounts;
	int root; /* the one it began with, whatever its pid 1 makes its own later; or -1 */
	int sysv[3]; /* tables of its System V shared memory, messages, semaphores; -1: not its own, or none */
};

#define LAUNCHED_NONE                                                                              \
	{                                                                                          \
		.pid = -1, .pidfd = -1, .pty = -1, .proc = -1, .mounts = -1, .root = -1, .sysv = { \
			-1,                                                                        \
			-1,                                                                        \
			-1                                                                         \
		}                                                                                  \
	}

int launch_container(const struct launch *l, struct launched *out, struct err *e);

#define LAUNCH_SHIM "sbx-exec" /* what guard and shim of an exec are called */

struct launch_exec {
	const struct plan *plan;
	int pidfd;                   /* of the container's pid 1 */
	const struct cgroup *cgroup; /* the container's; as above */
	int userns;                  /* the container's user namespace */
	const struct seccomp_filter *filter;
	int std[3];   /* as above */
	int lifeline; /* of a socket pair; broken: everything that was started is killed; -1: none */
	int far_end;  /* of that: the caller's alone */
	/* Called as soon as the guard is forked: what the caller has to do itself, while that one makes the command. NULL: nothing. */
	void (*meanwhile)(void *arg);
	void *arg;
};

#define LAUNCH_TAG "ns/cgroup"

/* What the lifeline says first: the namespace that nobody but the exec'ed is in. */
struct launch_tag {
	dev_t device;
	ino_t inode;
};

/* What it says in the end. */
struct launch_report {
	enum { LAUNCH_EXITED, LAUNCH_TIMEOUT, LAUNCH_CPU, LAUNCH_OOM, LAUNCH_PIDS } end;
	int status; /* the command's, as waitpid() gives it */
	int code;   /* and the guard's, who is about to exit with it */
	struct rusage usage;
	int64_t wall_ns; /* 0: nobody knows */
	bool unseen; /* who was beside it in the container was killed as well, as when the container ends */
	bool oom; /* killed for the exec's own limit of memory, it or one of what it started */
	int64_t peak, peak_pids; /* where that was counted; 0 */
};

/* Forks a process that stays outside of the container's pid namespace, where nothing in it can reach it: it starts
 * the command, keeps its limits of time, and ends as the command ended; out->pid, a child of the caller. */
int launch_exec(const struct launch_exec *l, struct launched *out, struct err *e);
