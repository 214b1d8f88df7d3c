/* SPDX-License-Identifier: Apache-2.0 */
#include "ipam.h"

#include "auto.h"
#include "subnet.h"

#include <stdbool.h>
#include <string.h>

/* 1: `what`, an address or a network, lies in the subnet; 0: it does not; -1: an error. */
static int matches(const char *subnet, const char *what, struct err *e)
{
	struct subnet outer, inner;

	if (subnet_read(subnet, &outer, e) < 0)
		return err_ctx(e, "invalid subnet");
	if (!strchr(what, '/'))
		(void)subnet_read_ip(what, &inner); /* on failure, inner lies in no subnet */
	else if (subnet_read(what, &inner, e) < 0)
		return -1;
	return subnet_contains(&outer, &inner);
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
	const char *key, *name; /* in the object; in errors */
	const char *where; /* a subnet can have only one: the preposition for the error about a second; NULL: it can have many */
};

/* Adds `what` to each subnet in which it lies. label: the name of an auxiliary address. */
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
	return take(config);
}

void ipam_done(struct ipam *p)
{
	strv_done(&p->subnets);
	strv_done(&p->ranges);
	strv_done(&p->gateways);
	strv_done(&p->aux);
}
