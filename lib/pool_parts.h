/* SPDX-License-Identifier: Apache-2.0 */
/* pool_parts: what the files of the pool share: the loop (pool.c), clients and lines (pool_client.c), workers
 * (pool_worker.c). */
#pragma once

#include "homes.h"
#include "pool.h"
#include "template.h"
#include "watch.h"

/* A request from its line to its answer. */
struct job {
	struct eval_request request;
	size_t size;           /* of its line */
	struct client *client; /* NULL: it has vanished */
	struct job *next;      /* of its client, in their order */
	struct job *waiting;   /* of the queue */
	int tries;
	bool done;
	struct buf answer;
};

struct client {
	int in, out; /* of a socket the same; -1: at the end, or closed */
	bool is_socket;
	struct buf line; /* what of a line has come */
	size_t searched; /* of it, for its end */
	bool skipping;   /* the rest of a line which was too long */
	bool gone;       /* nobody is there to be answered */
	struct job *first, *last;
	size_t n_jobs, job_bytes;
	struct buf to; /* answers */
	size_t told;
	struct client *next;
};

struct worker {
	enum {
		WORKER_EMPTY,
		WORKER_MAKING, /* a cell was asked for */
		WORKER_READY,
		WORKER_BUSY,
		WORKER_ENDED, /* the snippet's own process; others may still die and hold its streams */
	} state;
	struct job *job;
	int64_t began, deadline;
	const char *killed; /* reason; NULL: it was not */
	int64_t lost; /* when the template, asked for a cell or for the end of one, has not answered; 0: never */

	/* in the template's container */
	size_t lane; /* for good */
	uint32_t number;
	int pidfd, proc, files; /* of its cell */
	int holder;             /* KEEPER_HOLDER's directory, until it has ended */
	struct eval_io io;
	struct watch watch;
	bool watched;
	int64_t next_look;
	int64_t pids; /* to be watched; 0: the kernel keeps them */
	int64_t wall_ns;
	int status;
	struct rusage usage;

	/* in a container of its own: a process which looks after it */
	pid_t pid;
	int answer; /* it comes from here */
	struct buf text;
};

struct pool {
	const struct pool_ask *ask;
	struct template template;
	struct homes homes; /* of its lanes */
	struct worker *workers;
	size_t n_workers, busy;
	int64_t free_since; /* no worker was busy, unless one is */
	bool rested;        /* nobody had asked for anything for a while before the last request */
	struct job *first, *last; /* the queue */
	struct client *clients;
	size_t n_clients, clients_max;
	size_t job_bytes; /* of all requests that are not answered */
	uint32_t numbers;
	int failures;      /* of cells or templates, in a row */
	char failure[256]; /* the last one of a cell */
	bool fresh, was_ready, over, broken;
	bool isolated; /* a child of a template was, once */
	uint64_t answered, bytes;
	int listener, signals;
	int64_t deaf_until; /* no descriptor is free: who knocks waits */
	void (*ready)(void *arg);
	struct err why; /* broken: nothing can be run at all */
};

/* pool.c */
void pool_queue(struct pool *p, struct job *j);
void pool_queue_again(struct pool *p, struct job *j);

/* pool_client.c */
#define CLIENT_FDS 2
struct client *client_add(struct pool *p, int in, int out);
void client_poll(const struct pool *p, const struct client *c, struct pollfd fds[CLIENT_FDS]);
void client_step(struct pool *p, struct client *c, const struct pollfd fds[CLIENT_FDS]);
/* Nobody is there any more: its requests end. */
void client_lose(struct pool *p, struct client *c);
bool client_is_over(const struct client *c);
void client_free(struct pool *p, struct client *c); /* it is over */
/* The job has its answer. A client that has vanished wants none: it is freed. */
void job_answer(struct pool *p, struct job *j, struct eval_result *r);
void job_answered(struct pool *p, struct job *j);
void job_refuse(struct pool *p, struct job *j, const char *type, const struct err *e);

/* pool_worker.c */
#define WORKER_FDS (EVAL_IO_FDS + 1)
/* Most snippets end within this time, and need not share the machine with what can be done after it. */
#define WORKER_BRIEF_NS 3000000LL
/* It has run for less than that. */
bool worker_is_brief(const struct worker *w, int64_t now);
void worker_poll(const struct worker *w, int64_t now, struct pollfd fds[WORKER_FDS]);
int64_t worker_wakes(const struct worker *w, int64_t now); /* 0: never */
/* The template owes an answer for too long: it has come to a standstill. */
bool worker_is_lost(const struct worker *w, int64_t now);
void worker_step(struct pool *p, struct worker *w, const struct pollfd fds[WORKER_FDS]);
void worker_look(struct worker *w, int64_t now);
/* Asks for a cell. */
int worker_make(struct pool *p, struct worker *w, struct err *e);
/* Takes the job, which is not in the queue. */
void worker_start(struct pool *p, struct worker *w, struct job *j);
void worker_hear(struct pool *p, struct worker *w, const struct template_news *news);
void worker_kill(struct worker *w, const char *reason);
void worker_clear(struct pool *p, struct worker *w);
