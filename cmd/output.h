/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: where an archive goes: standard output, if that is no terminal, or a file which gets its name when it is
 * whole.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

struct output {
	int fd;
	char *path, *part; /* part: what it is called until then; NULL: standard output, or no file to be replaced */
	bool nameless; /* it is not called anything until then */
};

int output_open(struct output *o, const char *path /* NULL: standard output */, struct err *e);
int output_close(struct output *o, struct err *e);
/* A pipe's reader is woken less often; no pipe stays as it is. */
void output_widen(int fd);
/* Who reads a part of standard output wants no complaint: when he has gone, this ends as SIGPIPE ends. */
void output_check_reader(const struct err *e);
/* Why there is no whole archive: what could not be written is the client's failure, the rest docker's daemon's. */
void output_say(const char *path /* NULL: standard output */, const struct err *e);
void output_drop(struct output *o); /* nothing is left of it */
