/* SPDX-License-Identifier: Apache-2.0 */
#include "spent.h"

#include "auto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHURN 32 /* looks */

bool spent_parse(const char *stat, struct spent_process *out)
{
	const char *after = strrchr(stat, ')'); /* the name may hold anything */
	unsigned long long ticks[4], start;

	if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %*d %*d %llu",
			      &ticks[0], &ticks[1], &ticks[2], &ticks[3], &start) != 5)
		return false;
	*out = (struct spent_process){.pid = (pid_t)atoi(stat),
		.start = start,
		.own = {ticks[0], ticks[1]},
		.children = {ticks[2], ticks[3]}};
	return true;
}

void spent_add(struct spent *s, const struct spent_process *p)
{
	struct spent_list *l = &s->now;

	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->v = xrealloc(l->v, l->room, sizeof(*l->v));
	}
	l->v[l->n++] = *p;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct spent_process *)a)->pid, y = ((const struct spent_process *)b)->pid;

	return (x > y) - (x < y);
}

static void sort(struct spent_list *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_pid);
}

/* What one set of processes has more than another; gone[]: what none of the others got. */
struct change {
	uint64_t gone[SPENT_KINDS], back[SPENT_KINDS];
};

static void compare(struct spent *s, struct change *c,
	bool (*there)(struct spent_process *p, void *arg), void *arg)
{
	size_t n = s->now.n, at = 0;

	for (size_t i = 0; i < s->was.n; i++) {
		struct spent_process *was = &s->was.v[i];
		const struct spent_process *now;

		while (at < n && s->now.v[at].pid < was->pid)
			at++;
		now = at < n && s->now.v[at].pid == was->pid && s->now.v[at].start == was->start
		              ? &s->now.v[at]
		              : NULL;
		if (!now && there && there(was, arg)) {
			spent_add(s, was);
			continue;
		}
		if (!now)
			s->quiet = 0;
		for (int k = 0; k < SPENT_KINDS; k++)
			if (!now)
				c->gone[k] += was->own[k] + was->children[k];
			else if (now->children[k] > was->children[k])
				c->back[k] += now->children[k] - was->children[k];
	}
}

/* Parents and children are not read at the same moment: a parent may have got its child's time at the look before, or
 * get it at the next one. */
static void settle(struct spent *s, const struct change *c)
{
	for (int k = 0; k < SPENT_KINDS; k++) {
		uint64_t found = s->of[k].back[0] + s->of[k].back[1] + c->back[k];

		if (s->of[k].gone > found)
			s->of[k].lost += s->of[k].gone - found;
		s->of[k].gone = c->gone[k];
		s->of[k].back[0] = s->of[k].back[1];
		s->of[k].back[1] = c->back[k];
		s->of[k].living = 0;
		for (size_t i = 0; i < s->now.n; i++)
			s->of[k].living += s->now.v[i].own[k] + s->now.v[i].children[k];
	}
}

void spent_look(struct spent *s, bool (*there)(struct spent_process *p, void *arg), void *arg)
{
	struct spent_list empty = s->was;
	struct change c = {0};

	s->quiet++;
	sort(&s->now);
	compare(s, &c, there, arg);
	sort(&s->now); /* with processes that were added */
	settle(s, &c);
	s->was = s->now;
	s->now = empty;
	s->now.n = 0;
}

uint64_t spent_ticks(const struct spent *s, int kind)
{
	return s->of[kind].living + s->of[kind].lost;
}

bool spent_churns(const struct spent *s)
{
	return s->quiet < CHURN;
}

void spent_done(struct spent *s)
{
	free(s->was.v);
	free(s->now.v);
	*s = (struct spent){0};
}
