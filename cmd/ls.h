/* SPDX-License-Identifier: Apache-2.0 */
/* ls: shared by the commands that list networks, plugins and volumes. */
#pragma once

#include "err.h"
#include "filter.h"
#include "listing.h"

struct ls {
	bool no_trunc, quiet, cluster;
	char *format;
	struct filters filters;
};

/* --filter, for OPT_CALL */
int ls_filter(void *target, const char *value, struct err *e);
void ls_done(void *target);
/* Prints the rows that `list` adds, then, by say_unread(), what it could not read. Returns the exit status. key: the format's key
 * in docker's configuration, or NULL. */
int ls_print(struct ls *p, const struct listing_kind *kind, const char *key,
	int (*list)(const struct ls *p, struct listing *l, struct strv *unread, struct err *e));
