/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remove: removes directories whose content is not ours.
 *
 * A container's tree may be deeper than any path or stack allows, lack permissions (overlay's work/work has mode 000), and
 * contain links that lead out of it. So only single components are opened, and a non-empty directory two levels down is
 * moved up into the top directory, under a name of our own, and removed in the next round. So neither the stack nor paths nor
 * the number of open descriptors grow, and ".." is never used.
 */
#include "await.h"
#include "execs.h"
#include "fallback.h"
#include "names.h"
#include "spare.h"
#include "statedir.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define REFILLED_MAX 1000 /* times: whoever writes there may never stop */

struct removal {
	int top;
	unsigned long moved; /* how many directories got a name of ours in top */
	int refilled; /* how often a directory was not empty again when it had been gone through */
	bool again;   /* something was moved or unlocked: look through top once more */
	struct err *first; /* the first refusal, kind ERR_NONE as long as there is none */
};

static void refuse(struct removal *r, const char *name)
{
	if (r->first->kind == ERR_NONE)
		(void)err_sys(r->first, "remove %s", name);
}

/* Mode 700 for a directory which cannot be opened as it is. chmod has no "do not follow" of old, but a
 * descriptor of the directory itself, by its name in /proc, leads nowhere else. */
static int unlock_dir(int dir, const char *name)
{
	auto_close int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char path[40];

	if (fd < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return chmod(path, 0700);
}

static int open_dir(int dir, const char *name)
{
	int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, name, how);

	if (fd < 0 && errno == EACCES && unlock_dir(dir, name) == 0)
		fd = openat(dir, name, how);
	return fd;
}

/* unlinkat, and once more after giving oneself permission in the directory. */
static int unlink_in(int dir, const char *name, int flags)
{
	if (unlinkat(dir, name, flags) == 0 || errno == ENOENT)
		return 0;
	if (errno != EACCES || fchmod(dir, 0700) < 0)
		return -1;
	return unlinkat(dir, name, flags) == 0 || errno == ENOENT ? 0 : -1;
}

/* Up into top: rename of a directory also writes its "..", so the directory must be writable. */
static int move_up(struct removal *r, int dir, const char *name)
{
	char up[32];

	for (int tries = 0; tries < 1000; tries++) {
		(void)snprintf(up, sizeof(up), ".moved-%lu", r->moved++);
		if (sys_renameat(dir, name, r->top, up, RENAME_NOREPLACE) == 0 ||
			(errno == EINVAL && renameat(dir, name, r->top, up) == 0)) {
			r->again = true;
			return 0;
		}
		if (errno == EEXIST || errno == ENOTEMPTY)
			continue;
		if (errno != EACCES || fchmod(dir, 0700) < 0 || unlock_dir(dir, name) < 0)
			return -1;
	}
	return -1;
}

static void sweep(struct removal *r, int dir, int depth);

static void remove_entry(struct removal *r, int dir, const struct dirent *d, int depth)
{
	struct stat st;

	if (d->d_type != DT_DIR && unlink_in(dir, d->d_name, 0) == 0)
		return;
	if (d->d_type != DT_DIR && errno != EISDIR && errno != EPERM) {
		refuse(r, d->d_name);
		return;
	}
	/* File systems which do not tell the type, and EPERM, which means many things. */
	if (d->d_type != DT_DIR &&
		(fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))) {
		errno = EPERM;
		refuse(r, d->d_name);
		return;
	}
	if (unlink_in(dir, d->d_name, AT_REMOVEDIR) == 0)
		return;
	if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) {
		refuse(r, d->d_name);
		return;
	}
	if (depth >= 2 && move_up(r, dir, d->d_name) == 0)
		return;

	auto_close int sub = open_dir(dir, d->d_name);
	if (sub < 0) {
		if (errno != ENOENT)
			refuse(r, d->d_name);
		return;
	}
	/* A directory that could not be moved is another user's: it is searched in place for files that can be
	 * removed, to a safe depth. */
	if (depth < 64)
		sweep(r, sub, depth + 1);
	if (unlink_in(dir, d->d_name, AT_REMOVEDIR) == 0)
		return;
	/* Another process that removes a part of it moves what lies deeper up to here. */
	if ((errno == ENOTEMPTY || errno == EEXIST) && r->first->kind == ERR_NONE &&
		r->refilled++ < REFILLED_MAX)
		r->again = true;
	else
		refuse(r, d->d_name);
}

/* One round over a directory. */
static void sweep(struct removal *r, int dir, int depth)
{
	auto_free char *room = xcalloc(1, 32768);
	ssize_t n;

	while ((n = sys_getdents(dir, room, 32768)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(room + at);

			at += d->d_reclen;
			if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
				remove_entry(r, dir, d, depth);
		}
	}
	if (n < 0 && errno != ENOENT) /* ENOENT: another process is removing it as well */
		refuse(r, "a directory's entries");
}

int state_remove_tree(int dir, const char *name, struct err *e)
{
	struct err first = {0};
	struct removal r = {.first = &first, .again = true};

	if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (errno == ENOTDIR)
		return unlinkat(dir, name, 0) == 0 ? 0 : err_sys(e, "remove %s", name);

	auto_close int top = open_dir(dir, name);
	if (top < 0)
		return errno == ENOENT ? 0 : err_sys(e, "remove %s", name);
	r.top = top;
	/* Some file systems pass over entries when others go meanwhile, hence the further rounds. */
	for (int rounds = 0; r.again || rounds < 3; rounds = r.again ? 0 : rounds + 1) {
		r.again = false;
		if (lseek(top, 0, SEEK_SET) < 0)
			return err_sys(e, "remove %s", name);
		sweep(&r, top, 0);
		if (!r.again && first.kind != ERR_NONE)
			break;
		if (unlink_in(dir, name, AT_REMOVEDIR) == 0)
			return 0;
	}
	if (first.kind == ERR_NONE)
		return err_sys(e, "remove %s", name);
	*e = first;
	return err_ctx(e, "%s", name);
}

/* The files which are always there, without looking: most containers have nothing else. */
static void remove_known(const struct store *s, const char *id)
{
	static const struct {
		const char *file;
		int flags;
	} known[] = {
		{"spec.json", 0},
		{"state", 0},
		{"upper", AT_REMOVEDIR},
		{"work/work", AT_REMOVEDIR},
		{"work", AT_REMOVEDIR},
	};
	path_text path;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		statedir_path(path, MARK_OLD, id, known[i].file);
		(void)unlinkat(s->root, path, known[i].flags); /* what is left is removed by state_remove_tree() */
	}
}

/* From here on other processes do not see it any more. */
int remove_retire(const struct store *s, const struct state *st, int dir, const char *mark, struct err *e)
{
	auto_free char *now = dir >= 0 ? statedir_name(s, st->id) : NULL;
	const char *name = now ? now : st->name;
	path_text from, to;

	statedir_path(from, "", st->id, "");
	statedir_path(to, mark, st->id, "");
	if (dir >= 0 && renameat(s->root, from, s->root, to) < 0 && errno != ENOENT) {
		(void)err_sys(e, "remove container %.12s", st->id);
		e->kind = ERR_SYSTEM; /* not ERR_DENIED: it is our own directory, so that joining the user namespace would not help */
		return store_ctx(s, e);
	}
	if (name)
		name_release(s, name, st->id);
	else
		name_release_all(s, st->id);
	/* A shared lock from here on: the name is free, and processes that wait for it may go on (names.h). */
	if (dir >= 0)
		(void)flock(dir, LOCK_SH); /* worst case: a cleaner helps us */
	execs_forget(s, st->id);
	await_forget(s, st->id);
	links_forget(s, st->id);
	return 0;
}

/* The writable layer of one that had it elsewhere. */
static int remove_upper(const struct state *st, struct err *e)
{
	const char *upper = json_str(st->extra, "upper", NULL);

	return upper && str_ends(upper, st->id) ? fallback_upper_remove(upper, st->id, e) : 0;
}

int state_remove_rest(const struct store *s, const struct state *st, struct err *e)
{
	path_text to;

	if (remove_upper(st, e) < 0)
		return -1;
	state_runtime_remove(s, st->id);
	statedir_path(to, MARK_OLD, st->id, "");
	if (spare_keep(s, to))
		return 0;
	remove_known(s, st->id);
	return state_remove_tree(s->root, to, e);
}

int remove_locked(const struct store *s, const struct state *st, int dir, struct err *e)
{
	if (remove_retire(s, st, dir, MARK_OLD, e) < 0)
		return -1;
	return state_remove_rest(s, st, e);
}

int state_retire(const struct store *s, const struct state *st, int how, int *dir, struct err *e)
{
	auto_close int locked = how & RETIRE_STOPPED ? life_lock_stopped(s, st->id, e)
	                                             : statedir_lock(s, st->id, e);

	if (locked < 0 && e->kind != ERR_NOT_FOUND)
		return -1;
	if (how & RETIRE_STOPPED)
		life_remove_cgroup(st);
	if (remove_retire(s, st, locked, how & RETIRE_VOLUMES ? MARK_VOLUMES : MARK_OLD, e) < 0)
		return -1;
	*dir = take_fd(&locked);
	return 0;
}

/* If the rename fails, the next command finds no volumes to remove, and goes on. */
void state_volumes_gone(const struct store *s, const char *id)
{
	path_text from, to;

	statedir_path(from, MARK_VOLUMES, id, "");
	statedir_path(to, MARK_OLD, id, "");
	(void)renameat(s->root, from, s->root, to);
}

int state_remove(const struct store *s, const struct state *st, struct err *e)
{
	auto_close int dir = statedir_lock(s, st->id, e);

	return dir < 0 && e->kind != ERR_NOT_FOUND ? -1 : remove_locked(s, st, dir, e);
}

int state_remove_stopped(const struct store *s, const struct state *st, struct err *e)
{
	auto_close int dir = -1;

	return state_retire(s, st, RETIRE_STOPPED, &dir, e) < 0 ? -1 : state_remove_rest(s, st, e);
}

static void remove_old_upper(const struct store *s, const char *id)
{
	auto_state struct state st = {0};
	struct err ignored; /* half of what there was has no state */

	if (statedir_read_as(s, MARK_OLD, id, true, &st, &ignored) == 0)
		(void)remove_upper(&st, &ignored);
}

/* The volumes of one that its creator could not finish may be there. */
static bool becomes_orphan(const struct store *s, const char *entry, const char *id, int dir)
{
	path_text from, to;

	if (!str_starts(entry, MARK_NEW) || !orphans_have_volumes(dir))
		return false;
	statedir_path(from, MARK_NEW, id, "");
	statedir_path(to, MARK_VOLUMES, id, "");
	(void)renameat(s->root, from, s->root, to); /* else the next one does it */
	return true;
}

/* A creator locks its directory right after making it, and makes another when it finds that we were
 * faster. */
void remove_leftover(const struct store *s, const char *entry, struct strv *orphans)
{
	const char *mark = str_starts(entry, MARK_NEW)       ? MARK_NEW
	                   : str_starts(entry, MARK_VOLUMES) ? MARK_VOLUMES
	                                                     : MARK_OLD;
	const char *id = str_starts(entry, mark) ? entry + strlen(mark) : "";
	auto_close int dir = -1;
	struct err ignored;
	path_text path;

	if (!str_is_hex(id, ID_LEN))
		return;
	if (str_eq(mark, MARK_VOLUMES)) {
		if (orphans)
			strv_add(orphans, id);
		return;
	}
	statedir_path(path, "", entry, "");
	dir = openat(s->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0)
		return;
	if (becomes_orphan(s, entry, id, dir)) {
		if (orphans)
			strv_add(orphans, id);
		return;
	}
	name_release_all(s, id); /* it may have had one already, or still */
	if (str_starts(entry, MARK_OLD)) {
		execs_forget(s, id);
		await_forget(s, id);
		links_forget(s, id);
		state_runtime_remove(s, id);
		remove_old_upper(s, id);
	}
	(void)state_remove_tree(s->root, path, &ignored); /* the next one tries again */
}
