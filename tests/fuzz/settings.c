/* SPDX-License-Identifier: Apache-2.0 */
/* What an image says of itself: config.json 0xff environment 0xff rc 0xff rc.local. */
#include "fuzz.h"
#include "sqsh_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *config = fuzz_next(&data, &size), *environment = fuzz_next(&data, &size),
		       *rc = fuzz_next(&data, &size), *rc_local = fuzz_next(&data, &size);
	struct err e = {0};

	json_decref(sqsh_config_from(*config ? config : NULL, environment, rc, rc_local, &e));
	return 0;
}
