/* SPDX-License-Identifier: Apache-2.0 */
/* The API about networks: records, see network.h. */
#include "api.h"

#include "auto.h"
#include "filter.h"
#include "network.h"
#include "network_sieve.h"
#include "parse.h"

static int list(struct api *a, struct err *e)
{
	auto_network_sieve struct network_sieve sieve = {0};
	auto_filters struct filters f = {0};
	auto_strv struct strv unread = {0};
	auto_json json_t *all = NULL;
	json_t *rows, *one;
	size_t i;

	if (api_filters(a, &f, e) < 0 || network_sieve_make(a->s, &f, &sieve, e) < 0 ||
		!(all = network_list(a->s, &unread, e)))
		return -1;
	api_log(a, &unread);
	rows = json_array();
	json_array_foreach(all, i, one)
	{
		auto_network struct network brief;

		network_read(one, &brief);
		if (network_sieve_passes(&sieve, &brief))
			(void)json_array_append(rows, one); /* memory */
	}
	return api_json(a, 200, rows);
}

static int inspect(struct api *a, struct err *e)
{
	const char *verbose = http_query(a->r, "verbose"), *scope = http_query(a->r, "scope");
	json_t *j, *containers;
	struct err why;
	bool truth;

	if (verbose && *verbose && parse_bool(verbose, &truth, &why) < 0)
		return err_set(e, ERR_USAGE, "invalid value for verbose: %.100s: %.200s", verbose,
			why.text);
	if (scope && *scope && !str_eq(scope, "local"))
		return err_set(e, ERR_NOT_FOUND, "network %s not found", a->arg);
	j = network_find(a->s, a->arg, e);
	if (!j)
		return -1;
	containers = network_containers(a->s, json_str(j, "Name", ""), e);
	if (containers)
		(void)json_object_set_new(j, "Containers", containers); /* memory */
	return api_json(a, 200, j);
}

static int create(struct api *a, struct err *e)
{
	auto_json json_t *ask = api_read_json(a, e), *j = NULL;

	if (!ask || api_types("NetworkCreateRequest", ask, e) < 0)
		return -1;
	j = network_create(a->s, json_str(ask, "Name", ""), ask, e);
	if (!j) {
		a->status = e->kind == ERR_DENIED ? 403 : 0; /* as docker has it */
		return -1;
	}
	return api_json(a, 201, json_pack("{s:s, s:s}", "Id", json_str(j, "Id", ""), "Warning", ""));
}

static int remove_it(struct api *a, struct err *e)
{
	if (network_remove(a->s, a->arg, e) == 0)
		return api_done(a, 204);
	a->status = e->kind == ERR_DENIED || e->kind == ERR_CONFLICT ? 403 : 0; /* as docker has it */
	return -1;
}

static int connect_it(struct api *a, bool on, struct err *e)
{
	static const char *const types[] = {"sContainer", "bForce", NULL};
	auto_json json_t *ask = api_read_json(a, e);
	const char *container;

	if (!ask || api_check(ask, types, e) < 0)
		return -1;
	container = json_str(ask, "Container", "");
	if (!*container)
		return err_set(e, ERR_USAGE, "invalid name or ID supplied: \"\"");
	if ((!on && json_bool(ask, "Force", false)
			    ? network_disconnect_by_force(a->s, a->arg, container, e)
			    : network_connect(a->s, a->arg, container, on, e)) == 0)
		return api_done(a, 200);
	a->status = e->kind == ERR_DENIED ? 403 : 0; /* as docker has it */
	return -1;
}

static int connect(struct api *a, struct err *e)
{
	return connect_it(a, true, e);
}

static int disconnect(struct api *a, struct err *e)
{
	return connect_it(a, false, e);
}

const struct api_route api_networks[] = {
	{"GET", "/networks", list},
	{"GET", "/networks/", list}, /* docker's daemon has both */
	{"POST", "/networks/create", create},
	{"POST", "/networks/*/connect", connect},
	{"POST", "/networks/*/disconnect", disconnect},
	{"GET", "/networks/*", inspect},
	{"DELETE", "/networks/*", remove_it},
	{0},
};
