/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: docker's default filter (its newest profile) for a set of capabilities, other profiles
 * in docker's JSON format, and the fake root of containers with one id. A filter is compiled once
 * (seccomp_bpf.c) and kept in root/cache/: reading it back takes 10 us, compiling it 500.
 */
#pragma once

#include "err.h"
#include "store.h"

#include <linux/filter.h>
#include <stdint.h>

struct seccomp_ask {
	const char *profile; /* NULL: the default; "unconfined": only fake_root; else JSON, or an absolute path */
	uint64_t caps; /* the container's bounding set, by which docker's profiles allow more calls */
	bool fake_root; /* with one id, chown, set*id and the like succeed without effect; mknod, too, if CAP_MKNOD is in caps */
	bool privileged; /* without a profile there is no filter */
	bool keyless; /* deny keyrings, which no namespace isolates: for a container without a profile that runs as the caller's user */
	bool held; /* deny leaving the cgroup namespace, by which a process is known to belong to its container */
	/* A pool's template installs most of the filter once, for all of its children: all but what a child needs to get isolated
	 * (setns and three of set*id). Each child adds those few, at a tenth of the cost. FIRST and LAST together are WHOLE. */
	enum { SECCOMP_WHOLE, SECCOMP_FIRST, SECCOMP_LAST } part;
};

struct seccomp_filter {
	struct sock_filter *code; /* NULL: none needed */
	unsigned short len;
};

/* s NULL: the filter is not cached. */
int seccomp_get(const struct store *s, const struct seccomp_ask *ask, struct seccomp_filter *out,
	struct err *e);
/* Installs the filter for the calling process, which must have CAP_SYS_ADMIN in its user namespace or
 * have set no_new_privs. Async-signal-safe. */
int seccomp_install(const struct seccomp_filter *f, struct err *e);
void seccomp_done(struct seccomp_filter *f);
#define auto_seccomp __attribute__((cleanup(seccomp_done)))
