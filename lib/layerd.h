/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layerd: the image server's side of layers. Only layers.c includes this.
 *
 * A client sends an ask with descriptors and gets one told with descriptors back; as many
 * of these as it wants, LAYERS_CHUNK layers in each. Closing the connection ends the lease.
 */
#pragma once

#include "err.h"
#include "idmap.h"

#include <stdint.h>

#define LAYERS_WIRE  3 /* part of the socket's name: a changed program starts a server of its own */
#define LAYERS_CHUNK 60

enum ask_kind {
	ASK_LEASE, /* one descriptor a layer: the image. Answered with: user namespace; mount, fuse, journal of each */
	ASK_SEED, /* none. Answered with the descriptors of a seed, or none when there is none ready */
	ASK_REVIVE,  /* three a layer: image, fuse, journal. Answered with none */
	ASK_FORESEE, /* none. A text follows: what is going to be run. Not answered */
};

#define ASK_TEXT 2048

struct ask {
	uint32_t kind, n;
};

struct told {
	uint32_t range, pid;
	uint32_t which; /* layer that the error is about */
	uint32_t fresh; /* a layer was mounted for this: nothing of it was read yet */
	char uid_map[IDMAP_TEXT], gid_map[IDMAP_TEXT]; /* see struct lease */
	struct err err;
};

/* Becomes the server: the calling process was forked for it, has one thread and does not come back.
 * It listens on `listener`, whose name in the directory `runtime` is `name`; how the start went is written
 * to `report` (one struct err). idle_s: leaves after so many seconds without a connection. */
struct layerd_args {
	int listener, report, runtime;
	int userns; /* that of the server whose place it takes; -1: make one as `ids` says */
	const char *name, *lock_name;
	const char *empty_dir; /* a directory to cover in its own mount namespace */
	enum ids_mode ids;
	int idle_s;
	bool expected; /* by one who will come: he gets a seed, which is made beside what he does until then */
};
_Noreturn void layerd_run(const struct layerd_args *a);
