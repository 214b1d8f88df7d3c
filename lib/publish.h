/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish: forwards ports of the machine into a container (-p, -P).
 *
 * The supervisor listens before the container starts, so that a port in use keeps it from starting. For each run of the
 * container there is a process that has entered the container's network namespace; it accepts connections, connects to
 * localhost there, and passes bytes on. It ends with the run or with the supervisor. A tcp connection has two threads,
 * because waiting for one side must not stop the other; when one side breaks off, so does the other. udp has one thread,
 * and a socket inside for each client; answers leave from the address that was asked.
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
	json_t *ports; /* docker's NetworkSettings.Ports for them; NULL: none */
	pid_t pid;     /* the forwarding process; 0: none */
};

/* A sentence about ports that cannot be forwarded, or NULL. */
const char *publish_warning(const struct spec *s);
/* Listens on all ports of the spec, or on none. */
int publish_listen(struct publish *p, const struct spec *s, struct err *e);
/* Starts the forwarding process. pidfd: of the container's pid 1. -1: no connection will be accepted. */
int publish_begin(struct publish *p, int pidfd, struct err *e);
void publish_end(struct publish *p);
void publish_done(struct publish *p);
