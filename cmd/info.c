/* SPDX-License-Identifier: Apache-2.0 */
/* info: the machine and the store, as docker describes its daemon. */
#include "cmd.h"

#include "human.h"
#include "image.h"
#include "sha256.h"
#include "stamp.h"
#include "state.h"
#include "status.h"
#include "store.h"
#include "tmpl.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

struct info {
	char *format;
};

/* clang-format off */
static const struct opt info_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct info, format) },
	{ 0 },
};
static const struct tmpl_field fields[] = {
	{ "Runtimes",        TMPL_MAP, TMPL_PTR },
	{ "IndexConfigs",    TMPL_MAP, TMPL_PTR },
	{ "DriverStatus",    TMPL_SLICE },
	{ "SystemStatus",    TMPL_SLICE },
	{ "Authorization",   TMPL_SLICE },
	{ "GenericResources", TMPL_SLICE },
	{ "Labels",          TMPL_SLICE },
	{ "RemoteManagers",  TMPL_SLICE },
	{ "SecurityOptions", TMPL_SLICE },
	{ "CDISpecDirs",     TMPL_SLICE },
	{ "Warnings",        TMPL_SLICE },
	{ "Plugins",         TMPL_SLICE },
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

static void set(json_t *j, const char *key, json_t *value)
{
	(void)json_object_set_new(j, key, value); /* only memory can fail */
}

static void set_text(json_t *j, const char *key, const char *value)
{
	set(j, key, json_stringn_nocheck(value, strlen(value)));
}

/* ---- what the machine says ---- */

/* KEY="value" of /etc/os-release; the caller frees. */
static char *os_release(const char *key)
{
	auto_fclose FILE *f = fopen("/etc/os-release", "re");
	char line[512];
	size_t n = strlen(key);

	while (f && fgets(line, sizeof(line), f)) {
		char *value = line + n + 1, *end;

		if (strncmp(line, key, n) != 0 || line[n] != '=')
			continue;
		value += *value == '"';
		end = value + strcspn(value, "\"\n");
		return xstrndup(value, (size_t)(end - value));
	}
	return xstrdup("");
}

static const char *filesystem(const struct store *s)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} names[] = {{0xef53, "extfs"}, {0x58465342, "xfs"}, {0x9123683e, "btrfs"},
		{0x01021994, "tmpfs"}, {0x6969, "nfs"}, {0x0bd00bd0, "lustre"}, {0x2fc12fc1, "zfs"},
		{0x794c7630, "overlayfs"}, {0x65735546, "fuse"}};
	struct statfs fs;

	if (fstatfs(s->root, &fs) == 0)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (names[i].magic == (unsigned long)fs.f_type)
				return names[i].name;
	return "<unknown>";
}

static int cpus(void)
{
	cpu_set_t set_of_cpus;

	if (sched_getaffinity(0, sizeof(set_of_cpus), &set_of_cpus) == 0)
		return CPU_COUNT(&set_of_cpus);
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* A name of this store which stays: a digest of the machine's own and the store's path, as a UUID. */
static char *identity(const struct store *s, const char *node)
{
	auto_free char *text = xasprintf("%s %s", node, s->root_path);
	char hex[SHA256_HEX + 1];

	sha256_hex(text, strlen(text), hex);
	return xasprintf("%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

/* ---- the object ---- */

static int add_counts(json_t *j, const struct store *s, struct err *e)
{
	struct state *list = NULL;
	struct image *images = NULL;
	size_t n = 0, n_images = 0, running = 0, paused = 0;

	if (state_list(s, false, &list, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		running += list[i].status == ST_RUNNING || list[i].status == ST_RESTARTING;
		paused += list[i].status == ST_PAUSED;
	}
	state_list_free(list, n);
	if (image_list(s, &images, &n_images, e) < 0)
		return -1;
	image_list_free(images, n_images);
	set(j, "Containers", json_integer((json_int_t)n));
	set(j, "ContainersRunning", json_integer((json_int_t)running));
	set(j, "ContainersPaused", json_integer((json_int_t)paused));
	set(j, "ContainersStopped", json_integer((json_int_t)(n - running - paused)));
	set(j, "Images", json_integer((json_int_t)n_images));
	return 0;
}

static void add_engine(json_t *j, const struct store *s)
{
	static const char *const can[] = {"MemoryLimit", "SwapLimit", "CpuCfsPeriod", "CpuCfsQuota",
		"CPUShares", "CPUSet", "PidsLimit", "IPv4Forwarding"};
	struct timespec now;
	char time[STAMP_SIZE];

	set_text(j, "Driver", "overlay2");
	set(j, "DriverStatus",
		json_pack("[[s,s], [s,s], [s,s], [s,s]]", "Backing Filesystem", filesystem(s),
			"Supports d_type", "true", "Using metacopy", "false", "userxattr", "true"));
	set(j, "Plugins",
		json_pack("{s:[s], s:[s,s], s:n, s:[s,s,s]}", "Volume", "local", "Network", "host",
			"null", "Authorization", "Log", "json-file", "local", "none"));
	for (size_t i = 0; i < ARRAY_LEN(can); i++)
		set(j, can[i], json_true());
	set(j, "Debug", json_false());
	set(j, "NFd", json_integer(0));
	set(j, "OomKillDisable", json_false());
	set(j, "NGoroutines", json_integer(0));
	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	stamp_print(&now, time);
	set_text(j, "SystemTime", time);
	set_text(j, "LoggingDriver", "json-file");
	set_text(j, "CgroupDriver", "none");
	set_text(j, "CgroupVersion", access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? "2" : "1");
	set(j, "NEventsListener", json_integer(0));
}

static void add_machine(json_t *j, const struct store *s, const struct utsname *u)
{
	auto_free char *pretty = os_release("PRETTY_NAME"), *version = os_release("VERSION_ID");
	struct sysinfo mem = {0};

	(void)sysinfo(&mem); /* fails only for a bad pointer */
	set_text(j, "KernelVersion", u->release);
	set_text(j, "OperatingSystem", *pretty ? pretty : "Linux");
	set_text(j, "OSVersion", version);
	set_text(j, "OSType", "linux");
	set_text(j, "Architecture", u->machine);
	set_text(j, "IndexServerAddress", "https://index.docker.io/v1/");
	set(j, "RegistryConfig",
		json_pack("{s:{}, s:[], s:[]}", "IndexConfigs", "InsecureRegistryCIDRs", "Mirrors"));
	set(j, "NCPU", json_integer(cpus()));
	set(j, "MemTotal", json_integer((json_int_t)mem.totalram * mem.mem_unit));
	set(j, "GenericResources", json_null());
	set_text(j, "DockerRootDir", s->root_path);
	set_text(j, "HttpProxy", "");
	set_text(j, "HttpsProxy", "");
	set_text(j, "NoProxy", "");
	set_text(j, "Name", u->nodename);
	set(j, "Labels", json_array());
	set(j, "ExperimentalBuild", json_false());
}

static json_t *security(void)
{
	json_t *list = json_pack("[s]", "name=seccomp,profile=builtin");

	if (geteuid() != 0)
		(void)json_array_append_new(list, json_string("name=rootless")); /* memory */
	return list;
}

static void add_versions(json_t *j)
{
	set_text(j, "ServerVersion", DOCKER_VERSION);
	set(j, "Runtimes", json_pack("{s:{s:s}}", "runc", "path", "sbx"));
	set_text(j, "DefaultRuntime", "runc");
	set(j, "Swarm",
		json_pack("{s:s, s:s, s:s, s:b, s:s, s:n}", "NodeID", "", "NodeAddr", "", "LocalNodeState",
			"inactive", "ControlAvailable", 0, "Error", "", "RemoteManagers"));
	set(j, "LiveRestoreEnabled", json_true());
	set_text(j, "Isolation", "");
	set_text(j, "InitBinary", "sbx");
	set(j, "ContainerdCommit", json_pack("{s:s}", "ID", ""));
	set(j, "RuncCommit", json_pack("{s:s}", "ID", ""));
	set(j, "InitCommit", json_pack("{s:s}", "ID", ""));
	set(j, "SecurityOptions", security());
	set(j, "CDISpecDirs", json_null());
	set(j, "Warnings", json_null());
	set(j, "ClientInfo",
		json_pack("{s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:n}", "Debug", 0, "Version",
			DOCKER_VERSION, "GitCommit", "sbx-" SBX_VERSION, "GoVersion", "", "Os",
			"linux", "BuildTime", "", "Context", "default", "Plugins", "Warnings"));
}

static json_t *describe(const struct store *s, struct err *e)
{
	auto_json json_t *j = json_object();
	auto_free char *id = NULL;
	struct utsname u;

	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u)); /* an unnamed machine is no reason to refuse */
	id = identity(s, u.nodename);
	set_text(j, "ID", id);
	if (add_counts(j, s, e) < 0)
		return NULL;
	add_engine(j, s);
	add_machine(j, s, &u);
	add_versions(j);
	return take(j);
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
	struct tmpl_data d = {.fields = fields, .type = "system.dockerInfo"};
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
	j = describe(&s, &e);
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
