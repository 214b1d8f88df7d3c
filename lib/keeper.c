/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper.h"

#include "auto.h"
#include "cell.h"
#include "cell_net.h"
#include "eval.h"
#include "fdmsg.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* A cell that lives: its network is for the next one. */
struct kept {
	pid_t pid;
	struct cell_net net;
};

struct keeper {
	struct kept *cells;
	size_t n_cells;
	struct cell_nets nets;
	uint64_t memory;
	uint32_t id; /* of root in the cells */
	char **argv;
	int manager;
	int python;     /* a socket to the template; -1: none */
	pid_t template; /* 0: this lane is not the template's parent */
	int signals;
	cpu_set_t may; /* be used */
	int cpu;       /* the one that is; -1: any */
};

static void tell(
	const struct keeper *k, char what, uint32_t number, const char *text, const int *fds, int n)
{
	struct keeper_message m = {.what = what, .number = number};
	size_t len = strlen(text);

	if (len > sizeof(m.text) - 1)
		len = sizeof(m.text) - 1;
	memcpy(m.text, text, len);
	/* If the manager is gone, the loop notices. */
	(void)fdmsg_send(k->manager, &m, offsetof(struct keeper_message, text) + len + 1, fds, n);
}

/* ---- the template --------------------------------------------------------------------- */

/* A script, and what follows in it, as a file that only a descriptor names. */
static int script(const char *name, const char *text, size_t len, const char *rest, size_t rest_len)
{
	int fd = memfd_create(name, 0); /* python opens it */

	if (fd >= 0 && (sys_write_all(fd, text, len) < 0 || sys_write_all(fd, rest, rest_len) < 0 ||
			       lseek(fd, 0, SEEK_SET) < 0)) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* Modules write files when they are imported, as matplotlib does: where no request sees them. */
static int own_files(void)
{
	static const char *const dirs[] = {"/work", "/tmp"};

	if (syscall(SYS_unshare, CLONE_NEWNS) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mount("tmpfs", dirs[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0)
			return -1;
	return 0;
}

/* What 'b' brings along. */
#define LANES_OF(n)   ((n) / 2)
#define PROGRAM_OF(b) ((b)[0])
#define TELL_OF(b, i) ((b)[2 * (i) + 1])
#define LANE_OF(b, i) ((b)[2 * (i)]) /* the socket to its keeper; of all but the first */
#define BEGIN_MAX     (2 * KEEPER_LANES)

/* socks: of each lane to its keeper. */
static void __attribute__((noreturn))
exec_python(const struct keeper *k, const int *begin, const int (*socks)[2], int lanes)
{
	enum { ASK = 3, TELL, PROGRAM, RUNNER, TEMPLATE, ISOLATE, LANES };
	const int n = LANES - ASK + 2 * (lanes - 1);
	/* all of the runner at once: compiled here, it costs no request anything */
	int moved[LANES - ASK + 2 * KEEPER_LANES] = {socks[0][1], TELL_OF(begin, 0), PROGRAM_OF(begin),
		script("runner", eval_runner, eval_runner_len, eval_more, eval_more_len),
		script("template", keeper_template, keeper_template_len, "", 0),
		script("isolate", keeper_isolate, keeper_isolate_len, "", 0)};
	const char *const options[] = {k->argv[3], "-I", "-B", "-X", "utf8", "/proc/self/fd/7"};
	auto_strv struct strv argv = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	for (int i = 1; i < lanes; i++) {
		moved[LANES - ASK + 2 * i - 2] = socks[i][1];
		moved[LANES - ASK + 2 * i - 1] = TELL_OF(begin, i);
	}
	for (int i = 0; i < n; i++) /* above all of the numbers that they are to have */
		moved[i] = fcntl(moved[i], F_DUPFD_CLOEXEC, ASK + n);
	for (int i = 0; i < n; i++)
		if (moved[i] < 0 || dup2(moved[i], ASK + i) < 0)
			_exit(1);
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	if (own_files() < 0)
		_exit(1);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		strv_add(&argv, options[i]);
	strv_add(&argv, k->argv[2]);
	strv_addf(&argv, "%d", lanes);
	for (char **a = k->argv + 4; *a; a++)
		strv_add(&argv, *a);
	(void)execvp(argv.v[0], argv.v);
	_exit(127);
}

static int open_signals(void)
{
	sigset_t child;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, NULL);
	return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Turns this process, a fork, into the keeper of a further lane. */
static void become_lane(struct keeper *k, int manager, int python)
{
	k->manager = manager;
	k->python = python;
	k->template = 0;
	sys_keep_only((int[]){manager, python}, 2);
	k->signals = open_signals();
	if (k->signals < 0)
		_exit(1);
}

/* Neither the template nor a lane asks for a death signal: their parent is pid 1, whose end kills everything in
 * here. */
static int start_template(struct keeper *k, const int *begin, int lanes, struct err *e)
{
	int socks[KEEPER_LANES][2];
	pid_t lane = 1;

	for (int i = 0; i < lanes; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks[i]) < 0)
			return err_sys(e, "socketpair"); /* all of this ends now */
	k->template = fork();
	if (k->template == 0)
		exec_python(k, begin, (const int(*)[2])socks, lanes);
	if (k->template <0)
		return err_sys(e, "fork");
	for (int i = 1; i < lanes && lane > 0; i++) {
		lane = fork();
		if (lane == 0) {
			become_lane(k, LANE_OF(begin, i), socks[i][0]);
			return 0;
		}
	}
	k->python = socks[0][0];
	for (int i = 0; i < lanes; i++) {
		(void)close(socks[i][1]);
		if (i > 0)
			(void)close(socks[i][0]);
	}
	return lane < 0 ? err_sys(e, "fork") : 0;
}

/* On which processor it and the template work. That it may be used no more is no reason not to. */
static void settle(struct keeper *k, int cpu)
{
	cpu_set_t one;

	if (cpu == k->cpu)
		return;
	k->cpu = cpu;
	CPU_ZERO(&one);
	if (cpu >= 0)
		CPU_SET((unsigned)cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), cpu >= 0 ? &one : &k->may);
}

/* ---- the loop ------------------------------------------------------------------------- */

/* As many as there are cells, and some: when the machine was busy for a moment many were dying at once, and what these
 * had would be kept for ever. */
static size_t enough_nets(const struct keeper *k)
{
	return k->n_cells + 2;
}

static int make_cell(struct keeper *k, struct cell *c, struct err *e)
{
	struct cell_net net = cell_net_take(&k->nets);
	struct cell_ask ask = {.memory = k->memory, .id = k->id};

	ask.net = net.ns;
	if (cell_make(&ask, c, e) < 0) {
		cell_net_give(&k->nets, &net, enough_nets(k));
		return -1;
	}
	if (net.ns < 0 && cell_net_open(c->pid, &net, e) < 0) {
		(void)sys_pidfd_kill(c->pidfd, SIGKILL); /* our child, in which nothing runs */
		cell_done(c);
		return -1;
	}
	k->cells = xrealloc(k->cells, k->n_cells + 1, sizeof(*k->cells));
	k->cells[k->n_cells++] = (struct kept){c->pid, net};
	return 0;
}

static void lose_cell(struct keeper *k, pid_t pid)
{
	for (size_t i = 0; i < k->n_cells; i++)
		if (k->cells[i].pid == pid) {
			cell_net_give(&k->nets, &k->cells[i].net, enough_nets(k));
			k->cells[i] = k->cells[--k->n_cells];
			return;
		}
}

/* fds: the child's channel, stdout and stderr. */
static int make(struct keeper *k, const struct keeper_message *ask, const int *fds, struct err *e)
{
	struct keeper_message m = {
		.what = 'f', .haste = ask->haste, .cpu = ask->cpu, .number = ask->number};
	struct cell c;
	int result;

	settle(k, ask->cpu);
	if (make_cell(k, &c, e) < 0)
		return -1;
	result = fdmsg_send(k->python, &m, offsetof(struct keeper_message, text),
		(int[]){c.pidfd, fds[0], fds[1], fds[2]}, 4);
	if (result == 0) {
		tell(k, 'c', ask->number, "", (int[]){c.pidfd, c.proc, c.files}, 3);
	} else {
		(void)err_sys(e, "ask the template");
		(void)sys_pidfd_kill(c.pidfd, SIGKILL); /* our child, in which nothing runs */
	}
	cell_done(&c);
	return result;
}

/* Handles one message. False: the manager is gone. */
static bool hear(struct keeper *k)
{
	struct keeper_message m;
	int fds[BEGIN_MAX], n = ARRAY_LEN(fds);
	long len = fdmsg_recv(k->manager, &m, sizeof(m), fds, &n, 0);
	struct err e = {0};

	if (len < (long)offsetof(struct keeper_message, text))
		return false;
	if (m.what == 'b' && n >= 2 && start_template(k, fds, LANES_OF(n), &e) < 0)
		tell(k, 'x', 0, e.text, NULL, 0);
	if (m.what == 'b' && !k->template)
		return true; /* a lane's keeper, which has closed them */
	if (m.what == 'c' && n == 3 && make(k, &m, fds, &e) < 0)
		tell(k, 'f', m.number, e.text, NULL, 0);
	for (int i = 0; i < n; i++)
		(void)close(fds[i]); /* the template's now */
	return true;
}

static void reap(struct keeper *k)
{
	struct signalfd_siginfo info;
	char why[64];
	pid_t pid;
	int st;

	(void)!read(k->signals, &info, sizeof(info)); /* only to make it quiet */
	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		lose_cell(k, pid);
		if (pid != k->template)
			continue;
		if (WIFEXITED(st) && WEXITSTATUS(st) == 127)
			(void)snprintf(why, sizeof(why), "the image has no %s", k->argv[3]);
		else if (WIFEXITED(st))
			(void)snprintf(why, sizeof(why), "exit status %d", WEXITSTATUS(st));
		else
			(void)snprintf(why, sizeof(why), "signal %d", WTERMSIG(st));
		tell(k, 'x', 0, why, NULL, 0);
	}
}

/* Runs until the manager is gone. */
static int loop(struct keeper *k)
{
	for (;;) {
		struct pollfd on[] = {
			{.fd = k->manager, .events = POLLIN}, {.fd = k->signals, .events = POLLIN}};

		if (poll(on, ARRAY_LEN(on), -1) < 0 && errno != EINTR)
			return 1;
		if (on[1].revents)
			reap(k);
		if (on[0].revents && !hear(k))
			return 0;
	}
}

int keeper_main(int argc, char **argv)
{
	struct keeper k = {.argv = argv, .manager = STDIN_FILENO, .python = -1, .cpu = -1};
	struct err e = {0};

	if (argc < 4)
		return 125;
	k.memory = strtoull(argv[1], NULL, 10);
	k.id = cell_id();
	k.signals = open_signals();
	(void)sched_getaffinity(0, sizeof(k.may), &k.may); /* more processors than that: never asked for one */
	(void)fcntl(k.manager, F_SETFD, FD_CLOEXEC);
	/* It runs on; the cells need not see it. */
	(void)umount2(KEEPER_PATH, MNT_DETACH);
	(void)unlink(KEEPER_PATH);
	if (k.signals < 0 || cell_prepare(&e) < 0) {
		tell(&k, 'x', 0, e.text, NULL, 0);
		return 1;
	}
	return loop(&k);
}
