/* SPDX-License-Identifier: Apache-2.0 */
#include "container_opts.h"

#include "parse.h"

#include <string.h>

static char *working_directory(void)
{
	return getcwd(NULL, 0);
}

/* ---- options of run and create whose value is checked when it is met, as docker's client does ---- */

static int add_host(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_add_host(value, &a->spec.extra_hosts, e);
}

static int add_attach(void *target, const char *value, struct err *e)
{
	static const char *const streams[] = {"stdin", "stdout", "stderr"};
	struct run_args *a = target;

	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		if (strcasecmp(value, streams[i]) == 0) {
			strv_add(&a->attach, streams[i]);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "valid streams are STDIN, STDOUT and STDERR");
}

static int add_env(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (parse_env(value, e) < 0)
		return -1;
	strv_add(&a->env, value);
	return 0;
}

static int add_label(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (parse_label(value, e) < 0)
		return -1;
	strv_add(&a->label, value);
	return 0;
}

static int add_dns(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;
	char *ip;

	if (parse_ip(value, &ip, e) < 0)
		return -1;
	strv_take(&a->spec.dns, ip);
	return 0;
}

static int add_dns_search(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_dns_search(value, &a->spec.dns_search, e);
}

static int add_device_rule(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (parse_device_rule(value, e) < 0)
		return -1;
	strv_add(&a->spec.device_cgroup_rules, value);
	return 0;
}

static int add_mount(void *target, const char *value, struct err *e)
{
	auto_free char *cwd = working_directory();
	struct run_args *a = target;

	if (parse_mount(&a->spec, value, cwd, e) == 0)
		return 0;
	if (!str_starts(e->text, "invalid mount config for type"))
		return -1;
	free(a->denied); /* docker's daemon refuses this, so the client's own errors must come first */
	a->denied = xstrdup(e->text);
	return 0;
}

static int add_sysctl(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (parse_sysctl(value, e) < 0)
		return -1;
	strv_env_set(&a->spec.sysctls, value);
	return 0;
}

static int add_ulimit(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;
	struct spec_ulimit u;

	if (parse_ulimit(value, &u, e) < 0)
		return -1;
	(void)spec_set_ulimit(&a->spec, &u);
	return 0;
}

/* Only the long form is checked at once, as by docker. An empty name is refused later, by take_word(): docker first complains if
 * the image is missing. */
static int add_network(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;
	auto_network_word struct network_word w = {0};

	if (parse_network(value, &w, e) < 0)
		return -1;
	strv_add(&a->network, value);
	return 0;
}

static int set_cpus(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_nano_cpus(value, &a->spec.nano_cpus, e);
}

static int set_memory_swap(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (str_eq(value, "-1")) {
		a->spec.memory_swap = -1;
		return 0;
	}
	return parse_bytes(value, &a->spec.memory_swap, e);
}

/* ---- options without effect: still, a value that docker refuses is refused ---- */

static int check_int(void *target, const char *value, struct err *e)
{
	int64_t ignored;

	(void)target;
	return parse_int(value, &ignored, e);
}

static int check_uint(void *target, const char *value, struct err *e)
{
	int64_t ignored;

	(void)target;
	return parse_uint(value, INT64_MAX, &ignored, e);
}

static int check_bytes(void *target, const char *value, struct err *e)
{
	int64_t ignored;

	(void)target;
	return parse_bytes(value, &ignored, e);
}

static int add_read_bps(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_throttle(value, true, &a->spec.read_bps, e);
}

static int add_write_bps(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_throttle(value, true, &a->spec.write_bps, e);
}

static int add_read_iops(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_throttle(value, false, &a->spec.read_iops, e);
}

static int add_write_iops(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_throttle(value, false, &a->spec.write_iops, e);
}

static int add_weight_device(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_weight_device(value, &a->spec.weight_devices, e);
}

static int add_gpus(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	return parse_gpus(value, &a->spec.device_requests, e);
}

static int set_init(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;
	bool wanted;

	if (parse_bool(value, &wanted, e) < 0)
		return -1;
	a->spec.init = wanted;
	return 0;
}

static int add_link(void *target, const char *value, struct err *e)
{
	struct run_args *a = target;

	if (parse_link(value, e) < 0)
		return -1;
	strv_add(&a->link, value);
	return 0;
}

#define RUN struct run_args

/* clang-format off */
const struct opt run_opts[] = {
	/* RUN_ONLY_ROWS, which create does not have or words otherwise: its options begin after them */
	{ 'd', "detach",                 NULL,            "Run container in background and print container ID", OPT_FLAG(RUN, detach) },
	{ 0,   "detach-keys",            "string",        "Override the key sequence for detaching a container", OPT_STR(RUN, detach_keys) },
	{ 0,   "sig-proxy",              NULL,            "Proxy received signals to the process (default true)", OPT_FLAG(RUN, sig_proxy) },
	{ 0,   "result",                 "file",          "Write how the program ended as one JSON object to a file, or to the open descriptor fd:N", OPT_STR(RUN, result), OPT_OURS },
	{ 0,   "pull",                   "string",        "Pull image before running (\"always\", \"missing\", \"never\") (default \"missing\")", OPT_STR(RUN, pull) },

	/* docker's */
	{ 0,   "add-host",               "list",          "Add a custom host-to-IP mapping (host:ip)", OPT_CALL(add_host) },
	{ 0,   "annotation",             "map",           "Add an annotation to the container (passed through to the OCI runtime) (default map[])", OPT_LIST(RUN, spec.annotations), OPT_SINCE(43) },
	{ 'a', "attach",                 "list",          "Attach to STDIN, STDOUT or STDERR", OPT_CALL(add_attach) },
	{ 0,   "blkio-weight",           "uint16",        "Block IO (relative weight), between 10 and 1000, or 0 to disable (default 0)", OPT_UINT16(RUN, spec.blkio_weight), OPT_NO_EFFECT },
	{ 0,   "blkio-weight-device",    "list",          "Block IO weight (relative device weight) (default [])", OPT_CALL(add_weight_device), OPT_NO_EFFECT },
	{ 0,   "cap-add",                "list",          "Add Linux capabilities", OPT_LIST(RUN, spec.cap_add) },
	{ 0,   "cap-drop",               "list",          "Drop Linux capabilities", OPT_LIST(RUN, spec.cap_drop) },
	{ 0,   "cgroup-parent",          "string",        "Optional parent cgroup for the container", OPT_STR(RUN, spec.cgroup_parent), OPT_NO_EFFECT },
	{ 0,   "cgroupns",               "string",        "Cgroup namespace to use (host|private)\n'host':    Run the container in the Docker host's cgroup namespace\n'private': Run the container in its own private cgroup namespace\n'':        Use the cgroup namespace as configured by the\n           default-cgroupns-mode option on the daemon (default)", OPT_STR(RUN, spec.cgroupns_mode), OPT_SINCE(41) },
	{ 0,   "cidfile",                "string",        "Write the container ID to the file", OPT_STR(RUN, spec.cidfile) },
	{ 0,   "cpu-count",              "int",           "CPU count (Windows only)", OPT_CALL(check_int), OPT_WINDOWS },
	{ 0,   "cpu-percent",            "int",           "CPU percent (Windows only)", OPT_CALL(check_int), OPT_WINDOWS },
	{ 0,   "cpu-period",             "int",           "Limit CPU CFS (Completely Fair Scheduler) period", OPT_INT(RUN, spec.cpu_period) },
	{ 0,   "cpu-quota",              "int",           "Limit CPU CFS (Completely Fair Scheduler) quota", OPT_INT(RUN, spec.cpu_quota) },
	{ 0,   "cpu-rt-period",          "int",           "Limit CPU real-time period in microseconds", OPT_INT(RUN, spec.cpu_rt_period), OPT_SINCE(25) },
	{ 0,   "cpu-rt-runtime",         "int",           "Limit CPU real-time runtime in microseconds", OPT_INT(RUN, spec.cpu_rt_runtime), OPT_SINCE(25) },
	{ 'c', "cpu-shares",             "int",           "CPU shares (relative weight)", OPT_INT(RUN, spec.cpu_shares) },
	{ 0,   "cpus",                   "decimal",       "Number of CPUs", OPT_CALL(set_cpus), OPT_SINCE(25) },
	{ 0,   "cpuset-cpus",            "string",        "CPUs in which to allow execution (0-3, 0,1)", OPT_STR(RUN, spec.cpuset_cpus) },
	{ 0,   "cpuset-mems",            "string",        "MEMs in which to allow execution (0-3, 0,1)", OPT_STR(RUN, spec.cpuset_mems) },
	{ 0,   "device",                 "list",          "Add a host device to the container", OPT_LIST(RUN, device) },
	{ 0,   "device-cgroup-rule",     "list",          "Add a rule to the cgroup allowed devices list", OPT_CALL(add_device_rule), OPT_NO_EFFECT },
	{ 0,   "device-read-bps",        "list",          "Limit read rate (bytes per second) from a device (default [])", OPT_CALL(add_read_bps), OPT_NO_EFFECT },
	{ 0,   "device-read-iops",       "list",          "Limit read rate (IO per second) from a device (default [])", OPT_CALL(add_read_iops), OPT_NO_EFFECT },
	{ 0,   "device-write-bps",       "list",          "Limit write rate (bytes per second) to a device (default [])", OPT_CALL(add_write_bps), OPT_NO_EFFECT },
	{ 0,   "device-write-iops",      "list",          "Limit write rate (IO per second) to a device (default [])", OPT_CALL(add_write_iops), OPT_NO_EFFECT },
	{ 0,   "disable-content-trust",  NULL,            "Skip image verification (default true)", OPT_FLAG(struct run_args, untrusted) },
	{ 0,   "dns",                    "list",          "Set custom DNS servers", OPT_CALL(add_dns) },
	{ 0,   "dns-option",             "list",          "Set DNS options", OPT_LIST(RUN, spec.dns_options) },
	{ 0,   "dns-search",             "list",          "Set custom DNS search domains", OPT_CALL(add_dns_search) },
	{ 0,   "domainname",             "string",        "Container NIS domain name", OPT_STR(RUN, spec.domainname) },
	{ 0,   "entrypoint",             "string",        "Overwrite the default ENTRYPOINT of the image", OPT_STR(RUN, entrypoint) },
	{ 'e', "env",                    "list",          "Set environment variables", OPT_CALL(add_env) },
	{ 0,   "env-file",               "list",          "Read in a file of environment variables", OPT_LIST(RUN, env_file) },
	{ 0,   "expose",                 "list",          "Expose a port or a range of ports", OPT_LIST(RUN, expose) },
	{ 0,   "gpus",                   "gpu-request",   "GPU devices to add to the container ('all' to pass all GPUs)", OPT_CALL(add_gpus), OPT_SINCE(40) },
	{ 0,   "group-add",              "list",          "Add additional groups to join", OPT_LIST(RUN, spec.group_add) },
	{ 0,   "health-cmd",             "string",        "Command to run to check health", OPT_STR(RUN, health_cmd) },
	{ 0,   "health-interval",        "duration",      "Time between running the check (ms|s|m|h) (default 0s)", OPT_DURATION(RUN, spec.health.interval_ns) },
	{ 0,   "health-retries",         "int",           "Consecutive failures needed to report unhealthy", OPT_INT(RUN, spec.health.retries) },
	{ 0,   "health-start-interval",  "duration",      "Time between running the check during the start period (ms|s|m|h) (default 0s)", OPT_DURATION(RUN, spec.health.start_interval_ns), OPT_SINCE(44) },
	{ 0,   "health-start-period",    "duration",      "Start period for the container to initialize before starting health-retries countdown (ms|s|m|h) (default 0s)", OPT_DURATION(RUN, spec.health.start_period_ns), OPT_SINCE(29) },
	{ 0,   "health-timeout",         "duration",      "Maximum time to allow one check to run (ms|s|m|h) (default 0s)", OPT_DURATION(RUN, spec.health.timeout_ns) },
	{ 0,   "help",                   NULL,            "Print usage", OPT_NOTHING() },
	{ 'h', "hostname",               "string",        "Container host name", OPT_STR(RUN, spec.hostname) },
	{ 0,   "init",                   NULL,            "Run an init inside the container that forwards signals and reaps processes", OPT_CALL(set_init), OPT_SINCE(25) },
	{ 'i', "interactive",            NULL,            "Keep STDIN open even if not attached", OPT_FLAG(RUN, spec.stdin_open) },
	{ 0,   "io-maxbandwidth",        "bytes",         "Maximum IO bandwidth limit for the system drive (Windows only)", OPT_CALL(check_bytes), OPT_WINDOWS },
	{ 0,   "io-maxiops",             "uint",          "Maximum IOps limit for the system drive (Windows only)", OPT_CALL(check_uint), OPT_WINDOWS },
	{ 0,   "ip",                     "string",        "IPv4 address (e.g., 172.30.100.104)", OPT_STR(RUN, ip), OPT_NO_EFFECT },
	{ 0,   "ip6",                    "string",        "IPv6 address (e.g., 2001:db8::33)", OPT_STR(RUN, ip6), OPT_NO_EFFECT },
	{ 0,   "ipc",                    "string",        "IPC mode to use", OPT_STR(RUN, spec.ipc_mode) },
	{ 0,   "isolation",              "string",        "Container isolation technology", OPT_STR(RUN, spec.isolation) },
	{ 0,   "kernel-memory",          "bytes",         "Kernel memory limit", OPT_CALL(check_bytes), OPT_NO_EFFECT },
	{ 'l', "label",                  "list",          "Set meta data on a container", OPT_CALL(add_label) },
	{ 0,   "label-file",             "list",          "Read in a line delimited file of labels", OPT_LIST(RUN, label_file) },
	{ 0,   "link",                   "list",          "Add link to another container", OPT_CALL(add_link), OPT_NO_EFFECT },
	{ 0,   "link-local-ip",          "list",          "Container IPv4/IPv6 link-local addresses", OPT_LIST(RUN, link_local), OPT_NO_EFFECT },
	{ 0,   "log-driver",             "string",        "Logging driver for the container", OPT_STR(RUN, spec.log_driver) },
	{ 0,   "log-opt",                "list",          "Log driver options", OPT_LIST(RUN, spec.log_opts) },
	{ 0,   "mac-address",            "string",        "Container MAC address (e.g., 92:d0:c6:0a:29:33)", OPT_STR(RUN, spec.mac_address), OPT_NO_EFFECT },
	{ 'm', "memory",                 "bytes",         "Memory limit", OPT_BYTES(RUN, spec.memory) },
	{ 0,   "memory-reservation",     "bytes",         "Memory soft limit", OPT_BYTES(RUN, spec.memory_reservation) },
	{ 0,   "memory-swap",            "bytes",         "Swap limit equal to memory plus swap: '-1' to enable unlimited swap", OPT_CALL(set_memory_swap) },
	{ 0,   "memory-swappiness",      "int",           "Tune container memory swappiness (0 to 100) (default -1)", OPT_INT(RUN, spec.memory_swappiness) },
	{ 0,   "mount",                  "mount",         "Attach a filesystem mount to the container", OPT_CALL(add_mount) },
	{ 0,   "name",                   "string",        "Assign a name to the container", OPT_STR(RUN, spec.name) },
	{ 0,   "network",                "network",       "Connect a container to a network", OPT_CALL(add_network) },
	{ 0,   "network-alias",          "list",          "Add network-scoped alias for the container", OPT_LIST(RUN, network_alias), OPT_NO_EFFECT },
	{ 0,   "no-healthcheck",         NULL,            "Disable any container-specified HEALTHCHECK", OPT_FLAG(RUN, no_healthcheck) },
	{ 0,   "oom-kill-disable",       NULL,            "Disable OOM Killer", OPT_FLAG(RUN, spec.oom_kill_disable), OPT_NO_EFFECT },
	{ 0,   "oom-score-adj",          "int",           "Tune host's OOM preferences (-1000 to 1000)", OPT_INT(RUN, spec.oom_score_adj) },
	{ 0,   "pid",                    "string",        "PID namespace to use", OPT_STR(RUN, spec.pid_mode) },
	{ 0,   "pids-limit",             "int",           "Tune container pids limit (set -1 for unlimited)", OPT_INT(RUN, spec.pids_limit) },
	{ 0,   "platform",               "string",        "Set platform if server is multi-platform capable", OPT_STR(RUN, spec.platform), OPT_SINCE(32) },
	{ 0,   "privileged",             NULL,            "Give extended privileges to this container", OPT_FLAG(RUN, spec.privileged) },
	{ 'p', "publish",                "list",          "Publish a container's port(s) to the host", OPT_LIST(RUN, publish) },
	{ 'P', "publish-all",            NULL,            "Publish all exposed ports to random ports", OPT_FLAG(RUN, spec.publish_all) },
	{ 0,   "pull",                   "string",        "Pull image before creating (\"always\", \"|missing\", \"never\") (default \"missing\")", OPT_STR(RUN, pull) },
	{ 'q', "quiet",                  NULL,            "Suppress the pull output", OPT_FLAG(RUN, quiet) },
	{ 0,   "read-only",              NULL,            "Mount the container's root filesystem as read only", OPT_FLAG(RUN, spec.read_only) },
	{ 0,   "restart",                "string",        "Restart policy to apply when a container exits (default \"no\")", OPT_STR(RUN, restart) },
	{ 0,   "rm",                     NULL,            "Automatically remove the container and its associated anonymous volumes when it exits", OPT_FLAG(RUN, spec.auto_remove) },
	{ 0,   "runtime",                "string",        "Runtime to use for this container", OPT_STR(RUN, spec.runtime) },
	{ 0,   "security-opt",           "list",          "Security Options", OPT_LIST(RUN, spec.security_opt) },
	{ 0,   "shm-size",               "bytes",         "Size of /dev/shm", OPT_BYTES(RUN, spec.shm_size) },
	{ 0,   "stop-signal",            "string",        "Signal to stop the container", OPT_STR(RUN, spec.stop_signal) },
	{ 0,   "stop-timeout",           "int",           "Timeout (in seconds) to stop a container", OPT_INT(RUN, spec.stop_timeout), OPT_SINCE(25) },
	{ 0,   "storage-opt",            "list",          "Storage driver options for the container", OPT_LIST(RUN, spec.storage_opt) },
	{ 0,   "sysctl",                 "map",           "Sysctl options (default map[])", OPT_CALL(add_sysctl) },
	{ 0,   "tmpfs",                  "list",          "Mount a tmpfs directory", OPT_LIST(RUN, tmpfs) },
	{ 't', "tty",                    NULL,            "Allocate a pseudo-TTY", OPT_FLAG(RUN, spec.tty) },
	{ 0,   "ulimit",                 "ulimit",        "Ulimit options (default [])", OPT_CALL(add_ulimit) },
	{ 0,   "use-api-socket",         NULL,            "Bind mount Docker API socket and required auth", OPT_NOTHING(), OPT_NO_EFFECT },
	{ 'u', "user",                   "string",        "Username or UID (format: <name|uid>[:<group|gid>])", OPT_STR(RUN, spec.user) },
	{ 0,   "userns",                 "string",        "User namespace to use", OPT_STR(RUN, spec.userns_mode), OPT_NO_EFFECT },
	{ 0,   "uts",                    "string",        "UTS namespace to use", OPT_STR(RUN, spec.uts_mode) },
	{ 'v', "volume",                 "list",          "Bind mount a volume", OPT_LIST(RUN, volume) },
	{ 0,   "volume-driver",          "string",        "Optional volume driver for the container", OPT_STR(RUN, spec.volume_driver) },
	{ 0,   "volumes-from",           "list",          "Mount volumes from the specified container(s)", OPT_LIST(RUN, spec.volumes_from) },
	{ 'w', "workdir",                "string",        "Working directory inside the container", OPT_STR(RUN, spec.workdir) },

	/* docker's old spellings */
	{ 0,   "net",                    "network",       "Connect a container to a network", OPT_CALL(add_network), OPT_HIDDEN },
	{ 0,   "net-alias",              "list",          "Add network-scoped alias for the container", OPT_LIST(RUN, network_alias), OPT_NO_EFFECT | OPT_HIDDEN },
	{ 0,   "dns-opt",                "list",          "Set DNS options", OPT_LIST(RUN, spec.dns_options), OPT_HIDDEN },

	/* ours */
	{ 0,   "cpu-time",               "duration",      "End the container when it has used so much CPU time (1m30s, or seconds)", OPT_DURATION(RUN, spec.cpu_time_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "ids",                    "string",        "Which ids the container has: \"auto\", \"one\" (root inside is you) or \"range\" (those of /etc/subuid) (default \"auto\")", OPT_STR(RUN, spec.ids), OPT_OURS },
	{ 0,   "kill-after",             "duration",      "After --timeout, send the stop signal first and kill this much later (1s, or seconds)", OPT_DURATION(RUN, spec.kill_after_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "output-limit",           "bytes",         "Limit what the program may write to its standard output and error together", OPT_BYTES(RUN, spec.output_limit), OPT_OURS },
	{ 0,   "output-limit-action",    "string",        "What to do with more output: \"drop\" it or \"kill\" the program (default \"drop\")", OPT_STR(RUN, spec.output_limit_action), OPT_OURS },
	{ 0,   "timeout",                "duration",      "End the container after this time, with status 124 (1m30s, or seconds)", OPT_DURATION(RUN, spec.timeout_ns), OPT_OURS | OPT_SECONDS },
	{ 0 },
};
/* clang-format on */

#define EXEC struct exec_args

static int add_exec_env(void *target, const char *value, struct err *e)
{
	struct exec_args *a = target;

	if (parse_env(value, e) < 0)
		return -1;
	strv_add(&a->env, value);
	return 0;
}

static int add_exec_ulimit(void *target, const char *value, struct err *e)
{
	struct exec_args *a = target;
	struct spec_ulimit u;

	if (parse_ulimit(value, &u, e) < 0)
		return -1;
	(void)spec_set_ulimit(&a->spec, &u);
	return 0;
}

/* clang-format off */
const struct opt exec_opts[] = {
	{ 'd', "detach",                 NULL,            "Detached mode: run command in the background", OPT_FLAG(EXEC, detach) },
	{ 0,   "detach-keys",            "string",        "Override the key sequence for detaching a container", OPT_STR(EXEC, detach_keys) },
	{ 'e', "env",                    "list",          "Set environment variables", OPT_CALL(add_exec_env), OPT_SINCE(25) },
	{ 0,   "env-file",               "list",          "Read in a file of environment variables", OPT_LIST(EXEC, env_file), OPT_SINCE(25) },
	{ 'i', "interactive",            NULL,            "Keep STDIN open even if not attached", OPT_FLAG(EXEC, spec.stdin_open) },
	{ 0,   "privileged",             NULL,            "Give extended privileges to the command", OPT_FLAG(EXEC, spec.privileged) },
	{ 't', "tty",                    NULL,            "Allocate a pseudo-TTY", OPT_FLAG(EXEC, spec.tty) },
	{ 'u', "user",                   "string",        "Username or UID (format: \"<name|uid>[:<group|gid>]\")", OPT_STR(EXEC, spec.user) },
	{ 'w', "workdir",                "string",        "Working directory inside the container", OPT_STR(EXEC, spec.workdir), OPT_SINCE(35) },

	/* ours */
	{ 0,   "cpuset-cpus",            "string",        "CPUs in which to allow execution (0-3, 0,1)", OPT_STR(EXEC, spec.cpuset_cpus), OPT_OURS },
	{ 'm', "memory",                 "bytes",         "Memory limit of the command and all that it starts", OPT_BYTES(EXEC, spec.memory), OPT_OURS },
	{ 0,   "pids-limit",             "int",           "End the command when it has more processes and threads", OPT_INT(EXEC, spec.pids_limit), OPT_OURS },
	{ 0,   "ulimit",                 "ulimit",        "Ulimit options, beside the container's (default [])", OPT_CALL(add_exec_ulimit), OPT_OURS },
	{ 0,   "cpu-time",               "duration",      "End the command when it has used so much CPU time (1m30s, or seconds)", OPT_DURATION(EXEC, spec.cpu_time_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "kill-after",             "duration",      "After --timeout, send the stop signal first and kill this much later (1s, or seconds)", OPT_DURATION(EXEC, spec.kill_after_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "output-limit",           "bytes",         "Limit what the program may write to its standard output and error together", OPT_BYTES(EXEC, spec.output_limit), OPT_OURS },
	{ 0,   "output-limit-action",    "string",        "What to do with more output: \"drop\" it or \"kill\" the program (default \"drop\")", OPT_STR(EXEC, spec.output_limit_action), OPT_OURS },
	{ 0,   "timeout",                "duration",      "End the command after this time, with status 124 (1m30s, or seconds)", OPT_DURATION(EXEC, spec.timeout_ns), OPT_OURS | OPT_SECONDS },
	{ 0,   "result",                 "file",          "Write how the program ended as one JSON object to a file, or to the open descriptor fd:N", OPT_STR(EXEC, result), OPT_OURS },
	{ 0 },
};
/* clang-format on */
