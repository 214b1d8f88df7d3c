/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete: what a shell may offer for a word of a command line. `sbx __complete -- WORD... CURRENT` prints a
 * line for each offer, "text<TAB>what it is", and the line ":files" where names of files fit. The scripts of zsh
 * and fish show just that, so a new option needs nothing there.
 */
#pragma once

#include "opt.h"

/* Options of the rows that begin with `current`. */
void complete_options(const struct opt *rows, const char *current, struct buf *out);
/* The row that an option on the command line ("--name", "-abc") is, or NULL: none, or with its "=value". */
const struct opt *complete_row(const struct opt *rows, const char *word);
/* Values of an option. */
void complete_values(const struct opt *row, const char *current, struct buf *out);
/* The n-th operand (from 0) of the command. */
void complete_operand(const char *command, int n, const char *current, struct buf *out);
/* A line, if the text begins with `current`. */
void complete_offer(const char *text, const char *about, const char *current, struct buf *out);
