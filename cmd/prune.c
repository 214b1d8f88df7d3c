/* SPDX-License-Identifier: Apache-2.0 */
/* container, image, volume, network and system prune: what nobody uses goes. */
#include "cmd.h"
#include "engine.h"
#include "event.h"
#include "filter.h"
#include "human.h"
#include "image.h"
#include "inspect.h"
#include "network.h"
#include "stamp.h"
#include "state.h"
#include "status.h"
#include "volume.h"

#include <ctype.h>
#include <string.h>

struct prune {
	bool all, force, volumes;
	struct filters filters;
	struct strv words; /* of the filters, for the warning */
	struct timespec until;
	int64_t freed;
	struct buf out;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	struct prune *p = target;

	strv_add(&p->words, value);
	return filter_add(&p->filters, value, e);
}

/* clang-format off */
#define FORCE { 'f', "force", NULL, "Do not prompt for confirmation", OPT_FLAG(struct prune, force) }
static const struct opt until_opts[] = {
	{ 0, "filter", "filter", "Provide filter values (e.g. \"until=<timestamp>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt image_opts[] = {
	{ 'a', "all", NULL, "Remove all unused images, not just dangling ones", OPT_FLAG(struct prune, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"until=<timestamp>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt volume_opts[] = {
	{ 'a', "all", NULL, "Remove all unused volumes, not just anonymous ones", OPT_FLAG(struct prune, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"label=<label>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt system_opts[] = {
	{ 'a', "all", NULL, "Remove all unused images not just dangling ones", OPT_FLAG(struct prune, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"label=<key>=<value>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0,   "volumes", NULL, "Prune anonymous volumes", OPT_FLAG(struct prune, volumes) },
	{ 0 },
};
/* clang-format on */

static void prune_done(void *target)
{
	struct prune *p = target;

	filter_done(&p->filters);
	strv_done(&p->words);
	buf_done(&p->out);
}

static bool passes(const struct prune *p, const struct strv *labels, const struct timespec *created)
{
	return filter_prunes(&p->filters, &p->until, labels, created);
}

/* ---- each kind ---- */

static void title(struct prune *p, bool *first, const char *words)
{
	if (*first)
		buf_printf(&p->out, "%s\n", words);
	*first = false;
}

static void end_of_list(struct prune *p, bool first)
{
	if (!first)
		buf_putc(&p->out, '\n');
}

static int prune_containers(struct prune *p, const struct store *s, struct err *e)
{
	struct state *all = NULL;
	bool first = true;
	size_t n = 0;

	if (state_list(s, false, &all, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct err gone;
		int64_t bytes;

		if (status_runs(&all[i]) || !passes(p, &all[i].labels, &all[i].created))
			continue;
		bytes = container_size(s, all[i].id);
		if (engine_remove(s, all[i].id, false, false, &gone) < 0)
			continue; /* started or removed meanwhile */
		title(p, &first, "Deleted Containers:");
		buf_printf(&p->out, "%s\n", all[i].id);
		p->freed += bytes;
	}
	end_of_list(p, first);
	state_list_free(all, n);
	return 0;
}

static bool image_wanted(const struct image *i, void *context)
{
	struct timespec created = {0};

	(void)stamp_read(i->created ? i->created : "", &created); /* none: older than all */
	return passes(context, &i->config.labels, &created);
}

static int prune_images(struct prune *p, const struct store *s, struct err *e)
{
	auto_strv struct strv report = {0};
	bool all = p->all, first = true, dangling = true;
	int64_t freed = 0;

	if (filter_bool(&p->filters, "dangling", !all, &dangling, e) < 0 ||
		image_prune(s, !dangling, image_wanted, p, &report, &freed, e) < 0)
		return -1;
	for (size_t i = 0; i < report.n; i++) {
		char *line = report.v[i];
		const char *id = str_starts(line, "Deleted: ") ? line + strlen("Deleted: ") : NULL;

		*line = (char)tolower((unsigned char)*line); /* `rmi` says it with a capital, `prune` without */
		title(p, &first, "Deleted Images:");
		buf_printf(&p->out, "%s\n", line);
		if (id)
			event_emit(s, "image", "delete", id, NULL);
	}
	end_of_list(p, first);
	p->freed += freed;
	return 0;
}

static int prune_volumes(struct prune *p, const struct store *s, bool named, struct err *e)
{
	auto_json json_t *uses = volume_uses(s, e);
	struct volume *all = NULL;
	bool first = true;
	size_t n = 0;

	if (!uses || volume_list(s, &all, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct err gone;
		int64_t bytes;

		if (json_object_get(uses, all[i].name) || (!named && !volume_is_anonymous(&all[i])) ||
			!passes(p, &all[i].labels, NULL))
			continue;
		bytes = volume_size(&all[i]);
		if (volume_remove(s, all[i].name, uses, &gone) < 0)
			continue; /* removed meanwhile */
		title(p, &first, "Deleted Volumes:");
		buf_printf(&p->out, "%s\n", all[i].name);
		p->freed += bytes;
	}
	end_of_list(p, first);
	volume_list_free(all, n);
	return 0;
}

static bool network_used(const struct state *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(status_network(&all[i]), name))
			return true;
	return false;
}

static bool network_wanted(const struct prune *p, const json_t *j)
{
	auto_strv struct strv labels = {0};
	struct timespec created = {0};

	json_map_strv(json_object_get(j, "Labels"), &labels);
	(void)stamp_read(json_str(j, "Created", ""), &created); /* none: older than all */
	return passes(p, &labels, &created);
}

static int prune_networks(struct prune *p, const struct store *s, struct err *e)
{
	auto_json json_t *networks = network_list(s, e);
	struct state *all = NULL;
	bool first = true;
	size_t n = 0, i;
	json_t *j;

	if (!networks || state_list(s, true, &all, &n, e) < 0)
		return -1;
	json_array_foreach(networks, i, j)
	{
		const char *name = json_str(j, "Name", "");
		struct err gone;

		if (network_is_predefined(name) || network_used(all, n, name) ||
			!network_wanted(p, j) || network_remove(s, name, &gone) < 0)
			continue;
		title(p, &first, "Deleted Networks:");
		buf_printf(&p->out, "%s\n", name);
	}
	end_of_list(p, first);
	state_list_free(all, n);
	return 0;
}

/* ---- the commands ---- */

static const char *const until_known[] = {"label", "label!", "until", NULL};
static const char *const image_known[] = {"dangling", "label", "label!", "until", NULL};
static const char *const volume_known[] = {"all", "label", "label!", NULL};

/* Only "y" is a yes; the end of the input is none. */
static bool confirmed(const char *warning)
{
	char line[64] = "";
	char *word = line;

	(void)printf("WARNING! %s\nAre you sure you want to continue? [y/N] ", warning);
	(void)fflush(stdout); /* whoever cannot see the question will not answer it */
	if (!fgets(line, sizeof(line), stdin))
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	word += strspn(word, " \t");
	return str_eq(word, "y") || str_eq(word, "Y");
}

static int say_freed(struct prune *p)
{
	auto_free char *size = human_size((double)p->freed, 4);

	buf_printf(&p->out, "Total reclaimed space: %s\n", size);
	return say_out(&p->out);
}

static int failed(const struct err *e)
{
	say_daemon_error(e);
	return 1;
}

static int container_main(void *target, int argc, char **argv)
{
	struct prune *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (!p->force && !confirmed("This will remove all stopped containers."))
		return 0;
	if (store_open(&s, &e) < 0 || filter_prune(&p->filters, until_known, &p->until, &e) < 0 ||
		prune_containers(p, &s, &e) < 0)
		return failed(&e);
	return say_freed(p);
}

static int image_main(void *target, int argc, char **argv)
{
	struct prune *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (!p->force && !confirmed(p->all ? "This will remove all images without at least one container "
					     "associated to them."
					   : "This will remove all dangling images."))
		return 0;
	if (store_open(&s, &e) < 0 || filter_prune(&p->filters, image_known, &p->until, &e) < 0 ||
		prune_images(p, &s, &e) < 0)
		return failed(&e);
	return say_freed(p);
}

static int volume_main(void *target, int argc, char **argv)
{
	struct prune *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	bool named = false;
	struct err e;

	(void)argc, (void)argv;
	if (p->all && filter_has(&p->filters, "all")) {
		(void)fprintf(stderr,
			"conflicting options: cannot specify both --all and --filter all=1\n");
		return 1;
	}
	if (!p->force && !confirmed(p->all ? "This will remove all local volumes not used by at least one container."
					   : "This will remove anonymous local volumes not used by at least one "
					     "container."))
		return 0;
	if (store_open(&s, &e) < 0 || filter_prune(&p->filters, volume_known, &p->until, &e) < 0 ||
		filter_bool(&p->filters, "all", p->all, &named, &e) < 0 ||
		prune_volumes(p, &s, named, &e) < 0)
		return failed(&e);
	return say_freed(p);
}

static int network_main(void *target, int argc, char **argv)
{
	struct prune *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (!p->force &&
		!confirmed("This will remove all custom networks not used by at least one container."))
		return 0;
	if (store_open(&s, &e) < 0 || filter_prune(&p->filters, until_known, &p->until, &e) < 0 ||
		prune_networks(p, &s, &e) < 0)
		return failed(&e);
	return say_out(&p->out);
}

static bool system_confirmed(const struct prune *p)
{
	auto_buf struct buf b = {0};

	buf_printf(&b,
		"This will remove:\n  - all stopped containers\n"
		"  - all networks not used by at least one container\n%s%s%s",
		p->volumes ? "  - all anonymous volumes not used by at least one container\n" : "",
		p->all ? "  - all images without at least one container associated to them\n"
		       : "  - all dangling images\n",
		p->all ? "  - all build cache\n" : "  - unused build cache\n");
	if (p->words.n)
		buf_puts(&b, "\n  Items to be pruned will be filtered with:\n");
	for (size_t i = 0; i < p->words.n; i++)
		buf_printf(&b, "  - %s\n", p->words.v[i]);
	return confirmed(b.s);
}

static int system_main(void *target, int argc, char **argv)
{
	struct prune *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (p->volumes && filter_has(&p->filters, "until")) {
		(void)fprintf(stderr, "ERROR: The \"until\" filter is not supported with \"--volumes\"\n");
		return 1;
	}
	if (!p->force && !system_confirmed(p))
		return 0;
	if (store_open(&s, &e) < 0 || filter_prune(&p->filters, until_known, &p->until, &e) < 0 ||
		prune_containers(p, &s, &e) < 0 || prune_networks(p, &s, &e) < 0 ||
		(p->volumes && prune_volumes(p, &s, false, &e) < 0) || prune_images(p, &s, &e) < 0)
		return failed(&e);
	return say_freed(p);
}

const struct command cmd_container_prune = {
	.name = "container prune",
	.args = "[OPTIONS]",
	.about = "Remove all stopped containers",
	.opts = until_opts,
	.target_size = sizeof(struct prune),
	.run = container_main,
	.done = prune_done,
};

const struct command cmd_image_prune = {
	.name = "image prune",
	.args = "[OPTIONS]",
	.about = "Remove unused images",
	.opts = image_opts,
	.target_size = sizeof(struct prune),
	.run = image_main,
	.done = prune_done,
};

const struct command cmd_volume_prune = {
	.name = "volume prune",
	.args = "[OPTIONS]",
	.about = "Remove unused local volumes",
	.opts = volume_opts,
	.target_size = sizeof(struct prune),
	.run = volume_main,
	.done = prune_done,
};

const struct command cmd_network_prune = {
	.name = "network prune",
	.args = "[OPTIONS]",
	.about = "Remove all unused networks",
	.opts = until_opts,
	.target_size = sizeof(struct prune),
	.run = network_main,
	.done = prune_done,
};

const struct command cmd_system_prune = {
	.name = "system prune",
	.args = "[OPTIONS]",
	.about = "Remove unused data",
	.opts = system_opts,
	.target_size = sizeof(struct prune),
	.run = system_main,
	.done = prune_done,
};
