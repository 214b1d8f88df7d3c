/* SPDX-License-Identifier: Apache-2.0 */
#include "execs.h"

#include "auto.h"
#include "base64.h"
#include "parse.h"
#include "statedir.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#define HALF         (ID_LEN / 2)
#define OBJECT_MAX   (16u << 20) /* a request's config is smaller */
#define FORGET_AFTER 300         /* seconds, as docker does */

static const char *const phases[] = {"created", "running", "ended"};

void exec_object_done(struct exec_object *x)
{
	json_decref(x->config);
	auto_close_(&x->lock);
	*x = (struct exec_object){.lock = -1};
}

/* What the names of a store's directories begin with: others may share the runtime directory, and know nothing of its
 * containers. */
static void mark_of(const struct store *s, path_text out)
{
	struct stat st = {0};

	(void)fstat(s->root, &st); /* an open directory */
	(void)snprintf(out, sizeof(path_text), "%llx-%llx-", (unsigned long long)st.st_dev,
		(unsigned long long)st.st_ino); /* fits */
}

static void dir_path(const struct store *s, path_text out, const char *container)
{
	path_text mark;

	mark_of(s, mark);
	(void)snprintf(out, sizeof(path_text), "x/%.40s%.*s", mark, HALF, container); /* fits */
}

static int open_dir(const struct store *s, const char *container, struct err *e)
{
	path_text path;
	int dir;

	dir_path(s, path, container);
	dir = openat(s->runtime, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open the execs of %.12s", container) : dir;
}

static int make_dir(const struct store *s, const char *container, struct err *e)
{
	path_text path;

	dir_path(s, path, container);
	if (statedir_make(s->runtime, "x", e) < 0)
		return -1;
	if (mkdirat(s->runtime, path, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "make a directory for the execs of %.12s", container);
	return open_dir(s, container, e);
}

/* ---- the file ------------------------------------------------------------------------- */

static json_t *to_json(const struct exec_object *x)
{
	json_t *j = json_pack("{s:s, s:s, s:O, s:i, s:i, s:i}", "Container", x->container, "Phase",
		phases[x->phase], "Config", x->config, "ExitCode", x->exit_code, "Pid", (int)x->pid,
		"Keeper", (int)x->keeper);

	(void)json_object_set_new(j, "PidStart", json_integer((json_int_t)x->pid_start)); /* memory */
	(void)json_object_set_new(j, "Life", json_integer((json_int_t)x->life));
	return j;
}

/* With blanks at its end, so that it can be overwritten by what is known later. */
static char *to_text(const struct exec_object *x, size_t least)
{
	auto_json json_t *j = to_json(x);
	auto_free char *text = json_dumps(j, JSON_COMPACT);

	return text ? xasprintf("%-*s", (int)least, text) : NULL;
}

#define ROOM 100 /* for the numbers of a process */

/* Replaces the file; if it is to be kept locked, the new one is locked before it gets its name. */
static int save(int dir, struct exec_object *x, bool locked, struct err *e)
{
	const char *name = x->id + HALF;
	auto_free char *bare = to_text(x, 0), *tmp = xasprintf(".%s", name),
		       *text = bare ? to_text(x, strlen(bare) + (locked ? ROOM : 0)) : NULL;
	auto_close int fd = openat(dir, tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 || !text || sys_write_all(fd, text, strlen(text)) < 0 ||
		(locked && statedir_flock(fd, LOCK_EX) < 0) || renameat(dir, tmp, dir, name) < 0) {
		(void)err_sys(e, "keep exec %.12s", x->id);
		if (fd >= 0)
			(void)unlinkat(dir, tmp, 0); /* on a full disk it takes up room */
		return -1;
	}
	auto_close_(&x->lock); /* the lock of the old file: readers look again */
	x->lock = locked ? take_fd(&fd) : -1;
	return 0;
}

/* On a full disk, or without another descriptor: the keeper's file has room. A reader may see half of it, and is told so. */
static void overwrite(const struct exec_object *x)
{
	auto_free char *text = NULL;
	struct stat st;

	if (x->lock < 0 || fstat(x->lock, &st) < 0)
		return;
	text = to_text(x, (size_t)st.st_size);
	if (text && strlen(text) == (size_t)st.st_size)
		(void)!pwrite(x->lock, text, (size_t)st.st_size, 0); /* nothing more can be done */
}

static void from_json(const json_t *j, struct exec_object *x)
{
	const char *phase = json_str(j, "Phase", "created");

	(void)snprintf(x->container, sizeof(x->container), "%.64s", json_str(j, "Container", ""));
	json_decref(x->config);
	x->config = json_incref(json_object_get(j, "Config"));
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_eq(phase, phases[i]))
			x->phase = i;
	x->exit_code = (int)json_int(j, "ExitCode", 0);
	x->pid = (pid_t)json_int(j, "Pid", 0);
	x->keeper = (pid_t)json_int(j, "Keeper", 0);
	x->pid_start = (uint64_t)json_int(j, "PidStart", 0);
	x->life = (uint64_t)json_int(j, "Life", 0);
}

/* Reads it once. *kept: a keeper has the lock. how: LOCK_SH to look, LOCK_EX to keep the lock in *out. */
static int read_once(int dir, struct exec_object *x, int how, bool *kept, int *out, struct err *e)
{
	auto_close int fd = openat(dir, x->id + HALF, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	auto_json json_t *j = NULL;

	if (fd < 0)
		return err_sys(e, "open exec %.12s", x->id);
	j = json_read_fd(fd, x->id, OBJECT_MAX, e);
	if (!j)
		return -1;
	from_json(j, x);
	*kept = statedir_flock(fd, how | LOCK_NB) < 0;
	if (out && !*kept)
		*out = take_fd(&fd);
	return 0;
}

static int no_such(const char *id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "No such exec instance: %.100s", id);
}

int execs_load(const struct store *s, const char *id, struct exec_object *out, struct err *e)
{
	auto_exec_object struct exec_object x = {.lock = -1};
	auto_close int dir = -1;
	bool kept;

	if (!str_is_hex(id, ID_LEN))
		return no_such(id, e);
	memcpy(x.id, id, sizeof(x.id));
	dir = open_dir(s, id, e);
	if (dir < 0 || read_once(dir, &x, LOCK_SH, &kept, NULL, e) < 0)
		return e->kind == ERR_NOT_FOUND ? no_such(id, e) : -1;
	/* Its keeper may have written the end between our reading and our looking at the lock. */
	if (x.phase == EXEC_RUNNING && !kept && read_once(dir, &x, LOCK_SH, &kept, NULL, e) < 0)
		return -1;
	if (x.phase == EXEC_RUNNING && !kept && (x.pid == 0 || sys_start_time(x.pid) != x.pid_start)) {
		x.phase = EXEC_ENDED; /* the keeper was killed: the exit code is not known */
		x.exit_code = 137;
		x.pid = 0;
	}
	*out = x;
	x = (struct exec_object){.lock = -1};
	return 0;
}

static bool is_waiting(const struct exec_object *x, const struct state *st)
{
	return x->phase == EXEC_CREATED && (st->status == ST_RUNNING || st->status == ST_PAUSED) &&
	       x->life == st->pid_start;
}

int execs_find(const struct store *s, const char *id, struct exec_object *out, struct state *st,
	struct err *e)
{
	auto_exec_object struct exec_object x = {.lock = -1};
	struct err gone;

	if (execs_load(s, id, &x, e) < 0)
		return -1;
	if (state_load(s, x.container, st, &gone) < 0 ? x.phase != EXEC_ENDED
						      : x.phase == EXEC_CREATED && !is_waiting(&x, st))
		return no_such(x.id, e);
	*out = x;
	x = (struct exec_object){.lock = -1};
	return 0;
}

/* ---- making, starting, ending --------------------------------------------------------- */

static int forget_old(const struct dirent *d, void *arg, struct err *e)
{
	int dir = *(int *)arg;
	auto_close int fd = openat(dir, d->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > FORGET_AFTER &&
		statedir_flock(fd, LOCK_EX | LOCK_NB) == 0) {
		auto_json json_t *j = json_read_fd(fd, d->d_name, OBJECT_MAX, e);

		if (!j || !str_eq(json_str(j, "Phase", ""), phases[EXEC_RUNNING]))
			(void)unlinkat(dir, d->d_name, 0); /* or another process has removed it */
	}
	return 0;
}

int execs_create(const struct store *s, const struct state *st, const json_t *config, id_text out,
	struct err *e)
{
	const char *container = st->id;
	auto_exec_object struct exec_object x = {.life = st->pid_start, .lock = -1};
	auto_close int dir = make_dir(s, container, e);
	struct err ignored;
	path_text path;
	id_text random;

	if (dir < 0 || id_random(random, e) < 0)
		return -1;
	memcpy(x.container, container, sizeof(x.container));
	memcpy(x.id, container, HALF);
	memcpy(x.id + HALF, random + HALF, HALF + 1);
	x.config = json_incref((json_t *)(uintptr_t)config);
	dir_path(s, path, container);
	/* Only now and then, so that a container does not keep a hundred thousand of them. */
	if (random[0] == '0')
		(void)statedir_each(s->runtime, path, forget_old, &dir, &ignored); /* never fails */
	if (save(dir, &x, false, e) < 0)
		return -1;
	memcpy(out, x.id, sizeof(x.id));
	return 0;
}

int execs_begin(const struct store *s, struct exec_object *x, struct err *e)
{
	auto_close int dir = open_dir(s, x->container, e), fd = -1;
	struct stat ours, there;
	bool kept = true;

	if (dir < 0)
		return -1;
	/* A reader locks it for a moment. */
	for (int tries = 0; kept && tries < 200; tries++) {
		if (tries > 0)
			(void)poll(NULL, 0, 1);
		if (read_once(dir, x, LOCK_EX, &kept, &fd, e) < 0)
			return -1;
		if (x->phase != EXEC_CREATED)
			break;
	}
	if (kept || x->phase == EXEC_RUNNING)
		return err_set(e, ERR_CONFLICT, "Error: Exec command %s is already running", x->id);
	/* The lock only counts if the file is still the one that its name leads to. */
	if (x->phase == EXEC_ENDED || fstat(fd, &ours) < 0 ||
		fstatat(dir, x->id + HALF, &there, AT_SYMLINK_NOFOLLOW) < 0 || ours.st_ino != there.st_ino)
		return err_set(e, ERR_CONFLICT, "Error: Exec command %s has already run", x->id);
	x->lock = take_fd(&fd);
	x->phase = EXEC_RUNNING;
	x->keeper = getpid();
	return save(dir, x, true, e);
}

static void update(const struct store *s, struct exec_object *x, bool locked)
{
	struct err ignored;
	auto_close int dir = open_dir(s, x->container, &ignored);

	if (dir >= 0 && save(dir, x, locked, &ignored) == 0)
		return;
	overwrite(x); /* or the container was removed, with its execs */
	if (locked)
		return;
	auto_close_(&x->lock);
	x->lock = -1;
}

void execs_started(const struct store *s, struct exec_object *x, pid_t pid)
{
	x->pid = pid;
	x->pid_start = pid ? sys_start_time(pid) : 0;
	update(s, x, true);
}

void execs_ended(const struct store *s, struct exec_object *x, int exit_code)
{
	x->phase = EXEC_ENDED;
	x->exit_code = exit_code;
	x->keeper = 0; /* the pid is still told, as docker does */
	update(s, x, false);
}

/* ---- looking -------------------------------------------------------------------------- */

struct gather {
	const struct store *s;
	const struct state *container;
	struct strv *out;
};

static int gather_one(const struct dirent *d, void *arg, struct err *e)
{
	struct gather *g = arg;
	auto_exec_object struct exec_object x = {.lock = -1};
	auto_free char *id = xasprintf("%.*s%s", HALF, g->container->id, d->d_name);

	if (execs_load(g->s, id, &x, e) == 0 && (x.phase == EXEC_RUNNING || is_waiting(&x, g->container)))
		strv_add(g->out, id);
	return 0; /* one that disappears meanwhile is skipped */
}

void execs_open(const struct store *s, const struct state *st, struct strv *out)
{
	struct gather g = {s, st, out};
	struct err ignored;
	path_text path;

	if (st->status != ST_RUNNING && st->status != ST_PAUSED)
		return; /* an end that its keeper has yet to write down */
	dir_path(s, path, st->id);
	(void)statedir_each(s->runtime, path, gather_one, &g, &ignored); /* none, or unreadable */
}

/* As docker's daemon writes a list of bytes. */
static json_t *detach_keys(const json_t *config)
{
	auto_buf struct buf text = {0};
	unsigned char keys[64];
	struct err ignored;
	size_t n = 0;

	if (parse_detach_keys(json_str(config, "DetachKeys", ""), keys, &n, sizeof(keys), &ignored) == 0)
		base64_add(&text, keys, n);
	return json_text(text.s ? text.s : "");
}

json_t *execs_inspect(const struct exec_object *x)
{
	const json_t *c = x->config, *cmd = json_object_get(c, "Cmd");
	json_t *args = json_array(), *process, *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)cmd, i, v) if (i > 0)(void)
		json_array_append(args, v); /* memory */
	v = json_array_get(cmd, 0);
	process = json_pack("{s:b, s:s, s:o, s:b}", "tty", json_bool(c, "Tty", false), "entrypoint",
		v && json_string_value(v) ? json_string_value(v) : "", "arguments", args,
		"privileged", json_bool(c, "Privileged", false));
	if (*json_str(c, "User", ""))
		(void)json_object_set_new(process, "user", json_string(json_str(c, "User", ""))); /* memory */
	return json_pack("{s:s, s:b, s:o, s:o, s:b, s:b, s:b, s:b, s:s, s:o, s:i}", "ID", x->id,
		"Running", x->phase == EXEC_RUNNING, "ExitCode",
		x->phase == EXEC_ENDED ? json_integer(x->exit_code) : json_null(), "ProcessConfig",
		process, "OpenStdin", json_bool(c, "AttachStdin", false), "OpenStderr",
		json_bool(c, "AttachStderr", false), "OpenStdout",
		json_bool(c, "AttachStdout", false), "CanRemove", false, "ContainerID",
		x->container, "DetachKeys", detach_keys(c), "Pid", (int)x->pid);
}

void execs_forget(const struct store *s, const char *container)
{
	struct err ignored;
	path_text path;

	dir_path(s, path, container);
	if (faccessat(s->runtime, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		(void)state_remove_tree(s->runtime, path, &ignored); /* execs_sweep() tries again */
}

/* One that is locked has a keeper, which has yet to write how it ended. */
static int sweep_file(const struct dirent *d, void *arg, struct err *e)
{
	int dir = *(int *)arg;
	auto_close int fd = openat(dir, d->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	(void)e;
	if (fd >= 0 && statedir_flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlinkat(dir, d->d_name, 0); /* or another process has removed it */
	return 0;
}

static int sweep_one(const struct dirent *d, void *arg, struct err *e)
{
	const struct store *s = arg;
	auto_close int dir = -1;
	path_text mark, path;
	const char *half = strrchr(d->d_name, '-');
	struct err ignored;
	id_text id;

	mark_of(s, mark);
	if (!half || !str_starts(d->d_name, mark) || !str_is_hex(++half, HALF) ||
		state_find(s, half, id, e) == 0 || e->kind != ERR_NOT_FOUND)
		return 0;
	dir_path(s, path, half);
	dir = open_dir(s, half, &ignored);
	if (dir >= 0)
		(void)statedir_each(s->runtime, path, sweep_file, &dir, &ignored); /* never fails */
	(void)unlinkat(s->runtime, path, AT_REMOVEDIR); /* unless one is kept */
	return 0;
}

void execs_sweep(const struct store *s)
{
	struct err ignored;

	(void)statedir_each(s->runtime, "x", sweep_one, (void *)(uintptr_t)s, &ignored); /* never fails */
}
