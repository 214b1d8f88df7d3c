/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network_ask: checks what `network create` asks for, in the order of docker's daemon. Networks connect nothing here, but what
 * docker refuses is a mistake in any case.
 */
#include "network_parts.h"

#include "auto.h"
#include "parse.h"
#include "subnet.h"

#include <string.h>

static bool is_host_or_none(const char *driver)
{
	return str_eq(driver, "host") || str_eq(driver, "null");
}

static int no_driver(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		"could not find plugin %s in v1 plugin registry: plugin not found", name);
}

/* ---- types ------------------------------------------------------------------------------- */

/* An empty word or null asks for nothing. */
static int take_fields(json_t *j, const json_t *ask, struct err *e)
{
	static const struct {
		const char *key;
		bool object; /* else a truth */
	} wishes[] = {{"Internal", false}, {"Attachable", false}, {"Ingress", false},
		{"EnableIPv4", false}, {"EnableIPv6", false}, {"ConfigOnly", false}, {"IPAM", true},
		{"Options", true}, {"Labels", true}, {"ConfigFrom", true}};
	json_t *ipam;

	for (size_t i = 0; i < ARRAY_LEN(wishes); i++) {
		json_t *v = json_object_get(ask, wishes[i].key);

		if (!v || json_is_null(v))
			continue;
		if (wishes[i].object ? !json_is_object(v) : !json_is_boolean(v))
			return err_set(
				e, ERR_USAGE, "invalid JSON: %s is of another type", wishes[i].key);
		if (!wishes[i].object)
			(void)json_object_set(j, wishes[i].key, v); /* memory, as below */
		else
			(void)json_object_update(json_object_get(j, wishes[i].key), v);
	}
	ipam = json_object_get(j, "IPAM");
	if (json_is_null(json_object_get(ipam, "Config")))
		(void)json_object_set_new(ipam, "Config", json_array());
	if (!*json_str(ipam, "Driver", ""))
		(void)json_object_set_new(ipam, "Driver", json_string("default"));
	return 0;
}

static int check_config(const json_t *config, struct err *e)
{
	static const char *const words[] = {"Subnet", "IPRange", "Gateway"};
	const char *name;
	json_t *one, *v;
	bool good = json_is_array(config);
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)config, i, one)
	{
		json_t *aux = json_object_get(one, "AuxiliaryAddresses");

		good = good && json_is_object(one) &&
		       (!aux || json_is_null(aux) || json_is_object(aux));
		for (size_t k = 0; k < ARRAY_LEN(words); k++) {
			v = json_object_get(one, words[k]);
			good = good && (!v || json_is_null(v) || json_is_string(v));
		}
		json_object_foreach(aux, name, v) good = good && json_is_string(v);
	}
	return good ? 0 : err_set(e, ERR_USAGE, "invalid JSON: IPAM.Config is of another type");
}

/* What is empty was not asked for: docker-py gives each member, null or not. */
static void tidy_config(json_t *ipam)
{
	static const char *const keys[] = {"Subnet", "IPRange", "Gateway", "AuxiliaryAddresses"};
	json_t *list = json_array(), *one;
	size_t i;

	json_array_foreach(json_object_get(ipam, "Config"), i, one)
	{
		json_t *tidy = json_object();

		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			json_t *v = json_object_get(one, keys[k]);

			if (json_string_length(v) > 0 || json_object_size(v) > 0)
				(void)json_object_set(tidy, keys[k], v); /* memory, as below */
		}
		(void)json_array_append_new(list, tidy);
	}
	(void)json_object_set_new(ipam, "Config", list);
}

/* ---- addresses --------------------------------------------------------------------------- */

static int check_subnets(const json_t *config, struct err *e)
{
	struct subnet unused;
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)config, i, one)
	{
		const char *subnet = json_str(one, "Subnet", "");

		if (subnet_read(subnet, &unused, e) < 0)
			return err_ctx(e, "Invalid subnet %s ", subnet);
	}
	return 0;
}

static int check_aux(const char *network, const char *name, const char *address, const char *subnet,
	const struct subnet *net, struct err *e)
{
	struct subnet ip;

	if (!subnet_read_ip(address, &ip))
		return err_set(e, ERR_USAGE,
			"non parsable secondary ip address (%s:%s) passed for network %s", name,
			address, network);
	if (!subnet_contains(net, &ip))
		return err_set(e, ERR_DENIED,
			"auxiliary address: (%s:%s) must belong to the master pool: %s", name,
			address, subnet);
	return 0;
}

static bool overlaps_any(const struct subnet *net, const json_t *config, const json_t *until)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)config, i, one)
	{
		struct subnet other;
		struct err unused; /* what is no subnet takes no address */

		if (one == until)
			return false;
		if (subnet_read(json_str(one, "Subnet", ""), &other, &unused) == 0 &&
			(subnet_contains(net, &other) || subnet_contains(&other, net)))
			return true;
	}
	return false;
}

/* No address is in two networks, nor in two subnets of one; that of a mere configuration is in none. */
static int check_overlap(const json_t *others, const json_t *config, const json_t *one,
	const struct subnet *net, struct err *e)
{
	bool taken = overlaps_any(net, config, one);
	json_t *j;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)others, i, j)
	{
		taken = taken ||
		        (!json_bool(j, "ConfigOnly", false) &&
				overlaps_any(net,
					json_object_get(json_object_get(j, "IPAM"), "Config"), NULL));
	}
	return taken ? err_set(e, ERR_DENIED,
			       "invalid pool request: Pool overlaps with other one on this address space")
	             : 0;
}

static int check_addresses(const char *network, const json_t *one, const json_t *config,
	const json_t *others, struct err *e)
{
	const char *subnet = json_str(one, "Subnet", ""), *gateway = json_str(one, "Gateway", ""),
		   *range = json_str(one, "IPRange", ""), *name;
	struct subnet net = {0}, ip = {0}, part;
	struct err no_range;
	json_t *v;

	if (subnet_read(subnet, &net, e) < 0)
		return -1;
	if (*gateway && !subnet_read_ip(gateway, &ip))
		return err_set(e, ERR_USAGE, "invalid gateway address %s in Ipam configuration", gateway);
	if (*range && subnet_read(range, &part, &no_range) < 0)
		return err_set(e, ERR_USAGE,
			"failed to parse pool request for address space \"LocalDefault\" pool \"%s\" "
			"subpool \"%s\": Invalid Address SubPool",
			subnet, range);
	if (check_overlap(others, config, one, &net, e) < 0)
		return -1;
	if (*gateway && !subnet_contains(&net, &ip))
		return err_set(e, ERR_USAGE,
			"failed to allocate gateway (%s): Requested address is out of range", gateway);
	json_object_foreach(json_object_get(one, "AuxiliaryAddresses"), name,
		v) if (check_aux(network, name, json_string_value(v), subnet, &net, e) < 0) return -1;
	return 0;
}

static int check_ipam(const struct store *s, const json_t *j, struct err *e)
{
	const json_t *ipam = json_object_get(j, "IPAM"), *config = json_object_get(ipam, "Config");
	auto_strv struct strv unread = {0}; /* which addresses these have nobody can say */
	auto_json json_t *others = NULL;
	const char *driver = json_str(ipam, "Driver", "");
	json_t *one;
	size_t i;

	if (str_eq(driver, "null"))
		return err_set(e, ERR_USAGE, "ipv4 pool is empty");
	if (!str_eq(driver, "default"))
		return no_driver(driver, e);
	if (json_array_size(config) && !(others = network_list(s, &unread, e)))
		return -1;
	json_array_foreach((json_t *)(uintptr_t)config, i,
		one) if (check_addresses(json_str(j, "Name", ""), one, config, others, e) < 0) return -1;
	return 0;
}

/* ---- one network's settings for another -------------------------------------------------- */

static int check_config_only(const json_t *j, const char *scope, struct err *e)
{
	if (*scope || json_bool(j, "Ingress", false) || json_bool(j, "Internal", false) ||
		json_bool(j, "Attachable", false))
		return err_set(e, ERR_DENIED,
			"configuration network can only contain network specific fields. Network operator "
			"fields like [ ingress | internal | attachable | scope ] are not supported.");
	return 0;
}

static int check_config_from(const json_t *j, struct err *e)
{
	const json_t *ipam = json_object_get(j, "IPAM");

	if (json_bool(j, "ConfigOnly", false))
		return err_set(e, ERR_DENIED,
			"a configuration network cannot depend on another configuration network");
	if (!str_eq(json_str(ipam, "Driver", ""), "default") || json_bool(j, "EnableIPv6", false) ||
		json_object_size(json_object_get(j, "Labels")) ||
		json_object_size(json_object_get(ipam, "Options")) ||
		json_array_size(json_object_get(ipam, "Config")))
		return err_set(e, ERR_DENIED,
			"user specified configurations are not supported if the network depends on a "
			"configuration network");
	if (json_object_size(json_object_get(j, "Options")))
		return err_set(e, ERR_DENIED,
			"network driver options are not supported if the network depends on a "
			"configuration network");
	return 0;
}

static int take_config_from(const struct store *s, json_t *j, const char *from, struct err *e)
{
	static const char *const copied[] = {"EnableIPv6", "IPAM", "Labels", "Options"};
	auto_json json_t *other = network_find(s, from, e);

	if (!other || !json_bool(other, "ConfigOnly", false))
		return err_set(e, ERR_NOT_FOUND, "configuration network %s does not exist", QUOTED(from));
	for (size_t i = 0; i < ARRAY_LEN(copied); i++)
		(void)json_object_set(j, copied[i], json_object_get(other, copied[i])); /* memory */
	return 0;
}

/* ---- the driver's options ---------------------------------------------------------------- */

static int check_option(const char *key, const char *value, struct err *e)
{
	static const char *const truths[] = {"com.docker.network.bridge.enable_icc",
		"com.docker.network.bridge.enable_ip_masquerade",
		"com.docker.network.bridge.default_bridge"};
	struct err why = {0};
	struct subnet ip;
	int64_t n = 0;
	bool truth;

	for (size_t i = 0; i < ARRAY_LEN(truths); i++)
		if (str_eq(key, truths[i]) && parse_bool(value, &truth, &why) < 0)
			return err_set(e, ERR_USAGE, "failed to parse %s value: %s (%s)", key,
				value, why.text);
	if (str_eq(key, "com.docker.network.driver.mtu") && parse_decimal(value, &n, &why) < 0)
		return err_set(e, ERR_USAGE, "failed to parse %s value: %s (strconv.Atoi: parsing %s: %s)",
			key, value, QUOTED(value),
			str_ends(why.text, "range") ? "value out of range" : "invalid syntax");
	if (n < 0)
		return err_set(e, ERR_USAGE, "invalid MTU number: %lld", (long long)n);
	if (str_eq(key, "com.docker.network.bridge.host_binding_ipv4") && !subnet_read_ip(value, &ip))
		return err_set(e, ERR_USAGE, "failed to parse %s value: %s (nil ip)", key, value);
	return 0;
}

static int check_options(const json_t *options, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)options, key,
		v) if (check_option(key, json_is_string(v) ? json_string_value(v) : "", e) < 0) return -1;
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int check_scope(const json_t *j, const char *scope, struct err *e)
{
	if (json_bool(j, "Ingress", false))
		return err_set(e, ERR_DENIED, "Ingress network can only be global scope network");
	if (str_eq(scope, "swarm"))
		return err_set(e, ERR_DENIED,
			"cannot create a swarm scoped network when swarm is not active");
	if (*scope && !str_eq(scope, "local"))
		return err_set(e, ERR_SYSTEM,
			"This node is not a swarm manager. Use \"docker swarm init\" or \"docker swarm "
			"join\" to connect this node to swarm and try again.");
	return 0;
}

int network_take(const struct store *s, json_t *j, const json_t *ask, struct err *e)
{
	const char *scope = json_str(ask, "Scope", ""), *driver = json_str(ask, "Driver", ""), *from;
	json_t *ipam = json_object_get(j, "IPAM");
	const json_t *config;
	bool only;

	if (take_fields(j, ask, e) < 0 || check_config(json_object_get(ipam, "Config"), e) < 0)
		return -1;
	tidy_config(ipam);
	config = json_object_get(ipam, "Config");
	from = json_str(json_object_get(j, "ConfigFrom"), "Network", "");
	only = json_bool(j, "ConfigOnly", false);
	driver = only ? "null" : *driver ? driver : "bridge";
	(void)json_object_set_new(j, "Driver", json_string(driver)); /* memory */
	if (check_subnets(config, e) < 0 || (only && check_config_only(j, scope, e) < 0) ||
		(*from && check_config_from(j, e) < 0))
		return -1;
	if (only)
		return 0;
	if (!str_eq(driver, "bridge") && !is_host_or_none(driver))
		return no_driver(driver, e);
	if (check_scope(j, scope, e) < 0 || (*from && take_config_from(s, j, from, e) < 0))
		return -1;
	if (is_host_or_none(driver))
		return err_set(e, ERR_DENIED, "only one instance of \"%s\" network is allowed", driver);
	if (check_ipam(s, j, e) < 0)
		return -1;
	return check_options(json_object_get(j, "Options"), e);
}
