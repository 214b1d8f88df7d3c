/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: work on a container's files in a process whose root is the container's, so that no path of the container is
 * looked up on the host, nor a host's path in the container.
 *
 * The process joins the mount namespace of a running container; it goes on if that ends, but the next run waits for it
 * (upper_lock.h). For one that does not run, the root and volumes are mounted while the work lasts, under the container's lock,
 * so that it cannot start meanwhile. The process runs no code of the
 * container's, and no process in the container can see or trace it.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "state.h"
#include "store.h"
#include "str.h"

#include <sys/types.h>

enum inside_mode {
	INSIDE_FILES, /* the root with volumes and the engine's files of /etc: what the container sees */
	INSIDE_ROOT, /* the root; without volumes, if the container does not run */
	/* The image's root, read-only, and the writable layer beside it; if the container has a private copy of the image, that
	 * copy alone. */
	INSIDE_UPPER,
	/* The root of a new container. Putting it together makes its working directory and fills new volumes, so the work may be
	 * none. */
	INSIDE_NEW,
};

/* What work() is told. */
struct inside_view {
	int sock;    /* for inside_answer() */
	int upper;   /* INSIDE_UPPER: the directory; else -1 */
	int was;     /* INSIDE_UPPER, if `upper` is a private copy: its census; else -1 */
	bool one_id; /* no id but root's is mapped */
	const struct spec *spec; /* the container's */
};

struct inside_ask {
	int (*work)(const struct inside_view *v, void *arg, struct err *e);
	void *arg;
	int keep[2]; /* descriptors that work() uses, or -1; all others are closed, the standard ones as well */
	enum inside_mode mode;
};

struct inside {
	pid_t pid;
	int sock, lock;
	int server; /* keeps the image server up; or -1 */
	const struct store *store;
	id_text id; /* of the container, which must be there at the end; "": that does not matter */
};
#define INSIDE_NONE                   \
	{                             \
		-1, -1, -1, -1, NULL, \
		{                     \
			'\0'          \
		}                     \
	}

/* Starts the process; inside_end() must follow. */
int inside_begin(const struct store *s, const char *id, const struct inside_ask *ask,
	struct inside *out, struct err *e);
/* Called by work(): sends bytes to the caller, in one piece. */
int inside_answer(const struct inside_view *v, const void *bytes, size_t n, struct err *e);
/* 1: the next answer; 0: there are no more; -1: an error, the work's or another. */
int inside_hear(struct inside *i, struct buf *answer, struct err *e);
/* Waits for the end of the work, ignoring answers; -1: its error, or ERR_CONFLICT: the container was removed meanwhile. */
int inside_end(struct inside *i, struct err *e);
void inside_abort(struct inside *i); /* kills the process if it still runs */
#define auto_inside __attribute__((cleanup(inside_abort)))
