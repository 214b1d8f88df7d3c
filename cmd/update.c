/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "parse.h"
#include "spec.h"
#include "state.h"
#include "update.h"

#include <string.h>

struct update {
	json_t *change; /* members of docker's HostConfig */
	char *restart;
	bool asked;           /* an option was given, even if it changes nothing */
	struct strv warnings; /* about options without effect; printed unless all containers fail */
	struct spec ours;     /* only the limits that docker does not have */
};

static void update_init(void *target)
{
	struct update *u = target;

	u->change = json_object();
	spec_init(&u->ours);
}

static void update_done(void *target)
{
	struct update *u = target;

	json_decref(u->change);
	free(u->restart);
	strv_done(&u->warnings);
	spec_done(&u->ours);
}

static void set(void *target, const char *key, json_t *value)
{
	(void)json_object_set_new(((struct update *)target)->change, key, value); /* memory */
}

static int set_bytes(void *target, const char *key, const char *value, struct err *e)
{
	int64_t n;

	if (parse_bytes(value, &n, e) < 0)
		return -1;
	set(target, key, json_integer(n));
	return 0;
}

static int set_int(void *target, const char *key, const char *value, struct err *e)
{
	int64_t n;

	if (parse_int(value, &n, e) < 0)
		return -1;
	set(target, key, json_integer(n));
	return 0;
}

/* An option was given, even if it changes nothing. */
static void note(void *target)
{
	((struct update *)target)->asked = true;
}

static int set_memory(void *target, const char *value, struct err *e)
{
	return set_bytes(target, "Memory", value, e);
}

static int set_memory_reservation(void *target, const char *value, struct err *e)
{
	return set_bytes(target, "MemoryReservation", value, e);
}

static int set_memory_swap(void *target, const char *value, struct err *e)
{
	if (!str_eq(value, "-1"))
		return set_bytes(target, "MemorySwap", value, e);
	set(target, "MemorySwap", json_integer(-1));
	return 0;
}

static int set_cpus(void *target, const char *value, struct err *e)
{
	int64_t n;

	if (parse_nano_cpus(value, &n, e) < 0)
		return -1;
	set(target, "NanoCpus", json_integer(n));
	return 0;
}

static int set_period(void *target, const char *value, struct err *e)
{
	return set_int(target, "CpuPeriod", value, e);
}

static int set_quota(void *target, const char *value, struct err *e)
{
	return set_int(target, "CpuQuota", value, e);
}

static int set_shares(void *target, const char *value, struct err *e)
{
	return set_int(target, "CpuShares", value, e);
}

static int set_pids(void *target, const char *value, struct err *e)
{
	int64_t n;

	if (parse_int(value, &n, e) < 0)
		return -1;
	if (n == 0)
		note(target); /* docker's client does not send a 0 */
	else
		set(target, "PidsLimit", json_integer(n));
	return 0;
}

static int set_cpuset(void *target, const char *value, struct err *e)
{
	(void)e;
	set(target, "CpusetCpus", json_text(value));
	return 0;
}

static int set_mems(void *target, const char *value, struct err *e)
{
	(void)e;
	set(target, "CpusetMems", json_text(value));
	return 0;
}

static int set_weight(void *target, const char *value, struct err *e)
{
	int64_t n;

	note(target); /* discarded, as docker does if control groups have no weights */
	return parse_uint(value, 65535, &n, e);
}

static int check_bytes(void *target, const char *value, struct err *e)
{
	int64_t unused;

	note(target);
	return parse_bytes(value, &unused, e);
}

static int check_int(void *target, const char *value, struct err *e)
{
	int64_t unused;

	note(target);
	return parse_int(value, &unused, e);
}

static int restart_word(struct update *u, struct err *e)
{
	auto_free char *policy = NULL;
	int64_t max = 0;

	if (u->restart)
		note(u);
	if (!u->restart || !*u->restart)
		return 0;
	if (parse_restart(u->restart, &policy, &max, e) < 0)
		return -1;
	set(u, "RestartPolicy",
		json_pack("{s:s, s:I}", "Name", policy ? policy : "no", "MaximumRetryCount",
			(json_int_t)(max == SPEC_UNSET ? 0 : max)));
	return 0;
}

static void add_ours(struct update *u)
{
	auto_json json_t *spec = spec_to_json(&u->ours);
	json_t *ours = json_object_get(spec, "Sbx");

	if (json_object_size(ours) > 0)
		set(u, "Sbx", json_incref(ours));
}

/* clang-format off */
static const struct opt update_opts[] = {
	{ 0,   "blkio-weight",       "uint16",  "Block IO (relative weight), between 10 and 1000, or 0 to disable (default 0)", OPT_CALL(set_weight), OPT_NO_EFFECT },
	{ 0,   "cpu-period",         "int",     "Limit CPU CFS (Completely Fair Scheduler) period", OPT_CALL(set_period) },
	{ 0,   "cpu-quota",          "int",     "Limit CPU CFS (Completely Fair Scheduler) quota", OPT_CALL(set_quota) },
	{ 0,   "cpu-rt-period",      "int",     "Limit the CPU real-time period in microseconds", OPT_CALL(check_int), OPT_NO_EFFECT | OPT_SINCE(25) },
	{ 0,   "cpu-rt-runtime",     "int",     "Limit the CPU real-time runtime in microseconds", OPT_CALL(check_int), OPT_NO_EFFECT | OPT_SINCE(25) },
	{ 'c', "cpu-shares",         "int",     "CPU shares (relative weight)", OPT_CALL(set_shares) },
	{ 0,   "cpus",               "decimal", "Number of CPUs", OPT_CALL(set_cpus), OPT_SINCE(29) },
	{ 0,   "cpuset-cpus",        "string",  "CPUs in which to allow execution (0-3, 0,1)", OPT_CALL(set_cpuset) },
	{ 0,   "cpuset-mems",        "string",  "MEMs in which to allow execution (0-3, 0,1)", OPT_CALL(set_mems) },
	{ 0,   "kernel-memory",      "bytes",   "Kernel memory limit (deprecated)", OPT_CALL(check_bytes), OPT_HIDDEN },
	{ 'm', "memory",             "bytes",   "Memory limit", OPT_CALL(set_memory) },
	{ 0,   "memory-reservation", "bytes",   "Memory soft limit", OPT_CALL(set_memory_reservation) },
	{ 0,   "memory-swap",        "bytes",   "Swap limit equal to memory plus swap: -1 to enable unlimited swap", OPT_CALL(set_memory_swap) },
	{ 0,   "pids-limit",         "int",     "Tune container pids limit (set -1 for unlimited)", OPT_CALL(set_pids), OPT_SINCE(40) },
	{ 0,   "restart",            "string",  "Restart policy to apply when a container exits", OPT_STR(struct update, restart) },

	/* ours */
	{ 0,   "cpu-time",            "duration", "End the container when it has used so much CPU time (1m30s, or seconds)", OPT_DURATION(struct update, ours.cpu_time_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "kill-after",          "duration", "After --timeout, send the stop signal first and kill this much later (1s, or seconds)", OPT_DURATION(struct update, ours.kill_after_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "output-limit",        "bytes",    "Limit what the program may write to its standard output and error together", OPT_BYTES(struct update, ours.output_limit), OPT_OURS },
	{ 0,   "output-limit-action", "string",   "What to do with more output: \"drop\" it or \"kill\" the program (default \"drop\")", OPT_STR(struct update, ours.output_limit_action), OPT_OURS },
	{ 0,   "timeout",             "duration", "End the container this long after its start, with status 124 (1m30s, or seconds; 0: never)", OPT_DURATION(struct update, ours.timeout_ns), OPT_OURS | OPT_SECONDS },
	{ 0 },
};
/* clang-format on */

static int one(const struct store *s, const char *name, const json_t *change, struct strv *warnings,
	struct err *e)
{
	id_text id;

	return state_find(s, name, id, e) < 0 ? -1 : update_container(s, id, change, warnings, e);
}

static int update_main(void *target, int argc, char **argv)
{
	const struct update *u = target;
	const json_t *change = u->change;
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_strv struct strv warnings = {0}, failed = {0};
	struct err e;

	if (restart_word(target, &e) < 0)
		return say_error(&e, 1);
	add_ours(target);
	if (json_object_size(change) == 0 && !u->asked) {
		(void)fprintf(stderr, "you must provide one or more flags when using this command\n");
		return 1;
	}
	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	state_know_ids(&s, argv);
	for (int i = 0; i < argc; i++) {
		if (one(&s, argv[i], change, &warnings, &e) < 0)
			(void)say_as_daemon(&e), strv_add(&failed, e.text);
		else
			say_print("%s\n", argv[i]);
	}
	for (size_t i = 0; failed.n < (size_t)argc && i < u->warnings.n; i++)
		(void)fprintf(stderr, "%s\n", u->warnings.v[i]);
	for (size_t i = 0; i < warnings.n; i++) /* on standard output, like docker's */
		say_print("%s\n", warnings.v[i]);
	return say_failures(&failed);
}

const struct command cmd_update = {
	.name = "update",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Update configuration of one or more containers",
	.aliases = "docker container update, docker update",
	.opts = update_opts,
	.target_size = sizeof(struct update),
	.init = update_init,
	.run = update_main,
	.done = update_done,
	.held = offsetof(struct update, warnings),
	.min_args = 1,
	.max_args = -1,
};
