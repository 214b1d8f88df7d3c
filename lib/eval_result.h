/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_result: what became of a snippet, and the one line of JSON that says it. Pure.
 *
 * What the machine says (reason, exit code, signal, times, memory) comes from outside of the snippet's reach;
 * error, figures, variables and files come from the python that ran it: a program can lie about itself.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <stdint.h>

struct eval_blob {
	char *name; /* NULL: a figure */
	char *data;
	size_t size;
};

struct eval_result {
	bool finished; /* the code ran to its end, or to sys.exit() */
	struct buf text[2]; /* stdout, stderr: as they came, bounded, with the mark where they were cut */
	bool truncated[2];
	char *error_type, *error_message, *traceback; /* type NULL: no error */
	int64_t line;                                 /* of the code; 0: unknown */
	char *no_exec;                                /* why there was no python to run it; NULL */
	bool memory_error;                            /* it was a MemoryError */
	int exit_code, signal;                        /* signal 0: none */
	char reason[24]; /* exited signalled timeout cpu-time oom pids output-limit setup-error client-gone */
	double wall, user, system; /* seconds */
	int64_t peak_memory;       /* bytes; 0: unknown */
	struct eval_blob *figures, *files;
	size_t n_figures, n_files;
	bool incomplete; /* figures, files or variables were too large to be all here */
	json_t *vars;    /* object, or NULL */
	char *state;     /* for the next of its session; NULL: none */
	size_t state_len;
	char container[65];
};

void eval_result_done(struct eval_result *r);
#define auto_result __attribute__((cleanup(eval_result_done)))

bool eval_result_success(const struct eval_result *r);
/* It never ran: reason setup-error. type: "RequestError" (the client's), "SetupError" (the machine's). */
void eval_result_refuse(struct eval_result *r, const char *type, const struct err *e);
/* Copies `n` bytes as a figure (name NULL) or a file. */
void eval_result_add(struct eval_result *r, const char *name, const char *data, size_t n);

/* A line, with its newline. id: of the request, or NULL. */
void eval_result_line(const struct eval_result *r, const json_t *id, struct buf *out);

/* Cuts `text` to `max` bytes, where a character of UTF-8 ends, and marks the place. seen: how much there was. */
bool eval_cut(struct buf *text, size_t max, uint64_t seen);
