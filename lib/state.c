/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include "card.h"
#include "names.h"
#include "spare.h"
#include "statedir.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

void statedir_path(path_text out, const char *mark, const char *id, const char *file)
{
	(void)snprintf(out, sizeof(path_text), "containers/%s%s%s%s", mark, id, file[0] ? "/" : "", file);
}

int statedir_open(const struct store *s, const char *mark, const char *id)
{
	path_text path;

	statedir_path(path, mark, id, "");
	return openat(s->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int statedir_all(const struct store *s)
{
	return openat(s->root, "containers", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int statedir_make(int dir, const char *name, struct err *e)
{
	if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "create %s", name);
	return 0;
}

int statedir_flock(int fd, int how)
{
	int r;

	do
		r = flock(fd, how);
	while (r < 0 && errno == EINTR);
	return r;
}

int statedir_no_such(const char *what, struct err *e)
{
	/* docker's client puts the name into a path, which is cleaned */
	return err_set(e, ERR_NOT_FOUND, "No such container: %s", what + strspn(what, "/"));
}

int statedir_lock(const struct store *s, const char *id, struct err *e)
{
	auto_close int fd = statedir_open(s, "", id);

	if (fd < 0 && errno == ENOENT)
		return statedir_no_such(id, e);
	if (fd < 0 || statedir_flock(fd, LOCK_EX) < 0)
		return err_sys(e, "lock of container %.12s", id);
	return take_fd(&fd);
}

int statedir_each(int dir, const char *name,
	int (*each)(const struct dirent *d, void *arg, struct err *e), void *arg, struct err *e)
{
	enum { ROOM = 64 << 10 };
	auto_close int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free char *room = NULL;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", name);
	room = xcalloc(1, ROOM);
	while ((n = sys_getdents(fd, room, ROOM)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(room + at);
			int r = 0;

			at += d->d_reclen;
			if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
				r = each(d, arg, e);
			if (r != 0)
				return r;
		}
	}
	return n < 0 ? err_sys(e, "read %s", name) : 0;
}

int id_random(id_text out, struct err *e)
{
	unsigned char r[ID_LEN / 2];

	/* 32 bytes are never delivered partially, once the random generator is initialised. */
	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		return err_sys(e, "random numbers for an id");
	for (size_t i = 0; i < sizeof(r); i++) {
		out[2 * i] = "0123456789abcdef"[r[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[r[i] & 15];
	}
	out[ID_LEN] = '\0';
	return 0;
}

/* Overwrites an existing file without truncating it first, so that its space is not given back. */
static int write_file(int dir, const char *name, const char *text, size_t n, struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	if (n > JSON_STORED_MAX)
		return err_set(e, ERR_USAGE, "%s: larger than %u bytes", name, JSON_STORED_MAX);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "create %s", name);
	if (st.st_size > (off_t)n && ftruncate(fd, (off_t)n) < 0)
		return err_sys(e, "write %s", name);
	while (n > 0) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_sys(e, "write %s", name);
		text += done;
		n -= (size_t)done;
	}
	/* close() is where a quota may speak up last. */
	if (close(take_fd(&fd)) < 0)
		return err_sys(e, "write %s", name);
	return 0;
}

static int write_card(int dir, const char *name, const struct state *st, struct err *e)
{
	auto_buf struct buf text = {0};

	card_print(st, &text);
	return write_file(dir, name, text.s, text.len, e);
}

/* Readers see the old or the new file. Exchanges the two names (RENAME_EXCHANGE), because ext4 writes the new file to
 * the disk at once after a plain rename over an existing one, and removing it soon after then waits for the disk: 5 ms
 * for each short container instead of 0.2. */
static int replace(int dir, const char *new, const char *name)
{
	if (sys_renameat(dir, new, dir, name, RENAME_EXCHANGE) == 0) {
		(void)unlinkat(dir, new, 0); /* the old file, which is not read any more; it does not matter if this fails */
		return 0;
	}
	return renameat(dir, new, dir, name);
}

static void temporary_path(path_text out, const struct state *st)
{
	char own[24];

	(void)snprintf(own, sizeof(own), ".state.%d", (int)getpid());
	statedir_path(out, "", st->id, own);
}

enum { ROOM_MORE = 1024 }; /* what a start adds to a card, and a rename */

int state_make_room(const struct store *s, const struct state *st, struct err *e)
{
	auto_buf struct buf text = {0};
	path_text temporary;

	card_print(st, &text);
	buf_printf(&text, "%*s", ROOM_MORE, "");
	temporary_path(temporary, st);
	if (write_file(s->root, temporary, text.s, text.len, e) == 0)
		return 0;
	(void)unlinkat(s->root, temporary, 0); /* it may not even be there */
	return err_ctx(e, "container %.12s", st->id);
}

int state_save(const struct store *s, const struct state *st, struct err *e)
{
	path_text temporary, path;

	temporary_path(temporary, st);
	statedir_path(path, "", st->id, "state");
	if (write_card(s->root, temporary, st, e) < 0) {
		if (e->sys == ENOENT)
			return statedir_no_such(st->id, e);
		(void)unlinkat(s->root, temporary, 0); /* the save has failed already */
		(void)err_ctx(e, "container %.12s", st->id);
		return store_ctx(s, e);
	}
	if (replace(s->root, temporary, path) == 0)
		return 0;
	(void)err_sys(e, "container %.12s: replace state", st->id);
	(void)unlinkat(s->root, temporary, 0); /* as above */
	return store_ctx(s, e);
}

/* The content of a small file, 0-terminated. NULL with errno; EFBIG: it is too large. */
static char *read_whole(int dir, const char *path, char *room, size_t size, size_t *n)
{
	auto_close int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_free char *big = NULL;
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return NULL;
	got = read(fd, room, size - 1);
	if (got < 0)
		return NULL;
	if ((size_t)got == size - 1) {
		if (fstat(fd, &st) < 0)
			return NULL;
		if (st.st_size > JSON_STORED_MAX) {
			errno = EFBIG;
			return NULL;
		}
		big = xcalloc(1, (size_t)st.st_size + 1);
		got = pread(fd, big, (size_t)st.st_size, 0);
		if (got < 0)
			return NULL;
		room = take(big);
	}
	room[got] = '\0';
	*n = (size_t)got;
	return room;
}

int statedir_read_as(const struct store *s, const char *mark, const char *id, bool whole,
	struct state *out, struct err *e)
{
	char room[4096], *text;
	path_text path;
	size_t n = 0;
	int r;

	statedir_path(path, mark, id, "state");
	text = read_whole(s->root, path, room, sizeof(room), &n);
	if (!text && (errno == ENOENT || errno == ENOTDIR)) {
		statedir_path(path, mark, id, "spec.json"); /* it comes and goes with the whole directory */
		if (faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return statedir_no_such(id, e);
		return err_set(e, ERR_CORRUPT, "state of container %.12s: it is missing", id);
	}
	if (!text && errno == EFBIG)
		return err_set(e, ERR_CORRUPT, "state of container %.12s: larger than %u bytes", id,
			JSON_STORED_MAX);
	if (!text)
		return err_sys(e, "state of container %.12s", id);
	r = card_parse(text, n, whole, out, e);
	if (text != room)
		free(text);
	return r < 0 ? err_ctx(e, "container %.12s", id) : 0;
}

int statedir_read(const struct store *s, const char *id, bool whole, struct state *out, struct err *e)
{
	return statedir_read_as(s, "", id, whole, out, e);
}

int statedir_load(const struct store *s, const char *id, bool whole, struct state *out, struct err *e)
{
	auto_strv struct strv orphans = {0};
	auto_state struct state st = {0};
	int result;

	if (!str_is_hex(id, ID_LEN))
		return statedir_no_such(id, e);
	if (statedir_read(s, id, whole, &st, e) < 0)
		return -1;
	result = life_repair(s, &st, &orphans, e);
	orphans_remove(s, &orphans);
	if (result < 0)
		return -1;
	*out = st;
	st = (struct state){0};
	return 0;
}

int state_load(const struct store *s, const char *id, struct state *out, struct err *e)
{
	return statedir_load(s, id, true, out, e);
}

/* Our own members are at the top of a change, but beside HostConfig in a spec. (This can only fail for lack of memory,
 * and then the process has ended.) */
static void merge(json_t *host_config, json_t *beside, const json_t *change)
{
	auto_json json_t *docker = json_copy((json_t *)(uintptr_t)change);
	json_t *ours = json_object_get(docker, "Sbx");

	if (ours && json_object_update(json_object_get(beside, "Sbx"), ours) < 0)
		(void)json_object_set_new(beside, "Sbx", json_deep_copy(ours)); /* the first */
	(void)json_object_del(docker, "Sbx");
	(void)json_object_update(host_config, docker);
}

void state_apply_change(json_t *spec, const json_t *change)
{
	merge(json_object_get(spec, "HostConfig"), spec, change);
}

bool state_was_changed(const struct store *s, const char *id)
{
	path_text path;

	statedir_path(path, "", id, "changes.json");
	return faccessat(s->root, path, F_OK, 0) == 0;
}

/* Applies later changes by `update`, without which old limits would hold. Nearly always there are none, so that only a
 * name is looked up. */
static int add_changes(const struct store *s, const char *id, json_t *spec, struct err *e)
{
	auto_json json_t *changes = NULL;
	path_text path;

	statedir_path(path, "", id, "changes.json");
	if (faccessat(s->root, path, F_OK, 0) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "changes of container %.12s", id);
	changes = json_read_at(s->root, path, JSON_STORED_MAX, e);
	if (!changes)
		return -1;
	state_apply_change(spec, changes);
	return 0;
}

json_t *state_load_spec(const struct store *s, const char *id, struct err *e)
{
	auto_json json_t *spec = NULL;
	path_text path;

	if (!str_is_hex(id, ID_LEN)) {
		(void)statedir_no_such(id, e);
		return NULL;
	}
	statedir_path(path, "", id, "spec.json");
	spec = json_read_at(s->root, path, JSON_STORED_MAX, e);
	if (!spec && e->kind == ERR_NOT_FOUND)
		(void)statedir_no_such(id, e);
	if (spec && !json_is_object(spec)) {
		(void)err_set(e, ERR_CORRUPT, "%s: no object", path);
		return NULL;
	}
	return spec && add_changes(s, id, spec, e) == 0 ? take(spec) : NULL;
}

int state_change_spec(const struct store *s, const char *id, const json_t *change, struct err *e)
{
	auto_close int lock = statedir_lock(s, id, e);
	auto_json json_t *all = NULL;
	path_text path;

	if (lock < 0)
		return -1;
	/* While we waited for the lock it may have been removed, and the directory become the next container's. */
	statedir_path(path, "", id, "");
	if (faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? statedir_no_such(id, e) : err_sys(e, "container %.12s", id);
	if (faccessat(lock, "changes.json", F_OK, 0) == 0)
		all = json_read_at(lock, "changes.json", JSON_STORED_MAX, e);
	else if (errno == ENOENT)
		all = json_object();
	else
		return err_sys(e, "changes of container %.12s", id);
	if (!all)
		return -1;
	merge(all, all, change);
	if (json_write_at(lock, "changes.json", all, e) == 0)
		return 0;
	(void)err_ctx(e, "container %.12s", id);
	return store_ctx(s, e);
}

char *statedir_name(const struct store *s, const char *id)
{
	auto_state struct state now = {0};
	struct err e;

	return statedir_read(s, id, false, &now, &e) < 0 ? NULL : take(now.name);
}

static void take_name(const struct store *s, struct state *st)
{
	char *now = statedir_name(s, st->id);

	if (!now)
		return;
	free(st->name);
	st->name = now;
}

void state_learn_name(const struct store *s, struct state *st)
{
	struct err e;
	auto_close int lock = statedir_lock(s, st->id, &e);

	if (lock >= 0)
		take_name(s, st);
}

int state_save_life(const struct store *s, struct state *st, struct err *e)
{
	auto_close int lock = statedir_lock(s, st->id, e);

	if (lock < 0)
		return -1;
	take_name(s, st);
	return state_save(s, st, e);
}

void state_health_stands(struct state *st)
{
	json_t *health = json_object_get(st->extra, "Health");

	if (!st->health)
		return;
	free(st->health);
	st->health = xstrdup("unhealthy");
	if (health)
		(void)json_object_set_new(health, "Status", json_string(st->health)); /* memory */
}

int state_update(const struct store *s, const char *id,
	int (*change)(struct state *st, void *arg, struct err *e), void *arg, struct err *e)
{
	auto_close int lock = statedir_lock(s, id, e);
	auto_state struct state st = {0};

	if (lock < 0 || statedir_read(s, id, true, &st, e) < 0 || change(&st, arg, e) < 0)
		return -1;
	return state_save(s, &st, e);
}

int state_dir(const struct store *s, const char *id, struct err *e)
{
	int fd = statedir_open(s, "", id);

	if (fd < 0 && errno == ENOENT)
		return statedir_no_such(id, e);
	return fd < 0 ? err_sys(e, "container %.12s", id) : fd;
}

char *state_path(const struct store *s, const char *id)
{
	path_text path;

	statedir_path(path, "", id, "");
	return xasprintf("%s/%s", s->root_path, path);
}

static int claim_some_name(const struct store *s, struct state *st, struct err *e)
{
	const char *name;

	if (st->name) {
		name = name_check(st->name, e);
		if (!name)
			return -1;
		memmove(st->name, name, strlen(name) + 1);
		return name_claim(s, st->name, st->id, e);
	}
	for (int tries = 0; tries < 6; tries++) {
		auto_free char *made_up = name_make_up(tries);

		if (name_claim(s, made_up, st->id, e) == 0) {
			st->name = take(made_up);
			return 0;
		}
		if (e->kind != ERR_CONFLICT)
			return -1;
	}
	st->name = xstrndup(st->id, 12);
	return name_claim(s, st->name, st->id, e);
}

enum { TAKEN_AWAY = -2 };

static int make_new(const struct store *s, const char *path, struct err *e)
{
	if (mkdirat(s->root, path, 0700) == 0)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, "create container directory");
	if (statedir_make(s->root, "containers", e) < 0)
		return -1;
	return mkdirat(s->root, path, 0700) < 0 ? err_sys(e, "create container directory") : 0;
}

/* For overlay. A spare directory has both; unless a cleaner took it for one that a killed creator had left, and was
 * killed itself. */
static int make_layer(int dir, struct err *e)
{
	bool made = mkdirat(dir, "upper", 0755) == 0;

	if ((!made && errno != EEXIST) || (made && fchmodat(dir, "upper", 0755, 0) < 0) ||
		(mkdirat(dir, "work", 0700) < 0 && errno != EEXIST))
		return err_sys(e, "create container directory");
	return 0;
}

/* Made and locked. TAKEN_AWAY: between the two a cleaner took it for one that a killed creator had left. */
static int make_locked(const struct store *s, const char *path, const char *id, struct err *e)
{
	auto_close int dir = -1;
	struct stat st;

	if (!spare_take(s, path) && make_new(s, path, e) < 0)
		return -1;
	dir = statedir_open(s, MARK_NEW, id);
	if (dir < 0 && errno == ENOENT)
		return TAKEN_AWAY;
	if (dir < 0)
		return err_sys(e, "open container directory");
	if (statedir_flock(dir, LOCK_EX) < 0)
		return err_sys(e, "flock in a container's directory");
	if (fstat(dir, &st) < 0)
		return err_sys(e, "open container directory");
	return st.st_nlink == 0 ? TAKEN_AWAY : take_fd(&dir);
}

/* Makes containers/.new-<id>, open, locked, and with everything that does not depend on the name. */
static int make_dir(const struct store *s, const char *id, const json_t *spec, struct err *e)
{
	auto_free char *text = json_dumps(spec, JSON_COMPACT);
	auto_close int dir = -1;
	path_text path;

	if (!text)
		return err_set(e, ERR_SYSTEM, "the spec cannot be written as JSON");
	statedir_path(path, MARK_NEW, id, "");
	do {
		auto_close_(&dir);
		dir = make_locked(s, path, id, e);
		if (dir == -1)
			return -1;
	} while (dir < 0);
	if (make_layer(dir, e) < 0)
		return -1;
	if (write_file(dir, "spec.json", text, strlen(text), e) < 0)
		return -1;
	return take_fd(&dir);
}

int state_create(const struct store *s, struct state *st, const json_t *spec,
	const struct state_fill *fill, int *dir, struct err *e)
{
	struct err ignored;
	auto_close int made = -1;
	path_text from, to;
	bool named;

	if (!st->id[0] && id_random(st->id, e) < 0)
		return -1;
	statedir_path(from, MARK_NEW, st->id, "");
	statedir_path(to, "", st->id, "");
	made = make_dir(s, st->id, spec, e); /* from here on the directory tells what `fill` makes elsewhere */
	named = made >= 0 && (!fill || fill->fill(made, fill->arg, e) == 0) &&
	        claim_some_name(s, st, e) == 0;
	if (named && write_card(made, "state", st, e) == 0) {
		if (renameat(s->root, from, s->root, to) == 0) {
			/* A process that keeps the directory open must not keep it locked. */
			(void)flock(made, LOCK_UN);
			*dir = take_fd(&made);
			return 0;
		}
		(void)err_sys(e, "create container %.12s", st->id);
	}
	if (named)
		name_release(s, st->name, st->id);
	if (made >= 0 && fill && fill->undo)
		fill->undo(fill->arg);
	(void)state_remove_tree(s->root, from, &ignored); /* else a later one finds it */
	return store_ctx(s, e);
}

int state_rename(const struct store *s, struct state *st, const char *new_name, struct err *e)
{
	auto_free char *slashed = xasprintf("/%s", new_name[0] == '/' ? new_name + 1 : new_name);
	const char *name = name_check(slashed, e);
	auto_close int lock = name ? statedir_lock(s, st->id, e) : -1;
	auto_state struct state now = {0};
	auto_free char *old = NULL;
	id_text holder;

	if (!name)
		return err_ctx(e, "Error when allocating new name");
	if (lock < 0 || statedir_read(s, st->id, true, &now, e) < 0)
		return -1;
	if (str_eq(now.name, name))
		return err_set(e, ERR_USAGE,
			"Renaming a container with the same name as its current name");
	/* It points to us already if an earlier rename was killed half-way. */
	if (!(name_lookup(s, name, holder) && strcmp(holder, st->id) == 0) &&
		name_claim(s, name, st->id, e) < 0)
		return err_ctx(e, "Error when allocating new name");
	old = take(now.name);
	now.name = xstrdup(name);
	if (state_save(s, &now, e) < 0) {
		name_release(s, name, st->id);
		return -1;
	}
	if (old)
		name_release(s, old, st->id);
	state_done(st);
	*st = now;
	now = (struct state){0};
	return 0;
}
