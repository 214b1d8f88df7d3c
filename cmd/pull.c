/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "client_config.h"
#include "image.h"
#include "pull.h"

#include <stdio.h>
#include <string.h>

struct pull_args {
	bool all_tags, untrusted, quiet;
	char *platform;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'a', "all-tags", NULL, "Download all tagged images in the repository", OPT_FLAG(struct pull_args, all_tags) },
	{ 0,   "disable-content-trust", NULL, "Skip image verification (default true)", OPT_FLAG(struct pull_args, untrusted) },
	{ 0,   "platform", "string", "Set platform if server is multi-platform capable", OPT_STR(struct pull_args, platform), OPT_SINCE(32) },
	{ 'q', "quiet",    NULL, "Suppress verbose output", OPT_FLAG(struct pull_args, quiet) },
	{ 0 },
};
/* clang-format on */

static void pull_init(void *target)
{
	((struct pull_args *)target)->untrusted = client_untrusted();
}

static void pull_done(void *target)
{
	struct pull_args *a = target;

	free(a->platform);
}

static bool has_tag(const char *given)
{
	const char *slash = strrchr(given, '/');

	return strpbrk(slash ? slash : given, ":@") != NULL;
}

/* What docker prints if the registry has no newer image. */
static void say_up_to_date(const struct ref *r, const struct image *i, bool quiet)
{
	auto_free char *full = ref_full(r), *repository = ref_repository(r);
	const char *tag = r->tag ? r->tag : r->digest;

	if (!quiet)
		say_print("%s: Pulling from %s\nDigest: %s\nStatus: Image is up to date for %s%s%s\n",
			tag, r->path, i->id, repository, r->tag ? ":" : "@", tag);
	say_print("%s\n", full);
}

static int pull_main(void *target, int argc, char **argv)
{
	const struct pull_args *a = target;
	auto_ref struct ref r = {0};
	auto_store struct store s = {0};
	auto_image struct image i = {0};
	struct err e = {0};

	const char *platform = a->platform ? a->platform : getenv("DOCKER_DEFAULT_PLATFORM");

	(void)argc;
	if (ref_parse(argv[0], &r, &e) < 0)
		return say_error(&e, 1);
	if (a->all_tags && has_tag(argv[0])) {
		(void)fputs("tag can't be used with --all-tags/-a\n", stderr);
		return 1;
	}
	if (!a->all_tags && !a->quiet && !has_tag(argv[0]))
		say_print("Using default tag: latest\n");
	say_flush(); /* before errors, if stdout and stderr are the same file */
	if (client_check_trust(a->untrusted, &r, &e) < 0)
		return say_error(&e, 1);
	if (store_open(&s, &e) == 0 && pull(&s, argv[0], platform, &i, &e) == 0) {
		say_up_to_date(&r, &i, a->quiet);
		return 0;
	}
	say_daemon_error(&e);
	return 1;
}

const struct command cmd_pull = {
	.name = "pull",
	.args = "[OPTIONS] NAME[:TAG|@DIGEST]",
	.about = "Download an image from a registry",
	.aliases = "docker image pull, docker pull",
	.opts = rows,
	.target_size = sizeof(struct pull_args),
	.run = pull_main,
	.init = pull_init,
	.done = pull_done,
	.min_args = 1,
	.max_args = 1,
};
