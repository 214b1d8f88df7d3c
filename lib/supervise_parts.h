/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise_parts: shared by the files of the supervisor: its main loop (supervise.c), starting the container
 * (supervise_start.c), attached clients (supervise_clients.c), streams (supervise_streams.c), time and limits
 * (supervise_limits.c), health checks (supervise_health.c), recording and telling the end (supervise_end.c).
 * Nobody else includes this.
 */
#pragma once

#include "supervise.h"

#include "cgroup.h"
#include "health.h"
#include "launch.h"
#include "launch_say.h"
#include "log.h"
#include "publish.h"
#include "quota.h"
#include "toll.h"
#include "watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#define STDIN_MAX 65536

/* A message that did not fit into a client's socket yet. */
struct frame {
	struct frame *next;
	size_t n;
	enum ctl_kind kind;
	char data[];
};

struct client {
	int sock;
	struct ctl_attach wants;
	struct frame *pending; /* oldest first; NULL: none */
	bool over; /* it was told of the end, which is its last message, so it is not waited for any more */
};

enum end {
	END_EXITED,
	END_TIMEOUT,
	END_OOM,
	END_CPU,
	END_PIDS,
	END_OUTPUT,
	END_CLIENT,
	END_STORAGE
};

struct sup {
	struct supervise *ask;
	struct launched c;
	int claim, life, listener, timer;
	int in;     /* writing end of the container's stdin, or the terminal; -1: none */
	int out[2]; /* reading ends of stdout and stderr; a terminal is out[0] */
	struct client *clients;
	size_t n_clients, room; /* room: how many `clients` has room for */
	struct pollfd *polls;
	int64_t deaf_until; /* until when not to accept, as no descriptor is free */
	char *stdin_data;   /* input that the container has not taken yet */
	size_t stdin_len;
	bool stdin_eof;
	struct log_writer log;
	struct watch watch;
	sigset_t waiting; /* for signals of the watch's */
	struct health health;
	struct publish publish;
	struct quota_server quota;
	struct cgroup cgroup;
	struct cgroup_stats used; /* of the control group, at the end of a run */
	int64_t ooms_before;
	bool root; /* we are the machine's root, whose processes RLIMIT_NPROC does not count */
	bool hide; /* hop_needed(), asked before we joined the user namespace */
	int64_t launched; /* when the start of this run began; began: when its command did */
	int64_t began, ended, deadline, kill_at, next_look;
	int64_t kill_again; /* when to look for what keeps a killed container from ending; 0: it was not killed */
	int64_t restart_at, restart_delay; /* between two runs of the container */
	bool by_hand;                      /* a user is stopping it */
	uint64_t sent;                     /* a bit for each signal that users have sent it */
	bool joined;                       /* we have joined the user namespace */
	enum end end;
	uint64_t bytes[2], dropped;
	struct rusage usage;
	struct toll toll; /* of the processes that are killed with pid 1 */
	int status;       /* from waitpid() */
	int signo;        /* that ended the command, 0: none; behind an --init, too */
};

/* supervise_start.c */
void sup_leave_client(const struct supervise *a);
int sup_begin(struct sup *s, struct err *e);
int sup_launch(struct sup *s, struct err *e);
/* -1: the state could not be written, and the container was killed. */
int sup_record_start(struct sup *s, struct err *e);
/* Tells the client that starts it; -1: it could not be told, and the container was killed. before: of the state. */
int sup_tell_start(struct sup *s, enum status before, struct err *e);

/* supervise_clients.c */
void sup_begin_signals(void);
/* To be called before what they say is looked at. */
void sup_heed_signals(struct sup *s);
void sup_add_client(struct sup *s, int sock);
/* Adds a client that has waited for the start: an await_fn, arg is the sup. */
void sup_join_client(int sock, const struct ctl_attach *wants, void *arg);
void sup_tell_clients(struct sup *s, int stream, const char *data, size_t n);
/* Whether a client has not taken all messages yet; until then no more output is read. */
bool sup_any_pending(const struct sup *s);
/* Sends the last message to all clients, and closes those that take it at once. */
void sup_tell_last(struct sup *s, enum ctl_kind kind, const void *data, size_t n);
/* Waits until the other clients have taken it, too, or are gone. */
void sup_let_clients_go(struct sup *s);
/* Whether a client wants the container to end. To be asked before the messages are heard, which they still are afterwards. */
bool sup_any_ends(const struct sup *s);
/* Closes client i, which is gone, or must notice that it has lost messages. */
void sup_lose_client(struct sup *s, size_t i);
void sup_on_clients(struct sup *s, const struct pollfd *p);
void sup_on_listener(struct sup *s);
bool sup_accept(struct sup *s); /* accepts one client; false: there is none */

/* supervise_streams.c */
int sup_make_streams(struct sup *s, int *std, struct err *e);
void sup_close_streams(struct sup *s);
void sup_take_input(struct sup *s, const char *data, size_t n);
void sup_feed(struct sup *s);
bool sup_take_output(struct sup *s, int stream);
void sup_drain(struct sup *s);

/* supervise_limits.c */
void sup_begin_watch(struct sup *s);
void sup_set_deadline(struct sup *s);
/* To be called when a client does something with a container that may have been idle: the watch looks again soon. */
void sup_look_soon(struct sup *s);
void sup_update(struct sup *s);
void sup_set_timer(struct sup *s);
void sup_on_timer(struct sup *s);
/* Kills all of its processes, now and until it has ended. */
void sup_kill(struct sup *s);
void sup_end_container(struct sup *s, enum end why);
/* Waits for its first process, which has ended. */
void sup_reap(struct sup *s);
/* No process outlives pid 1: without a pid namespace of its own, we kill the rest of the container. */
void sup_end_rest(struct sup *s);

/* supervise_health.c */
void sup_on_health(struct sup *s, const struct pollfd *p);

/* supervise_end.c */
int sup_exit_code(const struct sup *s);
/* again: the container will be restarted. */
void sup_record_end(struct sup *s, bool again);
void sup_tell_end(struct sup *s);
/* Ends the supervisor after a failed start, with docker's words around the error. */
void sup_fail(struct sup *s, struct err *e) __attribute__((noreturn));
