/* SPDX-License-Identifier: Apache-2.0 */
/* limit: docker's names of resource limits. "as" is none of them, as with docker. */
#pragma once

#include "err.h"

#include <sys/resource.h>

struct spec_ulimit;

int ulimit_resource(const char *name); /* "nofile" is RLIMIT_NOFILE; -1 unknown */
const char *ulimit_name(int resource); /* NULL: docker has no name for it */
/* What setrlimit() takes; -1 in the row is no limit. Unknown names and a soft limit above
 * the hard one are refused in docker's words: rows come from the API as well. */
int ulimit_to_rlimit(const struct spec_ulimit *u, int *resource, struct rlimit *out, struct err *e);
