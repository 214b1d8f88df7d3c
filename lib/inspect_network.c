/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_network: what inspect tells of a container's networks. */
#include "inspect.h"

#include "network.h"
#include "status.h"

#include <string.h>

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

/* What was asked of the endpoint: docker shows it as it came. */
static void asked(json_t *one, const json_t *ask)
{
	static const char *const keys[] = {"IPAMConfig", "Links", "DriverOpts", "GwPriority"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *v = json_object_get(ask, keys[i]);

		if (v)
			(void)json_object_set(one, keys[i], v); /* memory */
	}
}

static void add_once(json_t *names, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(names, i, v)
	{
		if (str_eq(json_string_value(v), name))
			return;
	}
	(void)json_array_append_new(names, json_string(name)); /* memory */
}

/* Behind what was asked for: what the machine itself calls it. */
static void add_own_names(json_t *names, const char *id, const char *hostname)
{
	auto_free char *short_id = xasprintf("%.12s", id);

	add_once(names, short_id);
	if (*hostname)
		add_once(names, hostname);
}

static json_t *dns_names(const struct state *st, const char *hostname, const json_t *aliases)
{
	json_t *names = json_array();
	const json_t *v;
	size_t i;

	if (st->name)
		add_once(names, st->name);
	json_array_foreach(aliases, i, v) add_once(names, json_string_value(v));
	add_own_names(names, st->id, hostname);
	return names;
}

void container_old_aliases(json_t *container)
{
	json_t *networks = json_object_get(json_object_get(container, "NetworkSettings"), "Networks"),
	       *one;
	const char *hostname = json_str(json_object_get(container, "Config"), "Hostname", ""), *network;

	json_object_foreach(networks, network, one)
	{
		json_t *aliases = json_object_get(one, "Aliases");

		if (network_is_predefined(network))
			continue;
		if (!json_is_array(aliases)) {
			aliases = json_array();
			json_set(one, "Aliases", aliases);
		}
		add_own_names(aliases, json_str(container, "Id", ""), hostname);
	}
}

/* One network's endpoint. */
static json_t *endpoint_object(const struct store *s, const struct state *st, const char *hostname,
	const char *network, const json_t *ask)
{
	json_t *one = json_own(endpoint), *aliases;
	id_text id;

	if (st->started.tv_sec && network_id(s, network, id)) /* docker's daemon asks for it at the start */
		json_set_text(one, "NetworkID", id);
	asked(one, ask);
	aliases = json_object_get(ask, "Aliases");
	if (json_is_array(aliases))
		json_set(one, "Aliases", json_deep_copy(aliases));
	if (!network_is_predefined(network))
		json_set(one, "DNSNames", dns_names(st, hostname, aliases));
	return one;
}

json_t *container_networks(const struct store *s, const struct state *st, const json_t *spec)
{
	const json_t *asks = json_object_get(json_object_get(spec, "NetworkingConfig"), "EndpointsConfig"),
		     *ask;
	json_t *networks = json_object(), *known = json_object_get(st->extra, "Network"), *one;
	const char *network = status_network(st), *hostname = json_str(spec, "Hostname", ""), *name;

	json_object_foreach((json_t *)(uintptr_t)asks, name, ask)
	{
		auto_json json_t *j = NULL;
		struct err gone; /* a network that does not exist any more is left out */

		if (network_check(s, name, &gone) == 0 || (j = network_find(s, name, &gone)))
			json_set(networks, j ? json_str(j, "Name", "") : name,
				endpoint_object(s, st, hostname, j ? json_str(j, "Name", "") : name, ask));
	}
	if (str_starts(network, "container:"))
		return networks;
	if (!json_object_get(networks, network))
		json_set(networks, network,
			endpoint_object(s, st, hostname, network, json_object_get(asks, network)));
	one = json_object_get(networks, network);
	/* a piece of work that gives containers addresses leaves them here */
	if (known)
		(void)json_object_update_existing(one, known); /* memory */
	return networks;
}

json_t *container_network_settings(const struct store *s, const struct state *st, const json_t *spec)
{
	json_t *j = json_own(network_settings), *known = json_object_get(st->extra, "Network");

	if (known)
		(void)json_object_update_existing(j, known); /* memory */
	json_set(j, "Ports", status_ports(st, spec));
	json_set(j, "Networks", container_networks(s, st, spec));
	return j;
}

json_t *container_links(const struct store *s, const struct state *st, const json_t *spec)
{
	json_t *list = json_array(), *v;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Links"), i, v)
	{
		const char *word = json_is_string(v) ? json_string_value(v) : "",
			   *alias = strchr(word, ':');
		auto_free char *id = xstrndup(word, strcspn(word, ":")), *text = NULL;
		auto_state struct state other = {0};
		struct err gone;

		if (!alias || !str_is_hex(id, ID_LEN) || state_load(s, id, &other, &gone) < 0)
			continue;
		text = xasprintf("/%s:/%s/%s", other.name, st->name, alias + 1);
		(void)json_array_append_new(list, json_text(text)); /* memory */
	}
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return NULL;
}
