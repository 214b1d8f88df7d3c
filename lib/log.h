/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: a container's output in docker's JSON-file form, one record a line:
 *
 *	{"log":"a line\n","stream":"stdout","time":"2025-01-02T03:04:05.678Z"}
 *
 * As with docker, a line of more than 16 KiB becomes several records, of which only the last has the newline; bytes
 * that are not UTF-8 become U+FFFD; an unfinished line is kept back until it is finished or the output ends.
 * The files are containers/<id>/json.log, and json.log.1, ... if --log-opt max-size and max-file ask for
 * rotation.
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
	bool off;         /* driver none */
	int64_t again;    /* an error holds the log up until then, by sys_now_ns(); 0: none does */
	int why;          /* that error */
	bool told;        /* the last record says so */
	int64_t max_size; /* 0: no limit */
	int64_t max_files;
	int64_t size;
	char *attrs; /* what --log-opt labels, env and tag add to each record; or NULL */
	struct log_line {
		struct buf text;       /* the unfinished line, at most LOG_LINE_MAX */
		struct timespec began; /* the time of its first record if it has several, else 0 */
	} line[2];
	struct buf out; /* records not yet written */
};

/* Reads log_driver and log_opts, env and labels of the spec; opens nothing. `s` must outlive the writer. */
int log_begin(struct log_writer *w, const struct store *s, const char *id, const struct spec *spec,
	struct err *e);
/* A sentence about options that have no effect here, or NULL. */
const char *log_warning(const struct spec *spec);
/* Logs bytes of stdout (0) or stderr (1); finished lines are in the file on return. Never fails: if the disk is full
 * the container goes on, a record tells that lines are missing, and a second later it is tried again. */
void log_write(struct log_writer *w, int stream, const void *bytes, size_t n);
/* Writes unfinished lines, and frees everything. w may be NULL or zeroed. */
void log_end(struct log_writer *w);

struct log_query {
	bool out, err; /* which streams */
	bool follow, timestamps, details;
	int64_t tail;                 /* records from the end, -1: all */
	struct timespec since, until; /* zero: unbounded */
};

/* Gets a record's bytes to be printed; n == 0: there is no more for now, so flush. The first such call also means that all files
 * are open: from then on the container may be removed. Returning non-zero ends the reading. */
typedef int log_emit(void *arg, int stream, const char *bytes, size_t n, struct err *e);

/* Reads the log, in bounded memory. follow: goes on until the container ends or `until` is reached. Driver none:
 * ERR_UNSUPPORTED with docker's sentence. */
int log_read(const struct store *s, const char *id, const struct log_query *q, log_emit *emit,
	void *arg, struct err *e);
