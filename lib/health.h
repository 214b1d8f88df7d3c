/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: the check of a container's health, which its supervisor runs beside everything else: a program
 * in the container, every so often; what it said; and what docker calls the result. One check at a time, never
 * waited for: the supervisor polls what health_poll() names.
 */
#pragma once

#include "json.h"
#include "launch.h"
#include "spec.h"

#include <poll.h>

enum { HEALTH_FDS = 2, HEALTH_OUTPUT = 4096 };

struct health {
	const struct spec *spec; /* NULL: no check */
	const struct seccomp_filter *filter;
	const struct host *host;
	int pidfd, userns;           /* of the container */
	const struct cgroup *cgroup; /* likewise; set after health_begin() */
	int64_t began, next, deadline; /* next: when to check; deadline: of the check that runs; 0: none */
	struct launched check;
	int out;
	char output[HEALTH_OUTPUT];
	size_t len;
	struct timespec started;
	int failing;
	const char *status; /* "starting", "healthy", "unhealthy" */
	json_t *log;        /* the last five */
};

/* The log goes on from `before`, the Health object of an earlier life; or NULL. */
void health_begin(struct health *h, const struct spec *s, const struct host *host,
	const struct seccomp_filter *filter, int pidfd, pid_t pid, const json_t *before);
void health_poll(const struct health *h, struct pollfd *p); /* HEALTH_FDS of them */
/* When it wants to be called even if nothing happens; 0: never. */
int64_t health_wakes(const struct health *h);
/* Whether a check would begin now; it is put off to the next time. */
bool health_is_due(const struct health *h, int64_t now);
void health_put_off(struct health *h, int64_t now);
/* After poll. True: there is a new result. */
bool health_run(struct health *h, const struct pollfd *p, int64_t now);
json_t *health_json(const struct health *h); /* docker's Health object, or NULL: no check */
void health_end(struct health *h);
