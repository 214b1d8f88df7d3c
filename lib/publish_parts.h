/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only the files of publish share.
 */
#pragma once

#include "publish.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct published {
	int fd;
	uint16_t inside;
	bool datagrams; /* udp */
};

union publish_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* How many bytes of it; 0: that is no address. */
socklen_t publish_address(union publish_address *a, const char *ip, uint16_t port);
/* localhost as the container's programs may listen there: what listens on all addresses hears it, too. */
extern const char *const publish_inside[2];
/* A thread for all of p that is udp, if there is any: in the container's network, for the rest of the process. */
int publish_udp_begin(const struct publish *p, const pthread_attr_t *how);
