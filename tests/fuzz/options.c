/* SPDX-License-Identifier: Apache-2.0 */
/* A command line, its words apart by 0xff: first run's or exec's, then all that its options come to, up
 * to the plan. What names a file of the machine's is left out: it would be another input. */
#include "container_opts.h"
#include "fuzz.h"
#include "plan.h"

#define WORDS_MAX 64

static bool reads_files(const struct strv *security)
{
	for (size_t i = 0; i < security->n; i++)
		if (str_starts(security->v[i], "seccomp"))
			return true;
	return false;
}

static void use_run(struct run_args *a, struct parsed *p)
{
	struct err e = {0};

	if (p->help || p->n == 0 || a->env_file.n || a->label_file.n || reads_files(&a->spec.security_opt))
		return;
	if (run_args_finish(a, p->n, p->operands, true, &e) < 0)
		return;
	auto_json json_t *j = spec_to_json(&a->spec);
	auto_spec struct spec again = {0};

	/* What was understood can be stored and is then the same. */
	spec_init(&again);
	assert(spec_from_json(&again, j, &e) == 0);
	auto_json json_t *same = spec_to_json(&again);
	assert(json_equal(j, same));
	(void)(spec_check_asked(&a->spec, &e) < 0 || spec_complete(&a->spec, &e) < 0 ||
		spec_check_command(&a->spec, &e) < 0 || spec_check_named(&a->spec, &e) < 0);
}

static void use_exec(struct exec_args *a, struct parsed *p)
{
	struct err e = {0};

	if (!p->help && p->n > 1 && a->env_file.n == 0)
		(void)exec_args_finish(a, p->n - 1, p->operands + 1, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct command run = {.name = "run", .opts = run_opts, .stop_at_operand = true},
				    exec = {.name = "exec", .opts = exec_opts, .stop_at_operand = true};
	char *words[WORDS_MAX + 1] = {0};
	auto_parsed struct parsed p = {0};
	struct err e = {0};
	int n = 0;

	while (size && n < WORDS_MAX)
		words[n++] = fuzz_next(&data, &size);
	if (n > 0 && str_eq(words[0], "exec")) {
		struct exec_args a = {0};

		exec_args_init(&a);
		if (opt_parse(&exec, n - 1, words + 1, &a, &p, &e) == 0)
			use_exec(&a, &p);
		exec_args_done(&a);
	} else {
		struct run_args a = {0};

		run_args_init(&a);
		if (opt_parse(&run, n, words, &a, &p, &e) == 0)
			use_run(&a, &p);
		run_args_done(&a);
	}
	for (int i = 0; i < n; i++)
		free(words[i]);
	return 0;
}
