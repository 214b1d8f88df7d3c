/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise: the process beside a container.
 *
 * One is forked for each start, keeps limits and logs, records how the container ended, and ends with
 * it. It is the parent of pid 1 and its death signal's sender: killed itself, the container dies
 * with it, and the next command which looks repairs the state. It sleeps in one poll; without limits that
 * must be watched nothing ever wakes it but the container and its clients.
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
	struct plan *plan;   /* limits and restart policy of these two follow an update */
	struct spec *spec;
	const struct host *host;
	struct lease *lease;
	const struct strv *layers; /* the image's */
	const struct strv *lower;  /* directories instead of the lease's mounts; or empty */
	const struct seccomp_filter *filter;
	const char *dir; /* the container's directory */
	bool own_etc; /* hosts, hostname and resolv.conf in it are not another's whose network it shares */
	bool fresh;         /* this very command has made it: they are as they must be */
	int seed[SEED_FDS]; /* namespaces made ahead of time; all -1: none */
	int streams[3];     /* what the container gets as its streams; all -1: pipes of ours */
	int join;           /* pidfd of the other container whose namespaces it shares; -1 */
	int client;         /* of the one who starts it */
	struct ctl_attach attach; /* what that one wants */
};

/* In the forked child; does not return. */
void supervise(struct supervise *s) __attribute__((noreturn));
