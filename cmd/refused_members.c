/* SPDX-License-Identifier: Apache-2.0 */
/* refused_members: subcommands of swarm, trust and the like, with docker's options, so that --help and mistakes are answered as
 * by docker, and only correct commands are refused. */
#include "refused_members.h"
#include "cmd.h"

#include <stdlib.h>

void ignored_done(void *target)
{
	struct ignored *i = target;

	free(i->word);
	strv_done(&i->words);
}

#define MEMBER_SINCE(minor, word, usage, what, spellings, least, most, rows)                    \
	{                                                                                       \
		.name = word, .args = usage, .about = what, .aliases = spellings, .opts = rows, \
		.target_size = sizeof(struct ignored), .done = ignored_done, .min_args = least, \
		.max_args = most, .since = (minor)                                              \
	}
#define MEMBER(word, usage, what, spellings, least, most, rows) \
	MEMBER_SINCE(0, word, usage, what, spellings, least, most, rows)
#define SUBGROUP(word, what, has)                                       \
	{                                                               \
		.name = word, .args = "", .about = what, .members = has \
	}
/* clang-format off */
static const struct opt swarm_ca_opts[] = {
	{ 0,   "ca-cert",     "pem-file",    "Path to the PEM-formatted root CA certificate to use for the new cluster", OPT_NOTHING() },
	{ 0,   "ca-key",      "pem-file",    "Path to the PEM-formatted root CA key to use for the new cluster", OPT_NOTHING() },
	{ 0,   "cert-expiry", "duration",    "Validity period for node certificates (ns|us|ms|s|m|h) (default 2160h0m0s)", OPT_DURATION(struct ignored, number) },
	{ 'd', "detach",      NULL,          "Exit immediately instead of waiting for the root rotation to converge", OPT_FLAG(struct ignored, flag) },
	{ 0,   "external-ca", "external-ca", "Specifications of one or more certificate signing endpoints", OPT_NOTHING() },
	{ 'q', "quiet",       NULL,          "Suppress progress output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "rotate",      NULL,          "Rotate the swarm CA - if no certificate or key are provided, new ones will be generated", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt swarm_init_opts[] = {
	{ 0,   "advertise-addr",                "string",      "Advertised address (format: \"<ip|interface>[:port]\")", OPT_STR(struct ignored, word) },
	{ 0,   "autolock",                      NULL,          "Enable manager autolocking (requiring an unlock key to start a stopped manager)", OPT_FLAG(struct ignored, flag) },
	{ 0,   "availability",                  "string",      "Availability of the node (\"active\", \"pause\", \"drain\") (default \"active\")", OPT_STR(struct ignored, word) },
	{ 0,   "cert-expiry",                   "duration",    "Validity period for node certificates (ns|us|ms|s|m|h) (default 2160h0m0s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "data-path-addr",                "string",      "Address or interface to use for data path traffic (format: \"<ip|interface>\")", OPT_STR(struct ignored, word), OPT_SINCE(31) },
	{ 0,   "data-path-port",                "uint32",      "Port number to use for data path traffic (1024 - 49151). If no value is set or is set to 0, the default port (4789) is used.", OPT_NOTHING(), OPT_SINCE(40) },
	{ 0,   "default-addr-pool",             "ipNetSlice",  "default address pool in CIDR format (default [])", OPT_NOTHING(), OPT_SINCE(39) },
	{ 0,   "default-addr-pool-mask-length", "uint32",      "default address pool subnet mask length (default 24)", OPT_NOTHING(), OPT_SINCE(39) },
	{ 0,   "dispatcher-heartbeat",          "duration",    "Dispatcher heartbeat period (ns|us|ms|s|m|h) (default 5s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "external-ca",                   "external-ca", "Specifications of one or more certificate signing endpoints", OPT_NOTHING() },
	{ 0,   "force-new-cluster",             NULL,          "Force create a new cluster from current state", OPT_FLAG(struct ignored, flag) },
	{ 0,   "listen-addr",                   "node-addr",   "Listen address (format: \"<ip|interface>[:port]\") (default 0.0.0.0:2377)", OPT_NOTHING() },
	{ 0,   "max-snapshots",                 "uint",        "Number of additional Raft snapshots to retain", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "snapshot-interval",             "uint",        "Number of log entries between Raft snapshots (default 10000)", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "task-history-limit",            "int",         "Task history retention limit (default 5)", OPT_INT(struct ignored, number) },
	{ 0 },
};
static const struct opt swarm_join_opts[] = {
	{ 0,   "advertise-addr", "string",    "Advertised address (format: \"<ip|interface>[:port]\")", OPT_STR(struct ignored, word) },
	{ 0,   "availability",   "string",    "Availability of the node (\"active\", \"pause\", \"drain\") (default \"active\")", OPT_STR(struct ignored, word) },
	{ 0,   "data-path-addr", "string",    "Address or interface to use for data path traffic (format: \"<ip|interface>\")", OPT_STR(struct ignored, word), OPT_SINCE(31) },
	{ 0,   "listen-addr",    "node-addr", "Listen address (format: \"<ip|interface>[:port]\") (default 0.0.0.0:2377)", OPT_NOTHING() },
	{ 0,   "token",          "string",    "Token for entry into the swarm", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt swarm_join_token_opts[] = {
	{ 'q', "quiet",  NULL,  "Only display token", OPT_FLAG(struct ignored, flag) },
	{ 0,   "rotate", NULL,  "Rotate join token", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt swarm_leave_opts[] = {
	{ 'f', "force", NULL,  "Force this node to leave the swarm, ignoring warnings", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt swarm_unlock_key_opts[] = {
	{ 'q', "quiet",  NULL,  "Only display token", OPT_FLAG(struct ignored, flag) },
	{ 0,   "rotate", NULL,  "Rotate unlock key", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt swarm_update_opts[] = {
	{ 0,   "autolock",             NULL,          "Change manager autolocking setting (true|false)", OPT_FLAG(struct ignored, flag) },
	{ 0,   "cert-expiry",          "duration",    "Validity period for node certificates (ns|us|ms|s|m|h) (default 2160h0m0s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "dispatcher-heartbeat", "duration",    "Dispatcher heartbeat period (ns|us|ms|s|m|h) (default 5s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "external-ca",          "external-ca", "Specifications of one or more certificate signing endpoints", OPT_NOTHING() },
	{ 0,   "max-snapshots",        "uint",        "Number of additional Raft snapshots to retain", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "snapshot-interval",    "uint",        "Number of log entries between Raft snapshots (default 10000)", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "task-history-limit",   "int",         "Task history retention limit (default 5)", OPT_INT(struct ignored, number) },
	{ 0 },
};
static const struct opt inspect_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct ignored, word) },
	{ 0,   "pretty", NULL,     "Print the information in a human friendly format", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt ls_opts[] = {
	{ 'f', "filter", "filter", "Filter output based on conditions provided", OPT_NOTHING() },
	{ 0,   "format", "string", FORMAT_HELP, OPT_STR(struct ignored, word) },
	{ 'q', "quiet",  NULL,     "Only display IDs", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt tasks_opts[] = {
	{ 'f', "filter",     "filter", "Filter output based on conditions provided", OPT_NOTHING() },
	{ 0,   "format",     "string", "Pretty-print tasks using a Go template", OPT_STR(struct ignored, word) },
	{ 0,   "no-resolve", NULL,     "Do not map IDs to Names", OPT_FLAG(struct ignored, flag) },
	{ 0,   "no-trunc",   NULL,     "Do not truncate output", OPT_FLAG(struct ignored, flag) },
	{ 'q', "quiet",      NULL,     "Only display task IDs", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt node_rm_opts[] = {
	{ 'f', "force", NULL,  "Force remove a node from the swarm", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt node_update_opts[] = {
	{ 0,   "availability", "string", "Availability of the node (\"active\", \"pause\", \"drain\")", OPT_STR(struct ignored, word) },
	{ 0,   "label-add",    "list",   "Add or update a node label (\"key=value\")", OPT_LIST(struct ignored, words) },
	{ 0,   "label-rm",     "list",   "Remove a node label if exists", OPT_LIST(struct ignored, words) },
	{ 0,   "role",         "string", "Role of the node (\"worker\", \"manager\")", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt service_create_opts[] = {
	{ 0,   "cap-add",                    "list",            "Add Linux capabilities", OPT_LIST(struct ignored, words), OPT_SINCE(41) },
	{ 0,   "cap-drop",                   "list",            "Drop Linux capabilities", OPT_LIST(struct ignored, words), OPT_SINCE(41) },
	{ 0,   "config",                     "config",          "Specify configurations to expose to the service", OPT_NOTHING(), OPT_SINCE(30) },
	{ 0,   "constraint",                 "list",            "Placement constraints", OPT_LIST(struct ignored, words) },
	{ 0,   "container-label",            "list",            "Container labels", OPT_LIST(struct ignored, words) },
	{ 0,   "credential-spec",            "credential-spec", "Credential spec for managed service account (Windows only)", OPT_NOTHING(), OPT_SINCE(29) },
	{ 'd', "detach",                     NULL,              "Exit immediately instead of waiting for the service to converge", OPT_FLAG(struct ignored, flag), OPT_SINCE(29) },
	{ 0,   "dns",                        "list",            "Set custom DNS servers", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-option",                 "list",            "Set DNS options", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-search",                 "list",            "Set custom DNS search domains", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "endpoint-mode",              "string",          "Endpoint mode (vip or dnsrr) (default \"vip\")", OPT_STR(struct ignored, word) },
	{ 0,   "entrypoint",                 "command",         "Overwrite the default ENTRYPOINT of the image", OPT_NOTHING() },
	{ 'e', "env",                        "list",            "Set environment variables", OPT_LIST(struct ignored, words) },
	{ 0,   "env-file",                   "list",            "Read in a file of environment variables", OPT_LIST(struct ignored, words) },
	{ 0,   "generic-resource",           "list",            "User defined resources", OPT_LIST(struct ignored, words) },
	{ 0,   "group",                      "list",            "Set one or more supplementary user groups for the container", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "health-cmd",                 "string",          "Command to run to check health", OPT_STR(struct ignored, word), OPT_SINCE(25) },
	{ 0,   "health-interval",            "duration",        "Time between running the check (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "health-retries",             "int",             "Consecutive failures needed to report unhealthy", OPT_INT(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "health-start-interval",      "duration",        "Time between running the check during the start period (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(44) },
	{ 0,   "health-start-period",        "duration",        "Start period for the container to initialize before counting retries towards unstable (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(29) },
	{ 0,   "health-timeout",             "duration",        "Maximum time to allow one check to run (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "host",                       "list",            "Set one or more custom host-to-IP mappings (host:ip)", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "hostname",                   "string",          "Container hostname", OPT_STR(struct ignored, word), OPT_SINCE(25) },
	{ 0,   "init",                       NULL,              "Use an init inside each service container to forward signals and reap processes", OPT_FLAG(struct ignored, flag), OPT_SINCE(37) },
	{ 0,   "isolation",                  "string",          "Service container isolation mode", OPT_STR(struct ignored, word), OPT_SINCE(35) },
	{ 'l', "label",                      "list",            "Service labels", OPT_LIST(struct ignored, words) },
	{ 0,   "limit-cpu",                  "decimal",         "Limit CPUs", OPT_NOTHING() },
	{ 0,   "limit-memory",               "bytes",           "Limit Memory", OPT_BYTES(struct ignored, number) },
	{ 0,   "limit-pids",                 "int",             "Limit maximum number of processes (default 0 = unlimited)", OPT_INT(struct ignored, number), OPT_SINCE(41) },
	{ 0,   "log-driver",                 "string",          "Logging driver for service", OPT_STR(struct ignored, word) },
	{ 0,   "log-opt",                    "list",            "Logging driver options", OPT_LIST(struct ignored, words) },
	{ 0,   "max-concurrent",             "uint",            "Number of job tasks to run concurrently (default equal to --replicas)", OPT_NOTHING(), OPT_SINCE(41) },
	{ 0,   "mode",                       "string",          "Service mode (\"replicated\", \"global\", \"replicated-job\", \"global-job\") (default \"replicated\")", OPT_STR(struct ignored, word) },
	{ 0,   "mount",                      "mount",           "Attach a filesystem mount to the service", OPT_NOTHING() },
	{ 0,   "name",                       "string",          "Service name", OPT_STR(struct ignored, word) },
	{ 0,   "network",                    "network",         "Network attachments", OPT_NOTHING() },
	{ 0,   "no-healthcheck",             NULL,              "Disable any container-specified HEALTHCHECK", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "no-resolve-image",           NULL,              "Do not query the registry to resolve image digest and supported platforms", OPT_FLAG(struct ignored, flag), OPT_SINCE(30) },
	{ 0,   "oom-score-adj",              "int",             "Tune host's OOM preferences (-1000 to 1000) ", OPT_INT(struct ignored, number), OPT_SINCE(46) },
	{ 0,   "placement-pref",             "pref",            "Add a placement preference", OPT_NOTHING(), OPT_SINCE(28) },
	{ 'p', "publish",                    "port",            "Publish a port as a node port", OPT_NOTHING() },
	{ 'q', "quiet",                      NULL,              "Suppress progress output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "read-only",                  NULL,              "Mount the container's root filesystem as read only", OPT_FLAG(struct ignored, flag), OPT_SINCE(28) },
	{ 0,   "replicas",                   "uint",            "Number of tasks", OPT_NOTHING() },
	{ 0,   "replicas-max-per-node",      "uint",            "Maximum number of tasks per node (default 0 = unlimited)", OPT_NOTHING(), OPT_SINCE(40) },
	{ 0,   "reserve-cpu",                "decimal",         "Reserve CPUs", OPT_NOTHING() },
	{ 0,   "reserve-memory",             "bytes",           "Reserve Memory", OPT_BYTES(struct ignored, number) },
	{ 0,   "restart-condition",          "string",          "Restart when condition is met (\"none\", \"on-failure\", \"any\") (default \"any\")", OPT_STR(struct ignored, word) },
	{ 0,   "restart-delay",              "duration",        "Delay between restart attempts (ns|us|ms|s|m|h) (default 5s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "restart-max-attempts",       "uint",            "Maximum number of restarts before giving up", OPT_NOTHING() },
	{ 0,   "restart-window",             "duration",        "Window used to evaluate the restart policy (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number) },
	{ 0,   "rollback-delay",             "duration",        "Delay between task rollbacks (ns|us|ms|s|m|h) (default 0s)", OPT_DURATION(struct ignored, number), OPT_SINCE(28) },
	{ 0,   "rollback-failure-action",    "string",          "Action on rollback failure (\"pause\", \"continue\") (default \"pause\")", OPT_STR(struct ignored, word), OPT_SINCE(28) },
	{ 0,   "rollback-max-failure-ratio", "float",           "Failure rate to tolerate during a rollback (default 0)", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "rollback-monitor",           "duration",        "Duration after each task rollback to monitor for failure (ns|us|ms|s|m|h) (default 5s)", OPT_DURATION(struct ignored, number), OPT_SINCE(28) },
	{ 0,   "rollback-order",             "string",          "Rollback order (\"start-first\", \"stop-first\") (default \"stop-first\")", OPT_STR(struct ignored, word), OPT_SINCE(29) },
	{ 0,   "rollback-parallelism",       "uint",            "Maximum number of tasks rolled back simultaneously (0 to roll back all at once) (default 1)", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "secret",                     "secret",          "Specify secrets to expose to the service", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "stop-grace-period",          "duration",        "Time to wait before force killing a container (ns|us|ms|s|m|h) (default 10s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "stop-signal",                "string",          "Signal to stop the container", OPT_STR(struct ignored, word), OPT_SINCE(28) },
	{ 0,   "sysctl",                     "list",            "Sysctl options", OPT_LIST(struct ignored, words), OPT_SINCE(40) },
	{ 't', "tty",                        NULL,              "Allocate a pseudo-TTY", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "ulimit",                     "ulimit",          "Ulimit options (default [])", OPT_NOTHING(), OPT_SINCE(41) },
	{ 0,   "update-delay",               "duration",        "Delay between updates (ns|us|ms|s|m|h) (default 0s)", OPT_DURATION(struct ignored, number) },
	{ 0,   "update-failure-action",      "string",          "Action on update failure (\"pause\", \"continue\", \"rollback\") (default \"pause\")", OPT_STR(struct ignored, word) },
	{ 0,   "update-max-failure-ratio",   "float",           "Failure rate to tolerate during an update (default 0)", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "update-monitor",             "duration",        "Duration after each task update to monitor for failure (ns|us|ms|s|m|h) (default 5s)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "update-order",               "string",          "Update order (\"start-first\", \"stop-first\") (default \"stop-first\")", OPT_STR(struct ignored, word), OPT_SINCE(29) },
	{ 0,   "update-parallelism",         "uint",            "Maximum number of tasks updated simultaneously (0 to update all at once) (default 1)", OPT_NOTHING() },
	{ 'u', "user",                       "string",          "Username or UID (format: <name|uid>[:<group|gid>])", OPT_STR(struct ignored, word) },
	{ 0,   "with-registry-auth",         NULL,              "Send registry authentication details to swarm agents", OPT_FLAG(struct ignored, flag) },
	{ 'w', "workdir",                    "string",          "Working directory inside the container", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt service_logs_opts[] = {
	{ 0,   "details",     NULL,     "Show extra details provided to logs", OPT_FLAG(struct ignored, flag), OPT_SINCE(30) },
	{ 'f', "follow",      NULL,     "Follow log output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "no-resolve",  NULL,     "Do not map IDs to Names in output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "no-task-ids", NULL,     "Do not include task IDs in output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "no-trunc",    NULL,     "Do not truncate output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "raw",         NULL,     "Do not neatly format logs", OPT_FLAG(struct ignored, flag), OPT_SINCE(30) },
	{ 0,   "since",       "string", "Show logs since timestamp (e.g. \"2013-01-02T13:23:37Z\") or relative (e.g. \"42m\" for 42 minutes)", OPT_STR(struct ignored, word) },
	{ 'n', "tail",        "string", "Number of lines to show from the end of the logs (default \"all\")", OPT_STR(struct ignored, word) },
	{ 't', "timestamps",  NULL,     "Show timestamps", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt service_rollback_opts[] = {
	{ 'd', "detach", NULL,  "Exit immediately instead of waiting for the service to converge", OPT_FLAG(struct ignored, flag) },
	{ 'q', "quiet",  NULL,  "Suppress progress output", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt service_scale_opts[] = {
	{ 'd', "detach", NULL,  "Exit immediately instead of waiting for the service to converge", OPT_FLAG(struct ignored, flag), OPT_SINCE(29) },
	{ 0 },
};
static const struct opt service_update_opts[] = {
	{ 0,   "args",                       "command",         "Service command args", OPT_NOTHING() },
	{ 0,   "cap-add",                    "list",            "Add Linux capabilities", OPT_LIST(struct ignored, words), OPT_SINCE(41) },
	{ 0,   "cap-drop",                   "list",            "Drop Linux capabilities", OPT_LIST(struct ignored, words), OPT_SINCE(41) },
	{ 0,   "config-add",                 "config",          "Add or update a config file on a service", OPT_NOTHING(), OPT_SINCE(30) },
	{ 0,   "config-rm",                  "list",            "Remove a configuration file", OPT_LIST(struct ignored, words), OPT_SINCE(30) },
	{ 0,   "constraint-add",             "list",            "Add or update a placement constraint", OPT_LIST(struct ignored, words) },
	{ 0,   "constraint-rm",              "list",            "Remove a constraint", OPT_LIST(struct ignored, words) },
	{ 0,   "container-label-add",        "list",            "Add or update a container label", OPT_LIST(struct ignored, words) },
	{ 0,   "container-label-rm",         "list",            "Remove a container label by its key", OPT_LIST(struct ignored, words) },
	{ 0,   "credential-spec",            "credential-spec", "Credential spec for managed service account (Windows only)", OPT_NOTHING(), OPT_SINCE(29) },
	{ 'd', "detach",                     NULL,              "Exit immediately instead of waiting for the service to converge", OPT_FLAG(struct ignored, flag), OPT_SINCE(29) },
	{ 0,   "dns-add",                    "list",            "Add or update a custom DNS server", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-option-add",             "list",            "Add or update a DNS option", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-option-rm",              "list",            "Remove a DNS option", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-rm",                     "list",            "Remove a custom DNS server", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-search-add",             "list",            "Add or update a custom DNS search domain", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "dns-search-rm",              "list",            "Remove a DNS search domain", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "endpoint-mode",              "string",          "Endpoint mode (vip or dnsrr)", OPT_STR(struct ignored, word) },
	{ 0,   "entrypoint",                 "command",         "Overwrite the default ENTRYPOINT of the image", OPT_NOTHING() },
	{ 0,   "env-add",                    "list",            "Add or update an environment variable", OPT_LIST(struct ignored, words) },
	{ 0,   "env-rm",                     "list",            "Remove an environment variable", OPT_LIST(struct ignored, words) },
	{ 0,   "force",                      NULL,              "Force update even if no changes require it", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "generic-resource-add",       "list",            "Add a Generic resource", OPT_LIST(struct ignored, words) },
	{ 0,   "generic-resource-rm",        "list",            "Remove a Generic resource", OPT_LIST(struct ignored, words) },
	{ 0,   "group-add",                  "list",            "Add an additional supplementary user group to the container", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "group-rm",                   "list",            "Remove a previously added supplementary user group from the container", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "health-cmd",                 "string",          "Command to run to check health", OPT_STR(struct ignored, word), OPT_SINCE(25) },
	{ 0,   "health-interval",            "duration",        "Time between running the check (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "health-retries",             "int",             "Consecutive failures needed to report unhealthy", OPT_INT(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "health-start-interval",      "duration",        "Time between running the check during the start period (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(44) },
	{ 0,   "health-start-period",        "duration",        "Start period for the container to initialize before counting retries towards unstable (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(29) },
	{ 0,   "health-timeout",             "duration",        "Maximum time to allow one check to run (ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "host-add",                   "list",            "Add a custom host-to-IP mapping (\"host:ip\")", OPT_LIST(struct ignored, words), OPT_SINCE(32) },
	{ 0,   "host-rm",                    "list",            "Remove a custom host-to-IP mapping (\"host:ip\")", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "hostname",                   "string",          "Container hostname", OPT_STR(struct ignored, word), OPT_SINCE(25) },
	{ 0,   "image",                      "string",          "Service image tag", OPT_STR(struct ignored, word) },
	{ 0,   "init",                       NULL,              "Use an init inside each service container to forward signals and reap processes", OPT_FLAG(struct ignored, flag), OPT_SINCE(37) },
	{ 0,   "isolation",                  "string",          "Service container isolation mode", OPT_STR(struct ignored, word), OPT_SINCE(35) },
	{ 0,   "label-add",                  "list",            "Add or update a service label", OPT_LIST(struct ignored, words) },
	{ 0,   "label-rm",                   "list",            "Remove a label by its key", OPT_LIST(struct ignored, words) },
	{ 0,   "limit-cpu",                  "decimal",         "Limit CPUs", OPT_NOTHING() },
	{ 0,   "limit-memory",               "bytes",           "Limit Memory", OPT_BYTES(struct ignored, number) },
	{ 0,   "limit-pids",                 "int",             "Limit maximum number of processes (default 0 = unlimited)", OPT_INT(struct ignored, number), OPT_SINCE(41) },
	{ 0,   "log-driver",                 "string",          "Logging driver for service", OPT_STR(struct ignored, word) },
	{ 0,   "log-opt",                    "list",            "Logging driver options", OPT_LIST(struct ignored, words) },
	{ 0,   "max-concurrent",             "uint",            "Number of job tasks to run concurrently (default equal to --replicas)", OPT_NOTHING(), OPT_SINCE(41) },
	{ 0,   "mount-add",                  "mount",           "Add or update a mount on a service", OPT_NOTHING() },
	{ 0,   "mount-rm",                   "list",            "Remove a mount by its target path", OPT_LIST(struct ignored, words) },
	{ 0,   "network-add",                "network",         "Add a network", OPT_NOTHING(), OPT_SINCE(29) },
	{ 0,   "network-rm",                 "list",            "Remove a network", OPT_LIST(struct ignored, words), OPT_SINCE(29) },
	{ 0,   "no-healthcheck",             NULL,              "Disable any container-specified HEALTHCHECK", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "no-resolve-image",           NULL,              "Do not query the registry to resolve image digest and supported platforms", OPT_FLAG(struct ignored, flag), OPT_SINCE(30) },
	{ 0,   "oom-score-adj",              "int",             "Tune host's OOM preferences (-1000 to 1000) ", OPT_INT(struct ignored, number), OPT_SINCE(46) },
	{ 0,   "placement-pref-add",         "pref",            "Add a placement preference", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "placement-pref-rm",          "pref",            "Remove a placement preference", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "publish-add",                "port",            "Add or update a published port", OPT_NOTHING() },
	{ 0,   "publish-rm",                 "port",            "Remove a published port by its target port", OPT_NOTHING() },
	{ 'q', "quiet",                      NULL,              "Suppress progress output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "read-only",                  NULL,              "Mount the container's root filesystem as read only", OPT_FLAG(struct ignored, flag), OPT_SINCE(28) },
	{ 0,   "replicas",                   "uint",            "Number of tasks", OPT_NOTHING() },
	{ 0,   "replicas-max-per-node",      "uint",            "Maximum number of tasks per node (default 0 = unlimited)", OPT_NOTHING(), OPT_SINCE(40) },
	{ 0,   "reserve-cpu",                "decimal",         "Reserve CPUs", OPT_NOTHING() },
	{ 0,   "reserve-memory",             "bytes",           "Reserve Memory", OPT_BYTES(struct ignored, number) },
	{ 0,   "restart-condition",          "string",          "Restart when condition is met (\"none\", \"on-failure\", \"any\")", OPT_STR(struct ignored, word) },
	{ 0,   "restart-delay",              "duration",        "Delay between restart attempts (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number) },
	{ 0,   "restart-max-attempts",       "uint",            "Maximum number of restarts before giving up", OPT_NOTHING() },
	{ 0,   "restart-window",             "duration",        "Window used to evaluate the restart policy (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number) },
	{ 0,   "rollback",                   NULL,              "Rollback to previous specification", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "rollback-delay",             "duration",        "Delay between task rollbacks (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(28) },
	{ 0,   "rollback-failure-action",    "string",          "Action on rollback failure (\"pause\", \"continue\")", OPT_STR(struct ignored, word), OPT_SINCE(28) },
	{ 0,   "rollback-max-failure-ratio", "float",           "Failure rate to tolerate during a rollback", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "rollback-monitor",           "duration",        "Duration after each task rollback to monitor for failure (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(28) },
	{ 0,   "rollback-order",             "string",          "Rollback order (\"start-first\", \"stop-first\")", OPT_STR(struct ignored, word), OPT_SINCE(29) },
	{ 0,   "rollback-parallelism",       "uint",            "Maximum number of tasks rolled back simultaneously (0 to roll back all at once)", OPT_NOTHING(), OPT_SINCE(28) },
	{ 0,   "secret-add",                 "secret",          "Add or update a secret on a service", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "secret-rm",                  "list",            "Remove a secret", OPT_LIST(struct ignored, words), OPT_SINCE(25) },
	{ 0,   "stop-grace-period",          "duration",        "Time to wait before force killing a container (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number) },
	{ 0,   "stop-signal",                "string",          "Signal to stop the container", OPT_STR(struct ignored, word), OPT_SINCE(28) },
	{ 0,   "sysctl-add",                 "list",            "Add or update a Sysctl option", OPT_LIST(struct ignored, words), OPT_SINCE(40) },
	{ 0,   "sysctl-rm",                  "list",            "Remove a Sysctl option", OPT_LIST(struct ignored, words), OPT_SINCE(40) },
	{ 't', "tty",                        NULL,              "Allocate a pseudo-TTY", OPT_FLAG(struct ignored, flag), OPT_SINCE(25) },
	{ 0,   "ulimit-add",                 "ulimit",          "Add or update a ulimit option (default [])", OPT_NOTHING(), OPT_SINCE(41) },
	{ 0,   "ulimit-rm",                  "list",            "Remove a ulimit option", OPT_LIST(struct ignored, words), OPT_SINCE(41) },
	{ 0,   "update-delay",               "duration",        "Delay between updates (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number) },
	{ 0,   "update-failure-action",      "string",          "Action on update failure (\"pause\", \"continue\", \"rollback\")", OPT_STR(struct ignored, word) },
	{ 0,   "update-max-failure-ratio",   "float",           "Failure rate to tolerate during an update", OPT_NOTHING(), OPT_SINCE(25) },
	{ 0,   "update-monitor",             "duration",        "Duration after each task update to monitor for failure (ns|us|ms|s|m|h)", OPT_DURATION(struct ignored, number), OPT_SINCE(25) },
	{ 0,   "update-order",               "string",          "Update order (\"start-first\", \"stop-first\")", OPT_STR(struct ignored, word), OPT_SINCE(29) },
	{ 0,   "update-parallelism",         "uint",            "Maximum number of tasks updated simultaneously (0 to update all at once)", OPT_NOTHING() },
	{ 'u', "user",                       "string",          "Username or UID (format: <name|uid>[:<group|gid>])", OPT_STR(struct ignored, word) },
	{ 0,   "with-registry-auth",         NULL,              "Send registry authentication details to swarm agents", OPT_FLAG(struct ignored, flag) },
	{ 'w', "workdir",                    "string",          "Working directory inside the container", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt stack_config_opts[] = {
	{ 'c', "compose-file",       "strings", "Path to a Compose file, or \"-\" to read from stdin", OPT_LIST(struct ignored, words) },
	{ 0,   "skip-interpolation", NULL,      "Skip interpolation and output only merged config", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt stack_deploy_opts[] = {
	{ 'c', "compose-file",       "strings", "Path to a Compose file, or \"-\" to read from stdin", OPT_LIST(struct ignored, words) },
	{ 'd', "detach",             NULL,      "Exit immediately instead of waiting for the stack services to converge (default true)", OPT_FLAG(struct ignored, flag) },
	{ 0,   "prune",              NULL,      "Prune services that are no longer referenced", OPT_FLAG(struct ignored, flag) },
	{ 'q', "quiet",              NULL,      "Suppress progress output", OPT_FLAG(struct ignored, flag) },
	{ 0,   "resolve-image",      "string",  "Query the registry to resolve image digest and supported platforms (\"always\", \"changed\", \"never\") (default \"always\")", OPT_STR(struct ignored, word) },
	{ 0,   "with-registry-auth", NULL,      "Send registry authentication details to Swarm agents", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt stack_ls_opts[] = {
	{ 0,   "format", "string", FORMAT_HELP, OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt stack_ps_opts[] = {
	{ 'f', "filter",     "filter", "Filter output based on conditions provided", OPT_NOTHING() },
	{ 0,   "format",     "string", FORMAT_HELP, OPT_STR(struct ignored, word) },
	{ 0,   "no-resolve", NULL,     "Do not map IDs to Names", OPT_FLAG(struct ignored, flag) },
	{ 0,   "no-trunc",   NULL,     "Do not truncate output", OPT_FLAG(struct ignored, flag) },
	{ 'q', "quiet",      NULL,     "Only display task IDs", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt stack_rm_opts[] = {
	{ 'd', "detach", NULL,  "Do not wait for stack removal (default true)", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt secret_create_opts[] = {
	{ 'd', "driver",          "string", "Secret driver", OPT_STR(struct ignored, word), OPT_SINCE(31) },
	{ 'l', "label",           "list",   "Secret labels", OPT_LIST(struct ignored, words) },
	{ 0,   "template-driver", "string", "Template driver", OPT_STR(struct ignored, word), OPT_SINCE(37) },
	{ 0 },
};
static const struct opt config_create_opts[] = {
	{ 'l', "label",           "list",   "Config labels", OPT_LIST(struct ignored, words) },
	{ 0,   "template-driver", "string", "Template driver", OPT_STR(struct ignored, word), OPT_SINCE(37) },
	{ 0 },
};
static const struct opt trust_key_generate_opts[] = {
	{ 0,   "dir", "string", "Directory to generate key in, defaults to current directory", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt trust_key_load_opts[] = {
	{ 0,   "name", "string", "Name for the loaded key (default \"signer\")", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt trust_signer_add_opts[] = {
	{ 0,   "key", "list", "Path to the signer's public key file", OPT_LIST(struct ignored, words) },
	{ 0 },
};
static const struct opt trust_signer_remove_opts[] = {
	{ 'f', "force", NULL,  "Do not prompt for confirmation before removing the most recent signer", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt trust_inspect_opts[] = {
	{ 0,   "pretty", NULL,  "Print the information in a human friendly format", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt trust_revoke_opts[] = {
	{ 'y', "yes", NULL,  "Do not prompt for confirmation", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt trust_sign_opts[] = {
	{ 0,   "local", NULL,  "Sign a locally tagged image", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt manifest_annotate_opts[] = {
	{ 0,   "arch",        "string",  "Set architecture", OPT_STR(struct ignored, word) },
	{ 0,   "os",          "string",  "Set operating system", OPT_STR(struct ignored, word) },
	{ 0,   "os-features", "strings", "Set operating system feature", OPT_LIST(struct ignored, words) },
	{ 0,   "os-version",  "string",  "Set operating system version", OPT_STR(struct ignored, word) },
	{ 0,   "variant",     "string",  "Set architecture variant", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct opt manifest_create_opts[] = {
	{ 'a', "amend",    NULL,  "Amend an existing manifest list", OPT_FLAG(struct ignored, flag) },
	{ 0,   "insecure", NULL,  "Allow communication with an insecure registry", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt manifest_inspect_opts[] = {
	{ 0,   "insecure", NULL,  "Allow communication with an insecure registry", OPT_FLAG(struct ignored, flag) },
	{ 'v', "verbose",  NULL,  "Output additional info including layers and platform", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt manifest_push_opts[] = {
	{ 0,   "insecure", NULL,  "Allow push to an insecure registry", OPT_FLAG(struct ignored, flag) },
	{ 'p', "purge",    NULL,  "Remove the local manifest list after push", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt checkpoint_create_opts[] = {
	{ 0,   "checkpoint-dir", "string", "Use a custom checkpoint storage directory", OPT_STR(struct ignored, word) },
	{ 0,   "leave-running",  NULL,     "Leave the container running after checkpoint", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
static const struct opt checkpoint_ls_opts[] = {
	{ 0,   "checkpoint-dir", "string", "Use a custom checkpoint storage directory", OPT_STR(struct ignored, word) },
	{ 0 },
};
const struct opt plugin_create_opts[] = {
	{ 0,   "compress", NULL,  "Compress the context using gzip", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
const struct opt plugin_install_opts[] = {
	{ 0,   "alias",                 "string", "Local name for plugin", OPT_STR(struct ignored, word) },
	{ 0,   "disable",               NULL,     "Do not enable the plugin on install", OPT_FLAG(struct ignored, flag) },
	{ 0,   "disable-content-trust", NULL,     "Skip image verification (default true)", OPT_FLAG(struct ignored, flag) },
	{ 0,   "grant-all-permissions", NULL,     "Grant all permissions necessary to run the plugin", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
const struct opt plugin_push_opts[] = {
	{ 0,   "disable-content-trust", NULL,  "Skip image signing (default true)", OPT_FLAG(struct ignored, flag) },
	{ 0 },
};
const struct opt volume_update_opts[] = {
	{ 0,   "availability", "string", "Cluster Volume availability (\"active\", \"pause\", \"drain\") (default \"active\")", OPT_STR(struct ignored, word) },
	{ 0 },
};
static const struct command trust_key_members[] = {
	MEMBER("trust key generate", "NAME", "Generate and load a signing key-pair", NULL, 1, 1, trust_key_generate_opts),
	MEMBER("trust key load", "[OPTIONS] KEYFILE", "Load a private key file for signing", NULL, 1, 1, trust_key_load_opts),
	{0},
};
static const struct command trust_signer_members[] = {
	MEMBER("trust signer add", "OPTIONS NAME REPOSITORY [REPOSITORY...] ", "Add a signer", NULL, 2, -1, trust_signer_add_opts),
	MEMBER("trust signer remove", "[OPTIONS] NAME REPOSITORY [REPOSITORY...]", "Remove a signer", NULL, 2, -1, trust_signer_remove_opts),
	{0},
};
const struct command swarm_members[] = {
	MEMBER_SINCE(30, "swarm ca", "[OPTIONS]", "Display and rotate the root CA", NULL, 0, 0, swarm_ca_opts),
	MEMBER("swarm init", "[OPTIONS]", "Initialize a swarm", NULL, 0, 0, swarm_init_opts),
	MEMBER("swarm join", "[OPTIONS] HOST:PORT", "Join a swarm as a node and/or manager", NULL, 1, 1, swarm_join_opts),
	MEMBER("swarm join-token", "[OPTIONS] (worker|manager)", "Manage join tokens", NULL, 1, 1, swarm_join_token_opts),
	MEMBER("swarm leave", "[OPTIONS]", "Leave the swarm", NULL, 0, 0, swarm_leave_opts),
	MEMBER("swarm unlock", "", "Unlock swarm", NULL, 0, 0, NULL),
	MEMBER("swarm unlock-key", "[OPTIONS]", "Manage the unlock key", NULL, 0, 0, swarm_unlock_key_opts),
	MEMBER("swarm update", "[OPTIONS]", "Update the swarm", NULL, 0, 0, swarm_update_opts),
	{0},
};
const struct command node_members[] = {
	MEMBER("node demote", "NODE [NODE...]", "Demote one or more nodes from manager in the swarm", NULL, 1, -1, NULL),
	MEMBER("node inspect", "[OPTIONS] self|NODE [NODE...]", "Display detailed information on one or more nodes", NULL, 1, -1, inspect_opts),
	MEMBER("node ls", "[OPTIONS]", "List nodes in the swarm", "docker node ls, docker node list", 0, 0, ls_opts),
	MEMBER("node promote", "NODE [NODE...]", "Promote one or more nodes to manager in the swarm", NULL, 1, -1, NULL),
	MEMBER("node ps", "[OPTIONS] [NODE...]", "List tasks running on one or more nodes, defaults to current node", NULL, 0, -1, tasks_opts),
	MEMBER("node rm", "[OPTIONS] NODE [NODE...]", "Remove one or more nodes from the swarm", "docker node rm, docker node remove", 1, -1, node_rm_opts),
	MEMBER("node update", "[OPTIONS] NODE", "Update a node", NULL, 1, 1, node_update_opts),
	{0},
};
const struct command service_members[] = {
	MEMBER("service create", "[OPTIONS] IMAGE [COMMAND] [ARG...]", "Create a new service", NULL, 1, -1, service_create_opts),
	MEMBER("service inspect", "[OPTIONS] SERVICE [SERVICE...]", "Display detailed information on one or more services", NULL, 1, -1, inspect_opts),
	MEMBER_SINCE(29, "service logs", "[OPTIONS] SERVICE|TASK", "Fetch the logs of a service or task", NULL, 1, 1, service_logs_opts),
	MEMBER("service ls", "[OPTIONS]", "List services", "docker service ls, docker service list", 0, 0, ls_opts),
	MEMBER("service ps", "[OPTIONS] SERVICE [SERVICE...]", "List the tasks of one or more services", NULL, 1, -1, tasks_opts),
	MEMBER("service rm", "SERVICE [SERVICE...]", "Remove one or more services", "docker service rm, docker service remove", 1, -1, NULL),
	MEMBER_SINCE(31, "service rollback", "[OPTIONS] SERVICE", "Revert changes to a service's configuration", NULL, 1, 1, service_rollback_opts),
	MEMBER("service scale", "SERVICE=REPLICAS [SERVICE=REPLICAS...]", "Scale one or multiple replicated services", NULL, 1, -1, service_scale_opts),
	MEMBER("service update", "[OPTIONS] SERVICE", "Update a service", NULL, 1, 1, service_update_opts),
	{0},
};
const struct command stack_members[] = {
	MEMBER("stack config", "[OPTIONS]", "Outputs the final config file, after doing merges and interpolations", NULL, 0, 0, stack_config_opts),
	MEMBER("stack deploy", "[OPTIONS] STACK", "Deploy a new stack or update an existing stack", "docker stack deploy, docker stack up", 1, 1, stack_deploy_opts),
	MEMBER("stack ls", "[OPTIONS]", "List stacks", "docker stack ls, docker stack list", 0, 0, stack_ls_opts),
	MEMBER("stack ps", "[OPTIONS] STACK", "List the tasks in the stack", NULL, 1, 1, stack_ps_opts),
	MEMBER("stack rm", "[OPTIONS] STACK [STACK...]", "Remove one or more stacks", "docker stack rm, docker stack remove, docker stack down", 1, -1, stack_rm_opts),
	MEMBER("stack services", "[OPTIONS] STACK", "List the services in the stack", NULL, 1, 1, ls_opts),
	{0},
};
const struct command secret_members[] = {
	MEMBER("secret create", "[OPTIONS] SECRET [file|-]", "Create a secret from a file or STDIN as content", NULL, 1, 2, secret_create_opts),
	MEMBER("secret inspect", "[OPTIONS] SECRET [SECRET...]", "Display detailed information on one or more secrets", NULL, 1, -1, inspect_opts),
	MEMBER("secret ls", "[OPTIONS]", "List secrets", "docker secret ls, docker secret list", 0, 0, ls_opts),
	MEMBER("secret rm", "SECRET [SECRET...]", "Remove one or more secrets", "docker secret rm, docker secret remove", 1, -1, NULL),
	{0},
};
const struct command config_members[] = {
	MEMBER("config create", "[OPTIONS] CONFIG file|-", "Create a config from a file or STDIN", NULL, 2, 2, config_create_opts),
	MEMBER("config inspect", "[OPTIONS] CONFIG [CONFIG...]", "Display detailed information on one or more configs", NULL, 1, -1, inspect_opts),
	MEMBER("config ls", "[OPTIONS]", "List configs", "docker config ls, docker config list", 0, 0, ls_opts),
	MEMBER("config rm", "CONFIG [CONFIG...]", "Remove one or more configs", "docker config rm, docker config remove", 1, -1, NULL),
	{0},
};
const struct command trust_members[] = {
	SUBGROUP("trust key", "Manage keys for signing Docker images", trust_key_members),
	SUBGROUP("trust signer", "Manage entities who can sign Docker images", trust_signer_members),
	MEMBER("trust inspect", "IMAGE[:TAG] [IMAGE[:TAG]...]", "Return low-level information about keys and signatures", NULL, 1, -1, trust_inspect_opts),
	MEMBER("trust revoke", "[OPTIONS] IMAGE[:TAG]", "Remove trust for an image", NULL, 1, 1, trust_revoke_opts),
	MEMBER("trust sign", "IMAGE:TAG", "Sign an image", NULL, 1, 1, trust_sign_opts),
	{0},
};
const struct command manifest_members[] = {
	MEMBER("manifest annotate", "[OPTIONS] MANIFEST_LIST MANIFEST", "Add additional information to a local image manifest", NULL, 2, 2, manifest_annotate_opts),
	MEMBER("manifest create", "MANIFEST_LIST MANIFEST [MANIFEST...]", "Create a local manifest list for annotating and pushing to a registry", NULL, 2, -1, manifest_create_opts),
	MEMBER("manifest inspect", "[OPTIONS] [MANIFEST_LIST] MANIFEST", "Display an image manifest, or manifest list", NULL, 1, 2, manifest_inspect_opts),
	MEMBER("manifest push", "[OPTIONS] MANIFEST_LIST", "Push a manifest list to a repository", NULL, 1, 1, manifest_push_opts),
	MEMBER("manifest rm", "MANIFEST_LIST [MANIFEST_LIST...]", "Delete one or more manifest lists from local storage", NULL, 1, -1, NULL),
	{0},
};
const struct command checkpoint_members[] = {
	MEMBER("checkpoint create", "[OPTIONS] CONTAINER CHECKPOINT", "Create a checkpoint from a running container", NULL, 2, 2, checkpoint_create_opts),
	MEMBER("checkpoint ls", "[OPTIONS] CONTAINER", "List checkpoints for a container", "docker checkpoint ls, docker checkpoint list", 1, 1, checkpoint_ls_opts),
	MEMBER("checkpoint rm", "[OPTIONS] CONTAINER CHECKPOINT", "Remove a checkpoint", "docker checkpoint rm, docker checkpoint remove", 2, 2, checkpoint_ls_opts),
	{0},
};
/* clang-format on */
