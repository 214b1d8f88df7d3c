/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: a container's output in docker's JSON-file form, one record a line:
 *
 *	{"log":"a line\n","stream":"stdout","time":"2025-01-02T03:04:05.678Z"}
 *
 * A line of more than 16 KiB becomes several records, of which only the last has the newline; what is not
 * UTF-8 becomes U+FFFD; an unfinished line is kept until it is finished or the output ends: all as
 * docker does it. Files are containers/<id>/json.log, and json.log.1, ... where --log-opt
 * max-size and max-file ask for rotation.
 */
#pragma once

#include "state.h"
#include "str.h"

struct spec;

#define LOG_LINE_MAX 16384

struct log_writer {
	const struct store *store;
	id_text id;
	int fd;           /* -1 until there is something to write */
	bool off;         /* driver none, or stopped by an error */
	int64_t max_size; /* 0: no limit */
	int64_t max_files;
	int64_t size;
	char *attrs; /* what --log-opt labels, env and tag add to each record, or NULL */
	struct log_line {
		struct buf text;       /* the unfinished line, at most LOG_LINE_MAX */
		struct timespec began; /* time of its first record when it has several, else 0 */
	} line[2];
	struct buf out; /* records not yet written */
};

/* Reads log_driver and log_opts, env and labels of the spec; opens nothing. `s` must outlive the writer. */
int log_begin(struct log_writer *w, const struct store *s, const char *id, const struct spec *spec,
	struct err *e);
/* NULL, or a sentence about what the options ask for in vain. */
const char *log_warning(const struct spec *spec);
/* Bytes of stdout (0) or stderr (1) as they came; what is finished is in the file on return. Never fails: a
 * full disk ends the log with a record that says so, and the container goes on. */
void log_write(struct log_writer *w, int stream, const void *bytes, size_t n);
/* Unfinished lines too; frees all. NULL or zeroed is fine. */
void log_end(struct log_writer *w);

struct log_query {
	bool out, err; /* which streams */
	bool follow, timestamps, details;
	int64_t tail;                 /* records from the end, -1: all */
	struct timespec since, until; /* zero: unbounded */
};

/* Gets a record's bytes as they are to be printed; n == 0: nothing more now, so let it be seen. The first of these
 * says that all is open which will be read: from there on a container may be removed. Not 0 ends the reading. */
typedef int log_emit(void *arg, int stream, const char *bytes, size_t n, struct err *e);

/* Memory does not grow with the log. follow: goes on until the container ends, or `until` is reached. Driver
 * none: ERR_UNSUPPORTED with docker's sentence. */
int log_read(const struct store *s, const char *id, const struct log_query *q, log_emit *emit,
	void *arg, struct err *e);
