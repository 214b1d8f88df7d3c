/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "image.h"
#include "image_name.h"
#include "ref.h"

#include <stdio.h>
#include <string.h>

static int tag_main(void *target, int argc, char **argv)
{
	auto_free char *name = NULL;
	auto_image struct image i = {0};
	auto_store struct store s = {0};
	struct err e = {0};

	(void)target, (void)argc;
	if (!*argv[0]) {
		(void)fputs("Error parsing reference: \"\" is not a valid repository/tag: invalid reference "
			    "format\n",
			stderr);
		return 1;
	}
	name = ref_familiar(argv[1], &e);
	if (name && strchr(name, '@')) {
		(void)fputs("refusing to create a tag with a digest reference\n", stderr);
		return 1;
	}
	if (!name) {
		(void)fprintf(stderr,
			"Error parsing reference: \"%s\" is not a valid repository/tag: %s\n",
			argv[1], e.text);
		return 1;
	}
	if (store_open(&s, &e) == 0 && image_find(&s, argv[0], &i, &e) == 0) {
		if (i.by_path)
			(void)err_set(&e, ERR_UNSUPPORTED,
				"%s is a file: give it a name by `import`", argv[0]);
		else if (image_name(&s, i.id, name, &e) == 0)
			return 0;
	}
	say_daemon_error(&e);
	return 1;
}

const struct command cmd_tag = {
	.name = "tag",
	.args = "SOURCE_IMAGE[:TAG] TARGET_IMAGE[:TAG]",
	.about = "Create a tag TARGET_IMAGE that refers to SOURCE_IMAGE",
	.aliases = "docker image tag, docker tag",
	.run = tag_main,
	.min_args = 2,
	.max_args = 2,
	.stop_at_operand = true,
};
