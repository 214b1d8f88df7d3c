/* SPDX-License-Identifier: Apache-2.0 */
/* A spec as it comes over the API or out of a store: what is understood is written, and read as the same. */
#include "fuzz.h"
#include "plan.h"
#include "spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_json json_t *j = json_loadb((const char *)data, size, 0, NULL);
	auto_spec struct spec s = {0}, again = {0};
	struct err e = {0};

	spec_init(&s);
	spec_init(&again);
	if (!j || spec_from_json(&s, j, &e) < 0)
		return 0;
	auto_json json_t *first = spec_to_json(&s);
	assert(spec_from_json(&again, first, &e) == 0);
	auto_json json_t *second = spec_to_json(&again);
	assert(json_equal(first, second));
	(void)(spec_check_asked(&s, &e) < 0 || spec_complete(&s, &e) < 0 ||
		spec_check_command(&s, &e) < 0 || spec_check_named(&s, &e) < 0);
	return 0;
}
