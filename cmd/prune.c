/* SPDX-License-Identifier: Apache-2.0 */
/* prune: container, image, volume, network, system and builder prune: remove what is not in use. */
#include "client_config.h"
#include "cmd.h"
#include "context.h"
#include "filter.h"
#include "human.h"
#include "parse.h"
#include "prune.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct asked {
	bool all, force, volumes;
	int64_t keep; /* --keep-storage of builder prune */
	struct filters filters;
	struct prune p;
	struct buf out;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct asked *)target)->filters, value, e);
}

/* clang-format off */
#define FORCE { 'f', "force", NULL, "Do not prompt for confirmation", OPT_FLAG(struct asked, force) }
static const struct opt until_opts[] = {
	{ 0, "filter", "filter", "Provide filter values (e.g. \"until=<timestamp>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt image_opts[] = {
	{ 'a', "all", NULL, "Remove all unused images, not just dangling ones", OPT_FLAG(struct asked, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"until=<timestamp>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt volume_opts[] = {
	{ 'a', "all", NULL, "Remove all unused volumes, not just anonymous ones", OPT_FLAG(struct asked, all), OPT_SINCE(42) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"label=<label>\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0 },
};
static const struct opt system_opts[] = {
	{ 'a', "all", NULL, "Remove all unused images not just dangling ones", OPT_FLAG(struct asked, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"label=<key>=<value>\")", OPT_CALL(add_filter), OPT_SINCE(28) },
	FORCE,
	{ 0,   "volumes", NULL, "Prune anonymous volumes", OPT_FLAG(struct asked, volumes) },
	{ 0 },
};
static const struct opt builder_opts[] = {
	{ 'a', "all", NULL, "Remove all unused build cache, not just dangling ones", OPT_FLAG(struct asked, all) },
	{ 0,   "filter", "filter", "Provide filter values (e.g. \"until=24h\")", OPT_CALL(add_filter) },
	FORCE,
	{ 0,   "keep-storage", "bytes", "Amount of disk space to keep for cache", OPT_BYTES(struct asked, keep) },
	{ 0 },
};
/* clang-format on */

static void asked_done(void *target)
{
	struct asked *a = target;

	filter_done(&a->filters);
	prune_done(&a->p);
	buf_done(&a->out);
}

/* Adds what was removed, from index `from` on, under a title, with an empty line after it. */
static void list(struct asked *a, const char *title, size_t from)
{
	if (from < a->p.gone.n)
		buf_printf(&a->out, "%s\n", title);
	for (size_t i = from; i < a->p.gone.n; i++)
		buf_printf(&a->out, "%s\n", a->p.gone.v[i]);
	if (from < a->p.gone.n)
		buf_putc(&a->out, '\n');
}

/* ---- each kind ---- */

static int containers(struct asked *a, struct err *e)
{
	size_t from = a->p.gone.n;

	if (prune_containers(&a->p, e) < 0)
		return -1;
	list(a, "Deleted Containers:", from);
	return 0;
}

static int images(struct asked *a, struct err *e)
{
	size_t from = a->p.gone.n;
	int result = prune_images(&a->p, a->all, e);

	for (size_t i = from; i < a->p.gone.n; i++) /* "Deleted: ..." of `rmi` is "deleted: ..." here */
		*a->p.gone.v[i] = (char)tolower((unsigned char)*a->p.gone.v[i]);
	list(a, "Deleted Images:", from);
	return result;
}

static int volumes(struct asked *a, bool named, struct err *e)
{
	size_t from = a->p.gone.n;

	if (prune_volumes(&a->p, named, e) < 0)
		return -1;
	list(a, "Deleted Volumes:", from);
	return 0;
}

static int networks(struct asked *a, struct err *e)
{
	size_t from = a->p.gone.n;

	if (prune_networks(&a->p, e) < 0)
		return -1;
	list(a, "Deleted Networks:", from);
	return 0;
}

/* ---- the commands ---- */

/* A signal at the question means no. The shell's prompt is to begin on a line of its own. */
static void no(int signo)
{
	(void)signo;
	_exit(write(STDOUT_FILENO, "\n", 1) == 1 ? 0 : 1);
}

/* Only "y" or "Y" means yes; the end of the input does not. */
static bool confirmed_after(const char *warning, const char *between)
{
	char line[64] = "";
	char *word = line;
	void (*before[2])(int) = {signal(SIGINT, no), signal(SIGTERM, no)};
	bool answered;

	say_print("WARNING! %s%sAre you sure you want to continue? [y/N] ", warning, between);
	say_flush(); /* if this fails, nobody sees the question, and nobody answers */
	answered = fgets(line, sizeof(line), stdin);
	(void)signal(SIGINT, before[0]);
	(void)signal(SIGTERM, before[1]);
	if (!answered)
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	word += strspn(word, " \t");
	return str_eq(word, "y") || str_eq(word, "Y");
}

static bool confirmed(const char *warning)
{
	return confirmed_after(warning, "\n");
}

/* Prints what was removed, and the errors about what could not be. */
static int say_all(struct asked *a)
{
	return say_unread(&a->p.failed, say_out(&a->out));
}

static int say_freed(struct asked *a)
{
	auto_free char *size = human_size((double)a->p.freed, 4);

	buf_printf(&a->out, "Total reclaimed space: %s\n", size);
	return say_all(a);
}

/* Prints what was removed before the error, and the error. */
static int failed(struct asked *a, const struct err *e)
{
	(void)say_all(a);
	say_daemon_error(e);
	return 1;
}

static int container_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (client_prune_filters(&a->filters, &e) < 0)
		return say_error(&e, 1);
	if (!a->force && !confirmed("This will remove all stopped containers."))
		return 0;
	if (store_open(&s, &e) < 0 || prune_begin(&a->p, &s, &a->filters, prune_keys, &e) < 0 ||
		containers(a, &e) < 0)
		return failed(a, &e);
	return say_freed(a);
}

static int image_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (client_prune_filters(&a->filters, &e) < 0)
		return say_error(&e, 1);
	if (!a->force && !confirmed(a->all ? "This will remove all images without at least one container "
					     "associated to them."
					   : "This will remove all dangling images."))
		return 0;
	/* as docker's client does: -a alone asks for it */
	filter_put(&a->filters, "dangling", a->all ? "false" : "true");
	if (store_open(&s, &e) < 0 ||
		prune_begin(&a->p, &s, &a->filters, prune_image_keys, &e) < 0 || images(a, &e) < 0)
		return failed(a, &e);
	return say_freed(a);
}

static int volume_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	a->all |= opt_api_lacks(context_api_version(), 42); /* before 1.42, named volumes were removed, too */
	if (client_prune_filters(&a->filters, &e) < 0)
		return say_error(&e, 1);
	if (a->all && filter_has(&a->filters, "all")) {
		(void)fprintf(stderr,
			"conflicting options: cannot specify both --all and --filter all=1\n");
		return 1;
	}
	if (!a->force && !confirmed(a->all ? "This will remove all local volumes not used by at least one container."
					   : "This will remove anonymous local volumes not used by at least one "
					     "container."))
		return 0;
	if (store_open(&s, &e) < 0 || prune_begin(&a->p, &s, &a->filters, prune_volume_keys, &e) < 0 ||
		volumes(a, a->all, &e) < 0)
		return failed(a, &e);
	return say_freed(a);
}

static int network_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (client_prune_filters(&a->filters, &e) < 0)
		return say_error(&e, 1);
	if (!a->force &&
		!confirmed("This will remove all custom networks not used by at least one container."))
		return 0;
	if (store_open(&s, &e) < 0 || prune_begin(&a->p, &s, &a->filters, prune_keys, &e) < 0 ||
		networks(a, &e) < 0)
		return failed(a, &e);
	return say_all(a);
}

/* Clients before API 1.31 do not know the build cache. */
static const char *builds_told(const struct asked *a)
{
	if (opt_api_lacks(context_api_version(), 31))
		return "";
	return a->all ? "  - all build cache\n" : "  - unused build cache\n";
}

static bool system_confirmed(const struct asked *a)
{
	static const char *const told[] = {"label", "label!", "until"};
	auto_strv struct strv words = {0};
	auto_buf struct buf b = {0};
	const char *value;

	buf_printf(&b,
		"This will remove:\n  - all stopped containers\n"
		"  - all networks not used by at least one container\n%s%s%s",
		a->volumes ? "  - all anonymous volumes not used by at least one container\n" : "",
		a->all ? "  - all images without at least one container associated to them\n"
		       : "  - all dangling images\n",
		builds_told(a));
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		for (size_t k = 0; (value = filter_next(&a->filters, told[i], &k));)
			strv_addf(&words, "%s=%s", told[i], value);
	strv_sort(&words, 0);
	if (words.n)
		buf_puts(&b, "\n  Items to be pruned will be filtered with:\n");
	for (size_t i = 0; i < words.n; i++)
		buf_printf(&b, "  - %s\n", words.v[i]);
	return confirmed(b.s);
}

static int system_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc, (void)argv;
	if (a->volumes && filter_has(&a->filters, "until")) {
		(void)fprintf(stderr, "ERROR: The \"until\" filter is not supported with \"--volumes\"\n");
		return 1;
	}
	if (client_prune_filters(&a->filters, &e) < 0)
		return say_error(&e, 1);
	if (!a->force && !system_confirmed(a))
		return 0;
	if (store_open(&s, &e) < 0 || prune_begin(&a->p, &s, &a->filters, prune_keys, &e) < 0 ||
		containers(a, &e) < 0 || networks(a, &e) < 0 ||
		(a->volumes && volumes(a, false, &e) < 0) || images(a, &e) < 0)
		return failed(a, &e);
	return say_freed(a);
}

static int builder_main(void *target, int argc, char **argv)
{
	struct asked *a = target;
	struct err e;

	(void)argc, (void)argv;
	if (!a->force && !confirmed_after(a->all ? "This will remove all build cache."
						 : "This will remove all dangling build cache.",
				 " "))
		return 0;
	return prune_builds(&a->filters, &e) < 0 ? failed(a, &e) : say_freed(a);
}

const struct command cmd_container_prune = {
	.name = "container prune",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Remove all stopped containers",
	.opts = until_opts,
	.target_size = sizeof(struct asked),
	.run = container_main,
	.done = asked_done,
};

const struct command cmd_image_prune = {
	.name = "image prune",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Remove unused images",
	.opts = image_opts,
	.target_size = sizeof(struct asked),
	.run = image_main,
	.done = asked_done,
};

const struct command cmd_volume_prune = {
	.name = "volume prune",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Remove unused local volumes",
	.opts = volume_opts,
	.target_size = sizeof(struct asked),
	.run = volume_main,
	.done = asked_done,
};

const struct command cmd_network_prune = {
	.name = "network prune",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Remove all unused networks",
	.opts = until_opts,
	.target_size = sizeof(struct asked),
	.run = network_main,
	.done = asked_done,
};

const struct command cmd_system_prune = {
	.name = "system prune",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Remove unused data",
	.opts = system_opts,
	.target_size = sizeof(struct asked),
	.run = system_main,
	.done = asked_done,
};

const struct command cmd_builder_prune = {
	.name = "builder prune",
	.since = 39,
	.args = "",
	.about = "Remove build cache",
	.opts = builder_opts,
	.target_size = sizeof(struct asked),
	.run = builder_main,
	.done = asked_done,
};
