/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune: what nobody uses goes, and a list of it comes back.
 *
 *	struct prune p;
 *	if (prune_begin(&p, &store, &filters, prune_keys, &e) < 0 || prune_containers(&p, &e) < 0) ...
 *	... p.gone, p.freed ...
 *	prune_done(&p);
 *
 * What is taken into use, or removed, meanwhile is passed over. What fails otherwise is in p.failed, a line each: docker's
 * daemon says that in its log alone, and the answer is the same.
 */
#pragma once

#include "err.h"
#include "filter.h"
#include "store.h"

struct prune {
	const struct store *s;
	const struct filters *filters; /* the caller's */
	struct timespec until;
	struct strv gone; /* ids or names; of images the lines of rmi, "Untagged: x" and "Deleted: sha256:..." */
	struct strv failed;
	int64_t freed; /* bytes, of all that this has removed */
};

/* Keys that containers and networks, images, and volumes are filtered by. */
extern const char *const prune_keys[], *const prune_image_keys[], *const prune_volume_keys[];

int prune_begin(struct prune *p, const struct store *s, const struct filters *f,
	const char *const *keys, struct err *e);
void prune_done(struct prune *p);
#define auto_prune __attribute__((cleanup(prune_done)))

/* Each adds to p->gone. */
int prune_containers(struct prune *p, struct err *e);
/* Nothing is built here, so nothing of it is kept: scripts that clean up go on, if their filters are right. */
int prune_builds(const struct filters *f, struct err *e);
int prune_networks(struct prune *p, struct err *e);
/* named: not only those without a name, unless the filter "all" says otherwise. */
int prune_volumes(struct prune *p, bool named, struct err *e);
/* all: not only those without a name, unless the filter "dangling" says otherwise. */
int prune_images(struct prune *p, bool all, struct err *e);
