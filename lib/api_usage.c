/* SPDX-License-Identifier: Apache-2.0 */
/* The API about what containers use: top, stats, update. */
#include "api.h"

#include "auto.h"
#include "engine.h"
#include "event.h"
#include "stamp.h"
#include "status.h"
#include "sys.h"
#include "top.h"
#include "update.h"
#include "usage.h"

#include <poll.h>
#include <string.h>

/* ---- top ------------------------------------------------------------------------------ */

/* docker's daemon splits at each single blank, and passes empty words on to ps, which refuses them. top_list() ignores
 * empty words, but not a word with blanks in it. */
static void split(const char *words, struct strv *out)
{
	size_t n = strlen(words);

	if (n && (*words == ' ' || words[n - 1] == ' ' || strstr(words, "  "))) {
		strv_add(out, words);
		return;
	}
	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		strv_take(out, xstrndup(words, n));
	}
}

static int top(struct api *a, struct err *e)
{
	auto_state struct state st = {0};
	auto_strv struct strv args = {0};
	const char *words = http_query(a->r, "ps_args");
	char *none[] = {NULL};
	json_t *j;

	split(words ? words : "", &args);
	if (api_container_state(a, &st, e) < 0)
		return -1;
	if (st.status != ST_RUNNING && st.status != ST_PAUSED)
		return engine_not_running(&st, e);
	j = top_list(&st, args.n ? args.v : none, e);
	if (!j) {
		if (e->kind != ERR_CONFLICT) /* it has not ended meanwhile */
			a->status = 500;     /* as docker has it, whatever ps did not like */
		return -1;
	}
	if (json_array_size(json_object_get(j, "Processes")) == 0)
		json_set(j, "Processes", json_null()); /* as Go writes a list to which nothing was added */
	event_container(a->s, &st, "top", NULL, NULL);
	return api_json(a, 200, j);
}

/* ---- stats ---------------------------------------------------------------------------- */

enum { LOOK_MS = 1000 };

struct look {
	struct usage use;
	int64_t limit; /* of memory */
	struct timespec at;
	int64_t system_ns; /* processor time of the whole machine */
};

static int64_t machine_ns(void)
{
	char text[512], *at = text;
	int64_t ticks = 0;

	if (sys_get(AT_FDCWD, "/proc/stat", text, sizeof(text)) <= 0 || !str_starts(text, "cpu "))
		return 0;
	at += 3;
	for (int i = 0; i < 8; i++)
		ticks += strtoll(at, &at, 10);
	return ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

static int look(struct api *a, const struct state *st, struct look *out, struct err *e)
{
	if (usage_read(st, &out->use, e) < 0 || usage_limit(a->s, st->id, &out->limit, e) < 0)
		return -1;
	out->at = (struct timespec){0};
	if (state_runs(st)) /* else nothing was read, and docker gives no moment either */
		(void)clock_gettime(CLOCK_REALTIME, &out->at); /* this clock is always there */
	out->system_ns = machine_ns();
	return 0;
}

/* If nothing was measured, or the container does not run, docker reports nothing about the machine either. */
static json_t *cpu_object(const struct look *l, bool runs)
{
	int64_t total = (int64_t)(l->use.cpu * 1e9);
	json_t *j = json_pack("{s:{s:I, s:I, s:I}, s:{s:i, s:i, s:i}}", "cpu_usage", "total_usage",
		total, "usage_in_kernelmode", (json_int_t)0, "usage_in_usermode", total,
		"throttling_data", "periods", 0, "throttled_periods", 0, "throttled_time", 0);

	if (runs && l->at.tv_sec) {
		json_set(j, "system_cpu_usage", json_integer(l->system_ns));
		json_set(j, "online_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	}
	return j;
}

/* The processes' memory: cached files do not count for the container here. Clients subtract a cache member, of one
 * name or another, so both are given. */
static json_t *memory_object(const struct look *now)
{
	json_int_t held = (json_int_t)now->use.memory;

	return json_pack("{s:I, s:{s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:i}, s:I}", "usage", held, "stats",
		"anon", held, "rss", held, "file", 0, "cache", 0, "active_file", 0, "inactive_file",
		0, "total_inactive_file", 0, "pgmajfault", 0, "limit", (json_int_t)now->limit);
}

static json_t *io_object(const struct look *now, bool runs)
{
	static const char *const unknown[] = {"io_serviced_recursive", "io_queue_recursive",
		"io_service_time_recursive", "io_wait_time_recursive", "io_merged_recursive",
		"io_time_recursive", "sectors_recursive"};
	json_t *j = json_object(), *bytes = runs ? json_array() : json_null();

	for (int w = 0; w < 2 && runs; w++)
		(void)json_array_append_new(bytes,
			json_pack("{s:i, s:i, s:s, s:I}", "major", 0, "minor", 0, "op",
				w ? "write" : "read", "value",
				(json_int_t)(w ? now->use.written : now->use.read))); /* memory */
	json_set(j, "io_service_bytes_recursive", bytes);
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		json_set(j, unknown[i], runs ? json_array() : json_null());
	return j;
}

static json_t *moment(const struct timespec *t)
{
	char text[STAMP_SIZE] = "0001-01-01T00:00:00Z"; /* Go's zero: none */

	if (t->tv_sec)
		stamp_print(t, text);
	return json_string(text);
}

static json_t *stats_object(const struct state *st, const struct look *before, const struct look *now)
{
	auto_free char *name = xasprintf("/%s", st->name ? st->name : "");
	const char *network = status_network(st);
	bool runs = state_runs(st);
	json_t *j = json_object();

	json_set(j, "name", json_text(name));
	json_set(j, "id", json_string(st->id));
	json_set(j, "read", moment(&now->at));
	json_set(j, "preread", moment(&before->at));
	json_set(j, "num_procs", json_integer(0));
	json_set(j, "pids_stats",
		runs ? json_pack("{s:I}", "current", (json_int_t)now->use.tasks) : json_object());
	json_set(j, "blkio_stats", io_object(now, runs));
	json_set(j, "storage_stats", json_object());
	json_set(j, "cpu_stats", cpu_object(now, runs));
	json_set(j, "precpu_stats", cpu_object(before, runs));
	json_set(j, "memory_stats", runs ? memory_object(now) : json_object());
	if (runs && !str_eq(network, "none") && !str_eq(network, "host"))
		json_set(j, "networks",
			json_pack("{s:{s:I, s:i, s:i, s:i, s:I, s:i, s:i, s:i}}", "eth0", "rx_bytes",
				(json_int_t)now->use.received, "rx_packets", 0, "rx_errors", 0,
				"rx_dropped", 0, "tx_bytes", (json_int_t)now->use.sent,
				"tx_packets", 0, "tx_errors", 0, "tx_dropped", 0));
	return j;
}

static int say(struct api *a, json_t *take_it)
{
	auto_json json_t *j = take_it;
	auto_free char *text = json_dumps(j, JSON_COMPACT),
		       *line = xasprintf("%s\n", text ? text : "{}");

	return http_write(a->h, line, strlen(line));
}

static int stats(struct api *a, struct err *e)
{
	const char *asked = http_query(a->r, "stream");
	bool stream = !asked || http_query_bool(a->r, "stream");
	bool one_shot = http_query_bool(a->r, "one-shot");
	struct look before = {0}, now = {0};
	bool begun = false;
	id_text id;

	if (api_container(a, id, e) < 0)
		return -1;
	if (stream && one_shot)
		return err_set(e, ERR_USAGE, "cannot have stream=true and one-shot=true");
	for (bool first = true;; first = false) {
		auto_state struct state st = {0};

		before = now;
		if (state_load(a->s, id, &st, e) < 0 || look(a, &st, &now, e) < 0) {
			if (!begun)
				return -1;
			break; /* the container is gone, or seems to be */
		}
		/* The first answer, too, is to show what was used since an earlier look, as all others do. */
		if (first && !stream && !one_shot && state_runs(&st)) {
			(void)poll(NULL, 0, LOOK_MS);
			continue;
		}
		if (!begun && http_begin(a->h, 200, "application/json") < 0)
			return 0;
		if (!begun)
			http_die_with_client(a->h);
		begun = true;
		if (say(a, stats_object(&st, &before, &now)) < 0 || !stream)
			break;
		(void)poll(NULL, 0, LOOK_MS);
	}
	(void)http_end(a->h);
	return 0;
}

/* ---- update --------------------------------------------------------------------------- */

/* Others would be kept and shown. */
static void known_only(json_t *change)
{
	static const char known[] =
		"RestartPolicy CgroupParent CpusetCpus CpusetMems CpuShares Memory NanoCpus CpuPeriod CpuQuota "
		"CpuRealtimePeriod CpuRealtimeRuntime MemoryReservation MemorySwap MemorySwappiness PidsLimit "
		"BlkioWeight BlkioWeightDevice BlkioDeviceReadBps BlkioDeviceWriteBps BlkioDeviceReadIOps "
		"BlkioDeviceWriteIOps Devices DeviceCgroupRules DeviceRequests OomKillDisable Ulimits CpuCount "
		"CpuPercent IOMaximumIOps IOMaximumBandwidth";
	const char *key;
	json_t *v;
	void *next;

	json_object_foreach_safe(change, next, key, v)
	{
		if (!*key || !str_has_word(known, ' ', key))
			(void)json_object_del(change, key); /* it is there */
	}
}

static int update(struct api *a, struct err *e)
{
	auto_json json_t *change = api_read_json(a, e), *pids = NULL;
	auto_strv struct strv warnings = {0};
	json_t *list;
	id_text id;

	if (!change || api_types("UpdateConfig", change, e) < 0)
		return -1;
	known_only(change);
	api_tidy(json_object_get(change, "RestartPolicy"));
	if (json_object_size(json_object_get(change, "RestartPolicy")) == 0)
		(void)json_object_del(change, "RestartPolicy"); /* nothing about it was asked for */
	pids = json_incref(json_object_get(change, "PidsLimit"));
	api_tidy(change);
	if (json_is_integer(pids))
		json_set(change, "PidsLimit", json_incref(pids)); /* 0 is a wish here: no limit any more */
	if (api_container(a, id, e) < 0 || update_container(a->s, id, change, &warnings, e) < 0)
		return -1;
	api_update_warnings(change, &warnings);
	list = warnings.n ? json_from_strv(&warnings) : json_null();
	return api_json(a, 200, json_pack("{s:o}", "Warnings", list));
}

const struct api_route api_usage[] = {
	{"GET", "/containers/*/top", top},
	{"GET", "/containers/*/stats", stats},
	{"POST", "/containers/*/update", update},
	{0},
};
