/* SPDX-License-Identifier: Apache-2.0 */
/* complete_line: what fits at the end of a command line, whatever stands before it. */
#include "commands.h"
#include "complete.h"

#include <string.h>

/* The commands of a group, or (NULL) those without one and the groups. */
static void offer_commands(const struct group *g, const char *current, struct buf *out)
{
	const char *group = g ? g->name : "";
	size_t prefix = g ? strlen(group) + 1 : 0;
	char spelling[48];

	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden &&
			command_spelling(commands[i], group, spelling, sizeof(spelling)))
			complete_offer(spelling + prefix, commands[i]->about, current, out);
	for (size_t i = 0; !g && groups[i].name; i++)
		complete_offer(groups[i].name, groups[i].about, current, out);
}

/* Where a command line stands before the word that is being completed. */
struct place {
	const struct command *c; /* NULL: no command of ours */
	const struct group *g;   /* whose command is still to come */
	const struct opt *value_of;
	int operands;
};

static void step(struct place *p, char *word)
{
	char *two[] = {(char *)(uintptr_t)(p->g ? p->g->name : word), word};
	struct call call;

	p->value_of = NULL;
	if (word[0] == '-' && word[1] && !(p->c && p->c->stop_at_operand && p->operands)) {
		p->value_of = p->c ? complete_row(p->c->opts, word) : NULL;
		if (p->value_of && !p->value_of->arg)
			p->value_of = NULL;
	} else if (p->c != &cmd_docker) {
		p->operands++;
	} else if (!p->g && (p->g = group_find(word))) {
		;
	} else {
		p->c = command_find(p->g ? 2 : 1, two, &call) ? call.command : NULL;
		p->g = NULL;
	}
}

static int complete_main(void *target, int argc, char **argv)
{
	const char *current = argc ? argv[argc - 1] : "";
	struct place p = {.c = &cmd_docker};
	auto_buf struct buf out = {0};

	(void)target;
	for (int i = 0; i + 1 < argc; i++) {
		if (p.value_of)
			p.value_of = NULL;
		else
			step(&p, argv[i]);
	}
	if (p.value_of)
		complete_values(p.value_of, current, &out);
	else if (!p.c || (p.c->stop_at_operand && p.c != &cmd_docker && p.operands))
		;
	else if (*current == '-')
		complete_options(p.c->opts, current, &out);
	else if (p.c == &cmd_docker)
		offer_commands(p.g, current, &out);
	else if (p.c == &cmd_help)
		offer_commands(NULL, current, &out);
	else
		complete_operand(p.c->name, p.operands, current, &out);
	return say_out(&out);
}

const struct command cmd_complete = {
	.name = "__complete",
	.args = "-- WORD... CURRENT",
	.about = "What a shell may offer for the last word",
	.run = complete_main,
	.max_args = -1,
	.hidden = true,
	.ours = true,
};
