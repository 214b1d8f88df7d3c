/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the table of all commands, and how words name one. "ps", "container ls" and "container ps" are
 * spellings of the same command.
 */
#pragma once

#include "cmd.h"

/* Ends with NULL. */
extern const struct command *const commands[];
/* A nameless command that holds docker's global options (main.c). */
extern const struct command cmd_docker;
/* Commands for scripts and for help (help.c, complete_line.c, completion.c). */
extern const struct command cmd_complete, cmd_complete_bare, cmd_completion, cmd_help, cmd_options;

struct group {
	const char *name, *about;
	const char *args; /* shown in docker's usage after an unknown command of the group */
	unsigned since;   /* as in struct command */
};
/* Ends with a group without a name. */
extern const struct group groups[];
const struct group *group_find(const char *name);

/* A command as it was called. */
struct call {
	const struct command *command;
	char path[64];             /* "docker container ls" */
	int words;                 /* how many words of the command line named it */
	const struct group *group; /* NULL: none was named */
	const char *refusal; /* for a member of a refused command: that command's refusal; else NULL */
};
/* argv[0] names the command, or the group and argv[1] the command. */
bool command_find(int argc, char *const *argv, struct call *out);
/* docker's message if the API version in $DOCKER_API_VERSION lacks the command or the group (each may be NULL), else NULL. */
char *command_lacking(const char *path, const struct command *c, const struct group *g);
/* Moves `at` from a refused command, such as "swarm", to its member that the word names. */
bool command_member(struct call *at, const char *word);
bool command_answers_to(const struct command *c, const char *words);
/* The first spelling of the command in the group ("": outside of groups). False: it has none. */
bool command_spelling(const struct command *c, const char *group, char *out, size_t size);

/* help.c */
int help_columns(void); /* the terminal's width */
void help_top(struct buf *out);
void help_group(const struct group *g, struct buf *out);
/* The help of a command, called by `path`: its options, or, if it is refused and has members, these. */
void help_command(const struct command *c, const char *path, struct buf *out);
