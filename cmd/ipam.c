/* SPDX-License-Identifier: Apache-2.0 */
#include "ipam.h"

#include "auto.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct net {
	uint8_t address[16];
	size_t len; /* 4, 16; 0: none */
	unsigned bits;
};

static struct net read_ip(const char *s)
{
	struct net n = {0};

	n.len = inet_pton(AF_INET, s, n.address) == 1    ? 4
	        : inet_pton(AF_INET6, s, n.address) == 1 ? 16
	                                                 : 0;
	n.bits = (unsigned)n.len * 8;
	return n;
}

/* Go's net.ParseCIDR. */
static int read_cidr(const char *s, struct net *out, struct err *e)
{
	const char *slash = strchr(s, '/');
	auto_free char *ip = xstrndup(s, slash ? (size_t)(slash - s) : strlen(s));
	struct net n = read_ip(ip);
	size_t digits = slash ? strspn(slash + 1, "0123456789") : 0;
	unsigned long bits = digits ? strtoul(slash + 1, NULL, 10) : 0;

	if (!n.len || !digits || slash[1 + digits] || bits > n.bits)
		return err_set(e, ERR_USAGE, "invalid CIDR address: %s", s);
	n.bits = (unsigned)bits;
	*out = n;
	return 0;
}

static bool contains(const struct net *subnet, const struct net *ip)
{
	unsigned whole = subnet->bits / 8, rest = subnet->bits % 8;
	uint8_t mask = (uint8_t)(0xff00 >> rest);

	return subnet->len == ip->len && memcmp(subnet->address, ip->address, whole) == 0 &&
	       (!rest || ((subnet->address[whole] ^ ip->address[whole]) & mask) == 0);
}

/* 1: what is an address or a net lies in the subnet; 0: it does not; -1. */
static int matches(const char *subnet, const char *what, struct err *e)
{
	struct net outer, inner;

	if (read_cidr(subnet, &outer, e) < 0)
		return err_ctx(e, "invalid subnet");
	if (!strchr(what, '/'))
		inner = read_ip(what);
	else if (read_cidr(what, &inner, e) < 0)
		return -1;
	return contains(&outer, &inner);
}

static int check_overlap(const struct strv *subnets, struct err *e)
{
	for (size_t i = 0; i < subnets->n; i++) {
		for (size_t j = 0; j < i; j++) {
			int in = matches(subnets->v[i], subnets->v[j], e);
			int out = in < 0 ? -1 : matches(subnets->v[j], subnets->v[i], e);

			if (out < 0)
				return -1;
			if (in || out)
				return err_set(e, ERR_USAGE,
					"multiple overlapping subnet configuration is not supported");
		}
	}
	return 0;
}

struct member {
	const char *key, *name; /* in the object; in words */
	const char *where;      /* of two that cannot be in one subnet; NULL: they may be many */
};

/* Puts it into each subnet that it lies in. label: of an auxiliary address. */
static int place(
	json_t *config, const struct member *m, const char *label, const char *what, struct err *e)
{
	bool any = false;
	json_t *one;
	size_t i;

	json_array_foreach(config, i, one)
	{
		const char *subnet = json_str(one, "Subnet", ""), *before = json_str(one, m->key, "");
		int in = matches(subnet, what, e);

		if (in < 0)
			return -1;
		if (!in)
			continue;
		any = true;
		if (m->where && *before)
			return err_set(e, ERR_USAGE,
				"cannot configure multiple %ss (%s, %s) %s the same subnet (%s)",
				m->name, what, before, m->where, subnet);
		if (m->where) {
			(void)json_object_set_new(one, m->key, json_text(what)); /* memory, as below */
			continue;
		}
		if (!json_object_get(one, m->key))
			(void)json_object_set_new(one, m->key, json_object());
		(void)json_object_set_new(json_object_get(one, m->key), label, json_text(what));
	}
	return any ? 0 : err_set(e, ERR_USAGE, "no matching subnet for %s %s", m->name, what);
}

static int place_all(json_t *config, const struct ipam *p, struct err *e)
{
	static const struct member range = {"IPRange", "range", "on"};
	static const struct member gateway = {"Gateway", "gateway", "for"};
	static const struct member aux = {"AuxiliaryAddresses", "aux-address", NULL};

	for (size_t i = 0; i < p->ranges.n; i++)
		if (place(config, &range, NULL, p->ranges.v[i], e) < 0)
			return -1;
	for (size_t i = 0; i < p->gateways.n; i++)
		if (place(config, &gateway, NULL, p->gateways.v[i], e) < 0)
			return -1;
	for (size_t i = 0; i < p->aux.n; i++) {
		const char *equals = strchr(p->aux.v[i], '=');
		size_t n = equals ? (size_t)(equals - p->aux.v[i]) : strlen(p->aux.v[i]);
		auto_free char *label = xstrndup(p->aux.v[i], n);

		if (place(config, &aux, label, equals ? equals + 1 : "", e) < 0)
			return -1;
	}
	return 0;
}

json_t *ipam_config(const struct ipam *p, struct err *e)
{
	auto_json json_t *config = json_array();
	struct net unused;

	if (p->subnets.n < p->ranges.n || p->subnets.n < p->gateways.n) {
		(void)err_set(e, ERR_USAGE, "every ip-range or gateway must have a corresponding subnet");
		return NULL;
	}
	if (check_overlap(&p->subnets, e) < 0)
		return NULL;
	for (size_t i = 0; i < p->subnets.n; i++)
		(void)json_array_append_new(config,
			json_pack("{s:o}", "Subnet", json_text(p->subnets.v[i]))); /* memory */
	if (place_all(config, p, e) < 0)
		return NULL;
	for (size_t i = 0; i < p->subnets.n; i++) {
		if (read_cidr(p->subnets.v[i], &unused, e) == 0)
			continue;
		e->kind = ERR_DENIED;
		(void)err_ctx(e, "Invalid subnet %s ", p->subnets.v[i]);
		return NULL;
	}
	return take(config);
}

void ipam_done(struct ipam *p)
{
	strv_done(&p->subnets);
	strv_done(&p->ranges);
	strv_done(&p->gateways);
	strv_done(&p->aux);
}
