/* SPDX-License-Identifier: Apache-2.0 */
/* container_network: the options of run and create about networks, names and ports. */
#include "container_opts.h"

#include "parse.h"
#include "publish.h"
#include "settings.h"

#include <string.h>

/* What can be given either as a field of --network or, for the first network, as an option, must not be given as both. */
static int said_twice(bool both, const char *option, const char *field, struct err *e)
{
	return !both ? 0
	             : err_set(e, ERR_USAGE,
			       "conflicting options: cannot specify both --%s and per-network %s",
			       option, field);
}

static bool is_set(const char *s)
{
	return s && *s;
}

static void default_word(char **place, const char *value)
{
	if (!is_set(value))
		return;
	free(*place);
	*place = xstrdup(value);
}

static void default_words(struct strv *place, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		strv_add(place, words->v[i]);
}

/* Options like --ip belong to the first network; as a container has only one, that is the only one. */
static int add_options(const struct run_args *a, struct network_word *w, struct err *e)
{
	if (said_twice(w->aliases.n && a->network_alias.n, "network-alias", "alias", e) < 0 ||
		said_twice(is_set(w->ip) && is_set(a->ip), "ip", "IPv4 address", e) < 0 ||
		said_twice(is_set(w->ip6) && is_set(a->ip6), "ip6", "IPv6 address", e) < 0 ||
		said_twice(is_set(w->mac) && is_set(a->spec.mac_address), "mac-address",
			"MAC address", e) < 0 ||
		said_twice(w->link_local.n && a->link_local.n, "link-local-ip",
			"link-local IP addresses", e) < 0)
		return -1;
	default_words(&w->aliases, &a->network_alias);
	default_word(&w->ip, a->ip);
	default_word(&w->ip6, a->ip6);
	default_word(&w->mac, a->spec.mac_address);
	default_words(&w->link_local, &a->link_local);
	return 0;
}

static int check_word(const struct network_word *w, struct err *e)
{
	if (!w->name[strspn(w->name, " \t\n\v\f\r")])
		return err_set(e, ERR_USAGE, "no name set for network");
	if (w->aliases.n && !parse_network_is_own(w->name))
		return err_set(e, ERR_USAGE,
			"network-scoped aliases are only supported for user-defined networks");
	if (is_set(w->mac) && !parse_mac_ok(w->mac))
		return err_set(e, ERR_USAGE, "%s is not a valid mac address", w->mac);
	return 0;
}

static void say_no_effect(struct run_args *a, bool asked, const char *field)
{
	if (asked)
		strv_addf(&a->warnings,
			"WARNING: %s of --network has no effect here: there is no network that has "
			"addresses and names to give",
			field);
}

static void warn_of_word(struct run_args *a, const struct network_word *w)
{
	say_no_effect(a, w->aliases.n > 0, "alias");
	say_no_effect(a, is_set(w->ip), "ip");
	say_no_effect(a, is_set(w->ip6), "ip6");
	say_no_effect(a, is_set(w->mac), "mac-address");
	say_no_effect(a, w->link_local.n > 0, "link-local-ip");
	say_no_effect(a, w->driver_opts.n > 0, "driver-opt");
	say_no_effect(a, w->gw_priority != 0, "gw-priority");
}

/* The endpoint's settings as docker's client sends them; NULL if there are none. */
static json_t *endpoint_object(const struct network_word *w, const struct strv *links)
{
	auto_json json_t *one = json_object(), *addresses = json_object();

	if (links->n)
		json_set(one, "Links", json_from_strv(links));
	if (w->aliases.n)
		json_set(one, "Aliases", json_from_strv(&w->aliases));
	if (is_set(w->ip))
		json_set(addresses, "IPv4Address", json_text(w->ip));
	if (is_set(w->ip6))
		json_set(addresses, "IPv6Address", json_text(w->ip6));
	if (w->link_local.n)
		json_set(addresses, "LinkLocalIPs", json_from_strv(&w->link_local));
	if (json_object_size(addresses))
		json_set(one, "IPAMConfig", json_incref(addresses));
	if (w->driver_opts.n) {
		json_t *options = json_object();

		for (size_t i = 0; i < w->driver_opts.n; i++) {
			const char *word = w->driver_opts.v[i];
			size_t n = strcspn(word, "=");
			auto_free char *key = json_utf8(word, n);

			json_set(options, key, json_text(word + n + 1));
		}
		json_set(one, "DriverOpts", options);
	}
	if (w->gw_priority)
		json_set(one, "GwPriority", json_integer(w->gw_priority));
	return json_object_size(one) ? json_incref(one) : NULL;
}

/* The networks of --network. The container gets the first one. */
struct networks {
	struct strv names;
	bool own, others; /* some are user-defined; some are modes like "host" */
};

static void networks_done(struct networks *n)
{
	strv_done(&n->names);
}
#define auto_networks __attribute__((cleanup(networks_done)))

static int take_word(struct run_args *a, struct networks *all, struct network_word *w, struct err *e)
{
	struct spec *s = &a->spec;

	*(parse_network_is_own(w->name) ? &all->own : &all->others) = true;
	if (all->names.n == 0 && add_options(a, w, e) < 0)
		return -1;
	if (check_word(w, e) < 0)
		return -1;
	for (size_t i = 0; i < all->names.n; i++)
		if (str_eq(all->names.v[i], w->name))
			return err_set(e, ERR_USAGE, "network %s is specified multiple times",
				QUOTED(w->name));
	if (all->names.n == 0) {
		static const struct strv none = {0};
		bool own = parse_network_is_own(w->name);
		json_t *endpoint = endpoint_object(w, own ? &a->link : &none);

		if (!own)
			strv_copy(&s->links, &a->link);

		if (endpoint) {
			auto_free char *name = json_utf8(w->name, strlen(w->name));

			s->endpoints = json_pack("{s:o}", name, endpoint);
		}
		default_word(&s->mac_address, w->mac);
	}
	strv_add(&all->names, w->name);
	return 0;
}

static int only_network(const struct networks *all, struct err *e)
{
	if (all->own && all->others)
		return err_set(e, ERR_USAGE,
			"conflicting options: cannot attach both user-defined and "
			"non-user-defined network-modes");
	if (all->names.n > 1)
		return err_set(e, ERR_DENIED, "Container cannot be connected to network endpoints: %s, %s",
			all->names.v[0], all->names.v[1]);
	return 0;
}

static int attach_words(struct run_args *a, struct err *e)
{
	auto_networks struct networks all = {0};

	if (!a->network.n) {
		auto_network_word struct network_word w = {.name = xstrdup("default")};

		return take_word(a, &all, &w, e);
	}
	for (size_t i = 0; i < a->network.n; i++) {
		auto_network_word struct network_word w = {0};

		if (parse_network(a->network.v[i], &w, e) < 0)
			return -1;
		warn_of_word(a, &w); /* before take_word() adds options, which are OPT_NO_EFFECT and warned of already */
		if (take_word(a, &all, &w, e) < 0)
			return -1;
	}
	if (only_network(&all, e) < 0)
		return -1;
	free(a->spec.network);
	a->spec.network = xstrdup(all.names.v[0]);
	return 0;
}

/* By --network, or, without it, by the user's setting. */
static bool is_host_network(const struct spec *s)
{
	auto_free char *set = s->network && !str_eq(s->network, "default") ? NULL : setting("network");

	return str_eq(set ? set : s->network, "host");
}

int port_words(struct run_args *a, struct err *e)
{
	struct spec *s = &a->spec;

	for (size_t i = 0; i < a->publish.n; i++)
		if (parse_publish(a->publish.v[i], &s->ports, &s->exposed, e) < 0)
			return -1;
	for (size_t i = 0; i < a->expose.n; i++)
		if (parse_expose(a->expose.v[i], &s->exposed, e) < 0)
			return -1;
	return 0;
}

static void warn(struct run_args *a)
{
	struct spec *s = &a->spec;

	if ((s->ports.n || s->publish_all) && is_host_network(s))
		strv_add(&a->warnings,
			"WARNING: Published ports are discarded when using host network mode");
	else if (publish_warning(s))
		strv_addf(&a->warnings, "WARNING: %s", publish_warning(s));
	for (size_t i = 0; i < s->dns.n; i++)
		if (str_starts(s->dns.v[i], "127.") || str_eq(s->dns.v[i], "::1")) {
			strv_addf(&a->warnings,
				"WARNING: Localhost DNS (%s) may fail in containers.", s->dns.v[i]);
			return; /* docker warns only once */
		}
}

int network_words(struct run_args *a, struct err *e)
{
	if (attach_words(a, e) < 0)
		return -1;
	warn(a);
	return 0;
}
