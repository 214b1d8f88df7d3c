/* SPDX-License-Identifier: Apache-2.0 */
/* spec_host: ports, ulimits and devices in docker's JSON. */
#include "spec_rows.h"

#include <string.h>

/* "127.0.0.1:80:8080/tcp" into its parts; host address and port may be empty. */
static void split_port(const char *word, char **ip, char **host, char **container)
{
	const char *last = strrchr(word, ':'), *middle = NULL;

	for (const char *c = word; last && c < last; c++)
		if (*c == ':')
			middle = c;
	*container = xstrdup(last ? last + 1 : word);
	*host = !last    ? xstrdup("")
	        : middle ? xstrndup(middle + 1, (size_t)(last - middle - 1))
	                 : xstrndup(word, (size_t)(last - word));
	/* An IPv6 address is in brackets, which the API does not have. */
	if (middle && *word == '[')
		*ip = xstrndup(word + 1, (size_t)(middle - word - 2));
	else
		*ip = middle ? xstrndup(word, (size_t)(middle - word)) : xstrdup("");
}

void spec_ports_to_json(const struct spec *s, json_t *j)
{
	json_t *bindings;

	if (!s->ports.set && !s->ports.n)
		return;
	spec_json_set(j, "HostConfig.PortBindings", bindings = json_object());
	for (size_t i = 0; i < s->ports.n; i++) {
		auto_free char *ip = NULL, *host = NULL, *container = NULL;
		json_t *one = json_object(), *list;

		split_port(s->ports.v[i], &ip, &host, &container);
		list = json_object_get(bindings, container);
		if (!list) {
			list = json_array();
			(void)json_object_set_new(bindings, container, list); /* memory */
		}
		spec_json_set(one, "HostIp", json_text(ip));
		spec_json_set(one, "HostPort", json_text(host));
		(void)json_array_append_new(list, one); /* only memory can fail */
	}
}

static bool is_port(const char *s, size_t n)
{
	return n == 0 || (strspn(s, "0123456789") >= n && n < 10 && atol(s) <= UINT16_MAX);
}

static bool is_port_range(const char *s)
{
	size_t n = strcspn(s, "/"), first = strcspn(s, "-/");

	if (s[first] != '-')
		return is_port(s, n);
	return first > 0 && first + 1 < n && is_port(s, first) &&
	       is_port(s + first + 1, n - first - 1) && atol(s) <= atol(s + first + 1);
}

int spec_check_ports(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->ports.n; i++) {
		auto_free char *ip = NULL, *host = NULL, *container = NULL;
		size_t n;

		split_port(s->ports.v[i], &ip, &host, &container);
		n = strcspn(container, "/");
		if (!is_port(container, n))
			return err_set(e, ERR_USAGE, "invalid port specification: \"%.*s\"", (int)n,
				container);
		if (!is_port_range(host))
			return err_set(e, ERR_USAGE, "invalid port specification: \"%s\"", host);
	}
	return 0;
}

static int port_from_json(struct spec *s, const char *container, const json_t *v, struct err *e)
{
	const char *ip = json_str(v, "HostIp", ""), *host = json_str(v, "HostPort", "");
	const char *open = strpbrk(ip, ":[") ? "[" : "", *close = *open ? "]" : "";

	if (!json_is_object(v))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.PortBindings must hold objects");
	if (*ip)
		strv_addf(&s->ports, "%s%s%s:%s:%s", open, ip, close, host, container);
	else if (*host)
		strv_addf(&s->ports, "%s:%s", host, container);
	else
		strv_add(&s->ports, container);
	return 0;
}

int spec_ports_from_json(struct spec *s, const json_t *j, struct err *e)
{
	json_t *bindings = spec_json_get(j, "HostConfig.PortBindings"), *list, *v;
	const char *container;
	size_t i;

	if (bindings && !json_is_object(bindings))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.PortBindings must be an object");
	s->ports.set = s->ports.set || bindings;
	json_object_foreach(bindings, container, list)
	{
		/* null: any host port */
		if (!json_is_array(list) && !json_is_null(list))
			return err_set(e, ERR_USAGE,
				"invalid JSON: HostConfig.PortBindings must hold arrays");
		if (json_array_size(list) == 0)
			strv_add(&s->ports, container);
		json_array_foreach(list, i, v) if (port_from_json(s, container, v, e) < 0) return -1;
	}
	return 0;
}

static json_t *device_to_json(const char *word)
{
	json_t *j = json_object();
	size_t outside = strcspn(word, ":");
	const char *inside = word[outside] ? word + outside + 1 : word;
	size_t n = strcspn(inside, ":");
	auto_free char *host = xstrndup(word, outside), *container = xstrndup(inside, n);
	const char *rights = inside[n] ? inside + n + 1 : "rwm";

	/* "/dev/a:rw": the second of two parts may be the rights alone */
	if (*inside && *inside != '/' && !inside[n]) {
		rights = inside;
		free(container);
		container = xstrdup(host);
	}
	spec_json_set(j, "PathOnHost", json_text(host));
	spec_json_set(j, "PathInContainer", json_text(container));
	spec_json_set(j, "CgroupPermissions", json_text(rights));
	return j;
}

void spec_host_to_json(const struct spec *s, json_t *j)
{
	json_t *devices = json_array(), *ulimits = json_array();

	for (size_t i = 0; i < s->devices.n; i++)
		(void)json_array_append_new(devices, device_to_json(s->devices.v[i])); /* memory */
	for (size_t i = 0; i < s->n_ulimits; i++) {
		json_t *one = json_object();

		spec_json_set(one, "Name", json_string(s->ulimits[i].name));
		spec_json_set(one, "Hard", json_integer(s->ulimits[i].hard));
		spec_json_set(one, "Soft", json_integer(s->ulimits[i].soft));
		(void)json_array_append_new(ulimits, one); /* only memory can fail */
	}
	if (s->devices.set || s->devices.n)
		spec_json_set(j, "HostConfig.Devices", json_incref(devices));
	if (s->ulimits_set || s->n_ulimits)
		spec_json_set(j, "HostConfig.Ulimits", json_incref(ulimits));
	json_decref(devices);
	json_decref(ulimits);
}

struct spec_ulimit *spec_set_ulimit(struct spec *s, const struct spec_ulimit *u)
{
	for (size_t i = 0; i < s->n_ulimits; i++) {
		if (str_eq(s->ulimits[i].name, u->name)) {
			s->ulimits[i] = *u;
			return &s->ulimits[i];
		}
	}
	s->ulimits = xrealloc(s->ulimits, s->n_ulimits + 1, sizeof(*s->ulimits));
	s->ulimits[s->n_ulimits] = *u;
	return &s->ulimits[s->n_ulimits++];
}

static int ulimit_from_json(struct spec *s, const json_t *v, struct err *e)
{
	const char *name = json_str(v, "Name", "");
	struct spec_ulimit u = {.soft = json_int(v, "Soft", 0), .hard = json_int(v, "Hard", 0)};

	if (!json_is_object(v) || !*name)
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Ulimits must hold objects");
	if (strlen(name) >= sizeof(u.name))
		return err_set(e, ERR_USAGE, "invalid ulimit type: %s", name);
	(void)snprintf(u.name, sizeof(u.name), "%s", name); /* measured above */
	(void)spec_set_ulimit(s, &u);
	return 0;
}

int spec_host_from_json(struct spec *s, const json_t *j, struct err *e)
{
	const json_t *devices = spec_json_get(j, "HostConfig.Devices"), *v;
	const json_t *ulimits = spec_json_get(j, "HostConfig.Ulimits");
	size_t i;

	if ((devices && !json_is_array(devices)) || (ulimits && !json_is_array(ulimits)))
		return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.%s must be an array",
			ulimits && !json_is_array(ulimits) ? "Ulimits" : "Devices");
	s->ulimits_set = s->ulimits_set || ulimits;
	s->devices.set = s->devices.set || devices;
	json_array_foreach(ulimits, i, v) if (ulimit_from_json(s, v, e) < 0) return -1;
	json_array_foreach(devices, i, v)
	{
		const char *outside = json_str(v, "PathOnHost", NULL);

		if (!outside)
			return err_set(e, ERR_USAGE, "invalid JSON: HostConfig.Devices must name a path");
		strv_addf(&s->devices, "%s:%s:%s", outside, json_str(v, "PathInContainer", outside),
			json_str(v, "CgroupPermissions", "rwm"));
	}
	return 0;
}
