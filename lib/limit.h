/* SPDX-License-Identifier: Apache-2.0 */
/* limit: docker's names of resource limits, which do not include "as"; and its default for memory with swap. */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

int ulimit_resource(const char *name); /* "nofile" is RLIMIT_NOFILE; -1 unknown */
/* docker's limit on memory plus swap if only `memory` is given; overflows like Go's integers. */
int64_t limit_with_swap(int64_t memory);
