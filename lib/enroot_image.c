/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_image: makes squashfs files of archives, directories and containers; see also enroot_import.c. */
#include "enroot_parts.h"

#include "helper.h"
#include "meter.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- a new file ------------------------------------------------------------------------- */

void enroot_made_done(struct enroot_made *m)
{
	if (m->fd >= 0)
		(void)close(take_fd(&m->fd)); /* given up, or finished */
	if (m->part && !m->nameless)
		(void)unlink(m->part);
	free(m->part);
	free(m->path);
}

static int exists(const char *path, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "File already exists: %s", path);
}

/* As readlink -f: where links lead, also one to what is not there yet. NULL: a directory on the way is missing. */
static char *end_of(const char *path)
{
	auto_free char *at = xstrdup(path);

	for (int links = 0; links < 40; links++) {
		char *real = realpath(at, NULL), *slash = strrchr(at, '/'), *next, to[4096];
		auto_free char *dir = slash ? xstrndup(at, (size_t)(slash - at) + 1) : xstrdup(".");
		auto_free char *parent = NULL;
		ssize_t n;

		if (real || errno != ENOENT)
			return real;
		n = readlink(at, to, sizeof(to) - 1);
		if (n < 0) {
			parent = realpath(dir, NULL);
			return parent ? xasprintf("%s/%s", parent[1] ? parent : "", slash ? slash + 1 : at)
			              : NULL;
		}
		to[n] = '\0';
		next = *to == '/' ? xstrdup(to) : xasprintf("%s/%s", dir, to);
		free(at);
		at = next;
	}
	errno = ELOOP;
	return NULL;
}

char *enroot_part(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return xasprintf("%.*s%.200s.%d.part", (int)(name - path), path, name, (int)getpid());
}

static int open_part(struct enroot_made *m)
{
	const char *slash = strrchr(m->path, '/');
	auto_free char *dir = slash ? xstrndup(m->path, (size_t)(slash - m->path) + 1) : xstrdup(".");
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	m->nameless = fd >= 0;
	return fd >= 0 ? fd : open(m->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

/* With the name that it is to have in the end, or the one that a file has until then. */
static int give_name(struct enroot_made *m, const char *name)
{
	auto_free char *here = xasprintf("/proc/self/fd/%d", m->fd);

	return m->nameless ? linkat(AT_FDCWD, here, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
	                   : link(m->part, name);
}

int enroot_made_begin(const char *path, bool force, struct enroot_made *m, struct err *e)
{
	m->path = end_of(path);
	if (!m->path && errno != ENOENT)
		return err_sys(e, "%s", path);
	if (!m->path)
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", path);
	if (!force && faccessat(AT_FDCWD, m->path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return exists(m->path, e);
	m->part = enroot_part(m->path);
	m->fd = open_part(m);
	if (m->fd < 0) {
		if (errno == ENOENT)
			(void)err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", path);
		else
			(void)err_sys(e, "%s", path);
		free(take(m->part));
		return -1;
	}
	return 0;
}

int enroot_made_end(struct enroot_made *m, bool force, struct err *e)
{
	if (!force && give_name(m, m->path) == 0)
		return 0; /* the temporary name is removed */
	if (!force && errno == EEXIST)
		return exists(m->path, e);
	if (m->nameless && give_name(m, m->part) < 0)
		return err_sys(e, "%s", m->path);
	m->nameless = false;
	if (rename(m->part, m->path) < 0)
		return err_sys(e, "%s", m->path);
	free(take(m->part));
	return 0;
}

/* ---- input ------------------------------------------------------------------------------ */

int enroot_of_archive(int in, int out, struct meter *meter, struct err *e)
{
	const char *words[] = {"layer", "base", meter ? "meter" : NULL, NULL};
	auto_json json_t *answer = helper_ask(words, in, out, meter, e);

	return answer ? 0 : -1;
}

pid_t enroot_tar_begin(int dir, int *from, struct err *e)
{
	const char *words[] = {"tar", NULL};
	auto_close int to = -1;
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	to = p[1];
	pid = helper_start(words, -1, to, dir, NULL, e);
	if (pid < 0)
		(void)close(p[0]); /* unused */
	else
		*from = p[0];
	return pid;
}

int enroot_tar_end(pid_t pid, int result, struct err *e)
{
	struct err unused;

	if (helper_end(pid, NULL, result < 0 ? &unused : e) < 0 && result == 0)
		return err_ctx(e, "the directory cannot be read whole");
	return result;
}

int enroot_of_directory(int dir, int out, struct meter *meter, struct err *e)
{
	auto_close int from = -1;
	pid_t pid = enroot_tar_begin(dir, &from, e);
	int result;

	if (pid < 0)
		return -1;
	result = enroot_of_archive(from, out, meter, e);
	(void)close(take_fd(&from)); /* so that the first one ends when the second gave up */
	return enroot_tar_end(pid, result, e);
}

/* ---- work that may be interrupted ------------------------------------------------------- */

static void __attribute__((noreturn))
work_in_child(int (*work)(void *arg, struct err *e), void *arg, int to, const sigset_t *mask)
{
	struct err e = {0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	(void)work(arg, &e);
	(void)sys_write_all(to, &e, sizeof(e)); /* on failure the exit status tells */
	_exit(e.kind != ERR_NONE);              /* the child */
}

/* Waits for the child's error at its end, or for a signal to us, which ends the child. */
static void hear_child(int from, int signals, pid_t pid, int *caught, struct err *e)
{
	struct pollfd on[] = {{.fd = from, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (poll(on, 2, -1) < 0 && errno == EINTR)
		;
	if (on[1].revents)
		(void)kill(pid, SIGKILL); /* our child, not waited for */
	if (sys_read(from, e, sizeof(*e)) != (ssize_t)sizeof(*e))
		(void)err_set(e, ERR_SYSTEM, "the process which does the work died");
	(void)waitpid(pid, NULL, 0); /* our child, ending */
	/* A terminal's signal ends both of us: the child's end may be seen first. */
	if (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		*caught = (int)info.ssi_signo;
}

int enroot_work(int (*work)(void *arg, struct err *e), void *arg, int *caught, struct err *e)
{
	auto_close int from = -1, signals = -1;
	sigset_t ends, before;
	struct err sub = {0};
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = p[0];
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigaddset(&ends, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &ends, &before);
	signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	pid = fork();
	if (pid == 0)
		work_in_child(work, arg, p[1], &before);
	(void)close(p[1]); /* the child's */
	if (pid > 0)
		hear_child(from, signals, pid, caught, &sub);
	else
		(void)err_sys(&sub, "fork");
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (sub.kind == ERR_NONE)
		return 0;
	*e = sub;
	return -1;
}

/* ---- export ----------------------------------------------------------------------------- */

struct exporting {
	const struct store *store;
	const struct enroot_box *box;
	int out;
	struct meter *meter;
};

/* In a child: it enters the namespaces in which the container's files can be seen. */
static int export_here(void *arg, struct err *e)
{
	const struct exporting *x = arg;
	auto_enroot_begun struct enroot_begun begun = {
		.lease = {.conn = -1, .userns = -1}, .said = -1, .root = -1};
	auto_close int root = -1;

	if (enroot_lease(x->store, x->box, false, &begun, e) < 0 ||
		enroot_unshare(&begun, CLONE_NEWNS, 0, 0, e) < 0)
		return -1;
	enroot_keep(&begun);
	if (enroot_root(x->store, x->box, &begun, false, e) < 0)
		return -1;
	root = open("root", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? err_sys(e, "open the root") : enroot_of_directory(root, x->out, x->meter, e);
}

int enroot_export(const struct store *s, const char *name, const char *out, bool force,
	struct meter *meter, int *caught, struct err *e)
{
	auto_free char *file = out ? xstrdup(out) : xasprintf("%s.sqsh", name);
	auto_enroot_box struct enroot_box b = {0};
	auto_enroot_made struct enroot_made m = {.fd = -1};
	struct exporting x = {.store = s, .box = &b, .meter = meter};

	if (enroot_find_container(name, &b, e) < 0 || enroot_made_begin(file, force, &m, e) < 0)
		return -1;
	x.out = m.fd;
	return enroot_work(export_here, &x, caught, e) < 0 ? -1 : enroot_made_end(&m, force, e);
}
