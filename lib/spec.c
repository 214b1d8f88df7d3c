/* SPDX-License-Identifier: Apache-2.0 */
#include "spec_rows.h"

#include <string.h>

enum row_type {
	ROW_STR,
	ROW_INT,       /* absent when SPEC_UNSET */
	ROW_BOOL,      /* always there */
	ROW_BOOL_TRUE, /* absent when false */
	ROW_TRUTH,     /* absent when SPEC_UNSET; else 0 or 1 */
	ROW_LIST,      /* array of strings; absent when not set */
	ROW_WORDS, /* the same; a lone string is read as a list of one, as docker does for Cmd and CapAdd */
	ROW_SET,     /* {"80/tcp": {}} */
	ROW_MAP,     /* {"K": "V"} from "K=V" */
	ROW_OBJECTS, /* [{...}] as it came; absent when NULL */
	ROW_SIZE,    /* [rows, columns]; absent when 0 */
	ROW_TABLE,   /* {"K": {...}} as it came, null for an empty one; absent when NULL */
};

struct row {
	const char *path;
	enum row_type type;
	size_t offset;
};

#define STR(m)       ROW_STR, MEMBER_AT(struct spec, m, char *)
#define INT(m)       ROW_INT, MEMBER_AT(struct spec, m, int64_t)
#define BOOL(m)      ROW_BOOL, MEMBER_AT(struct spec, m, bool)
#define BOOL_TRUE(m) ROW_BOOL_TRUE, MEMBER_AT(struct spec, m, bool)
#define TRUTH(m)     ROW_TRUTH, MEMBER_AT(struct spec, m, int64_t)
#define LIST(m)      ROW_LIST, MEMBER_AT(struct spec, m, struct strv)
#define WORDS(m)     ROW_WORDS, MEMBER_AT(struct spec, m, struct strv)
#define SET(m)       ROW_SET, MEMBER_AT(struct spec, m, struct strv)
#define OBJECTS(m)   ROW_OBJECTS, MEMBER_AT(struct spec, m, json_t *)
#define TABLE(m)     ROW_TABLE, MEMBER_AT(struct spec, m, json_t *)
#define SIZE(m)      ROW_SIZE, MEMBER_AT(struct spec, m, struct spec_size)
#define MAP(m)       ROW_MAP, MEMBER_AT(struct spec, m, struct strv)

/* Writing, reading, emptying and initialising walk these rows, so they cannot differ. */
/* clang-format off */
static const struct row rows[] = {
	{ "Hostname",        STR(hostname) },
	{ "Domainname",      STR(domainname) },
	{ "User",            STR(user) },
	{ "AttachStdin",     BOOL(attach_stdin) },
	{ "AttachStdout",    BOOL(attach_stdout) },
	{ "AttachStderr",    BOOL(attach_stderr) },
	{ "ExposedPorts",    SET(exposed) },
	{ "Tty",             BOOL(tty) },
	{ "OpenStdin",       BOOL(stdin_open) },
	{ "StdinOnce",       BOOL(stdin_once) },
	{ "Env",             LIST(env) },
	{ "Cmd",             WORDS(cmd) },
	{ "Healthcheck.Test",          WORDS(health.test) },
	{ "Healthcheck.Interval",      INT(health.interval_ns) },
	{ "Healthcheck.Timeout",       INT(health.timeout_ns) },
	{ "Healthcheck.StartPeriod",   INT(health.start_period_ns) },
	{ "Healthcheck.StartInterval", INT(health.start_interval_ns) },
	{ "Healthcheck.Retries",       INT(health.retries) },
	{ "Image",           STR(image) },
	{ "Volumes",         SET(volumes) },
	{ "WorkingDir",      STR(workdir) },
	{ "Entrypoint",      WORDS(entrypoint) },
	{ "NetworkDisabled", BOOL_TRUE(network_disabled) },
	{ "MacAddress",      STR(mac_address) },
	{ "OnBuild",         LIST(on_build) },
	{ "Labels",          MAP(labels) },
	{ "StopSignal",      STR(stop_signal) },
	{ "StopTimeout",     INT(stop_timeout) },
	{ "Shell",           WORDS(shell) },

	{ "NetworkingConfig.EndpointsConfig", TABLE(endpoints) },
	{ "HostConfig.NetworkMode",       STR(network) },
	{ "HostConfig.RestartPolicy.Name",              STR(restart) },
	{ "HostConfig.RestartPolicy.MaximumRetryCount", INT(restart_max) },
	{ "HostConfig.LogConfig.Type",    STR(log_driver) },
	{ "HostConfig.LogConfig.Config",  MAP(log_opts) },
	{ "HostConfig.ContainerIDFile",   STR(cidfile) },
	{ "HostConfig.AutoRemove",        BOOL(auto_remove) },
	{ "HostConfig.VolumeDriver",      STR(volume_driver) },
	{ "HostConfig.VolumesFrom",       LIST(volumes_from) },
	{ "HostConfig.ConsoleSize",       SIZE(console) },
	{ "HostConfig.CapAdd",            WORDS(cap_add) },
	{ "HostConfig.CapDrop",           WORDS(cap_drop) },
	{ "HostConfig.CgroupnsMode",      STR(cgroupns_mode) },
	{ "HostConfig.Dns",               LIST(dns) },
	{ "HostConfig.DnsOptions",        LIST(dns_options) },
	{ "HostConfig.DnsSearch",         LIST(dns_search) },
	{ "HostConfig.ExtraHosts",        LIST(extra_hosts) },
	{ "HostConfig.GroupAdd",          LIST(group_add) },
	{ "HostConfig.Links",             LIST(links) },
	{ "HostConfig.IpcMode",           STR(ipc_mode) },
	{ "HostConfig.OomScoreAdj",       INT(oom_score_adj) },
	{ "HostConfig.PidMode",           STR(pid_mode) },
	{ "HostConfig.Privileged",        BOOL(privileged) },
	{ "HostConfig.PublishAllPorts",   BOOL(publish_all) },
	{ "HostConfig.ReadonlyRootfs",    BOOL(read_only) },
	{ "HostConfig.SecurityOpt",       LIST(security_opt) },
	{ "HostConfig.StorageOpt",        MAP(storage_opt) },
	{ "HostConfig.UTSMode",           STR(uts_mode) },
	{ "HostConfig.UsernsMode",        STR(userns_mode) },
	{ "HostConfig.ShmSize",           INT(shm_size) },
	{ "HostConfig.Sysctls",           MAP(sysctls) },
	{ "HostConfig.Runtime",           STR(runtime) },
	{ "HostConfig.Isolation",         STR(isolation) },
	{ "HostConfig.CpuShares",         INT(cpu_shares) },
	{ "HostConfig.Memory",            INT(memory) },
	{ "HostConfig.NanoCpus",          INT(nano_cpus) },
	{ "HostConfig.CgroupParent",      STR(cgroup_parent) },
	{ "HostConfig.BlkioWeight",       INT(blkio_weight) },
	{ "HostConfig.BlkioWeightDevice",    OBJECTS(weight_devices) },
	{ "HostConfig.BlkioDeviceReadBps",   OBJECTS(read_bps) },
	{ "HostConfig.BlkioDeviceWriteBps",  OBJECTS(write_bps) },
	{ "HostConfig.BlkioDeviceReadIOps",  OBJECTS(read_iops) },
	{ "HostConfig.BlkioDeviceWriteIOps", OBJECTS(write_iops) },
	{ "HostConfig.CpuPeriod",         INT(cpu_period) },
	{ "HostConfig.CpuQuota",          INT(cpu_quota) },
	{ "HostConfig.CpuRealtimePeriod", INT(cpu_rt_period) },
	{ "HostConfig.CpuRealtimeRuntime", INT(cpu_rt_runtime) },
	{ "HostConfig.CpusetCpus",        STR(cpuset_cpus) },
	{ "HostConfig.CpusetMems",        STR(cpuset_mems) },
	{ "HostConfig.DeviceCgroupRules", LIST(device_cgroup_rules) },
	{ "HostConfig.DeviceRequests",    OBJECTS(device_requests) },
	{ "HostConfig.MemoryReservation", INT(memory_reservation) },
	{ "HostConfig.MemorySwap",        INT(memory_swap) },
	{ "HostConfig.MemorySwappiness",  INT(memory_swappiness) },
	{ "HostConfig.OomKillDisable",    BOOL(oom_kill_disable) },
	{ "HostConfig.PidsLimit",         INT(pids_limit) },
	{ "HostConfig.Annotations",       MAP(annotations) },
	{ "HostConfig.Init",              TRUTH(init) },

	{ "Sbx.Name",              STR(name) },
	{ "Sbx.ImageId",           STR(image_id) },
	{ "Sbx.Platform",          STR(platform) },
	{ "Sbx.Timeout",           INT(timeout_ns) },
	{ "Sbx.KillAfter",         INT(kill_after_ns) },
	{ "Sbx.CpuTime",           INT(cpu_time_ns) },
	{ "Sbx.OutputLimit",       INT(output_limit) },
	{ "Sbx.OutputLimitAction", STR(output_limit_action) },
	{ "Sbx.AnyPids",           BOOL_TRUE(any_pids) },
	{ "Sbx.Ids",               STR(ids) },
	{ "Sbx.BareEnv",           BOOL_TRUE(bare_env) },
};
/* clang-format on */

static void *place_of(const struct row *r, const struct spec *s)
{
	return (char *)s + r->offset;
}

void spec_init(struct spec *s)
{
	*s = (struct spec){0};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == ROW_INT || rows[i].type == ROW_TRUTH)
			*(int64_t *)place_of(&rows[i], s) = SPEC_UNSET;
}

void spec_done(struct spec *s)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		switch (rows[i].type) {
		case ROW_STR:
			free(*(char **)place_of(&rows[i], s));
			break;
		case ROW_LIST:
		case ROW_WORDS:
		case ROW_SET:
		case ROW_MAP:
			strv_done(place_of(&rows[i], s));
			break;
		case ROW_OBJECTS:
		case ROW_TABLE:
			json_decref(*(json_t **)place_of(&rows[i], s));
			break;
		default:
			break;
		}
	}
	strv_done(&s->devices);
	strv_done(&s->ports);
	free(s->ulimits);
	free(s->image_warning);
	spec_mounts_done(s);
	spec_init(s);
}

/* The part of a dotted path before its first dot; *path moves behind it. Paths are our own words. */
static const char *take_key(const char **path, char *key, size_t size)
{
	size_t n = strcspn(*path, ".");

	assert(n < size);
	memcpy(key, *path, n);
	key[n] = '\0';
	*path += n + ((*path)[n] == '.');
	return key;
}

json_t *spec_json_get(const json_t *j, const char *path)
{
	json_t *at = (json_t *)j;
	char key[64];

	while (at && *path)
		at = json_object_get(at, take_key(&path, key, sizeof(key)));
	return json_is_null(at) ? NULL : at;
}

void spec_json_set(json_t *j, const char *path, json_t *value)
{
	char key[64];

	while (strchr(path, '.')) {
		json_t *next = json_object_get(j, take_key(&path, key, sizeof(key)));

		if (!next) {
			next = json_object();
			(void)json_object_set_new(j, key, next); /* only memory can fail */
		}
		j = next;
	}
	(void)json_object_set_new(j, path, value); /* only memory can fail */
}

static json_t *json_set_of(const struct strv *a)
{
	json_t *set = json_object();

	for (size_t i = 0; i < a->n; i++) {
		auto_free char *key = json_utf8(a->v[i], strlen(a->v[i]));

		(void)json_object_set_new(set, key, json_object()); /* only memory can fail */
	}
	return set;
}

static json_t *size_to_json(const struct spec_size *size)
{
	return size->rows || size->cols ? json_pack("[i, i]", size->rows, size->cols) : NULL;
}

/* NULL: there is nothing to write. */
static json_t *row_to_json(const struct row *r, const void *place)
{
	const struct strv *a = place;

	switch (r->type) {
	case ROW_STR:
		return *(char *const *)place ? json_text(*(char *const *)place) : NULL;
	case ROW_INT:
		return *(const int64_t *)place == SPEC_UNSET ? NULL
		                                             : json_integer(*(const int64_t *)place);
	case ROW_BOOL:
		return json_boolean(*(const bool *)place);
	case ROW_BOOL_TRUE:
		return *(const bool *)place ? json_true() : NULL;
	case ROW_TRUTH:
		return *(const int64_t *)place == SPEC_UNSET
		               ? NULL
		               : json_boolean(*(const int64_t *)place != 0);
	case ROW_LIST:
	case ROW_WORDS:
		return a->set ? json_from_strv(a) : NULL;
	case ROW_SET:
		return a->set ? json_set_of(a) : NULL;
	case ROW_MAP:
		return a->set ? json_from_map(a) : NULL;
	case ROW_SIZE:
		return size_to_json(place);
	case ROW_OBJECTS:
	case ROW_TABLE:
		return json_incref(*(json_t *const *)place);
	}
	return NULL;
}

json_t *spec_to_json(const struct spec *s)
{
	json_t *j = json_object();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *value = row_to_json(&rows[i], place_of(&rows[i], s));

		if (value)
			spec_json_set(j, rows[i].path, value);
	}
	if (s->health.given && !json_object_get(j, "Healthcheck"))
		spec_json_set(j, "Healthcheck", json_object());
	spec_mounts_to_json(s, j);
	spec_ports_to_json(s, j);
	spec_host_to_json(s, j);
	return j;
}

static int wrong(const struct row *r, const char *want, struct err *e)
{
	return err_set(e, ERR_USAGE, "invalid JSON: %s must be %s", r->path, want);
}

static int list_from_json(const struct row *r, const json_t *v, struct strv *out, struct err *e)
{
	size_t i;
	json_t *word;

	if (r->type == ROW_WORDS && json_is_string(v)) {
		strv_add(out, json_string_value(v));
		return 0;
	}
	if (!json_is_array(v))
		return wrong(r, "an array of strings", e);
	out->set = true;
	json_array_foreach(v, i, word)
	{
		if (!json_is_string(word))
			return wrong(r, "an array of strings", e);
		strv_add(out, json_string_value(word));
	}
	return 0;
}

static int object_from_json(const struct row *r, const json_t *v, struct strv *out, struct err *e)
{
	const char *key;
	json_t *value;

	if (!json_is_object(v))
		return wrong(r, "an object", e);
	out->set = true;
	json_object_foreach((json_t *)v, key, value)
	{
		if (r->type == ROW_SET)
			strv_add(out, key);
		else if (json_is_string(value))
			strv_addf(out, "%s=%s", key, json_string_value(value));
		else
			return wrong(r, "an object of strings", e);
	}
	return 0;
}

static int objects_from_json(const struct row *r, const json_t *v, json_t **out, struct err *e)
{
	const json_t *one;
	size_t i;

	if (!json_is_array(v))
		return wrong(r, "an array of objects", e);
	json_array_foreach(v, i, one) if (!json_is_object(one)) return wrong(r, "an array of objects", e);
	json_decref(*out);
	*out = json_deep_copy(v);
	return 0;
}

static int table_from_json(const struct row *r, const json_t *v, json_t **out, struct err *e)
{
	const char *key;
	const json_t *one;

	if (!json_is_object(v))
		return wrong(r, "an object of objects", e);
	json_object_foreach((json_t *)(uintptr_t)v, key, one)
	{
		if (!json_is_object(one) && !json_is_null(one))
			return wrong(r, "an object of objects", e);
	}
	json_decref(*out);
	*out = json_deep_copy(v);
	return 0;
}

/* Of more than a terminal can have there is as much as it can. */
static int size_from_json(const struct row *r, const json_t *v, struct spec_size *out, struct err *e)
{
	uint16_t *const parts[] = {&out->rows, &out->cols};
	const json_t *one;
	json_int_t n;
	size_t i;

	if (!json_is_array(v))
		return wrong(r, "an array of numbers", e);
	json_array_foreach(v, i, one)
	{
		n = json_integer_value(one);
		if (!json_is_integer(one) || n < 0)
			return wrong(r, "an array of numbers", e);
		if (i < ARRAY_LEN(parts))
			*parts[i] = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
	}
	return 0;
}

static int row_from_json(const struct row *r, const json_t *v, void *place, struct err *e)
{
	switch (r->type) {
	case ROW_STR:
		if (!json_is_string(v))
			return wrong(r, "a string", e);
		free(*(char **)place);
		*(char **)place = xstrdup(json_string_value(v));
		return 0;
	case ROW_INT:
		if (!json_is_integer(v))
			return wrong(r, "an integer", e);
		*(int64_t *)place = json_integer_value(v);
		return 0;
	case ROW_BOOL:
	case ROW_BOOL_TRUE:
		if (!json_is_boolean(v))
			return wrong(r, "a boolean", e);
		*(bool *)place = json_is_true(v);
		return 0;
	case ROW_TRUTH:
		if (!json_is_boolean(v))
			return wrong(r, "a boolean", e);
		*(int64_t *)place = json_is_true(v);
		return 0;
	case ROW_LIST:
	case ROW_WORDS:
		return list_from_json(r, v, place, e);
	case ROW_SET:
	case ROW_MAP:
		return object_from_json(r, v, place, e);
	case ROW_SIZE:
		return size_from_json(r, v, place, e);
	case ROW_OBJECTS:
		return objects_from_json(r, v, place, e);
	case ROW_TABLE:
		return table_from_json(r, v, place, e);
	}
	return 0;
}

static int fill(struct spec *s, const json_t *j, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const json_t *v = spec_json_get(j, rows[i].path);

		if (v && row_from_json(&rows[i], v, place_of(&rows[i], s), e) < 0)
			return -1;
	}
	s->health.given = json_is_object(json_object_get(j, "Healthcheck"));
	if (spec_mounts_from_json(s, j, e) < 0 || spec_ports_from_json(s, j, e) < 0)
		return -1;
	return spec_host_from_json(s, j, e);
}

int spec_from_json(struct spec *s, const json_t *j, struct err *e)
{
	auto_spec struct spec filled;

	spec_init(&filled);
	if (!json_is_object(j))
		return err_set(e, ERR_USAGE,
			"invalid JSON: a container's configuration must be an object");
	if (fill(&filled, j, e) < 0)
		return -1;
	spec_done(s);
	*s = filled;
	spec_init(&filled);
	return 0;
}
