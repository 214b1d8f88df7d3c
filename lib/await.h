/* SPDX-License-Identifier: Apache-2.0 */
/*
 * await: attaching to a container before it starts.
 *
 * A client of a running container connects to its supervisor (ctl.h). A client that comes earlier (docker's attaches and
 * waits first, then starts) listens on a socket of its own, to which the supervisor of the next start connects before it
 * reads any output of the container. From then on it is a ctl socket like any other; what the client wants stands in the
 * socket's name. So the client gets everything from the first byte to the exit code, whoever starts the container.
 *
 *   runtime/w/<id>/<wants>.<random>
 */
#pragma once

#include "ctl.h"
#include "err.h"
#include "store.h"

struct await {
	const struct store *store;
	char id[65];
	char name[32];
	int sock; /* listening; -1: none */
};

/* Starts to listen, and only then looks whether the container runs already. */
int await_begin(const struct store *s, const char *id, const struct ctl_attach *wants,
	struct await *out, struct err *e);
/* Waits for the container to start, and returns the ctl socket; at once if it runs already. gone: a socket whose hang-up ends
 * the wait with ERR_SYSTEM, or -1. */
int await_start(struct await *a, const struct ctl_attach *wants, int gone, struct err *e);
void await_done(struct await *a);
#define auto_await __attribute__((cleanup(await_done)))

/* The supervisor's side: calls joined() with a connected socket for each one who waits. To be called
 * while the container's life file is locked and before its state says that it runs. */
void await_join(const struct store *s, const char *id,
	void (*joined)(int sock, const struct ctl_attach *wants, void *arg), void *arg);
/* To be called when a container is removed: nobody will start it for those who wait, which hear their connection end. */
void await_forget(const struct store *s, const char *id);
/* What dead ones left. */
void await_sweep(const struct store *s);
