/* SPDX-License-Identifier: Apache-2.0 */
/* build: sbx has no builder and says so; but first it checks options and paths as docker's client does, so that a user who
 * has only mistyped one is told that. */
#include "cmd.h"
#include "parse.h"
#include "ref.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct build {
	bool flag;
	int64_t number;
	char *word, *file;
	struct strv words;
};

static void build_done(void *target)
{
	struct build *b = target;

	free(b->word);
	free(b->file);
	strv_done(&b->words);
}

/* ---- options whose value docker's client checks when it is met --------------------------- */

static int check_host(void *target, const char *value, struct err *e)
{
	struct build *b = target;

	return parse_add_host(value, &b->words, e);
}

static int check_arg(void *target, const char *value, struct err *e)
{
	(void)target;
	return parse_env(value, e);
}

static int check_label(void *target, const char *value, struct err *e)
{
	(void)target;
	return parse_label(value, e);
}

static int check_swap(void *target, const char *value, struct err *e)
{
	struct build *b = target;

	return str_eq(value, "-1") ? 0 : parse_bytes(value, &b->number, e);
}

static int check_tag(void *target, const char *value, struct err *e)
{
	auto_ref struct ref r = {0};

	(void)target;
	return ref_parse(value, &r, e);
}

static int check_ulimit(void *target, const char *value, struct err *e)
{
	struct spec_ulimit u;

	(void)target;
	return parse_ulimit(value, &u, e);
}

/* clang-format off */
#define B struct build
static const struct opt build_opts[] = {
	{ 0,   "add-host",              "list",    "Add a custom host-to-IP mapping (\"host:ip\")", OPT_CALL(check_host) },
	{ 0,   "build-arg",             "list",    "Set build-time variables", OPT_CALL(check_arg) },
	{ 0,   "cache-from",            "strings", "Images to consider as cache sources", OPT_LIST(B, words), OPT_SINCE(25) },
	{ 0,   "cgroup-parent",         "string",  "Set the parent cgroup for the \"RUN\" instructions during build", OPT_STR(B, word) },
	{ 0,   "compress",              NULL,      "Compress the build context using gzip", OPT_FLAG(B, flag) },
	{ 0,   "cpu-period",            "int",     "Limit the CPU CFS (Completely Fair Scheduler) period", OPT_INT(B, number) },
	{ 0,   "cpu-quota",             "int",     "Limit the CPU CFS (Completely Fair Scheduler) quota", OPT_INT(B, number) },
	{ 'c', "cpu-shares",            "int",     "CPU shares (relative weight)", OPT_INT(B, number) },
	{ 0,   "cpuset-cpus",           "string",  "CPUs in which to allow execution (0-3, 0,1)", OPT_STR(B, word) },
	{ 0,   "cpuset-mems",           "string",  "MEMs in which to allow execution (0-3, 0,1)", OPT_STR(B, word) },
	{ 0,   "disable-content-trust", NULL,      "Skip image verification (default true)", OPT_FLAG(B, flag) },
	{ 'f', "file",                  "string",  "Name of the Dockerfile (Default is \"PATH/Dockerfile\")", OPT_STR(B, file) },
	{ 0,   "force-rm",              NULL,      "Always remove intermediate containers", OPT_FLAG(B, flag) },
	{ 0,   "iidfile",               "string",  "Write the image ID to the file", OPT_STR(B, word) },
	{ 0,   "isolation",             "string",  "Container isolation technology", OPT_STR(B, word) },
	{ 0,   "label",                 "list",    "Set metadata for an image", OPT_CALL(check_label) },
	{ 'm', "memory",                "bytes",   "Memory limit", OPT_BYTES(B, number) },
	{ 0,   "memory-swap",           "bytes",   "Swap limit equal to memory plus swap: -1 to enable unlimited swap", OPT_CALL(check_swap) },
	{ 0,   "network",               "string",  "Set the networking mode for the RUN instructions during build (default \"default\")", OPT_STR(B, word), OPT_SINCE(25) },
	{ 0,   "no-cache",              NULL,      "Do not use cache when building the image", OPT_FLAG(B, flag) },
	{ 0,   "platform",              "string",  "Set platform if server is multi-platform capable", OPT_STR(B, word), OPT_SINCE(38) },
	{ 0,   "pull",                  NULL,      "Always attempt to pull a newer version of the image", OPT_FLAG(B, flag) },
	{ 'q', "quiet",                 NULL,      "Suppress the build output and print image ID on success", OPT_FLAG(B, flag) },
	{ 0,   "rm",                    NULL,      "Remove intermediate containers after a successful build (default true)", OPT_FLAG(B, flag) },
	{ 0,   "security-opt",          "strings", "Security options", OPT_LIST(B, words) },
	{ 0,   "shm-size",              "bytes",   "Size of \"/dev/shm\"", OPT_BYTES(B, number) },
	{ 0,   "squash",                NULL,      "Squash newly built layers into a single new layer", OPT_FLAG(B, flag), OPT_EXPERIMENTAL | OPT_SINCE(25) },
	{ 't', "tag",                   "list",    "Name and optionally a tag in the \"name:tag\" format", OPT_CALL(check_tag) },
	{ 0,   "target",                "string",  "Set the target build stage to build.", OPT_STR(B, word), OPT_SINCE(29) },
	{ 0,   "ulimit",                "ulimit",  "Ulimit options (default [])", OPT_CALL(check_ulimit) },

	/* buildx, if installed, replaces docker's own builder: its options are no mistakes, either */
	{ 0,   "allow",                 "strings", "Allow extra privileged entitlement", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "annotation",            "strings", "Add annotation to the image", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "attest",                "strings", "Attestation parameters", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "build-context",         "strings", "Additional build contexts", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "builder",               "string",  "Override the configured builder instance", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "cache-to",              "strings", "Cache export destinations", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "call",                  "string",  "Set method for evaluating build", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "check",                 NULL,      "Shorthand for \"--call=check\"", OPT_FLAG(B, flag), OPT_HIDDEN },
	{ 0,   "load",                  NULL,      "Shorthand for \"--output=type=docker\"", OPT_FLAG(B, flag), OPT_HIDDEN },
	{ 0,   "metadata-file",         "string",  "Write build result metadata to a file", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "no-cache-filter",       "strings", "Do not cache specified stages", OPT_LIST(B, words), OPT_HIDDEN },
	{ 'o', "output",                "strings", "Output destination", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "progress",              "string",  "Set type of progress output", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "provenance",            "string",  "Shorthand for \"--attest=type=provenance\"", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "push",                  NULL,      "Shorthand for \"--output=type=registry\"", OPT_FLAG(B, flag), OPT_HIDDEN },
	{ 0,   "sbom",                  "string",  "Shorthand for \"--attest=type=sbom\"", OPT_STR(B, word), OPT_HIDDEN },
	{ 0,   "secret",                "strings", "Secret to expose to the build", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0,   "ssh",                   "strings", "SSH agent socket or keys to expose to the build", OPT_LIST(B, words), OPT_HIDDEN },
	{ 0 },
};
/* clang-format on */

/* ---- what is to be built ----------------------------------------------------------------- */

static bool is_url(const char *s)
{
	static const char *const begins[] = {"http://", "https://", "git://", "github.com/", "git@"};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_starts(s, begins[i]))
			return true;
	return false;
}

static int prepare_failed(const char *what, const char *path, struct err *e)
{
	return err_go(e, "unable to prepare context: %s: lstat %s", what, path);
}

/* The error names the first part of the path that does not exist. */
static int check_file(const char *path, struct err *e)
{
	static const char *const what = "unable to evaluate symlinks in Dockerfile path";
	auto_free char *part = xstrdup(path);
	struct stat st;

	for (char *s = part + 1; (s = strchr(s, '/')) != NULL; *s++ = '/') {
		*s = '\0';
		if (stat(part, &st) < 0)
			return prepare_failed(what, part, e);
	}
	return stat(path, &st) < 0 ? prepare_failed(what, path, e) : 0;
}

static int check_directory(const char *dir, const char *file, struct err *e)
{
	auto_free char *real = realpath(dir, NULL), *cwd = getcwd(NULL, 0), *path = NULL;
	struct stat st;

	if (!real || stat(real, &st) < 0) {
		auto_buf struct buf quoted = {0};

		buf_quote(&quoted, dir);
		return err_set(e, ERR_USAGE, "unable to prepare context: path %s not found", quoted.s);
	}
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE,
			"unable to prepare context: context must be a directory: %s", real);
	if (str_eq(file, "-"))
		return 0;
	if (file && *file) {
		path = *file == '/' || !cwd ? xstrdup(file) : xasprintf("%s/%s", cwd, file);
		return check_file(path, e);
	}
	path = xasprintf("%s/dockerfile", real);
	if (stat(path, &st) == 0)
		return 0;
	free(path);
	path = xasprintf("%s/Dockerfile", real);
	return check_file(path, e);
}

static int check_context(const struct build *b, const char *context, struct err *e)
{
	bool input = str_eq(context, "-");

	if (input && str_eq(b->file, "-"))
		return err_set(e, ERR_USAGE,
			"invalid argument: can't use stdin for both build context and dockerfile");
	return input || is_url(context) ? 0 : check_directory(context, b->file, e);
}

static int build_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)argc; /* one, always */
	if (check_context(target, argv[0], &e) < 0)
		(void)fprintf(stderr, "%s\n", e.text);
	else
		(void)fprintf(stderr, "ERROR: sbx builds no images from a Dockerfile: build it where docker "
				      "or buildah is, and `sbx load` the saved image, or change a "
				      "container and `sbx commit` it\n");
	return 1;
}

const struct command cmd_build = {
	.name = "build",
	.args = "[OPTIONS] PATH | URL | -",
	.about = "Build an image from a Dockerfile",
	.aliases = "docker image build, docker build, docker builder build",
	.opts = build_opts,
	.target_size = sizeof(B),
	.run = build_main,
	.done = build_done,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};
