/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell: namespaces made ahead inside of a container, for one process forked there and all that comes of it.
 *
 * A cell has its own pid, mount, ipc, uts and network namespace (lo up), its own /proc with what docker hides of
 * it hidden, its own terminals, and one memory file system which is /work, /tmp and /dev/shm. Everything else it sees
 * is the container's, read-only. Its pid 1 is a fork of the caller that waits for orphans, holds no right, and sits in a
 * further user namespace, where the processes of the cell are counted alone (RLIMIT_NPROC).
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
	uint32_t id; /* who its root is: a user and a group of the container. No limit counts the machine's root's
	                    processes, so where there is another one it is not 0. */
	int net; /* a network namespace of an earlier one; -1: a new one */
};

/* Another id than 0 that is mapped in the container; 0: there is none. */
uint32_t cell_id(void);
int cell_make(const struct cell_ask *ask, struct cell *out, struct err *e);
/* Closes what is open; kills nobody. */
void cell_done(struct cell *c);
