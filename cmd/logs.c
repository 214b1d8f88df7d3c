/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "log.h"
#include "stamp.h"
#include "sys.h"

#include <string.h>
#include <unistd.h>

struct logs {
	struct log_query q;
	bool details, follow, timestamps;
	char *since, *until, *tail;
};

/* clang-format off */
static const struct opt logs_opts[] = {
	{ 0,   "details",    NULL,     "Show extra details provided to logs", OPT_FLAG(struct logs, details) },
	{ 'f', "follow",     NULL,     "Follow log output", OPT_FLAG(struct logs, follow) },
	{ 0,   "since",      "string", "Show logs since timestamp (e.g. \"2013-01-02T13:23:37Z\") or relative (e.g. \"42m\" for 42 minutes)", OPT_STR(struct logs, since) },
	{ 'n', "tail",       "string", "Number of lines to show from the end of the logs (default \"all\")", OPT_STR(struct logs, tail) },
	{ 't', "timestamps", NULL,     "Show timestamps", OPT_FLAG(struct logs, timestamps) },
	{ 0,   "until",      "string", "Show logs before a timestamp (e.g. \"2013-01-02T13:23:37Z\") or relative (e.g. \"42m\" for 42 minutes)", OPT_STR(struct logs, until), OPT_SINCE(35) },
	{ 0 },
};
/* clang-format on */

static void logs_done(void *target)
{
	struct logs *l = target;

	free(l->since);
	free(l->until);
	free(l->tail);
}

/* Collects output as long as it is of one stream: if both go to the same file, their order must be kept. */
struct sink {
	struct buf held;
	int stream;
};

static int let_go(struct sink *k, struct err *e)
{
	int fd = k->stream ? STDERR_FILENO : STDOUT_FILENO;

	if (k->held.len && sys_write_all(fd, k->held.s, k->held.len) < 0)
		return err_sys(e, "write /dev/%s", k->stream ? "stderr" : "stdout");
	k->held.len = 0;
	return 0;
}

static int emit(void *arg, int stream, const char *bytes, size_t n, struct err *e)
{
	struct sink *k = arg;

	if ((n == 0 || stream != k->stream || k->held.len > 65536) && let_go(k, e) < 0)
		return -1;
	if (n > 0) {
		k->stream = stream;
		buf_add(&k->held, bytes, n);
	}
	return 0;
}

static int when(const char *option, const char *word, struct timespec *out, struct err *e)
{
	struct timespec now;

	if (!word || !*word)
		return 0;
	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
	if (stamp_parse(word, &now, out, e) < 0)
		return err_ctx(e, "invalid value for \"%s\"", option);
	return 0;
}

/* As in docker, what is not a number, or negative, means all lines. */
static int64_t tail_of(const char *word)
{
	char *end;
	long long n;

	if (!word || !*word || strchr(STR_BLANKS, *word))
		return -1;
	n = strtoll(word, &end, 10);
	return *end || n < 0 ? -1 : n;
}

static int logs_main(void *target, int argc, char **argv)
{
	struct logs *l = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_state struct state st = {0};
	struct sink sink = {0};
	struct err e;
	id_text id;
	int r = -1;

	(void)argc;
	say_ended();
	l->q = (struct log_query){.out = true,
		.err = true,
		.follow = l->follow,
		.timestamps = l->timestamps,
		.details = l->details,
		.tail = tail_of(l->tail)};
	if (store_open(&s, &e) < 0 || state_find_inspected(&s, argv[0], id, &e) < 0 ||
		state_load(&s, id, &st, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	if (when("since", l->since, &l->q.since, &e) < 0 || when("until", l->until, &l->q.until, &e) < 0) {
		(void)fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	r = log_read(&s, id, &l->q, emit, &sink, &e);
	if (r < 0 && str_starts(e.text, "write /dev/std"))
		(void)say_cut(&e, 1);
	else if (r < 0)
		say_daemon_error(&e);
	buf_done(&sink.held);
	return r < 0;
}

const struct command cmd_logs = {
	.name = "logs",
	.args = "[OPTIONS] CONTAINER",
	.about = "Fetch the logs of a container",
	.aliases = "docker container logs, docker logs",
	.opts = logs_opts,
	.target_size = sizeof(struct logs),
	.run = logs_main,
	.done = logs_done,
	.min_args = 1,
	.max_args = 1,
};
