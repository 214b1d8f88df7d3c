/* SPDX-License-Identifier: Apache-2.0 */
/* engine_end: kill, stop and restart. */
#include "engine_parts.h"

#include "auto.h"
#include "event.h"
#include "heed.h"
#include "parse.h"
#include "procs.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int send_signal(const struct store *s, const struct state *st, int fd, int signo)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "%d", signo); /* fits */
	event_container(s, st, "kill", "signal", number);    /* before what it causes */
	return state_is_apart(st) ? ctl_send(fd, CTL_SIGNAL, &(int32_t){signo}, sizeof(int32_t))
	                          : sys_pidfd_kill(fd, signo);
}

/* What signals are sent by, and what tells the end: a pidfd of pid 1, or where that has no number the supervisor's socket. */
static int reach(const struct store *s, const struct state *st, struct err *e)
{
	struct err gone;
	int sock;

	if ((st->status != ST_RUNNING && st->status != ST_PAUSED) || !state_is_apart(st) ||
		state_is_here(st, e) < 0)
		return engine_pid1(st, e);
	sock = ctl_connect(s, st->id, &gone);
	if (sock < 0 && state_is_in_reach(st, e) < 0)
		e->kind = ERR_SYSTEM; /* no other try would help */
	return sock;
}

/* Whether a process of it sleeps where no signal reaches it, mostly because a server of files does not answer. */
static bool is_stuck(const struct state *st)
{
	auto_free struct proc *all = NULL;
	size_t n = 0;
	struct err gone;

	if (state_is_apart(st) || procs_list(st, &all, &n, &gone) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (procs_is_stuck(all[i].pid))
			return true;
	return false;
}

#define KILLED_S    10 /* docker's */
#define STUCK_LOOKS 3  /* a second apart: a busy disk, too, holds processes for a while */

#define AT_ONCE_MS 200

/* One of its processes may trace the first one, and keep it from ending: the supervisor kills them all. */
static void kill_all(const struct store *s, const struct state *st, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct err gone;
	auto_close int sock = poll(&p, 1, AT_ONCE_MS) > 0 ? -1 : ctl_connect(s, st->id, &gone);

	/* Asked once more: else it may be the supervisor of a later life. */
	if (sock >= 0 && poll(&p, 1, 0) == 0)
		(void)ctl_send(sock, CTL_SIGNAL, &(int32_t){SIGKILL}, sizeof(int32_t)); /* it may be gone */
}

/* Who was killed ends at once. A crowd takes its time, however long, but is not waited for if it can never end. */
static int wait_for_killed(const struct store *s, const struct state *st, int fd, struct err *e)
{
	kill_all(s, st, fd);
	for (int stuck = 0, wait = KILLED_S; !engine_ends_within(fd, wait); wait = 1) {
		stuck = is_stuck(st) ? stuck + 1 : 0;
		if (stuck == STUCK_LOOKS)
			return err_set(e, ERR_SYSTEM,
				"tried to kill container, but did not receive an exit event");
	}
	return 0;
}

/* It may be stopped: a suspended job's processes are (Slurm's `scontrol suspend`), and then nobody would see to the end. */
static void let_supervisor_go_on(const struct state *st)
{
	auto_close int supervisor = state_supervisor(st);

	if (supervisor >= 0)
		(void)sys_pidfd_kill(supervisor, SIGCONT); /* it may have ended */
}

/* Where its socket cannot be seen. */
static void tell_by_signal(const struct state *st, int signo)
{
	auto_close int supervisor = state_supervisor(st);

	if (supervisor >= 0)
		(void)sys_pidfd_kill(supervisor, signo); /* it may have ended */
}

void engine_tell_by_hand(const struct store *s, const struct made *m, enum ctl_kind kind, uint64_t signals)
{
	struct err e;
	auto_close int sock = -1;

	if (kind == CTL_STOP)
		let_supervisor_go_on(&m->st);
	sock = ctl_connect(s, m->st.id, &e);
	if (sock >= 0)
		(void)ctl_send(sock, kind, &signals,
			sizeof(signals)); /* the supervisor is gone, so it will not be restarted */
	else if (kind == CTL_STOP)
		tell_by_signal(&m->st, CTL_STOP_SIGNAL);
}

/* Waits a moment while a container is being restarted: its supervisor may have begun the next run when it is told not
 * to. So the caller looks again, until the container has ended or runs. */
void engine_let_it_go_on(void)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); /* shorter does no harm */
}

/* Docker's rule: after SIGKILL, its own stop signal, or any where it has none, no restart policy starts it again, whether or
 * not the signal is what ends it. */
static bool is_to_end_it(const struct made *m, int signo)
{
	const char *own = m->spec.stop_signal;

	return signo == SIGKILL || !own || !*own || parse_stop_signal(own) == signo;
}

/* As docker does, lets a paused container go on after such a signal: so it can heed it. Who is killed need not go on for
 * that. */
static void let_it_heed(const struct store *s, const struct made *m, int signo)
{
	struct err ended; /* or unpaused by somebody else */

	if (m->st.status == ST_PAUSED && signo != SIGKILL && is_to_end_it(m, signo))
		(void)engine_pause(s, m->st.id, false, &ended);
}

#define YOUNG_NS 250000000

/* A container of docker's is some hundred milliseconds old when a first signal can reach it, and has prepared for it. One of ours
 * is two, and would lose it. */
static void let_it_begin(const struct state *st, int pidfd, int signo)
{
	struct timespec now;
	int64_t age;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	age = (now.tv_sec - st->started.tv_sec) * 1000000000 + now.tv_nsec - st->started.tv_nsec;
	if (signo != SIGKILL && signo != SIGSTOP && !state_is_apart(st) && age >= 0 && age < YOUNG_NS)
		heed_wait(st->pid, pidfd, signo, sys_now_ns() + YOUNG_NS - age);
}

/* again: in: whether it was between two runs at the last try; out: whether it is now. Then no signal reaches it, but
 * its supervisor was told not to begin the next run. */
static int kill_once(const struct store *s, const char *id, int signo, bool *again, struct err *e)
{
	auto_made struct made m = {0};
	struct err gone;
	auto_close int life = state_life_open(s, id, &gone), pidfd = -1;
	bool waited = *again;
	int code;

	*again = false;
	if (engine_load(s, id, &m, e) < 0)
		return -1;
	*again = m.st.status == ST_RESTARTING;
	engine_tell_by_hand(s, &m, is_to_end_it(&m, signo) || *again ? CTL_STOP : CTL_KILLED,
		1ULL << (unsigned int)signo % 64);
	if (*again)
		return 0;
	pidfd = reach(s, &m.st, e);
	if (pidfd < 0 && waited) {
		err_clear(e);
		return 0;
	}
	if (pidfd < 0)
		return -1;
	let_it_begin(&m.st, pidfd, signo);
	if (send_signal(s, &m.st, pidfd, signo) < 0)
		return err_sys(e, "signal %d", signo);
	let_it_heed(s, &m, signo);
	if (signo == SIGKILL && wait_for_killed(s, &m.st, pidfd, e) < 0)
		return -1;
	if (signo == SIGKILL)
		(void)engine_wait_life(s, &m.st, life, &code, &gone); /* with --rm it may be removed completely */
	return 0;
}

int engine_kill_id(const struct store *s, const char *id, int signo, struct err *e)
{
	bool again = false;

	do {
		if (again)
			engine_let_it_go_on();
		if (kill_once(s, id, signo, &again, e) < 0)
			return -1;
	} while (again);
	return 0;
}

/* Whether Go's client would parse it as a number, of those that can be meant. */
static bool is_number(const char *s)
{
	struct err not_one;
	int64_t n;

	return s && *s && parse_decimal(s, &n, &not_one) == 0 && n != 0;
}

int engine_kill(const struct store *s, const char *what, const char *signal, struct err *e)
{
	auto_free char *bare = str_trim(what);
	const char *name = bare + strspn(bare, "/");
	int signo;
	id_text id;

	if (!is_number(signal) && parse_signal_word(signal, &signo, e) < 0)
		return -1;
	if (state_find(s, what, id, e) < 0)
		return e->kind != ERR_NOT_FOUND || str_eq(e->text, PAGE_NOT_FOUND)
		               ? -1
		               : err_ctx(e, "cannot kill container: %s", name);
	/* a number is checked when it is sent */
	if (is_number(signal) && parse_signal_word(signal, &signo, e) < 0)
		return err_set(e, ERR_USAGE,
			"cannot kill container: %s: The linux daemon does not support signal %llu",
			name, strtoull(signal, NULL, 10));
	return engine_kill_id(s, id, signo ? signo : SIGKILL, e) < 0
	               ? err_ctx(e, "cannot kill container: %s", name)
	               : 0;
}

/* Whether its process has ended, and the supervisor has still to record whether it is restarted. */
static bool is_ending(const struct store *s, const struct state *st)
{
	struct err gone;
	auto_close int life = -1, supervisor = -1;

	if (st->status != ST_RUNNING && st->status != ST_PAUSED)
		return st->status == ST_RESTARTING;
	life = state_life_open(s, st->id, &gone);
	if (life >= 0 && state_life_alive(life))
		return true;
	supervisor = state_supervisor(st);
	return supervisor >= 0;
}

/* ESRCH: it has ended by itself. If the signal could not be sent, does not wait. */
static int tell_to_end(const struct store *s, const struct state *st, int pidfd, int signo, struct err *e)
{
	if (send_signal(s, st, pidfd, signo) < 0 && errno != ESRCH)
		return err_sys(e, "cannot stop container: %s: signal %d", st->name, signo);
	return 0;
}

/* again: in: whether it was ending at the last try; out: whether it is now. */
static int stop_once(const struct store *s, const char *id, int signo, int64_t timeout_s,
	bool *again, struct err *e)
{
	auto_made struct made m = {0};
	struct err gone;
	auto_close int life = state_life_open(s, id, &gone), pidfd = -1;
	bool waited = *again;
	int code;

	*again = false;
	if (engine_load(s, id, &m, e) < 0 || state_is_here(&m.st, e) < 0)
		return -1;
	signo = signo ? signo : parse_stop_signal(m.spec.stop_signal);
	engine_tell_by_hand(s, &m, CTL_STOP, 1ULL << (unsigned int)signo % 64 | 1ULL << SIGKILL);
	pidfd = reach(s, &m.st, e);
	if (pidfd < 0 && (e->sys || e->kind == ERR_SYSTEM))
		return -1; /* it may run */
	if (pidfd < 0) {
		err_clear(e);
		*again = is_ending(s, &m.st);
		if (waited && !*again)
			event_container(s, &m.st, "stop", NULL, NULL);
		return 0;
	}
	if (timeout_s == SPEC_UNSET)
		timeout_s = m.spec.stop_timeout == SPEC_UNSET ? 10 : m.spec.stop_timeout;
	if (timeout_s)
		let_it_begin(&m.st, pidfd, signo);
	if (tell_to_end(s, &m.st, pidfd, signo, e) < 0)
		return -1;
	let_it_heed(s, &m, signo);
	/* Without a timeout docker's daemon needs a moment between the two signals, in which a program that catches the
	 * first may exit. */
	if (!engine_ends_within(pidfd, timeout_s) &&
		(timeout_s || state_is_apart(&m.st) || !heed_ends(m.st.pid, pidfd, signo))) {
		if (tell_to_end(s, &m.st, pidfd, SIGKILL, e) < 0)
			return -1;
		if (wait_for_killed(s, &m.st, pidfd, e) < 0)
			return err_ctx(e, "cannot stop container: %s", m.st.name);
	}
	if (engine_wait_life(s, &m.st, life, &code, e) < 0 && e->kind != ERR_NOT_FOUND)
		return -1;
	err_clear(e); /* --rm has removed it: it has ended */
	event_container(s, &m.st, "stop", NULL, NULL);
	return 0;
}

static int stop_with(const struct store *s, const char *id, int signo, int64_t timeout_s, struct err *e)
{
	bool again = false;

	do {
		if (again)
			engine_let_it_go_on();
		if (stop_once(s, id, signo, timeout_s, &again, e) < 0)
			return -1;
	} while (again);
	return 0;
}

/* The signal is checked only if the container runs. */
static int find_to_stop(const struct store *s, const char *what, const char *signal, id_text id,
	int *signo, struct err *e)
{
	auto_state struct state st = {0};

	*signo = 0;
	if (state_find(s, what, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return -1;
	return state_runs(&st) ? parse_signal_word(signal, signo, e) : 0;
}

int engine_stop(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e)
{
	int signo;
	id_text id;

	return find_to_stop(s, what, signal, id, &signo, e) < 0
	               ? -1
	               : stop_with(s, id, signo, timeout_s, e);
}

static void keep_this_time(const struct store *s, const struct state *st)
{
	struct err gone;
	auto_close int sock = ctl_connect(s, st->id, &gone);
	auto_free struct ctl_frame *f = xcalloc(1, sizeof(*f));

	if (sock >= 0 && ctl_send(sock, CTL_KEEP, NULL, 0) == 0)
		(void)ctl_recv(sock, f); /* nothing: it has ended */
	else if (sock < 0)
		tell_by_signal(st, CTL_KEEP_SIGNAL);
}

static int remove_again(struct state *st, void *arg, struct err *e)
{
	(void)arg, (void)e;
	st->auto_remove = true;
	return 0;
}

static int restart_with(
	const struct store *s, const char *id, int signo, int64_t timeout_s, struct err *e)
{
	auto_made struct made m = {0};

	if (engine_load(s, id, &m, e) < 0)
		return -1;
	if (m.st.auto_remove)
		keep_this_time(s, &m.st);
	if (stop_with(s, m.st.id, signo, timeout_s, e) < 0 ||
		(m.st.auto_remove && state_update(s, m.st.id, remove_again, NULL, e) < 0) ||
		engine_start(s, m.st.id, NULL, NULL, e) < 0)
		return -1;
	event_container(s, &m.st, "restart", NULL, NULL);
	return 0;
}

int engine_restart(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e)
{
	int signo;
	id_text id;

	if (find_to_stop(s, what, signal, id, &signo, e) < 0)
		return -1;
	return restart_with(s, id, signo, timeout_s, e) < 0
	               ? err_ctx(e, "Cannot restart container %s", what)
	               : 0;
}
