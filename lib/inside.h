/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: work on the files of a container by a process which is inside of it: its root is the container's, so
 * that no path of the container is looked up on the host, and none of the host's in the container.
 *
 * A running container's mount namespace is joined; of one that does not run the root and the volumes are put
 * together for as long as the work takes, under the container's lock, so that it cannot start meanwhile.
 * The process runs none of the container's code, and nobody in the container can see or trace it.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "store.h"
#include "str.h"

#include <sys/types.h>

enum inside_mode {
	INSIDE_FILES, /* the root with volumes and the engine's files of /etc: what the container sees */
	INSIDE_ROOT, /* the root; of a container that does not run, alone */
	/* The root of its image, read-only, and the writable layer beside it. Where that is a private copy of the
	 * image there is no other root. */
	INSIDE_UPPER,
	/* The root of one that was just made, where its working directory is made and new volumes are filled: all that is to
	 * be done, so that there need be no work. */
	INSIDE_NEW,
};

/* What the work is told. */
struct inside_view {
	int sock;    /* for inside_answer() */
	int upper;   /* INSIDE_UPPER: the directory; else -1 */
	int was;     /* INSIDE_UPPER of a private copy, which is `upper`: its census; else -1 */
	bool one_id; /* there is no other id than root's */
	const struct spec *spec; /* the container's */
};

struct inside_ask {
	int (*work)(const struct inside_view *v, void *arg, struct err *e);
	void *arg;
	int keep[2]; /* descriptors that the work uses, or -1; it has no others, the standard ones neither */
	enum inside_mode mode;
};

struct inside {
	pid_t pid;
	int sock, lock;
};

/* Starts it; the caller calls inside_end. */
int inside_begin(const struct store *s, const char *id, const struct inside_ask *ask,
	struct inside *out, struct err *e);
/* In the work: some bytes for the caller, in one piece. */
int inside_answer(const struct inside_view *v, const void *bytes, size_t n, struct err *e);
/* The next answer (1), the end (0), or what went wrong (-1). */
int inside_hear(struct inside *i, struct buf *answer, struct err *e);
/* Waits for its end; passes over answers. Without success: what went wrong. */
int inside_end(struct inside *i, struct err *e);
void inside_abort(struct inside *i); /* kills it, if it is still there */
#define auto_inside __attribute__((cleanup(inside_abort)))
