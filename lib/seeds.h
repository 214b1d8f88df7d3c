/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds: namespaces made ahead of time.
 *
 * Half of what a container costs until its command runs is the kernel making its network namespace. The
 * image server therefore keeps a user namespace with its ids mapped, and a network (lo up), ipc and uts namespace
 * owned by it, which nobody has ever been in: a seed. With them comes a /dev like everybody's, fifteen mounts and links
 * on a detached mount that belongs to that user namespace; where none can be made, -1. One container gets the seed, and
 * the next is made while that one runs, by a process of its own, so that nobody waits for it.
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

/* Forks the process which makes them; the calling process has one thread and is in the user namespace below which
 * they are to be. The socket: a byte asks for a seed, a message brings its descriptors, or
 * one without: it cannot be done here. It ends with the socket. */
int seeds_start(const struct idmap *ids, struct err *e);
int seeds_ask(int sock);
/* The maker, who has neither the server's memory nor its files, also starts who reads what is going to be run (preread.h). */
#define SEEDS_TEXT 2048
void seeds_preread(int sock, int mount, const char *paths, size_t len);
/* After poll: 1 and the descriptors, 0: none, -1: the maker is gone. */
int seeds_take(int sock, int fds[SEED_FDS]);
/* As it goes through sockets: how many of the descriptors there are, and the other way round, where nothing is
 * taken of what is no seed. */
int seeds_count(const int fds[SEED_FDS]);
bool seeds_of(const int *got, int n, int fds[SEED_FDS]);
