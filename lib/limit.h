/* SPDX-License-Identifier: Apache-2.0 */
/* limit: docker's names of resource limits. "as" is none of them, as with docker. And its default for memory and swap. */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

int ulimit_resource(const char *name); /* "nofile" is RLIMIT_NOFILE; -1 unknown */
/* Memory and swap where only the memory is given; what 63 bits cannot hold goes round, as Go's numbers do. */
int64_t limit_with_swap(int64_t memory);
