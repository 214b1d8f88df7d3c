/* SPDX-License-Identifier: Apache-2.0 */
/* eval_pool: requests line by line, from standard input or from whoever connects to a socket. */
#include "eval_pool.h"

#include "cmd.h"
#include "listen.h"
#include "sys.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>

/* "a,b" and "c": a b c */
static void split_names(const struct strv *words, struct strv *out)
{
	for (size_t i = 0; i < words->n; i++)
		for (const char *w = words->v[i]; *w;) {
			size_t n = strcspn(w, ",");

			if (n)
				strv_take(out, xstrndup(w, n));
			w += n + (w[n] == ',');
		}
}

static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void warn(const char *text, void *arg)
{
	(void)arg;
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");

		(void)fprintf(stderr, "sbx eval: cannot preload %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

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

/* "unix:PATH", as unix://PATH too. */
static int serve(struct pool_ask *ask, char *where, struct err *e)
{
	const char *path = where + strlen("unix:");
	auto_close int listener = -1;
	int result;

	if (!str_starts(where, "unix:") || !*path)
		return err_set(e, ERR_USAGE, "--listen %s: want unix:PATH", where);
	if (str_starts(path, "//"))
		path += 2;
	listener = listen_unix(path, e);
	if (listener < 0)
		return err_ctx(e, "--listen");
	ask->arg = where;
	result = pool_serve(ask, listener, say_ready, e);
	(void)unlink(path); /* somebody else did */
	return result;
}

static int run(const struct eval_pool_args *a, const struct eval_place *place,
	const struct eval_request *defaults, struct err *e)
{
	auto_strv struct strv preload = {0};
	struct pool_ask ask = {.place = place,
		.defaults = defaults,
		.preload = &preload,
		.fresh = a->fresh,
		.unordered = a->unordered,
		.warn = warn};

	split_names(&a->preload, &preload);
	if (check(a, &ask, e) < 0)
		return -1;
	if (a->listen)
		return serve(&ask, a->listen, e);
	return pool_run(&ask, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), STDOUT_FILENO, e);
}

int eval_pool_main(const struct eval_pool_args *a, const struct eval_place *place,
	const struct eval_request *defaults)
{
	struct err e = {0};

	if (run(a, place, defaults, &e) == 0)
		return 0;
	(void)fprintf(stderr, "sbx eval: %s\n", e.text);
	return 125;
}
