/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of the fields of a request's body, as docker's daemon has them, so that a wrong one is refused in the words of Go's
 * decoder. A field that has no row here may be anything: unknown ones are ignored, as with docker.
 */
#include "api.h"

#include "auto.h"

#include <string.h>

/* The fields of a type of Go's, all those that are of one type in a row. */
/* clang-format off */
static const struct {
	const char *in, *type, *names;
} rows[] = {
	{ "ContainerConfigWrapper", "string", "Hostname Domainname User Image WorkingDir MacAddress StopSignal" },
	{ "ContainerConfigWrapper", "bool", "AttachStdin AttachStdout AttachStderr Tty OpenStdin StdinOnce ArgsEscaped NetworkDisabled" },
	{ "ContainerConfigWrapper", "[]string", "Env OnBuild" },
	{ "ContainerConfigWrapper", "strslice.StrSlice", "Cmd Entrypoint Shell" },
	{ "ContainerConfigWrapper", "map[string]string", "Labels" },
	{ "ContainerConfigWrapper", "map[string]struct {}", "Volumes" },
	{ "ContainerConfigWrapper", "nat.PortSet", "ExposedPorts" },
	{ "ContainerConfigWrapper", "int", "StopTimeout" },
	{ "ContainerConfigWrapper", "container.HealthConfig", "Healthcheck" },
	{ "ContainerConfigWrapper", "container.HostConfig", "HostConfig" },
	{ "ContainerConfigWrapper", "network.NetworkingConfig", "NetworkingConfig" },

	{ "container.HealthConfig", "[]string", "Test" },
	{ "container.HealthConfig", "time.Duration", "Interval Timeout StartPeriod StartInterval" },
	{ "container.HealthConfig", "int", "Retries" },
	{ "network.NetworkingConfig", "map[string]*network.EndpointSettings", "EndpointsConfig" },
	{ "network.EndpointSettings", "[]string", "Links Aliases" },

	{ "container.HostConfig", "string", "ContainerIDFile VolumeDriver Runtime CgroupParent CpusetCpus CpusetMems" },
	{ "container.HostConfig", "bool", "AutoRemove Privileged PublishAllPorts ReadonlyRootfs OomKillDisable Init" },
	{ "container.HostConfig", "int64", "CpuShares Memory NanoCpus CpuPeriod CpuQuota CpuRealtimePeriod CpuRealtimeRuntime "
		"MemoryReservation MemorySwap MemorySwappiness PidsLimit ShmSize" },
	{ "container.HostConfig", "int", "OomScoreAdj" },
	{ "container.HostConfig", "[2]uint", "ConsoleSize" },
	{ "container.HostConfig", "uint16", "BlkioWeight" },
	{ "container.HostConfig", "[]string", "Binds VolumesFrom Dns DnsOptions DnsSearch ExtraHosts GroupAdd Links SecurityOpt "
		"DeviceCgroupRules MaskedPaths ReadonlyPaths" },
	{ "container.HostConfig", "strslice.StrSlice", "CapAdd CapDrop" },
	{ "container.HostConfig", "map[string]string", "StorageOpt Tmpfs Sysctls" },
	{ "container.HostConfig", "container.LogConfig", "LogConfig" },
	{ "container.HostConfig", "container.RestartPolicy", "RestartPolicy" },
	{ "container.HostConfig", "container.NetworkMode", "NetworkMode" },
	{ "container.HostConfig", "container.IpcMode", "IpcMode" },
	{ "container.HostConfig", "container.PidMode", "PidMode" },
	{ "container.HostConfig", "container.UTSMode", "UTSMode" },
	{ "container.HostConfig", "container.UsernsMode", "UsernsMode" },
	{ "container.HostConfig", "container.CgroupnsMode", "CgroupnsMode" },
	{ "container.HostConfig", "container.CgroupSpec", "Cgroup" },
	{ "container.HostConfig", "container.Isolation", "Isolation" },
	{ "container.HostConfig", "nat.PortMap", "PortBindings" },
	{ "container.HostConfig", "[]container.DeviceMapping", "Devices" },
	{ "container.HostConfig", "[]container.DeviceRequest", "DeviceRequests" },
	{ "container.HostConfig", "[]*units.Ulimit", "Ulimits" },
	{ "container.HostConfig", "[]mount.Mount", "Mounts" },
	{ "container.HostConfig", "[]*blkiodev.WeightDevice", "BlkioWeightDevice" },
	{ "container.HostConfig", "[]*blkiodev.ThrottleDevice", "BlkioDeviceReadBps BlkioDeviceWriteBps BlkioDeviceReadIOps "
		"BlkioDeviceWriteIOps" },

	{ "container.LogConfig", "string", "Type" },
	{ "container.LogConfig", "map[string]string", "Config" },
	{ "container.RestartPolicy", "string", "Name" },
	{ "container.RestartPolicy", "int", "MaximumRetryCount" },
	{ "nat.PortBinding", "string", "HostIp HostPort" },
	{ "container.DeviceMapping", "string", "PathOnHost PathInContainer CgroupPermissions" },
	{ "container.DeviceRequest", "string", "Driver" },
	{ "container.DeviceRequest", "int", "Count" },
	{ "container.DeviceRequest", "[]string", "DeviceIDs" },
	{ "container.DeviceRequest", "[][]string", "Capabilities" },
	{ "container.DeviceRequest", "map[string]string", "Options" },
	{ "units.Ulimit", "string", "Name" },
	{ "units.Ulimit", "int64", "Hard Soft" },
	{ "blkiodev.WeightDevice", "string", "Path" },
	{ "blkiodev.WeightDevice", "uint16", "Weight" },
	{ "blkiodev.ThrottleDevice", "string", "Path" },
	{ "blkiodev.ThrottleDevice", "uint64", "Rate" },
	{ "mount.Mount", "mount.Type", "Type" },
	{ "mount.Mount", "string", "Source Target" },
	{ "mount.Mount", "bool", "ReadOnly" },
	{ "mount.Mount", "mount.Consistency", "Consistency" },
	{ "mount.Mount", "mount.BindOptions", "BindOptions" },
	{ "mount.Mount", "mount.VolumeOptions", "VolumeOptions" },
	{ "mount.Mount", "mount.TmpfsOptions", "TmpfsOptions" },
	{ "mount.BindOptions", "mount.Propagation", "Propagation" },
	{ "mount.BindOptions", "bool", "NonRecursive" },
	{ "mount.VolumeOptions", "bool", "NoCopy" },
	{ "mount.VolumeOptions", "map[string]string", "Labels" },
	{ "mount.VolumeOptions", "mount.Driver", "DriverConfig" },
	{ "mount.Driver", "string", "Name" },
	{ "mount.Driver", "map[string]string", "Options" },
	{ "mount.TmpfsOptions", "int64", "SizeBytes" },
	{ "mount.TmpfsOptions", "fs.FileMode", "Mode" },

	{ "UpdateConfig", "container.RestartPolicy", "RestartPolicy" },
	{ "UpdateConfig", "string", "CgroupParent CpusetCpus CpusetMems" },
	{ "UpdateConfig", "int64", "CpuShares Memory NanoCpus CpuPeriod CpuQuota CpuRealtimePeriod CpuRealtimeRuntime "
		"MemoryReservation MemorySwap MemorySwappiness PidsLimit" },
	{ "UpdateConfig", "uint16", "BlkioWeight" },

	{ "ExecOptions", "string", "User WorkingDir DetachKeys" },
	{ "ExecOptions", "bool", "Privileged Tty AttachStdin AttachStdout AttachStderr Detach" },
	{ "ExecOptions", "[]string", "Env Cmd" },

	{ "VolumeCreateBody", "string", "Name Driver" },
	{ "VolumeCreateBody", "map[string]string", "DriverOpts Labels" },

	{ "NetworkCreateRequest", "string", "Name Driver Scope" },
	{ "NetworkCreateRequest", "bool", "CheckDuplicate EnableIPv6 Internal Attachable Ingress ConfigOnly" },
	{ "NetworkCreateRequest", "map[string]string", "Options Labels" },
	{ "NetworkCreateRequest", "network.IPAM", "IPAM" },
	{ "NetworkCreateRequest", "network.ConfigReference", "ConfigFrom" },
	{ "network.ConfigReference", "string", "Network" },
	{ "network.IPAM", "string", "Driver" },
	{ "network.IPAM", "map[string]string", "Options" },
	{ "network.IPAM", "[]network.IPAMConfig", "Config" },
	{ "network.IPAMConfig", "string", "Subnet IPRange Gateway" },
};

/* What a named type is made of; one that is neither here nor has fields above is a string. */
static const struct {
	const char *name, *of;
} named[] = {
	{ "nat.PortSet",   "map[string]struct {}" },
	{ "nat.PortMap",   "map[string][]nat.PortBinding" },
	{ "time.Duration", "int64" },
	{ "fs.FileMode",   "uint32" },
};

static const struct {
	const char *name;
	json_int_t min, max;
} numbers[] = {
	{ "int",    INT64_MIN, INT64_MAX },
	{ "int64",  INT64_MIN, INT64_MAX },
	{ "uint",   0,         INT64_MAX },
	{ "uint16", 0,         UINT16_MAX },
	{ "uint32", 0,         UINT32_MAX },
	{ "uint64", 0,         INT64_MAX },
};
/* clang-format on */

/* Where a value is: the type whose field it is of, and the names that lead to it. */
struct place {
	const char *in;
	struct buf *path;
};

static int wrong(const struct place *at, const char *type, const json_t *v, bool literal, struct err *e)
{
	auto_free char *text = literal ? json_dumps(v, JSON_ENCODE_ANY | JSON_DIGITS) : NULL;
	const char *dot = strrchr(at->in, '.');

	return err_set(e, ERR_USAGE,
		"invalid JSON: json: cannot unmarshal %s%s%.40s into Go struct field %s.%s of type %s",
		json_kind(v), text ? " " : "", text ? text : "", dot ? dot + 1 : at->in,
		at->path->s, type);
}

static int check(const struct place *at, const char *type, json_t *v, struct err *e);

/* Null is Go's empty value, which of a string is "". */
static int check_list(const struct place *at, const char *type, json_t *list, struct err *e)
{
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		if (json_is_null(v) && strcmp(type, "string") == 0)
			(void)json_array_set_new(list, i, json_string("")); /* memory */
		else if (check(at, type, v, e) < 0)
			return -1;
	}
	return 0;
}

static int check_map(const struct place *at, const char *type, json_t *map, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach(map, key, v)
	{
		if (json_is_null(v) && strcmp(type, "string") == 0)
			json_set(map, key, json_string(""));
		else if (check(at, type, v, e) < 0)
			return -1;
	}
	return 0;
}

static const char *type_of(const char *in, const char *field)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].in, in) == 0 && *field && str_has_word(rows[i].names, ' ', field))
			return rows[i].type;
	return NULL;
}

static bool has_fields(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].in, type) == 0)
			return true;
	return false;
}

static int check_fields(const char *in, struct buf *path, json_t *object, struct err *e)
{
	size_t was = path->len;
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v)
	{
		const char *type = type_of(in, key);

		if (!type)
			continue;
		buf_printf(path, "%s%s", was ? "." : "", key);
		if (check(&(struct place){in, path}, type, v, e) < 0)
			return -1;
		path->len = was;
	}
	return 0;
}

/* A number, if it is one of those. 1: it is none. */
static int check_number(
	const struct place *at, const char *shown, const char *type, const json_t *v, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (strcmp(type, numbers[i].name) != 0)
			continue;
		if (json_is_integer(v) && json_integer_value(v) >= numbers[i].min &&
			json_integer_value(v) <= numbers[i].max)
			return 0;
		return wrong(at, shown, v, json_is_number(v), e);
	}
	return 1;
}

static int check(const struct place *at, const char *type, json_t *v, struct err *e)
{
	const char *shown = type + (*type == '*');
	int number;

	type = shown;
	if (json_is_null(v))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		if (strcmp(named[i].name, type) == 0)
			type = named[i].of;
	if (strcmp(type, "strslice.StrSlice") == 0) { /* decodes itself, also a lone string */
		struct err why;

		type = shown = "string";
		if (json_is_array(v))
			return check_list(at, type, v, &why) < 0 ? wrong(at, shown, v, false, e) : 0;
	}
	number = check_number(at, shown, type, v, e);
	if (number <= 0)
		return number;
	if (str_starts(type, "[]"))
		return json_is_array(v) ? check_list(at, type + 2, v, e)
		                        : wrong(at, shown, v, false, e);
	if (str_starts(type, "[2]"))
		return json_is_array(v) ? check_list(at, type + 3, v, e)
		                        : wrong(at, shown, v, false, e);
	if (str_starts(type, "map[string]"))
		return json_is_object(v) ? check_map(at, type + strlen("map[string]"), v, e)
		                         : wrong(at, shown, v, false, e);
	if (strcmp(type, "struct {}") == 0)
		return json_is_object(v) ? 0 : wrong(at, shown, v, false, e);
	if (has_fields(type))
		return json_is_object(v) ? check_fields(type, at->path, v, e)
		                         : wrong(at, shown, v, false, e);
	if (strcmp(type, "bool") == 0)
		return json_is_boolean(v) ? 0 : wrong(at, shown, v, false, e);
	return json_is_string(v) ? 0 : wrong(at, shown, v, false, e);
}

int api_types(const char *type, json_t *body, struct err *e)
{
	auto_buf struct buf path = {0};

	return check_fields(type, &path, body, e);
}
