/* SPDX-License-Identifier: Apache-2.0 */
/* mount_parts: paths below a container's root, for the files of mount. */
#pragma once

#include "mount.h"

/* How every path of a container is resolved: no link in it leads out of the root. */
#define MOUNT_IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

/* O_PATH; -1 and errno. */
int mount_open_below(int root, const char *path);
bool mount_is_there(int root, const char *path);
/* The path below root with all symbolic links resolved, also through links to files that do not exist; ".." cancels the
 * component before it, whether that exists or not. NULL: too many links; *round (if round is not NULL) is then what was
 * left to follow, and belongs to the caller. */
char *mount_leads_to(int root, const char *path, char **round);
/* The directory that the last component of path is in, made with its parents where it is missing; a descriptor (O_PATH). */
int mount_make_parent(int root, const char *path, struct err *e);
/* -1 and ERR_UNMADE: a component of path, which has no links in it, is a file, so that nothing can be below. */
int mount_below_file(int root, const char *path, struct err *e);
/* ERR_UNMADE, in docker's words for too many links. */
int mount_goes_round(const char *path, struct err *e);
/* Attaches it at this directory of the stage, which is made where it is missing. */
int mount_attach_at(int mount, const char *name, struct err *e);
