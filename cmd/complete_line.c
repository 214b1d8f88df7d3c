/* SPDX-License-Identifier: Apache-2.0 */
/* complete_line: walks a command line up to its last word and offers what may stand there. */
#include "complete.h"

#include <stdio.h>
#include <string.h>

/* The commands of a group; NULL: those outside of groups, and the groups. */
static void offer_commands(struct offers *o, const struct group *g)
{
	const char *group = g ? g->name : "";
	size_t prefix = g ? strlen(group) + 1 : 0;
	char spelling[48];

	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden &&
			command_spelling(commands[i], group, spelling, sizeof(spelling)))
			complete_offer_fitting(o, spelling + prefix, commands[i]->about);
	for (size_t i = 0; !g && groups[i].name; i++)
		complete_offer_fitting(o, groups[i].name, groups[i].about);
}

/* What is known when the word that is being completed is reached. */
struct place {
	const struct command *c;    /* NULL: an unknown command */
	const struct group *g;      /* a group was named, but no command of it yet */
	const struct opt *value_of; /* the word is the value of this option */
	int operands;
	bool no_options; /* "--" was met */
};

static const struct opt *row_of(const struct opt *rows, const char *name, size_t n, char letter)
{
	for (const struct opt *o = rows; o && o->name; o++)
		if (name ? strlen(o->name) == n && strncmp(o->name, name, n) == 0
			 : letter && o->letter == letter)
			return o;
	return NULL;
}

/* The option in `word` whose value will be the next word, or NULL: those of "-it" have no values, and "-m1g" includes it. */
static const struct opt *awaits(const struct opt *rows, const char *word)
{
	const struct opt *row;

	if (word[1] == '-') {
		row = strchr(word, '=') ? NULL : row_of(rows, word + 2, strlen(word + 2), 0);
		return row && row->arg ? row : NULL;
	}
	for (const char *at = word + 1; *at; at++) {
		row = row_of(rows, NULL, 0, *at);
		if (row && row->arg)
			return at[1] ? NULL : row;
	}
	return NULL;
}

static void step(struct place *p, char *word)
{
	char *two[] = {(char *)(uintptr_t)(p->g ? p->g->name : word), word};
	bool is_option = word[0] == '-' && word[1] && !p->no_options &&
	                 !(p->c && p->c->stop_at_operand && p->operands);
	struct call call;

	if (is_option && str_eq(word, "--")) {
		p->no_options = true;
	} else if (is_option) {
		p->value_of = p->c ? awaits(p->c->opts, word) : NULL;
	} else if (p->c != &cmd_docker) {
		p->operands++;
	} else if (!p->g && (p->g = group_find(word))) {
		;
	} else {
		p->c = command_find(p->g ? 2 : 1, two, &call) ? call.command : NULL;
		p->g = NULL;
	}
}

/* For "--network=ho" only the value is offered: the shell keeps what is before it. */
static const struct opt *value_within(const struct place *p, const char **current)
{
	const char *eq = strchr(*current, '=');
	const struct opt *row = NULL;

	if (p->c && str_starts(*current, "--") && eq)
		row = row_of(p->c->opts, *current + 2, (size_t)(eq - *current) - 2, 0);
	if (row)
		*current = eq + 1;
	return row;
}

static void offer(struct offers *o, struct place *p)
{
	bool words_of_another = p->c && p->c != &cmd_docker && p->c->stop_at_operand && p->operands;

	if (!p->value_of && !words_of_another && !p->no_options)
		p->value_of = value_within(p, &o->current);
	o->how = OFFER_ALONE;
	if (p->value_of) {
		if (p->value_of->arg)
			complete_values(o, p->value_of);
	} else if (!p->c || p->c->verbatim) {
		o->how = OFFER_OR_FILES;
	} else if (*o->current == '-' && !words_of_another && !p->no_options) {
		complete_options(o, p->c->opts);
	} else if (p->c == &cmd_docker) {
		offer_commands(o, p->g);
	} else if (p->c == &cmd_help) {
		offer_commands(o, NULL);
	} else {
		complete_operand(o);
	}
	if (o->open && o->open == o->fitting)
		o->how = OFFER_NO_SPACE;
}

static void print_bare(const struct buf *out)
{
	for (const char *line = out->s; line && *line; line += strcspn(line, "\n") + 1)
		(void)printf("%.*s\n", (int)strcspn(line, "\t\n"), line);
}

static int complete(int argc, char **argv, bool bare)
{
	static const char *const told[] = {
		[OFFER_OR_FILES] = "ShellCompDirectiveDefault", [OFFER_NO_SPACE] = "ShellCompDirectiveNoSpace", [OFFER_ALONE] = "ShellCompDirectiveNoFileComp"};
	struct place p = {.c = &cmd_docker};
	struct offers o = {.words = argv, .n_words = argc - 1};

	if (argc == 0) {
		(void)fprintf(stderr, "requires at least 1 arg(s), only received 0\n");
		return 1;
	}
	o.current = argv[argc - 1];
	for (int i = 0; i + 1 < argc; i++) {
		if (p.value_of)
			p.value_of = NULL;
		else
			step(&p, argv[i]);
	}
	o.command = p.c;
	o.operands = p.operands;
	offer(&o, &p);
	if (bare)
		print_bare(&o.out);
	else
		(void)fwrite(o.out.s ? o.out.s : "", 1, o.out.len, stdout);
	buf_done(&o.out);
	(void)printf(":%u\n", o.how);
	(void)fflush(stdout);
	(void)fprintf(stderr, "Completion ended with directive: %s\n", told[o.how]);
	return 0;
}

static int complete_main(void *target, int argc, char **argv)
{
	(void)target;
	return complete(argc, argv, false);
}

static int bare_main(void *target, int argc, char **argv)
{
	(void)target;
	return complete(argc, argv, true);
}

const struct command cmd_complete = {
	.name = "__complete",
	.args = "WORD... CURRENT",
	.about = "What a shell may offer for the last word",
	.run = complete_main,
	.max_args = -1,
	.verbatim = true,
	.hidden = true,
	.ours = true,
};

const struct command cmd_complete_bare = {
	.name = "__completeNoDesc",
	.args = "WORD... CURRENT",
	.about = "The same without what each is",
	.run = bare_main,
	.max_args = -1,
	.verbatim = true,
	.hidden = true,
	.ours = true,
};
