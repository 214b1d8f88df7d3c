/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwd: who is "-u name:group" in the container. Parses the image's own /etc/passwd and
 * /etc/group (text the caller read by descriptor: regular file, bounded), never the host's
 * NSS. An all-digit word is always a number. Docker's words: "unable to find user X: no
 * matching entries in passwd file".
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
	char home[256]; /* "/" when the user has none */
};

/* user: "", "root", "1000", "1000:100", "app:staff". add: --group-add names or numbers.
 * passwd and group may be NULL (no such file). */
int identity_find(const char *user, const char *const *add, size_t n_add, const char *passwd,
	const char *group, struct identity *out, struct err *e);
