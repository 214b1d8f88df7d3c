/* SPDX-License-Identifier: Apache-2.0 */
#include "network_sieve.h"

#include "status.h"

/* In docker's words, which are others than of other boolean filters; that one is off counts for nothing. */
static int read_dangling(const struct filters *f, bool *out, struct err *e)
{
	size_t i = 0;
	const char *word = filter_next(f, "dangling", &i);

	if (filter_has_several(f, "dangling"))
		return err_set(e, ERR_USAGE, "got more than one value for filter key \"dangling\"");
	*out = word && (str_eq(word, "1") || str_eq(word, "true"));
	if (!word || *out || str_eq(word, "0") || str_eq(word, "false"))
		return 0;
	return err_set(e, ERR_USAGE,
		"invalid value for filter 'dangling', must be \"true\" (or \"1\"), or \"false\" (or \"0\")");
}

int network_sieve_make(
	const struct store *s, const struct filters *f, struct network_sieve *out, struct err *e)
{
	static const char *const known[] = {
		"dangling", "driver", "id", "label", "name", "scope", "type", NULL};
	size_t i = 0;

	*out = (struct network_sieve){.f = f, .dangling_asked = filter_has(f, "dangling")};
	if (filter_check(f, known, e) < 0 || read_dangling(f, &out->dangling, e) < 0)
		return -1;
	for (const char *v; (v = filter_next(f, "type", &i));)
		if (!str_eq(v, "builtin") && !str_eq(v, "custom"))
			return err_set(e, ERR_USAGE, "invalid filter: 'type'='%s'", v);
	return out->dangling_asked ? state_list_alive(s, &out->containers, &out->n, e) : 0;
}

/* Nobody on it, running or not; one of the three never dangles. */
static bool dangles(const struct network_sieve *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (str_eq(status_network(&v->containers[i]), name))
			return false;
	return !network_is_predefined(name);
}

bool network_sieve_passes(const struct network_sieve *v, const struct network *network)
{
	const char *name = network->name;
	const char *type = network_is_predefined(name) ? "builtin" : "custom";

	return filter_match(v->f, "name", name) && filter_match(v->f, "id", network->id) &&
	       filter_equal(v->f, "driver", network->driver) && filter_equal(v->f, "scope", "local") &&
	       (!filter_asked(v->f, "type") || filter_lists(v->f, "type", type)) &&
	       filter_labels(v->f, &network->labels) &&
	       (!v->dangling_asked || dangles(v, name) == v->dangling);
}

void network_sieve_done(struct network_sieve *v)
{
	state_list_free(v->containers, v->n);
	*v = (struct network_sieve){0};
}
