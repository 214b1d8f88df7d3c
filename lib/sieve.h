/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sieve: which containers the filters of `ps` (and of the API's list) let through, by docker's rules.
 */
#pragma once

#include "filter.h"
#include "state.h"

/* The filters, with their values looked up. */
struct sieve {
	const struct store *s;
	const struct filters *f; /* the caller's, as long as this lives */
	struct strv images;      /* ids of --filter ancestor= */
	struct strv ids;         /* of --filter id=: those that are the only ones to begin so */
	struct timespec before, since;
	bool is_task; /* --filter is-task=true, which is about swarm: no container passes */
};

/* Unknown keys and values are ERR_USAGE in the daemon's words. */
int sieve_make(const struct store *s, const struct filters *f, struct sieve *out, struct err *e);
/* *spec: NULL, or the container's, see sieve_spec(). */
bool sieve_passes(const struct sieve *v, const struct state *st, json_t **spec);
void sieve_done(struct sieve *v);
#define auto_sieve __attribute__((cleanup(sieve_done)))

/* The container's spec, which the first call reads into *spec; the caller frees *spec. Never NULL; an empty object without a
 * store. */
const json_t *sieve_spec(const struct store *s, const struct state *st, json_t **spec);
