/* SPDX-License-Identifier: Apache-2.0 */
#include "subnet.h"

#include "auto.h"
#include "str.h"

#include <arpa/inet.h>
#include <string.h>

bool subnet_read_ip(const char *s, struct subnet *out)
{
	*out = (struct subnet){0};
	out->len = inet_pton(AF_INET, s, out->address) == 1    ? 4
	           : inet_pton(AF_INET6, s, out->address) == 1 ? 16
	                                                       : 0;
	out->bits = (unsigned)out->len * 8;
	return out->len > 0;
}

int subnet_read(const char *s, struct subnet *out, struct err *e)
{
	const char *slash = strchr(s, '/');
	auto_free char *ip = xstrndup(s, slash ? (size_t)(slash - s) : strlen(s));
	size_t digits = slash ? strspn(slash + 1, "0123456789") : 0;
	unsigned long bits = digits ? strtoul(slash + 1, NULL, 10) : 0;
	struct subnet n;

	if (!subnet_read_ip(ip, &n) || !digits || slash[1 + digits] || bits > n.bits)
		return err_set(e, ERR_USAGE, "invalid CIDR address: %s", s);
	n.bits = (unsigned)bits;
	*out = n;
	return 0;
}

bool subnet_contains(const struct subnet *outer, const struct subnet *inner)
{
	unsigned whole = outer->bits / 8, rest = outer->bits % 8;
	uint8_t mask = (uint8_t)(0xff00 >> rest);

	return outer->len == inner->len && memcmp(outer->address, inner->address, whole) == 0 &&
	       (!rest || ((outer->address[whole] ^ inner->address[whole]) & mask) == 0);
}
