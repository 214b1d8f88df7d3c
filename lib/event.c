/* SPDX-License-Identifier: Apache-2.0 */
#include "event_parts.h"

#include "event_filter.h"
#include "image.h"
#include "stamp.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>

enum {
	FILE_MAX = 1 << 20, /* then it becomes events.1 */
	POLL_MS = 100,      /* where no inotify instance is left */
};

/* Whether `name` is that file; -1: it cannot be found out. */
static int is_at(const struct store *s, const char *name, const struct stat *st)
{
	struct stat now;

	if (fstatat(s->root, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	return now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

/* Several processes may find the file too long at once: the lock is on the file, not on the name, so the second one
 * sees that the name is another file's by then. */
static void rotate(const struct store *s, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size < FILE_MAX || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	if (is_at(s, "events", &st) == 1)
		(void)renameat(s->root, "events", s->root, "events.1"); /* else the next one does it */
}

void event_append(const struct store *s, const struct buf *lines)
{
	auto_close int fd = openat(
		s->root, "events", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	ssize_t n;

	if (fd < 0)
		return;
	/* A single write, so that lines of several processes do not mix. What a full disk does not take is lost, but
	 * not the next event as well. */
	n = write(fd, lines->s, lines->len);
	if (n > 0 && n < (ssize_t)lines->len)
		(void)!write(fd, "\n", 1); /* no room for this either */
	else
		rotate(s, fd);
}

void event_print(const char *type, const char *action, const char *id, const json_t *attributes,
	struct buf *out)
{
	auto_json json_t *j = json_object();
	auto_free char *text = NULL;
	struct timespec now;
	json_t *actor = json_object();

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	if (str_eq(type, "container") || str_eq(type, "image")) {
		json_set(j, "status", json_text(action));
		if (*id)
			json_set(j, "id", json_text(id));
	}
	if (str_eq(type, "container") && *id)
		json_set(j, "from", json_text(json_str(attributes, "image", "")));
	json_set(j, "Type", json_text(type));
	json_set(j, "Action", json_text(action));
	json_set(j, "Actor", actor);
	json_set(actor, "ID", json_text(id));
	json_set(actor, "Attributes",
		attributes ? json_incref((json_t *)(uintptr_t)attributes) : json_object());
	json_set(j, "scope", json_string("local"));
	json_set(j, "time", json_integer(now.tv_sec));
	json_set(j, "timeNano", json_integer((json_int_t)now.tv_sec * 1000000000 + now.tv_nsec));
	text = json_dumps(j, JSON_COMPACT);
	if (text)
		buf_printf(out, "%s\n", text);
}

void event_emit(const struct store *s, const char *type, const char *action, const char *id,
	const json_t *attributes)
{
	auto_buf struct buf line = {0};

	event_print(type, action, id, attributes, &line);
	event_append(s, &line);
}

static json_t *of_labels(const struct strv *labels)
{
	json_t *a = json_object();

	for (size_t i = 0; i < labels->n; i++) {
		const char *label = labels->v[i], *eq = strchr(label, '=');
		auto_free char *key = eq ? xstrndup(label, (size_t)(eq - label)) : xstrdup(label);

		(void)json_object_set_new(a, key, json_text(eq ? eq + 1 : "")); /* no UTF-8: no key */
	}
	return a;
}

json_t *event_attributes(const struct state *st)
{
	json_t *a = of_labels(&st->labels);

	json_set(a, "image", json_text(st->image ? st->image : ""));
	json_set(a, "name", json_text(st->name ? st->name : ""));
	return a;
}

void event_container(const struct store *s, const struct state *st, const char *action,
	const char *key, const char *value)
{
	auto_json json_t *a = event_attributes(st);

	if (key)
		json_set(a, key, json_text(value));
	event_emit(s, "container", action, st->id, a);
}

void event_container_with(const struct store *s, const struct state *st, const char *action, json_t *more)
{
	auto_json json_t *a = event_attributes(st);

	(void)json_object_update_new(a, more); /* memory */
	event_emit(s, "container", action, st->id, a);
}

/* Joined as docker does: even without arguments a blank follows the command. */
static char *exec_action(const char *action, const struct strv *command)
{
	auto_buf struct buf b = {0};

	buf_puts(&b, action);
	for (size_t i = 0; command && i < command->n; i++)
		buf_printf(&b, "%s%s", i ? " " : ": ", command->v[i]);
	if (command && command->n == 1)
		buf_putc(&b, ' ');
	return buf_take(&b);
}

void event_exec(const struct store *s, const struct state *st, const char *action,
	const char *exec_id, const struct strv *command)
{
	auto_free char *words = exec_action(action, command);

	event_container(s, st, words, "execID", exec_id);
}

void event_exec_start(const struct store *s, const struct state *st, const char *exec_id,
	const struct strv *command)
{
	auto_free char *create = exec_action("exec_create", command);
	auto_free char *start = exec_action("exec_start", command);
	auto_json json_t *a = event_attributes(st);
	auto_buf struct buf lines = {0};

	json_set(a, "execID", json_text(exec_id));
	event_print("container", create, st->id, a, &lines);
	event_print("container", start, st->id, a, &lines);
	event_append(s, &lines);
}

void event_exec_die(const struct store *s, const struct state *st, const char *exec_id, int code)
{
	auto_json json_t *a = event_attributes(st);
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", code);
	json_set(a, "execID", json_text(exec_id));
	json_set(a, "exitCode", json_text(text));
	event_emit(s, "container", "exec_die", st->id, a);
}

static void image_told(const struct store *s, const char *action, const char *id, const char *name,
	const struct strv *labels)
{
	auto_json json_t *a = of_labels(labels);

	json_set(a, "name", json_text(name));
	event_emit(s, "image", action, id, a);
}

void event_image(const struct store *s, const char *action, const char *id, const char *name)
{
	auto_image struct image i = {0};
	struct err gone; /* a deleted one has no labels any more, with docker too */

	(void)image_find_ref(s, id, &i, &gone);
	image_told(s, action, id, name ? name : id, &i.config.labels);
}

void event_prune(const struct store *s, const char *type, int64_t reclaimed)
{
	auto_free char *bytes = xasprintf("%lld", (long long)reclaimed);
	auto_json json_t *a = json_pack("{s:s}", "reclaimed", bytes);

	event_emit(s, type, "prune", "", a);
}

void event_image_removed(
	const struct store *s, const char *id, const struct strv *labels, const struct strv *report)
{
	static const struct strv none = {0};

	for (size_t i = 0; i < report->n; i++) {
		const char *line = report->v[i];

		if (str_starts(line, "Untagged: "))
			image_told(s, "untag", id, id, labels);
		else if (str_starts(line, "Deleted: ") && str_eq(line + strlen("Deleted: "), id))
			image_told(s, "delete", id, id, &none);
	}
}

/* ---- reading ---- */

static int open_file(const struct store *s, const char *name, int flags)
{
	return openat(s->root, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

static void watch(struct event_reader *r)
{
	auto_free char *path = xasprintf("%s/events", r->store->root_path);

	if (r->inotify >= 0 && inotify_add_watch(r->inotify, path, IN_MODIFY | IN_MOVE_SELF) < 0)
		(void)close(take_fd(&r->inotify)); /* out of watches: we poll */
}

int event_open(struct event_reader *r, const struct store *s, struct err *e)
{
	struct stat st;
	int renamed;

	*r = (struct event_reader){.store = s, .fd = -1, .old = -1, .inotify = -1};
	r->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	r->fd = open_file(s, "events", O_CREAT);
	if (r->fd < 0 || fstat(r->fd, &st) < 0)
		return err_sys(e, "open the events of %s", s->root_path);
	watch(r);
	r->old = open_file(s, "events.1", 0);
	if (r->old < 0)
		/* a young store has none */
		return errno == ENOENT ? 0 : err_sys(e, "open the older events of %s", s->root_path);
	renamed = is_at(s, "events.1", &st);
	if (renamed < 0)
		return err_sys(e, "open the older events of %s", s->root_path);
	if (renamed)
		(void)close(take_fd(&r->old)); /* between the two: it is what r->fd is */
	return 0;
}

void event_done(struct event_reader *r)
{
	auto_close_(&r->fd);
	auto_close_(&r->old);
	auto_close_(&r->inotify);
	buf_done(&r->rest);
	buf_done(&r->old_rest);
}

/* Takes the first complete line off; NULL: there is none. Skips lines that are not JSON. */
static json_t *take_line(struct buf *b)
{
	for (;;) {
		char *end = b->len ? memchr(b->s, '\n', b->len) : NULL;
		json_t *j;
		size_t n;

		if (!end)
			return NULL;
		n = (size_t)(end - b->s);
		j = json_loadb(b->s, n, 0, NULL);
		b->len -= n + 1;
		memmove(b->s, end + 1, b->len + 1);
		if (json_is_object(j))
			return j;
		json_decref(j);
	}
}

static bool fails(struct event_reader *r)
{
	(void)err_sys(&r->failed, "read the events of %s", r->store->root_path);
	return false;
}

static bool fill(struct event_reader *r, int fd, struct buf *b)
{
	char part[16384];
	ssize_t n = fd < 0 ? 0 : sys_read(fd, part, sizeof(part));

	if (n < 0)
		return fails(r);
	if (n == 0)
		return false;
	buf_add(b, part, (size_t)n);
	return true;
}

/* If the name leads to another file by now, goes on with that one, after the rest of the old one. */
static bool turn_over(struct event_reader *r)
{
	struct stat st;
	int same = fstat(r->fd, &st) < 0 ? -1 : is_at(r->store, "events", &st), new;

	if (same)
		return same < 0 ? fails(r) : false;
	/* Created if it does not exist, since only then it can be watched. */
	new = open_file(r->store, "events", O_CREAT);
	if (new < 0)
		return fails(r);
	auto_close_(&r->old);
	buf_done(&r->old_rest);
	r->old = r->fd;
	r->old_rest = r->rest;
	r->rest = (struct buf){0};
	r->fd = new;
	watch(r);
	return true;
}

/* Milliseconds until then: -1 for ever, 0 it is past. */
static int left_ms(const struct timespec *until)
{
	struct timespec now;
	int64_t ms;

	if (!until)
		return 0;
	if (until->tv_sec == 0 && until->tv_nsec == 0)
		return -1;
	(void)clock_gettime(CLOCK_REALTIME, &now); /* as above */
	ms = (int64_t)(until->tv_sec - now.tv_sec) * 1000 + (until->tv_nsec - now.tv_nsec) / 1000000;
	return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms + 1;
}

static void wait_for_more(const struct event_reader *r, int ms)
{
	struct pollfd p = {.fd = r->inotify, .events = POLLIN};
	char events[4096];

	if (r->inotify < 0 && (ms < 0 || ms > POLL_MS))
		ms = POLL_MS;
	(void)poll(&p, 1, ms); /* a signal is as good a reason to look as any */
	if (r->inotify >= 0)
		(void)!read(r->inotify, events, sizeof(events)); /* which, does not matter */
}

bool event_next(struct event_reader *r, const struct timespec *until, json_t **out)
{
	for (;;) {
		int ms;

		*out = take_line(&r->old_rest);
		if (*out || fill(r, r->old, &r->old_rest)) {
			if (*out)
				return true;
			continue;
		}
		*out = take_line(&r->rest);
		if (*out)
			return true;
		if (r->failed.kind == ERR_NONE && (fill(r, r->fd, &r->rest) || turn_over(r)))
			continue;
		if (r->failed.kind != ERR_NONE)
			return false;
		ms = left_ms(until);
		if (ms == 0)
			return false;
		wait_for_more(r, ms);
	}
}

/* ---- a part of them ---- */

int event_span_read(const char *since, const char *until, struct event_span *out, struct err *e)
{
	bool begins = since && *since;
	struct event_span span = {.ends = until && *until};

	if (!span.ends)
		(void)clock_gettime(CLOCK_REALTIME, &span.since); /* as above */
	if ((begins && stamp_sent(since, &span.since, e) < 0) ||
		(span.ends && stamp_sent(until, &span.until, e) < 0)) {
		e->kind = ERR_SYSTEM; /* as docker has it */
		return -1;
	}
	if (begins && span.ends && stamp_cmp(&span.since, &span.until) > 0)
		return err_set(e, ERR_USAGE, "`since` time (%s) cannot be after `until` time (%s)",
			since, until);
	*out = span;
	return 0;
}

bool event_next_of(struct event_reader *r, const struct event_span *span, const struct filters *f,
	json_t **out)
{
	static const struct timespec ever = {0};
	/* An `until` of zero is in the past and excludes nothing, as with docker. */
	const struct timespec *until = span->until.tv_sec || span->until.tv_nsec ? &span->until : NULL;
	json_t *j;

	while (event_next(r, span->ends ? until : &ever, &j)) {
		struct timespec at = event_time(j);

		if (span->ends && until && stamp_cmp(&at, until) > 0) {
			json_decref(j);
			return false;
		}
		if (stamp_cmp(&at, &span->since) >= 0 && event_passes(f, j)) {
			*out = j;
			return true;
		}
		json_decref(j);
	}
	return false;
}
