/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cp_path: what the paths of cp mean, by the rules of docker's client: which end of a path asks for a directory, and what
 * the source is called at its destination. Only cp_local_path() asks the machine, for the working directory.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

/* Whether the path's end, "/" or "/.", says that it must be a directory. */
bool cp_wants_dir(const char *path);
/* The path made absolute and cleaned, but for its end ("/", "/."), which is kept. Fails where a relative one has no
 * directory to begin at. */
int cp_local_path(const char *path, char **out, struct err *e);
/* "/a/b" to "/a" and "b", "/a/b/" too; "/a/b/." to "/a/b" and "."; "/" to "/" and "/". */
void cp_part(const char *path, char **dir, char **base);
/* The path to copy instead of `given`, a link that resolves to `resolved`. *name: the link's own name, which the copy gets at
 * its destination; NULL if both names are the same. */
char *cp_rebased(const char *given, const char *resolved, char **name);

/* What docker's client finds out about the destination. */
struct cp_target {
	char *path;
	bool exists, is_dir;
};

/* Where the archive is extracted, and under which name (NULL: the source's own). */
struct cp_placing {
	char *dir, *name;
};

/* ERR_USAGE if docker's client refuses this. The caller frees both members of *out. */
int cp_place(const struct cp_target *t, bool source_is_dir, char *source_name,
	struct cp_placing *out, struct err *e);
