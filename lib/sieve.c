/* SPDX-License-Identifier: Apache-2.0 */
#include "sieve.h"

#include "image.h"
#include "inspect.h"
#include "network.h"
#include "parse.h"
#include "stamp.h"
#include "status.h"

#include <errno.h>
#include <string.h>

static const char *const known[] = {"ancestor", "before", "exited", "expose", "health", "id", "is-task",
	"isolation", "label", "name", "network", "publish", "since", "status", "volume", NULL};

static int status_known(const char *value, struct err *e)
{
	for (int i = 0; i < STATUSES; i++)
		if (str_eq(status_names[i], value))
			return 0;
	return err_set(e, ERR_USAGE, "invalid filter 'status=%s'", value);
}

static int created_at(const struct store *s, const char *name, struct timespec *out, struct err *e)
{
	auto_state struct state st = {0};
	id_text id;

	if (state_find(s, name, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return e->kind == ERR_NOT_FOUND
		               ? err_set(e, ERR_NOT_FOUND, "no such container %s", name)
		               : -1;
	*out = st.created;
	return 0;
}

static int check_numbers(const struct filters *f, struct err *e)
{
	static const char *const health[] = {"starting", "healthy", "unhealthy", "none"};
	const char *v;
	char *end;

	for (size_t i = 0; (v = filter_next(f, "exited", &i));) {
		errno = 0;
		(void)strtol(v, &end, 10); /* only whether it is a number */
		if (errno || *end || end == v)
			return err_set(e, ERR_USAGE, "strconv.Atoi: parsing %s: invalid syntax",
				QUOTED(v));
	}
	for (size_t i = 0; (v = filter_next(f, "health", &i));) {
		size_t k = 0;

		while (k < ARRAY_LEN(health) && !str_eq(health[k], v))
			k++;
		if (k == ARRAY_LEN(health))
			return err_set(e, ERR_USAGE, "unrecognized filter value for health: %s", v);
	}
	for (int publish = 0; publish < 2; publish++) {
		const char *key = publish ? "publish" : "expose";

		for (size_t i = 0; (v = filter_next(f, key, &i));) {
			auto_free char *proto = NULL;
			struct err why;
			int64_t first, last;

			if (strchr(v, ':'))
				return err_set(e, ERR_USAGE,
					"filter for '%s' should not contain ':': %s", key, v);
			if (parse_port_filter(v, &first, &last, &proto, &why) < 0)
				return err_set(e, ERR_USAGE,
					"error while looking up for %s %s: %.200s", key, v, why.text);
		}
	}
	return 0;
}

/* The only one that begins so, or nothing. */
static void add_begun(struct sieve *v, const struct strv *all, const char *begin)
{
	const char *found = NULL;

	for (size_t i = 0; *begin && i < all->n; i++) {
		if (!str_starts(all->v[i], begin))
			continue;
		if (found)
			return;
		found = all->v[i];
	}
	if (found)
		strv_add(&v->ids, found);
}

int sieve_make(const struct store *s, const struct filters *f, struct sieve *out, struct err *e)
{
	auto_strv struct strv all = {0};
	const char *v;

	*out = (struct sieve){.s = s, .f = f};
	if (filter_check(f, known, e) < 0 || check_numbers(f, e) < 0 ||
		filter_bool(f, "is-task", false, &out->is_task, e) < 0)
		return -1;
	for (size_t i = 0; (v = filter_next(f, "status", &i));)
		if (status_known(v, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "before", &i));)
		if (created_at(s, v, &out->before, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "since", &i));)
		if (created_at(s, v, &out->since, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "ancestor", &i));) {
		auto_image struct image image = {0};

		if (image_find(s, v, &image, e) == 0) /* an unknown one has no containers */
			strv_add(&out->images, image.id);
	}
	if (filter_has(f, "id") && s && state_ids(s, &all, e) < 0)
		return -1;
	for (size_t i = 0; (v = filter_next(f, "id", &i));)
		add_begun(out, &all, v);
	return 0;
}

/* Docker's engine matches names with and without the leading slash. */
static bool passes_name(const struct filters *f, const char *name)
{
	auto_free char *slashed = NULL;

	if (filter_match(f, "name", name))
		return true;
	slashed = xasprintf("/%s", name);
	return filter_match(f, "name", slashed);
}

static bool passes_exited(const struct filters *f, const struct state *st)
{
	const char *v;

	if (!filter_has(f, "exited"))
		return true;
	for (size_t i = 0; (v = filter_next(f, "exited", &i));)
		if (strtol(v, NULL, 10) == st->exit_code && !state_runs(st) && st->started.tv_sec)
			return true;
	return false;
}

/* ids: those that the values of this key stand for. */
static bool is_among(const struct sieve *v, const char *key, const struct strv *ids, const char *id)
{
	if (!(str_eq(key, "id") ? filter_has : filter_asked)(v->f, key))
		return true;
	for (size_t i = 0; i < ids->n; i++)
		if (str_eq(ids->v[i], id))
			return true;
	return false;
}

/* "80", "80/tcp", "80-90/udp" among the ports. */
static bool has_port(const char *want, const json_t *ports, bool published)
{
	auto_free char *protocol = NULL;
	int64_t from, to;
	const char *key;
	struct err unused;
	json_t *v;

	if (parse_port_filter(want, &from, &to, &protocol, &unused) < 0) /* refused before */
		return false;
	json_object_foreach((json_t *)(uintptr_t)ports, key, v)
	{
		const char *slash = strchr(key, '/');
		long inside = strtol(key, NULL, 10);

		if (!str_eq(slash ? slash + 1 : "tcp", protocol))
			continue;
		if (!published && inside >= from && inside <= to)
			return true;
		for (size_t i = 0; published && i < json_array_size(v); i++) {
			long outside = strtol(json_str(json_array_get(v, i), "HostPort", "0"), NULL, 10);

			if (outside >= from && outside <= to)
				return true;
		}
	}
	return false;
}

static bool passes_ports(const struct sieve *v, const struct state *st, json_t **spec,
	const char *key, bool published)
{
	auto_json json_t *ports = NULL;
	const char *want;

	if (!filter_has(v->f, key))
		return true;
	ports = status_ports(st, sieve_spec(v->s, st, spec));
	for (size_t i = 0; (want = filter_next(v->f, key, &i));)
		if (has_port(want, ports, published))
			return true;
	return false;
}

static bool passes_volume(const struct sieve *v, const struct state *st, json_t **spec)
{
	auto_json json_t *mounts = NULL;
	json_t *m;
	size_t i;

	if (!filter_asked(v->f, "volume"))
		return true;
	if (st->mountless)
		return false;
	mounts = container_mounts(v->s, sieve_spec(v->s, st, spec));
	json_array_foreach(mounts, i,
		m) if (filter_lists(v->f, "volume", json_str(m, "Name", json_str(m, "Source", ""))) ||
		       filter_lists(v->f, "volume", json_str(m, "Destination", ""))) return true;
	return false;
}

/* By its name, or how its id begins, which a container has from its first start on. */
static bool passes_network(const struct sieve *v, const struct state *st)
{
	const char *name = status_network(st), *want;
	id_text id = "";

	if (!filter_asked(v->f, "network") || filter_lists(v->f, "network", name))
		return true;
	if (v->s && st->started.tv_sec && !str_starts(name, "container:"))
		(void)network_id(v->s, name, id); /* a network that does not exist any more has no id */
	for (size_t i = 0; (want = filter_next(v->f, "network", &i));)
		if (str_starts(id, want))
			return true;
	return false;
}

/* The cheap ones first: what reads a file comes last. */
bool sieve_passes(const struct sieve *v, const struct state *st, json_t **spec)
{
	const char *health = st->health ? st->health : "none";

	if (v->f->n == 0)
		return true;
	if (!passes_name(v->f, st->name ? st->name : ""))
		return false;
	if (!is_among(v, "id", &v->ids, st->id) || !filter_labels(v->f, &st->labels) || v->is_task)
		return false;
	if (!filter_match(v->f, "status", status_names[st->status]) || !passes_exited(v->f, st))
		return false;
	if (!filter_equal(v->f, "health", health) || !is_among(v, "ancestor", &v->images, st->image_id))
		return false;
	if (v->before.tv_sec && stamp_cmp(&st->created, &v->before) >= 0)
		return false;
	if (v->since.tv_sec && stamp_cmp(&st->created, &v->since) <= 0)
		return false;
	if (!passes_network(v, st))
		return false;
	return passes_volume(v, st, spec) && passes_ports(v, st, spec, "expose", false) &&
	       passes_ports(v, st, spec, "publish", true);
}

const json_t *sieve_spec(const struct store *s, const struct state *st, json_t **spec)
{
	struct err unused;

	/* one that cannot be read shows as one without ports and mounts */
	if (!*spec && s)
		*spec = state_load_spec(s, st->id, &unused);
	if (!*spec)
		*spec = json_object();
	return *spec;
}

void sieve_done(struct sieve *v)
{
	strv_done(&v->images);
	strv_done(&v->ids);
}
