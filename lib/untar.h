/* SPDX-License-Identifier: Apache-2.0 */
/*
 * untar: makes files below a directory of the entries of a tar. The archive is not trusted: no name leads out of the directory, by
 * "..", a leading slash or a link; an existing file is never written to, but replaced when the new one is complete; devices
 * are not made at all. If it fails half-way, complete files stay, and empty directories that it made are removed.
 */
#pragma once

#include "err.h"
#include "tar.h"

struct untar {
	int dir;
	/* Links that were in the directory before may lead only to places below it. If false: anywhere in this process's root. */
	bool beneath;
	bool owners;      /* files belong to whom the archive says; else to the caller */
	int64_t uid, gid; /* with owners, if not -1: files belong to these instead */
	bool keep_kind;   /* a directory must not replace a file, nor a file a directory */
	bool nameless; /* a file has no name until it is whole, if possible (needs /proc), so that who is killed leaves none */
	/* Renames the first component of all names: "a", "b" turns "a/c" into "b/c"; from "": puts `to` before every name.
	 * NULL: names stay. */
	const char *from, *to;
	const char *where; /* the name of `dir` for errors, or NULL */
};

int untar(struct tar_reader *r, const struct untar *u, struct err *e);

/* Cleans "/a/./b//../c" to "a/c"; false: it leads out, or is too long. Pure. */
bool untar_clean(const char *path, char *out, size_t size);
