/* SPDX-License-Identifier: Apache-2.0 */
/*
 * become: a process that is inside of a container's namespaces becomes the command: its terminal and streams, user,
 * limits, capabilities, filter; exec. For the first process of a container and for those that join it.
 */
#pragma once

#include "cgroup.h"
#include "passwd.h"
#include "plan.h"
#include "seccomp.h"

/* The plan's user, as the files of the image (the root is "/") know him. */
int become_who(const struct plan *p, struct identity *who, struct err *e);
/* In a map of one id every user but root is that id under another number, in a user namespace of
 * its own. `proc` is the machine's /proc: it shows us under "self" in whatever pid namespace. */
int become_renamed(int proc, const struct identity *who, struct err *e);
/* Where no control group does it. The program could change it: then the front door has said so. */
int become_on(const struct plan *p, const struct cgroup *c, struct err *e);
struct become {
	const int *std; /* see struct launch */
	int sock;       /* see launch_say.h */
	int proc;       /* the machine's /proc, or -1: the id is renamed already */
	int hop;        /* see hop.h; -1: needless */
	bool first;     /* the container's first process, for which directories are made */
	pid_t parent; /* with whom it dies, or 0: who listens at sock, and has no number in this pid namespace */
};

/* Returns only with an error. who: what become_who() said. */
int become(const struct plan *p, const struct identity *who, const struct seccomp_filter *filter,
	const struct become *b, struct err *e);
