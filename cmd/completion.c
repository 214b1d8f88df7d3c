/* SPDX-License-Identifier: Apache-2.0 */
/* completion: prints the completion scripts for shells, for users who have not installed them. */
#include "cmd.h"
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define EMBED(name, file)                 \
	__asm__(".section .rodata\n"     \
		name ":\n"               \
		".incbin \"" file "\"\n" \
		".byte 0\n"              \
		".previous\n")           \
/* clang-format on */

EMBED("completion_bash", "cmd/completion/sbx.bash");
EMBED("completion_zsh", "cmd/completion/_sbx");
EMBED("completion_fish", "cmd/completion/sbx.fish");
extern const char completion_bash[], completion_zsh[], completion_fish[];

struct completion_args {
	bool bare;
};

static const struct opt completion_opts[] = {
	{0, "no-descriptions", NULL, "disable completion descriptions", OPT_FLAG(struct completion_args, bare), 0},
	{0},
};

/* Replaces each `what` in the text by `by`. */
static void replace(struct buf *text, const char *what, const char *by)
{
	auto_buf struct buf out = {0};
	const char *at = text->s, *found;

	for (; (found = strstr(at, what)); at = found + strlen(what))
		buf_printf(&out, "%.*s%s", (int)(found - at), at, by);
	buf_puts(&out, at);
	buf_done(text);
	*text = out;
	out = (struct buf){0};
}

/* before, behind: what is around our name where the script says which program it completes */
static const struct {
	const char *shell, *script, *before, *behind;
} known[] = {
	{"bash", completion_bash, "-F _sbx ", "\n"},
	{"fish", completion_fish, "complete -c ", " "},
	{"zsh", completion_zsh, "#compdef ", "\n"},
};

static bool is_shell(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eq(word, known[i].shell))
			return true;
	return false;
}

/* The script completes the name by which the program was called. */
static int completion_main(void *target, int argc, char **argv)
{
	const struct completion_args *a = target;
	auto_buf struct buf out = {0};

	if (argc > 1 && is_shell(argv[0])) {
		(void)fprintf(stderr, "unknown command %s for \"docker completion %s\"\n", QUOTED(argv[1]), argv[0]);
		return 1;
	}
	for (size_t i = 0; argc == 1 && i < ARRAY_LEN(known); i++) {
		auto_free char *ours = NULL, *called = NULL;

		if (!str_eq(argv[0], known[i].shell))
			continue;
		buf_puts(&out, known[i].script);
		ours = xasprintf("%ssbx%s", known[i].before, known[i].behind);
		called = xasprintf("%s%s%s", known[i].before, program_invocation_short_name, known[i].behind);
		replace(&out, ours, called);
		if (a->bare)
			replace(&out, "__complete ", "__completeNoDesc ");
		return say_out(&out);
	}
	if (argc && str_eq(argv[0], "powershell")) {
		(void)fprintf(stderr, "sbx: there are scripts for bash, fish and zsh\n");
		return 1;
	}
	buf_puts(&out, "Usage:  docker completion COMMAND\n\n"
		       "Generate the autocompletion script for docker for the specified shell.\n"
		       "See each sub-command's help for details on how to use the generated script.\n\n"
		       "Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		buf_printf(&out, "  %-11s Generate the autocompletion script for %s\n", known[i].shell,
			known[i].shell);
	buf_puts(&out, "\nRun 'docker completion COMMAND --help' for more information on a command.\n");
	return say_out(&out);
}

const struct command cmd_completion = {
	.name = "completion",
	.args = "bash|zsh|fish",
	.about = "Generate the autocompletion script for the specified shell",
	.opts = completion_opts,
	.target_size = sizeof(struct completion_args),
	.run = completion_main,
	.max_args = -1,
	.hidden = true,
};
