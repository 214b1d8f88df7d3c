/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"
#include "spec.h"
#include "stamp.h"
#include "state.h"
#include "statedir.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/resource.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;
static id_text id;

static void fresh(const char *driver)
{
	auto_state struct state st = {.status = ST_CREATED};
	auto_json json_t *spec = json_pack("{s:{s:{s:s}}}", "HostConfig", "LogConfig", "Type", driver);
	auto_close int dir = -1;

	if (state_create(&s, &st, spec, NULL, &dir, &e) < 0)
		printf("Bail out! %s\n", e.text);
	memcpy(id, st.id, sizeof(id));
}

static void drop(void)
{
	auto_state struct state st = {0};

	if (state_load(&s, id, &st, &e) < 0 || state_remove(&s, &st, &e) < 0)
		printf("# %s\n", e.text);
}

static void begin(struct log_writer *w, const char *option, const char *value)
{
	struct spec spec = {0};

	strv_addf(&spec.log_opts, "%s=%s", option, value);
	strv_add(&spec.labels, "foo=b ar<");
	strv_add(&spec.env, "QQ=1");
	if (log_begin(w, &s, id, &spec, &e) < 0)
		printf("# %s\n", e.text);
	strv_done(&spec.log_opts);
	strv_done(&spec.labels);
	strv_done(&spec.env);
}

static char *file_text(const char *name)
{
	path_text path;
	auto_close int fd = (statedir_path(path, "", id, name), openat(s.root, path, O_RDONLY));
	struct buf out = {0};
	char room[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, room, sizeof(room))) > 0)
		buf_add(&out, room, (size_t)n);
	return buf_take(&out);
}

/* The text without what changes from run to run. */
static char *without_time(const char *text)
{
	struct buf out = {0};

	while (*text) {
		const char *t = strstr(text, "\"time\":\"");

		if (!t) {
			buf_puts(&out, text);
			break;
		}
		buf_add(&out, text, (size_t)(t - text));
		text = strchr(t + 8, '"') + 1;
		buf_puts(&out, "T");
	}
	return buf_take(&out);
}

struct got {
	struct buf out, err;
	pid_t tell;
};

static int collect(void *arg, int stream, const char *bytes, size_t n, struct err *why)
{
	struct got *g = arg;

	(void)why;
	buf_add(stream ? &g->err : &g->out, bytes, n);
	return 0;
}

static const struct log_query everything = {.out = true, .err = true, .tail = -1};

static void is_log(const struct log_query *q, const char *out, const char *err, const char *sentence)
{
	struct got g = {0};

	if (log_read(&s, id, q, collect, &g, &e) < 0)
		printf("# %s\n", e.text);
	is_str(g.out.s ? g.out.s : "", out, sentence);
	if (err)
		is_str(g.err.s ? g.err.s : "", err, "and stderr apart");
	buf_done(&g.out);
	buf_done(&g.err);
}

static void test_records(void)
{
	static const char fixed[] = "a\tb\0<&>\"\\ \xef\xbf\xbd\xef\xbf\xbd \xe2\x80\xa8 \x7f \x1b end"
				    "\r\na\n\ntail";
	static const char odd[] = "a\tb\0<&>\"\\ \xff\xfe \xe2\x80\xa8 \x7f \x1b end\r\n";
	struct log_writer w;

	fresh("json-file");
	begin(&w, "tag", "x");
	log_write(&w, 0, odd, sizeof(odd) - 1);
	log_write(&w, 1, "err\n", 4);
	log_write(&w, 0, "a\n\nta", 5);
	log_write(&w, 0, "il", 2);
	log_end(&w);
	auto_free char *text = file_text("json.log");
	auto_free char *timeless = without_time(text);
	is_str(timeless,
		"{\"log\":\"a\\u0009b\\u0000\\u003c\\u0026\\u003e\\\"\\\\ \\ufffd\\ufffd \\u2028 \x7f "
		"\\u001b end\\r\\n\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"x\"},T}\n"
		"{\"log\":\"err\\n\",\"stream\":\"stderr\",\"attrs\":{\"tag\":\"x\"},T}\n"
		"{\"log\":\"a\\n\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"x\"},T}\n"
		"{\"log\":\"\\n\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"x\"},T}\n"
		"{\"log\":\"tail\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"x\"},T}\n",
		"records are those of docker, byte for byte");
	struct got g = {0};
	is_int(log_read(&s, id, &everything, collect, &g, &e), 0, "they are read");
	ok(g.out.len == sizeof(fixed) - 1 && memcmp(g.out.s, fixed, g.out.len) == 0,
		"as they were written, but for what is not UTF-8");
	is_str(g.err.s, "err\n", "stderr apart");
	buf_done(&g.out);
	buf_done(&g.err);
	struct log_query details = everything;
	details.details = true;
	details.tail = 1;
	is_log(&details, "tag=x tail", NULL, "with their details");
	drop();

	fresh("json-file");
	begin(&w, "labels", "foo,none");
	log_write(&w, 0, "x\n", 2);
	log_end(&w);
	is_log(&details, "foo=b+ar%3C x\n", NULL, "labels are such");
	drop();
	fresh("none");
	is_int(log_read(&s, id, &everything, collect, &g, &e), -1, "driver none has no log");
	is_str(e.text, "configured logging driver does not support reading", "in docker's words");
	drop();
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static void test_long(void)
{
	struct log_writer w;
	auto_free char *line = xcalloc(1, 40002);
	size_t n;

	fresh("json-file");
	begin(&w, "mode", "blocking");
	memset(line, 'y', 40000);
	line[40000] = '\n';
	log_write(&w, 0, line, 40001);
	auto_free char *text = file_text("json.log");
	is_int((int64_t)count(text, '\n'), 3, "a line of 40,000 bytes is three records");
	const char *first = strstr(text, "\"time\""), *second = strstr(first + 1, "\"time\"");
	ok(strncmp(first, second, 36) == 0, "of one time");
	ok(strcspn(text + 8, "\"") == LOG_LINE_MAX, "of 16 KiB each");
	/* Three bytes a character, in pieces of odd sizes. */
	for (n = 0; n < 40000; n++)
		line[n] = "\xe2\x82\xac"[n % 3];
	for (size_t at = 0; at < 39999;) {
		size_t piece = at + 1001 < 39999 ? 1001 : 39999 - at;

		log_write(&w, 0, line + at, piece);
		at += piece;
	}
	log_write(&w, 0, "\n", 1);
	/* Exactly one record long. */
	log_write(&w, 0, memset(line, 'z', LOG_LINE_MAX), LOG_LINE_MAX);
	log_write(&w, 0, "\n", 1);
	log_end(&w);
	struct got g = {0};
	is_int(log_read(&s, id, &everything, collect, &g, &e), 0, "long lines are read");
	ok(g.out.len == 40001 + 40000 + LOG_LINE_MAX + 1, "whole");
	ok(g.out.s && !strstr(g.out.s, "\xef\xbf\xbd"), "no character is cut");
	buf_done(&g.out);
	struct log_query q = everything;
	q.tail = 1;
	is_log(&q, "\n", NULL, "what is left of a line of 16 KiB is its newline");
	drop();
}

static void test_tail(void)
{
	struct log_query q = everything;
	struct log_writer w;
	char line[32];

	fresh("json-file");
	q.tail = 3;
	is_log(&q, "", "", "the log of one that never ran is empty");
	begin(&w, "mode", "blocking");
	for (int i = 0; i < 20000; i++)
		log_write(&w, i % 2, line, (size_t)snprintf(line, sizeof(line), "%d\n", i));
	log_end(&w);
	is_log(&q, "19998\n", "19997\n19999\n", "three records from the end");
	q.tail = 0;
	is_log(&q, "", "", "none");
	q.tail = 1;
	is_log(&q, "", "19999\n", "one");
	q.tail = 10000000;
	struct got g = {0};
	(void)log_read(&s, id, &q, collect, &g, &e);
	ok(g.out.s && str_starts(g.out.s, "0\n2\n4\n") && count(g.out.s, '\n') == 10000, "all");
	buf_done(&g.out);
	buf_done(&g.err);
	q = everything;
	q.err = false;
	q.tail = 4;
	is_log(&q, "19996\n19998\n", "", "of one stream");
	drop();
}

static void test_since(void)
{
	struct log_query q = everything;
	static const char text[] =
		"{\"log\":\"one\\n\",\"stream\":\"stdout\",\"time\":\"2025-01-01T00:00:01.5Z\"}\n"
		"{\"log\":\"two\\n\",\"stream\":\"stderr\",\"time\":\"2025-01-01T00:00:02Z\"}\n"
		"broken\n"
		"{\"log\":\"three\\n\",\"stream\":\"stdout\",\"time\":\"2025-01-01T00:00:03Z\"}\n"
		"{\"log\":\"unfini";

	fresh("json-file");
	path_text path;
	statedir_path(path, "", id, "json.log");
	auto_close int fd = openat(s.root, path, O_WRONLY | O_CREAT, 0600);
	(void)!write(fd, text, sizeof(text) - 1);
	is_log(&everything, "one\nthree\n", "two\n", "lines that are no records are passed over");
	(void)stamp_read("2025-01-01T00:00:02Z", &q.since);
	is_log(&q, "three\n", "two\n", "since a moment, itself included");
	q = everything;
	(void)stamp_read("2025-01-01T00:00:02Z", &q.until);
	q.timestamps = true;
	is_log(&q, "2025-01-01T00:00:01.500000000Z one\n", "2025-01-01T00:00:02.000000000Z two\n",
		"until a moment, with nine digits");
	q = everything;
	q.tail = 2;
	is_log(&q, "three\n", "", "a line that is no record counts in the tail");
	drop();
}

static void test_rotation(void)
{
	struct log_writer w;
	char line[32];
	struct log_query q = everything;
	struct got g = {0};
	struct spec spec = {0};

	fresh("json-file");
	strv_add(&spec.log_opts, "max-size=10k");
	strv_add(&spec.log_opts, "max-file=3");
	is_int(log_begin(&w, &s, id, &spec, &e), 0, "rotation is asked for");
	for (int i = 0; i < 1000; i++)
		log_write(&w, 0, line, (size_t)snprintf(line, sizeof(line), "%03d\n", i));
	log_end(&w);
	strv_done(&spec.log_opts);
	auto_free char *last = file_text("json.log.2");
	auto_free char *gone = file_text("json.log.3");
	ok(strlen(last) >= 10000 && strlen(last) < 10100, "a full file is as large as was said");
	is_str(gone, "", "there are no more files than was said");
	(void)log_read(&s, id, &everything, collect, &g, &e);
	ok(g.out.s && str_ends(g.out.s, "998\n999\n"), "the newest comes last");
	bool in_order = g.out.len > 0;
	for (size_t i = 4; i + 4 <= g.out.len; i += 4)
		in_order = in_order && atoi(g.out.s + i) == atoi(g.out.s + i - 4) + 1;
	ok(in_order, "and nothing is missing between the files");
	size_t all = g.out.len / 4;
	buf_done(&g.out);
	q.tail = (int64_t)all - 1;
	(void)log_read(&s, id, &q, collect, &g, &e);
	is_int((int64_t)g.out.len / 4, (int64_t)all - 1, "a tail reaches over files");
	buf_done(&g.out);
	drop();

	fresh("json-file");
	begin(&w, "max-size", "1k");
	for (int i = 0; i < 100; i++)
		log_write(&w, 0, line, (size_t)snprintf(line, sizeof(line), "%03d\n", i));
	log_end(&w);
	q.tail = 1;
	is_log(&q, "099\n", "", "one file alone is begun anew");
	drop();
	fresh("json-file");
	strv_add(&spec.log_opts, "max-file=0");
	is_int(log_begin(&w, &s, id, &spec, &e), -1, "no file at all is refused");
	is_str(e.text, "failed to initialize logging driver: max-file cannot be less than 1",
		"in docker's words");
	strv_done(&spec.log_opts);
	drop();
}

static int tell_first(void *arg, int stream, const char *bytes, size_t n, struct err *why)
{
	struct got *g = arg;

	if (n > 0 && g->out.len == 0)
		(void)kill(g->tell, SIGUSR1); /* the writer waits for it */
	return collect(arg, stream, bytes, n, why);
}

/* A supervisor which writes a line, waits until it was seen, writes more and ends or is killed. */
static pid_t supervise(const char *max_size, int more, bool die)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready) < 0)
		return -1;
	sigset_t set;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid == 0) {
		int life = state_life_begin(&s, id, &e), sig;
		struct log_writer w;
		char line[32];

		begin(&w, max_size ? "max-size" : "mode", max_size ? max_size : "blocking");
		(void)!write(ready[1], "x", 1);
		log_write(&w, 0, "first\n", 6);
		(void)sigwait(&set, &sig);
		for (int i = 0; i < more; i++)
			log_write(&w, 0, line, (size_t)snprintf(line, sizeof(line), "%05d\n", i));
		if (die)
			(void)raise(SIGKILL);
		log_end(&w);
		(void)state_life_end(life, &(struct state){.exit_code = 3}, &e);
		state_runtime_remove(&s, id);
		_exit(0);
	}
	(void)!read(ready[0], &c, 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return pid;
}

static void test_follow(void)
{
	struct log_query q = everything;
	struct got g = {0};

	q.follow = true;
	for (int die = 0; die < 2; die++) {
		fresh("json-file");
		g.tell = supervise(NULL, 50000, die);
		is_int(log_read(&s, id, &q, tell_first, &g, &e), 0,
			die ? "following ends with a killed supervisor"
			    : "following ends with the container");
		is_int((int64_t)g.out.len, 6 + 50000 * 6, "nothing is lost");
		ok(g.out.s && str_ends(g.out.s, "\n49999\n"), "up to the end");
		buf_done(&g.out);
		(void)waitpid(g.tell, NULL, 0);
		drop();
	}
	/* A reader that is slower than files are thrown away loses some, but not its way. */
	fresh("json-file");
	g.tell = supervise("100k", 5000, false);
	is_int(log_read(&s, id, &q, tell_first, &g, &e), 0, "a rotated log is followed");
	ok(g.out.s && str_starts(g.out.s, "first\n") && str_ends(g.out.s, "\n04999\n"), "to its end");
	buf_done(&g.out);
	(void)waitpid(g.tell, NULL, 0);
	q.tail = 0;
	is_log(&q, "", "", "following one that has ended ends at once");
	drop();

	fresh("json-file");
	q.tail = -1;
	g.tell = supervise(NULL, 0, false);
	(void)clock_gettime(CLOCK_REALTIME, &q.until);
	q.until.tv_nsec += 50000000;
	if (q.until.tv_nsec >= 1000000000) {
		q.until.tv_nsec -= 1000000000;
		q.until.tv_sec++;
	}
	is_int(log_read(&s, id, &q, collect, &g, &e), 0, "following ends at a moment");
	(void)kill(g.tell, SIGUSR1);
	(void)waitpid(g.tell, NULL, 0);
	buf_done(&g.out);
	drop();
}

static void test_full(void)
{
	struct rlimit limit = {2000, 2000};
	struct log_writer w;
	int status;

	fresh("json-file");
	if (fork() == 0) {
		/* A file may not grow further: the same to us as a full disk. */
		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		begin(&w, "mode", "blocking");
		for (int i = 0; i < 1000; i++)
			log_write(&w, 0, "something to keep\n", 18);
		log_end(&w);
		_exit(0);
	}
	(void)wait(&status);
	is_int(status, 0, "a full disk harms nobody but the log");
	auto_free char *text = file_text("json.log");
	ok(str_ends(text, "}\n"), "whose last record is whole");
	ok(strstr(text, "[lines are missing here: ") != NULL, "and says that lines are missing");
	ok(strlen(text) > 1700, "and little is lost for that");
	drop();
}

static size_t times(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		n++;
	return n;
}

static void test_room_again(void)
{
	struct rlimit limit = {2000, RLIM_INFINITY};
	struct log_writer w;
	int status;

	fresh("json-file");
	if (fork() == 0) {
		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		begin(&w, "mode", "blocking");
		for (int i = 0; i < 1000; i++) {
			log_write(&w, 0, "something to keep\n", 18);
			w.again = w.again ? 1 : 0; /* the time to try again has come */
		}
		log_write(&w, 0, "half of", 7);
		limit.rlim_cur = RLIM_INFINITY;
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		log_write(&w, 0, " it\nkept again\n", 15);
		log_write(&w, 0, "and more\n", 9);
		log_end(&w);
		_exit(0);
	}
	(void)wait(&status);
	is_int(status, 0, "a disk is full for a while");
	auto_free char *text = file_text("json.log");
	is_int((long)times(text, "[lines are missing here: "), 1, "which is told once");
	ok(strstr(text, "kept again\\n") && strstr(text, "and more\\n"),
		"and what comes when there is room is kept");
	ok(strlen(text) > 1700 && times(text, "something to keep") > 10, "and what was before");
	is_int((long)times(text, "\n"), (long)times(text, "\"time\":"), "and each record is whole");
	drop();
}

int main(void)
{
	auto_free char *root = NULL, *runtime = NULL;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(top))
		return 1;
	root = xasprintf("%s/root", top);
	runtime = xasprintf("%s/run", top);
	(void)setenv("SBX_ROOT", root, 1);
	(void)setenv("SBX_RUNTIME", runtime, 1);
	if (store_open(&s, &e) < 0)
		return 1;
	test_records();
	test_long();
	test_tail();
	test_since();
	test_rotation();
	test_follow();
	test_full();
	test_room_again();
	store_done(&s);
	(void)state_remove_tree(AT_FDCWD, top, &e);
	return done_testing();
}
