/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_exec: starts another process in a container, which is found by the number of a process in it. */
#include "enroot_parts.h"

#include "seccomp.h"
#include "sys.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- standing for a child --------------------------------------------------------------- */

/* Whether process `pid` would notice the signal: a pid 1 is not killed by what it does not handle. */
static bool handles(pid_t pid, int signo)
{
	char path[40], text[4096];
	unsigned long long caught = 0, ignored = 0;
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid); /* fits */
	if (sys_get_status(AT_FDCWD, path, text, sizeof(text)) < 0)
		return true;
	at = strstr(text, "\nSigCgt:");
	if (at)
		(void)sscanf(at + 8, "%llx", &caught);
	at = strstr(text, "\nSigIgn:");
	if (at)
		(void)sscanf(at + 8, "%llx", &ignored);
	return (caught | ignored) >> (signo - 1) & 1;
}

static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* A signal which it would not notice ends it. *status: as wait() has it. */
static int wait_for(pid_t pid, int *status, struct err *e)
{
	int ended_by = 0, signo;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_LEN(passed_on); i++)
		(void)sigaddset(&set, passed_on[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* cannot fail with these arguments */
	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			break;
		if (got < 0)
			return err_sys(e, "wait");
		if (sigwait(&set, &signo) != 0 || signo == SIGCHLD)
			continue;
		if (handles(pid, signo)) {
			(void)kill(pid, signo); /* it may have ended */
		} else {
			ended_by = signo;
			(void)kill(pid, SIGKILL); /* likewise */
		}
	}
	if (ended_by && WIFSIGNALED(*status))
		*status = ended_by;
	return 0;
}

int enroot_child(int (*work)(void *arg, int report, struct err *e), void *arg, int *its,
	int *status, struct err *e)
{
	int report[2];
	auto_close int from = -1;
	struct err sub;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = report[0];
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)work(arg, report[1], e);
		(void)sys_write_all(report[1], e, sizeof(*e)); /* on failure the exit status tells */
		_exit(1);                                      /* the child */
	}
	(void)close(report[1]); /* the child's */
	if (its && *its >= 0)
		(void)close(take_fd(its)); /* likewise */
	if (pid < 0)
		return err_sys(e, "fork");
	if (wait_for(pid, status, e) < 0)
		return -1;
	if (sys_read(from, &sub, sizeof(sub)) == (ssize_t)sizeof(sub)) {
		*e = sub;
		return -1;
	}
	return 0;
}

/* ---- the target ------------------------------------------------------------------------- */

static pid_t find_process(const struct store *s, const char *target, struct err *e)
{
	struct enroot_proc *list = NULL;
	size_t n = 0;
	pid_t pid = 0;

	if (*target && strspn(target, "0123456789") == strlen(target) && strlen(target) < 10)
		pid = atoi(target);
	else if (enroot_procs(&list, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && !pid; i++)
		if (str_eq(list[i].container, target) && enroot_was_put(s, list[i].pid, target))
			pid = list[i].pid;
	enroot_procs_free(list, n);
	if (pid <= 0 || kill(pid, 0) < 0)
		return err_set(e, ERR_NOT_FOUND, "Process not found: %s", target);
	return pid;
}

static void read_environ(int proc, struct strv *env)
{
	auto_close int fd = openat(proc, "environ", O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};
	char part[4096];
	ssize_t n;

	while (fd >= 0 && (n = sys_read(fd, part, sizeof(part))) > 0)
		buf_add(&text, part, (size_t)n);
	for (size_t at = 0; at < text.len; at += strlen(text.s + at) + 1)
		if (strchr(text.s + at, '='))
			strv_add(env, text.s + at);
	strv_env_settle(env);
}

/* ---- joining ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int flag;
} spaces[] = {
	{"user", CLONE_NEWUSER}, /* first: it allows the others */
	{"cgroup", CLONE_NEWCGROUP},
	{"ipc", CLONE_NEWIPC},
	{"uts", CLONE_NEWUTS},
	{"net", CLONE_NEWNET},
	{"pid", CLONE_NEWPID},
	{"mnt", CLONE_NEWNS},
};

struct target {
	int ns[ARRAY_LEN(spaces)]; /* -1: we are in it */
	int cwd;
	struct strv env;
};

static void target_done(struct target *t)
{
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		if (t->ns[i] >= 0)
			(void)close(take_fd(&t->ns[i])); /* a name only */
	if (t->cwd >= 0)
		(void)close(take_fd(&t->cwd)); /* likewise */
	strv_done(&t->env);
}
#define auto_target __attribute__((cleanup(target_done)))

static int open_target(pid_t pid, struct target *t, struct err *e)
{
	auto_free char *path = xasprintf("/proc/%d", (int)pid);
	auto_close int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return err_set(e, ERR_NOT_FOUND, "Process not found: %d", (int)pid);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
		auto_free char *mine = xasprintf("/proc/self/ns/%s", spaces[i].name);
		auto_free char *its = xasprintf("ns/%s", spaces[i].name);
		struct stat a, b;

		t->ns[i] = openat(proc, its, O_RDONLY | O_CLOEXEC);
		if (t->ns[i] < 0)
			return err_sys(e, "enroot-nsenter: failed to open namespace: %s/%s", path, its);
		if (stat(mine, &a) == 0 && fstat(t->ns[i], &b) == 0 && a.st_ino == b.st_ino)
			(void)close(take_fd(&t->ns[i])); /* ours too */
	}
	t->cwd = openat(proc, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	read_environ(proc, &t->env);
	return 0;
}

static int join(const struct target *t, struct err *e)
{
	(void)prctl(PR_SET_DUMPABLE, 0); /* before somebody in there may trace us */
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		if (t->ns[i] >= 0 && sys_setns(t->ns[i], spaces[i].flag) < 0)
			return err_sys(e, "enroot-nsenter: failed to join %s namespace", spaces[i].name);
	if (t->cwd >= 0 && fchdir(t->cwd) < 0)
		(void)chdir("/"); /* where we are anyway */
	return 0;
}

/* ---- the command ------------------------------------------------------------------------ */

/* report: stays open until the exec; or -1 */
static int run(const struct target *t, const struct seccomp_filter *filter,
	const struct strv *command, int report, struct err *e)
{
	const char *path = strv_env(&t->env, "PATH");

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no-new-privileges");
	if (seccomp_install(filter, e) < 0)
		return -1;
	/* A link of the container's to /proc/self/fd would lead to them. */
	sys_keep_only((int[]){0, 1, 2, report}, 4);
	if (path)
		(void)setenv("PATH", path + 5, 1); /* where execvpe() looks; memory only */
	(void)signal(SIGXFSZ, SIG_DFL);            /* ignored by main() for us alone */
	(void)execvpe(command->v[0], command->v, t->env.v);
	return err_sys(e, "enroot-nsenter: failed to execute: %s", command->v[0]);
}

struct command {
	const struct target *target;
	const struct seccomp_filter *filter;
	const struct strv *words;
};

static int run_in_child(void *arg, int report, struct err *e)
{
	const struct command *c = arg;

	return run(c->target, c->filter, c->words, report, e);
}

int enroot_exec(const struct store *s, const struct enroot_exec *a, int *status, struct err *e)
{
	struct seccomp_ask ask = {
		.profile = "unconfined", .caps = ~UINT64_C(0), .fake_root = true, .keyless = true};
	auto_target struct target t = {.cwd = -1};
	auto_seccomp struct seccomp_filter filter = {0};
	struct command command;
	bool pids = false;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		t.ns[i] = -1;
	pid = find_process(s, a->target, e);
	if (pid < 0 || open_target(pid, &t, e) < 0)
		return -1;
	for (size_t i = 0; i < a->env.n; i++) {
		const char *word = a->env.v[i], *value = strchr(word, '=') ? NULL : getenv(word);

		if (strchr(word, '='))
			strv_add(&t.env, word);
		else /* as `start` has it, where it is not set */
			strv_addf(&t.env, "%s=%s", word, value ? value : "");
	}
	strv_env_settle(&t.env);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		pids = pids || (spaces[i].flag == CLONE_NEWPID && t.ns[i] >= 0);
	if (seccomp_get(s, &ask, &filter, e) < 0)
		return -1;
	if (join(&t, e) < 0)
		return -1;
	command = (struct command){&t, &filter, &a->command};
	return pids ? enroot_child(run_in_child, &command, NULL, status, e)
	            : run_in_child(&command, -1, e);
}
