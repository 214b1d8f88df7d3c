/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish: ports of the machine that lead into a container (-p, -P).
 *
 * The supervisor listens, before the container starts, so that a port which is taken keeps it from starting. For each
 * life of the container a process of its own accepts: it has entered the container's network, connects to
 * localhost there, and passes bytes on. It reads nothing of them, wakes up for nothing else, and ends with the life
 * or with the supervisor. A connection of tcp has two threads, for who waits for one side must not keep the other from going
 * on, and is broken off on one side when the other breaks off. For udp one thread is enough, with a socket inside for each client;
 * answers leave from the address that was asked.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "spec.h"

#include <stdint.h>
#include <sys/types.h>

struct publish {
	struct published *v;
	size_t n;
	json_t *ports; /* docker's NetworkSettings.Ports of these; NULL: none */
	pid_t pid;     /* who accepts; 0: nobody */
};

/* Some of what was asked for leads nowhere: a sentence, or NULL. */
const char *publish_warning(const struct spec *s);
/* Listens on all that was asked for, or on none. */
int publish_listen(struct publish *p, const struct spec *s, struct err *e);
/* pidfd: of the container's pid 1. Where it cannot be done nobody answers: said in *e, -1. */
int publish_begin(struct publish *p, int pidfd, struct err *e);
void publish_end(struct publish *p);
void publish_done(struct publish *p);
