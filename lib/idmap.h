/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idmap: which user and group ids a user namespace of this user's can hold, and a namespace with them.
 *
 *   one    0 inside is the caller outside, and there is no other
 *   range  0 inside is the caller, 1.. are the caller's ranges in /etc/subuid and /etc/subgid, by the
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
	/* For a namespace nested in this one which shall have all its ids: what to write to uid_map and
	 * gid_map. (One line "0 0 N" will not do: a line may not span two of the outer map's.) */
	char uid_text[IDMAP_TEXT], gid_text[IDMAP_TEXT];
};

/* Moves the calling process, which has one thread, into a new user namespace with the ids that `mode`
 * asks for. AUTO: a range where one is granted and works, else one. Where the machine forbids
 * user namespaces, the error names the setting. */
int idmap_enter(enum ids_mode mode, struct idmap *out, struct err *e);

/* In such a namespace something was refused (errno): what, or, where AppArmor took its powers, how root gives them
 * back. A range's map is written by others, so it shows only then. */
int idmap_refused(const char *what, struct err *e);
/* A server's user namespace could not be joined (errno). */
int idmap_not_joined(struct err *e);
/* A map could not be written: false, or e says what is odd about /proc. */
bool idmap_odd_proc(struct err *e);

/* Moves the calling process into a user namespace that was made so, if it is not in it. For a server that
 * takes the place of a dead one: who starts it is mostly inside, and must not nest ever deeper. */
int idmap_join(int userns, struct idmap *out, struct err *e);

/* Pure: the ranges of a user in the text of /etc/subuid, by name or by number; their sum, at
 * most UINT32_MAX. Adds "inside outside count" triples to `to` (NULL: only counts), `inside` going
 * on from `first`. */
struct idrange {
	uint32_t inside, outside, count;
};
int idmap_parse(const char *text, const char *user, uint32_t uid, uint32_t first,
	struct idrange *to, int max);
/* Pure: the name of a uid in the text of /etc/passwd, or NULL; the caller frees. */
char *idmap_user(const char *passwd, uint32_t uid);
