/* SPDX-License-Identifier: Apache-2.0 */
/* An image's passwd and group files are a stranger's: USER 0xff PASSWD 0xff GROUP. */
#include "fuzz.h"
#include "passwd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *user = fuzz_next(&data, &size), *passwd = fuzz_next(&data, &size),
		       *group = fuzz_next(&data, &size);
	const char *add[] = {"staff", "12"};
	struct identity who;
	struct err e = {0};

	(void)identity_find(user, add, ARRAY_LEN(add), passwd, group, &who, &e);
	(void)identity_find(user, NULL, 0, passwd, NULL, &who, &e);
	return 0;
}
