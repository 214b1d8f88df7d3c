/* SPDX-License-Identifier: Apache-2.0 */
/*
 * become: a process inside a container's namespaces turns into the command: sets up terminal and streams, user, limits,
 * capabilities and the seccomp filter, then calls exec. For a container's first process, and for those that join it.
 */
#pragma once

#include "cgroup.h"
#include "passwd.h"
#include "plan.h"
#include "seccomp.h"

/* Looks up the plan's user in the image's passwd and group; the container's root is "/" already. */
int become_who(const struct plan *p, struct identity *who, struct err *e);
/* Where only one id is mapped, a user other than root is that id under another number, for which this process enters a user
 * namespace of its own. `proc` is the machine's /proc, whose "self" is us in any pid namespace. limits: the namespace is made under
 * these, by which the kernel limits the processes in all such namespaces of a container together; or NULL. */
int become_renamed(int proc, const struct plan *limits, const struct identity *who, struct err *e);
/* Restricts us to the plan's processors, unless the control group does. The command can undo that; cmd/ warned of it. */
int become_on(const struct plan *p, const struct cgroup *c, struct err *e);
struct become {
	const int *std; /* see struct launch */
	int sock;       /* see launch_say.h */
	int proc;       /* the machine's /proc; -1: become_renamed() was called already */
	int hop;        /* see hop.h; -1: not needed */
	bool first;     /* the container's first process: its working directory is made */
	pid_t parent; /* the process to die with; 0: whoever listens at sock, which has no number in this pid namespace */
	/* Set when it is about to exec, or has told why it cannot. A profile of the user's may refuse every call, so that
	 * only memory is left to tell by. NULL: it has no such profile. */
	bool *reached;
};

/* Whether the user's own seccomp profile may refuse calls that we make ourselves. */
bool become_may_be_refused(const struct plan *p);
/* Returns only with an error. who: from become_who(). It looks up names that the container controls: the caller has closed all
 * that is not needed here. */
int become(const struct plan *p, const struct identity *who, const struct seccomp_filter *filter,
	const struct become *b, struct err *e);
