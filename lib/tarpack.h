/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tarpack: makes a tar of files, sorted by name, never following links: a directory may be changed meanwhile, by somebody
 * hostile. As with docker, sockets are left out and times are whole seconds.
 */
#pragma once

#include "err.h"
#include "tar.h"

#include <sys/stat.h>

struct tarpack {
	int dir;          /* the directory that the source is in */
	const char *name; /* one component, or "." for dir itself */
	/* The source's name in the archive: "s" gives "s/", "s/a"; "/" gives "/", "/a"; "" gives "a", without an entry for
	 * the source itself. */
	const char *as;
	bool one_id;      /* every file belongs to root */
	bool types;       /* modes tell the files' types too, as docker writes them */
	int64_t uid, gid; /* files of these ids belong to root; -1: none */
	bool layer; /* the source is an overlay's upper directory: whiteouts become those of image layers */
	/* Whether to enter a directory of another file system; path: from the source on. NULL: never. */
	bool (*enter)(void *context, const char *path);
	/* Whether to leave a file out; or NULL. */
	bool (*omit)(void *context, const char *path);
	void *context;
};

/* Does not write the end of the archive, so that several sources can be added. */
int tarpack(struct tar_writer *w, const struct tarpack *p, struct err *e);
