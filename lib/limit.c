/* SPDX-License-Identifier: Apache-2.0 */
#include "limit.h"

#include "spec.h"

#include <string.h>

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

const char *ulimit_name(int resource)
{
	return resource >= 0 && (size_t)resource < ARRAY_LEN(names) ? names[resource] : NULL;
}

static rlim_t value(int64_t v)
{
	return v == -1 ? RLIM_INFINITY : (rlim_t)v;
}

int ulimit_to_rlimit(const struct spec_ulimit *u, int *resource, struct rlimit *out, struct err *e)
{
	int found = ulimit_resource(u->name);

	if (found < 0)
		return err_set(e, ERR_USAGE, "invalid ulimit type: %s", u->name);
	if (u->hard != -1 && u->soft == -1)
		return err_set(e, ERR_USAGE,
			"ulimit soft limit must be less than or equal to hard limit: soft: -1 "
			"(unlimited), hard: %lld",
			(long long)u->hard);
	if (u->hard != -1 && u->soft > u->hard)
		return err_set(e, ERR_USAGE,
			"ulimit soft limit must be less than or equal to hard limit: %lld > %lld",
			(long long)u->soft, (long long)u->hard);
	*resource = found;
	*out = (struct rlimit){value(u->soft), value(u->hard)};
	return 0;
}
