/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete: what a shell may offer for a word of a command line, in the protocol of docker's completion scripts:
 * `sbx __complete WORD... CURRENT` prints a line for each offer, "text<TAB>description", then ":" and a number that tells
 * the shell what to do with them (OFFER_*). Commands and options are filtered here: only those that begin with CURRENT are
 * printed. Everything else is filtered by the shell, by the rules its user has chosen. The scripts, ours and docker's, show
 * what is printed, so they need no change for a new option. Where docker offers nothing at all, file names are offered.
 */
#pragma once

#include "commands.h"

enum {
	OFFER_OR_FILES = 0, /* offer file names, too */
	OFFER_NO_SPACE = 2, /* add no space: more of the same word follows */
	OFFER_ALONE = 4,    /* offer no file names */
};

struct offers {
	const struct command *command;
	char *const *words; /* before the current one */
	int n_words;
	int operands; /* how many of the words are operands */
	const char *current;
	struct buf out;
	size_t fitting, open; /* offers that begin with current, and how many of these are incomplete, like "size=" */
	unsigned how; /* OFFER_* */
};

/* about: a description, of which the first line is shown; or NULL. */
void complete_offer(struct offers *o, const char *text, const char *about);
/* The same, if the text begins with the current word. */
void complete_offer_fitting(struct offers *o, const char *text, const char *about);
void complete_options(struct offers *o, const struct opt *rows);
/* Whether the words have this flag. */
bool complete_has(const struct offers *o, const char *name, char letter);
/* The option's value in the words, or NULL. */
const char *complete_given(const struct offers *o, const char *name);

/* complete_names.c: names of existing objects */
enum {
	NAMES_RUNNING = 1, /* but not paused */
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
/* Offers each name with `before` and `behind` around it. */
void complete_names(struct offers *o, unsigned kinds, const char *before, const char *behind);
void complete_operand(struct offers *o);

/* complete_values.c: values of an option */
void complete_values(struct offers *o, const struct opt *row);
