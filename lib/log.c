/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "log_tag.h"
#include "parse.h"
#include "re.h"
#include "spec.h"
#include "stamp.h"
#include "statedir.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { KEEP_ROOM = 64 << 10 }; /* a supervisor is to stay small: larger buffers are given back */

/* Length of the UTF-8 sequence at s, 0 when it is none; -1 when it is cut off by the end. */
static int utf8_len(const unsigned char *s, size_t n)
{
	static const struct {
		unsigned char first, last, low, high; /* lead bytes; bounds of the second byte */
		signed char len;
	} leads[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < ARRAY_LEN(leads); i++) {
		if (s[0] < leads[i].first || s[0] > leads[i].last)
			continue;
		for (int k = 1; k < leads[i].len; k++) {
			if ((size_t)k >= n)
				return -1;
			if (s[k] < (k == 1 ? leads[i].low : 0x80) ||
				s[k] > (k == 1 ? leads[i].high : 0xbf))
				return 0;
		}
		return leads[i].len;
	}
	return 0;
}

/* Bytes at s which need no thought: the printable of ASCII but for what docker escapes. */
static size_t plain(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x80 && s[i] != '"' && s[i] != '\\' && s[i] != '<' &&
		s[i] != '>' && s[i] != '&')
		i++;
	return i;
}

/* A byte of ASCII that is not plain(). */
static void escape_ascii(struct buf *out, unsigned char c)
{
	switch (c) {
	case '\n':
		buf_puts(out, "\\n");
		break;
	case '\r':
		buf_puts(out, "\\r");
		break;
	case '"':
	case '\\':
		buf_putc(out, '\\');
		buf_putc(out, (char)c);
		break;
	default: /* HTML's too, as Go's encoder does it */
		buf_printf(out, "\\u%04x", c);
		break;
	}
}

static void escape(struct buf *out, const void *bytes, size_t n)
{
	const unsigned char *s = bytes;

	while (n > 0) {
		size_t run = plain(s, n);
		int len;

		buf_add(out, s, run);
		s += run;
		n -= run;
		if (n == 0)
			return;
		len = 1;
		if (*s < 0x80) {
			escape_ascii(out, *s);
		} else if ((len = utf8_len(s, n)) <= 0) {
			buf_puts(out, "\\ufffd");
			len = 1;
		} else if (len == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] & 0xfe) == 0xa8) {
			/* U+2028 and U+2029 end lines in JavaScript. */
			buf_puts(out, s[2] == 0xa8 ? "\\u2028" : "\\u2029");
		} else {
			buf_add(out, s, (size_t)len);
		}
		s += len;
		n -= (size_t)len;
	}
}

/* The defaults of docker's driver "local": five files of this size. */
#define LOCAL_SIZE  (20 << 20)
#define LOCAL_FILES 5

/* "10k", "1m", "2g": powers of 1000, as docker counts here. */
static bool parse_size(const char *s, int64_t *out)
{
	static const char units[] = "kmgt";
	char *end;
	double value = strtod(s, &end);
	const char *unit;

	if (end == s || !(value >= 0))
		return false;
	unit = *end ? strchr(units, *end | 0x20) : NULL;
	if (unit) {
		for (const char *u = units; u <= unit; u++)
			value *= 1000;
		end++;
	}
	if (*end == 'b' || *end == 'B')
		end++;
	if (*end)
		return false;
	*out = value < 9e18 ? (int64_t)value : INT64_MIN; /* as Go's conversion makes it */
	return true;
}

static const char *option(const struct spec *spec, const char *key)
{
	const char *kv = strv_env(&spec->log_opts, key), *eq = kv ? strchr(kv, '=') : NULL;

	return eq ? eq + 1 : NULL;
}

/* Adds those of the "K=V" words whose keys the option names ("a,b"). */
static void pick(const struct strv *words, const char *keys, struct strv *out)
{
	auto_free char *list = xstrdup(keys ? keys : "");
	char *rest = list, *key;

	while ((key = strsep(&rest, ",")) != NULL) {
		const char *kv = *key ? strv_env(words, key) : NULL;

		if (kv && strchr(kv, '='))
			strv_add(out, kv);
	}
}

/* Adds those in whose keys the expression is found. */
static int pick_matching(
	const struct strv *words, const char *expression, struct strv *out, struct err *e)
{
	auto_re struct re *re = NULL;

	if (!expression || !*expression)
		return 0;
	re = re_parse(expression, e);
	if (!re)
		return -1;
	for (size_t i = 0; i < words->n; i++) {
		size_t key = strcspn(words->v[i], "=");

		if (words->v[i][key] && re_finds(re, words->v[i], key))
			strv_add(out, words->v[i]);
	}
	return 0;
}

/* *made: {"K":"V",...} in the order of the keys, or NULL. */
static int attributes(const struct spec *spec, const char *tag, char **made, struct err *e)
{
	auto_strv struct strv all = {0};
	auto_buf struct buf out = {0};

	pick(&spec->labels, option(spec, "labels"), &all);
	pick(&spec->env, option(spec, "env"), &all);
	if (pick_matching(&spec->labels, option(spec, "labels-regex"), &all, e) < 0 ||
		pick_matching(&spec->env, option(spec, "env-regex"), &all, e) < 0)
		return -1;
	strv_env_settle(&all);
	if (tag && *tag)
		strv_addf(&all, "tag=%s", tag);
	if (all.n == 0)
		return 0;
	strv_sort(&all, 0);
	for (size_t i = 0; i < all.n; i++) {
		const char *eq = strchr(all.v[i], '=');

		buf_puts(&out, i ? ",\"" : "{\"");
		escape(&out, all.v[i], (size_t)(eq - all.v[i]));
		buf_puts(&out, "\":\"");
		escape(&out, eq + 1, strlen(eq + 1));
		buf_putc(&out, '"');
	}
	buf_putc(&out, '}');
	*made = buf_take(&out);
	return 0;
}

/* The checks that docker's driver "local" makes of its options: it compresses by default. */
static int check_local(const struct spec *spec, struct log_writer *w, bool sized, struct err *e)
{
	const char *compress = option(spec, "compress");
	bool wanted = true;
	struct err why;

	if (compress && parse_bool(compress, &wanted, &why) < 0)
		return err_set(e, ERR_USAGE, "error reading compress log option: %s", why.text);
	if (w->max_size < 0)
		return err_set(e, ERR_USAGE, "max size should be a positive number");
	if (w->max_files < 0)
		return err_set(e, ERR_USAGE, "max file count cannot be less than 0");
	if (wanted && w->max_files <= 1)
		return err_set(e, ERR_USAGE, "compression cannot be enabled when max file count is 1");
	if (!sized)
		w->max_size = LOCAL_SIZE;
	return 0;
}

/* The checks that docker's driver "json-file" makes of its options when a container starts. */
static int check_sizes(const struct spec *spec, const struct log_writer *w, bool sized, struct err *e)
{
	const char *compress = option(spec, "compress");
	bool wanted = false;
	struct err why;

	if (sized && w->max_size <= 0)
		return err_set(e, ERR_USAGE, "max-size must be a positive number");
	if (w->max_files < 1)
		return err_set(e, ERR_USAGE, "max-file cannot be less than 1");
	if (!compress)
		return 0;
	if (parse_bool(compress, &wanted, &why) < 0)
		return err_set(e, ERR_USAGE, "%s", why.text);
	if (wanted && (w->max_files == 1 || !sized))
		return err_set(e, ERR_USAGE,
			"compress cannot be true when max-file is less than 2 or max-size is not set");
	return 0;
}

const char *log_warning(const struct spec *spec)
{
	const char *compress = option(spec, "compress");
	bool wanted = false;
	struct err unused; /* the start refuses it */

	if (!compress || str_eq(spec->log_driver, "none") || spec_log_is_remote(spec->log_driver) ||
		parse_bool(compress, &wanted, &unused) < 0 || !wanted)
		return NULL;
	return "--log-opt compress has no effect: files of the log that are full stay as they are.";
}

#define AGAIN_NS 1000000000 /* until it is tried to write again */

#define AT_START "failed to initialize logging driver"

int log_begin(struct log_writer *w, const struct store *s, const char *id, const struct spec *spec,
	struct err *e)
{
	const char *max_size = option(spec, "max-size"), *max_file = option(spec, "max-file");
	bool local = str_eq(spec->log_driver, "local");
	struct log_writer new = {.store = s, .fd = -1, .max_files = local ? LOCAL_FILES : 1};
	auto_free char *tag = NULL;

	if (spec_log_is_remote(spec->log_driver))
		return err_set(e, ERR_UNSUPPORTED,
			AT_START ": sbx writes no logs to %s: json-file and local keep them with the "
				 "container, none keeps none",
			spec->log_driver);
	memcpy(new.id, id, sizeof(new.id));
	new.off = str_eq(spec->log_driver, "none");
	if (new.off) {
		*w = new;
		return 0;
	}
	if (max_size && !parse_size(max_size, &new.max_size))
		return err_set(e, ERR_USAGE, AT_START ": %s%s%sinvalid size: '%s'",
			local ? "invalid value for max-size: " : "", local ? max_size : "",
			local ? ": " : "", max_size);
	if (max_file) {
		char *end;

		new.max_files = strtoll(max_file, &end, 10);
		if (end == max_file || *end)
			return err_set(e, ERR_USAGE,
				AT_START ": %s%s%sstrconv.Atoi: parsing %s: invalid syntax",
				local ? "invalid value for max-file: " : "", local ? max_file : "",
				local ? ": " : "", QUOTED(max_file));
	}
	if (local ? check_local(spec, &new, max_size, e) < 0 : check_sizes(spec, &new, max_size, e) < 0)
		return err_ctx(e, AT_START);
	if (!local && (log_tag(spec, id, &tag, e) < 0 || attributes(spec, tag, &new.attrs, e) < 0))
		return err_ctx(e, AT_START);
	*w = new;
	return 0;
}

static void log_path(path_text out, const char *id, int64_t number)
{
	char file[40] = "json.log";

	if (number > 0)
		(void)snprintf(file, sizeof(file), "json.log.%lld", (long long)number);
	statedir_path(out, "", id, file);
}

static int open_log(struct log_writer *w)
{
	path_text path;
	struct stat st;

	if (w->fd >= 0)
		return 0;
	log_path(path, w->id, 0);
	w->fd = openat(w->store->root, path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w->fd < 0 || fstat(w->fd, &st) < 0)
		return -1;
	w->size = st.st_size;
	return 0;
}

/* How far the records in s which end within n bytes reach. */
static size_t whole_records(const char *s, size_t n)
{
	const char *last = memrchr(s, '\n', n);

	return last ? (size_t)(last - s) + 1 : 0;
}

/* Gives up the last records for n bytes. The file becomes no longer again than it was, so that who follows it reads no half of a
 * record. */
static bool make_room(struct log_writer *w, size_t n)
{
	char end[4096];
	int64_t from = w->size > (int64_t)sizeof(end) ? w->size - (int64_t)sizeof(end) : 0;
	ssize_t got = pread(w->fd, end, (size_t)(w->size - from), from);
	size_t whole = got < (ssize_t)n ? 0 : whole_records(end, (size_t)got - n);

	if (got < (ssize_t)n || (from > 0 && whole == 0))
		return false;
	w->size = from + (int64_t)whole;
	return ftruncate(w->fd, w->size) == 0;
}

static bool is_held_up(const struct log_writer *w)
{
	return w->off || w->again;
}

/* A record of our own. */
static void say_missing(const struct log_writer *w, struct buf *out)
{
	struct timespec now;
	char when[STAMP_SIZE];

	(void)clock_gettime(CLOCK_REALTIME, &now); /* is always there */
	stamp_print(&now, when);
	buf_printf(out,
		"{\"log\":\"[lines are missing here: %s]\\n\",\"stream\":\"stderr\",\"time\":\"%s\"}\n",
		errno_text(w->why), when);
}

/* What is to be written is lost. */
static void hold_up(struct log_writer *w, int why)
{
	auto_buf struct buf marker = {0};

	w->again = sys_after(sys_now_ns(), AGAIN_NS);
	w->why = why;
	if (w->fd < 0 || ftruncate(w->fd, w->size) < 0 || w->told)
		return;
	say_missing(w, &marker);
	w->told = write(w->fd, marker.s, marker.len) == (ssize_t)marker.len;
	if (!w->told && ftruncate(w->fd, w->size) == 0 && make_room(w, marker.len))
		w->told = write(w->fd, marker.s, marker.len) == (ssize_t)marker.len;
	if (w->told)
		w->size += (int64_t)marker.len;
	else
		(void)ftruncate(w->fd, w->size); /* no room even for that */
}

/* False: it is too soon. */
static bool goes_on(struct log_writer *w)
{
	if (!w->again)
		return true;
	if (sys_now_ns() < w->again)
		return false;
	w->again = 0;
	for (int i = 0; i < 2; i++) /* their ends were lost */
		w->line[i].text.len = 0;
	if (!w->told)
		say_missing(w, &w->out);
	return true;
}

static void flush(struct log_writer *w)
{
	size_t done = 0;

	if (w->out.len == 0 || is_held_up(w)) {
		w->out.len = 0;
		return;
	}
	if (open_log(w) < 0) {
		hold_up(w, errno);
		w->out.len = 0;
		return;
	}
	while (done < w->out.len) {
		ssize_t n = write(w->fd, w->out.s + done, w->out.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			size_t whole = whole_records(w->out.s, done);
			int why = errno;

			w->size += (int64_t)whole;
			w->told = w->told && !whole;
			hold_up(w, why);
			break;
		}
		done += (size_t)n;
	}
	if (!w->again) {
		w->size += (int64_t)done;
		w->told = false;
	}
	w->out.len = 0;
	if (w->out.cap > KEEP_ROOM)
		buf_done(&w->out);
}

/* The number that the oldest file gets; 0: it is removed. Far more may be allowed than there will ever be. */
static int64_t oldest(const struct log_writer *w)
{
	int64_t i = w->max_files > 1;
	path_text path;

	for (; i > 0 && i < w->max_files - 1; i++) {
		log_path(path, w->id, i);
		if (faccessat(w->store->root, path, F_OK, 0) < 0)
			break;
	}
	return i;
}

/* json.log becomes .1, .1 becomes .2 and so on; the last one is removed. Readers identify files by inodes, so even
 * with a single file a new one is made instead of truncating the old one. */
static void rotate(struct log_writer *w)
{
	path_text from, to;
	int64_t last;

	flush(w);
	if (is_held_up(w))
		return;
	(void)close(take_fd(&w->fd)); /* everything is written; an error of close() would come too late */
	last = oldest(w);
	log_path(to, w->id, last);
	(void)unlinkat(w->store->root, to, 0); /* may not exist yet, like those below */
	for (int64_t i = last; i > 0; i--) {
		log_path(from, w->id, i - 1);
		log_path(to, w->id, i);
		(void)renameat(w->store->root, from, w->store->root, to);
	}
	w->size = 0;
}

static void record(struct log_writer *w, int stream, const char *s, size_t n, bool newline,
	const struct timespec *when)
{
	char stamp[STAMP_SIZE];

	if (w->max_size > 0 && w->fd < 0 && open_log(w) < 0) {
		hold_up(w, errno);
		return;
	}
	if (w->max_size > 0 && w->size + (int64_t)w->out.len >= w->max_size)
		rotate(w);
	stamp_print(when, stamp);
	buf_puts(&w->out, "{\"log\":\"");
	escape(&w->out, s, n);
	buf_puts(&w->out, newline ? "\\n\",\"stream\":\"" : "\",\"stream\":\"");
	buf_puts(&w->out, stream == 0 ? "stdout\"" : "stderr\"");
	if (w->attrs) {
		buf_puts(&w->out, ",\"attrs\":");
		buf_puts(&w->out, w->attrs);
	}
	buf_puts(&w->out, ",\"time\":\"");
	buf_puts(&w->out, stamp);
	buf_puts(&w->out, "\"}\n");
}

/* The line is finished: one record, or the last of several, which have the time of the first. */
static void finish_line(struct log_writer *w, int stream, const char *s, size_t n, bool newline,
	const struct timespec *now)
{
	struct log_line *l = &w->line[stream];

	record(w, stream, s, n, newline, l->began.tv_sec ? &l->began : now);
	l->text.len = 0;
	l->began = (struct timespec){0};
}

/* A line is too long: a record of what fits, but not of half a character. */
static void split_line(struct log_writer *w, int stream, const struct timespec *now)
{
	struct log_line *l = &w->line[stream];
	const unsigned char *s = (const unsigned char *)l->text.s;
	size_t n = l->text.len;

	for (size_t back = 1; back <= 3 && back < n; back++)
		if (s[n - back] >= 0xc0) {
			n -= utf8_len(s + n - back, back) < 0 ? back : 0;
			break;
		}
	if (l->began.tv_sec == 0)
		l->began = *now;
	record(w, stream, l->text.s, n, false, &l->began);
	l->text.len -= n;
	memmove(l->text.s, l->text.s + n, l->text.len);
}

void log_write(struct log_writer *w, int stream, const void *bytes, size_t n)
{
	struct log_line *l = &w->line[stream];
	const char *s = bytes;
	struct timespec now;

	if (w->off || !goes_on(w))
		return;
	(void)clock_gettime(CLOCK_REALTIME, &now); /* is always there */
	while (n > 0) {
		const char *eol = memchr(s, '\n', n);
		size_t piece = eol ? (size_t)(eol - s) : n, room = LOG_LINE_MAX - l->text.len;

		if (eol && l->text.len == 0 && piece < room) {
			finish_line(w, stream, s, piece, true, &now); /* the usual line, not copied */
			s = eol + 1;
			n -= piece + 1;
			continue;
		}
		piece = piece < room ? piece : room;
		buf_add(&l->text, s, piece);
		s += piece;
		n -= piece;
		if (l->text.len == LOG_LINE_MAX) {
			split_line(w, stream, &now);
		} else if (n > 0) { /* so s points to the newline */
			finish_line(w, stream, l->text.s, l->text.len, true, &now);
			s++;
			n--;
		}
	}
	flush(w);
}

void log_end(struct log_writer *w)
{
	struct timespec now;

	if (!w || !w->store)
		return;
	(void)clock_gettime(CLOCK_REALTIME, &now); /* as above */
	for (int i = 0; i < 2; i++)
		if (!is_held_up(w) && w->line[i].text.len > 0)
			finish_line(w, i, w->line[i].text.s, w->line[i].text.len, false, &now);
	flush(w);
	if (w->fd >= 0)
		(void)close(w->fd); /* as in rotate */
	free(w->attrs);
	buf_done(&w->line[0].text);
	buf_done(&w->line[1].text);
	buf_done(&w->out);
	*w = (struct log_writer){.fd = -1, .off = true};
}
