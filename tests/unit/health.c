/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "health.h"
#include "str.h"
#include "sys.h"
#include "tap.h"

#define SECOND INT64_C(1000000000)

/* The first check fails. It began `after` its container, and took `took`; the start period is of 30 seconds. */
static void first_check(int64_t after, int64_t took, const char *status, const char *what)
{
	auto_spec struct spec s = {0};
	struct health h = {.spec = &s, .status = "starting", .log = json_array()};

	spec_init(&s);
	s.health.start_period_ns = 30 * SECOND;
	s.health.retries = 1;
	h.asked = sys_now_ns() - took;
	h.began = h.asked - after;
	health_note(&h, 1, "", 0);
	is_str(h.status, status, what);
	is_int(h.failing, str_eq(status, "unhealthy"), what);
	is_int((int64_t)json_array_size(h.log), 1, "it is told of in any case");
	json_decref(h.log);
}

int main(void)
{
	first_check(10 * SECOND, 0, "starting", "a check within the start period does not count");
	first_check(10 * SECOND, 60 * SECOND, "starting", "nor one that began there and ended later");
	first_check(31 * SECOND, 0, "unhealthy", "one that began behind it does");
	return done_testing();
}
