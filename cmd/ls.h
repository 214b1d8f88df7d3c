/* SPDX-License-Identifier: Apache-2.0 */
/* ls: what the commands that list networks, plugins and volumes share. */
#pragma once

#include "err.h"
#include "filter.h"
#include "listing.h"

struct ls {
	bool no_trunc, quiet, cluster;
	char *format;
	struct filters filters;
};

/* of --filter, for OPT_CALL */
int ls_filter(void *target, const char *value, struct err *e);
void ls_done(void *target);
/* To standard output: what `list` gives, and then what it could not read, see say_unread(); the command's status. key: of the format in docker's configuration, or NULL. */
int ls_print(struct ls *p, const struct listing_kind *kind, const char *key,
	int (*list)(const struct ls *p, struct listing *l, struct strv *unread, struct err *e));
