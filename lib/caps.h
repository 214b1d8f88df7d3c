/* SPDX-License-Identifier: Apache-2.0 */
/* caps: names of capabilities, docker's rules for --cap-add and --cap-drop, and setting this process's. */
#pragma once

#include "err.h"
#include "str.h"

#include <stdint.h>

#define CAPS_DOCKER_DEFAULT 0xa80425fbull
#define CAP_BIT(cap)        (1ull << (cap))

int cap_from_name(const char *name); /* "SYS_ADMIN", "cap_sys_admin"; -1 unknown */
const char *cap_name(int cap);       /* "CAP_SYS_ADMIN" or NULL */
uint64_t caps_all(void);             /* every capability that this kernel knows */
/* By docker's rules: its default set (all if privileged), then --cap-drop and --cap-add, where ALL may stand. An unknown name
 * is an error in docker's words. */
int caps_resolve(const struct strv *add, const struct strv *drop, bool privileged, uint64_t *out,
	struct err *e);
/*
 * Sets bounding, permitted, effective of this process to exactly `bounding` / `effective`;
 * inheritable and ambient become 0. Async-signal-safe.
 *
 * What a program has after execve() depends on the bounding set alone, as inheritable and
 * ambient are empty: root gets all of it, everybody else nothing, as with docker. So until
 * execve() `effective` may hold what the last steps need: CAP_SYS_ADMIN to install a
 * filter without no_new_privs:
 *
 *	prctl(PR_SET_KEEPCAPS, 1); setgroups; setresgid; setresuid;
 *	caps_apply(bounding, CAP_BIT(CAP_SYS_ADMIN), e);
 *	seccomp_install(filter, e);    // with fake_root set*id are without effect from here on
 *	execve
 */
int caps_apply(uint64_t bounding, uint64_t effective, struct err *e);
/* A program that this process becomes may do what this one may, also when it is not root's. As far as that goes. */
void caps_pass_on(void);
/* For a process that will not call exec: clears effective, permitted, inheritable (and thereby ambient), but not bounding. */
int caps_hold_none(struct err *e);
