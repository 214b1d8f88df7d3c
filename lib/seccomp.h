/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: docker's default filter (newest profile) for a set of capabilities, other
 * profiles in docker's JSON form, and the fake root of containers which have one id. A
 * filter is made once (seccomp_bpf.c) and kept in root/cache/; reading it back takes some
 * 10 us, making it 500.
 */
#pragma once

#include "err.h"
#include "store.h"

#include <linux/filter.h>
#include <stdint.h>

struct seccomp_ask {
	const char *profile; /* NULL: the default; "unconfined": only fake_root; else JSON, or an absolute path */
	uint64_t caps;  /* bounding set of the container: opens what docker opens for it */
	bool fake_root; /* chown, set*id and the like succeed without effect: for root of a one-id map; mknod with CAP_MKNOD */
	bool privileged; /* the default is no filter */
	bool keyless; /* and no keyring, which is not namespaced: for who shares the caller's user, and runs without a profile */
	bool held; /* and nobody leaves his namespace of control groups, by which it is known whose he is */
	/* In two steps: what is made of many children is installed once in their parent, but for what it takes to be
	 * isolated (setns and three of set*id); these few are added in each child, at a tenth of the cost. Both together
	 * are the whole. */
	enum { SECCOMP_WHOLE, SECCOMP_FIRST, SECCOMP_LAST } part;
};

struct seccomp_filter {
	struct sock_filter *code; /* NULL: none needed */
	unsigned short len;
};

/* A store of NULL: nothing is kept. */
int seccomp_get(const struct store *s, const struct seccomp_ask *ask, struct seccomp_filter *out,
	struct err *e);
/* Installs it for the calling process with no_new_privs untouched: the caller still has
 * CAP_SYS_ADMIN in its user namespace or has set no_new_privs. Async-signal-safe. */
int seccomp_install(const struct seccomp_filter *f, struct err *e);
void seccomp_done(struct seccomp_filter *f);
#define auto_seccomp __attribute__((cleanup(seccomp_done)))
