/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive: files of a container, running or not, as tar streams: what cp, export and the API's archive calls are made
 * of. Symbolic links are followed inside the container only.
 *
 * `what` is the container as the user named it, since docker's sentences repeat that. Paths start at the container's root, with or
 * without a slash; a "/" or "/." at the end means what it means to docker.
 *
 *	auto_archive struct archive a = ARCHIVE_NONE;
 *	if (archive_get(s, "web", "/srv", pipe[1], NULL, &st, &a, e) == 0) ... read pipe[0] ... archive_end(&a, e)
 */
#pragma once

#include "expand.h"
#include "inside.h"
#include "meter.h"
#include "state.h"

#include <stdint.h>
#include <time.h>

struct archive_stat {
	char *name;        /* last component of the path as asked */
	char *link_target; /* of a symbolic link: the absolute path it means inside; else "" */
	int64_t size;
	mode_t mode; /* with the file type */
	struct timespec mtime;
};

void archive_stat_done(struct archive_stat *st);
#define auto_archive_stat __attribute__((cleanup(archive_stat_done)))

/* Work under way. */
struct archive {
	struct inside inside;
	const struct store *told; /* where its event is told of at its good end, or NULL */
	id_text id;
};
#define ARCHIVE_NONE ((struct archive){.inside = INSIDE_NONE})

enum {
	ARCHIVE_KEEP_KIND = 1, /* a directory must not replace a file, nor a file a directory */
	ARCHIVE_OWNER = 2,     /* files belong to the container's user, whatever the archive says */
};

/* ERR_NOT_FOUND: there is nothing at that path. */
int archive_stat(const struct store *s, const char *what, const char *path, struct archive_stat *st,
	struct err *e);
/* Begins to write a tar of the path to `out`; another process has a copy of it, so the caller may close it. `st` is filled in on
 * return, the tar comes while the caller reads. */
int archive_get(const struct store *s, const char *what, const char *path, int out,
	struct meter *meter, struct archive_stat *st, struct archive *work, struct err *e);
/* Begins to extract the tar that comes from `in` (which is expand_handed() afterwards) into the directory `path`. Already on
 * return the errors about that directory are known: ERR_NOT_FOUND, ERR_USAGE if it is a file, ERR_DENIED if it is
 * read-only. */
int archive_put(const struct store *s, const char *what, const char *path, struct expand *in,
	unsigned flags, struct meter *meter, struct archive *work, struct err *e);
/* Begins to write the whole root, without volumes. */
int archive_export(const struct store *s, const char *what, int out, struct meter *meter,
	struct archive *work, struct err *e);
/* Waits for the end of the work; its error is returned here. */
int archive_end(struct archive *work, struct err *e);
void archive_abort(struct archive *work);
#define auto_archive __attribute__((cleanup(archive_abort)))
