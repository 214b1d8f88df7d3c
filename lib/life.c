/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life: the file that is locked as long as a container's supervisor lives, and whose processes a state names.
 *
 * The file gets its name only after it is locked. So if a life file exists and is not locked its supervisor
 * is dead, and readers need no lock to find that out.
 */
#include "statedir.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static void runtime_path(path_text out, const char *id, const char *file)
{
	(void)snprintf(out, sizeof(path_text), "c/%s.%s", id, file);
}

/* Best effort, in this order: as long as the life file exists a later command finds the rest. */
static bool unlink_if_there(const struct store *s, const char *id, const char *file)
{
	path_text path;

	runtime_path(path, id, file);
	return unlinkat(s->runtime, path, 0) == 0 || errno == ENOENT;
}

void state_runtime_remove(const struct store *s, const char *id)
{
	bool one = unlink_if_there(s, id, "life~"), other = unlink_if_there(s, id, "ctl");

	/* It stays for the next command to find what could not be removed now. */
	if (one && other)
		(void)unlink_if_there(s, id, "life");
}

void life_clean(const struct store *s, const char *id)
{
	struct err why;
	auto_close int lock = statedir_lock(s, id, &why);

	if (lock < 0 && why.kind != ERR_NOT_FOUND)
		return;
	if (life_is_stale(s, id))
		state_runtime_remove(s, id);
}

bool state_runs(const struct state *st)
{
	return st->status == ST_RUNNING || st->status == ST_PAUSED || st->status == ST_RESTARTING;
}

enum { LIFE_MODE = 0600, ENDED_WITHOUT_ROOM = 0700 }; /* see end_without_room() */

/* All of one length: one is written over the other. */
#define RUNNING "running"
#define BETWEEN "between" /* two runs */
#define ENDING  "ending "

static bool says(int life, const char *word)
{
	char text[sizeof(RUNNING) - 1];

	return pread(life, text, sizeof(text), 0) == sizeof(text) &&
	       memcmp(text, word, sizeof(text)) == 0;
}

static void say(int life, const char *word)
{
	(void)!pwrite(life, word, strlen(word), 0); /* of room there is enough, once it was written */
}

/* A container has one supervisor. One with another runtime directory does not see the life file, so there is a lock in the store
 * as well. */
static int open_claim(const struct store *s, const char *id, struct err *e)
{
	path_text path;
	int fd;

	statedir_path(path, "", id, "spec.json");
	fd = openat(s->root, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC); /* a lock over NFS wants it writable */
	if (fd < 0 && errno == EROFS)                                /* what writes next says so */
		fd = openat(s->root, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return statedir_no_such(id, e);
	return fd < 0 ? err_sys(e, "lock of container %.12s", id) : fd;
}

static int is_running(const char *id, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "container %s is already running", id);
}

/* While another supervisor has the claim: 0 if it is to be asked for again. */
static int wait_for_claim(const struct store *s, const char *id, struct err *e)
{
	auto_state struct state st = {0};

	if (statedir_read(s, id, false, &st, e) < 0)
		return -1;
	if (state_runs(&st))
		return is_running(id, e);
	(void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); /* shorter does no harm */
	return 0;
}

/* Whether it is being started, or runs, under a life file that can be seen. */
static bool is_alive_here(const struct store *s, const char *id)
{
	struct err gone;
	auto_close int life = state_life_open(s, id, &gone);
	int code;

	return life >= 0 && state_life_alive(life) && state_life_code(life, &code) < 0 &&
	       !says(life, ENDING);
}

int state_life_claim(const struct store *s, const char *id, struct err *e)
{
	for (;;) {
		auto_close int claim = open_claim(s, id, e);

		if (claim < 0)
			return -1;
		if (statedir_flock(claim, LOCK_EX | LOCK_NB) == 0)
			return take_fd(&claim);
		if (errno != EWOULDBLOCK)
			return err_sys(e, "lock of container %.12s", id);
		if (is_alive_here(s, id))
			return is_running(id, e);
		if (wait_for_claim(s, id, e) < 0)
			return -1;
	}
}

bool life_is_claimed(const struct store *s, const char *id)
{
	struct err gone; /* damaged ones can be removed, too */
	auto_close int claim = open_claim(s, id, &gone);

	return claim >= 0 && statedir_flock(claim, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

enum lock_for { FOR_CHANGE, FOR_LIFE, FOR_FILES };

/* FOR_LIFE: we have the claim. FOR_FILES: between two runs is as good as stopped. */
static int lock_stopped(const struct store *s, const char *id, enum lock_for what, struct err *e)
{
	for (;;) {
		auto_close int lock = statedir_lock(s, id, e), life = -1;
		struct err gone;
		int code;

		if (lock < 0)
			return -1;
		life = state_life_open(s, id, &gone);
		if (life < 0 && gone.sys != ENOENT) {
			*e = gone;
			return -1; /* it may run */
		}
		if (life < 0 || !state_life_alive(life)) {
			if (what == FOR_LIFE || !life_is_claimed(s, id))
				return take_fd(&lock);
			(void)close(take_fd(&lock)); /* as below */
			if (wait_for_claim(s, id, e) < 0)
				return -1;
			continue;
		}
		if (what == FOR_FILES && says(life, BETWEEN))
			return take_fd(&lock);
		if (state_life_code(life, &code) < 0 && !says(life, ENDING))
			return is_running(id, e);
		/* The container has ended, and its supervisor is about to: for that it may need the lock. */
		(void)close(take_fd(&lock)); /* opened for reading */
		if (statedir_flock(life, LOCK_SH) < 0)
			return err_sys(e, "wait for the end");
	}
}

int life_lock_stopped(const struct store *s, const char *id, struct err *e)
{
	return lock_stopped(s, id, FOR_CHANGE, e);
}

int life_lock_files(const struct store *s, const char *id, struct err *e)
{
	return lock_stopped(s, id, FOR_FILES, e);
}

int state_life_begin(const struct store *s, const char *id, struct err *e)
{
	static const int flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	auto_close int lock = lock_stopped(s, id, FOR_LIFE, e), fd = -1;
	path_text own, life, dir;

	if (lock < 0)
		return -1;
	/* While we waited for the lock it may have been removed. */
	statedir_path(dir, "", id, "");
	if (faccessat(s->root, dir, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? statedir_no_such(id, e) : err_sys(e, "container %.12s", id);
	runtime_path(own, id, "life~"); /* left by a process that was killed; it is overwritten */
	runtime_path(life, id, "life");
	/* Kept as long as the supervisor lives: systemd-tmpfiles, which removes what is old in /tmp, leaves directories alone
	 * that are locked. */
	(void)flock(s->runtime, LOCK_SH | LOCK_NB); /* else it is at work this moment: the next try is a day later */
	fd = openat(s->runtime, own, flags, LIFE_MODE);
	if (fd < 0 && errno == ENOENT && statedir_make(s->runtime, "c", e) == 0)
		fd = openat(s->runtime, own, flags, LIFE_MODE);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || renameat(s->runtime, own, s->runtime, life) < 0)
		return err_sys(e, "life file of %.12s", id);
	/* Allocates the block that the exit code will need, as the disk may be full by then. If it is already, that is kept
	 * otherwise. */
	say(fd, RUNNING);
	return take_fd(&fd);
}

/* Tells supervisors apart for as long as the machine is up. */
static unsigned long long life_number(const struct state *st)
{
	return st->sup_serial ? st->sup_serial : st->sup_start;
}

void state_life_ending(int life)
{
	/* Without it, who starts it again this moment is told that it runs. */
	say(life, ENDING);
}

void state_life_between(int life)
{
	say(life, BETWEEN);
}

bool state_life_again(const struct store *s, const char *id, int life)
{
	auto_close int lock = statedir_open(s, "", id);

	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	say(life, RUNNING);
	return true;
}

/* In a full runtime directory, where there is no block for the exit code: as the file's time. */
static int end_without_room(int life, const struct state *st)
{
	const struct timespec when = {.tv_sec = (time_t)life_number(st), .tv_nsec = st->exit_code};

	return futimens(life, (struct timespec[]){when, when}) < 0 ? -1
	                                                           : fchmod(life, ENDED_WITHOUT_ROOM);
}

static int read_end_without_room(int life, int *exit_code, unsigned long long *number)
{
	struct stat st;

	if (fstat(life, &st) < 0 || (st.st_mode & 0777) != ENDED_WITHOUT_ROOM)
		return -1;
	*exit_code = (int)st.st_mtim.tv_nsec;
	*number = (unsigned long long)st.st_mtim.tv_sec;
	return 0;
}

int state_life_end(int life, const struct state *st, struct err *e)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%d %llu\n", st->exit_code, life_number(st));

	if (pwrite(life, text, (size_t)n, 0) != n && end_without_room(life, st) < 0)
		return err_sys(e, "write exit code");
	return 0;
}

static int open_life(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

int state_life_open(const struct store *s, const char *id, struct err *e)
{
	auto_close int elsewhere = -1, other = -1, fd = -1;
	path_text path;

	runtime_path(path, id, "life");
	fd = open_life(s->runtime, path);
	if ((fd < 0 && errno != ENOENT) || (fd >= 0 && state_life_alive(fd)))
		return fd < 0 ? err_sys(e, "life file of %.12s", id) : take_fd(&fd);
	elsewhere = state_runtime_elsewhere(s, id);
	if (elsewhere >= 0)
		other = open_life(elsewhere, strrchr(path, '/') + 1);
	if (other >= 0 && (fd < 0 || state_life_alive(other))) /* ours may be of an earlier life */
		return take_fd(&other);
	errno = ENOENT;
	return fd < 0 ? err_sys(e, "life file of %.12s", id) : take_fd(&fd);
}

bool state_life_alive(int life)
{
	if (statedir_flock(life, LOCK_SH | LOCK_NB) < 0)
		return true;        /* or it cannot be known: who is taken for dead is killed */
	(void)flock(life, LOCK_UN); /* of one's own lock: cannot fail */
	return false;
}

/* The exit code and the number of the life that ended; -1: none was written. */
static int read_end(int life, int *exit_code, unsigned long long *number)
{
	char text[40];
	ssize_t n = pread(life, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	*number = 0; /* an older version's */
	if (strchr(text, '\n') && sscanf(text, "%d %llu", exit_code, number) > 0)
		return 0;
	return read_end_without_room(life, exit_code, number);
}

bool life_has_end_of(int life, const struct state *st, int *exit_code)
{
	unsigned long long number;

	return life >= 0 && read_end(life, exit_code, &number) == 0 && number == life_number(st);
}

int state_life_code(int life, int *exit_code)
{
	unsigned long long ignored;

	return read_end(life, exit_code, &ignored);
}

int state_life_wait(int life, int *exit_code, struct err *e)
{
	if (statedir_flock(life, LOCK_SH) < 0)
		return err_sys(e, "wait for the end");
	(void)flock(life, LOCK_UN); /* as in state_life_alive */
	if (state_life_code(life, exit_code) < 0)
		return err_set(e, ERR_SYSTEM, "the supervisor died");
	return 0;
}

bool life_is_stale(const struct store *s, const char *id)
{
	struct err ignored;
	auto_close int life = state_life_open(s, id, &ignored);

	return life < 0 ? ignored.sys == ENOENT : !state_life_alive(life);
}

bool life_is_over(const struct store *s, const char *id)
{
	return life_is_stale(s, id) && !life_is_claimed(s, id);
}

/* Reads a small file in /proc; returns its length, 0 if it cannot be read. */
static size_t read_proc(const char *path, char *out, size_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);

	n = n < 0 ? 0 : n;
	out[n] = '\0';
	return (size_t)n;
}

/* Empty if /proc shows only processes (subset=pid): then boots cannot be told apart, only processes by their start
 * time. */
void life_boot_id(char out[37])
{
	if (read_proc("/proc/sys/kernel/random/boot_id", out, 37) != 36)
		out[0] = '\0';
}

int state_started(struct state *st, pid_t pid, int pidfd, struct err *e)
{
	auto_close int self = sys_pidfd_open(getpid());
	struct utsname u;

	st->pid_start = sys_start_time(pid);
	if (st->pid_start == 0)
		return err_set(e, ERR_SYSTEM, "process %d: no start time in /proc", (int)pid);
	st->pid_serial = sys_pidfd_serial(pidfd);
	st->sup = getpid();
	st->sup_serial = self < 0 ? 0 : sys_pidfd_serial(self);
	st->sup_start = st->sup_serial ? 0 : sys_start_time(st->sup);
	st->pid_ns = sys_pid_namespace();
	life_boot_id(st->boot_id);
	if (uname(&u) < 0)
		return err_sys(e, "uname");
	free(st->host);
	st->host = xstrdup(u.nodename);
	st->pid = pid;
	st->status = ST_RUNNING;
	(void)clock_gettime(CLOCK_REALTIME, &st->started); /* this clock is always there */
	st->finished = (struct timespec){0};
	st->exit_code = 0;
	st->oom_killed = st->timed_out = st->manually_stopped = false;
	free(take(st->error));
	json_decref(take(st->result));
	return 0;
}

/* Reading a start time takes ten times as long as asking for a serial number, which serves as well until the next
 * boot; and no supervisor survives a boot. */
int state_pid1(const struct state *st)
{
	auto_close int pidfd = sys_pidfd_open(st->pid);

	if (pidfd < 0) {
		if (errno == EINVAL || errno == ENOENT) /* no process has this number, but a thread */
			errno = ESRCH;
		return -1;
	}
	if (st->pid_serial ? sys_pidfd_serial(pidfd) != st->pid_serial
			   : sys_start_time(st->pid) != st->pid_start) {
		errno = ESRCH;
		return -1;
	}
	return take_fd(&pidfd);
}

int state_is_here(const struct state *st, struct err *e)
{
	struct utsname u;
	char boot[37];

	if (!state_runs(st) || !st->host || uname(&u) < 0 || strcmp(st->host, u.nodename) == 0)
		return 0;
	life_boot_id(boot);
	if (*boot && strcmp(boot, st->boot_id) == 0)
		return 0; /* it has got another name since, or is called otherwise in some sandbox */
	return err_set(e, ERR_CONFLICT,
		"container %s runs on the machine %s, where alone it can be reached", st->id,
		QUOTED(st->host));
}

bool state_is_apart(const struct state *st)
{
	uint64_t ours = st->pid_ns ? sys_pid_namespace() : 0;

	return ours && ours != st->pid_ns;
}

int state_is_in_reach(const struct state *st, struct err *e)
{
	if (state_is_here(st, e) < 0)
		return -1;
	if (!state_runs(st) || !state_is_apart(st))
		return 0;
	return err_set(e, ERR_CONFLICT,
		"container %s runs in another pid namespace, where alone its processes can be reached",
		st->id);
}

int state_supervisor(const struct state *st)
{
	auto_close int pidfd = st->sup > 0 && state_runs(st) ? sys_pidfd_open(st->sup) : -1;
	struct pollfd ended = {.fd = pidfd, .events = POLLIN}; /* a zombie, too, which a pod's pid 1 may leave */
	char boot[37];

	if (pidfd < 0)
		return -1;
	life_boot_id(boot);
	if (poll(&ended, 1, 0) == 0 && strcmp(boot, st->boot_id) == 0 &&
		(st->sup_serial ? sys_pidfd_serial(pidfd) == st->sup_serial
				: sys_start_time(st->sup) == st->sup_start))
		return take_fd(&pidfd);
	errno = ESRCH;
	return -1;
}
