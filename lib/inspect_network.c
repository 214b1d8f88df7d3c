/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_network: what inspect tells of a container's networks. */
#include "inspect.h"

#include "network.h"
#include "status.h"

/* Docker's objects with their fields in docker's order. */
static const char network_settings[] =
	"{\"Bridge\":\"\",\"SandboxID\":\"\",\"SandboxKey\":\"\",\"Ports\":{},\"HairpinMode\":false,"
	"\"LinkLocalIPv6Address\":\"\",\"LinkLocalIPv6PrefixLen\":0,\"SecondaryIPAddresses\":null,"
	"\"SecondaryIPv6Addresses\":null,\"EndpointID\":\"\",\"Gateway\":\"\",\"GlobalIPv6Address\":\"\","
	"\"GlobalIPv6PrefixLen\":0,\"IPAddress\":\"\",\"IPPrefixLen\":0,\"IPv6Gateway\":\"\","
	"\"MacAddress\":\"\",\"Networks\":{}}";

static const char endpoint[] =
	"{\"IPAMConfig\":null,\"Links\":null,\"Aliases\":null,\"MacAddress\":\"\",\"DriverOpts\":null,"
	"\"GwPriority\":0,\"NetworkID\":\"\",\"EndpointID\":\"\",\"Gateway\":\"\",\"IPAddress\":\"\","
	"\"IPPrefixLen\":0,\"IPv6Gateway\":\"\",\"GlobalIPv6Address\":\"\",\"GlobalIPv6PrefixLen\":0,"
	"\"DNSNames\":null}";

static json_t *from_text(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	assert(j); /* our own words above */
	return j;
}

static void set(json_t *j, const char *key, json_t *value)
{
	(void)json_object_set_new(j, key, value ? value : json_null()); /* only memory can fail */
}

static void set_text(json_t *j, const char *key, const char *value)
{
	set(j, key, json_string(value));
}

json_t *container_networks(const struct store *s, const struct state *st)
{
	json_t *networks = json_object(), *one = from_text(endpoint);
	const char *network = status_network(st);
	json_t *known = json_object_get(st->extra, "Network");
	id_text id;

	/* a piece of work that gives containers addresses leaves them here */
	if (known)
		(void)json_object_update_existing(one, known); /* memory, as below */
	if (network_id(s, network, id))
		set_text(one, "NetworkID", id);
	/* docker-compose makes its networks anew where the short id is not among the names. */
	if (!network_is_predefined(network)) {
		set(one, "Aliases", json_pack("[s#]", st->id, 12));
		set(one, "DNSNames", json_pack("[s, s#]", st->name ? st->name : "", st->id, 12));
	}
	if (!str_starts(network, "container:"))
		(void)json_object_set(networks, network, one);
	json_decref(one);
	return networks;
}

json_t *container_network_settings(const struct store *s, const struct state *st, const json_t *spec)
{
	json_t *j = from_text(network_settings), *known = json_object_get(st->extra, "Network");

	if (known)
		(void)json_object_update_existing(j, known); /* memory */
	set(j, "Ports", status_ports(st, spec));
	set(j, "Networks", container_networks(s, st));
	return j;
}
