/* SPDX-License-Identifier: Apache-2.0 */
#include "about.h"

#include "auto.h"
#include "cgroup.h"
#include "image.h"
#include "sha256.h"
#include "stamp.h"
#include "state.h"
#include "version.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

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

/* A stable id of this store: a digest of the machine's id and the store's path, as a UUID. */
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
	auto_strv struct strv unread = {0}; /* `images` reports them */
	struct image *images = NULL;
	size_t n = 0, n_images = 0, running = 0, paused = 0;

	if (state_list(s, false, &list, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		running += list[i].status == ST_RUNNING || list[i].status == ST_RESTARTING;
		paused += list[i].status == ST_PAUSED;
	}
	state_list_free(list, n);
	if (image_list(s, &images, &n_images, &unread, e) < 0)
		return -1;
	image_list_free(images, n_images);
	json_set(j, "Containers", json_integer((json_int_t)n));
	json_set(j, "ContainersRunning", json_integer((json_int_t)running));
	json_set(j, "ContainersPaused", json_integer((json_int_t)paused));
	json_set(j, "ContainersStopped", json_integer((json_int_t)(n - running - paused)));
	json_set(j, "Images", json_integer((json_int_t)n_images));
	return 0;
}

static void add_engine(json_t *j, const struct store *s)
{
	/* Memory and processes can be limited everywhere: by the watch, if no control group does it. */
	static const struct {
		const char *name;
		unsigned int held;
	} can[] = {{"MemoryLimit", 0}, {"SwapLimit", HOLDS_SWAP}, {"CpuCfsPeriod", HOLDS_CPUS},
		{"CpuCfsQuota", HOLDS_CPUS}, {"CPUShares", HOLDS_SHARES}, {"CPUSet", HOLDS_CPUSET},
		{"PidsLimit", 0}, {"IPv4Forwarding", 0}};
	static const char *const drivers[] = {
		[CGROUP_NONE] = "none", [CGROUP_V2] = "cgroupfs", [CGROUP_SYSTEMD] = "systemd", [CGROUP_V1] = "cgroupfs"};
	unsigned int holds;
	enum cgroup_way way = cgroup_probe(&holds);
	struct timespec now;
	char time[STAMP_SIZE];

	json_set_text(j, "Driver", "overlay2");
	json_set(j, "DriverStatus",
		json_pack("[[s,s], [s,s], [s,s], [s,s]]", "Backing Filesystem", filesystem(s),
			"Supports d_type", "true", "Using metacopy", "false", "userxattr", "true"));
	json_set(j, "Plugins",
		json_pack("{s:[s], s:[s,s,s], s:n, s:[s,s,s]}", "Volume", "local", "Network", "bridge",
			"host", "null", "Authorization", "Log", "json-file", "local", "none"));
	for (size_t i = 0; i < ARRAY_LEN(can); i++)
		json_set(j, can[i].name, json_boolean(!can[i].held || (holds & can[i].held)));
	json_set(j, "Debug", json_false());
	json_set(j, "NFd", json_integer(0));
	json_set(j, "OomKillDisable", json_false());
	json_set(j, "NGoroutines", json_integer(0));
	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	stamp_print(&now, time);
	json_set_text(j, "SystemTime", time);
	json_set_text(j, "LoggingDriver", "json-file");
	json_set_text(j, "CgroupDriver", drivers[way]);
	json_set_text(j, "CgroupVersion",
		access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? "2" : "1");
	json_set(j, "NEventsListener", json_integer(0));
}

static void add_machine(json_t *j, const struct store *s, const struct utsname *u)
{
	auto_free char *pretty = os_release("PRETTY_NAME"), *version = os_release("VERSION_ID");
	struct sysinfo mem = {0};

	(void)sysinfo(&mem); /* fails only for a bad pointer */
	json_set_text(j, "KernelVersion", u->release);
	json_set_text(j, "OperatingSystem", *pretty ? pretty : "Linux");
	json_set_text(j, "OSVersion", version);
	json_set_text(j, "OSType", "linux");
	json_set_text(j, "Architecture", u->machine);
	json_set_text(j, "IndexServerAddress", "https://index.docker.io/v1/");
	json_set(j, "RegistryConfig",
		json_pack("{s:{s:{s:s, s:[], s:b, s:b}}, s:[], s:[]}", "IndexConfigs", "docker.io",
			"Name", "docker.io", "Mirrors", "Secure", 1, "Official", 1,
			"InsecureRegistryCIDRs", "Mirrors"));
	json_set(j, "NCPU", json_integer(cpus()));
	json_set(j, "MemTotal", json_integer((json_int_t)mem.totalram * mem.mem_unit));
	json_set(j, "GenericResources", json_null());
	json_set_text(j, "DockerRootDir", s->root_path);
	json_set_text(j, "HttpProxy", "");
	json_set_text(j, "HttpsProxy", "");
	json_set_text(j, "NoProxy", "");
	json_set_text(j, "Name", u->nodename);
	json_set(j, "Labels", json_array());
	json_set(j, "ExperimentalBuild", json_false());
}

static json_t *security(void)
{
	json_t *list = json_pack("[s]", "name=seccomp,profile=builtin");

	if (geteuid() != 0)
		(void)json_array_append_new(list, json_string("name=rootless")); /* memory */
	return list;
}

/* Go's name of the architecture, "amd64", which test harnesses compare. */
static const char *go_arch(const char *machine)
{
	static const char *const names[][2] = {{"x86_64", "amd64"}, {"aarch64", "arm64"},
		{"i686", "386"}, {"ppc64le", "ppc64le"}, {"s390x", "s390x"}, {"riscv64", "riscv64"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(names[i][0], machine))
			return names[i][1];
	return machine;
}

static void add_versions(json_t *j, const char *machine)
{
	json_set_text(j, "ServerVersion", DOCKER_VERSION);
	json_set(j, "Runtimes", json_pack("{s:{s:s}}", "runc", "path", "sbx"));
	json_set_text(j, "DefaultRuntime", "runc");
	json_set(j, "Swarm",
		json_pack("{s:s, s:s, s:s, s:b, s:s, s:n}", "NodeID", "", "NodeAddr", "", "LocalNodeState",
			"inactive", "ControlAvailable", 0, "Error", "", "RemoteManagers"));
	json_set(j, "LiveRestoreEnabled", json_true());
	json_set_text(j, "Isolation", "");
	json_set_text(j, "InitBinary", "sbx");
	json_set(j, "ContainerdCommit", json_pack("{s:s}", "ID", ""));
	json_set(j, "RuncCommit", json_pack("{s:s}", "ID", ""));
	json_set(j, "InitCommit", json_pack("{s:s}", "ID", ""));
	json_set(j, "SecurityOptions", security());
	json_set(j, "CDISpecDirs", json_null());
	json_set(j, "Warnings", json_null());
	json_set(j, "ClientInfo",
		json_pack("{s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:n}", "Debug", 0,
			"Version", DOCKER_VERSION, "DefaultAPIVersion", API_VERSION, "GitCommit",
			"sbx-" SBX_VERSION, "GoVersion", "", "Os", "linux", "Arch", go_arch(machine),
			"BuildTime", "", "Context", "default", "Plugins", "Warnings"));
}

json_t *about_machine(const struct store *s, struct err *e)
{
	auto_json json_t *j = json_object();
	auto_free char *id = NULL;
	struct utsname u;

	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u)); /* an unnamed machine is no reason to refuse */
	id = identity(s, u.nodename);
	json_set_text(j, "ID", id);
	if (add_counts(j, s, e) < 0)
		return NULL;
	add_engine(j, s);
	add_machine(j, s, &u);
	add_versions(j, u.machine);
	return take(j);
}

/* ---- versions ---- */

/* Test harnesses require a minimum version of docker: so Version is docker's whose behaviour this has; our own stands
 * in the component and as the commit. */
json_t *about_version(const struct utsname *u)
{
	const char *arch = go_arch(u->machine);
	json_t *client = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "Version",
		DOCKER_VERSION, "ApiVersion", API_VERSION, "DefaultAPIVersion", API_VERSION,
		"GitCommit", "sbx-" SBX_VERSION, "GoVersion", "", "Os", "linux", "Arch", arch,
		"BuildTime", "", "Context", "default");
	json_t *details = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "ApiVersion",
		API_VERSION, "Arch", arch, "BuildTime", "", "Experimental", "false", "GitCommit",
		"sbx-" SBX_VERSION, "GoVersion", "", "KernelVersion", u->release, "MinAPIVersion",
		API_VERSION_MIN, "Os", "linux");
	json_t *components = json_pack("[{s:s, s:s, s:o}, {s:s, s:s, s:{s:s}}]", "Name", "Engine",
		"Version", DOCKER_VERSION, "Details", details, "Name", "sbx", "Version",
		SBX_VERSION, "Details", "GitCommit", "");
	json_t *server = json_pack("{s:{s:s}, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
		"Platform", "Name", "sbx", "Components", components, "Version", DOCKER_VERSION,
		"ApiVersion", API_VERSION, "MinAPIVersion", API_VERSION_MIN, "GitCommit",
		"sbx-" SBX_VERSION, "GoVersion", "", "Os", "linux", "Arch", arch, "KernelVersion",
		u->release, "BuildTime", "");

	return json_pack("{s:o, s:o}", "Client", client, "Server", server);
}
