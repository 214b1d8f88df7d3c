/* SPDX-License-Identifier: Apache-2.0 */
/* limit: docker's names of resource limits. "as" is none of them, as with docker. */
#pragma once

#include <sys/resource.h>

int ulimit_resource(const char *name); /* "nofile" is RLIMIT_NOFILE; -1 unknown */
