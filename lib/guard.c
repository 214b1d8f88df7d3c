/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include "auto.h"
#include "become.h"
#include "fdmsg.h"
#include "hold.h"
#include "launch_say.h"
#include "spent.h"
#include "sweep.h"
#include "sys.h"
#include "toll.h"
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#define CPU_LOOK_MIN_NS 5000000
/* A process that is gone counts with what it had used when it was last seen: so looks at processor time are not far apart. */
#define CPU_LOOK_MAX_NS 50000000
#define CPU_IDLE_MAX_NS 250000000
#define COMMAND_LOOK_NS 50000000
#define SHIM_MS         2000 /* for reaping; the shim may be stopped, or get no processor */
#define SHIM_LOOK_MS    20
#define CROWD           64 /* so many processes are killed one by one while all others are stopped */

struct guarding {
	const struct guard *g;
	int init; /* pidfd of the container's first process */
	const struct plan *plan;
	int lifeline, turns;
	uint16_t processes;               /* on the machine, as it began */
	bool begun;                       /* the command has been exec'ed */
	int proc;                         /* where all of them are seen */
	int64_t deadline, kill_at;        /* 0: none */
	int64_t next_cpu_look, next_look; /* likewise */
	struct spent spent;
	int64_t cpu_ns; /* that were used at the last look */
	struct toll held;
	struct watch watch;
};

/* Before the kill came, which is the first that it would have been told of this end. */
static bool ended_by_itself(const struct guarding *on, int end, int status)
{
	bool asked = end == LAUNCH_TIMEOUT && on->plan->kill_after_ns;

	return !asked && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void __attribute__((noreturn)) leave(struct guarding *on, int end, int code)
{
	const struct guard *g = on->g;
	struct shim_report said = {.status = SIGKILL};
	struct launch_report r = {.end = end,
		.wall_ns = sys_now_ns() - g->began,
		.peak = on->watch.peak,
		.peak_pids = on->watch.peak_pids};

	watch_end(&on->watch);           /* stopped processes go on */
	(void)waitpid(g->shim, NULL, 0); /* our child, which is ending; nothing is left of it */
	if (recv(g->talk[0], &said, sizeof(said), MSG_DONTWAIT) == (ssize_t)sizeof(said))
		r.usage = said.usage;
	else
		r.unseen = end == LAUNCH_EXITED;
	toll_add(&on->held, &r.usage);
	toll_add_spent(&on->spent, &r.usage);
	r.status = said.status; /* otherwise the shim was killed */
	if (end != LAUNCH_EXITED && ended_by_itself(on, end, r.status)) {
		r.end = LAUNCH_EXITED;
		code = -1;
	}
	r.oom = on->watch.killed || r.end == LAUNCH_OOM;
	if (code < 0)
		code = WIFSIGNALED(r.status) ? 128 + WTERMSIG(r.status) : WEXITSTATUS(r.status);
	r.code = code;
	if (on->lifeline >= 0)
		(void)send(on->lifeline, &r, sizeof(r), MSG_DONTWAIT | MSG_NOSIGNAL); /* the client may be gone */
	_exit(code);
}

/* Has the shim wait for all processes, not only for the command: otherwise they would become children of pid 1, and
 * most programs that are pid 1 never reap. */
static void tell_shim(const struct guard *g)
{
	(void)send(g->talk[0], "k", 1, MSG_DONTWAIT | MSG_NOSIGNAL); /* it may have ended, or was told before */
}

/* The shim's number in the container's pid namespace: the last one in NSpid. 0: it has ended. */
static pid_t number_inside(const struct guard *g)
{
	char path[32], text[4096], *at = NULL;
	pid_t number = 0;

	(void)snprintf(path, sizeof(path), "%d/status", (int)g->shim); /* fits */
	if (sys_get_status(g->machine_proc, path, text, sizeof(text)) > 0)
		at = strstr(text, "\nNSpid:");
	if (at)
		at += strlen("\nNSpid:");
	while (at && *at == '\t')
		number = (pid_t)strtol(at, &at, 10);
	return number;
}

/* Whether a directory is on a procfs. The file system itself is not asked: it may be a FUSE whose server does not answer. */
static bool is_procfs(const struct guard *g, int dir)
{
	char path[48], text[256], *at;
	auto_free char *mounts = NULL;
	auto_close int list = openat(g->machine_proc, "thread-self/mountinfo", O_RDONLY | O_CLOEXEC);

	(void)snprintf(path, sizeof(path), "thread-self/fdinfo/%d", dir); /* fits */
	if (list < 0 || sys_get(g->machine_proc, path, text, sizeof(text)) <= 0 ||
		!(at = strstr(text, "\nmnt_id:\t")) || !(mounts = sys_text_in(list)))
		return false;
	(void)snprintf(path, sizeof(path), "%d ", atoi(at + strlen("\nmnt_id:\t"))); /* fits */
	for (at = mounts; !str_starts(at, path); at++)
		if (!(at = strchr(at, '\n')))
			return false;
	at[strcspn(at, "\n")] = '\0';
	return (at = strstr(at, " - ")) != NULL && str_starts(at, " - proc ");
}

/* The container's procfs, which lists fewer processes: for what is done often. -1: root in the container decides what is mounted
 * there, and it may show another pid namespace, or be none. inside: the shim's number. */
static int own_proc(const struct guard *g, pid_t inside)
{
	uint64_t began = sys_start_time_at(g->machine_proc, g->shim);
	auto_close int at = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), proc = -1;
	char path[48];

	if (at < 0 || !inside || !began || !is_procfs(g, at))
		return -1;
	(void)snprintf(path, sizeof(path), "thread-self/fd/%d", at); /* fits */
	proc = openat(g->machine_proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The shim itself cannot be examined, since it is not dumpable. */
	return proc >= 0 && sys_start_time_at(proc, inside) == began ? take_fd(&proc) : -1;
}

static uint16_t processes(void)
{
	struct sysinfo all;

	return sysinfo(&all) == 0 ? all.procs : 0;
}

/* A cheap question, since a process that has used much processor time waits longer when thousands want the processor. */
static bool has_grown(const struct guarding *on)
{
	return (int16_t)(processes() - on->processes) >= CROWD;
}

/* Kills the processes of a crowd while all others are stopped. */
static void sweep_crowd(const struct guarding *on, const struct sweep *all, pid_t *spare)
{
	const struct guard *g = on->g;
	struct hold_whom whom = {g->machine_proc, -1, on->init, g->self};
	auto_close int proc = -1;
	struct hold hold;

	if (!has_grown(on))
		return;
	whom.proc = proc = own_proc(g, number_inside(g));
	if (proc >= 0 && !toll_crowd(proc))
		return;
	if (hold_begin(&hold, &whom))
		*spare = hold.pid;
	sweep(all);
	hold_end(&hold);
	*spare = 0; /* its number may be another's now */
}

/* Whether the shim can wait for none of its children any more. */
static bool is_held(struct guarding *on)
{
	const struct guard *g = on->g;
	char path[64], list[4096], *at = list, *end;

	on->held = (struct toll){0};
	(void)snprintf(path, sizeof(path), "%d/task/%d/children", (int)g->shim, (int)g->shim); /* fits */
	if (sys_get_numbers(g->machine_proc, path, list, sizeof(list)) <= 0)
		return false;
	for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 0; at = end) {
		(void)snprintf(path, sizeof(path), "%d", (int)pid); /* likewise */
		if (!sys_is_held(g->machine_proc, path))
			return false;
		toll_take_one(g->machine_proc, pid, &on->held);
	}
	return true;
}

static void __attribute__((noreturn)) end_all(struct guarding *on, int end, int code)
{
	const struct guard *g = on->g;
	struct pollfd shim = {.fd = g->pidfd, .events = POLLIN};
	pid_t spare[2] = {g->shim, 0};
	struct sweep all = {g->machine_proc, LAUNCH_TAG, &g->tag, NULL, spare};
	int64_t until, now, loose; /* when somebody was not held */

	tell_shim(g);
	/* A sweep does not see processes that we may not look at, like the command while it is being exec'ed. */
	(void)sys_pidfd_kill(g->command, SIGKILL); /* it may have ended, here and below */
	if (on->begun) /* one call for the shim's process group, which mostly is everything */
		(void)sys_pidfd_kill_group(g->command, SIGKILL);
	sweep_crowd(on, &all, &spare[1]);
	loose = sys_now_ns();
	until = loose + SHIM_MS * 1000000LL;
	do {
		sweep(&all);
		(void)sys_pidfd_kill(g->pidfd, SIGCONT);
		now = sys_now_ns();
		loose = is_held(on) ? loose : now;
	} while (poll(&shim, 1, SHIM_LOOK_MS) <= 0 && now < until && now - loose < SYS_HELD_NS);
	if (!shim.revents) {
		(void)sys_pidfd_kill(g->pidfd, SIGKILL);
		all.spare = NULL;
		sweep(&all);
	}
	leave(on, end, code);
}

/* Whether the shim has reported how the command ended. */
static bool has_said(const struct guard *g)
{
	struct shim_report said;

	return recv(g->talk[0], &said, sizeof(said), MSG_DONTWAIT | MSG_PEEK) == (ssize_t)sizeof(said);
}

/* When to look at the processor time: before that it cannot have run out, even if all processors were used. */
static int64_t cpu_look(struct guarding *on)
{
	int64_t used = sweep_cpu_ns(
		&(struct sweep){on->proc, LAUNCH_TAG, &on->g->tag, NULL, NULL}, &on->spent);
	int64_t left = (on->plan->cpu_time_ns - used) / get_nprocs();
	int64_t most = spent_churns(&on->spent) ? CPU_LOOK_MIN_NS
	               : used == on->cpu_ns     ? CPU_IDLE_MAX_NS
	                                        : CPU_LOOK_MAX_NS;

	on->cpu_ns = used;
	if (used >= on->plan->cpu_time_ns)
		return 0;
	return sys_now_ns() + (left < CPU_LOOK_MIN_NS ? CPU_LOOK_MIN_NS
				      : left > most   ? most
						      : left);
}

/* Sets the two processes that do not count: shim and guard. */
static void choose_proc(struct guarding *on, char spare[2][16])
{
	const struct guard *g = on->g;
	pid_t inside = number_inside(g);

	on->proc = own_proc(g, inside);
	if (on->proc >= 0) {
		(void)snprintf(spare[0], 16, "%d", (int)inside); /* fits */
		return;
	}
	on->proc = g->machine_proc;
	(void)snprintf(spare[0], 16, "%d", (int)g->shim);  /* likewise */
	(void)snprintf(spare[1], 16, "%d", (int)getpid()); /* likewise */
}

static void look(struct guarding *on)
{
	int64_t next = 0;

	on->watch.end = on->kill_at ? on->kill_at : on->deadline;
	switch (watch_look(&on->watch, &next)) {
	case WATCH_OOM:
		end_all(on, LAUNCH_OOM, 137);
	case WATCH_PIDS:
		end_all(on, LAUNCH_PIDS, 137);
	case WATCH_CPU: /* has a clock of its own here */
	case WATCH_FINE:
		break;
	}
	on->next_look = next ? sys_now_ns() + next : 0;
}

static bool has_come(int fd, short what)
{
	struct pollfd polled = {.fd = fd, .events = what};

	return fd >= 0 && poll(&polled, 1, 0) == 1;
}

/* Until then the command's process works in our memory. If something stops or kills it or the shim, we still notice
 * when it leaves; if it does not leave in time, or is not wanted any more, it is killed. The shim then waits for it,
 * unless that takes too long: without the shim the command would become a child of pid 1. */
static void wait_for_command(struct guarding *on)
{
	const struct guard *g = on->g;
	bool late = false, alone;
	int64_t ending = 0;

	while (sys_still_shared(&g->shared, COMMAND_LOOK_NS)) {
		late = late || (on->deadline && sys_now_ns() >= on->deadline);
		alone = has_come(g->pidfd, POLLIN);
		if (!ending && (late || alone || has_come(on->lifeline, POLLRDHUP)))
			ending = sys_now_ns() + SHIM_MS * 1000000LL;
		if (!ending)
			continue;
		tell_shim(g);
		(void)sys_pidfd_kill(g->pidfd, sys_now_ns() < ending ? SIGCONT : SIGKILL); /* it may have ended */
		(void)sys_pidfd_kill(g->command, SIGKILL); /* likewise */
		/* If the shim is killed while it forks, we may have no pidfd of the command; if the command is killed
		 * before it was set up to report that it leaves, our flag never changes. */
		if (alone && (g->command < 0 || has_come(g->command, POLLIN) || sys_now_ns() >= ending))
			break;
	}
	if (ending)
		end_all(on, late ? LAUNCH_TIMEOUT : LAUNCH_EXITED, late ? 124 : 137);
}

static void begin(struct guarding *on)
{
	const struct plan *p = on->plan;
	char spare[2][16] = {"", ""};

	if (!p->cpu_time_ns && !p->own_memory && !p->own_pids)
		return;
	choose_proc(on, spare);
	if (p->cpu_time_ns)
		on->next_cpu_look = cpu_look(on);
	if (!p->own_memory && !p->own_pids)
		return;
	watch_begin_some(&on->watch, p, on->proc, LAUNCH_TAG, &on->g->tag, spare);
	on->watch.turns = on->turns;
	if (p->own_memory)
		sys_short_slice(0);
	look(on);
}

/* If the user has detached, the client sends us the terminal; without it the processes would get SIGHUP. */
static bool takes_terminal(const struct guarding *on, int *terminal)
{
	char word;
	int n = 1;

	return fdmsg_recv(on->lifeline, &word, 1, terminal, &n, MSG_DONTWAIT) == 1 && n == 1;
}

/* Discards what is written to the terminal. False: no process has it open any more. */
static bool drain(int terminal)
{
	char waste[4096];

	return read(terminal, waste, sizeof(waste)) > 0 || errno == EAGAIN || errno == EINTR;
}

static int64_t wakes(const struct guarding *on)
{
	const int64_t at[] = {on->deadline, on->kill_at, on->next_cpu_look, on->next_look};
	int64_t first = 0;

	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		if (at[i] && (!first || at[i] < first))
			first = at[i];
	return first;
}

/* With ppoll()'s resolution, as memory can be filled within a few of poll()'s milliseconds. */
static void wait_for(const struct guarding *on, struct pollfd *polled, nfds_t n)
{
	int64_t at = wakes(on), left = at - sys_now_ns();
	struct timespec t = {0};

	if (left > 0) {
		t.tv_sec = left / 1000000000;
		t.tv_nsec = left % 1000000000;
	}
	(void)ppoll(polled, n, at ? &t : NULL, NULL);
}

static void on_time(struct guarding *on, int64_t now)
{
	if (on->next_look && now >= on->next_look) {
		look(on);
		now = sys_now_ns(); /* it may have taken long */
	}
	if (on->next_cpu_look && now >= on->next_cpu_look) {
		on->next_cpu_look = cpu_look(on);
		if (!on->next_cpu_look)
			end_all(on, LAUNCH_CPU, -1);
	}
	if ((on->kill_at && now >= on->kill_at) ||
		(on->deadline && now >= on->deadline && !on->plan->kill_after_ns))
		end_all(on, LAUNCH_TIMEOUT, 124);
	if (on->deadline && now >= on->deadline) {
		on->deadline = 0;
		on->kill_at = sys_after(now, on->plan->kill_after_ns);
		sweep_signal(&(struct sweep){on->g->machine_proc, LAUNCH_TAG, &on->g->tag, NULL, NULL},
			sys_first_child(on->g->machine_proc, on->g->shim), SIGTERM);
	}
}

void guard_run(const struct launch_exec *l, const struct guard *g)
{
	struct guarding on = {.g = g,
		.init = l->pidfd,
		.processes = processes(),
		.plan = l->plan,
		.lifeline = l->lifeline,
		.turns = l->turns,
		.watch = {.proc = -1, .list = -1, .turns = -1}};
	struct pollfd polled[2] = {{.fd = g->pidfd, .events = POLLIN},
		{.fd = l->lifeline, .events = POLLIN | POLLRDHUP}};
	int terminal = -1;

	/* The container's pid 1 can end only when all processes inside are reaped, the shim as well: so the kernel
	 * reaps it, lest that is held up if somebody stops us. */
	(void)signal(SIGCHLD, SIG_IGN);
	if (l->plan->timeout_ns) {
		on.deadline = sys_after(sys_now_ns(), l->plan->timeout_ns);
		sys_short_slice(0);
	}
	wait_for_command(&on);
	on.begun = true;
	if (become_may_be_refused(l->plan) && !__atomic_load_n(&g->reached, __ATOMIC_ACQUIRE))
		launch_say_refused(g->sock, l->plan->argv.v[0]);
	/* The client's pipes must be closed when the command closes them. */
	sys_keep_only((int[]){g->pidfd, g->command, g->talk[0], g->talk[1], l->lifeline,
			      g->machine_proc, g->self, l->pidfd, l->turns},
		9);
	begin(&on);
	for (;;) {
		wait_for(&on, polled, 2);
		if (polled[0].revents && on.kill_at) /* the command has obeyed; what it left behind may not */
			end_all(&on, LAUNCH_TIMEOUT, 124);
		if (polled[0].revents && !has_said(g)) /* something has killed the shim */
			end_all(&on, LAUNCH_EXITED, 137);
		if (polled[0].revents)
			leave(&on, LAUNCH_EXITED, -1);
		if (polled[1].revents && terminal < 0) {
			if (!takes_terminal(&on, &terminal))
				end_all(&on, LAUNCH_EXITED, -1); /* of a kill, unless it had just ended */
			polled[1] = (struct pollfd){.fd = terminal, .events = POLLIN};
		} else if (polled[1].revents && !drain(terminal)) {
			polled[1].fd = -1;
		}
		on_time(&on, sys_now_ns());
	}
}
