/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idmap: makes a user namespace with the user and group ids that this user can map.
 *
 *   one    0 inside is the caller outside; no other id is mapped
 *   range  0 inside is the caller, 1.. are the caller's ranges in /etc/subuid and /etc/subgid, mapped by the
 *          setuid programs newuidmap and newgidmap; for real root: every id, as it is
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stdint.h>

enum ids_mode { IDS_AUTO, IDS_ONE, IDS_RANGE };

#define IDMAP_RANGES 12
#define IDMAP_TEXT   (IDMAP_RANGES * 33 + 1)

struct idmap {
	bool range;
	uint32_t uids, gids; /* 0 .. n-1 are mapped inside */
	/* What to write to uid_map and gid_map of a nested namespace that is to have all ids of this one. (One line "0 0 N"
	 * will not do: the kernel refuses a line that spans two lines of the outer map.) */
	char uid_text[IDMAP_TEXT], gid_text[IDMAP_TEXT];
};

/* Moves the calling process, which must have one thread, into a new user namespace with the ids of `mode`. AUTO: a range if
 * one is granted and works, else one. If the machine forbids user namespaces the error names the setting. */
int idmap_enter(enum ids_mode mode, struct idmap *out, struct err *e);

/* The error for `what`, which was refused with errno in such a namespace; if AppArmor has taken the namespace's capabilities
 * away, how root can allow them. (A range is mapped by setuid programs, so this shows only afterwards.) */
int idmap_refused(const char *what, struct err *e);
/* The error after a server's user namespace could not be joined, with errno. */
int idmap_not_joined(struct err *e);
/* Reports errno of `what`, on the way into a container that runs. */
int idmap_kept_out(const char *what, struct err *e);
/* To be called if a map could not be written. True: e tells what is wrong with /proc. */
bool idmap_odd_proc(struct err *e);

/* Moves the calling process into such a user namespace, unless it is in it already. For a server that replaces a dead one: the
 * process that starts it mostly is inside, and namespaces must not nest ever deeper. */
int idmap_join(int userns, struct idmap *out, struct err *e);

struct idrange {
	uint32_t inside, outside, count;
};
/* Finds up to `max` ranges of a user, by name or number, in the text of /etc/subuid, with `inside` counting on from `first`;
 * returns how many. Skips lines with which ids would exceed 32 bits. Pure. */
int idmap_parse(const char *text, const char *user, uint32_t uid, uint32_t first,
	struct idrange *to, int max);
/* The name of a uid in the text of /etc/passwd, or NULL; the caller frees. Pure. */
char *idmap_user(const char *passwd, uint32_t uid);
