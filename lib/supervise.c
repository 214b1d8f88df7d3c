/* SPDX-License-Identifier: Apache-2.0 */
#include "supervise.h"

#include "auto.h"
#include "await.h"
#include "cgroup.h"
#include "epitaph.h"
#include "event.h"
#include "fallback.h"
#include "health.h"
#include "launch.h"
#include "log.h"
#include "outcome.h"
#include "spec.h"
#include "sweep.h"
#include "sys.h"
#include "toll.h"
#include "volume.h"
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>

#define CLIENTS_MAX 64
#define STDIN_MAX   65536

struct client {
	int sock;
	struct ctl_attach wants;
	struct ctl_frame *pending; /* what did not fit into its socket; NULL: nothing */
	size_t pending_len;
};

enum end { END_EXITED, END_TIMEOUT, END_OOM, END_CPU, END_PIDS, END_OUTPUT, END_CLIENT };

static const char *const end_names[] = {
	[END_EXITED] = "exited",
	[END_TIMEOUT] = "timeout",
	[END_OOM] = "oom",
	[END_CPU] = "cpu-time",
	[END_PIDS] = "pids",
	[END_OUTPUT] = "output-limit",
	[END_CLIENT] = "client-gone",
};

struct sup {
	struct supervise *ask;
	struct launched c;
	int life, listener, timer;
	int in;     /* writing end of the container's stdin, or the terminal; -1: none */
	int out[2]; /* reading ends of stdout and stderr; a terminal is out[0] */
	struct client clients[CLIENTS_MAX];
	size_t n_clients;
	char *stdin_data; /* what the container did not take yet */
	size_t stdin_len;
	bool stdin_eof;
	struct log_writer log;
	struct watch watch;
	struct health health;
	struct cgroup cgroup;
	struct cgroup_stats used; /* of it, at the end of a life */
	int64_t ooms_before;
	bool root; /* the machine's: no resource limit counts its processes */
	int64_t began, deadline, kill_at, next_look;
	int64_t restart_at, restart_delay; /* between two lives of the container */
	bool by_hand;                      /* it is being stopped by someone */
	bool joined;                       /* we are in the user namespace already */
	enum end end;
	uint64_t bytes[2], dropped;
	struct rusage usage;
	struct toll toll; /* of those who are killed with pid 1 */
	int status;       /* as waitpid() gives it */
};

/* ---- clients -------------------------------------------------------------------------- */

static void drop_client(struct sup *s, size_t i)
{
	struct client *c = &s->clients[i];

	(void)close(c->sock); /* the other side is gone */
	free(c->pending);
	*c = s->clients[--s->n_clients];
}

/* Sends, or keeps it until the client takes it; meanwhile nothing more is read from the container,
 * which is how docker slows a container down to its reader's pace too. */
static bool tell_client(struct client *c, char kind, const void *data, size_t n)
{
	if (ctl_send(c->sock, (enum ctl_kind)kind, data, n) == 0)
		return true;
	if (errno != EAGAIN)
		return false;
	c->pending = xcalloc(1, sizeof(*c->pending));
	c->pending->kind = kind;
	memcpy(c->pending->data, data, n);
	c->pending_len = n;
	return true;
}

static bool sup_any_pending(const struct sup *s)
{
	for (size_t i = 0; i < s->n_clients; i++)
		if (s->clients[i].pending)
			return true;
	return false;
}

static bool sup_add_client(struct sup *s, int sock)
{
	if (s->n_clients == CLIENTS_MAX)
		return false;
	s->clients[s->n_clients++] = (struct client){.sock = sock};
	return true;
}

/* One who waited for the start. */
static void sup_join_client(int sock, const struct ctl_attach *wants, void *arg)
{
	struct sup *s = arg;

	if (!sup_add_client(s, sock))
		(void)close(sock); /* as in sup_on_listener() */
	else
		s->clients[s->n_clients - 1].wants = *wants;
}

/* ---- the container's streams ---------------------------------------------------------- */

static void close_stdin(struct sup *s)
{
	if (s->in < 0 || s->ask->plan->tty)
		return;               /* a terminal has no end of its own: ^D is a byte */
	(void)close(take_fd(&s->in)); /* a pipe */
}

static void sup_feed(struct sup *s)
{
	while (s->in >= 0 && s->stdin_len > 0) {
		ssize_t n = write(s->in, s->stdin_data, s->stdin_len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			/* Nobody reads any more: what comes later is as lost as what is here. */
			s->stdin_len = 0;
			close_stdin(s);
			return;
		}
		s->stdin_len -= (size_t)n;
		memmove(s->stdin_data, s->stdin_data + n, s->stdin_len);
	}
	if (s->stdin_eof && s->stdin_len == 0 && s->ask->spec->stdin_once)
		close_stdin(s);
}

static void sup_take_input(struct sup *s, const char *data, size_t n)
{
	if (s->in < 0)
		return;
	s->stdin_data = xrealloc(s->stdin_data, s->stdin_len + n, 1);
	memcpy(s->stdin_data + s->stdin_len, data, n);
	s->stdin_len += n;
	sup_feed(s);
}

static void sup_end_container(struct sup *s, enum end why)
{
	if (s->end == END_EXITED)
		s->end = why;
	if (s->ask->plan->namespaces & CLONE_NEWPID)
		toll_take(s->c.proc, &s->toll);
	(void)sys_pidfd_kill(s->c.pidfd, SIGKILL); /* it may have ended by itself */
}

static void lose_client(struct sup *s, size_t i)
{
	struct ctl_attach wants = s->clients[i].wants;

	drop_client(s, i);
	if (wants.die_with_me)
		sup_end_container(s, END_CLIENT);
	else if (wants.in && s->ask->spec->stdin_once) {
		/* docker closes the input of "run -i" when its client goes */
		s->stdin_eof = true;
		sup_feed(s);
	}
}

static void sup_tell_clients(struct sup *s, int stream, const char *data, size_t n)
{
	for (size_t i = s->n_clients; i-- > 0;) {
		struct client *c = &s->clients[i];

		if (stream == 0 ? !c->wants.out : !c->wants.err)
			continue;
		if (!tell_client(c, stream == 0 ? CTL_OUT : CTL_ERR, data, n))
			lose_client(s, i); /* the loop would not find it any more */
	}
}

/* The part of n bytes which the limit of output still lets through. */
static size_t within_limit(struct sup *s, size_t n)
{
	uint64_t limit = (uint64_t)s->ask->plan->output_limit, had = s->bytes[0] + s->bytes[1];
	uint64_t room = had < limit ? limit - had : 0;

	if (limit == 0 || n <= room)
		return n;
	s->dropped += n - room;
	if (s->ask->plan->output_limit_kills)
		sup_end_container(s, END_OUTPUT);
	return room;
}

/* Reads once; false at the end of the stream (or when there is nothing now). */
static bool sup_take_output(struct sup *s, int stream)
{
	char data[CTL_DATA_MAX];
	ssize_t n = sys_read(s->out[stream], data, sizeof(data));
	size_t fine;

	if (n <= 0) {
		/* EIO is how a terminal ends. */
		if (n == 0 || errno != EAGAIN) {
			if (s->out[stream] == s->in)
				s->in = -1;
			(void)close(take_fd(&s->out[stream])); /* only read from */
		}
		return false;
	}
	fine = within_limit(s, (size_t)n);
	s->bytes[stream] += fine;
	if (fine > 0) {
		log_write(&s->log, stream, data, fine);
		sup_tell_clients(s, stream, data, fine);
	}
	return true;
}

/* ---- messages of clients -------------------------------------------------------------- */

static void resize(struct sup *s, const char *data)
{
	struct ctl_size size;
	struct winsize w = {0};

	memcpy(&size, data, sizeof(size)); /* one byte behind what is aligned */
	w.ws_row = size.rows;
	w.ws_col = size.cols;
	if (s->c.pty >= 0)
		(void)ioctl(s->c.pty, TIOCSWINSZ, &w); /* a terminal that is gone has no size */
}

static void pass_signal(struct sup *s, const char *data)
{
	int32_t signo;

	memcpy(&signo, data, sizeof(signo));     /* likewise */
	(void)sys_pidfd_kill(s->c.pidfd, signo); /* it may have ended */
}

static void sup_begin_watch(struct sup *s);

/* The spec was changed: what can be had while it runs follows now, the rest at the next start. */
static void sup_update(struct sup *s)
{
	struct supervise *a = s->ask;
	struct err unread; /* then it stays as it is */
	auto_json json_t *json = state_load_spec(a->store, a->state->id, &unread);
	int64_t peak = s->watch.peak, peak_pids = s->watch.peak_pids;
	bool killed = s->watch.killed;
	auto_spec struct spec new;

	spec_init(&new);
	if (json && spec_from_json(&new, json, &unread) == 0) {
		free(a->spec->restart);
		a->spec->restart = take(new.restart);
		a->spec->restart_max = new.restart_max;
		plan_limits(a->plan, &new);
		cgroup_set(&s->cgroup, a->plan);
		watch_end(&s->watch);
		sup_begin_watch(s);
		s->watch.peak = peak > s->watch.peak ? peak : s->watch.peak;
		s->watch.peak_pids = peak_pids > s->watch.peak_pids ? peak_pids : s->watch.peak_pids;
		s->watch.killed |= killed;
	}
}

static void update(struct sup *s, struct client *c)
{
	sup_update(s);
	(void)tell_client(c, CTL_UPDATED, "", 0); /* one who is gone does not care */
}

static void keep(struct sup *s, struct client *c)
{
	s->ask->state->auto_remove = false;
	(void)tell_client(c, CTL_UPDATED, "", 0); /* as above */
}

/* One message of client i; false: the client is gone. */
static bool hear_client(struct sup *s, size_t i)
{
	struct ctl_frame *f = xcalloc(1, sizeof(*f));
	struct client *c = &s->clients[i];
	ssize_t n = ctl_recv(c->sock, f);
	bool alive = n >= 0 || errno == EAGAIN;

	if (n < 0)
		f->kind = 0;
	if (f->kind == CTL_ATTACH && n == sizeof(struct ctl_attach))
		memcpy(&c->wants, f->data, sizeof(c->wants));
	else if (f->kind == CTL_STDIN && c->wants.in)
		sup_take_input(s, f->data, (size_t)n);
	else if (f->kind == CTL_EOF && c->wants.in)
		s->stdin_eof = true;
	else if (f->kind == CTL_RESIZE && n == sizeof(struct ctl_size))
		resize(s, f->data);
	else if (f->kind == CTL_UPDATE)
		update(s, c);
	else if (f->kind == CTL_STOP)
		s->by_hand = true;
	else if (f->kind == CTL_KEEP)
		keep(s, c);
	else if (f->kind == CTL_SIGNAL && n == sizeof(int32_t))
		pass_signal(s, f->data);
	if (f->kind == CTL_EOF)
		sup_feed(s);
	free(f);
	return alive;
}

/* ---- time ----------------------------------------------------------------------------- */

static int64_t soonest(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	return a < b ? a : b;
}

static void sup_set_timer(struct sup *s)
{
	int64_t at = soonest(soonest(s->deadline, s->kill_at), soonest(s->next_look, s->restart_at));
	struct itimerspec t = {0};

	at = soonest(at, health_wakes(&s->health));
	if (at) {
		t.it_value.tv_sec = at / 1000000000;
		t.it_value.tv_nsec = at % 1000000000;
	}
	(void)timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &t, NULL); /* the arguments are sound */
}

static void look(struct sup *s, int64_t now)
{
	int64_t next = 0;

	switch (watch_look(&s->watch, &next)) {
	case WATCH_OOM:
		sup_end_container(s, END_OOM);
		break;
	case WATCH_CPU:
		sup_end_container(s, END_CPU);
		break;
	case WATCH_PIDS:
		sup_end_container(s, END_PIDS);
		break;
	case WATCH_FINE:
		break;
	}
	s->next_look = next ? now + next : 0;
}

static void sup_on_timer(struct sup *s)
{
	int64_t now = sys_now_ns();
	uint64_t count;

	(void)!read(s->timer, &count, sizeof(count)); /* only to make it quiet */
	if (s->next_look && now >= s->next_look)
		look(s, now);
	if (s->deadline && now >= s->deadline) {
		s->deadline = 0;
		if (s->ask->plan->kill_after_ns) {
			s->end = END_TIMEOUT;
			s->kill_at = now + s->ask->plan->kill_after_ns;
			(void)sys_pidfd_kill(s->c.pidfd, SIGTERM); /* it may have ended */
		} else {
			sup_end_container(s, END_TIMEOUT);
		}
	}
	if (s->kill_at && now >= s->kill_at)
		sup_end_container(s, END_TIMEOUT);
	sup_set_timer(s);
}

static int note_oom(struct state *st, void *arg, struct err *e)
{
	(void)arg;
	(void)e;
	st->oom_killed = true;
	if (!st->extra)
		st->extra = json_object();
	(void)json_object_set_new(
		st->extra, "ooms", json_integer(json_int(st->extra, "ooms", 0) + 1)); /* memory */
	return 0;
}

/* Known before the process ends: who waits for that looks here for the reason. */
static void on_oom(void *arg)
{
	struct sup *s = arg;
	struct state *st = s->ask->state;
	struct err e;

	(void)note_oom(st, NULL, &e);
	(void)state_update(s->ask->store, st->id, note_oom, NULL, &e); /* the end says it again */
	event_container(s->ask->store, st, "oom", NULL, NULL);
}

static void sup_begin_watch(struct sup *s)
{
	const struct watch_for want = {.memory = !(s->cgroup.holds & HOLDS_MEMORY),
		.pids = s->root && !(s->cgroup.holds & HOLDS_PIDS)};

	watch_begin(&s->watch, s->ask->plan, &want, s->c.proc, s->c.pid);
	s->watch.on_kill = on_oom;
	s->watch.arg = s;
	look(s, sys_now_ns());
	sup_set_timer(s);
}

/* ---- start ---------------------------------------------------------------------------- */

/* Streams: a pipe each, ours without blocking; the container's ends in std. */
static int sup_make_streams(struct sup *s, int *std, struct err *e)
{
	int pair[2];

	std[0] = std[1] = std[2] = -1;
	if (s->ask->plan->tty)
		return 0;
	if (s->ask->streams[0] >= 0) {
		for (int i = 0; i < 3; i++)
			std[i] = take_fd(&s->ask->streams[i]); /* for one life: such a container is not restarted */
		return 0;
	}
	if (s->ask->plan->stdin_open) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		std[0] = pair[0];
		s->in = pair[1];
		(void)fcntl(s->in, F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	for (int i = 0; i < 2; i++) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		s->out[i] = pair[0];
		std[1 + i] = pair[1];
		(void)fcntl(s->out[i], F_SETFL, O_NONBLOCK); /* as above */
	}
	return 0;
}

/* The container by overlay or, where that cannot be, on a private copy of its image. */
static int launch_somehow(struct sup *s, struct launch *l, struct err *e)
{
	struct supervise *a = s->ask;
	auto_free char *rootfs = NULL;

	if (!fallback_no_overlay()) {
		if (launch_container(l, &s->c, e) == 0)
			return 0;
		if (e->kind != ERR_NO_OVERLAY)
			return -1;
		err_clear(e);
	}
	if (fallback_rootfs(a->store, a->state->id, a->layers, a->lower, &rootfs, e) < 0)
		return -1;
	l->rootfs = rootfs;
	return launch_container(l, &s->c, e);
}

/* Beside the child that builds the container: once, for all its lives. */
static int open_to_clients(void *arg, struct err *e)
{
	struct sup *s = arg;

	if (s->listener >= 0)
		return 0;
	s->listener = ctl_listen(s->ask->store, s->ask->state->id, e);
	return s->listener < 0 ? -1
	                       : log_begin(&s->log, s->ask->store, s->ask->state->id, s->ask->spec, e);
}

/* For those who join, and for who finds it when we have been killed: therefore before anything is in it. */
static void note_cgroup(struct sup *s)
{
	struct state *st = s->ask->state;
	json_t *cgroup = cgroup_to_json(&s->cgroup);
	struct err e;

	(void)json_object_del(st->extra, "cgroup"); /* of the last time; or there is none */
	if (!cgroup)
		return;
	(void)json_object_set_new(st->extra, "cgroup", cgroup); /* memory */
	(void)state_save(s->ask->store, st, &e);                /* the start says it again */
}

static int sup_launch(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;
	auto_free char *stage = xasprintf("%s/stage", a->store->runtime_path), *upper = NULL;
	struct launch l = {.plan = a->plan,
		.stage = stage,
		.store = a->store,
		.lease = a->lease,
		.lower = a->lower,
		.filter = a->filter,
		.cgroup = &s->cgroup,
		.join = a->join,
		.meanwhile = open_to_clients,
		.arg = s};
	int result;

	/* While we are in the user namespace whose control groups these are. */
	if (!s->joined) {
		s->root = geteuid() == 0;
		cgroup_open(&s->cgroup, a->state->id, a->plan, s->root);
		note_cgroup(s);
	}
	if (fallback_upper(a->store, a->state->id, &upper, e) < 0 ||
		fallback_renew_work(upper ? upper : a->dir, e) < 0 || sup_make_streams(s, l.std, e) < 0)
		return -1;
	l.upper = upper ? upper : a->dir;
	if (upper) /* for who removes it */
		(void)json_object_set_new(a->state->extra, "upper", json_string(upper));
	if (!s->joined && sys_setns(a->lease->userns, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the user namespace");
	s->joined = true;
	/* Without a pid namespace of its own, what it leaves behind is ours to end. */
	if (!(a->plan->namespaces & CLONE_NEWPID))
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* cannot fail with these arguments */
	memcpy(l.seed, a->seed, sizeof(l.seed));
	result = launch_somehow(s, &l, e);
	/* One container's only: whoever starts it again has namespaces made. */
	for (int i = 0; i < SEED_FDS; i++) {
		auto_close_(&a->seed[i]);
		a->seed[i] = -1;
	}
	for (int i = 0; i < 3; i++)
		if (l.std[i] >= 0)
			(void)close(l.std[i]); /* the container's ends are its own */
	if (result < 0)
		return -1;
	s->began = sys_now_ns();
	if (s->c.pty >= 0) {
		s->in = s->out[0] = s->c.pty;
		(void)fcntl(s->c.pty, F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	return 0;
}

static int sup_begin(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;

	s->life = state_life_begin(a->store, a->state->id, e);
	if (s->life < 0)
		return -1;
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->timer < 0)
		return err_sys(e, "timerfd");
	return sup_launch(s, e);
}

static void sup_record_start(struct sup *s)
{
	struct state *st = s->ask->state;
	struct err e;

	/* A container whose state cannot be written still runs; the life file says that it does. */
	(void)state_started(st, s->c.pid, &e);
	health_begin(&s->health, s->ask->spec, s->ask->host, s->ask->filter, s->c.pidfd, s->c.pid,
		s->began);
	s->health.cgroup = &s->cgroup;
	if (s->health.spec) {
		free(st->health);
		st->health = xstrdup(s->health.status);
		(void)json_object_set_new(st->extra, "Health", health_json(&s->health));
	}
	(void)state_save(s->ask->store, st, &e);
	if (s->ask->plan->timeout_ns)
		s->deadline = s->began + s->ask->plan->timeout_ns;
	sup_begin_watch(s);
}

/* ---- the loop ------------------------------------------------------------------------- */

enum {
	ON_PID,
	ON_TIMER,
	ON_LISTEN,
	ON_LEASE,
	ON_IN,
	ON_OUT,
	ON_ERR,
	ON_HEALTH,
	ON_CLIENTS = ON_HEALTH + HEALTH_FDS
};

static nfds_t what_to_poll(struct sup *s, struct pollfd *p)
{
	bool full = sup_any_pending(s);

	p[ON_PID] = (struct pollfd){.fd = s->c.pidfd, .events = POLLIN};
	p[ON_TIMER] = (struct pollfd){.fd = s->timer, .events = POLLIN};
	p[ON_LISTEN] = (struct pollfd){.fd = s->listener, .events = POLLIN};
	p[ON_LEASE] = (struct pollfd){.fd = s->ask->lease->conn};
	p[ON_IN] = (struct pollfd){.fd = s->stdin_len ? s->in : -1, .events = POLLOUT};
	p[ON_OUT] = (struct pollfd){.fd = full ? -1 : s->out[0], .events = POLLIN};
	p[ON_ERR] = (struct pollfd){.fd = full ? -1 : s->out[1], .events = POLLIN};
	health_poll(&s->health, p + ON_HEALTH);
	for (size_t i = 0; i < s->n_clients; i++) {
		struct client *c = &s->clients[i];
		short events = c->pending ? POLLOUT : 0;

		if (s->stdin_len < STDIN_MAX || !c->wants.in)
			events |= POLLIN;
		p[ON_CLIENTS + i] = (struct pollfd){.fd = c->sock, .events = events};
	}
	return ON_CLIENTS + s->n_clients;
}

#define AT_ONCE_MS 2

/* What is over before anybody could look for it, and is removed then, need not be recorded as running: not where
 * somebody is to hear of its output first, or of its start, nor where something watches its limits. */
static bool ends_at_once(struct sup *s)
{
	const struct supervise *a = s->ask;
	struct pollfd p[ON_CLIENTS + CLIENTS_MAX];
	nfds_t n = what_to_poll(s, p);
	bool more;

	if (!a->state->auto_remove || a->attach.in || !(a->attach.out || a->attach.err) ||
		a->plan->memory || a->plan->cpu_time_ns || s->n_clients > 1)
		return false;
	do {
		more = false;
		if (poll(p, n, AT_ONCE_MS) <= 0)
			return false;
		/* The end of its streams comes a little before its own. */
		for (int i = ON_OUT; i <= ON_ERR; i++)
			if (p[i].revents == POLLHUP) {
				p[i].fd = -1;
				more = true;
			}
	} while (more && !p[ON_PID].revents);
	return p[ON_PID].revents;
}

static void sup_flush_client(struct client *c)
{
	if (!c->pending || (ctl_send(c->sock, (enum ctl_kind)c->pending->kind, c->pending->data,
				    c->pending_len) < 0 &&
				   errno == EAGAIN))
		return;
	free(take(c->pending));
}

static void sup_on_clients(struct sup *s, const struct pollfd *p)
{
	/* Backwards: a client that leaves is replaced by the last one. */
	for (size_t i = s->n_clients; i-- > 0;) {
		short got = p[i].revents;

		if (got & POLLOUT)
			sup_flush_client(&s->clients[i]);
		if ((got & POLLIN) ? !hear_client(s, i) : (got & (POLLHUP | POLLERR)) != 0)
			lose_client(s, i);
	}
}

static void sup_on_listener(struct sup *s)
{
	int sock = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (sock >= 0 && !sup_add_client(s, sock))
		(void)close(sock); /* so many clients at once that it cannot be meant */
}

/* Not the whole state: somebody may have paused or renamed the container. */
static int note_health(struct state *st, void *arg, struct err *e)
{
	const struct state *ours = arg;

	(void)e;
	free(st->health);
	st->health = xstrdup(ours->health);
	if (!st->extra)
		st->extra = json_object();
	(void)json_object_set(st->extra, "Health", json_object_get(ours->extra, "Health")); /* memory */
	return 0;
}

static void store_health(struct sup *s)
{
	struct state *st = s->ask->state;
	struct err e;

	free(s->ask->state->health);
	s->ask->state->health = xstrdup(s->health.status);
	(void)json_object_set_new(s->ask->state->extra, "Health", health_json(&s->health));
	(void)state_update(s->ask->store, st->id, note_health, st, &e); /* the next result tries again */
}

static bool is_paused(struct sup *s)
{
	auto_state struct state now = {0};
	struct err unused; /* then it is not known to be */

	return state_load(s->ask->store, s->ask->state->id, &now, &unused) == 0 && now.status == ST_PAUSED;
}

static void sup_on_health(struct sup *s, const struct pollfd *p)
{
	const char *before = s->health.status;
	int64_t now = sys_now_ns();

	if (!s->health.spec)
		return;
	/* docker asks nothing of a container that stands still */
	if (health_is_due(&s->health, now) && is_paused(s)) {
		health_put_off(&s->health, now);
		return;
	}
	if (health_run(&s->health, p, sys_now_ns())) {
		store_health(s);
		if (strcmp(before, s->health.status) != 0)
			event_container(s->ask->store, s->ask->state,
				strcmp(s->health.status, "healthy") == 0 ? "health_status: healthy"
									 : "health_status: unhealthy",
				NULL, NULL);
	}
	sup_set_timer(s);
}

/* Nothing of a container outlives its pid 1: where the pid namespace is not its own, we see to it. */
static void end_rest(struct sup *s)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	sys_kill_children(AT_FDCWD);
	cgroup_kill(&s->cgroup);
	if (s->watch.mounts.st_ino) /* what was exec'ed is not our child */
		sweep(proc, "ns/mnt", &s->watch.mounts, 0);
}

static void run(struct sup *s)
{
	struct pollfd p[ON_CLIENTS + CLIENTS_MAX];

	for (;;) {
		nfds_t n = what_to_poll(s, p);
		size_t clients = s->n_clients;

		if (poll(p, n, -1) < 0 && errno != EINTR)
			break;
		if (p[ON_OUT].revents)
			(void)sup_take_output(s, 0);
		if (p[ON_ERR].revents)
			(void)sup_take_output(s, 1);
		if (p[ON_IN].revents)
			sup_feed(s);
		if (p[ON_TIMER].revents)
			sup_on_timer(s);
		/* sup_take_output() may have dropped one: then the answers are not in order any more. */
		if (clients == s->n_clients)
			sup_on_clients(s, p + ON_CLIENTS);
		sup_on_health(s, p + ON_HEALTH);
		if (p[ON_LISTEN].revents)
			sup_on_listener(s);
		if (p[ON_LEASE].revents)
			layers_go_on(s->ask->store, s->ask->lease);
		if (p[ON_PID].revents)
			break;
		if (s->restart_at && (s->by_hand || sys_now_ns() >= s->restart_at))
			return;
	}
	(void)wait4(s->c.pid, &s->status, 0, &s->usage); /* our child, and only we wait for it */
	toll_add(&s->toll, &s->usage);
	if (!(s->ask->plan->namespaces & CLONE_NEWPID))
		end_rest(s);
}

/* ---- the end -------------------------------------------------------------------------- */

/* Everything that wrote is dead: what is in the pipes is all there will be. */
static void sup_drain(struct sup *s)
{
	for (int i = 0; i < 2; i++)
		while (s->out[i] >= 0) {
			struct pollfd p[1 + CLIENTS_MAX];
			nfds_t n = 0;

			for (size_t k = 0; k < s->n_clients; k++)
				if (s->clients[k].pending)
					p[n++] = (struct pollfd){
						.fd = s->clients[k].sock, .events = POLLOUT};
			/* A client which reads slowly gets it all; one which is stopped holds us up,
			 * as it would hold up the container. */
			if (n > 0) {
				(void)poll(p, n, -1);
				for (size_t k = s->n_clients; k-- > 0;)
					sup_flush_client(&s->clients[k]);
				continue;
			}
			if (!sup_take_output(s, i))
				break;
		}
}

static int sup_exit_code(const struct sup *s)
{
	if (s->end == END_TIMEOUT)
		return 124;
	if (WIFSIGNALED(s->status))
		return 128 + WTERMSIG(s->status);
	return WEXITSTATUS(s->status);
}

/* The kernel, or the watch, has killed for memory. */
static bool memory_was_short(const struct sup *s)
{
	return s->end == END_OOM || s->watch.killed || s->used.ooms > s->ooms_before;
}

static const char *reason(const struct sup *s)
{
	int signo = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;

	if (s->end != END_EXITED || !signo)
		return end_names[s->end];
	if (signo == SIGKILL && memory_was_short(s))
		return "oom";
	return s->by_hand ? "killed-by-user" : "signalled";
}

static json_t *make_result(const struct sup *s, int code)
{
	struct outcome o = {
		.id = s->ask->state->id,
		.reason = reason(s),
		.code = code,
		.signal = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0,
		.timed_out = s->end == END_TIMEOUT,
		.oom_killed = memory_was_short(s),
		.wall_ns = sys_now_ns() - s->began,
		.usage = s->usage,
		.group = s->used,
		.peak_memory = s->watch.peak,
		.peak_pids = s->watch.peak_pids,
		.bytes = {s->bytes[0], s->bytes[1]},
		.dropped = s->dropped,
	};

	return outcome_json(&o, s->ask->plan, &s->cgroup, s->root);
}

static void tell_events(const struct sup *s, int code)
{
	const struct supervise *a = s->ask;
	char text[16];

	if (memory_was_short(s) && !s->watch.killed) /* told already */
		event_container(a->store, a->state, "oom", NULL, NULL);
	(void)snprintf(text, sizeof(text), "%d", code); /* fits */
	event_container(a->store, a->state, "die", "exitCode", text);
}

/* It may have been renamed since it started: what we save, and what is released with it, is its name now. */
static void sup_learn_name(struct sup *s)
{
	struct state *st = s->ask->state;
	auto_state struct state now = {0};
	struct err e;
	id_text id;

	if (st->name && state_find(s->ask->store, st->name, id, &e) == 0 && str_eq(id, st->id))
		return;
	if (state_load(s->ask->store, st->id, &now, &e) < 0 || !now.name)
		return;
	free(st->name);
	st->name = take(now.name);
}

static void sup_record_end(struct sup *s)
{
	struct state *st = s->ask->state;
	int code = sup_exit_code(s);
	struct err e;

	sup_learn_name(s);
	health_end(&s->health);
	(void)clock_gettime(CLOCK_REALTIME, &st->finished);
	st->status = ST_EXITED;
	st->pid = 0;
	st->exit_code = code;
	st->oom_killed = memory_was_short(s);
	st->timed_out = s->end == END_TIMEOUT;
	st->result = make_result(s, code);
	/* What cannot be written now (a full disk) is found out by the next command from the life file,
	 * whose block is there already. */
	if (!st->auto_remove)
		(void)state_save(s->ask->store, st, &e);
	tell_events(s, code);
}

static void sup_tell_end(struct sup *s)
{
	struct state *st = s->ask->state;
	auto_free char *result = json_dumps(st->result, JSON_COMPACT);
	size_t n = result ? strlen(result) : 0;
	char message[sizeof(struct ctl_exit) + 4096];
	struct ctl_exit x = {.code = st->exit_code};

	if (n > 4096)
		n = 0;
	memcpy(message, &x, sizeof(x));
	if (n)
		memcpy(message + sizeof(x), result, n);
	for (size_t i = 0; i < s->n_clients; i++) {
		(void)fcntl(s->clients[i].sock, F_SETFL, 0); /* now we can wait for it */
		(void)ctl_send(s->clients[i].sock, CTL_EXIT, message, sizeof(x) + n);
	}
}

/* What the words around a failed exec are in docker's mouth; a harness matches its tail. */
static void sup_start_err(struct err *e)
{
	char cause[sizeof(e->text)];

	memcpy(cause, e->text, sizeof(cause));
	if (e->kind == ERR_NO_COMMAND || e->kind == ERR_NOT_EXECUTABLE)
		(void)snprintf(e->text, sizeof(e->text),
			"failed to create task for container: failed to create shim task: OCI runtime create "
			"failed: runc create failed: unable to start container process: error during container "
			"init: %.600s: unknown",
			cause);
}

static void __attribute__((noreturn)) sup_fail(struct sup *s, struct err *e)
{
	struct state *st = s->ask->state;
	struct err other;

	cgroup_remove(&s->cgroup);
	sup_start_err(e);
	/* As docker keeps it: never started, with the code and the reason. Without the life file it is
	 * another supervisor's container, who has just been faster. */
	st->exit_code = err_exit_status(e, 128);
	free(st->error);
	st->error = xstrdup(e->text);
	if (s->life < 0) {
		;
	} else if (st->auto_remove) {
		(void)state_remove(s->ask->store, st, &other);
		event_container(s->ask->store, st, "destroy", NULL, NULL);
	} else {
		(void)state_save(s->ask->store, st, &other);
	}
	if (s->life >= 0) {
		/* Who waits for its end hears that there will be none other. */
		await_join(s->ask->store, st->id, sup_join_client, s);
		(void)state_life_end(s->life, st->exit_code, &other);
		sup_tell_end(s);
	}
	(void)ctl_send(s->ask->client, CTL_FAILED, e, sizeof(*e)); /* it may be gone */
	_exit(1);
}

/* Nothing of the client stays open here: its pipes must close when it goes, and a harness that closes
 * its own must be heard. */
static void sup_leave_client(const struct supervise *a)
{
	int keep[LEASE_FDS + 8 + SEED_FDS + LAYERS_MAX], n = layers_fds(a->lease, keep), null;

	keep[n++] = a->client;
	keep[n++] = a->store->root;
	keep[n++] = a->store->runtime;
	keep[n++] = a->join;
	for (int i = 0; i < 3; i++)
		keep[n++] = a->streams[i];
	for (int i = 0; i < SEED_FDS; i++)
		keep[n++] = a->seed[i];
	for (int i = 0; i < a->lease->n; i++)
		keep[n++] = a->lease->layer[i].mount;
	sys_keep_only(keep, (size_t)n);
	/* 0, 1 and 2 are not free for what is opened next: a stray message must not get into it. */
	null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2)
		null = dup(null);
	(void)setsid(); /* fails where we lead a session already */
	(void)prctl(PR_SET_NAME, "sbx-supervise");
	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL); /* as reset_signals() of launch */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
}

/* ---- restart -------------------------------------------------------------------------- */

#define RESTART_FIRST_NS 100000000LL
#define RESTART_MAX_NS   60000000000LL
#define RAN_WELL_NS      10000000000LL

static bool restarts(const struct sup *s)
{
	const char *policy = s->ask->spec->restart;
	int64_t max = s->ask->spec->restart_max;

	if (!policy || s->by_hand || strcmp(policy, "no") == 0 || s->end == END_TIMEOUT)
		return false;
	if (strcmp(policy, "on-failure") != 0)
		return true;
	return sup_exit_code(s) != 0 && (max <= 0 || s->ask->state->restart_count < max);
}

static void sup_close_streams(struct sup *s)
{
	if (s->in >= 0 && s->in != s->c.pty)
		(void)close(s->in);
	for (int i = 0; i < 2; i++)
		if (s->out[i] >= 0 && s->out[i] != s->c.pty)
			(void)close(s->out[i]);
	auto_close_(&s->c.pty);
	auto_close_(&s->c.proc);
	auto_close_(&s->c.pidfd);
	auto_close_(&s->c.mounts);
	s->in = s->out[0] = s->out[1] = s->c.pty = s->c.proc = s->c.pidfd = s->c.mounts = -1;
	s->stdin_len = 0;
}

/* Waits as long as docker does: a tenth of a second, twice as long each time, at most a minute; clients
 * are heard meanwhile. False: it was stopped by hand. */
static bool wait_to_restart(struct sup *s)
{
	struct state *st = s->ask->state;
	struct err e;

	s->restart_delay = s->restart_delay && sys_now_ns() - s->began < RAN_WELL_NS
	                           ? 2 * s->restart_delay
	                           : RESTART_FIRST_NS;
	if (s->restart_delay > RESTART_MAX_NS)
		s->restart_delay = RESTART_MAX_NS;
	sup_learn_name(s);
	st->status = ST_RESTARTING;
	st->restart_count++;
	(void)state_save(s->ask->store, st, &e); /* the life file says that it is not over */
	sup_close_streams(s);
	s->deadline = s->kill_at = s->next_look = 0;
	s->restart_at = sys_now_ns() + s->restart_delay;
	sup_set_timer(s);
	run(s);
	s->restart_at = 0;
	return !s->by_hand;
}

/* The layers were attached in the namespace that is gone: they are leased anew. */
static int launch_again(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;
	struct strv lower = {0};
	struct lease fresh = {.conn = -1, .userns = -1};

	if (fallback_lease(a->store, layers_ids(a->lease), a->layers, &fresh, &lower, e) < 0)
		return -1;
	lease_done(a->lease);
	*a->lease = fresh;
	strv_done(&lower); /* the same directories as before */
	s->end = END_EXITED;
	s->toll = (struct toll){0};
	return sup_launch(s, e);
}

/* From the end of one life to the start of the next; false: this was the last. */
static bool live_again(struct sup *s)
{
	struct err e = {0};

	if (!restarts(s))
		return false;
	if (!wait_to_restart(s))
		return false;
	if (launch_again(s, &e) < 0) {
		sup_start_err(&e);
		free(s->ask->state->error);
		s->ask->state->error = xstrdup(e.text);
		return false;
	}
	sup_record_start(s);
	event_container(s->ask->store, s->ask->state, "start", NULL, NULL);
	return true;
}

void supervise(struct supervise *a)
{
	struct sup s = {.ask = a,
		.c = {-1, -1, -1, -1, -1},
		.life = -1,
		.listener = -1,
		.timer = -1,
		.in = -1,
		.out = {-1, -1}};
	struct err e = {0};
	const char *upper;
	int files = -1;

	sup_leave_client(a);
	(void)fcntl(a->client, F_SETFL, O_NONBLOCK);
	if (sup_begin(&s, &e) < 0)
		sup_fail(&s, &e);
	(void)sup_add_client(&s, a->client);
	s.clients[0].wants = a->attach;
	await_join(a->store, a->state->id, sup_join_client, &s);
	if (ends_at_once(&s))
		(void)clock_gettime(CLOCK_REALTIME, &a->state->started); /* always there */
	else
		sup_record_start(&s);
	event_container(a->store, a->state, "start", NULL, NULL);
	(void)ctl_send(a->client, CTL_STARTED, NULL, 0); /* one who is gone is noticed in the loop */
	/* Nobody is attached: it is going to be a long sleep. */
	if (!a->attach.out && !a->attach.err)
		sys_trim();
	do {
		run(&s);
		watch_end(&s.watch);
		sup_drain(&s);
		s.ooms_before = s.used.ooms > 0 ? s.used.ooms : 0;
		cgroup_stats(&s.cgroup, &s.used);
		/* Before the state says that it is over: whoever finds a dead supervisor's container
		 * running cleans up after it. */
		if (!restarts(&s))
			cgroup_remove(&s.cgroup);
		sup_record_end(&s);
	} while (live_again(&s));
	log_end(&s.log);
	cgroup_remove(&s.cgroup);
	if (a->state->status == ST_RESTARTING)
		sup_record_end(&s);
	(void)state_life_end(s.life, a->state->exit_code, &e); /* a waiter then learns it from the state */
	if (a->state->auto_remove) {
		epitaph_write(a->store, a->state->id, a->state->exit_code);
		(void)state_retire(a->store, a->state, &files, &e); /* the next command finishes it */
	}
	if (a->state->auto_remove) {
		(void)volume_remove_anonymous(a->store, a->spec, &e); /* `volume prune` finds it */
		event_container(a->store, a->state, "destroy", NULL, NULL);
	}
	/* Who waits for the end waits neither for the mounts nor for the disk. Who then starts it again or
	 * removes it, waits for the life file: as long as the root is mounted, what it wrote takes up room. */
	sup_tell_end(&s);
	auto_close_(&s.c.mounts); /* the last one: what was mounted goes */
	(void)close(take_fd(&s.life));
	upper = json_str(a->state->extra, "upper", NULL);
	if (files >= 0 && upper)
		(void)fallback_upper_remove(upper, a->state->id, &e); /* nothing more can be done */
	if (files >= 0)
		(void)state_remove_rest(a->store, a->state->id, &e); /* likewise */
	_exit(0);
}
