/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune: removes what nobody uses, and lists what it has removed.
 *
 *	struct prune p;
 *	if (prune_begin(&p, &store, &filters, prune_keys, &e) < 0 || prune_containers(&p, &e) < 0) ...
 *	... p.gone, p.freed ...
 *	prune_done(&p);
 *
 * Objects that are taken into use or removed meanwhile are skipped. Other failures get a line each in p.failed: docker's daemon
 * only logs these, and answers as if nothing had failed.
 */
#pragma once

#include "err.h"
#include "filter.h"
#include "store.h"

struct prune {
	const struct store *s;
	const struct filters *filters; /* the caller's */
	struct timespec until;
	struct strv gone; /* ids or names; for images lines of rmi, "Untagged: x" and "Deleted: sha256:..." */
	struct strv failed;
	int64_t freed; /* bytes, of everything removed so far */
};

/* The filter keys for containers and networks, for images, and for volumes. */
extern const char *const prune_keys[], *const prune_image_keys[], *const prune_volume_keys[];

int prune_begin(struct prune *p, const struct store *s, const struct filters *f,
	const char *const *keys, struct err *e);
void prune_done(struct prune *p);
#define auto_prune __attribute__((cleanup(prune_done)))

/* Each of these adds to p->gone. */
int prune_containers(struct prune *p, struct err *e);
/* There is no build cache, as sbx builds nothing; this only checks the filters, so that scripts which clean up work. */
int prune_builds(const struct filters *f, struct err *e);
int prune_networks(struct prune *p, struct err *e);
/* named: named volumes, too, not only anonymous ones, unless the filter "all" says otherwise. */
int prune_volumes(struct prune *p, bool named, struct err *e);
/* all: images with a name, too, unless the filter "dangling" says otherwise. */
int prune_images(struct prune *p, bool all, struct err *e);
