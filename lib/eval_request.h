/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_request: a request to run a snippet of python, read from a line of JSON. Pure.
 *
 *	{"id": any, "code": "print(1)", "stdin": "text", "timeout": 2.5, "memory": "256m",
 *	 "vars": {"x": [1, 2]}, "files": {"a.txt": "text", "b.bin": {"base64": "AA=="}},
 *	 "collect": ["*.csv"], "figures": true, "redact": true, "max_output": 100000,
 *	 "allow_import": ["math"], "deny_import": ["os"], "return_vars": ["y"], "seed": 7,
 *	 "state": true | "the state member of an earlier answer"}
 *
 * Only "code" is required. A member that is missing or null has its default, which the options of the command line set. An
 * unknown member is an error.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <stdint.h>

#define EVAL_TIMEOUT_NS  5000000000LL
#define EVAL_MEMORY      (256LL << 20)
#define EVAL_OUTPUT      (1LL << 20)   /* of each stream */
#define EVAL_REQUEST_MAX (128UL << 20) /* bytes of one request: a longer one is refused */
#define EVAL_FILES_MAX   (2UL << 30)   /* of all together; a message's length has four bytes */

struct eval_file {
	char *name; /* below the work directory: relative, without . and .. */
	char *data;
	size_t size;
};

struct eval_request {
	json_t *id; /* any JSON, repeated in the answer; NULL: none */
	char *code;
	size_t code_len; /* it may hold zero bytes */
	bool code_bytes; /* read from a file, whose first lines may name another encoding than UTF-8 */
	char *input;     /* standard input; NULL: there is none */
	size_t input_len;
	int64_t timeout_ns, memory, max_output;
	json_t *vars; /* object; NULL: none */
	struct eval_file *files;
	size_t n_files;
	struct strv collect;
	bool figures, redact;
	struct strv allow_import, deny_import; /* .set: given */
	struct strv return_vars;
	bool return_all;
	bool seeded;
	int64_t seed;
	bool keep_state; /* put the session's state into the answer */
	char *state;     /* the state of an earlier answer to begin with; NULL: none */
	size_t state_len;
};

/* The defaults of the program: 5 s, 256 MB, 1 MiB of output. */
void eval_request_init(struct eval_request *r);
void eval_request_done(struct eval_request *r);
#define auto_request __attribute__((cleanup(eval_request_done)))

/* Reads one line. r need not be initialised; on failure (ERR_USAGE, a sentence for the client) it holds the id, if there was
 * one, so it must be freed even then. */
int eval_request_read(struct eval_request *r, const struct eval_request *defaults, const char *line,
	size_t n, struct err *e);
/* The same of a line that is parsed already. */
int eval_request_from_json(struct eval_request *r, const struct eval_request *defaults,
	const json_t *j, struct err *e);

/* Whether a snippet's file may have this name. */
int eval_file_check(const char *name, struct err *e);
/* Adds a file, or replaces the one of the same name. */
void eval_file_add(struct eval_request *r, const char *name, const void *data, size_t n);
/* Whether a variable may have this name. */
int eval_var_check(const char *name, struct err *e);
