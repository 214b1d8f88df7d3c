/* SPDX-License-Identifier: Apache-2.0 */
/* network_sieve: which networks the filters of `network ls` let through. */
#pragma once

#include "filter.h"
#include "network.h"
#include "state.h"
#include "store.h"

struct network_sieve {
	const struct filters *f; /* the caller's, as long as this lives */
	bool dangling_asked, dangling;
	struct state *containers; /* if dangling is asked for: the containers that may be on a network */
	size_t n;
};

/* Unknown keys and values are ERR_USAGE in the daemon's words. */
int network_sieve_make(
	const struct store *s, const struct filters *f, struct network_sieve *out, struct err *e);
bool network_sieve_passes(const struct network_sieve *v, const struct network *network);
void network_sieve_done(struct network_sieve *v);
#define auto_network_sieve __attribute__((cleanup(network_sieve_done)))
