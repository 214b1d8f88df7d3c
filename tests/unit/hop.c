/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "err.h"
#include "hop.h"
#include "str.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A program of our own we could make writable again, though nobody may write it now. */
static void own_program(const char *self)
{
	char dir[] = "/tmp/sbx-hop-XXXXXX";
	auto_free char *copy = NULL, *command = NULL, *clean = NULL;

	if (!mkdtemp(dir))
		return;
	copy = xasprintf("%s/copy", dir);
	command = xasprintf("cp '%s' %s && chmod 555 %s && %s needed", self, copy, copy, copy);
	is_int(system(command), 0, "a program that is not the machine's root's is hidden");
	clean = xasprintf("rm -r %s", dir);
	(void)!system(clean);
}

int main(int argc, char **argv)
{
	struct err e = {0};
	auto_close int fd = -1;

	if (argc > 1)
		return !hop_needed();
	own_program(argv[0]);
	fd = hop_open(&e);
	if (fd < 0) {
		is_str(e.text, "", "a program in memory");
		return done_testing();
	}
	is_int(fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL,
		"nobody changes it, nor allows that it is changed");
	ok(pwrite(fd, "x", 1, 0) < 0, "not we either");
	return done_testing();
}
