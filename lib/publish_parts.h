/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish_parts: shared by the files of publish. Nobody else includes this.
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

/* Fills in an address; returns its length, 0: `ip` is not an address. */
socklen_t publish_address(union publish_address *a, const char *ip, uint16_t port);
/* localhost's addresses, of IPv4 and IPv6; a program that listens on all addresses is reached by these, too. */
extern const char *const publish_inside[2];
/* Starts a thread for all udp ports of p, if there are any, which lives as long as the process. To be called in the container's
 * network namespace. -1 with errno. */
int publish_udp_begin(const struct publish *p, const pthread_attr_t *how);
