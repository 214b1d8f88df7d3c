/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API about execs. Each running exec has a keeper (execs.h): the process of the connection that started it, which is not
 * HTTP any more then, or with Detach a process forked for that. The keeper stays until the command has ended, even if its
 * client disconnects, and stores the exit code.
 */
#include "api.h"

#include "auto.h"
#include "detach.h"
#include "engine.h"
#include "event.h"
#include "execs.h"
#include "stream.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The keeper gets a terminal's size with this signal's value: rows in the upper half, columns in the lower. */
#define RESIZE SIGRTMIN
/* How long a size waits for a command that has yet to start, as docker does. */
#define STARTED_WITHIN_NS (10 * 1000000000LL)

/* ---- create and inspect --------------------------------------------------------------- */

static int spec_of(const json_t *config, struct spec *spec, struct err *e)
{
	auto_json json_t *j = json_deep_copy(config);
	bool privileged = json_bool(j, "Privileged", false);

	api_tidy(j);
	(void)json_object_del(j, "Image"); /* of a container's config; there is none here */
	if (spec_from_json(spec, j, e) < 0)
		return -1;
	spec->privileged = privileged;
	if (spec->cmd.n == 0)
		return err_set(e, ERR_USAGE, "No exec command specified");
	return 0;
}

static int detach_of(const json_t *config, struct detach *d, struct err *e)
{
	const char *keys = json_str(config, "DetachKeys", "");

	if (detach_init(d, *keys ? keys : DETACH_USUAL, e) < 0)
		return err_set(e, ERR_SYSTEM, "Invalid escape keys (%.100s) provided", keys);
	return 0;
}

static int create(struct api *a, struct err *e)
{
	auto_json json_t *config = api_read_json(a, e);
	auto_state struct state st = {0};
	auto_spec struct spec spec = {0};
	struct detach keys;
	id_text id;

	spec_init(&spec);
	if (!config || api_types("ExecOptions", config, e) < 0 || spec_of(config, &spec, e) < 0 ||
		api_container_state(a, &st, e) < 0 || engine_exec_may(&st, a->arg, e) < 0 ||
		detach_of(config, &keys, e) < 0 || execs_create(a->s, &st, config, id, e) < 0)
		return -1;
	event_exec(a->s, &st, "exec_create", id, &spec.cmd);
	return api_json(a, 201, json_pack("{s:s}", "Id", id));
}

static int inspect(struct api *a, struct err *e)
{
	auto_exec_object struct exec_object x = {.lock = -1};
	auto_state struct state st = {0};

	if (execs_find(a->s, a->arg, &x, &st, e) < 0)
		return -1;
	return api_json(a, 200, execs_inspect(&x));
}

/* With its container, which has to run. */
static int of_running(struct api *a, struct exec_object *x, struct state *st, struct err *e)
{
	if (execs_find(a->s, a->arg, x, st, e) < 0)
		return -1;
	if (!*st->id)
		return err_set(e, ERR_NOT_FOUND, "No such exec instance: %s", x->id);
	return engine_exec_may(st, st->id, e);
}

/* Whoever has asked for the start may ask for a size before the command is there. */
static int until_started(struct api *a, struct exec_object *x, struct err *e)
{
	int64_t deadline = sys_now_ns() + STARTED_WITHIN_NS;

	while (x->phase == EXEC_CREATED || (x->phase == EXEC_RUNNING && x->pid == 0)) {
		if (sys_now_ns() > deadline)
			return err_set(e, ERR_SYSTEM, "timeout waiting for exec session ready");
		(void)poll(NULL, 0, 5);
		exec_object_done(x);
		if (execs_load(a->s, a->arg, x, e) < 0)
			return -1;
	}
	return 0;
}

static int resize(struct api *a, struct err *e)
{
	auto_exec_object struct exec_object x = {.lock = -1};
	auto_state struct state st = {0};
	uint16_t rows, cols;
	union sigval size;

	if (api_size(a, &rows, &cols, e) < 0 || of_running(a, &x, &st, e) < 0 ||
		until_started(a, &x, e) < 0)
		return -1;
	size.sival_int = (int)((uint32_t)rows << 16 | cols);
	/* The keeper holds the exec's lock, so it lives, and the pid is its own. */
	if (x.phase != EXEC_RUNNING || sigqueue(x.keeper, RESIZE, size) < 0)
		return err_set(e, ERR_NOT_FOUND, "no such exec");
	return api_done(a, 200);
}

/* ---- start ---------------------------------------------------------------------------- */

struct keeping {
	const struct store *s;
	struct exec_object *x;
	struct exec_io io;
	struct state *st;
};

static void on_end(void *arg)
{
	struct keeping *k = arg;
	int code = engine_exec_wait(&k->io);

	execs_ended(k->s, k->x, code);
	event_exec_die(k->s, k->st, k->x->id, code);
}

static void on_detach(void *arg)
{
	struct keeping *k = arg;

	event_exec(k->s, k->st, "exec_detach", k->x->id, NULL);
}

static int resize_fd(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, RESIZE);
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* cannot fail with these arguments */
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Starts the command; a failure is recorded as an exit code, as docker does. */
static int launch(struct keeping *k, const struct spec *spec, bool streams, struct err *e)
{
	int done;

	event_exec(k->s, k->st, "exec_start", k->x->id, &spec->cmd);
	done = engine_exec_open(k->s, k->x->container, spec, streams, spec->stdin_open, &k->io, e);
	if (done < 0) {
		execs_ended(k->s, k->x, err_exit_status(e, 126));
		return -1;
	}
	execs_started(k->s, k->x, k->io.pid);
	return 0;
}

/* A keeper holds nothing of whoever began the server, who may wait until all have closed its output. */
static void let_go(const struct keeping *k, int one, int other)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
		(void)dup2(null, fd); /* cannot fail */
	sys_keep_only((int[]){0, 1, 2, k->s->root, k->s->runtime, one, other}, 7);
}

/* raw: the stream is not framed, which the start request says (Tty), not the exec's own terminal. */
static int start_attached(
	struct api *a, struct keeping *k, const struct spec *spec, bool raw, struct err *e)
{
	auto_close int sizes = resize_fd();
	auto_stream struct stream s = {.conn = -1,
		.framed = !raw,
		.in = spec->stdin_open,
		.out = spec->attach_stdout || spec->tty,
		.err = spec->attach_stderr && !raw,
		.on_detach = on_detach,
		.on_detach_arg = k};
	auto_free char *text = NULL;

	if (spec->tty && detach_of(k->x->config, &s.detach, e) < 0)
		return -1;
	s.conn = http_hijack(a->h, api_hijack_type(a, raw), &s.input);
	(void)prctl(PR_SET_NAME, "sbx-serve-exec");
	let_go(k, s.conn, sizes);
	if (execs_begin(a->s, k->x, e) == 0 && launch(k, spec, true, e) == 0) {
		stream_exec(&s, &k->io, sizes, on_end, k);
		return 0;
	}
	text = xasprintf("%s\r\n", e->text);
	stream_say(&s, STREAM_OUT, text, strlen(text));
	return 0;
}

/* The keeper of an exec that nobody is attached to. Reports through the pipe when it runs, or why it cannot. */
static void __attribute__((noreturn)) keep(struct keeping *k, const struct spec *spec, int tell)
{
	struct err e = {0};
	int bad;

	(void)prctl(PR_SET_NAME, "sbx-serve-exec");
	let_go(k, tell, -1);
	bad = execs_begin(k->s, k->x, &e) < 0 || launch(k, spec, false, &e) < 0;
	(void)!write(tell, &e, sizeof(e)); /* the reader may be gone */
	(void)close(tell);
	if (!bad) {
		struct pollfd p = {.fd = k->io.pidfd, .events = POLLIN};

		sys_trim();
		while (poll(&p, 1, -1) < 0 && errno == EINTR)
			;
		on_end(k);
	}
	_exit(0);
}

static int start_detached(struct api *a, struct keeping *k, const struct spec *spec, struct err *e)
{
	int tell[2];
	struct err told;
	pid_t pid;
	bool heard;

	if (pipe2(tell, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid == 0) {
		keep(k, spec, tell[1]);
	}
	(void)close(tell[1]);
	heard = pid > 0 && sys_read(tell[0], &told, sizeof(told)) == sizeof(told);
	(void)close(tell[0]);
	if (!heard)
		return err_set(e, ERR_SYSTEM, "the exec's keeper died");
	if (told.kind != ERR_NONE) {
		*e = told;
		return -1;
	}
	return api_done(a, 200);
}

static int start(struct api *a, struct err *e)
{
	static const char *const types[] = {"bDetach", "bTty", NULL};
	auto_json json_t *ask = api_read_json(a, e);
	const json_t *size;
	auto_exec_object struct exec_object x = {.lock = -1};
	auto_state struct state st = {0};
	auto_spec struct spec spec = {0};
	struct keeping k = {.s = a->s, .x = &x, .st = &st, .io = {-1, -1, -1, -1, -1, -1, 0, 0, 0}};

	spec_init(&spec);
	if (!ask || api_check(ask, types, e) < 0 || of_running(a, &x, &st, e) < 0 ||
		spec_of(x.config, &spec, e) < 0)
		return -1;
	spec.tty = json_bool(x.config, "Tty", false);
	spec.stdin_open = json_bool(x.config, "AttachStdin", false);
	if (a->minor >= 42) {
		size = json_object_get(ask, "ConsoleSize");
		size = json_is_array(size) ? size : json_object_get(x.config, "ConsoleSize");
		k.io.rows = (int)json_integer_value(json_array_get(size, 0));
		k.io.cols = (int)json_integer_value(json_array_get(size, 1));
	}
	if (json_bool(ask, "Detach", false))
		return start_detached(a, &k, &spec, e);
	return start_attached(a, &k, &spec, json_bool(ask, "Tty", false), e);
}

const struct api_route api_execs[] = {
	{"POST", "/containers/*/exec", create},
	{"POST", "/exec/*/start", start},
	{"POST", "/exec/*/resize", resize},
	{"GET", "/exec/*/json", inspect},
	{0},
};
