/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent: adds up the processor time of processes that are looked at periodically, including those that have ended. Pure.
 *
 * The time of a child is added to its parent's when it is waited for, but to nobody's if the parent ignores SIGCHLD, or is a
 * process outside. So if a process is gone and its time does not show up with any process that is left, it is counted with what
 * it had used when it was last seen: never too much, but the time after that is missed, so the result is less exact the shorter
 * children live. While processes come and go they are looked at 200 times a second: about half of a child that lasts 20 ms counts.
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
	uint64_t start; /* tells processes apart that had the same number */
	uint64_t own[SPENT_KINDS], children[SPENT_KINDS]; /* children: those that were waited for */
};

struct spent {
	struct spent_list {
		struct spent_process *v;
		size_t n, room;
	} was, now;
	struct {
		uint64_t gone; /* of processes that were gone at the last look, and not found with a parent yet */
		uint64_t back[2]; /* that parents got from children at the last two looks, the older one first */
		uint64_t lost;   /* of processes that were gone and never found with a parent */
		uint64_t living; /* of those seen at the last look */
	} of[SPENT_KINDS];
	int quiet; /* looks since a process was last gone; for spent_churns() */
};

/* Parses /proc/PID/stat; false: not such a text. */
bool spent_parse(const char *stat, struct spent_process *out);
/* A look: spent_add() for each process, then spent_look(). there(): whether a process that was not added still exists, as a zombie
 * may; it updates what that has used. */
void spent_add(struct spent *s, const struct spent_process *p);
void spent_look(struct spent *s, bool (*there)(struct spent_process *p, void *arg), void *arg);
uint64_t spent_ticks(const struct spent *s, int kind);
/* Whether processes come and go, so that looking more often makes the result more exact. */
bool spent_churns(const struct spent *s);
void spent_done(struct spent *s);
