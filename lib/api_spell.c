/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spelling of field names in requests: like Go's decoder, docker's daemon takes "detachKeys" and "cmd" for "DetachKeys" and
 * "Cmd", and some clients rely on it. Names that users chose (of labels, ports, options) stay as they are.
 */
#include "api.h"

#include "auto.h"

#include <string.h>

/* clang-format off */
static const char *const fields[] = {
	/* create, commit, exec */
	"Hostname", "Domainname", "User", "AttachStdin", "AttachStdout", "AttachStderr", "ExposedPorts", "Tty",
	"OpenStdin", "StdinOnce", "Env", "Cmd", "Healthcheck", "Test", "Interval", "Timeout", "StartPeriod",
	"StartInterval", "Retries", "Image", "Volumes", "WorkingDir", "Entrypoint", "NetworkDisabled", "MacAddress",
	"OnBuild", "Labels", "StopSignal", "StopTimeout", "Shell", "Detach", "DetachKeys", "Privileged",
	"ConsoleSize", "HostConfig", "NetworkingConfig", "EndpointsConfig",
	/* HostConfig */
	"Binds", "ContainerIDFile", "LogConfig", "Type", "Config", "NetworkMode", "PortBindings", "HostIp", "HostPort",
	"RestartPolicy", "Name", "MaximumRetryCount", "AutoRemove", "VolumeDriver", "VolumesFrom", "Annotations",
	"CapAdd", "CapDrop", "CgroupnsMode", "Dns", "DnsOptions", "DnsSearch", "ExtraHosts", "GroupAdd", "IpcMode",
	"Cgroup", "Links", "OomScoreAdj", "PidMode", "PublishAllPorts", "ReadonlyRootfs", "SecurityOpt", "StorageOpt",
	"Tmpfs", "UTSMode", "UsernsMode", "ShmSize", "Sysctls", "Runtime", "Isolation", "CpuShares", "Memory",
	"NanoCpus", "CgroupParent", "BlkioWeight", "BlkioWeightDevice", "BlkioDeviceReadBps", "BlkioDeviceWriteBps",
	"BlkioDeviceReadIOps", "BlkioDeviceWriteIOps", "CpuPeriod", "CpuQuota", "CpuRealtimePeriod",
	"CpuRealtimeRuntime", "CpusetCpus", "CpusetMems", "Devices", "PathOnHost", "PathInContainer",
	"CgroupPermissions", "DeviceCgroupRules", "DeviceRequests", "Driver", "Count", "DeviceIDs", "Capabilities",
	"KernelMemory", "KernelMemoryTCP", "MemoryReservation", "MemorySwap", "MemorySwappiness", "OomKillDisable",
	"PidsLimit", "Ulimits", "Hard", "Soft", "Mounts", "Source", "Target", "ReadOnly", "Consistency", "BindOptions",
	"Propagation", "NonRecursive", "CreateMountpoint", "ReadOnlyNonRecursive", "ReadOnlyForceRecursive",
	"VolumeOptions", "NoCopy", "Subpath", "DriverConfig", "TmpfsOptions", "SizeBytes", "Mode", "MaskedPaths",
	"ReadonlyPaths", "Init",
	/* networks and volumes */
	"Options", "DriverOpts", "ClusterVolumeSpec", "CheckDuplicate", "Scope", "EnableIPv4", "EnableIPv6", "IPAM",
	"Internal", "Attachable", "Ingress", "ConfigOnly", "ConfigFrom", "Network", "Subnet", "IPRange", "Gateway",
	"AuxiliaryAddresses", "Container", "EndpointConfig", "IPAMConfig", "IPv4Address", "IPv6Address", "LinkLocalIPs",
	"Aliases", "GwPriority", "Force"};
static const char *const maps[] = {"ExposedPorts", "Volumes", "Labels", "EndpointsConfig", "Config", "PortBindings",
	"Annotations", "StorageOpt", "Tmpfs", "Sysctls", "Options", "DriverOpts", "AuxiliaryAddresses"};
/* clang-format on */

static bool holds_names(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		if (str_eq(maps[i], key))
			return true;
	return false;
}

static void spell(json_t *j, bool is_map)
{
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(j, i, v) spell(v, false);
	if (!is_map)
		json_spell(j, fields, ARRAY_LEN(fields));
	json_object_foreach(j, key, v) spell(v, !is_map && holds_names(key));
}

json_t *api_read_json(struct api *a, struct err *e)
{
	json_t *j = http_read_json(a->h, e);

	if (j && !json_is_object(j)) {
		json_decref(j);
		(void)err_set(e, ERR_USAGE, "invalid JSON: not an object");
		return NULL;
	}
	spell(j, false);
	return j;
}
