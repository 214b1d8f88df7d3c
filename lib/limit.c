/* SPDX-License-Identifier: Apache-2.0 */
#include "limit.h"

#include "auto.h"

#include <string.h>
#include <sys/resource.h>

/* clang-format off */
static const char *const names[] = {
	[RLIMIT_CPU]        = "cpu",
	[RLIMIT_FSIZE]      = "fsize",
	[RLIMIT_DATA]       = "data",
	[RLIMIT_STACK]      = "stack",
	[RLIMIT_CORE]       = "core",
	[RLIMIT_RSS]        = "rss",
	[RLIMIT_NPROC]      = "nproc",
	[RLIMIT_NOFILE]     = "nofile",
	[RLIMIT_MEMLOCK]    = "memlock",
	[RLIMIT_AS]         = NULL,
	[RLIMIT_LOCKS]      = "locks",
	[RLIMIT_SIGPENDING] = "sigpending",
	[RLIMIT_MSGQUEUE]   = "msgqueue",
	[RLIMIT_NICE]       = "nice",
	[RLIMIT_RTPRIO]     = "rtprio",
	[RLIMIT_RTTIME]     = "rttime",
};
/* clang-format on */
static_assert(ARRAY_LEN(names) == RLIM_NLIMITS, "every limit of the kernel has a name or none");

int ulimit_resource(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

int64_t limit_with_swap(int64_t memory)
{
	return (int64_t)(2 * (uint64_t)memory);
}
