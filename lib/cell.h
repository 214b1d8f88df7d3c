/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell: namespaces made ahead inside a container, for one process that is forked into them, and its descendants.
 *
 * A cell has its own pid, mount, ipc, uts and network namespace (lo up), its own /proc, masked as docker masks it, its own
 * terminals, and one memory file system that is /work, /tmp and /dev/shm. Everything else is the container's, read-only.
 * Its pid 1 is a fork of the caller that reaps orphans, has no capability, and is in a user namespace of the cell's own, so
 * that RLIMIT_NPROC counts the cell's processes alone.
 *
 * The caller is in a container whose /proc is not masked (else the kernel refuses a fresh one), holds
 * CAP_SYS_ADMIN there and has one thread. A process enters the pid namespace by being forked after setns(pidfd,
 * CLONE_NEWPID) and the other namespaces by a setns(pidfd) of its own (lib/python/isolate.c). When pid 1 is killed, the
 * kernel ends every process of the cell.
 */
#pragma once

#include "err.h"

#include <stdint.h>
#include <sys/types.h>

struct cell {
	pid_t pid; /* of its pid 1; a child of the caller */
	int pidfd; /* likewise */
	int proc;  /* its procfs */
	int files; /* its memory file system */
};

/* Once: makes what all cells see of the container read-only. */
int cell_prepare(struct err *e);
struct cell_ask {
	uint64_t memory; /* the size of its file system in bytes */
	uint32_t id; /* the user and group of the container that are root in the cell; not 0 if another is mapped, as
	                    RLIMIT_NPROC does not hold for the machine's root */
	int net; /* a network namespace left by an earlier cell; -1: a new one */
};

/* An id other than 0 that is mapped in the container; 0: there is none. */
uint32_t cell_id(void);
int cell_make(const struct cell_ask *ask, struct cell *out, struct err *e);
/* Closes descriptors; does not kill the cell's processes. */
void cell_done(struct cell *c);
