/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise: the process beside a running container.
 *
 * It is forked for each start, enforces limits, writes the log, records how the container ended, and ends with it. It is
 * the parent of pid 1, which gets a death signal from it: if the supervisor is killed the container dies, too, and the
 * next command that looks repairs the state. It sleeps in one poll(); unless there are limits to be watched, only the
 * container and its clients wake it.
 */
#pragma once

#include "ctl.h"
#include "err.h"
#include "layers.h"
#include "plan.h"
#include "seccomp.h"
#include "state.h"
#include "store.h"

struct supervise {
	const struct store *store;
	struct state *state; /* as stored; becomes running, then exited */
	struct plan *plan;   /* an update changes limits and restart policy in plan and spec */
	struct spec *spec;
	const struct host *host;
	struct lease *lease;
	const struct strv *layers; /* the image's */
	const struct strv *lower;  /* directories instead of the lease's mounts; or empty */
	const struct seccomp_filter *filter;
	const char *dir; /* the container's directory */
	bool own_etc; /* hosts, hostname and resolv.conf in it are its own, not those of a container whose network it shares */
	bool fresh;   /* just created, so that these files need not be renewed */
	int seed[SEED_FDS];       /* namespaces made ahead of time; all -1: none */
	int streams[3];           /* the container's streams; all -1: pipes to the supervisor */
	int join;                 /* pidfd of the container whose namespaces it shares, or -1 */
	int client;               /* socket to the client that starts it */
	struct ctl_attach attach; /* what that client wants */
};

/* In the forked child; does not return. */
void supervise(struct supervise *s) __attribute__((noreturn));
