/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_read: reads the log from its files, oldest first, and then follows it.
 *
 * The writer only appends, and rotates by renaming; so files are identified by their inodes, and an open
 * file is read to its end before the next one is looked for. The life file tells the end of the
 * container: by then the writer has written everything.
 */
#include "log.h"

#include "spec.h"
#include "stamp.h"
#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

enum {
	ROOM = 256 << 10, /* more than any record: 6 * LOG_LINE_MAX and its attributes */
	FILES_MAX = 1000,
	POLL_MS = 100, /* where there are no inotify instances left */
};

struct reading {
	const struct store *store;
	const char *id;
	const struct log_query *q;
	log_emit *emit;
	void *arg;
	int fd;     /* of the file being read */
	off_t at;   /* where the next read begins */
	char *room; /* what was read and not yet used */
	size_t len;
	struct buf text, prefix;
	bool over;      /* `until` was passed */
	int life;       /* -1: not followed, or not where we look */
	int supervisor; /* then of what still runs; or -1 */
	int inotify, life_watch;
	bool ended;
};

static void reading_done(struct reading *r)
{
	if (r->fd >= 0)
		(void)close(r->fd); /* only read from */
	if (r->life >= 0)
		(void)close(r->life); /* likewise */
	auto_close_(&r->supervisor);
	if (r->inotify >= 0)
		(void)close(r->inotify); /* likewise */
	free(r->room);
	buf_done(&r->text);
	buf_done(&r->prefix);
}
#define auto_reading __attribute__((cleanup(reading_done)))

/* ---- one record ------------------------------------------------------------------------ */

struct record {
	int stream;
	char time[STAMP_SIZE];
	const char *attrs; /* JSON text, 0-terminated by the line's end; or NULL */
};

static int hex4(const char *s)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *d = s[i] ? strchr(digits, s[i] | 0x20) : NULL;

		if (!d)
			return -1;
		value = value * 16 + (int)(d - digits);
	}
	return value;
}

/* Unescapes the string that begins after the quote at s - 1; returns where its closing quote is, or NULL. */
static const char *unescape(const char *s, struct buf *out)
{
	for (;;) {
		size_t n = strcspn(s, "\"\\");

		buf_add(out, s, n);
		s += n;
		if (*s == '"')
			return s;
		if (*s == '\0')
			return NULL;
		switch (s[1]) {
		case 'n':
			buf_putc(out, '\n');
			break;
		case 'r':
			buf_putc(out, '\r');
			break;
		case 't':
			buf_putc(out, '\t');
			break;
		case 'u': {
			int c = hex4(s + 2);

			if (c < 0)
				return NULL;
			buf_put_rune(out, (uint32_t)c);
			s += 4;
			break;
		}
		case '\0':
			return NULL;
		default:
			buf_putc(out, s[1]);
			break;
		}
		s += 2;
	}
}

/* The members after "log", in the order in which the writer writes them. */
static bool read_rest(const char *s, struct record *out)
{
	static const char stream[] = "\",\"stream\":\"", attrs[] = ",\"attrs\":", when[] = ",\"time\":\"";
	const char *time = NULL, *at = s;
	size_t n;

	if (!str_starts(s, stream))
		return false;
	s += sizeof(stream) - 1;
	out->stream = str_starts(s, "stderr\"");
	if (!out->stream && !str_starts(s, "stdout\""))
		return false;
	s += sizeof("stdout\"") - 1;
	out->attrs = str_starts(s, attrs) ? s + sizeof(attrs) - 1 : NULL;
	while ((at = strstr(at, when)) != NULL) /* an attribute may look like it: the last one is it */
		time = at++;
	if (!time)
		return false;
	time += sizeof(when) - 1;
	n = strcspn(time, "\"");
	if (n >= sizeof(out->time) || time[n] != '"')
		return false;
	memcpy(out->time, time, n);
	out->time[n] = '\0';
	return true;
}

static bool read_record(const char *line, struct buf *text, struct record *out)
{
	static const char first[] = "{\"log\":\"";
	const char *end;

	text->len = 0;
	if (!str_starts(line, first))
		return false;
	end = unescape(line + sizeof(first) - 1, text);
	return end && read_rest(end, out);
}

/* As in a URL's query: Go's url.QueryEscape. */
static void add_query(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			(*s >= '0' && *s <= '9') || strchr("-_.~", *s))
			buf_putc(out, *s);
		else if (*s == ' ')
			buf_putc(out, '+');
		else
			buf_printf(out, "%%%02X", (unsigned char)*s);
	}
}

/* "k=v,k2=v2 ", in the order in which they stand, which is sorted. */
static void add_details(struct buf *out, const char *attrs)
{
	auto_json json_t *all = attrs ? json_loads(attrs, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	const char *key, *comma = "";
	json_t *value;

	json_object_foreach(all, key, value)
	{
		buf_puts(out, comma);
		add_query(out, key);
		buf_putc(out, '=');
		add_query(out, json_string_value(value) ? json_string_value(value) : "");
		comma = ",";
	}
	buf_putc(out, ' ');
}

static bool is_set(const struct timespec *t)
{
	return t->tv_sec || t->tv_nsec;
}

/* Returns 0, or what emit() returned. Skips a line that is not a record (the disk was full, the machine crashed). */
static int give(struct reading *r, const char *line, struct err *e)
{
	const struct log_query *q = r->q;
	bool timed = q->timestamps || is_set(&q->since) || is_set(&q->until);
	char stamp[STAMP_SIZE];
	struct timespec when;
	struct record rec;

	if (!read_record(line, &r->text, &rec) || (timed && !stamp_read(rec.time, &when)))
		return 0;
	if (is_set(&q->since) && stamp_cmp(&when, &q->since) < 0)
		return 0;
	if (is_set(&q->until) && stamp_cmp(&when, &q->until) > 0) {
		r->over = true;
		return 0;
	}
	if (!(rec.stream ? q->err : q->out))
		return 0;
	r->prefix.len = 0;
	if (q->timestamps) {
		stamp_print_fixed(&when, stamp);
		buf_puts(&r->prefix, stamp);
		buf_putc(&r->prefix, ' ');
	}
	if (q->details)
		add_details(&r->prefix, rec.attrs);
	if (r->prefix.len > 0) {
		/* In one piece: clients take a frame for a line. */
		buf_add(&r->prefix, r->text.s, r->text.len);
		return r->emit(r->arg, rec.stream, r->prefix.s, r->prefix.len, e);
	}
	return r->text.len ? r->emit(r->arg, rec.stream, r->text.s, r->text.len, e) : 0;
}

/* ---- one file -------------------------------------------------------------------------- */

/* All whole lines in room are given; what follows the last newline moves to the front. */
static int give_lines(struct reading *r, struct err *e)
{
	char *at = r->room, *end = r->room + r->len, *eol;

	while (!r->over && (eol = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		int stop;

		*eol = '\0';
		stop = give(r, at, e);
		if (stop)
			return stop;
		at = eol + 1;
	}
	r->len = (size_t)(end - at);
	memmove(r->room, at, r->len);
	if (r->len == ROOM)
		r->len = 0; /* no record is so long: not ours */
	return 0;
}

/* From where we are to the present end. */
static int read_on(struct reading *r, struct err *e)
{
	ssize_t n;

	while (!r->over && r->fd >= 0) {
		int stop;

		n = pread(r->fd, r->room + r->len, ROOM - r->len, r->at);
		if (n < 0)
			return err_sys(e, "read log");
		if (n == 0)
			break;
		r->at += n;
		r->len += (size_t)n;
		stop = give_lines(r, e);
		if (stop)
			return stop;
	}
	return r->emit(r->arg, 0, NULL, 0, e);
}

static void change_file(struct reading *r, int fd, off_t at)
{
	if (r->fd >= 0)
		(void)close(r->fd); /* only read from */
	r->fd = fd;
	r->at = at;
	r->len = 0;
}

/* Where the last `want` lines begin; *found of them are there. Reads backwards. -1 with errno. */
static off_t tail_of(int fd, int64_t want, int64_t *found)
{
	auto_free char *room = xcalloc(1, ROOM);
	off_t end = lseek(fd, 0, SEEK_END), last = -1;

	*found = 0;
	if (end < 0)
		return -1;
	while (end > 0) {
		off_t begin = end > ROOM ? end - ROOM : 0;
		ssize_t n = pread(fd, room, (size_t)(end - begin), begin);

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		for (ssize_t i = n - 1; i >= 0; i--) {
			if (room[i] != '\n')
				continue;
			/* A line begins behind it, unless it is the file's last newline. */
			if (want == 0 || (last >= 0 && ++*found == want))
				return begin + i + 1;
			last = begin + i + 1;
		}
		end = begin;
	}
	if (last >= 0)
		++*found;
	return 0;
}

/* ---- all files ------------------------------------------------------------------------- */

static int open_number(const struct reading *r, int number)
{
	char file[24] = "json.log";
	path_text path;

	if (number > 0)
		(void)snprintf(file, sizeof(file), "json.log.%d", number);
	statedir_path(path, "", r->id, file);
	return openat(r->store->root, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* -1: it cannot be found out. */
static int same_file(int a, int b)
{
	struct stat x, y;

	if (fstat(a, &x) < 0 || fstat(b, &y) < 0)
		return -1;
	return x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

/* The file that was begun when the one we read was full, in *out; or -1: ours is the newest. When ours is not
 * among them any more we have fallen behind, and go on with the oldest there is. */
static int newer(const struct reading *r, int *out, struct err *e)
{
	auto_close int found = -1;

	for (int number = 0; number < FILES_MAX; number++) {
		auto_close int fd = open_number(r, number);
		int same;

		if (fd < 0 && errno != ENOENT)
			return err_sys(e, "open log");
		if (fd < 0 && number > 0)
			break;
		same = fd >= 0 && r->fd >= 0 ? same_file(fd, r->fd) : 0;
		if (same < 0)
			return err_sys(e, "open log");
		if (same)
			break;
		if (found >= 0)
			(void)close(take_fd(&found)); /* only opened */
		found = take_fd(&fd);
	}
	*out = take_fd(&found);
	return 0;
}

/* From where we are to the present end of the newest file. */
static int read_all(struct reading *r, struct err *e)
{
	int stop = read_on(r, e);

	while (stop == 0 && !r->over) {
		auto_close int fd = -1;

		if (newer(r, &fd, e) < 0)
			return -1;
		if (fd < 0)
			break;
		stop = read_on(r, e); /* it may have grown just before it was rotated */
		change_file(r, take_fd(&fd), 0);
		if (stop == 0)
			stop = read_on(r, e);
	}
	return stop;
}

/* If the container has written nothing yet, its file is made, so that a follower has it open from the beginning. */
static int make_first(const struct reading *r)
{
	path_text path;

	statedir_path(path, "", r->id, "json.log");
	return openat(r->store->root, path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int read_files(struct reading *r, struct err *e)
{
	int64_t want = r->q->tail, found;
	off_t at = 0;
	int number = 0, stop;

	for (;; number++) {
		auto_close int fd = open_number(r, number);

		if (fd < 0 && errno != ENOENT)
			return err_sys(e, "open log");
		if (fd < 0 && number == 0)
			continue; /* being rotated just now, or nothing was written yet */
		if (fd < 0 || number == FILES_MAX) {
			number--;
			at = 0;
			break;
		}
		if (want < 0)
			continue;
		at = tail_of(fd, want, &found);
		if (at < 0)
			return err_sys(e, "read log");
		if (found >= want)
			break;
		want -= found;
	}
	change_file(r, open_number(r, number), at);
	if (r->fd < 0 && errno == ENOENT && r->q->follow && !r->ended)
		change_file(r, make_first(r), 0);
	if (r->fd < 0 && errno != ENOENT)
		return err_sys(e, "open log");
	stop = r->emit(r->arg, 0, NULL, 0, e);
	return stop ? stop : read_all(r, e);
}

/* ---- following ------------------------------------------------------------------------- */

static bool is_over(const struct reading *r)
{
	struct pollfd ends = {.fd = r->supervisor, .events = POLLIN};
	int code;

	if (r->life < 0)
		return poll(&ends, 1, 0) != 0; /* it cannot fail but for memory */
	return state_life_code(r->life, &code) == 0 || !state_life_alive(r->life);
}

/* False: it has ended. */
static bool find_life(struct reading *r)
{
	auto_state struct state st = {0};
	struct err ignored;

	r->life = state_life_open(r->store, r->id, &ignored);
	if (r->life >= 0 && state_life_alive(r->life))
		return true;
	if (r->life >= 0)
		(void)close(take_fd(&r->life)); /* only opened */
	if (state_load(r->store, r->id, &st, &ignored) == 0)
		r->supervisor = state_supervisor(&st);
	return r->supervisor >= 0;
}

static bool watch_life(struct reading *r)
{
	char path[40];

	if (r->life < 0)
		return true; /* its supervisor is waited for */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", r->life);
	r->life_watch = inotify_add_watch(r->inotify, path, IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB);
	return r->life_watch >= 0;
}

/* Before anything is read, so that nothing falls between reading and waiting. */
static void begin_following(struct reading *r)
{
	struct err ignored;
	auto_close int dir = state_dir(r->store, r->id, &ignored);
	char path[40];

	r->ended = !find_life(r);
	if (r->ended)
		return;
	r->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (r->inotify < 0 || dir < 0)
		return; /* then we look from time to time */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (inotify_add_watch(r->inotify, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0 &&
		watch_life(r))
		r->ended = is_over(r); /* before it was watched */
	else
		(void)close(take_fd(&r->inotify)); /* out of watches */
}

/* Its end, or an event; the supervisor alone has the life file open for writing, so closing it is the end. */
static void take_events(struct reading *r)
{
	char room[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(r->inotify, room, sizeof(room))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *ev = (const struct inotify_event *)(room + at);

			at += (ssize_t)(sizeof(*ev) + ev->len);
			if (ev->wd == r->life_watch && (ev->mask & IN_CLOSE_WRITE))
				r->ended = true;
		}
	}
}

static int ms_until(const struct timespec *t)
{
	struct timespec now;
	int64_t ms;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* is always there */
	ms = ((int64_t)t->tv_sec - now.tv_sec) * 1000 + (t->tv_nsec - now.tv_nsec) / 1000000 + 1;
	return ms < 0 ? 0 : ms > 1000000000 ? 1000000000 : (int)ms;
}

static int wait_for_more(struct reading *r, struct err *e)
{
	struct pollfd p[] = {
		{.fd = r->inotify, .events = POLLIN}, {.fd = r->supervisor, .events = POLLIN}};
	int timeout = r->inotify < 0 ? POLL_MS : -1;

	if (is_set(&r->q->until)) {
		int left = ms_until(&r->q->until);

		r->over = left == 0;
		timeout = timeout < 0 || left < timeout ? left : timeout;
	}
	if (!r->over && poll(p, 2, timeout) < 0 && errno != EINTR)
		return err_sys(e, "wait for more of the log");
	if (r->inotify >= 0)
		take_events(r);
	if (is_over(r))
		r->ended = true;
	return 0;
}

static int follow(struct reading *r, struct err *e)
{
	int stop = 0;

	while (stop == 0 && !r->over) {
		/* Read once more after the end was seen: all is written by then. */
		bool last = r->ended;

		stop = read_all(r, e);
		if (stop || last)
			break;
		stop = wait_for_more(r, e);
	}
	return stop;
}

int log_read(const struct store *s, const char *id, const struct log_query *q, log_emit *emit,
	void *arg, struct err *e)
{
	auto_json json_t *spec = state_load_spec(s, id, e);
	const json_t *config = json_object_get(json_object_get(spec, "HostConfig"), "LogConfig");
	auto_reading struct reading r = {.store = s,
		.id = id,
		.q = q,
		.emit = emit,
		.arg = arg,
		.fd = -1,
		.life = -1,
		.supervisor = -1,
		.inotify = -1,
		.life_watch = -1};
	int stop;

	if (!spec)
		return -1;
	if (str_eq(json_str(config, "Type", ""), "none") ||
		spec_log_is_remote(json_str(config, "Type", "")))
		return err_set(e, ERR_UNSUPPORTED, "configured logging driver does not support reading");
	r.room = xcalloc(1, ROOM + 1);
	if (q->follow)
		begin_following(&r);
	stop = read_files(&r, e);
	if (stop == 0 && q->follow)
		stop = follow(&r, e);
	return stop;
}
