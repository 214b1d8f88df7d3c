/* SPDX-License-Identifier: Apache-2.0 */
/* The API about the machine: _ping, version, info, events, and calls that are answered without doing anything. */
#include "api.h"

#include "about.h"
#include "auto.h"
#include "event.h"
#include "filter.h"
#include "plugin.h"
#include "registry.h"

#include <string.h>
#include <sys/utsname.h>

static int ping(struct api *a, struct err *e)
{
	(void)e;
	http_set(a->h, "Builder-Version", "1");
	http_set(a->h, "Cache-Control", "no-cache, no-store, must-revalidate");
	http_set(a->h, "Pragma", "no-cache");
	http_set(a->h, "Swarm", "inactive");
	http_reply(a->h, 200, "text/plain; charset=utf-8", "OK", 2);
	return 0;
}

static int options(struct api *a, struct err *e)
{
	(void)e;
	return api_done(a, 200);
}

static int version(struct api *a, struct err *e)
{
	auto_json json_t *j = NULL;
	struct utsname u;

	(void)e;
	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u)); /* an unnamed machine is no reason to refuse */
	j = about_version(&u);
	return api_json(a, 200, json_incref(json_object_get(j, "Server")));
}

static int info(struct api *a, struct err *e)
{
	json_t *j = about_machine(a->s, e);

	if (!j)
		return -1;
	(void)json_object_del(j, "ClientInfo"); /* the client's own */
	api_old_info(a, j);
	return api_json(a, 200, j);
}

/* There is no registry to ask: whether the credentials are right shows when they are used. */
static int auth(struct api *a, struct err *e)
{
	auto_json json_t *j = api_read_json(a, e);

	if (!j)
		return -1;
	return err_set(e, ERR_UNSUPPORTED, NO_REGISTRY "there is nothing to log in to");
}

/* ---- events --------------------------------------------------------------------------- */

static int events(struct api *a, struct err *e)
{
	auto_event_reader struct event_reader r = {.fd = -1, .old = -1, .inotify = -1};
	auto_filters struct filters f = {0};
	struct event_span span;
	json_t *next;

	if (event_span_read(http_query(a->r, "since"), http_query(a->r, "until"), &span, e) < 0 ||
		api_filters(a, &f, e) < 0 || event_open(&r, a->s, e) < 0)
		return -1;
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	http_die_with_client(a->h);
	while (event_next_of(&r, &span, &f, &next)) {
		auto_json json_t *event = next;
		auto_free char *text = json_dumps(event, JSON_COMPACT),
			       *line = xasprintf("%s\n", text ? text : "{}");

		if (http_write(a->h, line, strlen(line)) < 0)
			return 0;
	}
	if (r.failed.kind == ERR_NONE)
		(void)http_end(a->h);
	else
		http_abort(a->h); /* half of them must not look like all */
	return 0;
}

/* ---- what is not here ----------------------------------------------------------------- */

static int no_build(struct api *a, struct err *e)
{
	return api_error(a, 501, e, "sbx does not build images: build them elsewhere and load them");
}

/* Of a build that does not run there is nothing to cancel, and docker says no more of it. */
static int cancel_build(struct api *a, struct err *e)
{
	const char *id = http_query(a->r, "id");

	return id && *id ? api_done(a, 200) : err_set(e, ERR_SYSTEM, "build ID not provided");
}

static int no_swarm(struct api *a, struct err *e)
{
	return api_error(a, 503, e,
		"This node is not a swarm manager. Use \"docker swarm init\" or \"docker "
		"swarm join\" to connect this node to swarm and try again.");
}

static int no_node(struct api *a, struct err *e)
{
	return api_error(a, 503, e, "This node is not part of a swarm");
}

static int one_machine(struct api *a, struct err *e)
{
	return api_error(a, 501, e, "sbx runs containers on one machine: it has no swarms");
}

static int plugins_of_nobody(struct api *a, struct err *e)
{
	return api_error(a, 501, e, NO_PLUGINS);
}

static int no_plugins(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};

	if (api_filters(a, &f, e) < 0 || plugin_check_filters(&f, e) < 0)
		return -1;
	return api_json(a, 200, json_array());
}

static int no_plugin(struct api *a, struct err *e)
{
	return plugin_find(a->arg, e);
}

/* docker checks the timeout before it looks for the plugin. */
static int enable_plugin(struct api *a, struct err *e)
{
	int64_t timeout;

	return api_number(a, "timeout", 0, &timeout, e) < 0 ? -1 : plugin_find(a->arg, e);
}

const struct api_route api_system[] = {
	{"GET", "/_ping", ping},
	{"HEAD", "/_ping", ping},
	{"OPTIONS", "/*", options},
	{"GET", "/version", version},
	{"GET", "/info", info},
	{"POST", "/auth", auth},
	{"GET", "/events", events},
	{"POST", "/build", no_build},
	{"POST", "/build/cancel", cancel_build},
	{"POST", "/session", no_build},
	{"GET", "/swarm", no_swarm},
	{"GET", "/services", no_swarm},
	{"GET", "/nodes", no_swarm},
	{"GET", "/tasks", no_swarm},
	{"GET", "/secrets", no_swarm},
	{"GET", "/configs", no_swarm},
	{"POST", "/swarm/init", one_machine},
	{"POST", "/swarm/join", one_machine},
	{"POST", "/swarm/leave", no_node},
	{"POST", "/services/create", no_swarm},
	{"POST", "/secrets/create", no_swarm},
	{"POST", "/configs/create", no_swarm},
	{"GET", "/services/*", no_swarm},
	{"GET", "/nodes/*", no_swarm},
	{"GET", "/tasks/*", no_swarm},
	{"GET", "/secrets/*", no_swarm},
	{"GET", "/configs/*", no_swarm},
	{"DELETE", "/services/*", no_swarm},
	{"DELETE", "/nodes/*", no_swarm},
	{"DELETE", "/secrets/*", no_swarm},
	{"DELETE", "/configs/*", no_swarm},
	{"POST", "/services/*/update", no_swarm},
	{"POST", "/nodes/*/update", no_swarm},
	{"POST", "/secrets/*/update", no_swarm},
	{"POST", "/configs/*/update", no_swarm},
	{"POST", "/swarm/update", no_swarm},
	{"POST", "/swarm/unlock", no_swarm},
	{"GET", "/swarm/unlockkey", no_swarm},
	{"GET", "/plugins", no_plugins},
	{"GET", "/plugins/privileges", plugins_of_nobody},
	{"POST", "/plugins/pull", plugins_of_nobody},
	{"POST", "/plugins/create", plugins_of_nobody},
	{"GET", "/plugins/*/json", no_plugin},
	{"DELETE", "/plugins/*", no_plugin},
	{"POST", "/plugins/*/enable", enable_plugin},
	{"POST", "/plugins/*/disable", no_plugin},
	{"POST", "/plugins/*/set", no_plugin},
	{"POST", "/plugins/*/upgrade", no_plugin},
	{"POST", "/plugins/*/push", no_plugin},
	{0},
};
