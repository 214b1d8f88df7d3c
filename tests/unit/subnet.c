/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"
#include "subnet.h"
#include "tap.h"

static void contains(const char *outer, const char *inner, bool want)
{
	struct subnet a, b;
	struct err e;

	ok(subnet_read(outer, &a, &e) == 0 &&
			(subnet_read_ip(inner, &b) || subnet_read(inner, &b, &e) == 0) &&
			subnet_contains(&a, &b) == want,
		inner);
}

int main(void)
{
	static const char *const bad[] = {"", "x", "10.9.0.0", "10.9.0.0/", "10.9.0.0/33",
		"10.9.0.0/-1", "10.9.0.0/8x", "10.9.0/24", "fd01::/129", "/8"};
	struct subnet net;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(subnet_read(bad[i], &net, &e) < 0, bad[i]);
	is_str(e.text, "invalid CIDR address: /8", "in Go's words");
	ok(!subnet_read_ip("10.9.0.0/24", &net) && net.len == 0, "a net is no address");
	contains("10.9.0.0/24", "10.9.0.255", true);
	contains("10.9.0.0/24", "10.9.1.0", false);
	contains("10.9.0.0/23", "10.9.1.0", true);
	contains("10.9.0.0/23", "10.9.2.0/24", false);
	contains("0.0.0.0/0", "255.255.255.255", true);
	contains("0.0.0.0/0", "fd01::1", false);
	contains("fd01::/64", "fd01::ffff:0:0:1", true);
	contains("fd01::/63", "fd01:0:0:1::1", true);
	contains("fd01::/64", "fd01:0:0:1::1", false);
	return done_testing();
}
