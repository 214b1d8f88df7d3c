/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent: the processor time of processes that are looked at again and again, of those too that are gone.
 *
 * What a child used is its parent's when it was waited for, and nobody's where the parent ignores SIGCHLD, or where
 * somebody outside is the parent. So whoever is gone, and whose time turns up with none of those that stay, is counted for
 * what he had used when he was seen last: never too much, and all the less the briefer children are. Where processes come
 * and go they are looked at 200 times a second: about half of one that lasts 20 ms counts. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SPENT_USER, SPENT_SYSTEM, SPENT_KINDS };

/* In the kernel's ticks. */
struct spent_process {
	pid_t pid;
	uint64_t start;                                   /* tells apart two that had one number */
	uint64_t own[SPENT_KINDS], children[SPENT_KINDS]; /* children: that were waited for */
};

struct spent {
	struct spent_list {
		struct spent_process *v;
		size_t n, room;
	} was, now;
	struct {
		uint64_t gone;    /* at the last look, and not found yet */
		uint64_t back[2]; /* what parents got at the last two looks, the older one first */
		uint64_t lost;
		uint64_t living; /* at the last look */
	} of[SPENT_KINDS];
	int quiet; /* looks since one was gone: where they go, what is missed is the less the more often one looks */
};

/* From a stat file of /proc; false: it is none. */
bool spent_parse(const char *stat, struct spent_process *out);
/* A look: each process is added, then it ends. `there`: whether one that was not added is still there, as who has ended and
 * was not waited for may be; it updates what that one used. */
void spent_add(struct spent *s, const struct spent_process *p);
void spent_look(struct spent *s, bool (*there)(struct spent_process *p, void *arg), void *arg);
uint64_t spent_ticks(const struct spent *s, int kind);
/* Whether they come and go. */
bool spent_churns(const struct spent *s);
void spent_done(struct spent *s);
