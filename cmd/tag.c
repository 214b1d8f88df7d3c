/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "image.h"
#include "image_name.h"
#include "ref.h"
#include "sha256.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int not_a_tag(const char *word, const struct err *e)
{
	(void)fprintf(stderr, "Error parsing reference: %s is not a valid repository/tag: %s\n",
		QUOTED(word), e->text);
	return 1;
}

/* Whether docker's client accepts the word as a source; or it is a file, about which there is an error of its own. */
static bool is_source(const char *word, struct err *e)
{
	auto_ref struct ref r = {0};
	struct stat st;

	return (stat(word, &st) == 0 && !S_ISDIR(st.st_mode)) || str_is_hex(word, SHA256_HEX) ||
	       str_starts(word, "sha256:") || ref_parse(word, &r, e) == 0;
}

static int tag_main(void *target, int argc, char **argv)
{
	auto_free char *name = NULL;
	auto_image struct image i = {0};
	auto_store struct store s = {0};
	struct err e = {0};

	(void)target, (void)argc;
	if (!is_source(argv[0], &e))
		return not_a_tag(argv[0], &e);
	name = ref_familiar(argv[1], &e);
	if (name && strchr(name, '@')) {
		(void)fputs("refusing to create a tag with a digest reference\n", stderr);
		return 1;
	}
	if (!name)
		return not_a_tag(argv[1], &e);
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
