/* SPDX-License-Identifier: Apache-2.0 */
/* pool_parts: shared by the files of pool: the loop (pool.c), clients and lines (pool_client.c), workers
 * (pool_worker.c). Nobody else includes this. */
#pragma once

#include "homes.h"
#include "pool.h"
#include "template.h"
#include "watch.h"

/* A request from its line to its answer. */
struct job {
	struct eval_request request;
	size_t size;           /* of its line */
	struct client *client; /* NULL: it has disconnected */
	struct job *next;      /* the client's next one */
	struct job *waiting;   /* the next one in the queue */
	int tries;
	bool done;
	struct buf answer;
};

struct client {
	int in, out; /* equal for a socket; -1: at end of file, or closed */
	bool is_socket;
	struct buf line; /* the unfinished line */
	size_t searched; /* bytes of it without a newline */
	bool skipping;   /* the rest of a line that is too long */
	bool gone;       /* it can get no more answers */
	struct job *first, *last;
	size_t n_jobs, job_bytes;
	struct buf to; /* answers to be sent */
	size_t told;   /* bytes of it sent so far */
	struct client *next;
};

struct worker {
	enum {
		WORKER_EMPTY,
		WORKER_MAKING, /* it has asked for a cell */
		WORKER_READY,
		WORKER_BUSY,
		WORKER_ENDED, /* the snippet's own process has; others may still have to die, and hold its streams */
	} state;
	struct job *job;
	int64_t began, deadline;
	const char *killed; /* the reason for which we killed it, or NULL */
	int64_t lost; /* when to give up waiting for the template's answer, about a cell or the end of one; 0: never */

	/* in the template's container */
	size_t lane; /* never changes */
	uint32_t number;
	int pidfd, proc, files; /* of its cell */
	int holder;             /* KEEPER_HOLDER's directory, until it has ended */
	struct eval_io io;
	struct watch watch;
	bool watched;
	int64_t next_look;
	int64_t pids; /* a limit to be watched; 0: the kernel holds it */
	int64_t wall_ns;
	int status;
	struct rusage usage;

	/* in a container of its own */
	pid_t pid;  /* the process that runs it */
	int answer; /* where that sends the result */
	struct buf text;
};

struct pool {
	const struct pool_ask *ask;
	struct template template;
	struct homes homes; /* the lanes' processors */
	struct worker *workers;
	size_t n_workers, busy;
	int64_t free_since;       /* since when no worker is busy, if none is */
	bool rested;              /* before the last request there was none for a while */
	struct job *first, *last; /* the queue */
	struct client *clients;
	size_t n_clients, clients_max;
	size_t job_bytes; /* of all requests that are not answered */
	uint32_t numbers;
	int failures;      /* of making cells or templates, in a row */
	char failure[256]; /* why the last cell could not be made */
	bool fresh, was_ready, broken;
	int ended_by;  /* a signal; 0: none */
	bool isolated; /* a template's child could be isolated, at least once */
	uint64_t answered, bytes;
	int listener, signals;
	int64_t deaf_until; /* until when not to accept, as no descriptor is free */
	void (*ready)(void *arg);
	struct err why;  /* if broken: why nothing can be run at all */
	struct err lost; /* as pool_run() has it */
};

/* pool.c */
void pool_queue(struct pool *p, struct job *j);
void pool_queue_again(struct pool *p, struct job *j);

/* pool_client.c */
#define CLIENT_FDS 2
struct client *client_add(struct pool *p, int in, int out);
void client_poll(const struct pool *p, const struct client *c, struct pollfd fds[CLIENT_FDS]);
void client_step(struct pool *p, struct client *c, const struct pollfd fds[CLIENT_FDS]);
/* The client has disconnected: drops its requests. */
void client_lose(struct pool *p, struct client *c);
bool client_is_over(const struct client *c);
void client_free(struct pool *p, struct client *c); /* only if client_is_over() */
/* Gives the job its answer; if its client has disconnected the job is freed. */
void job_answer(struct pool *p, struct job *j, struct eval_result *r);
void job_answered(struct pool *p, struct job *j);
void job_refuse(struct pool *p, struct job *j, const char *type, const struct err *e);

/* pool_worker.c */
#define WORKER_FDS (EVAL_IO_FDS + 1)
/* Most snippets end within this time; until then work that can wait is put off, to leave them the processor. */
#define WORKER_BRIEF_NS 3000000LL
/* Whether it has run for less than that. */
bool worker_is_brief(const struct worker *w, int64_t now);
void worker_poll(const struct worker *w, int64_t now, struct pollfd fds[WORKER_FDS]);
int64_t worker_wakes(const struct worker *w, int64_t now); /* 0: never */
/* Whether the template has not answered for so long that it must hang. */
bool worker_is_lost(const struct worker *w, int64_t now);
void worker_step(struct pool *p, struct worker *w, const struct pollfd fds[WORKER_FDS]);
void worker_look(struct worker *w, int64_t now);
/* Asks for a cell. */
int worker_make(struct pool *p, struct worker *w, struct err *e);
/* Runs the job, which must not be in the queue any more. */
void worker_start(struct pool *p, struct worker *w, struct job *j);
void worker_hear(struct pool *p, struct worker *w, const struct template_news *news);
void worker_kill(struct worker *w, const char *reason);
void worker_clear(struct pool *p, struct worker *w);
