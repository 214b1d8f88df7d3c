/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: applies a plan. Only this changes the machine, and it decides nothing.
 *
 * launch_container() is called by the supervisor, which has joined the user namespace of the
 * image server and will be the parent of the container's pid 1. launch_exec() starts a process in a
 * running container. Both return when the command was exec'ed, or with the reason why it was not.
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
	const char *upper; /* the directory with upper and work, absolute */
	int quota;         /* a mount of the whole root whose size is limited (quota.h), or -1 */
	const char *stage; /* a directory of ours to mount things in: root, c, l0, l1, ... */
	const struct store *store;
	/* The root: of the lease's layers, else of directories, else one directory. */
	struct lease *lease; /* detached mounts of its layers, lowest first; they are used up */
	const struct strv *lower; /* without FUSE: directories; n == 0: the lease */
	const char *rootfs;       /* without overlay: a complete root directory; else NULL */
	const struct seccomp_filter *filter;
	const struct cgroup *cgroup; /* open, or without directories */
	bool hide; /* the command must not get at this program's file: see hop.h */
	int std[3]; /* the container's ends of the streams; -1: its own /dev/null; unused with a tty */
	/* Namespaces that exist already: a seed's (all -1: none), and those of the process `join` (a pidfd, or -1) that the plan
	 * names as `joined`. */
	int seed[SEED_FDS];
	int join;
	/* Opened by launch_container(): who owns the namespaces of `join`, whose first process may be another user in a nested one
	 * (become_renamed); and, if the plan says so, a detached mount of its /dev/shm. */
	int owner, shm;
	/* Work of the caller's that is done while the child builds the container; or NULL. */
	int (*meanwhile)(void *arg, struct err *e);
	/* Asked now and then if the start takes long: whether nobody wants it any more; or NULL. */
	bool (*unwanted)(void *arg);
	void *arg;
};

struct launched {
	pid_t pid;
	int pidfd;
	int pty;  /* master, or -1 */
	int proc; /* the container's own procfs, or -1 */
	/* Its mount namespace. Its mounts are undone when the last holder closes it, which takes time; so those who wait for the
	 * end of pid 1 do not wait for that. -1: of an exec. */
	int mounts;
	int root; /* the root that it started with, even if its pid 1 calls chroot() later; or -1 */
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

#define LAUNCH_SHIM "sbx-exec" /* the process name of an exec's guard and shim */

struct launch_exec {
	const struct plan *plan;
	int pidfd;                   /* of the container's pid 1 */
	const struct cgroup *cgroup; /* the container's; as above */
	int userns;                  /* the container's user namespace */
	const struct seccomp_filter *filter;
	int std[3]; /* as above */
	int lifeline; /* one end of a socket pair: when the other end is closed, the guard kills everything; -1: none */
	int far_end; /* the other end, which only the caller keeps */
	int turns;   /* see turns.h: for the watch over the exec's memory; or -1 */
	/* Called as soon as the guard is forked, to do the caller's work while the guard starts the command; or NULL. */
	void (*meanwhile)(void *arg);
	bool (*unwanted)(void *arg); /* as above: whether the caller is about to end the exec, begun or not */
	void *arg;
};

#define LAUNCH_TAG "ns/cgroup"

/* The lifeline's first message, with a descriptor of it: the namespace that only the exec's processes are in. */
struct launch_tag {
	dev_t device;
	ino_t inode;
};

/* The lifeline's last message. */
struct launch_report {
	enum { LAUNCH_EXITED, LAUNCH_TIMEOUT, LAUNCH_CPU, LAUNCH_OOM, LAUNCH_PIDS } end;
	int status; /* the command's, from waitpid() */
	int code;   /* the status that the guard is about to exit with */
	struct rusage usage;
	int64_t wall_ns; /* 0: not known */
	bool unseen; /* other processes of the container were killed as well, as when the container ends */
	bool oom; /* the command or a descendant was killed for the exec's own limit on memory */
	int64_t peak, peak_pids; /* 0: not counted */
};

/* Forks the guard (guard.h): it starts the command, holds its limits, and exits as the command did. out->pid is the guard's, a
 * child of the caller. */
int launch_exec(const struct launch_exec *l, struct launched *out, struct err *e);
/* The same in two steps, for a caller that must not block until the exec, which processes inside can delay for ever. When *sock
 * becomes readable, launch_exec_end() tells whether the exec succeeded. The caller closes *sock, and ends the child even after
 * an error. */
int launch_exec_begin(const struct launch_exec *l, struct launched *out, int *sock, struct err *e);
int launch_exec_end(int sock, const struct launch_exec *l, struct launched *out, struct err *e);
