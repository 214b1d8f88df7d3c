/* SPDX-License-Identifier: Apache-2.0 */
#include "eval.h"

#include "eval_wire.h"

#include <string.h>
#include <sys/wait.h>

/* A little more than is wanted: so a secret across the cut is still seen completely, and censored. */
#define BEYOND_CUT 8192

/* Python reserves more than it uses: beyond this, MemoryError; within it, the memory limit decides. */
#define DATA_ROOM (128LL << 20)

/* Reads the runner, which is on no disk, and executes it. */
static const char boot[] = "import posix\n"
			   "def r(n):\n"
			   " b=b''\n"
			   " while len(b)<n:b+=posix.read(0,n-len(b))or posix._exit(125)\n"
			   " return b\n"
			   "g={'__name__':'sbx'}\n"
			   "exec(compile(r(int.from_bytes(r(4),'little')),'<sbx>','exec'),g)\n"
			   "g['cold']()\n";

size_t eval_keep(const struct eval_request *r)
{
	return (size_t)r->max_output + BEYOND_CUT;
}

static void add_tmpfs(struct spec *s, const char *dst, int64_t size, const char *why)
{
	struct spec_mount *m = spec_add_mount(s);

	m->kind = MOUNT_TMPFS;
	m->dst = xstrdup(dst);
	m->tmpfs_size = size;
	m->tmpfs_mode = 01777;
	m->tmpfs_options = xstrdup("exec");
	m->why = xstrdup(why);
}

void eval_spec(const struct eval_place *p, int64_t memory, struct spec *s)
{
	static const char *const env[] = {"HOME=/work", "LANG=C.UTF-8", "TMPDIR=/tmp",
		"MPLBACKEND=Agg", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"};
	const int64_t most = memory < INT64_MAX - DATA_ROOM ? memory + DATA_ROOM : INT64_MAX;
	struct spec_ulimit data = {.name = "data", .soft = most, .hard = most};

	s->image = xstrdup(p->image);
	s->entrypoint.set = true;
	for (size_t i = 0; i < ARRAY_LEN(env); i++)
		strv_add(&s->env, env[i]);
	s->workdir = xstrdup("/work");
	s->user = xstrdup("0");
	s->network = xstrdup("none");
	s->hostname = xstrdup("sbx");
	s->log_driver = xstrdup("none");
	s->read_only = s->auto_remove = s->bare_env = true;
	s->init = 1;
	s->health.test.set = true;
	strv_add(&s->health.test, "NONE");
	strv_add(&s->cap_drop, "ALL");
	strv_add(&s->security_opt, "no-new-privileges");
	s->memory = memory;
	s->pids_limit = p->pids ? p->pids : EVAL_PIDS;
	(void)spec_set_ulimit(s, &data);
	add_tmpfs(s, "/work", memory, "the work directory");
	add_tmpfs(s, "/tmp", memory, "temporary files");
}

static void add_python(const struct eval_place *p, struct spec *s)
{
	static const char *const words[] = {"-I", "-S", "-B", "-X", "utf8", "-c", boot};

	strv_add(&s->cmd, p->python ? p->python : "python3");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		strv_add(&s->cmd, words[i]);
}

static void add_python_text(struct buf *b, const char *text, size_t n)
{
	char four[4] = {(char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24)};

	buf_add(b, four, sizeof(four));
	buf_add(b, text, n);
}

/* ---- a container of its own ----------------------------------------------------------- */

struct run {
	id_text id;
	int sock; /* of the supervisor */
	bool ended;
	int status;    /* what a client of docker would exit with */
	char *outcome; /* as outcome.h has it; NULL: the supervisor was killed */
	struct eval_io io;
};

#define RUN_FDS (EVAL_IO_FDS + 1)

static void run_done(struct run *run)
{
	/* The supervisor's other end: closing it ends the container. */
	auto_close_(&run->sock);
	run->sock = -1;
	free(take(run->outcome));
	eval_io_done(&run->io);
}

static int run_begin(
	const struct eval_place *p, const struct eval_request *r, struct run *run, struct err *e)
{
	auto_spec struct spec spec;
	int std[3];

	spec_init(&spec);
	*run = (struct run){.sock = -1};
	eval_spec(p, r->memory, &spec);
	spec.timeout_ns = r->timeout_ns;
	add_python(p, &spec);
	if (eval_io_open(&run->io, eval_keep(r), std) < 0)
		(void)err_sys(e, "streams of a snippet");
	else {
		run->io.from_pid1 = true;
		run->sock = engine_open(p->store, &spec, std, run->id, e);
	}
	for (int i = 0; i < 3; i++)
		auto_close_(&std[i]);
	if (run->sock < 0) {
		run_done(run);
		return -1;
	}
	add_python_text(&run->io.to, eval_runner, eval_runner_len);
	add_python_text(&run->io.to, eval_more, eval_more_len);
	eval_wire_request(r, &run->io.to);
	return 0;
}

static void run_poll(const struct run *run, struct pollfd p[RUN_FDS])
{
	eval_io_poll(&run->io, p);
	p[EVAL_IO_FDS] = (struct pollfd){.fd = run->ended ? -1 : run->sock, .events = POLLIN};
}

static void run_step(struct run *run, const struct pollfd p[RUN_FDS])
{
	eval_io_step(&run->io, p);
	if (!p[EVAL_IO_FDS].revents || run->ended)
		return;
	run->ended = engine_hear(run->sock, &run->status, &run->outcome);
	if (run->ended)
		eval_io_drain(&run->io);
}

/* ---- the result ----------------------------------------------------------------------- */

/* A secret must be removed wherever it shows up in the result. */
static void redact_result(const struct redact *more, struct eval_result *out)
{
	for (int i = 0; i < 2; i++)
		redact_buf(more, &out->text[i]);
	redact_text(more, &out->error_message);
	redact_text(more, &out->traceback);
	redact_json(more, &out->vars);
	for (size_t i = 0; i < out->n_files; i++)
		redact_bytes(more, &out->files[i].data, &out->files[i].size);
}

void eval_take_io(const struct eval_place *p, const struct eval_request *r, struct eval_io *io,
	struct eval_result *out)
{
	eval_wire_reply(io->from.s ? io->from.s : "", io->from.len, out);
	for (int i = 0; i < 2; i++) {
		out->text[i] = io->text[i];
		io->text[i] = (struct buf){0};
	}
	if (r->redact)
		redact_result(p->redact, out);
	for (int i = 0; i < 2; i++)
		out->truncated[i] = eval_cut(&out->text[i], (size_t)r->max_output, io->seen[i]);
	if (io->from.len >= EVAL_REPLY_MAX)
		out->incomplete = true;
}

/* pid 1 exits with 128 plus the signal's number, which is ambiguous; what it sends over the channel is exact. */
static void take_end(const json_t *o, int wait_status, struct eval_result *out)
{
	(void)snprintf(out->reason, sizeof(out->reason), "%s", json_str(o, "reason", "signalled")); /* fits */
	out->exit_code = (int)json_int(o, "exit_code", 137);
	out->signal = (int)json_int(o, "signal", 0);
	if (json_bool(o, "oom_killed", false) && str_eq(out->reason, "exited"))
		(void)snprintf(out->reason, sizeof(out->reason), "oom"); /* fits */
	if (wait_status >= 0 && WIFSIGNALED(wait_status)) {
		out->signal = WTERMSIG(wait_status);
		if (str_eq(out->reason, "exited"))
			(void)snprintf(out->reason, sizeof(out->reason), "signalled"); /* fits */
	}
	out->wall = json_number_value(json_object_get(o, "wall"));
	out->user = json_number_value(json_object_get(o, "user"));
	out->system = json_number_value(json_object_get(o, "system"));
	out->peak_memory = json_int(o, "peak_memory", 0);
}

static void refuse_exec(const struct eval_place *p, struct eval_result *out)
{
	struct err e = {0};

	(void)err_set(&e, ERR_NO_COMMAND, "image %s: %s", p->image, out->no_exec);
	eval_result_refuse(out, "SetupError", &e);
}

static void run_end(const struct eval_place *p, struct run *run, const struct eval_request *r,
	struct eval_result *out)
{
	auto_json json_t *o = run->outcome ? json_loads(run->outcome, 0, NULL) : NULL;
	int wait_status = -1;

	*out = (struct eval_result){0};
	eval_wire_pid1(run->io.pid1_said, run->io.pid1_len, out, &wait_status);
	eval_take_io(p, r, &run->io, out);
	take_end(o, wait_status, out);
	if (out->no_exec)
		refuse_exec(p, out);
	memcpy(out->container, run->id, sizeof(run->id));
	run_done(run);
}

void eval_fresh(const struct eval_place *p, const struct eval_request *r, struct eval_result *out)
{
	struct run run;
	struct err e = {0};

	if (run_begin(p, r, &run, &e) < 0) {
		*out = (struct eval_result){0};
		eval_result_refuse(out, "SetupError", &e);
		return;
	}
	while (!run.ended) {
		struct pollfd fds[RUN_FDS];

		run_poll(&run, fds);
		(void)poll(fds, RUN_FDS, -1); /* what woke us is in fds; EINTR is nothing */
		run_step(&run, fds);
	}
	run_end(p, &run, r, out);
}
