/* SPDX-License-Identifier: Apache-2.0 */
/* info: describes the machine and the store, as docker does its daemon. */
#include "cmd.h"

#include "about.h"
#include "human.h"
#include "store.h"
#include "tmpl.h"

#include <string.h>

struct info {
	char *format;
};

static const char *const swarm_members[] = {"NodeID", "NodeAddr", "LocalNodeState", "ControlAvailable",
	"Error", "RemoteManagers", "Nodes", "Managers", "Cluster", "Warnings", NULL};

static const char *const whole_info[] = {"(system.Info", "ID", "Containers", "ContainersRunning",
	"ContainersPaused", "ContainersStopped", "Images", "Driver", "DriverStatus", "SystemStatus",
	"Plugins", "MemoryLimit", "SwapLimit", "KernelMemory", "KernelMemoryTCP", "CpuCfsPeriod",
	"CpuCfsQuota", "CPUShares", "CPUSet", "PidsLimit", "IPv4Forwarding", "Debug", "NFd",
	"OomKillDisable", "NGoroutines", "SystemTime", "LoggingDriver", "CgroupDriver",
	"CgroupVersion", "NEventsListener", "KernelVersion", "OperatingSystem", "OSVersion",
	"OSType", "Architecture", "IndexServerAddress", "RegistryConfig", "NCPU", "MemTotal",
	"GenericResources", "DockerRootDir", "HttpProxy", "HttpsProxy", "NoProxy", "Name", "Labels",
	"ExperimentalBuild", "ServerVersion", "Runtimes", "DefaultRuntime", "Swarm",
	"LiveRestoreEnabled", "Isolation", "InitBinary", "ContainerdCommit", "RuncCommit",
	"InitCommit", "SecurityOptions", "ProductLicense", "DefaultAddressPools", "FirewallBackend",
	"CDISpecDirs", "DiscoveredDevices", "Containerd", "Warnings", ")", "ServerErrors",
	"UserName", "ClientInfo", "ClientErrors", NULL};
static const char *const commit_members[] = {"ID", "Expected", NULL};
static const char *const client_members[] = {"Debug", "{system.clientVersion", "Platform",
	"Version", "ApiVersion", "DefaultAPIVersion", "GitCommit", "GoVersion", "Os", "Arch",
	"BuildTime", "Context", "}", "Plugins", "Warnings", NULL};

/* clang-format off */
static const struct opt info_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct info, format) },
	{ 0 },
};
static const struct tmpl_field fields[] = {
	{ "Runtimes",        TMPL_MAP, TMPL_PTR, "map[string]system.RuntimeWithStatus" },
	{ "IndexConfigs",    TMPL_MAP, TMPL_PTR, "map[string]*registry.IndexInfo" },
	{ "DriverStatus",    TMPL_SLICE, 0, "[][2]string" },
	{ "SystemStatus",    TMPL_SLICE, 0, "[][2]string" },
	{ "DefaultAddressPools", TMPL_SLICE, 0, "[]system.NetworkAddressPool" },
	{ "DiscoveredDevices", TMPL_SLICE, 0, "[]system.DeviceInfo" },
	{ "FirewallBackend", TMPL_PTR, 0, "*system.FirewallInfo" },
	{ "Authorization",   TMPL_SLICE },
	{ "GenericResources", TMPL_SLICE },
	{ "Labels",          TMPL_SLICE },
	{ "RemoteManagers",  TMPL_SLICE, 0, "[]swarm.Peer" },
	{ "Swarm.Nodes",     TMPL_INT },
	{ "Swarm.Managers",  TMPL_INT },
	{ "Swarm.Cluster",   TMPL_PTR, 0, "*swarm.ClusterInfo" },
	{ "SecurityOptions", TMPL_SLICE },
	{ "CDISpecDirs",     TMPL_SLICE },
	{ "Warnings",        TMPL_SLICE },
	{ "ServerErrors",    TMPL_SLICE },
	{ "ClientInfo.Plugins", TMPL_SLICE },
	{ "Plugins",         TMPL_STRUCT, 0, "system.PluginsInfo" },
	{ "RegistryConfig",  TMPL_PTR, 0, "*registry.ServiceConfig" },
	{ "Swarm",           TMPL_STRUCT, 0, "swarm.Info", swarm_members },
	{ "system.dockerInfo", TMPL_STRUCT, .order = whole_info },
	{ "ClientInfo",      TMPL_PTR, 0, "*system.clientInfo", client_members },
	{ "ClientInfo.Platform", TMPL_PTR, 0, "*system.platformInfo" },
	{ "ClientErrors",    TMPL_SLICE },
	{ "UserName",        TMPL_STRING },
	{ "Isolation",       TMPL_STRING, 0, "container.Isolation" },
	{ "LocalNodeState",  TMPL_STRING, 0, "swarm.LocalNodeState" },
	{ "Containerd",      TMPL_PTR, 0, "*system.ContainerdInfo" },
	{ "ContainerdCommit", TMPL_STRUCT, 0, "system.Commit", commit_members },
	{ "RuncCommit",      TMPL_STRUCT, 0, "system.Commit", commit_members },
	{ "InitCommit",      TMPL_STRUCT, 0, "system.Commit", commit_members },
	{ "Expected",        TMPL_STRING },
	{ "KernelMemory",    TMPL_BOOL },
	{ "KernelMemoryTCP", TMPL_BOOL },
	{ "APIVersion",      TMPL_STRING },
	{ "ApiVersion",      TMPL_STRING },
	{ "InsecureRegistryCIDRs", TMPL_SLICE, 0, "[]*registry.NetIPNet" },
	{ "MemTotal",        TMPL_INT, 0, "int64" },
	{ "OSVersion",       TMPL_STRING },
	{ "ProductLicense",  TMPL_STRING },
	{ "DefaultRuntime",  TMPL_STRING },
	{ 0 },
};
/* clang-format on */

static void info_done(void *target)
{
	free(((struct info *)target)->format);
}

/* ---- in words ---- */

static const char words[] =
	"Client:\n"
	" Version:    {{.ClientInfo.Version}}\n"
	" Context:    {{.ClientInfo.Context}}\n"
	" Debug Mode: {{.ClientInfo.Debug}}\n"
	"\n"
	"Server:\n"
	" Containers: {{.Containers}}\n"
	"  Running: {{.ContainersRunning}}\n"
	"  Paused: {{.ContainersPaused}}\n"
	"  Stopped: {{.ContainersStopped}}\n"
	" Images: {{.Images}}\n"
	" Server Version: {{.ServerVersion}} (sbx " SBX_VERSION ")\n"
	" Storage Driver: {{.Driver}}\n"
	"{{range .DriverStatus}}  {{index . 0}}: {{index . 1}}\n{{end}}"
	" Logging Driver: {{.LoggingDriver}}\n"
	" Cgroup Driver: {{.CgroupDriver}}\n"
	" Cgroup Version: {{.CgroupVersion}}\n"
	" Plugins:\n"
	"  Volume: {{join .Plugins.Volume \" \"}}\n"
	"  Network: {{join .Plugins.Network \" \"}}\n"
	"  Log: {{join .Plugins.Log \" \"}}\n"
	" Swarm: {{.Swarm.LocalNodeState}}\n"
	" Runtimes:{{range $name, $r := .Runtimes}} {{$name}}{{end}}\n"
	" Default Runtime: {{.DefaultRuntime}}\n"
	" Init Binary: {{.InitBinary}}\n"
	" Security Options:\n"
	"{{range .SecurityOptions}}{{range $i, $o := split . \",\"}}"
	"{{$kv := split $o \"=\"}}{{if $i}}   {{title (index $kv 0)}}: {{else}}  {{end}}{{index $kv 1}}\n"
	"{{end}}{{end}}"
	" Kernel Version: {{.KernelVersion}}\n"
	" Operating System: {{.OperatingSystem}}\n"
	" OSType: {{.OSType}}\n"
	" Architecture: {{.Architecture}}\n"
	" CPUs: {{.NCPU}}\n"
	" Total Memory: ";

static const char words_2[] = " Name: {{.Name}}\n"
			      " ID: {{.ID}}\n"
			      " Docker Root Dir: {{.DockerRootDir}}\n"
			      " Debug Mode: {{.Debug}}\n"
			      " Experimental: {{.ExperimentalBuild}}\n"
			      " Live Restore Enabled: {{.LiveRestoreEnabled}}\n";

static int in_words(const json_t *j, struct buf *out, struct err *e)
{
	const struct tmpl_data d = {.json = j, .fields = fields};
	auto_tmpl struct tmpl *first = tmpl_parse(words, e);
	auto_tmpl struct tmpl *second = first ? tmpl_parse(words_2, e) : NULL;
	auto_free char *memory = human_bytes((double)json_int(j, "MemTotal", 0));

	if (!second || tmpl_exec(first, &d, out, e) < 0)
		return -1;
	buf_printf(out, "%s\n", memory);
	return tmpl_exec(second, &d, out, e);
}

static int info_main(void *target, int argc, char **argv)
{
	const char *format = ((struct info *)target)->format;
	struct tmpl_data d = {.fields = fields, .type = "system.dockerInfo", .exact = true};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_tmpl struct tmpl *t = NULL;
	auto_json json_t *j = NULL;
	auto_buf struct buf out = {0};
	struct err e;
	int rc;

	(void)argc;
	(void)argv;
	t = tmpl_parse(!format || !str_eq(format, "json") ? (format ? format : "") : "{{json .}}", &e);
	if (!t) {
		(void)err_ctx(&e, "template parsing error");
		return say_error(&e, 64);
	}
	if (store_open(&s, &e) < 0)
		return say_error(&e, 1);
	j = about_machine(&s, &e);
	if (!j)
		return say_error(&e, 1);
	d.json = j;
	if (!format || !*format) {
		rc = in_words(j, &out, &e);
	} else {
		rc = tmpl_exec(t, &d, &out, &e);
		buf_putc(&out, '\n');
	}
	if (say_out(&out) != 0)
		return 1;
	return rc < 0 ? say_error(&e, 1) : 0;
}

const struct command cmd_info = {
	.name = "info",
	.args = "[OPTIONS]",
	.about = "Display system-wide information",
	.aliases = "docker system info, docker info",
	.opts = info_opts,
	.target_size = sizeof(struct info),
	.run = info_main,
	.done = info_done,
};
