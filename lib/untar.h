/* SPDX-License-Identifier: Apache-2.0 */
/*
 * untar: the entries of a tar become files below a directory. The archive is hostile: no name leads out of the
 * directory, be it by "..", by a slash before it or through a link; what is there is never written into: something
 * of its name is made beside it and takes its place when it is whole; devices are not made at all. Of an archive that
 * cannot be read or put there to its end those files stay that are whole, and no directory that it made and that is empty.
 */
#pragma once

#include "err.h"
#include "tar.h"

struct untar {
	int dir;
	/* Links that were in the directory before may lead anywhere below it, and nowhere else. Without: anywhere
	 * in the root of this process. */
	bool beneath;
	bool owners;      /* files belong to whom the archive says; else to the caller */
	int64_t uid, gid; /* with owners: to these, if not -1 */
	bool keep_kind;   /* no directory in the place of a file, no file in that of a directory */
	/* The first component of all names, and what it becomes: "a", "b" turns "a/c" into "b/c". The empty one is
	 * before every name. NULL: as they are. */
	const char *from, *to;
	const char *where; /* what `dir` is called in errors; NULL: not at all */
};

int untar(struct tar_reader *r, const struct untar *u, struct err *e);

/* "/a/./b//../c" to "a/c"; false when it leads out, or is too long. Pure. */
bool untar_clean(const char *path, char *out, size_t size);
