/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwd: the ids of "-u name:group" in a container, from the image's own /etc/passwd and /etc/group, whose
 * texts the caller has read; never from the host's NSS. A word of digits is always a number.
 * Errors in docker's words: "unable to find user X: no matching entries in passwd file".
 */
#pragma once

#include "err.h"

#include <stddef.h>
#include <sys/types.h>

#define GROUPS_MAX 64
struct identity {
	uid_t uid;
	gid_t gid;
	gid_t groups[GROUPS_MAX]; /* for setgroups(); the first is gid */
	size_t n_groups;
	char home[256]; /* "/" if the user has none */
};

/* user: "", "root", "1000", "1000:100", "app:staff". add: names or numbers of --group-add.
 * passwd, group: the files' texts; NULL: there is no such file. */
int identity_find(const char *user, const char *const *add, size_t n_add, const char *passwd,
	const char *group, struct identity *out, struct err *e);
/* The home of this uid in another passwd, or "/"; NULL: there is no such file. */
void identity_home(struct identity *who, const char *passwd);
