/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds: namespaces made ahead of time.
 *
 * Half of the time until a container's command runs goes into the kernel making its network namespace. So the image
 * server keeps a seed: a user namespace with its ids mapped, and a network (lo up), ipc and uts namespace owned by it, in
 * which no process has ever been; and the default /dev, fifteen mounts and links on a detached mount that belongs to that user
 * namespace (or -1, if it cannot be made). A seed is given to one container; the next one is made by a process of its own
 * while the container runs, so that nobody waits for it.
 */
#pragma once

#include "err.h"
#include "idmap.h"

#include <stddef.h>

enum {
	SEED_USER,
	SEED_NET,
	SEED_IPC,
	SEED_UTS,
	SEED_NAMESPACES,
	SEED_DEV = SEED_NAMESPACES,
	SEED_FDS
};

/* Forks the process that makes seeds. The caller must have one thread and be in the user namespace below which they are to be.
 * Returns a socket: a byte asks for a seed; a message brings its descriptors, or none if seeds cannot be made here. The process
 * ends when the socket is closed. */
int seeds_start(const struct idmap *ids, struct err *e);
int seeds_ask(int sock);
/* Has the seed maker, which has neither the server's memory nor its descriptors, start a preread (preread.h). */
#define SEEDS_TEXT 2048
void seeds_preread(int sock, int mount, const char *paths, size_t len);
/* To be called after poll(). 1: the descriptors; 0: no seed; -1: the maker is gone. */
int seeds_take(int sock, int fds[SEED_FDS]);
/* For sending a seed: how many of its descriptors there are. And for receiving one: false, and nothing is taken over, if these are
 * not the descriptors of a seed. */
int seeds_count(const int fds[SEED_FDS]);
bool seeds_of(const int *got, int n, int fds[SEED_FDS]);
