/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the table of all of them, and how words find one. "ps", "container ls" and "container ps" are
 * spellings of the same.
 */
#pragma once

#include "cmd.h"

/* The last is NULL. */
extern const struct command *const commands[];
/* What stands before a command, without a name: docker's own options (main.c). */
extern const struct command cmd_docker;
/* help.c, complete_line.c: commands which nobody types, or not often */
extern const struct command cmd_complete, cmd_complete_bare, cmd_completion, cmd_help, cmd_options;

/* The last has no name. args: as docker's usage has it behind a word that it does not know. */
struct group {
	const char *name, *about, *args;
	unsigned since; /* as a command's */
};
extern const struct group groups[];
const struct group *group_find(const char *name);

/* One command as it was called. */
struct call {
	const struct command *command;
	char path[64];             /* "docker container ls" */
	int words;                 /* of the command line which named it */
	const struct group *group; /* NULL: none was named */
	const char *refusal; /* of the group that the command is behind; NULL: it has its own, or is none to refuse */
};
/* argv[0] names the command, or the group and argv[1] the command. */
bool command_find(int argc, char *const *argv, struct call *out);
/* docker's sentence where the API of $DOCKER_API_VERSION lacks it, or the group (c NULL: that alone); NULL: it has it. */
char *command_lacking(const char *path, const struct command *c, const struct group *g);
/* Of a command that is refused with all that is behind it: goes on to the one that the word names. */
bool command_member(struct call *at, const char *word);
bool command_answers_to(const struct command *c, const char *words);
/* The spelling of the command in a group ("" for none): the first of its aliases there. False: it has none. */
bool command_spelling(const struct command *c, const char *group, char *out, size_t size);

/* help.c */
int help_columns(void); /* of the terminal */
void help_top(struct buf *out);
void help_group(const struct group *g, struct buf *out);
/* A command by its path: its options, or of what is refused the members. */
void help_command(const struct command *c, const char *path, struct buf *out);
