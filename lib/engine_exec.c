/* SPDX-License-Identifier: Apache-2.0 */
/* engine_exec: runs another process in a running container, with a client that waits for it, or detached. */
#include "engine_parts.h"

#include "affinity.h"
#include "auto.h"
#include "enforce.h"
#include "event.h"
#include "fdmsg.h"
#include "gather.h"
#include "launch_say.h"
#include "layers.h"
#include "outcome.h"
#include "procs.h"
#include "relay.h"
#include "sweep.h"
#include "sys.h"
#include "turns.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int exec_err(struct err *e)
{
	if (str_starts(e->text, "unable to find ") || str_starts(e->text, "uids and gids "))
		e->kind = ERR_NOT_EXECUTABLE; /* docker's daemon finds out too late for an HTTP status of its own */
	else
		(void)launch_words(true, e);
	return -1;
}

struct pipes {
	int ours[3], theirs[3], life[2];
	uint16_t rows, cols; /* the terminal's size, if it is not our own terminal; 0 */
	struct launch_tag tag;
	int tag_ns; /* no other namespace can get its number as long as it is open; -1: descriptors were short, too */
	bool told; /* the guard has begun: it has told its tag */
	bool left; /* it was to end before its command had begun */
};

static void pipes_done(struct pipes *p)
{
	for (int i = 0; i < 3; i++) {
		auto_close_(&p->ours[i]);
		auto_close_(&p->theirs[i]);
	}
	auto_close_(&p->life[0]);
	auto_close_(&p->life[1]);
	auto_close_(&p->tag_ns);
}
#define auto_pipes __attribute__((cleanup(pipes_done)))
#define PIPES_NONE                                                                           \
	{                                                                                    \
		.ours = {-1, -1, -1}, .theirs = {-1, -1, -1}, .life = {-1, -1}, .tag_ns = -1 \
	}

static void exec_done(struct launched *c)
{
	auto_close_(&c->pidfd);
	auto_close_(&c->pty);
}
#define auto_exec __attribute__((cleanup(exec_done)))

/* A pipe for each stream of an attached exec. */
static int make_pipes(const struct spec *spec, bool in, struct pipes *p, struct err *e)
{
	int pair[2];

	for (int i = 0; i < 3 && !spec->tty; i++) {
		if (i == 0 && !in)
			continue;
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		p->ours[i] = pair[i == 0 ? 1 : 0];
		p->theirs[i] = pair[i == 0 ? 0 : 1];
		(void)fcntl(p->ours[i], F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	return 0;
}

/* If the guard left something unread, an error is reported once, before its message. */
static ssize_t hear_guard(const struct pipes *p, void *to, size_t len, int flags)
{
	ssize_t n = recv(p->life[1], to, len, flags);

	return n < 0 ? recv(p->life[1], to, len, flags) : n;
}

/* Read at once: if it stayed unread when we close the lifeline, the guard would not get our last message; and
 * relay_run() would take it for the end. */
static void hear_tag(struct pipes *p)
{
	int ns = -1, n = 1;
	long got = fdmsg_recv(p->life[1], &p->tag, sizeof(p->tag), &ns, &n, MSG_DONTWAIT);

	if (got < 0 && errno != EMFILE && errno != EMSGSIZE) { /* see hear_guard(); otherwise it has come */
		n = 1;
		got = fdmsg_recv(p->life[1], &p->tag, sizeof(p->tag), &ns, &n, MSG_DONTWAIT);
	}
	p->told = p->told || got == (long)sizeof(p->tag) ||
	          (got < 0 && (errno == EMFILE || errno == EMSGSIZE));
	if (got == (long)sizeof(p->tag) && n == 1)
		p->tag_ns = ns;
}

/* The guard has its ends of the pipes now. */
static void let_go(struct pipes *p)
{
	for (int i = 0; i < 3; i++)
		if (p->theirs[i] >= 0)
			(void)close(take_fd(&p->theirs[i])); /* it is not ours any more */
	if (p->life[0] >= 0)
		(void)close(take_fd(&p->life[0])); /* else the end of the guard would not be noticed */
}

static void take_terminal(const struct launched *c)
{
	if (c->pty >= 0)
		(void)fcntl(c->pty, F_SETFL, O_NONBLOCK); /* of our end alone */
}

/* Work that is done while the guard starts the command. After the exec we are woken, mostly on the command's
 * processor, so that what is left to do should be short. */
struct meanwhile {
	const struct store *s;
	const struct state *st;
	const struct strv *command;
	const char *exec_id; /* NULL: no start event to emit, or it was emitted */
	struct pipes *p;
	bool ends;     /* the client ends the exec when it is told to end */
	int64_t until; /* or when its time is up; 0: no limit */
};

static void tell_start(struct meanwhile *m)
{
	if (m->exec_id)
		event_exec_start(m->s, m->st, m->exec_id, m->command);
	m->exec_id = NULL;
}

static void do_meanwhile(void *arg)
{
	struct meanwhile *m = arg;

	let_go(m->p);
	tell_start(m);
}

static bool is_unwanted(void *arg)
{
	const struct meanwhile *m = arg;

	m->p->left = (m->ends && relay_is_told()) || (m->until && sys_now_ns() >= m->until);
	return m->p->left;
}

/* The command dies with its guard, but not the processes that it has forked. */
static void sweep_left(const struct launch_tag *tag)
{
	const struct stat what = {.st_dev = tag->device, .st_ino = tag->inode};
	auto_close int proc = sweep_proc();

	if (proc >= 0)
		sweep(&(struct sweep){proc, LAUNCH_TAG, &what, NULL, NULL});
}

/* Reaps the exec, which is ending: last of all, as others can do their part while it frees its memory. */
static int reap(struct launched *c)
{
	int st, code = 137;

	if (c->pid > 0 && waitpid(c->pid, &st, __WALL) == c->pid)
		code = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
	c->pid = -1;
	return code;
}

/* The guard's last message; if the guard was killed itself, how it ended. */
static void hear_end(struct pipes *p, struct launched *c, struct launch_report *r)
{
	if (hear_guard(p, r, sizeof(*r), 0) == (ssize_t)sizeof(*r))
		return;
	if (p->tag_ns >= 0)
		sweep_left(&p->tag);
	*r = (struct launch_report){.status = SIGKILL, .code = reap(c)};
}

/* A guard that tells no tag has not yet begun anything; it may be held up for ever, by a FUSE of the container's over its root.
 * So nobody waits for it. */
#define GUARD_MS 100

static bool give_up_guard(struct pipes *p, struct launched *c)
{
	struct pollfd guard = {.fd = c->pidfd, .events = POLLIN};

	if (p->told)
		return false;
	(void)sys_pidfd_kill(c->pidfd, SIGKILL); /* it may have ended */
	(void)poll(&guard, 1, GUARD_MS);
	hear_tag(p);
	if (p->tag_ns >= 0)
		sweep_left(&p->tag); /* it had just told it */
	if (!guard.revents)
		c->pid = -1;
	return true;
}

/* The exec that nobody stays with has no lifeline, so nobody hears whether its guard has begun: one that has ends it by itself
 * at its limit, and we wait for that a little. */
#define ALONE_NS 1000000000

static int leave_alone(struct pipes *p, struct launched *c, struct err *e)
{
	(void)give_up_guard(p, c);
	(void)reap(c); /* unless it cannot end */
	return err_set(e, ERR_RUNTIME, "exec: its time was up before its command began");
}

/* What else the client of the exec has open: its signals; the container's supervisor, or -1; the container's pid 1. */
struct beside {
	int signals, supervisor, pid1;
};

#define LOOK_MS 50

static bool is_told_to_end(int signals)
{
	struct signalfd_siginfo info;

	return read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info) && info.ssi_signo != SIGWINCH;
}

/* The end of pid 1 kills everything in its namespace. In this order, as the number may be another process's once pid 1
 * is gone. */
static bool is_leaving(pid_t pid1, int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return procs_is_leaving(pid1) || poll(&p, 1, 0) > 0;
}

/* If the container is being ended, the exec's processes are killed as well. Its supervisor, to which we have been
 * connected since before that began, tells the reason, however long that takes, or is gone. NULL: the container goes
 * on, and a process inside has killed the exec, or pid 1 has ended by itself. */
static json_t *hear_container(const struct beside *b, pid_t pid1)
{
	struct pollfd p[2] = {
		{.fd = b->supervisor, .events = POLLIN}, {.fd = b->signals, .events = POLLIN}};
	auto_free char *text = NULL;
	auto_json json_t *end = NULL;
	bool spared = false; /* nobody but perhaps the kernel is ending it */
	const char *why;
	int code;

	(void)ctl_send(b->supervisor, CTL_ASK, NULL, 0); /* a supervisor that has told the end may be gone */
	while (!spared || is_leaving(pid1, b->pid1)) {
		if (poll(p, 2, spared ? LOOK_MS : -1) <= 0)
			continue;
		if (p[1].revents && is_told_to_end(b->signals))
			return NULL;
		if (p[0].revents && engine_hear(b->supervisor, &code, &text))
			break;
		spared = spared || p[0].revents;
	}
	if (text)
		end = json_loads(text, 0, NULL);
	why = json_str(end, "reason", "exited");
	return str_eq(why, "exited") || str_eq(why, "signalled") ? NULL : take(end);
}

/* What wrote too much and was then killed; it may have ended by itself before. */
static bool was_killed(const struct launch_report *r)
{
	return r->end != LAUNCH_EXITED || (WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGKILL);
}

static const char *exec_reason(const struct launch_report *r, enum relay_end end, bool oom, int killed_by)
{
	if (end == RELAY_KILLED)
		return killed_by == SIGPIPE ? "client-gone" : "killed-by-user";
	if (end == RELAY_OUTPUT && was_killed(r))
		return "output-limit";
	if (r->end == LAUNCH_TIMEOUT)
		return "timeout";
	if (r->end == LAUNCH_CPU)
		return "cpu-time";
	if (r->end == LAUNCH_OOM)
		return "oom";
	if (r->end == LAUNCH_PIDS)
		return "pids";
	if (WIFSIGNALED(r->status))
		return oom && WTERMSIG(r->status) == SIGKILL ? "oom" : "signalled";
	return "exited";
}

/* How often processes of the container have been killed for memory so far. */
static int64_t ooms_of(const struct store *s, const char *id)
{
	auto_state struct state st = {0};
	auto_cgroup struct cgroup c = {0};
	struct cgroup_stats stats;
	struct err e;

	if (state_load(s, id, &st, &e) < 0)
		return 0;
	if (!cgroup_from_json(&c, json_object_get(st.extra, "cgroup")) || !(c.holds & HOLDS_MEMORY))
		return json_int(st.extra, "ooms", 0);
	cgroup_stats(&c, &stats);
	return stats.ooms;
}

static char *exec_result(const struct store *s, struct made *m, const struct spec *spec,
	const struct relay *r, const struct launch_report *said, enum relay_end end, int64_t ooms,
	const char *container, struct outcome *o)
{
	auto_plan struct plan plan = {0};
	auto_cgroup struct cgroup c = {0};
	auto_json json_t *j = NULL;
	struct host host;
	struct err e;

	o->id = m->st.id;
	o->oom_killed = said->oom || ooms_of(s, m->st.id) > ooms;
	o->reason = container ? container
	                      : exec_reason(said, end, o->oom_killed,
					r->attach->killed_by ? *r->attach->killed_by : 0);
	o->signal = WIFSIGNALED(said->status) ? WTERMSIG(said->status) : 0;
	o->timed_out = said->end == LAUNCH_TIMEOUT;
	o->usage = said->usage;
	o->peak_memory = said->peak;
	o->peak_pids = said->peak_pids;
	o->group = (struct cgroup_stats){-1, -1, -1, -1, -1, -1, -1, -1}; /* of all the container */
	o->bytes[0] = r->bytes[0];
	o->bytes[1] = r->bytes[1];
	o->dropped = r->dropped;
	engine_read_exec_host(&host, json_bool(m->st.extra, "range", false));
	if (plan_exec(spec, &m->spec, &host, &plan, &e) < 0)
		return NULL; /* it could be made a moment ago */
	(void)cgroup_from_json(&c, json_object_get(m->st.extra, "cgroup"));
	j = outcome_json(o, spec, &plan, &c, host.root);
	return json_dumps(j, JSON_LINE);
}

/* Its exit code; -1: the user has left it. */
static int relay_exec(const struct store *s, struct made *m, const struct spec *spec,
	const struct attach *a, struct pipes *p, struct launched *c, const struct beside *b)
{
	struct relay r = {.attach = a,
		.ctl = -1,
		.in = p->ours[0],
		.out = p->ours[1],
		.err = p->ours[2],
		.pty = c->pty,
		.pidfd = c->pidfd,
		.end = p->life[1]}; /* readable: the guard's last message, or its end */
	struct outcome o = {.wall_ns = sys_now_ns()};
	auto_json json_t *container = NULL;
	struct launch_report said;
	int64_t ooms = a->result ? ooms_of(s, m->st.id) : 0;
	bool late = p->left && !relay_is_told(), gone;
	enum relay_end end = RELAY_ENDED;

	hear_tag(p);
	gone = p->left && give_up_guard(p, c);
	take_terminal(c);
	if (c->pty >= 0)
		r.in = r.out = c->pty;
	if (spec->output_limit > 0)
		r.output_limit = (uint64_t)spec->output_limit;
	r.output_limit_kills = str_eq(spec->output_limit_action, "kill");
	if (!gone || !late)
		end = relay_run(&r, b->signals, &o.code, NULL);
	p->ours[0] = c->pty >= 0 ? -1 : r.in; /* it closes that one, to end the input */
	if (end == RELAY_DETACHED) {
		(void)fdmsg_send(p->life[1], "d", 1, &c->pty, 1); /* the guard keeps it, or else ends with us */
		return -1;
	}
	if (end == RELAY_OUTPUT || end == RELAY_KILLED)
		(void)shutdown(p->life[1], SHUT_WR); /* the guard then kills everything */
	if (gone)
		said = (struct launch_report){.status = SIGKILL,
			.end = late ? LAUNCH_TIMEOUT : LAUNCH_EXITED,
			.code = late ? 124 : 137};
	else
		hear_end(p, c, &said);
	o.code = said.code;
	if (said.unseen && end == RELAY_ENDED && b->supervisor >= 0)
		container = hear_container(b, m->st.pid);
	if (end == RELAY_KILLED)
		o.code = 128 + *a->killed_by;
	o.wall_ns = said.wall_ns ? said.wall_ns : sys_now_ns() - o.wall_ns;
	if (a->result)
		*a->result = exec_result(s, m, spec, &r, &said, end, ooms,
			container ? json_str(container, "reason", NULL) : NULL, &o);
	return o.code;
}

int engine_exec_may(const struct state *st, const char *said, struct err *e)
{
	if (st->status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT,
			"Container %s is paused, unpause the container before exec", said);
	if (st->status != ST_RUNNING)
		return engine_not_running(st, e);
	return 0;
}

/* A running container which may be joined. */
static int load_running(
	const struct store *s, const char *id, const char *said, struct made *m, struct err *e)
{
	if (engine_load(s, id, m, e) < 0)
		return -1;
	if (m->st.status == ST_PAUSED)
		return engine_exec_may(&m->st, said, e);
	return engine_pid1(&m->st, e);
}

/* A supervisor that rarely looks at an idle container looks soon if a client connects. */
static void poke(const struct store *s, const char *id)
{
	struct err unused; /* then it looks when it would have looked anyway */
	int sock = ctl_connect(s, id, &unused);

	if (sock >= 0)
		(void)close(sock); /* nothing to say */
}

/* Whether there is a limit that no process may escape. */
static bool is_limited(const struct plan *p)
{
	return p->timeout_ns || p->cpu_time_ns || p->own_memory || p->own_pids ||
	       (p->output_limit && p->output_limit_kills);
}

/* Whether pid 1 ends: its namespaces are the first to go. What then fails says nothing of it, as a fork that has no memory. */
static bool is_ending(int pidfd, pid_t pid)
{
	auto_close int userns = sys_owner_userns(pidfd, pid);

	return userns < 0 && errno == ESRCH;
}

static int exec_in(const struct store *s, struct made *m, const struct spec *spec,
	struct meanwhile *mean, int pidfd, struct launched *c, struct err *e)
{
	struct pipes *p = mean->p;
	auto_plan struct plan plan = {0};
	auto_seccomp struct seccomp_filter filter = {0};
	auto_cgroup struct cgroup cgroup = {0};
	struct launch_exec l = {.plan = &plan,
		.pidfd = pidfd,
		.filter = &filter,
		.cgroup = &cgroup,
		.meanwhile = do_meanwhile,
		.unwanted = is_unwanted,
		.arg = mean};
	auto_close int userns = -1, turns = -1;
	struct host host;
	int result;

	engine_read_exec_host(&host, json_bool(m->st.extra, "range", false));
	if (p->life[0] >= 0)
		(void)relay_size(&(struct attach){.tty = spec->tty}, &host.rows, &host.cols); /* as above */
	if (p->rows && p->cols) {
		host.rows = p->rows;
		host.cols = p->cols;
	}
	engine_join_name(s, &m->spec);
	engine_join_hosts(s, &m->spec, m->st.pid);
	if (plan_exec(spec, &m->spec, &host, &plan, e) < 0 ||
		engine_get_filter(s, &plan, plan.user, is_limited(&plan), &filter, e) < 0)
		return -1;
	userns = sys_owner_userns(pidfd, m->st.pid);
	if (userns < 0 && errno == ESRCH)
		return engine_not_running(&m->st, e);
	if (userns < 0)
		return idmap_kept_out("look at the container's namespaces", e);
	l.userns = userns;
	if (plan.timeout_ns)
		mean->until = sys_after(
			sys_after(sys_now_ns(), plan.timeout_ns), p->life[0] >= 0 ? 0 : ALONE_NS);
	(void)cgroup_from_json(&cgroup, json_object_get(m->st.extra, "cgroup"));
	memcpy(l.std, p->theirs, sizeof(l.std));
	l.lifeline = p->life[0];
	l.far_end = p->life[1];
	l.turns = turns = plan.own_memory ? turns_open(s) : -1;
	result = launch_exec(&l, c, e);
	if (result < 0)
		return is_ending(pidfd, m->st.pid) ? engine_not_running(&m->st, e) : exec_err(e);
	if (p->left && p->life[1] < 0)
		return leave_alone(p, c, e);
	gather_late(s, &m->st, &cgroup);
	if (m->spec.memory > 0)
		poke(s, m->st.id);
	return 0;
}

/* A control group keeps the exec on the container's processors; without one nothing does. */
static int stays_within(const struct made *m, const struct spec *spec, struct err *e)
{
	const char *all = m->spec.cpuset_cpus;

	return spec->cpuset_cpus && *spec->cpuset_cpus && all && *all
	               ? affinity_check_within(spec->cpuset_cpus, all, e)
	               : 0;
}

int engine_exec(const struct store *s, const char *id, const char *said, const struct spec *spec,
	const struct attach *a, int *status, struct err *e)
{
	auto_made struct made m = {0};
	auto_pipes struct pipes p = PIPES_NONE;
	struct err unused; /* then nobody could tell */
	/* Connected before the state is read, so that it tells the end of this run and not of a later one. */
	auto_close int supervisor = a && a->result ? ctl_connect(s, id, &unused) : -1;
	auto_close int pidfd = load_running(s, id, said, &m, e);
	auto_close int signals = -1;
	auto_exec struct launched c = LAUNCHED_NONE;
	id_text exec_id;
	struct meanwhile mean = {
		.s = s, .st = &m.st, .command = &spec->cmd, .exec_id = exec_id, .p = &p};
	int begun;

	if (pidfd < 0 || id_random(exec_id, e) < 0 || enforce_check(spec, e) < 0 ||
		stays_within(&m, spec, e) < 0)
		return -1;
	if (a && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, p.life) < 0)
		return err_sys(e, "socketpair");
	if (a && make_pipes(spec, a->in, &p, e) < 0)
		return -1;
	if (a)
		signals = relay_begin(a);
	mean.ends = signals >= 0;
	begun = exec_in(s, &m, spec, &mean, pidfd, &c, e);
	tell_start(&mean); /* docker emits the start event even for an exec that cannot start */
	if (begun < 0 || !a)
		return begun; /* -d: this process does not stay to see the end */
	*status = relay_exec(s, &m, spec, a, &p, &c, &(struct beside){signals, supervisor, pidfd});
	if (*status < 0) {
		event_exec(s, &m.st, "exec_detach", exec_id, NULL);
		*status = 0;
		if (a->detached)
			*a->detached = true;
		return 0;
	}
	event_exec_die(s, &m.st, exec_id, *status);
	(void)reap(&c);
	return 0;
}

int engine_exec_open(const struct store *s, const char *id, const struct spec *spec, bool streams,
	bool in, struct exec_io *io, struct err *e)
{
	auto_made struct made m = {0};
	auto_pipes struct pipes p = PIPES_NONE;
	auto_close int pidfd = load_running(s, id, id, &m, e);
	struct launched c = LAUNCHED_NONE;
	struct meanwhile mean = {.p = &p};

	p.rows = (uint16_t)io->rows;
	p.cols = (uint16_t)io->cols;
	if (pidfd < 0 || (streams && make_pipes(spec, in, &p, e) < 0) ||
		exec_in(s, &m, spec, &mean, pidfd, &c, e) < 0)
		return -1;
	take_terminal(&c);
	*io = (struct exec_io){.in = take_fd(&p.ours[0]),
		.out = take_fd(&p.ours[1]),
		.err = take_fd(&p.ours[2]),
		.pty = c.pty,
		.pidfd = c.pidfd,
		.shim = c.pid,
		.pid = sys_first_child(AT_FDCWD, sys_first_child(AT_FDCWD, c.pid))};
	return 0;
}

int engine_exec_wait(const struct exec_io *io)
{
	int st;

	if (waitpid(io->shim, &st, __WALL) < 0)
		return 137;
	return WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
}
