/* SPDX-License-Identifier: Apache-2.0 */
#include "limit.h"
#include "spec.h"
#include "tap.h"

static const char *refused(const char *name, int64_t soft, int64_t hard)
{
	static struct err e;
	struct spec_ulimit u = {.soft = soft, .hard = hard};
	struct rlimit r;
	int resource;

	err_clear(&e);
	(void)snprintf(u.name, sizeof(u.name), "%s", name);
	return ulimit_to_rlimit(&u, &resource, &r, &e) < 0 ? e.text : "";
}

int main(void)
{
	struct spec_ulimit u = {"stack", 1048576, -1};
	struct rlimit r;
	struct err e;
	int resource, named = 0;

	is_int(ulimit_resource("nofile"), RLIMIT_NOFILE, "a name");
	is_int(ulimit_resource("NOFILE"), -1, "is written small");
	is_int(ulimit_resource("as"), -1, "docker has none for the address space");
	is_int(ulimit_resource(""), -1, "nothing is no name");
	is_str(ulimit_name(RLIMIT_NPROC), "nproc", "and back");
	is_str(ulimit_name(-1), NULL, "what has no name has none");
	is_str(ulimit_name(99), NULL, "wherever it lies");
	for (int i = 0; i < RLIM_NLIMITS; i++)
		named += ulimit_name(i) && ulimit_resource(ulimit_name(i)) == i;
	is_int(named, 15, "all of docker's go there and back");

	ok(ulimit_to_rlimit(&u, &resource, &r, &e) == 0 && resource == RLIMIT_STACK &&
			r.rlim_cur == 1048576 && r.rlim_max == RLIM_INFINITY,
		"a soft limit below no limit");
	is_str(refused("bogus", 1, 1), "invalid ulimit type: bogus", "docker's words for an unknown one");
	is_str(refused("nofile", 200, 100),
		"ulimit soft limit must be less than or equal to hard limit: 200 > 100",
		"soft above hard");
	is_str(refused("nofile", -1, 5),
		"ulimit soft limit must be less than or equal to hard limit: soft: -1 (unlimited), hard: 5",
		"no soft limit above a hard one");
	is_str(refused("nofile", -1, -1), "", "none at all is fine");
	return done_testing();
}
