/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_limits: the timer, for the time limit and the watch; ending the container; an update. */
#include "supervise_parts.h"

#include "auto.h"
#include "event.h"
#include "gather.h"
#include "outcome.h"
#include "parse.h"
#include "procs.h"
#include "spec.h"
#include "sweep.h"
#include "sys.h"
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

/* Whether processes of another container are in our user namespace or below. It need not have joined ours: who joins such a
 * one is here, too, and goes on without it. */
static bool is_shared(const struct sup *s, int proc, const struct stat *users)
{
	struct state *all = NULL;
	struct err e;
	size_t n = 0;
	bool shared = s->ask->plan->join || state_list_alive(s->ask->store, &all, &n, &e) < 0;

	for (size_t i = 0; i < n && !shared; i++) {
		auto_free char *pid = xasprintf("%d", (int)all[i].pid);
		auto_close int dir = -1;

		if (str_eq(all[i].id, s->ask->state->id) || all[i].status == ST_RESTARTING)
			continue;
		dir = openat(proc, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		shared = all[i].pid <= 0 || state_is_apart(&all[i]) ||
		         (dir < 0 ? !procs_not_ours(errno) : sweep_may_be_below(dir, users));
	}
	state_list_free(all, n);
	return shared;
}

/* Whose processes are also the image server and other containers' supervisors: never to be swept. */
static bool is_ours(const struct stat *users)
{
	struct stat own;

	return stat("/proc/self/ns/user", &own) < 0 ||
	       (own.st_ino == users->st_ino && own.st_dev == users->st_dev);
}

/* Where the pid namespace is not the container's own: its processes have its mount namespace, or one that they made, for
 * which they had to make a user namespace or own the container's. */
static void sweep_shared(const struct sup *s, void (*how)(const struct sweep *))
{
	auto_close int proc = sweep_proc(), users = sys_userns_of(s->c.mounts);
	struct stat in, of_users;
	bool below = users >= 0 && fstat(users, &of_users) == 0 && !is_ours(&of_users) &&
	             !is_shared(s, proc, &of_users);

	if (proc >= 0 && fstat(s->c.mounts, &in) == 0)
		how(&(struct sweep){proc, "ns/mnt", &in, below ? &of_users : NULL, NULL});
}

/* A process that traces another one may keep it from ending, until it is killed itself; and may have come during a sweep. */
#define AGAIN_NS 1000000000

static void kill_all(struct sup *s, bool crowd)
{
	(void)sys_pidfd_kill(s->c.pidfd, SIGKILL); /* it may have ended by itself */
	/* Mostly these are all processes, and one call kills them: looking for each of them would first have cost us
	 * the processor. */
	(void)sys_pidfd_kill_group(s->c.pidfd, SIGKILL);
	if (!(s->ask->plan->namespaces & CLONE_NEWPID))
		sweep_shared(s, sweep_once);
	else if (!(crowd && sweep_namespace(s->c.pidfd)))
		sweep_once(&(struct sweep){.proc = s->c.proc});
	s->kill_again = sys_after(sys_now_ns(), AGAIN_NS);
	sup_set_timer(s);
}

static bool is_crowd(const struct sup *s)
{
	return s->ask->plan->namespaces & CLONE_NEWPID && toll_crowd(s->c.proc);
}

void sup_kill(struct sup *s)
{
	kill_all(s, is_crowd(s));
}

void sup_end_container(struct sup *s, enum end why)
{
	bool own = s->ask->plan->namespaces & CLONE_NEWPID, crowd = is_crowd(s);
	bool more = crowd || (own && toll_take(s->c.proc, &s->toll));

	if (s->end == END_EXITED)
		s->end = why;
	kill_all(s, crowd);
	if (more)
		toll_take_rest(s->c.proc, &s->toll);
}

/* The signal that --init says ended its command, before it is reaped; 0: none. */
static int said_by_init(const struct sup *s)
{
	const char *says = OUTCOME_SIGNALLED;
	char path[32], name[16];

	if (s->ask->spec->init != 1)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)s->c.pid); /* fits */
	if (sys_get(AT_FDCWD, path, name, sizeof(name)) < 0 || strncmp(name, says, strlen(says)) != 0)
		return 0;
	return atoi(name + strlen(says));
}

static void look_at_held(struct sup *s)
{
	auto_close int proc = sweep_proc();
	struct toll t = {0};

	s->status = sys_exit_status(s->c.pid);
	toll_take_one(proc, s->c.pid, &t);
	s->usage = (struct rusage){0};
	toll_add(&t, &s->usage);
}

void sup_reap(struct sup *s)
{
	int64_t until = sys_now_ns() + SYS_HELD_NS;
	int said = said_by_init(s);
	pid_t pid;

	/* Our child, and only we wait for it; but as long as it is traced it is its tracer's. Shorter naps are fine. */
	while ((pid = wait4(s->c.pid, &s->status, WNOHANG, &s->usage)) == 0 && sys_now_ns() < until) {
		if (!(s->ask->plan->namespaces & CLONE_NEWPID))
			sweep_shared(s, sweep_once);
		(void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	if (pid == 0) /* by a process of another container, or a debugger on the machine */
		look_at_held(s);
	if (WIFSIGNALED(s->status))
		s->signo = WTERMSIG(s->status);
	else
		s->signo = WEXITSTATUS(s->status) == 128 + said ? said : 0;
}

void sup_end_rest(struct sup *s)
{
	if (s->ask->plan->namespaces & CLONE_NEWPID)
		return;
	cgroup_kill(&s->cgroup);
	sys_kill_children(AT_FDCWD, s->quota.pid);
	sweep_shared(s, sweep); /* what was exec'ed is not our child */
}

static int64_t soonest(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	return a < b ? a : b;
}

void sup_set_timer(struct sup *s)
{
	int64_t at = soonest(soonest(s->deadline, s->kill_at), soonest(s->next_look, s->restart_at));
	struct itimerspec t = {0};

	at = soonest(soonest(at, s->kill_again), soonest(s->deaf_until, health_wakes(&s->health)));
	if (at) {
		t.it_value.tv_sec = at / 1000000000;
		t.it_value.tv_nsec = at % 1000000000;
	}
	(void)timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &t, NULL); /* the arguments are sound */
}

/* Whoever was killed only waits for us. */
static void limit_look(struct sup *s)
{
	s->watch.end = s->kill_again ? 1 : soonest(s->deadline, s->kill_at);
}

static void look(struct sup *s)
{
	int64_t next = 0;

	limit_look(s);
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
	s->next_look = next ? sys_now_ns() + next : 0;
}

static bool has_ended(const struct sup *s)
{
	struct pollfd p = {.fd = s->c.pidfd, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

static void on_deadline(struct sup *s, int64_t now)
{
	s->deadline = 0;
	if (has_ended(s)) /* in time perhaps, and we are late */
		return;
	if (s->ask->plan->kill_after_ns) {
		s->end = END_TIMEOUT;
		s->kill_at = sys_after(now, s->ask->plan->kill_after_ns);
		(void)sys_pidfd_kill(s->c.pidfd,
			parse_stop_signal(s->ask->spec->stop_signal)); /* it may have ended */
	} else {
		sup_end_container(s, END_TIMEOUT);
	}
}

void sup_on_timer(struct sup *s)
{
	int64_t now = sys_now_ns();

	/* To set it again makes it quiet. */
	if (s->deaf_until && now >= s->deaf_until)
		s->deaf_until = 0;
	if (s->next_look && now >= s->next_look) {
		look(s);
		now = sys_now_ns(); /* it may have taken long */
	}
	if (s->deadline && now >= s->deadline)
		on_deadline(s, now);
	if (s->kill_at && now >= s->kill_at) {
		s->kill_at = 0;
		sup_end_container(s, END_TIMEOUT);
	}
	if (s->kill_again && now >= s->kill_again)
		sup_kill(s);
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

/* Recorded before the process ends: whoever waits for that looks here for the reason. */
static void on_oom(void *arg)
{
	struct sup *s = arg;
	struct state *st = s->ask->state;
	struct err e;

	(void)note_oom(st, NULL, &e);
	(void)state_update(s->ask->store, st->id, note_oom, NULL, &e); /* it is recorded at the end once more */
	event_container(s->ask->store, st, "oom", NULL, NULL);
}

/* RLIMIT_NPROC limits each id of an ordinary user separately, and root inside may change to another id. */
static struct watch_for what_to_watch(const struct sup *s)
{
	return (struct watch_for){.memory = !(s->cgroup.holds & HOLDS_MEMORY),
		.pids = (s->root || !s->ask->plan->fake_root) && !(s->cgroup.holds & HOLDS_PIDS),
		.pids_each_id = !s->root};
}

/* Before anybody is stopped for a look at memory. */
static void take_turns(struct sup *s, const struct watch_for *what)
{
	if (what->memory && s->ask->plan->memory && s->watch.turns < 0)
		s->watch.turns = turns_open(s->ask->store);
}

static void look_first(struct sup *s)
{
	if (s->watch.memory)
		sys_short_slice(0);
	look(s);
	if (s->next_look)
		watch_begin_waking(&s->watch, &s->waiting);
	sup_set_timer(s);
}

void sup_begin_watch(struct sup *s)
{
	const struct watch_for want = what_to_watch(s);

	watch_begin(&s->watch, s->ask->plan, &want,
		&(struct watch_where){s->c.proc, s->ask->plan->namespaces & CLONE_NEWPID ? s->c.pid : 0,
			s->c.root, s->c.mounts, s->c.sysv});
	s->watch.on_kill = on_oom;
	s->watch.arg = s;
	take_turns(s, &want);
	look_first(s);
}

/* Counted from the container's start, even if it is set later. */
void sup_set_deadline(struct sup *s)
{
	const struct plan *p = s->ask->plan;

	if (!p->timeout_ns) {
		s->deadline = 0;
		return;
	}
	s->deadline = sys_after(s->began, p->timeout_ns);
	sys_short_slice(0); /* so that we run in time, however many processes want the processor */
}

void sup_look_soon(struct sup *s)
{
	if (!s->next_look)
		return;
	watch_stir(&s->watch);
	look(s);
	sup_set_timer(s);
}

static int note_cgroup(struct state *st, void *arg, struct err *e)
{
	const struct cgroup *c = arg;

	(void)e;
	if (!st->extra)
		st->extra = json_object();
	json_set(st->extra, "cgroup", cgroup_to_json(c));
	return 0;
}

/* The group is recorded before a process is in it, as at a start. */
static void record_cgroup(struct sup *s)
{
	struct state *st = s->ask->state;
	struct err e;

	if (s->cgroup.n == 0)
		return;
	(void)note_cgroup(st, &s->cgroup, &e); /* cannot fail */
	(void)state_update(s->ask->store, st->id, note_cgroup, &s->cgroup,
		&e); /* it is recorded at the end once more */
}

/* A paused container may be in another group, which keeps it frozen; and whose processes are another container's, too, cannot
 * be told. */
static bool may_widen(const struct sup *s)
{
	return s->restart_at || (!gather_is_paused(s->ask->store, s->ask->state->id) &&
					!procs_are_shared(s->ask->store, s->ask->state));
}

static void update_cgroup(struct sup *s)
{
	bool runs = !s->restart_at;
	int had = s->cgroup.n;

	if (may_widen(s))
		cgroup_widen(&s->cgroup, s->ask->state->id, s->ask->plan, s->root, runs);
	record_cgroup(s);
	if (runs && s->cgroup.n > had && cgroup_settle(&s->cgroup, had, s->c.pid)) {
		cgroup_set(&s->cgroup, s->ask->plan);
		gather_all(s->ask->store, s->ask->state, &s->cgroup);
	}
	cgroup_set(&s->cgroup, s->ask->plan);
	record_cgroup(s);
}

/* After the spec was changed: applies what can be changed while the container runs; the rest follows at the next
 * start. */
void sup_update(struct sup *s)
{
	struct supervise *a = s->ask;
	struct err unread; /* then it stays as it is */
	auto_json json_t *json = state_load_spec(a->store, a->state->id, &unread);
	struct watch_for want;
	auto_spec struct spec new;

	spec_init(&new);
	if (json && spec_from_json(&new, json, &unread) == 0) {
		free(a->spec->restart);
		a->spec->restart = take(new.restart);
		a->spec->restart_max = new.restart_max;
		plan_limits(a->plan, &new);
		plan_own_limits(a->plan, &new);
		update_cgroup(s);
		if (s->restart_at) /* nothing runs; the next life begins with them */
			return;
		if (s->end == END_EXITED) /* else its time was up already */
			sup_set_deadline(s);
		want = what_to_watch(s);
		take_turns(s, &want);
		limit_look(s);
		watch_again(&s->watch, a->plan, &want);
		look_first(s);
	}
}
