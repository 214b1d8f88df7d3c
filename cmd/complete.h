/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete: what a shell may offer for a word of a command line, as docker's client tells its completion scripts:
 * `sbx __complete WORD... CURRENT` prints a line for each offer, "text<TAB>what it is", then ":" and the number of what
 * the shell is to do with them. Commands and options are those that begin with CURRENT; of everything else the shell
 * takes its pick, with the rules that its user has chosen. Ours and docker's own scripts show just that, so a new option
 * needs nothing there. What docker offers nothing for and would not have files for either, has files.
 */
#pragma once

#include "commands.h"

enum {
	OFFER_OR_FILES = 0, /* names of files as well */
	OFFER_NO_SPACE = 2, /* more of the same word follows */
	OFFER_ALONE = 4,    /* no names of files */
};

struct offers {
	const struct command *command;
	char *const *words; /* before the current one */
	int n_words;
	int operands; /* how many of them */
	const char *current;
	struct buf out;
	size_t fitting, open; /* offers that begin with current, and those of them of which more follows: "size=" */
	unsigned how;
};

/* Any offer. about: NULL, or a sentence of which the first line is shown. */
void complete_offer(struct offers *o, const char *text, const char *about);
/* Only if it begins with the current word. */
void complete_offer_fitting(struct offers *o, const char *text, const char *about);
void complete_options(struct offers *o, const struct opt *rows);
/* Whether one of the words is this option, a flag. */
bool complete_has(const struct offers *o, const char *name, char letter);
/* What the words give as the option's value, or NULL. */
const char *complete_given(const struct offers *o, const char *name);

/* complete_names.c: names of what there is */
enum {
	NAMES_RUNNING = 1, /* and not paused */
	NAMES_PAUSED = 2,
	NAMES_STOPPED = 4, /* or never started */
	NAMES_RESTARTING = 8,
	NAMES_LIVE = NAMES_RUNNING | NAMES_PAUSED | NAMES_RESTARTING,
	NAMES_CONTAINERS = NAMES_LIVE | NAMES_STOPPED,
	NAMES_IMAGES = 16,
	NAMES_VOLUMES = 32,
	NAMES_NETWORKS = 64,
	NAMES_CONTEXTS = 128,
	NAMES_FILES = 256,
};
/* Each between `before` and `behind`. */
void complete_names(struct offers *o, unsigned kinds, const char *before, const char *behind);
void complete_operand(struct offers *o);

/* complete_values.c: values of an option */
void complete_values(struct offers *o, const struct opt *row);
