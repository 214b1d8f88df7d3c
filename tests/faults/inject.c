/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject: runs a program under ptrace() until one of its processes is about to make a certain system call. Then it
 *
 *	-e ERRNO    makes the call fail (the default, with EIO),
 *	-k          kills the process,
 *	-u          kills the process's parent, while that waits for something,
 *	-f          kills the program's first process; the call is made if the process is not killed, too, for a second,
 *	-w COMMAND  runs another command; the call is made when that has ended, or waits for a lock.
 *
 *	inject [-p PROCESS -n N [-e ERRNO | -k | -u | -f | -w COMMAND]] [-r] [-l] [-o FILE] PROGRAM [ARG...]
 *
 * PROCESS is "0" for the program, "0.2" for its second child, and so on, so that the N-th call of a process is the same
 * call in each run, whatever order the processes run in. Processes that exec another program are detached: only calls of
 * PROGRAM's own file count; with -r only those that receive a message. Calls that the kernel never fails, or whose failure
 * has no consequence, do not count. Exits as the program did.
 *
 * When all have ended, FILE gets these lines:
 *
 *	PROCESS CALLS        for each process
 *	failed NUMBER        the system call that was chosen
 *	met STATUS           of COMMAND
 *	left PID COMM        for each process that was still there LINGER_S after the program's end; at once if these are servers
 *
 * and with -l, about processes in a pid namespace other than ours:
 *
 *	inside PROCESS
 *	open PROCESS CALL    before that call, other processes of the namespace could have traced it
 *	named PROCESS CALL   before that call, they could have read its command line
 *	last PROCESS         it could still be traced before its last call
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEES_MAX 512
#define LINGER_S    4 /* after the end of the program, its supervisor may still clean up */
#define STAND_S     10
#define MEET_S      4 /* COMMAND may wait, without a lock, for the very process that is stopped */

struct tracee {
	pid_t pid, parent; /* parent: only known while the path is not */
	char path[64];
	long calls;
	int children;
	bool alive, started, failing;
	bool inside, last;
	long open, named; /* the first such call; 0: none */
};

static struct tracee tracees[TRACEES_MAX];
static int n_tracees;
static const char *wanted = "";
static long wanted_n = -1, failed = -1;
static int error = EIO;
static bool kills, kills_parent, kills_first, looks, receives;
static struct tracee *orphan; /* -u: stopped before its call until its parent is killed */
static struct tracee *held;   /* -f, -w: stopped before its call */
static time_t held_since;
static const char *meets; /* -w: COMMAND */
static pid_t other;       /* COMMAND's process */
static int met = -1;      /* COMMAND's status */
static struct stat program;
static bool begun; /* our child has become PROGRAM */

static const int never[] = {
	SYS_exit,
	SYS_exit_group,
	SYS_rt_sigreturn,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_wait4,
	SYS_waitid,
	SYS_munmap,
	SYS_getpid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_gettid,
	SYS_clock_gettime,
	SYS_sysinfo,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_ppoll,
	SYS_futex,
	SYS_set_robust_list,
	SYS_set_tid_address,
	SYS_umask,
	SYS_madvise,
	SYS_brk,
	SYS_mprotect,
	SYS_timerfd_settime,
	SYS_restart_syscall,
	SYS_kill, /* sent to children, which are there until they are waited for */
#ifdef SYS_poll
	SYS_poll,
	SYS_arch_prctl,
	SYS_getpgrp,
#endif
#ifdef SYS_rseq
	SYS_rseq,
#endif
};

static struct tracee *find(pid_t pid)
{
	for (int i = 0; i < n_tracees; i++)
		if (tracees[i].pid == pid && tracees[i].alive)
			return &tracees[i];
	if (n_tracees == TRACEES_MAX)
		exit(99);
	tracees[n_tracees] = (struct tracee){.pid = pid, .alive = true};
	return &tracees[n_tracees++];
}

static bool counts(const struct __ptrace_syscall_info *info)
{
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if ((unsigned long)never[i] == info->entry.nr)
			return false;
	if (receives && info->entry.nr != SYS_recvfrom && info->entry.nr != SYS_recvmsg)
		return false;
	if (info->entry.nr == SYS_prctl && info->entry.args[0] == PR_SET_NAME)
		return false;
	return info->entry.nr != SYS_flock || info->entry.args[1] != LOCK_UN;
}

/* Changes the number of a call that is about to be made, or the result of one that was made. */
static void change(pid_t pid, bool number, long value)
{
#if defined(__x86_64__)
	(void)ptrace(PTRACE_POKEUSER, pid,
		number ? offsetof(struct user_regs_struct, orig_rax)
		       : offsetof(struct user_regs_struct, rax),
		value);
#elif defined(__aarch64__)
	struct user_regs_struct regs;
	struct iovec all = {&regs, sizeof(regs)};
	int nr = (int)value;
	struct iovec one = {&nr, sizeof(nr)};

	if (number) {
		(void)ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &one);
	} else if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all) == 0) {
		regs.regs[0] = (unsigned long)value;
		(void)ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all);
	}
#else
#error "how a call's number is changed has to be written here"
#endif
}

static pid_t parent_of(pid_t pid, char *state)
{
	char path[40], text[512] = "", *at;
	int up = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f) {
		(void)!fgets(text, sizeof(text), f);
		(void)fclose(f);
	}
	at = strrchr(text, ')');
	return at && sscanf(at, ") %c %d", state, &up) == 2 ? up : 0;
}

/* The orphan is stopped before its call. Kills its parent as soon as that waits for something, and lets the orphan go on when
 * the parent is dead, so that the kernel has already signalled it. A parent that is not a tracee is not killed. */
static void kill_waiting_parent(void)
{
	struct tracee *parent = NULL;
	char state = 0;
	int status;
	pid_t up = parent_of(orphan->pid, &state);

	for (int i = 0; i < n_tracees; i++)
		if (tracees[i].pid == up && tracees[i].alive)
			parent = &tracees[i];
	if (parent && parent_of(up, &state) && state != 'S' && state != 'D')
		return;
	if (parent && kill(up, SIGKILL) == 0) {
		while (waitpid(up, &status, __WALL) == up && WIFSTOPPED(status))
			;
		parent->alive = false;
	} else {
		failed = -1;
	}
	(void)ptrace(PTRACE_SYSCALL, orphan->pid, 0, 0);
	orphan = NULL;
}

/* Kills the program's first process and stops t, so that there is time to kill it, too. */
static void hold(struct tracee *t)
{
	(void)kill(tracees[0].pid, SIGKILL); /* it was not waited for, so the pid is still its own */
	held = t;
	held_since = time(NULL);
}

static void meet(struct tracee *t)
{
	other = fork();
	if (other == 0) {
		(void)setsid();
		(void)execl("/bin/sh", "sh", "-c", meets, (char *)NULL);
		_exit(97);
	}
	held = t;
	held_since = time(NULL);
}

static void have_met(int status)
{
	met = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool waits_for_lock(void)
{
	FILE *f = fopen("/proc/locks", "re");
	char line[256];
	bool waits = false;
	int pid;

	while (f && fgets(line, sizeof(line), f))
		waits = waits ||
		        (sscanf(line, "%*s -> %*s %*s %*s %d", &pid) == 1 && getsid(pid) == other);
	if (f)
		(void)fclose(f);
	return waits;
}

static void let_held_go(void)
{
	if (other ? met < 0 && time(NULL) - held_since < MEET_S && !waits_for_lock()
		  : held->alive && time(NULL) - held_since < 2)
		return;
	if (held->alive)
		(void)ptrace(PTRACE_SYSCALL, held->pid, 0, 0);
	held = NULL;
}

/* In how many nested pid namespaces the process is: it has a number in each, on the line NSpid. */
static int depth(const char *pid)
{
	char path[40], line[256];
	int n = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%s/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (const char *at = line; strncmp(line, "NSpid:", 6) == 0 && *at; at++)
			n += *at == '\t';
	if (f)
		(void)fclose(f);
	return n;
}

static bool has_arguments(const char *pid)
{
	char path[40];
	bool any = false;
	FILE *f;
	int c;

	(void)snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	f = fopen(path, "re");
	while (f && (c = fgetc(f)) != EOF)
		any = any || (c && c != ' ');
	if (f)
		(void)fclose(f);
	return any;
}

static void look(struct tracee *t)
{
	char pid[16], path[40];
	struct stat st;

	(void)snprintf(pid, sizeof(pid), "%d", (int)t->pid);
	if (depth(pid) <= depth("self"))
		return;
	t->inside = true;
	(void)snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	t->last = stat(path, &st) == 0 &&
	          st.st_uid == getuid(); /* of a process that is not dumpable, these belong to root */
	if (t->last && !t->open)
		t->open = t->calls + 1;
	if (!t->named && has_arguments(pid))
		t->named = t->calls + 1;
}

static void on_syscall(struct tracee *t)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->failing) {
		t->failing = false;
		change(t->pid, false, -error);
	}
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY && begun && looks)
		look(t);
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !begun || !counts(&info))
		return;
	if (++t->calls == wanted_n && strcmp(t->path, wanted) == 0) {
		failed = (long)info.entry.nr;
		if (kills_parent) {
			orphan = t;
			return;
		}
		if (kills_first || meets) {
			(kills_first ? hold : meet)(t);
			return;
		}
		if (kills) {
			(void)kill(t->pid, SIGKILL);
			return;
		}
		t->failing = true;
		/* close() that fails has closed the descriptor all the same */
		if (info.entry.nr != SYS_close)
			change(t->pid, true, SYS_gettid); /* not -1, which seccomp filters deny */
	}
}

static void let_go(struct tracee *t)
{
	t->alive = false;
	(void)ptrace(PTRACE_DETACH, t->pid, 0, 0);
}

static bool still_the_program(pid_t pid)
{
	char path[40];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &st) == 0 && st.st_ino == program.st_ino && st.st_dev == program.st_dev;
}

static void on_child(struct tracee *t)
{
	unsigned long pid = 0;
	struct tracee *child;

	(void)ptrace(PTRACE_GETEVENTMSG, t->pid, 0, &pid);
	child = find((pid_t)pid);
	(void)snprintf(child->path, sizeof(child->path), "%.50s.%d", t->path, ++t->children);
	if (child->started) /* its first stop came before its parent's event */
		(void)ptrace(PTRACE_SYSCALL, child->pid, 0, 0);
}

static bool is_alive(pid_t pid)
{
	for (int i = 0; i < n_tracees; i++)
		if (tracees[i].pid == pid && tracees[i].alive)
			return true;
	return false;
}

/* If a process is killed while it forks, there will be no event about its child, which need not wait for it. */
static void on_death(pid_t pid)
{
	for (int i = 0; i < n_tracees; i++)
		if (tracees[i].alive && tracees[i].started && !*tracees[i].path && tracees[i].parent == pid)
			(void)ptrace(PTRACE_SYSCALL, tracees[i].pid, 0, 0);
}

static void on_stop(struct tracee *t, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		on_syscall(t);
		if (t == orphan || t == held)
			return;
		sig = 0;
	} else if (event == PTRACE_EVENT_EXEC) {
		if (!still_the_program(t->pid)) {
			let_go(t);
			return;
		}
		begun = true;
		sig = 0;
	} else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		   event == PTRACE_EVENT_CLONE) {
		on_child(t);
		sig = 0;
	} else if (event) {
		sig = 0;
	} else if (!t->started && sig == SIGSTOP) {
		char state;

		t->started = true;
		t->parent = parent_of(t->pid, &state);
		if (!*t->path && is_alive(t->parent))
			return; /* goes on after its parent's event: on_child() */
		sig = 0;
	}
	(void)ptrace(PTRACE_SYSCALL, t->pid, 0, sig);
}

static void tell_tracee(FILE *out, const struct tracee *t)
{
	(void)fprintf(out, "%s %ld\n", t->path, t->calls);
	if (t->inside)
		(void)fprintf(out, "inside %s\n%s%s%s", t->path, t->last ? "last " : "",
			t->last ? t->path : "", t->last ? "\n" : "");
	if (t->open)
		(void)fprintf(out, "open %s %ld\n", t->path, t->open);
	if (t->named)
		(void)fprintf(out, "named %s %ld\n", t->path, t->named);
}

static void read_comm(pid_t pid, char comm[64])
{
	char path[40];
	FILE *f;

	*comm = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (f) {
		(void)!fgets(comm, 64, f);
		(void)fclose(f);
	}
	comm[strcspn(comm, "\n")] = '\0';
}

/* Servers stay for the next command, so there is no point in waiting for their end. */
static bool only_servers_are_left(void)
{
	for (int i = 0; i < n_tracees; i++) {
		char comm[64];

		if (!tracees[i].alive)
			continue;
		read_comm(tracees[i].pid, comm);
		if (strcmp(comm, "sbx-layers") != 0 && strcmp(comm, "sbx-seeds") != 0)
			return false;
	}
	return true;
}

/* One that runs only where nobody else wants to (preread.c) may not even come to a stop while others do. */
static bool stands(pid_t pid)
{
	const time_t since = time(NULL);

	while (waitpid(pid, NULL, __WALL | WNOHANG) == 0) {
		if (time(NULL) - since > STAND_S)
			return false;
		(void)nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	return true;
}

static void tell_left(FILE *out)
{
	for (int i = 0; i < n_tracees; i++) {
		char comm[64];

		if (!tracees[i].alive)
			continue;
		read_comm(tracees[i].pid, comm);
		(void)fprintf(out, "left %d %s\n", (int)tracees[i].pid, comm);
		/* A tracee can only be detached while it is stopped. It may be a thread. */
		(void)syscall(SYS_tkill, tracees[i].pid, SIGSTOP);
		if (!stands(tracees[i].pid))
			continue; /* it ends with us */
		let_go(&tracees[i]);
		(void)kill(tracees[i].pid, SIGCONT);
	}
}

static int any_alive(void)
{
	int n = 0;

	for (int i = 0; i < n_tracees; i++)
		n += tracees[i].alive;
	return n;
}

/* Returns the program's exit status. */
static int trace(pid_t first)
{
	int status = 0, result = -1;
	time_t since = 0;
	unsigned int rounds = 0;

	while (any_alive()) {
		pid_t pid =
			waitpid(-1, &status, __WALL | (result >= 0 || orphan || held ? WNOHANG : 0));
		struct tracee *t;

		if (pid == 0 && orphan) {
			kill_waiting_parent();
			continue;
		}
		if (held)
			let_held_go();
		if (pid == 0) {
			if (result >= 0 && (time(NULL) - since > LINGER_S ||
						   (++rounds % 16 == 0 && only_servers_are_left())))
				break;
			(void)nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
			continue;
		}
		if (pid < 0)
			break;
		if (pid == other) {
			have_met(status);
			continue;
		}
		t = find(pid);
		if (WIFSTOPPED(status)) {
			on_stop(t, status);
			continue;
		}
		t->alive = false;
		on_death(pid);
		if (pid == first) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			since = time(NULL);
		}
	}
	if (result < 0 && waitpid(first, &status, 0) == first) /* detached, and the last to end */
		result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return result;
}

int main(int argc, char **argv)
{
	const char *to = NULL;
	FILE *out;
	pid_t pid;
	int c, result;

	while ((c = getopt(argc, argv, "+p:n:e:kuflrw:o:")) != -1) {
		if (c == 'p')
			wanted = optarg;
		else if (c == 'n')
			wanted_n = atol(optarg);
		else if (c == 'e')
			error = atoi(optarg);
		else if (c == 'k')
			kills = true;
		else if (c == 'u')
			kills_parent = true;
		else if (c == 'f')
			kills_first = true;
		else if (c == 'w')
			meets = optarg;
		else if (c == 'l')
			looks = true;
		else if (c == 'r')
			receives = true;
		else if (c == 'o')
			to = optarg;
		else
			return 98;
	}
	if (optind == argc || stat(argv[optind], &program) < 0)
		return 98;
	pid = fork();
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, 0, 0);
		(void)raise(SIGSTOP);
		(void)execv(argv[optind], argv + optind);
		_exit(97);
	}
	if (waitpid(pid, NULL, 0) != pid ||
		ptrace(PTRACE_SETOPTIONS, pid, 0,
			PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) < 0)
		return 98;
	*find(pid) = (struct tracee){.pid = pid, .path = "0", .alive = true, .started = true};
	(void)ptrace(PTRACE_SYSCALL, pid, 0, 0);
	result = trace(pid);
	if (other && met < 0) {
		(void)waitpid(other, &c, 0);
		have_met(c);
	}
	out = to ? fopen(to, "we") : NULL;
	if (out) {
		for (int i = 0; i < n_tracees; i++)
			tell_tracee(out, &tracees[i]);
		if (failed >= 0)
			(void)fprintf(out, "failed %ld\n", failed);
		if (other)
			(void)fprintf(out, "met %d\n", met);
		tell_left(out);
		(void)fclose(out);
	}
	return result;
}
