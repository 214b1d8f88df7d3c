/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include "human.h"

#include <string.h>

static char *since(const struct timespec *t)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	return human_duration(now.tv_sec - t->tv_sec - (now.tv_nsec < t->tv_nsec));
}

static char *up_words(const struct state *st, const char *passed)
{
	const char *health = st->health;

	if (st->status == ST_PAUSED)
		return xasprintf("Up %s (Paused)", passed);
	if (!health || str_eq(health, "none"))
		return xasprintf("Up %s", passed);
	return xasprintf("Up %s (%s%s)", passed, str_eq(health, "starting") ? "health: " : "", health);
}

char *status_words(const struct state *st)
{
	auto_free char *passed = NULL;

	switch (st->status) {
	case ST_RUNNING:
	case ST_PAUSED:
		passed = since(&st->started);
		return up_words(st, passed);
	case ST_RESTARTING:
		passed = since(&st->finished);
		return xasprintf("Restarting (%d) %s ago", st->exit_code, passed);
	case ST_REMOVING:
		return xstrdup("Removal In Progress");
	case ST_DEAD:
		return xstrdup("Dead");
	default:
		break;
	}
	if (!st->started.tv_sec)
		return xstrdup("Created");
	if (!st->finished.tv_sec)
		return xstrdup("");
	passed = since(&st->finished);
	return xasprintf("Exited (%d) %s ago", st->exit_code, passed);
}

const char *status_network(const struct state *st)
{
	if (!st->network || !*st->network || str_eq(st->network, "default"))
		return "bridge";
	return st->network;
}

json_t *status_ports(const struct state *st, const json_t *spec)
{
	json_t *exposed = json_object_get(spec, "ExposedPorts"), *ports = json_object(), *v;
	const char *network = status_network(st), *key;
	auto_json json_t *published = NULL;
	bool own = !str_eq(network, "none") && !str_eq(network, "host") &&
	           !str_starts(network, "container:");

	if (!state_runs(st) || !own)
		return ports;
	json_object_foreach(exposed, key, v)
	{
		(void)json_object_set_new(ports, key, json_null()); /* memory */
	}
	published = st->ports ? json_loads(st->ports, 0, NULL) : NULL;
	if (published)
		(void)json_object_update(ports, published); /* memory */
	return ports;
}

struct port {
	const char *ip, *protocol;
	int inside, outside; /* outside 0: not published */
};

static int by_number(const void *a, const void *b)
{
	const struct port *p = a, *q = b;
	int way = p->inside - q->inside;

	if (!way)
		way = strcmp(p->ip, q->ip);
	if (!way)
		way = p->outside - q->outside;
	return way ? way : strcmp(p->protocol, q->protocol);
}

static void add_port(struct port **list, size_t *n, const char *key, const char *ip, const char *host)
{
	const char *slash = strchr(key, '/');

	*list = xrealloc(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = (struct port){.ip = ip,
		.protocol = slash ? slash + 1 : "tcp",
		.inside = atoi(key),
		.outside = atoi(host)};
}

/* Ports which follow one another, and are published under their own numbers or not at all, are one word. */
static void add_words(const struct port *p, size_t n, struct buf *plain, struct buf *mapped)
{
	struct buf *b = p->outside && p->outside != p->inside ? mapped : plain;
	const char *open = strchr(p->ip, ':') ? "[" : "", *close = *open ? "]" : "";
	int last = p->inside + (int)n - 1;

	buf_puts(b, b->len ? ", " : "");
	if (p->outside) {
		buf_printf(b, "%s%s%s:%d", open, p->ip, close, p->outside);
		if (n > 1)
			buf_printf(b, "-%d", last);
		buf_puts(b, "->");
	}
	buf_printf(b, "%d", p->inside);
	if (n > 1)
		buf_printf(b, "-%d", last);
	buf_printf(b, "/%s", p->protocol);
}

static bool follows(const struct port *a, const struct port *b)
{
	bool same = a->outside ? a->outside == a->inside && b->outside == b->inside : !b->outside;

	return same && b->inside == a->inside + 1 && strcmp(a->ip, b->ip) == 0 &&
	       strcmp(a->protocol, b->protocol) == 0;
}

char *status_ports_words(const json_t *ports)
{
	auto_buf struct buf plain = {0}, mapped = {0};
	auto_free struct port *list = NULL;
	const char *key;
	json_t *v, *one;
	size_t n = 0, i;

	json_object_foreach((json_t *)(uintptr_t)ports, key, v)
	{
		if (json_array_size(v) == 0)
			add_port(&list, &n, key, "", "0");
		json_array_foreach(v, i, one) add_port(&list, &n, key, json_str(one, "HostIp", ""),
			json_str(one, "HostPort", "0"));
	}
	if (n)
		qsort(list, n, sizeof(*list), by_number);
	for (size_t from = 0, run; from < n; from += run) {
		for (run = 1; from + run < n && follows(&list[from + run - 1], &list[from + run]);)
			run++;
		add_words(&list[from], run, &plain, &mapped);
	}
	if (mapped.len)
		buf_printf(&plain, "%s%s", plain.len ? ", " : "", mapped.s);
	return buf_take(&plain);
}
