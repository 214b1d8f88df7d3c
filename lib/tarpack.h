/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tarpack: files become a tar, in the order of their names, links never followed: what lies in a directory may
 * change under our hands, and be meant badly. Sockets are left out, times are whole seconds, as docker does it.
 */
#pragma once

#include "err.h"
#include "tar.h"

#include <sys/stat.h>

struct tarpack {
	int dir;          /* where the source lies */
	const char *name; /* one component, or "." for dir itself */
	/* What the source is called in the archive: "s" gives "s/", "s/a"; "/" gives "/", "/a"; "" gives "a",
	 * without an entry for the source itself. */
	const char *as;
	bool one_id;      /* all that there is belongs to root */
	int64_t uid, gid; /* files of these are root's; -1: nobody's */
	bool layer;       /* an overlay's upper directory: whiteouts as image layers have them */
	/* NULL, or whether a directory of another file system is entered; `path` is that from the source. */
	bool (*enter)(void *context, const char *path);
	/* NULL, or what is left out. */
	bool (*omit)(void *context, const char *path);
	void *context;
};

/* Without the end of the archive: several may be added to one. */
int tarpack(struct tar_writer *w, const struct tarpack *p, struct err *e);
