/* SPDX-License-Identifier: Apache-2.0 */
/* life_repair: what is done for a container whose supervisor died without recording how it ended. */
#include "cgroup.h"
#include "event.h"
#include "outcome.h"
#include "pids.h"
#include "procs.h"
#include "statedir.h"
#include "sweep.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* That nobody holds the life file says nothing alone: our runtime directory may be another one than the supervisor's, or
 * somebody has cleared it up. Unless it has the exit code: then the supervisor is about to end. */
static bool lives_elsewhere(const struct store *s, const struct state *st)
{
	auto_close int supervisor = state_supervisor(st), life = -1;
	struct err none;
	int code;

	if (supervisor < 0 && st->sup > 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return true; /* without a descriptor it cannot be known */
	/* It may have no number here, in another pid namespace. */
	if (supervisor < 0 && !(state_is_apart(st) && life_is_claimed(s, st->id)))
		return false;
	life = state_life_open(s, st->id, &none);
	return !life_has_end_of(life, st, &code);
}

/* Kills what is left of a container: its pid 1, with which the kernel kills all other processes in it. */
static int kill_remains(const struct state *st, struct err *e)
{
	auto_close int pidfd = -1;
	struct pollfd gone;
	struct proc p = {0};

	if (st->pid <= 0 || state_is_apart(st))
		return 0;
	pidfd = sys_pidfd_open(st->pid);
	if (pidfd < 0)
		return errno == ESRCH ? 0 : err_sys(e, "pidfd_open %d", (int)st->pid);
	/* Checked after the pidfd was opened: so that is the right process's, or of none any more. */
	if (!procs_read(st->pid, &p) && !procs_not_ours(errno))
		return err_sys(e, "look at process %d", (int)st->pid);
	if (p.start != st->pid_start)
		return 0;
	if (sys_pidfd_kill(pidfd, SIGKILL) < 0)
		return errno == ESRCH ? 0 : err_sys(e, "kill %d", (int)st->pid);
	gone = (struct pollfd){.fd = pidfd, .events = POLLIN};
	while (poll(&gone, 1, 10000) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for the end of %d", (int)st->pid);
	if (gone.revents == 0)
		return err_set(e, ERR_SYSTEM, "process %d does not end", (int)st->pid);
	return 0;
}

/* In a pid namespace that is not its own, its other processes do not end with its pid 1. */
static void kill_others(const struct state *st)
{
	uint64_t number = (uint64_t)json_int(st->extra, "mounts", 0);
	auto_close int proc = number && !state_is_apart(st) ? sweep_proc() : -1;
	struct pids all;

	if (proc < 0)
		return;
	pids_begin(&all, proc);
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		auto_free char *path = xasprintf("%s/ns/mnt", name);
		auto_close int ns = openat(proc, path, O_RDONLY | O_CLOEXEC);
		struct stat in;

		if (ns >= 0 && sys_mounts_number(ns) == number && fstat(ns, &in) == 0) {
			sweep(&(struct sweep){proc, "ns/mnt", &in, NULL, NULL});
			return;
		}
	}
}

/* The exit code, as far as it can be found out. */
static int end_of(const struct store *s, const struct state *st, bool same_boot)
{
	struct err ignored;
	auto_close int life = state_life_open(s, st->id, &ignored);
	int code;

	if (life_has_end_of(life, st, &code))
		return code; /* it died between writing it there and here */
	return same_boot ? 137 : 255;
}

/* Emits the events that the supervisor would have emitted. */
static void tell_events(const struct store *s, const struct state *st)
{
	char code[16];

	(void)snprintf(code, sizeof(code), "%d", st->exit_code); /* fits */
	event_life_end(s, st, NULL, code);
	if (st->auto_remove)
		event_container(s, st, "destroy", NULL, NULL);
}

/* On a full or read-only disk containers can still be looked at and removed. */
static bool no_room(const struct err *e)
{
	return e->sys == ENOSPC || e->sys == EDQUOT || e->sys == EROFS;
}

void life_remove_cgroup(const struct state *st)
{
	struct cgroup c;

	if (!cgroup_from_json(&c, json_object_get(st->extra, "cgroup")))
		return;
	cgroup_kill(&c);
	cgroup_remove(&c);
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

#define SLACK_NS 1000000000LL /* of two clocks read at two moments */

/* Whether process `pid`, perhaps another one with that number by now, began after `when`. */
static bool began_after(pid_t pid, const struct timespec *when)
{
	struct timespec now, up;
	int64_t began =
		(int64_t)(sys_start_time(pid) * (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK)));

	(void)clock_gettime(CLOCK_REALTIME, &now); /* these are always there */
	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	began += ns_of(&now) - ns_of(&up);
	return began > ns_of(when) + SLACK_NS;
}

/* Whether it was created by a `run --rm` whose client was killed before there was a supervisor: nobody will start
 * it. */
static bool is_abandoned(const struct state *st)
{
	if (st->status != ST_CREATED || !st->auto_remove || st->pid <= 0 || state_is_apart(st))
		return false;
	return (kill(st->pid, 0) < 0 && errno == ESRCH) || began_after(st->pid, &st->created);
}

/* If the supervisor has written the exit code but could not write the state, waits for it until it has unmounted the
 * root; unless it removes the container, for which it may need the lock that our caller holds. */
static bool has_ended(const struct store *s, const struct state *st)
{
	struct err ignored;
	auto_close int life = st->auto_remove ? -1 : state_life_open(s, st->id, &ignored);
	int code;

	if (life >= 0 && state_life_code(life, &code) == 0)
		(void)state_life_wait(life, &code, &ignored); /* its result is checked below */
	return life_is_stale(s, st->id);
}

/* A file system that one machine alone has mounted at a time. */
static bool is_local(const struct store *s)
{
	static const unsigned long local[] = {0xef53 /* ext4 */, 0x58465342 /* xfs */,
		0x9123683e /* btrfs */, 0xf2f52010 /* f2fs */, 0x2fc12fc1 /* zfs */,
		0x794c7630 /* overlay */, 0x01021994 /* tmpfs */};
	struct statfs fs;

	if (fstatfs(s->root, &fs) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(local); i++)
		if ((unsigned long)fs.f_type == local[i])
			return true;
	return false;
}

/* On a machine that shares the store and may be asked there. Where none can share it, the machine that is named was this one before
 * it started again, by another name, or had this disk before. */
static bool is_on_another(const struct store *s, const struct state *st)
{
	struct err elsewhere;

	return state_is_here(st, &elsewhere) < 0 && (!is_local(s) || life_is_claimed(s, st->id));
}

/* Removes it with its anonymous volumes, as its supervisor would have. Files of subuids stay in .rm-<id> until
 * prune_containers(). */
static void remove_it(const struct store *s, const struct state *st, int lock, struct strv *orphans)
{
	struct err ignored;

	if (st->mountless || !orphans_have_volumes(lock))
		(void)remove_locked(s, st, lock, &ignored);
	else if (remove_retire(s, st, lock, MARK_VOLUMES, &ignored) == 0)
		strv_add(orphans, st->id);
}

/* Records the end of a life whose supervisor was killed. */
static int record_end(const struct store *s, struct state *st, struct err *e)
{
	char boot[37];
	bool same_boot;

	life_boot_id(boot);
	same_boot = strcmp(boot, st->boot_id) == 0;
	if (same_boot && kill_remains(st, e) < 0)
		return -1;
	if (same_boot) {
		kill_others(st);
		life_remove_cgroup(st);
		(void)json_object_del(st->extra, "cgroup"); /* if there was one */
	}
	st->exit_code = end_of(s, st, same_boot);
	json_decref(st->result); /* of an earlier life */
	st->result = outcome_lost(st->id, !same_boot, st->exit_code);
	st->status = ST_EXITED;
	state_health_stands(st);
	st->pid = 0;
	st->pid_start = st->pid_serial = 0;
	(void)clock_gettime(CLOCK_REALTIME, &st->finished); /* as above */
	if (state_save(s, st, e) == 0) {
		state_runtime_remove(s, st->id);
		tell_events(s, st);
	} else if (!no_room(e)) {
		return -1;
	}
	err_clear(e);
	return 0;
}

int life_repair(const struct store *s, struct state *st, struct strv *orphans, struct err *e)
{
	auto_close int lock = -1;
	auto_state struct state now = {0};

	if ((!state_runs(st) && !is_abandoned(st)) || !has_ended(s, st) || is_on_another(s, st))
		return 0;
	lock = statedir_lock(s, st->id, e);
	if (lock < 0 || statedir_read(s, st->id, true, &now, e) < 0)
		return -1;
	if (is_abandoned(&now) && life_is_stale(s, now.id)) {
		life_remove_cgroup(&now);
		event_container(s, &now, "destroy", NULL, NULL);
		remove_it(s, &now, lock, orphans);
		return statedir_no_such(now.id, e);
	}
	if (state_runs(&now) && life_is_stale(s, now.id) && !lives_elsewhere(s, &now)) {
		/* Recorded even if it is removed next: its name is in use until the removal is complete. */
		if (record_end(s, &now, e) < 0)
			return -1;
		if (now.auto_remove) {
			remove_it(s, &now, lock, orphans);
			return statedir_no_such(now.id, e);
		}
	}
	state_done(st);
	*st = now;
	now = (struct state){0};
	return 0;
}
