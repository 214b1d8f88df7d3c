/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_bundle: the command line of a file made by `enroot bundle`. */
#include "enroot_main.h"

#include "auto.h"
#include "enroot.h"
#include "enroot_args.h"
#include "enroot_bundle.h"
#include "state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct row rows[] = {
	{ 'i', "info",    NULL,        "Tell about this bundle", IS_FLAG(struct args, info) },
	{ 'k', "keep",    NULL,        "Leave the files in the target directory", IS_FLAG(struct args, keep) },
	{ 'q', "quiet",   NULL,        "No progress (there is none)", IS_FLAG(struct args, quiet) },
	{ 'v', "verify",  NULL,        "Tell what this machine allows", IS_FLAG(struct args, verify) },
	{ 'x', "extract", NULL,        "Put the files in the target directory, and no more", IS_FLAG(struct args, extract) },
	{ 'c', "conf",    "CONFIG",    "A configuration script to run before", IS_TEXT(struct args, conf) },
	{ 'e', "env",     "KEY[=VAL]", "A variable for the command", IS_LIST(struct args, env) },
	{ 'm', "mount",   "FSTAB",     "A mount, its fields separated by colons", IS_LIST(struct args, mounts) },
	{ 0,   "rc",      "SCRIPT",    "Another command script", IS_TEXT(struct args, rc) },
	{ 'r', "root",    NULL,        "Be root inside", IS_FLAG(struct args, root) },
	{ 'w', "rw",      NULL,        "Make the root writable", IS_FLAG(struct args, rw) },
	{ 0 },
};
/* clang-format on */

static int info(const struct enroot_bundle *b)
{
	if (b->checksum)
		say_print("Checksum: %s\n", b->checksum);
	say_print("Compression: %s\nDescription: %s\nRuntime version: %s\n"
		  "Target directory: %s\nImage size: %llu KB\n",
		b->compression, b->description, ENROOT_VERSION, b->target,
		(unsigned long long)(b->size + 1023) / 1024);
	return say_written(0);
}

static int set(const char *name, const char *dir, const char *sub)
{
	auto_free char *path = xasprintf("%s/%s", dir, sub);

	return setenv(name, path, 1);
}

/* Only the bundle's own configuration counts: all directories are its scratch directory's, none is the machine's. */
static void settings(const struct args *a, const struct enroot_bundle *b, const char *scratch)
{
	enroot_bundle_settings(b);
	(void)set("ENROOT_SYSCONF_PATH", scratch, "system"); /* memory only, as all of these */
	(void)set("ENROOT_CONFIG_PATH", scratch, "user");
	(void)set("ENROOT_DATA_PATH", scratch, "data");
	(void)set("ENROOT_CACHE_PATH", scratch, "cache");
	(void)set("ENROOT_RUNTIME_PATH", scratch, "run");
	if (a->root)
		(void)setenv("ENROOT_REMAP_ROOT", "y", 1);
	if (a->rw)
		(void)setenv("ENROOT_ROOTFS_WRITABLE", "y", 1);
}

/* With --keep the root is the target directory with the extracted files, which stay there. */
static int start(const struct args *a, const struct enroot_bundle *b, const char *scratch, int argc,
	char **argv, int *status, struct err *e)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_free char *image = xasprintf("%s/image", scratch), *real = NULL;
	struct enroot_start ask = {.target = image,
		.scratch = scratch,
		.conf = a->conf,
		.rc = a->rc,
		.env = a->env,
		.mounts = a->mounts,
		.command = {.v = argv, .n = (size_t)argc}};
	char *name;

	settings(a, b, scratch);
	if (enroot_conf_load(e) < 0)
		return -1;
	if (a->keep) {
		real = realpath(b->target, NULL);
		name = real ? strrchr(real, '/') : NULL;
		if (!name)
			return err_sys(e, "%s", b->target);
		*name = '\0';
		(void)setenv("ENROOT_DATA_PATH", *real ? real : "/", 1); /* memory only */
		ask.target = name + 1;
	}
	if (a->conf && enroot_conf_script(a->conf, e) < 0)
		return -1;
	return store_open(&s, e) < 0 ? -1 : enroot_start(&s, &ask, status, e);
}

static int run(const struct args *a, const struct enroot_bundle *b, int argc, char **argv)
{
	auto_free char *scratch = NULL;
	struct err e, other;
	int status = 0, result;

	if (enroot_check(a, &e) < 0 || (scratch = enroot_bundle_scratch(b, &e)) == NULL)
		return enroot_fail(&e);
	result = a->keep || a->extract ? enroot_bundle_extract(scratch, b->target, &e) : 0;
	if (result == 0 && !a->extract)
		result = start(a, b, scratch, argc, argv, &status, &e);
	(void)state_remove_tree(AT_FDCWD, scratch, &other); /* best effort, after the command has ended */
	return result < 0 ? enroot_fail(&e) : enroot_end_as(status);
}

static int run_bundle(const struct enroot_bundle *b, int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const struct verb usage = {.name = slash ? slash + 1 : argv[0],
		.args = "[options] [--] [COMMAND] [ARG...]",
		.about = str_eq(b->description, "none") ? "A container image that starts itself"
	                                                : b->description,
		.rows = rows};
	auto_args struct args a = {0};
	struct err e;
	int n;

	if (enroot_bundle_check(b, &e) < 0)
		return enroot_fail(&e);
	n = enroot_parse(&usage, argc - 1, argv + 1, &a);
	if (n < 0)
		return enroot_usage(&usage, 0); /* as enroot's bundles do */
	if (a.info)
		return info(b);
	if (a.verify)
		return say_written(cmd_doctor.run(NULL, 0, NULL));
	return run(&a, b, argc - 1 - n, argv + 1 + n);
}

bool enroot_bundle_main(int argc, char **argv, int *status)
{
	auto_bundle struct enroot_bundle b = {.fd = -1};

	if (!enroot_bundle_open(&b))
		return false;
	*status = run_bundle(&b, argc, argv);
	return true;
}
