/* SPDX-License-Identifier: Apache-2.0 */
#include "event_filter.h"

#include <string.h>

static bool begins(const struct filters *f, const char *key, const char *id, const char *name)
{
	const char *want;
	bool none = true;

	for (size_t i = 0; (want = filter_next(f, key, &i)); none = false)
		if (str_starts(id, want) || str_starts(name, want))
			return true;
	return none;
}

static bool passes_action(const struct filters *f, const char *action)
{
	const char *want;

	if (filter_equal(f, "event", action))
		return true;
	for (size_t i = 0; (want = filter_next(f, "event", &i));)
		if (str_starts(action, want) && action[strlen(want)] == ':')
			return true;
	return false;
}

static bool passes_image(const struct filters *f, const char *type, const char *id, const json_t *a)
{
	const char *name = json_str(a, str_eq(type, "image") ? "name" : "image", "");
	const char *slash = strrchr(name, '/'), *tag = strchr(slash ? slash : name, ':');
	auto_free char *bare = tag ? xstrndup(name, (size_t)(tag - name)) : xstrdup(name);

	return filter_equal(f, "image", id) || filter_equal(f, "image", name) ||
	       filter_equal(f, "image", bare);
}

static bool passes_labels(const struct filters *f, const json_t *attributes)
{
	const char *want;

	for (size_t i = 0; (want = filter_next(f, "label", &i));) {
		const char *eq = strchr(want, '=');
		auto_free char *key = eq ? xstrndup(want, (size_t)(eq - want)) : xstrdup(want);
		const char *have = json_str(attributes, key, NULL);

		if (!have || (eq && strcmp(have, eq + 1) != 0))
			return false;
	}
	return true;
}

bool event_passes(const struct filters *f, const json_t *event)
{
	static const char *const names[] = {"container", "daemon", "network", "node", "plugin",
		"service", "secret", "config", "volume"};
	const json_t *actor = json_object_get(event, "Actor"), *a = json_object_get(actor, "Attributes");
	const char *type = json_str(event, "Type", ""), *id = json_str(actor, "ID", "");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!begins(f, names[i], id, json_str(a, "name", "")))
			return false;
	return passes_action(f, json_str(event, "Action", "")) && filter_equal(f, "type", type) &&
	       filter_equal(f, "scope", "local") && passes_image(f, type, id, a) &&
	       passes_labels(f, a);
}

struct timespec event_time(const json_t *event)
{
	int64_t ns = json_int(event, "timeNano", 0);

	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}
