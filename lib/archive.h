/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive: files of a container as tar streams, whether it runs or not: what cp, export and the API's archive
 * calls are made of. Symbolic links lead nowhere but inside of the container.
 *
 * `what` is the container as the user named it: docker's sentences repeat that. Paths are taken from the root,
 * whatever they begin with; a slash or "/." at the end means what it means to docker.
 *
 *	auto_archive struct archive a = ARCHIVE_NONE;
 *	if (archive_get(s, "web", "/srv", pipe[1], NULL, &st, &a, e) == 0) ... read pipe[0] ... archive_end(&a, e)
 */
#pragma once

#include "expand.h"
#include "inside.h"
#include "meter.h"

#include <stdint.h>
#include <time.h>

struct archive_stat {
	char *name;        /* last component of the path as asked */
	char *link_target; /* of a symbolic link: the absolute path it means inside; else "" */
	int64_t size;
	mode_t mode; /* with the type */
	struct timespec mtime;
};

void archive_stat_done(struct archive_stat *st);
#define auto_archive_stat __attribute__((cleanup(archive_stat_done)))

/* Work under way. */
struct archive {
	struct inside inside;
};
#define ARCHIVE_NONE ((struct archive){{-1, -1, -1}})

enum {
	ARCHIVE_KEEP_KIND = 1, /* no directory takes the place of a file, nor a file that of a directory */
	ARCHIVE_OWNER = 2, /* all files belong to the container's user, not to whom the archive says */
};

/* Nothing there: ERR_NOT_FOUND. */
int archive_stat(const struct store *s, const char *what, const char *path, struct archive_stat *st,
	struct err *e);
/* Begins to write a tar of the path to `out`, which the caller may close: another process has it. `st` is known
 * on return, the rest comes while the caller reads. */
int archive_get(const struct store *s, const char *what, const char *path, int out,
	struct meter *meter, struct archive_stat *st, struct archive *work, struct err *e);
/* Begins to extract the tar that comes from `in`, which is expand_handed() then, into the directory `path`, which must be there
 * (ERR_NOT_FOUND; a file: ERR_USAGE; read-only: ERR_DENIED). On return it is known that it is. */
int archive_put(const struct store *s, const char *what, const char *path, struct expand *in,
	unsigned flags, struct meter *meter, struct archive *work, struct err *e);
/* Begins to write the whole root, without volumes. */
int archive_export(const struct store *s, const char *what, int out, struct meter *meter,
	struct archive *work, struct err *e);
/* Waits until it is through, and says how it went. */
int archive_end(struct archive *work, struct err *e);
void archive_abort(struct archive *work);
#define auto_archive __attribute__((cleanup(archive_abort)))
