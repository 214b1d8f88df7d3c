/* SPDX-License-Identifier: Apache-2.0 */
/*
 * await: who wants to be attached to a container before it starts.
 *
 * A client of a running container connects to its supervisor (ctl.h). One who comes earlier (docker's
 * client attaches and waits first, and starts then) listens on a socket of his own, and the supervisor of the
 * next start connects to it before anything of the container's output is read. It is then a ctl
 * socket like any other, and what the client wants is known from the socket's name. Whoever starts the container,
 * the client hears it from its first byte to its exit code.
 *
 *   runtime/w/<id>/<wants>.<pid>
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

/* Listens; then looks whether it runs already. */
int await_begin(const struct store *s, const char *id, const struct ctl_attach *wants,
	struct await *out, struct err *e);
/* Blocks until the container starts; the ctl socket. gone: a socket whose hang-up ends the waiting with
 * ERR_SYSTEM, or -1. A container that runs already is connected to at once. */
int await_start(struct await *a, const struct ctl_attach *wants, int gone, struct err *e);
void await_done(struct await *a);
#define auto_await __attribute__((cleanup(await_done)))

/* The supervisor's side: calls joined() with a connected socket for each one who waits. To be called
 * while the container's life file is locked and before its state says that it runs. */
void await_join(const struct store *s, const char *id,
	void (*joined)(int sock, const struct ctl_attach *wants, void *arg), void *arg);
/* What dead ones left. */
void await_sweep(const struct store *s);
