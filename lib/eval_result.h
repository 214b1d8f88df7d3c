/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_result: how a snippet ended and what it gave, and the line of JSON for that. Pure.
 *
 * reason, exit code, signal, times and memory are measured from outside and can be trusted; error, figures, variables and files
 * come from the python process that ran the snippet, which may lie.
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
	bool finished;      /* the code ran to its end, or to sys.exit() */
	struct buf text[2]; /* stdout and stderr, cut to a bound, with a mark at the cut */
	bool truncated[2];
	char *error_type, *error_message, *traceback; /* type NULL: no error */
	int64_t line;                                 /* of the code; 0: unknown */
	char *no_exec;                                /* why python could not be exec'ed; or NULL */
	bool memory_error;                            /* the error is a MemoryError */
	int exit_code, signal;                        /* signal 0: none */
	char reason[24]; /* exited signalled timeout cpu-time oom pids output-limit setup-error client-gone */
	double wall, user, system; /* seconds */
	int64_t peak_memory;       /* bytes; 0: unknown */
	struct eval_blob *figures, *files;
	size_t n_figures, n_files;
	bool incomplete; /* some figures, files or variables were too large and are missing */
	json_t *vars;    /* object, or NULL */
	char *state;     /* for the next request of the session; NULL: none */
	size_t state_len;
	char container[65];
};

void eval_result_done(struct eval_result *r);
#define auto_result __attribute__((cleanup(eval_result_done)))

bool eval_result_success(const struct eval_result *r);
/* The snippet never ran: reason setup-error. type: "RequestError" (the client's fault) or "SetupError" (the machine's). */
void eval_result_refuse(struct eval_result *r, const char *type, const struct err *e);
/* Copies `n` bytes as a figure (name NULL) or a file. */
void eval_result_add(struct eval_result *r, const char *name, const char *data, size_t n);

/* Appends the line with its newline. id: the request's, or NULL. */
void eval_result_line(const struct eval_result *r, const json_t *id, struct buf *out);

/* Cuts `text` to at most `max` bytes, at the end of a UTF-8 character, and appends a mark; true: it did. seen: how many bytes
 * there were in all. */
bool eval_cut(struct buf *text, size_t max, uint64_t seen);
