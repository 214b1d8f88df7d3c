/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: where an archive is written: standard output, unless that is a terminal, or a file that gets its name only when
 * it is complete.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

struct output {
	int fd;
	char *path, *part; /* part: the file's temporary name; both NULL: standard output */
	bool nameless;     /* the file has no name yet, not even the temporary one (O_TMPFILE) */
};

int output_open(struct output *o, const char *path /* NULL: standard output */, struct err *e);
int output_close(struct output *o, struct err *e);
/* If fd is a pipe, gives it a larger buffer, so that its reader is woken less often. */
void output_widen(int fd);
/* If e says that the reader of standard output is gone, dies of SIGPIPE: who reads only a part of it wants no complaint. */
void output_check_reader(const struct err *e);
/* Reports why the archive is not complete: a failed write in the words of docker's client, the rest as its daemon's. */
void output_say(const char *path /* NULL: standard output */, const struct err *e);
void output_drop(struct output *o); /* removes the incomplete file */
