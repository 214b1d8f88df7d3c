/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"
#include "cmd.h"
#include "store.h"
#include "str.h"

#include <unistd.h>

static int diff_main(void *target, int argc, char **argv)
{
	static const char letters[] = "CAD";
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_changes struct changes all = {0};
	auto_buf struct buf out = {0};
	struct err e = {0};

	(void)target, (void)argc;
	if (!*argv[0]) {
		(void)fputs("Container name cannot be empty\n", stderr);
		return 1;
	}
	if (store_open(&s, &e) < 0 || changes_list(&s, argv[0], &all, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	for (size_t i = 0; i < all.n; i++)
		buf_printf(&out, "%c %s\n", letters[all.v[i].kind], all.v[i].path);
	if (isatty(STDOUT_FILENO))
		str_tame(out.s, out.len); /* the names are a stranger's */
	return say_out(&out);
}

const struct command cmd_diff = {
	.name = "diff",
	.args = "CONTAINER",
	.about = "Inspect changes to files or directories on a container's filesystem",
	.aliases = "docker container diff, docker diff",
	.run = diff_main,
	.min_args = 1,
	.max_args = 1,
};
