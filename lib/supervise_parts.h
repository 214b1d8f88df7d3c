/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise_parts: what the files of the supervisor share: its life (supervise.c), the start of the container
 * (supervise_start.c), who is attached (supervise_clients.c), what flows (supervise_streams.c), time and limits
 * (supervise_limits.c), health checks (supervise_health.c), how it ended and who is told (supervise_end.c).
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
#include <sys/resource.h>

#define STDIN_MAX 65536

/* What did not fit into a client's socket yet. */
struct frame {
	struct frame *next;
	size_t n;
	enum ctl_kind kind;
	char data[];
};

struct client {
	int sock;
	struct ctl_attach wants;
	struct frame *pending; /* oldest first; NULL: nothing */
	bool over; /* it was told of the end, which is the last that it gets: nobody waits for it any more */
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
	int life, listener, timer;
	int in;     /* writing end of the container's stdin, or the terminal; -1: none */
	int out[2]; /* reading ends of stdout and stderr; a terminal is out[0] */
	struct client *clients;
	size_t n_clients, room; /* room: for how many */
	struct pollfd *polls;
	int64_t deaf_until; /* no descriptor is free: who knocks waits */
	char *stdin_data;   /* what the container did not take yet */
	size_t stdin_len;
	bool stdin_eof;
	struct log_writer log;
	struct watch watch;
	struct health health;
	struct publish publish;
	struct quota_server quota;
	struct cgroup cgroup;
	struct cgroup_stats used; /* of it, at the end of a life */
	int64_t ooms_before;
	bool root; /* the machine's: no resource limit counts its processes */
	bool hide; /* see hop_needed(): of before we joined */
	int64_t began, ended, deadline, kill_at, next_look;
	int64_t restart_at, restart_delay; /* between two lives of the container */
	bool by_hand;                      /* it is being stopped by someone */
	uint64_t sent;                     /* a bit for each signal that someone sent it */
	bool joined;                       /* we are in the user namespace already */
	enum end end;
	uint64_t bytes[2], dropped;
	struct rusage usage;
	struct toll toll; /* of those who are killed with pid 1 */
	int status;       /* as waitpid() gives it */
};

/* supervise_start.c */
void sup_leave_client(const struct supervise *a);
int sup_begin(struct sup *s, struct err *e);
int sup_launch(struct sup *s, struct err *e);
/* -1: its state could not be written, and it has been ended. */
int sup_record_start(struct sup *s, struct err *e);

/* supervise_clients.c */
void sup_add_client(struct sup *s, int sock);
/* One who waited for the start: an await_fn, arg is the sup. */
void sup_join_client(int sock, const struct ctl_attach *wants, void *arg);
void sup_tell_clients(struct sup *s, int stream, const char *data, size_t n);
/* A client has not taken what it was sent: until then nothing more is read. */
bool sup_any_pending(const struct sup *s);
/* To all of them; who takes it at once is let go. */
void sup_tell_last(struct sup *s, enum ctl_kind kind, const void *data, size_t n);
/* Waits until the others have taken the rest, too, or are gone. */
void sup_let_clients_go(struct sup *s);
/* Client i is gone, or has to be told that something was lost: it hears that nobody answers any more. */
void sup_lose_client(struct sup *s, size_t i);
void sup_on_clients(struct sup *s, const struct pollfd *p);
void sup_on_listener(struct sup *s);
bool sup_accept(struct sup *s); /* one who knocks; false: there is none */

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
/* Somebody has something in mind with a container that may have been idle. */
void sup_look_soon(struct sup *s);
void sup_update(struct sup *s);
void sup_set_timer(struct sup *s);
void sup_on_timer(struct sup *s);
void sup_end_container(struct sup *s, enum end why);

/* supervise_health.c */
void sup_on_health(struct sup *s, const struct pollfd *p);

/* supervise_end.c */
int sup_exit_code(const struct sup *s);
/* again: another life is to follow. */
void sup_record_end(struct sup *s, bool again);
void sup_tell_end(struct sup *s);
/* A failed exec in the words which docker has around it. */
void sup_fail(struct sup *s, struct err *e) __attribute__((noreturn));
