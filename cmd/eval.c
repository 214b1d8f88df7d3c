/* SPDX-License-Identifier: Apache-2.0 */
/* eval: runs untrusted python code in a fresh container and prints the result as JSON. */
#include "cmd.h"

#include "eval.h"
#include "eval_pool.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct eval_args {
	struct eval_request defaults; /* made of the options: the request itself, or the defaults of a pool's requests */
	char *python, *input, *vars_file;
	struct strv vars, files, allow, deny, patterns;
	int64_t pids, timeout_ns, memory, max_output;
	char *seed;
	struct redact redact;
	struct eval_pool_args pool;
};

static int add_return_var(void *target, const char *value, struct err *e)
{
	struct eval_args *a = target;

	if (eval_var_check(value, e) < 0)
		return -1;
	strv_add(&a->defaults.return_vars, value);
	return 0;
}

#define ARGS struct eval_args

/* clang-format off */
static const struct opt eval_opts[] = {
	{ 0,   "allow-import",   "list",     "Import statements of the code may name these modules only (a convenience: the container is the fence)", OPT_LIST(ARGS, allow), OPT_OURS },
	{ 0,   "collect",        "list",     "Return the files of the work directory that match, at the end", OPT_LIST(ARGS, defaults.collect), OPT_OURS },
	{ 0,   "deny-import",    "list",     "Import statements of the code may not name these modules (a convenience likewise)", OPT_LIST(ARGS, deny), OPT_OURS },
	{ 0,   "figures",        NULL,       "Return matplotlib figures that are left open, as PNG", OPT_FLAG(ARGS, defaults.figures), OPT_OURS },
	{ 0,   "file",           "list",     "Put a file into the work directory: NAME=PATH", OPT_LIST(ARGS, files), OPT_OURS },
	{ 0,   "fresh",          NULL,       "With --jsonl or --listen: a container for each request", OPT_FLAG(ARGS, pool.fresh), OPT_OURS },
	{ 'j', "jobs",           "int",      "With --jsonl or --listen: so many requests at once (default: one for each processor)", OPT_INT(ARGS, pool.jobs), OPT_OURS },
	{ 0,   "jsonl",          NULL,       "Read requests from standard input, a line of JSON each, and answer with a line each", OPT_FLAG(ARGS, pool.jsonl), OPT_OURS },
	{ 0,   "listen",         "string",   "Serve the same to whoever of this user connects to a socket: unix:PATH", OPT_STR(ARGS, pool.listen), OPT_OURS },
	{ 0,   "max-output",     "bytes",    "Return so much of standard output and error each (default 1MiB)", OPT_BYTES(ARGS, max_output), OPT_OURS },
	{ 'm', "memory",         "bytes",    "Memory limit (default 256MiB)", OPT_BYTES(ARGS, memory), OPT_OURS },
	{ 0,   "pids-limit",     "int",      "Limit of processes and threads (default 64)", OPT_INT(ARGS, pids), OPT_OURS },
	{ 0,   "preload",        "list",     "With --jsonl or --listen: modules which are imported once for all requests", OPT_LIST(ARGS, pool.preload), OPT_OURS },
	{ 0,   "python",         "string",   "The interpreter in the image (default \"python3\")", OPT_STR(ARGS, python), OPT_OURS },
	{ 0,   "redact",         NULL,       "Censor keys, tokens, passwords and the like in what is returned", OPT_FLAG(ARGS, defaults.redact), OPT_OURS },
	{ 0,   "redact-pattern", "list",     "A file of more patterns to censor; implies --redact", OPT_LIST(ARGS, patterns), OPT_OURS },
	{ 0,   "return-var",     "list",     "Return the value of this variable", OPT_CALL(add_return_var), OPT_OURS },
	{ 0,   "return-vars",    NULL,       "Return the values of all variables that JSON can say", OPT_FLAG(ARGS, defaults.return_all), OPT_OURS },
	{ 0,   "seed",           "int",      "Seed of random (and of numpy's)", OPT_STR(ARGS, seed), OPT_OURS },
	{ 0,   "stdin",          "string",   "A file to be the code's standard input (\"-\": our own); without it there is none", OPT_STR(ARGS, input), OPT_OURS },
	{ 0,   "timeout",        "duration", "Time limit, of the whole container (default 5s)", OPT_DURATION(ARGS, timeout_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "unordered",      NULL,       "With --jsonl or --listen: answer as requests finish", OPT_FLAG(ARGS, pool.unordered), OPT_OURS },
	{ 0,   "var",            "list",     "A variable of the code: NAME=JSON", OPT_LIST(ARGS, vars), OPT_OURS },
	{ 0,   "vars",           "string",   "A file with a JSON object of variables", OPT_STR(ARGS, vars_file), OPT_OURS },
	{ 0 },
};
/* clang-format on */

static void eval_init(void *target)
{
	struct eval_args *a = target;

	eval_request_init(&a->defaults);
	a->timeout_ns = a->defaults.timeout_ns;
	a->memory = a->defaults.memory;
	a->max_output = a->defaults.max_output;
	a->pids = EVAL_PIDS;
}

static void eval_done(void *target)
{
	struct eval_args *a = target;

	eval_request_done(&a->defaults);
	free(a->python);
	free(a->input);
	free(a->vars_file);
	free(a->seed);
	strv_done(&a->vars);
	strv_done(&a->files);
	strv_done(&a->allow);
	strv_done(&a->deny);
	strv_done(&a->patterns);
	strv_done(&a->pool.preload);
	free(a->pool.listen);
	redact_done(&a->redact);
}

/* ---- options into a request ------------------------------------------------------------ */

/* Reads all of a file, or of standard input ("-"). */
static int read_all(const char *path, struct buf *out, struct err *e)
{
	bool ours = str_eq(path, "-");
	auto_close int fd = ours ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	char data[65536];
	ssize_t n;

	if (fd < 0)
		return err_sys(e, "open %s", path);
	while ((n = read(fd, data, sizeof(data))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read %s", path);
		buf_add(out, data, (size_t)n);
		if (out->len > EVAL_REQUEST_MAX)
			return err_set(e, ERR_USAGE, "%s: more than %lu bytes", path, EVAL_REQUEST_MAX);
	}
	buf_add(out, "", 0);
	return 0;
}

/* Of NAME=VALUE: returns where the value begins; *name is a copy of the name. NULL: an error. */
static const char *split(const char *option, const char *word, char **name, struct err *e)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals == word) {
		(void)err_set(e, ERR_USAGE, "invalid value \"%s\" for --%s: want NAME=...", word, option);
		return NULL;
	}
	*name = xstrndup(word, (size_t)(equals - word));
	return equals + 1;
}

static int add_vars(struct eval_request *r, const json_t *object, struct err *e)
{
	auto_json json_t *wrapped = json_pack("{s:s,s:O}", "code", "", "vars", object);
	auto_request struct eval_request checked;

	/* Checked as a request's member "vars", as the rules are the same. */
	if (eval_request_from_json(&checked, r, wrapped, e) < 0)
		return -1;
	json_decref(r->vars);
	r->vars = json_incref(checked.vars);
	return 0;
}

static int read_vars(struct eval_args *a, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_json json_t *all = json_object(), *file = NULL;
	json_error_t why;

	if (a->vars_file) {
		if (read_all(a->vars_file, &text, e) < 0)
			return err_ctx(e, "--vars %s", a->vars_file);
		file = json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
		if (!json_is_object(file))
			return err_set(e, ERR_USAGE, "--vars %s: not a JSON object", a->vars_file);
		(void)json_object_update(all, file); /* memory */
	}
	for (size_t i = 0; i < a->vars.n; i++) {
		auto_free char *name = NULL, *key = NULL;
		const char *value = split("var", a->vars.v[i], &name, e);
		json_t *v = value ? json_loads(value,
					    JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
					    &why)
		                  : NULL;

		if (!v)
			return value ? err_set(e, ERR_USAGE, "--var %s: not JSON: %s", name, why.text)
			             : -1;
		key = json_utf8(name, strlen(name));
		(void)json_object_set_new(all, key, v); /* memory */
	}
	return json_object_size(all) ? add_vars(&a->defaults, all, e) : 0;
}

static int check_files(uint64_t bytes, struct err *e)
{
	return bytes <= EVAL_FILES_MAX
	               ? 0
	               : err_set(e, ERR_USAGE, "--file: together more than %lu bytes", EVAL_FILES_MAX);
}

static int read_files(struct eval_args *a, struct err *e)
{
	uint64_t bytes = 0;
	struct stat st;

	/* Before gigabytes are read in vain. */
	for (size_t i = 0; i < a->files.n; i++) {
		const char *equals = strchr(a->files.v[i], '=');

		if (equals && stat(equals + 1, &st) == 0 && st.st_size <= (off_t)EVAL_REQUEST_MAX)
			bytes += (uint64_t)st.st_size;
	}
	if (check_files(bytes, e) < 0)
		return -1;
	bytes = 0;
	for (size_t i = 0; i < a->files.n; i++) {
		auto_free char *name = NULL;
		auto_buf struct buf data = {0};
		const char *path = split("file", a->files.v[i], &name, e);

		if (!path || eval_file_check(name, e) < 0)
			return -1;
		if (read_all(path, &data, e) < 0)
			return err_ctx(e, "--file %s", a->files.v[i]);
		bytes += data.len;
		if (check_files(bytes, e) < 0)
			return -1;
		eval_file_add(&a->defaults, name, data.s, data.len);
	}
	return 0;
}

static int read_patterns(struct eval_args *a, struct err *e)
{
	for (size_t i = 0; i < a->patterns.n; i++) {
		auto_buf struct buf text = {0};
		const char *path = a->patterns.v[i];

		if (read_all(path, &text, e) < 0)
			return err_ctx(e, "--redact-pattern %s", path);
		if (redact_patterns(&a->redact, path, text.s, e) < 0)
			return -1;
		a->defaults.redact = true;
	}
	return 0;
}

void eval_split_names(const struct strv *words, struct strv *out)
{
	for (size_t i = 0; i < words->n; i++)
		strv_split(out, words->v[i], ',');
	out->set = words->n > 0;
}

static int check_numbers(struct eval_args *a, struct err *e)
{
	struct eval_request *r = &a->defaults;
	const struct {
		const char *option;
		int64_t value, least;
	} numbers[] = {{"--timeout", a->timeout_ns, 1}, {"--memory", a->memory, 1},
		{"--pids-limit", a->pids, 1}, {"--max-output", a->max_output, 0}};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (numbers[i].value < numbers[i].least)
			return err_set(e, ERR_USAGE, "%s: want %s", numbers[i].option,
				numbers[i].least ? "more than 0" : "0 or more");
	r->timeout_ns = a->timeout_ns;
	r->memory = a->memory;
	r->max_output = a->max_output;
	r->seeded = a->seed != NULL;
	return a->seed && parse_int(a->seed, &r->seed, e) < 0 ? err_ctx(e, "--seed %s", a->seed) : 0;
}

static int read_options(struct eval_args *a, struct err *e)
{
	auto_buf struct buf text = {0};

	eval_split_names(&a->allow, &a->defaults.allow_import);
	eval_split_names(&a->deny, &a->defaults.deny_import);
	if (check_numbers(a, e) < 0 || read_vars(a, e) < 0 || read_files(a, e) < 0 ||
		read_patterns(a, e) < 0)
		return -1;
	if (!a->input)
		return 0;
	if (read_all(a->input, &text, e) < 0)
		return err_ctx(e, "--stdin %s", a->input);
	a->defaults.input_len = text.len;
	a->defaults.input = buf_take(&text);
	return 0;
}

static int read_code(struct eval_args *a, const char *path, struct err *e)
{
	auto_buf struct buf text = {0};

	if (str_eq(path, "-") && str_eq(a->input, "-"))
		return err_set(e, ERR_USAGE, "standard input cannot be both the code and its input");
	if (read_all(path, &text, e) < 0)
		return -1;
	a->defaults.code_len = text.len;
	a->defaults.code = buf_take(&text);
	a->defaults.code_bytes = true;
	return 0;
}

/* ---- one ------------------------------------------------------------------------------- */

static int answer(const struct eval_result *r, const json_t *id)
{
	auto_buf struct buf line = {0};

	eval_result_line(r, id, &line);
	if (say_out(&line) != 0)
		return 1;
	if (str_eq(r->reason, "setup-error"))
		return 125;
	return eval_result_success(r) ? 0 : 1;
}

static int refuse(const char *type, const struct err *e)
{
	auto_result struct eval_result r = {0};

	(void)fprintf(stderr, "sbx eval: %s\n", e->text);
	eval_result_refuse(&r, type, e);
	return answer(&r, NULL);
}

/* Options that would have no effect are refused, not ignored. */
static int check_together(const struct eval_args *a, int argc, struct err *e)
{
	const struct eval_pool_args *p = &a->pool;

	if (!eval_pool_asked(p))
		return p->jobs || p->unordered || p->fresh || p->preload.n
		               ? err_set(e, ERR_USAGE,
					 "--jobs, --unordered, --fresh and --preload want --jsonl or --listen")
		               : 0;
	if (argc > 1)
		return err_set(e, ERR_USAGE,
			"a file of code and --jsonl or --listen: the code is in the requests");
	if (p->jsonl && (str_eq(a->input, "-") || str_eq(a->vars_file, "-")))
		return err_set(e, ERR_USAGE, "standard input is where --jsonl reads requests");
	return 0;
}

static int eval_main(void *target, int argc, char **argv)
{
	struct eval_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_result struct eval_result r = {0};
	struct eval_place place = {
		.store = &s, .image = argv[0], .python = a->python, .pids = a->pids, .redact = &a->redact};
	struct err e = {0};

	if (check_together(a, argc, &e) < 0 || read_options(a, &e) < 0 ||
		(!eval_pool_asked(&a->pool) && read_code(a, argc > 1 ? argv[1] : "-", &e) < 0))
		return refuse("RequestError", &e);
	if (store_open(&s, &e) < 0)
		return refuse("SetupError", &e);
	if (eval_pool_asked(&a->pool))
		return eval_pool_main(&a->pool, &place, &a->defaults);
	eval_fresh(&place, &a->defaults, &r);
	if (str_eq(r.reason, "setup-error"))
		(void)fprintf(stderr, "sbx eval: %s\n", r.error_message);
	return answer(&r, NULL);
}

const struct command cmd_eval = {
	.name = "eval",
	.args = "[OPTIONS] IMAGE [FILE|-]",
	.about = "Run python code in a fresh container and print one JSON result",
	.opts = eval_opts,
	.target_size = sizeof(struct eval_args),
	.init = eval_init,
	.run = eval_main,
	.done = eval_done,
	.min_args = 1,
	.max_args = 2,
	.ours = true,
};
