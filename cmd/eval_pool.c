/* SPDX-License-Identifier: Apache-2.0 */
/* eval_pool: `eval --jsonl` and `--listen`: requests as lines, from standard input or from the clients of a socket. */
#include "eval_pool.h"

#include "listen.h"
#include "output.h"
#include "sys.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void warn(const char *text, void *arg)
{
	struct err e; /* err_set() removes control characters: the text may quote what the image's python wrote */

	(void)arg;
	(void)err_set(&e, ERR_SYSTEM, "%s", text);
	(void)fprintf(stderr, "sbx eval: %s\n", e.text);
}

/* ---- progress ------------------------------------------------------------------------- */

#define BAR      30
#define AGAIN_NS 100000000

struct show {
	int64_t began, drawn;
	uint64_t total; /* bytes of all requests; 0: unknown */
};

static void draw(const struct show *s, uint64_t answered, uint64_t bytes, int64_t now)
{
	double rate = (double)answered * 1e9 / (double)(now - s->began + 1);
	int full = s->total ? (int)(BAR * bytes / s->total) : 0;
	char bar[BAR + 1];

	if (!s->total) {
		(void)fprintf(stderr, "\r%llu answered  %.0f/s\033[K", (unsigned long long)answered, rate);
		return;
	}
	full = full > BAR ? BAR : full;
	memset(bar, ' ', BAR);
	memset(bar, '=', (size_t)full);
	if (full < BAR)
		bar[full] = '>';
	bar[BAR] = '\0';
	(void)fprintf(stderr, "\r[%s]  %llu answered  %.0f/s\033[K", bar,
		(unsigned long long)answered, rate);
}

static void progress(uint64_t answered, uint64_t bytes, void *arg)
{
	struct show *s = arg;
	int64_t now = sys_now_ns();

	if (s->drawn && now - s->drawn < AGAIN_NS)
		return;
	s->drawn = now;
	draw(s, answered, bytes, now);
}

/* Shows progress if standard error is a terminal, and the answers do not go to one. */
static void begin_show(struct pool_ask *ask, struct show *s)
{
	struct stat st;

	if (!isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
		return;
	s->began = sys_now_ns();
	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		s->total = (uint64_t)st.st_size;
	ask->progress = progress;
	ask->arg = s;
}

/* ---- options -------------------------------------------------------------------------- */

bool eval_pool_asked(const struct eval_pool_args *a)
{
	return a->jsonl || a->listen;
}

static int check(const struct eval_pool_args *a, struct pool_ask *ask, struct err *e)
{
	if (a->jobs < 0 || a->jobs > POOL_WORKERS_MAX)
		return err_set(e, ERR_USAGE, "-j %lld: want 1 to %d workers", (long long)a->jobs,
			POOL_WORKERS_MAX);
	if (a->jsonl && a->listen)
		return err_set(e, ERR_USAGE, "--jsonl and --listen: only one of them");
	if (a->fresh && a->preload.n)
		return err_set(e, ERR_USAGE, "--fresh and --preload: a fresh python has imported nothing");
	ask->workers = a->jobs ? (int)a->jobs : processors();
	return 0;
}

static void say_ready(void *arg)
{
	(void)fprintf(stderr, "listening on %s\n", (const char *)arg);
}

/* where: "unix:PATH" or "unix://PATH". */
static int serve(struct pool_ask *ask, char *where, struct err *e)
{
	const char *path = where + strlen("unix:");
	auto_close int listener = -1;
	ino_t file;
	int result;

	if (!str_starts(where, "unix:") || !*path)
		return err_set(e, ERR_USAGE, "--listen %s: want unix:PATH", where);
	if (str_starts(path, "//"))
		path += 2;
	listener = listen_unix(path, e);
	if (listener < 0)
		return err_ctx(e, "--listen");
	file = listen_file(path);
	ask->arg = where;
	result = pool_serve(ask, listener, say_ready, e);
	listen_forget(path, file);
	return result;
}

/* As pool_run(). */
static int run(const struct eval_pool_args *a, const struct eval_place *place,
	const struct eval_request *defaults, struct err *lost, struct err *e)
{
	auto_strv struct strv preload = {0};
	struct show show = {0};
	int result, in;
	struct pool_ask ask = {.place = place,
		.defaults = defaults,
		.preload = &preload,
		.fresh = a->fresh,
		.unordered = a->unordered,
		.warn = warn};

	eval_split_names(&a->preload, &preload);
	if (check(a, &ask, e) < 0)
		return -1;
	if (a->listen)
		return serve(&ask, a->listen, e);
	begin_show(&ask, &show);
	in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (in < 0)
		return err_sys(e, "standard input");
	result = pool_run(&ask, in, STDOUT_FILENO, lost, e);
	if (show.drawn)
		(void)fputs("\r\033[K", stderr);
	return result;
}

int eval_pool_main(const struct eval_pool_args *a, const struct eval_place *place,
	const struct eval_request *defaults)
{
	struct err e = {0}, lost = {0};
	int result = run(a, place, defaults, &lost, &e);

	if (result > 0)
		sys_die_of(result);
	if (result < 0) {
		(void)fprintf(stderr, "sbx eval: %s\n", e.text);
		return 125;
	}
	if (lost.kind == ERR_NONE)
		return 0;
	output_check_reader(&lost);
	(void)fprintf(stderr, "sbx eval: %s\n", lost.text);
	return 1;
}
