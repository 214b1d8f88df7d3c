/* SPDX-License-Identifier: Apache-2.0 */
/* event_life: the events about a container's start and end, with those of its networks and volumes. */
#include "event_parts.h"
#include "network.h"
#include "status.h"

static void tell_network(const struct store *s, const struct state *st, const char *name,
	const char *action, struct buf *lines)
{
	const char *type = str_eq(name, "none") ? "null" : str_eq(name, "host") ? "host" : "bridge";
	auto_json json_t *a =
		json_pack("{s:s, s:s, s:s}", "container", st->id, "name", name, "type", type);
	id_text id;

	if (network_id(s, name, id))
		event_print("network", action, id, a, lines);
}

/* A container that shares another one's network is on none itself. */
static void tell_networks(const struct store *s, const struct state *st, const struct spec *spec,
	const char *action, struct buf *lines)
{
	const char *first = status_network(st), *name;
	const json_t *ask;

	tell_network(s, st, first, action, lines);
	json_object_foreach(spec->endpoints, name, ask)
	{
		if (!str_eq(name, first) && !str_eq(name, "default"))
			tell_network(s, st, name, action, lines);
	}
}

static void tell_volumes(const struct state *st, const struct spec *spec, bool mounted, struct buf *lines)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		const struct spec_mount *m = &spec->mounts[i];
		auto_json json_t *a = json_pack("{s:s, s:s}", "container", st->id, "driver", "local");

		if (m->kind != MOUNT_VOLUME)
			continue;
		if (mounted) {
			json_set(a, "destination", json_text(m->dst));
			json_set(a, "propagation", json_text(m->propagation ? m->propagation : ""));
			json_set(a, "read/write", json_string(m->read_only ? "false" : "true"));
		}
		event_print("volume", mounted ? "mount" : "unmount", m->volume ? m->volume : m->src,
			a, lines);
	}
}

void event_life_begin(const struct store *s, const struct state *st, const struct spec *spec, bool started)
{
	auto_json json_t *a = event_attributes(st);
	auto_buf struct buf lines = {0};

	tell_networks(s, st, spec, "connect", &lines);
	tell_volumes(st, spec, true, &lines);
	if (started)
		event_print("container", "start", st->id, a, &lines);
	event_append(s, &lines);
}

static void add_duration(json_t *a, const struct state *st)
{
	char seconds[24];
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	(void)snprintf(seconds, sizeof(seconds), "%lld",
		(long long)(now.tv_sec - st->started.tv_sec - (now.tv_nsec < st->started.tv_nsec)));
	json_set(a, "execDuration", json_string(seconds));
}

void event_life_end(
	const struct store *s, const struct state *st, const struct spec *spec, const char *code)
{
	auto_json json_t *a = event_attributes(st), *json = NULL;
	auto_buf struct buf lines = {0};
	auto_spec struct spec stored;
	struct err none; /* then only the container's own event is emitted */

	spec_init(&stored);
	if (!spec && (json = state_load_spec(s, st->id, &none)))
		(void)spec_from_json(&stored, json, &none); /* likewise */
	if (!spec)
		spec = &stored;
	if (code) {
		add_duration(a, st);
		json_set(a, "exitCode", json_text(code));
		event_print("container", "die", st->id, a, &lines);
	}
	tell_networks(s, st, spec, "disconnect", &lines);
	tell_volumes(st, spec, false, &lines);
	event_append(s, &lines);
}
