/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "err.h"
#include "hop.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	struct err e = {0};
	auto_close int fd = hop_open(&e);

	if (fd < 0) {
		is_str(e.text, "", "a program in memory");
		return done_testing();
	}
	is_int(fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL,
		"nobody changes it, nor allows that it is changed");
	ok(pwrite(fd, "x", 1, 0) < 0, "not we either");
	return done_testing();
}
