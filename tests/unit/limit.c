/* SPDX-License-Identifier: Apache-2.0 */
#include "limit.h"
#include "tap.h"

#include <sys/resource.h>

int main(void)
{
	is_int(ulimit_resource("nofile"), RLIMIT_NOFILE, "a name");
	is_int(ulimit_resource("rttime"), RLIMIT_RTTIME, "the last one");
	is_int(ulimit_resource("NOFILE"), -1, "is written small");
	is_int(ulimit_resource("as"), -1, "docker has none for the address space");
	is_int(ulimit_resource(""), -1, "nothing is no name");
	is_int(limit_with_swap(1 << 20), 2 << 20, "as much swap as memory");
	is_int(limit_with_swap(9222246136947933184), -2251799813685248,
		"more than there are numbers for goes round");
	return done_testing();
}
