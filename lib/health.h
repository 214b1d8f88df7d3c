/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: health checks, which the supervisor runs beside everything else: a program in the container at an interval, its
 * output, and the status that docker derives from it. One check at a time, without blocking: the supervisor polls the
 * descriptors of health_poll().
 */
#pragma once

#include "json.h"
#include "launch.h"
#include "spec.h"

#include <poll.h>

enum { HEALTH_FDS = 3, HEALTH_OUTPUT = 4096 };

struct health {
	const struct spec *spec; /* NULL: no check */
	const struct seccomp_filter *filter;
	const struct host *host;
	int pidfd, userns;           /* of the container */
	const struct cgroup *cgroup; /* likewise; set after health_begin() */
	int64_t began, next,
		deadline; /* next: when the next check is due; deadline: of the running check; 0: none */
	struct launched check;
	int sock;         /* tells whether the check could be exec'ed; -1: already known */
	struct plan plan; /* its own */
	int out;
	char output[HEALTH_OUTPUT];
	size_t len;
	bool more;               /* than there was room for */
	bool failed;             /* to be exec'ed: output tells why */
	struct timespec started; /* when the last check began, by the clock on the wall */
	int64_t asked;           /* the same by sys_now_ns() */
	int failing;
	const char *status; /* "starting", "healthy", "unhealthy" */
	json_t *log;        /* the last five results */
};

/* before: the Health object of the container's previous run, whose log is continued; or NULL. */
void health_begin(struct health *h, const struct spec *s, const struct host *host,
	const struct seccomp_filter *filter, int pidfd, pid_t pid, const json_t *before);
void health_poll(const struct health *h, struct pollfd *p); /* HEALTH_FDS of them */
/* When health_run() is to be called even if no descriptor is ready; 0: never. */
int64_t health_wakes(const struct health *h);
/* Whether a check is due; and puts it off to the next interval. */
bool health_is_due(const struct health *h, int64_t now);
void health_put_off(struct health *h, int64_t now);
/* To be called after poll(). True: there is a new result. */
bool health_run(struct health *h, const struct pollfd *p, int64_t now);
/* Takes down how the last check ended: its code, and what it printed. */
void health_note(struct health *h, int code, const char *output, size_t n);
json_t *health_json(const struct health *h); /* docker's Health object, or NULL: no check */
void health_end(struct health *h);
