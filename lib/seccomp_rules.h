/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_rules: the form between a profile and a filter, shared by the files of seccomp:
 * seccomp_rules.c (docker's default, fake root), seccomp_json.c (docker's JSON),
 * seccomp_bpf.c (compiles rules to a program). Everybody else includes seccomp.h.
 *
 * For a system call, rules with comparisons are tried first, in their order, then the first
 * rule without; if none matches, `otherwise` holds.
 */
#pragma once

#include "err.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seccomp_op { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_MASKED };

struct seccomp_cmp {
	unsigned arg;
	enum seccomp_op op;
	uint64_t value, mask; /* mask: for CMP_MASKED, arg & mask == value */
};

#define SECCOMP_ARGS 6
struct seccomp_rule {
	char name[40];   /* ignored for an ABI that has no such call */
	uint32_t action; /* SECCOMP_RET_* with its data */
	int n_cmp;
	struct seccomp_cmp cmp[SECCOMP_ARGS];
};

/* ABIs, as bits in `abis`. */
enum { ABI_X86_64 = 1, ABI_X86 = 2, ABI_X32 = 4, ABI_AARCH64 = 8, ABI_ARM = 16 };

#if defined(__x86_64__)
#define ABIS_NATIVE (ABI_X86_64 | ABI_X86 | ABI_X32)
/* Docker allows x32, which hardly any kernel has and hardly any program uses. As it would
 * cost each start 40 us, its calls get ENOSYS here, as on a kernel without it. */
#define ABIS_DEFAULT (ABI_X86_64 | ABI_X86)
#elif defined(__aarch64__)
#define ABIS_NATIVE  (ABI_AARCH64 | ABI_ARM)
#define ABIS_DEFAULT ABIS_NATIVE
#else
#define ABIS_NATIVE  0
#define ABIS_DEFAULT 0
#endif
static_assert(ABIS_NATIVE, "this architecture's ABIs have to be added here and to seccomp_bpf.c");

struct seccomp_rules {
	uint32_t otherwise;
	uint32_t foreign; /* for calls by another ABI */
	unsigned abis;
	struct seccomp_rule *v;
	size_t n;
};

struct seccomp_rule *seccomp_rules_add(struct seccomp_rules *r, const char *name, uint32_t action);
void seccomp_rules_cmp(struct seccomp_rule *rule, struct seccomp_cmp cmp);
void seccomp_rules_done(struct seccomp_rules *r);
#define auto_seccomp_rules __attribute__((cleanup(seccomp_rules_done)))

/* Increase it when the tables or the compiler change: it is part of the name of cached
 * programs. */
#define SECCOMP_RULES_VERSION 6

void seccomp_rules_default(struct seccomp_rules *r, uint64_t caps);
uint64_t seccomp_rules_default_caps(void); /* the capabilities on which the default depends */
void seccomp_rules_unconfined(struct seccomp_rules *r);
void seccomp_rules_keyless(struct seccomp_rules *r); /* only if r has no rules about keyrings */
void seccomp_rules_held(struct seccomp_rules *r);    /* before any other rules */
/* To be called last: makes some calls that the rules allow succeed without effect. */
void seccomp_rules_fake_root(struct seccomp_rules *r, bool devices);
/* The two parts of a filter (seccomp.h): without the calls that isolating a child needs, and only those. */
void seccomp_rules_first(struct seccomp_rules *r);
void seccomp_rules_last(struct seccomp_rules *r);
int seccomp_rules_json(
	struct seccomp_rules *r, const char *text, size_t n, uint64_t caps, struct err *e);

/* The caller frees *out. */
int seccomp_bpf(const struct seccomp_rules *r, struct sock_filter **out, unsigned short *len,
	struct err *e);
