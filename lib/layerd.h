/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layerd: the image server's side of layers. Only layers.c includes this.
 *
 * A client sends a struct ask with descriptors and gets a struct told with descriptors back; as often as it wants, for
 * up to LAYERS_CHUNK layers each time. Closing the connection ends the lease.
 */
#pragma once

#include "err.h"
#include "idmap.h"

#include <stdint.h>

#define LAYERS_WIRE  3 /* the protocol's version, in the socket's name: each has its own server */
#define LAYERS_CHUNK 60

enum ask_kind {
	/* with a descriptor for each layer, its image; answered with the user namespace, and mount, fuse and journal of each */
	ASK_LEASE,
	/* without descriptors; answered with those of a seed, or with none if no seed is ready */
	ASK_SEED,
	/* with three for each layer: image, fuse, journal; answered with none */
	ASK_REVIVE,
	/* without descriptors; a text follows, the program that is about to be run; not answered */
	ASK_FORESEE,
};

#define ASK_TEXT 2048

struct ask {
	uint32_t kind, n;
};

struct told {
	uint32_t range, pid;
	uint32_t which; /* the layer that the error is about */
	uint32_t fresh; /* a layer was mounted just now: nothing of it was read yet */
	char uid_map[IDMAP_TEXT], gid_map[IDMAP_TEXT]; /* see struct lease */
	struct err err;
};

/* Turns the calling process, which was forked for it and has one thread, into the server; does not return.
 * It listens on `listener`, whose name in the directory `runtime` is `name`, and writes how its start went
 * to `report`, as a struct err. It ends after idle_s seconds without a connection. */
struct layerd_args {
	int listener, report, runtime;
	int userns; /* that of the dead server which it replaces; -1: make one as `ids` says */
	const char *name, *lock_name;
	const char *empty_dir; /* a directory to cover in its own mount namespace */
	enum ids_mode ids;
	int idle_s;
	bool expected; /* a client is about to come: make a seed for it meanwhile */
};
_Noreturn void layerd_run(const struct layerd_args *a);
