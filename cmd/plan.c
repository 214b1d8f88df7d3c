/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: prints what `run` with the same arguments would do: namespaces, mounts, ids, limits, environment, command. Reads only
 * the image's config. The setting "host" names a file that describes a machine (JSON), so that tests can compare plans with
 * recorded ones.
 */
#include "client_config.h"
#include "cmd.h"
#include "container_opts.h"

#include "engine.h"
#include "image.h"
#include "plan.h"
#include "settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Reads the description of a machine. */
static int recall_host(const char *path, struct host *h, struct err *e)
{
	auto_json json_t *j = json_read_at(AT_FDCWD, path, 65536, e);

	if (!j)
		return -1;
	*h = (struct host){.range = json_bool(j, "range", false),
		.root = json_bool(j, "root", false),
		.cgroup2 = json_bool(j, "cgroup2", false),
		.kcore = json_bool(j, "kcore", false),
		.cpus = (unsigned int)json_int(j, "cpus", 0),
		.hot_cpus = (unsigned int)json_int(j, "hot_cpus", 0)};
	(void)snprintf(h->nodename, sizeof(h->nodename), "%.64s", json_str(j, "nodename", "host"));
	return 0;
}

static int read_host(const struct spec *spec, struct host *h, struct err *e)
{
	auto_free char *recorded = setting("host");

	if ((recorded ? recall_host(recorded, h, e) : engine_read_machine(h, spec, e)) < 0)
		return -1;
	(void)snprintf(h->exe, sizeof(h->exe), "%s", "<sbx>"); /* fits */
	return 0;
}

static int make_plan(struct spec *spec, struct plan *p, struct err *e)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_image struct image image = {0};
	struct host host;

	if (store_open(&s, e) < 0 || engine_check_asked(NULL, spec, e) < 0 ||
		image_find(&s, spec->image, &image, e) < 0 ||
		spec_check_platform(spec->platform, spec->image, image.architecture, e) < 0)
		return -1;
	spec_apply_image(spec, &image.config);
	if (spec_complete(spec, e) < 0 || spec_check_command(spec, e) < 0 ||
		spec_check_named(spec, e) < 0 || read_host(spec, &host, e) < 0)
		return -1;
	if (!spec->hostname)
		spec->hostname = xstrdup("<id>");
	return plan_container(spec, &host, "<container>", p, e);
}

static int plan_main(void *target, int argc, char **argv)
{
	struct run_args *a = target;
	auto_plan struct plan p = {0};
	auto_buf struct buf text = {0};
	struct err e = {0};

	client_proxies(&a->env);
	if (run_args_finish(a, argc, argv, true, &e) < 0 || make_plan(&a->spec, &p, &e) < 0) {
		(void)err_ctx(&e, "sbx plan");
		return say_error(&e, 125);
	}
	plan_print(&p, &text);
	str_tame(text.s, text.len); /* parts of it come from the image */
	return say_out(&text);
}

const struct command cmd_plan = {
	.name = "plan",
	.args = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.about = "Print what run with the same words would do",
	.opts = run_opts,
	.target_size = sizeof(struct run_args),
	.init = run_args_init,
	.run = plan_main,
	.done = run_args_done,
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true,
	.ours = true,
};
