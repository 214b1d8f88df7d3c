/* SPDX-License-Identifier: Apache-2.0 */
/* spec_check: docker's defaults, and the checks that its daemon makes of a request. */
#include "caps.h"
#include "parse.h"
#include "spec.h"
#include "spec_rows.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#define MB        ((int64_t)1 << 20)
#define NS_PER_MS ((int64_t)1000000)

static bool given(int64_t v)
{
	return v != SPEC_UNSET && v != 0;
}

static int check_name(const struct spec *s, struct err *e)
{
	/* docker's own names begin with a slash; it stays in the words about one that is none */
	const char *name = s->name && *s->name == '/' ? s->name + 1 : s->name;
	bool good = !name || strlen(name) > 1;

	for (size_t i = 0; good && name && name[i]; i++)
		good = isalnum((unsigned char)name[i]) || (i > 0 && strchr("_.-", name[i]));
	if (!good)
		return err_set(e, ERR_USAGE,
			"Invalid container name (%s), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
			s->name);
	return 0;
}

int spec_check_memory(const struct spec *s, struct err *e)
{
	if (given(s->memory) && s->memory < 6 * MB)
		return err_set(e, ERR_USAGE, "Minimum memory limit allowed is 6MB");
	if (given(s->memory) && s->memory_swap > 0 && s->memory_swap < s->memory)
		return err_set(e, ERR_USAGE,
			"Minimum memoryswap limit should be larger than memory limit, see usage");
	if (!given(s->memory) && s->memory_swap > 0)
		return err_set(e, ERR_USAGE,
			"You should always set the Memory limit when using Memoryswap limit, see usage");
	if (given(s->memory_swappiness) && (s->memory_swappiness < -1 || s->memory_swappiness > 100))
		return err_set(e, ERR_USAGE, "Invalid value: %lld, valid memory swappiness range is 0-100",
			(long long)s->memory_swappiness);
	if (s->memory_reservation > 0 && s->memory_reservation < 6 * MB)
		return err_set(e, ERR_USAGE, "Minimum memory reservation allowed is 6MB");
	if (given(s->memory) && s->memory_reservation > 0 && s->memory < s->memory_reservation)
		return err_set(e, ERR_USAGE,
			"Minimum memory limit can not be less than memory reservation limit, see usage");
	if (given(s->shm_size) && s->shm_size < 0)
		return err_set(e, ERR_USAGE, "SHM size can not be less than 0");
	return 0;
}

/* One of a list's numbers: moves behind it. */
static bool list_number(const char **s, long *out)
{
	size_t n = strspn(*s, "0123456789");

	errno = 0;
	*out = strtol(*s, NULL, 10);
	*s += n;
	return n && errno == 0;
}

/* "0-3,5": ranges of numbers which rise; docker asks the kernel for the rest. highest: of all. */
static bool is_cpu_list(const char *s, long *highest)
{
	*highest = 0;
	while (*s) {
		long first, last;

		if (!list_number(&s, &first))
			return false;
		last = first;
		if (*s == '-' && (s++, !list_number(&s, &last) || last < first))
			return false;
		*highest = last > *highest ? last : *highest;
		if (*s == ',' && s[1])
			s++;
		else if (*s)
			return false;
	}
	return true;
}

#define HIGHEST_CPU 8192 /* of Linux's usual configuration; docker's bound */

static int check_cpu_list(const char *list, const char *what, struct err *e)
{
	long highest;

	if (!list)
		return 0;
	if (!is_cpu_list(list, &highest))
		return err_set(e, ERR_USAGE, "Invalid value %s for cpuset %s: invalid format: %s",
			list, what, list);
	if (highest > HIGHEST_CPU)
		return err_set(e, ERR_USAGE,
			"Invalid value %s for cpuset %s: value of out range, maximum is %d", list,
			what, HIGHEST_CPU);
	return 0;
}

static int check_cpu(const struct spec *s, struct err *e)
{
	if (given(s->cpu_rt_period) || given(s->cpu_rt_runtime))
		return err_set(e, ERR_USAGE, "kernel does not support CPU real-time scheduler");
	if (s->nano_cpus > 0 && s->cpu_period > 0)
		return err_set(e, ERR_USAGE,
			"Conflicting options: Nano CPUs and CPU Period cannot both be set");
	if (s->nano_cpus > 0 && s->cpu_quota > 0)
		return err_set(e, ERR_USAGE,
			"Conflicting options: Nano CPUs and CPU Quota cannot both be set");
	/* Docker refuses more than the machine has; here that is a limit which never bites. */
	if (given(s->nano_cpus) && s->nano_cpus < 0)
		return err_set(e, ERR_USAGE,
			"range of CPUs is from 0.01 to %ld.00, as there are only %ld CPUs available",
			sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_ONLN));
	if (given(s->cpu_period) && (s->cpu_period < 1000 || s->cpu_period > 1000000))
		return err_set(e, ERR_USAGE,
			"CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. "
			"1000000)");
	if (given(s->cpu_quota) && s->cpu_quota > 0 && s->cpu_quota < 1000)
		return err_set(e, ERR_USAGE, "CPU cfs quota can not be less than 1ms (i.e. 1000)");
	if (check_cpu_list(s->cpuset_cpus, "cpus", e) < 0 ||
		check_cpu_list(s->cpuset_mems, "mems", e) < 0)
		return -1;
	if (given(s->oom_score_adj) && (s->oom_score_adj < -1000 || s->oom_score_adj > 1000))
		return err_set(e, ERR_USAGE,
			"Invalid value %lld, range for oom score adj is [-1000, 1000]",
			(long long)s->oom_score_adj);
	return 0;
}

static int check_restart(const struct spec *s, struct err *e)
{
	static const char *const policies[] = {"no", "always", "on-failure", "unless-stopped"};
	const char *policy = s->restart && *s->restart ? s->restart : "no";
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(policies); i++)
		known |= str_eq(policies[i], policy);
	if (!known)
		return err_set(e, ERR_USAGE, "invalid restart policy '%s'", policy);
	/* one without a name keeps its count, and is none */
	if (given(s->restart_max) && s->restart && *s->restart && !str_eq(policy, "on-failure"))
		return err_set(e, ERR_USAGE,
			"maximum retry count cannot be used with restart policy '%s'", policy);
	if (given(s->restart_max) && s->restart_max < 0)
		return err_set(e, ERR_USAGE, "maximum retry count cannot be negative");
	if (s->auto_remove && !str_eq(policy, "no"))
		return err_set(e, ERR_USAGE, "can't create 'AutoRemove' container with restart policy");
	return 0;
}

static int check_names(const struct spec *s, struct err *e)
{
	if (s->hostname && *s->hostname && !parse_hostname_ok(s->hostname))
		return err_set(e, ERR_USAGE, "invalid hostname format: %s", s->hostname);
	if (s->domainname && !parse_hostname_ok(s->domainname))
		return err_set(e, ERR_USAGE, "invalid domainname format: %s", s->domainname);
	if (s->mac_address && *s->mac_address && !parse_mac_ok(s->mac_address))
		return err_set(e, ERR_USAGE, "invalid MAC address: %s", s->mac_address);
	return 0;
}

/* What does not go with the network of another container, or of the machine. */
static int check_shared_network(const struct spec *s, struct err *e)
{
	bool other = s->network && str_starts(s->network, "container:");
	bool host = str_eq(s->network, "host");

	if (str_eq(s->network, "container") || (other && !s->network[strlen("container:")]))
		return err_set(e, ERR_USAGE,
			"Invalid network mode: invalid container format container:<name|id>");
	if (other && s->hostname && *s->hostname)
		return err_set(e, ERR_USAGE, "conflicting options: hostname and the network mode");
	if ((other || host) && s->links.n)
		return err_set(e, ERR_USAGE,
			"conflicting options: %s can't be used with links. This would result in "
			"undefined behavior",
			host ? "host type networking" : "container type network");
	if (other && s->dns.n)
		return err_set(e, ERR_USAGE, "conflicting options: dns and the network mode");
	if (other && s->extra_hosts.n)
		return err_set(e, ERR_USAGE,
			"conflicting options: custom host-to-IP mapping and the network mode");
	if ((other || host) && s->mac_address && *s->mac_address)
		return err_set(e, ERR_USAGE, "conflicting options: mac-address and the network mode");
	if (other && (s->ports.n || s->publish_all))
		return err_set(e, ERR_USAGE,
			"conflicting options: port publishing and the container type network mode");
	if (other && s->exposed.n)
		return err_set(e, ERR_USAGE,
			"conflicting options: port exposing and the container type network mode");
	return 0;
}

static const char *own_address(const json_t *endpoint, bool v6)
{
	return json_str(json_object_get(endpoint, "IPAMConfig"), v6 ? "IPv6Address" : "IPv4Address", "");
}

static int check_address(const json_t *endpoint, bool v6, struct err *e)
{
	const char *address = own_address(endpoint, v6);
	unsigned char bytes[16];

	if (!*address || inet_pton(v6 ? AF_INET6 : AF_INET, address, bytes) == 1)
		return 0;
	return err_set(e, ERR_USAGE, "invalid IPv%d address: %.100s", v6 ? 6 : 4, address);
}

static bool is_address(const char *word)
{
	static const unsigned char none[16];
	unsigned char bytes[16] = {0};
	bool known = inet_pton(AF_INET, word, bytes) == 1 || inet_pton(AF_INET6, word, bytes) == 1;

	return known && memcmp(bytes, none, sizeof(none)) != 0;
}

static int check_link_local(const json_t *endpoint, struct err *e)
{
	const json_t *all = json_object_get(json_object_get(endpoint, "IPAMConfig"), "LinkLocalIPs"), *v;
	size_t i;

	json_array_foreach(all, i, v)
	{
		if (json_is_string(v) && !is_address(json_string_value(v)))
			return err_set(e, ERR_USAGE, "invalid link-local IP address: %.100s",
				json_string_value(v));
	}
	return 0;
}

static int check_network(const struct spec *s, struct err *e)
{
	const char *network;
	const json_t *endpoint;

	if (check_names(s, e) < 0 || check_shared_network(s, e) < 0)
		return -1;
	if (s->hostname && *s->hostname && str_eq(s->uts_mode, "host"))
		return err_set(e, ERR_USAGE, "conflicting options: hostname and the UTS mode");
	json_object_foreach(s->endpoints, network,
		endpoint) if (check_address(endpoint, false, e) < 0 ||
			      check_address(endpoint, true, e) < 0) return -1;
	return 0;
}

/* Docker checks these when it has found the image. */
static int check_endpoints(const struct spec *s, struct err *e)
{
	bool own = parse_network_is_own(s->network);
	const char *network;
	const json_t *endpoint;

	json_object_foreach(s->endpoints, network, endpoint)
	{
		if (!own && (*own_address(endpoint, false) || *own_address(endpoint, true)))
			return err_set(e, ERR_USAGE,
				"user specified IP address is supported on user defined networks only");
		if (check_link_local(endpoint, e) < 0)
			return -1;
	}
	return 0;
}

/* Checks values that become lines in the container's hosts or resolv.conf, or a write to a kernel file. Docker lets a
 * user who may only give a name add lines of his own that way. */
static int check_lines(const struct spec *s, struct err *e)
{
	const struct {
		const char *option;
		const struct strv *words;
	} lists[] = {{"--add-host", &s->extra_hosts}, {"--dns", &s->dns},
		{"--dns-search", &s->dns_search}, {"--dns-option", &s->dns_options},
		{"--sysctl", &s->sysctls}};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (size_t k = 0; k < lists[i].words->n; k++)
			if (strpbrk(lists[i].words->v[k], "\n\r"))
				return err_set(e, ERR_USAGE, "%s: a line ends in \"%s\"",
					lists[i].option, lists[i].words->v[k]);
	return 0;
}

/* Modes from the API; the command line has checked them already. */
static int check_modes(const struct spec *s, struct err *e)
{
	struct err ignored;

	if (s->pid_mode && parse_pid_mode(s->pid_mode, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid PID mode: %s", s->pid_mode);
	if (s->uts_mode && parse_uts_mode(s->uts_mode, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid UTS mode: %s", s->uts_mode);
	if (s->userns_mode && parse_userns_mode(s->userns_mode, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid user namespace mode: %s", s->userns_mode);
	if (s->cgroupns_mode && parse_cgroupns_mode(s->cgroupns_mode, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid cgroup namespace mode: %s", s->cgroupns_mode);
	return s->ipc_mode ? parse_ipc_mode(s->ipc_mode, e) : 0;
}

static int check_rights(const struct spec *s, struct err *e)
{
	/* Other runtimes promise another kind of isolation, which must not be taken for given. */
	static const char *const runtimes[] = {"", "sbx", "runc", "crun", "io.containerd.runc.v2"};
	bool known = !s->runtime;
	uint64_t caps;

	for (size_t i = 0; i < ARRAY_LEN(runtimes); i++)
		known |= str_eq(runtimes[i], s->runtime);
	if (s->isolation && *s->isolation && !str_eq(s->isolation, "default"))
		return err_set(e, ERR_USAGE, "Invalid isolation: %s - linux only supports 'default'",
			QUOTED(s->isolation));
	if (!known)
		return err_set(e, ERR_USAGE, "unknown or invalid runtime name: %s", s->runtime);
	for (size_t i = 0; i < s->sysctls.n; i++)
		if (parse_sysctl(s->sysctls.v[i], e) < 0)
			return -1;
	for (size_t i = 0; i < s->device_cgroup_rules.n; i++)
		if (parse_device_rule(s->device_cgroup_rules.v[i], e) < 0)
			return -1;
	return caps_resolve(&s->cap_add, &s->cap_drop, s->privileged, &caps, e);
}

static int check_health(const struct spec_health *h, struct err *e)
{
	const struct {
		const char *name;
		int64_t ns;
	} times[] = {{"Interval", h->interval_ns}, {"Timeout", h->timeout_ns},
		{"StartPeriod", h->start_period_ns}, {"StartInterval", h->start_interval_ns}};

	if (h->test.n && str_eq(h->test.v[0], "NONE"))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		if (given(times[i].ns) && times[i].ns < NS_PER_MS)
			return err_set(e, ERR_USAGE, "%s in Healthcheck cannot be less than 1ms",
				times[i].name);
	if (given(h->retries) && h->retries < 0)
		return err_set(e, ERR_USAGE, "Retries in Healthcheck cannot be negative");
	return 0;
}

static int check_env(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->env.n; i++)
		if (parse_env(s->env.v[i], e) < 0)
			return -1;
	return 0;
}

int64_t spec_storage(const struct spec *s)
{
	struct err ignored;
	int64_t n = 0;

	for (size_t i = 0; i < s->storage_opt.n; i++)
		if (str_starts(s->storage_opt.v[i], "size="))
			(void)parse_bytes(s->storage_opt.v[i] + strlen("size="), &n, &ignored); /* checked */
	return n > 0 ? n : 0;
}

static int check_storage(const struct spec *s, struct err *e)
{
	struct err ignored;
	int64_t n;

	for (size_t i = 0; i < s->storage_opt.n; i++) {
		const char *word = s->storage_opt.v[i], *value = strchr(word, '=');

		if (!str_starts(word, "size="))
			return err_set(e, ERR_USAGE, "Unknown option %.*s", (int)strcspn(word, "="), word);
		if (parse_bytes(value + 1, &n, &ignored) < 0 || n < 0)
			return err_set(e, ERR_USAGE, "invalid size: '%s'", value + 1);
	}
	return 0;
}

static int check_volumes_from(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->volumes_from.n; i++) {
		const char *word = s->volumes_from.v[i], *mode = strchr(word, ':');

		if (!*word)
			return err_set(e, ERR_USAGE,
				"volumes-from specification cannot be an empty string");
		if (mode && !parse_mode_from_ok(mode + 1))
			return err_set(e, ERR_USAGE, "invalid mode: %s", mode + 1);
	}
	return 0;
}

static int check_ours(const struct spec *s, struct err *e)
{
	const char *action = s->output_limit_action, *ids = s->ids;
	const struct {
		const char *option;
		int64_t ns;
	} times[] = {{"--timeout", s->timeout_ns}, {"--kill-after", s->kill_after_ns},
		{"--cpu-time", s->cpu_time_ns}};

	if (action && !str_eq(action, "drop") && !str_eq(action, "kill"))
		return err_set(e, ERR_USAGE, "--output-limit-action %s: must be drop or kill", action);
	if (ids && !str_eq(ids, "auto") && !str_eq(ids, "one") && !str_eq(ids, "range"))
		return err_set(e, ERR_USAGE, "--ids %s: must be auto, one or range", ids);
	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		if (given(times[i].ns) && times[i].ns < 0)
			return err_set(e, ERR_USAGE, "%s: a limit of time cannot be negative",
				times[i].option);
	return 0;
}

static int check_hosts(const struct spec *s, struct err *e)
{
	auto_strv struct strv unused = {0};

	for (size_t i = 0; i < s->extra_hosts.n; i++)
		if (parse_add_host(s->extra_hosts.v[i], &unused, e) < 0)
			return -1;
	for (size_t i = 0; i < s->links.n; i++)
		if (parse_link(s->links.v[i], e) < 0)
			return -1;
	return 0;
}

int spec_check_limits(const struct spec *s, struct err *e)
{
	return spec_check_memory(s, e) < 0 || check_cpu(s, e) < 0 ? -1 : check_ours(s, e);
}

/* any number but 0, as docker; one that is no signal stops nothing */
static int check_stop_signal(const char *word, struct err *e)
{
	struct err ignored;
	int64_t n;

	if (!word || !*word || parse_signal(word) > 0 ||
		(parse_decimal(word, &n, &ignored) == 0 && n != 0))
		return 0;
	return err_set(e, ERR_USAGE, "Invalid signal: %s", word);
}

static int check_annotations(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->annotations.n; i++)
		if (s->annotations.v[i][0] == '=')
			return err_set(e, ERR_USAGE,
				"invalid Annotations: the empty string is not permitted as an annotation key");
	return 0;
}

static int check_wishes(const struct spec *s, struct err *e)
{
	if (parse_mounts_asked(s, e) < 0)
		return -1;
	if (s->workdir && *s->workdir && *s->workdir != '/')
		return err_set(e, ERR_USAGE,
			"the working directory '%s' is invalid, it needs to be an absolute path",
			s->workdir);
	/* any number but 0, as docker; one that is no signal stops nothing */
	if (check_stop_signal(s->stop_signal, e) < 0)
		return -1;
	if (check_hosts(s, e) < 0 || spec_check_ports(s, e) < 0 || check_restart(s, e) < 0 ||
		spec_check_memory(s, e) < 0 || check_cpu(s, e) < 0 || check_modes(s, e) < 0 ||
		check_rights(s, e) < 0 || check_annotations(s, e) < 0 || check_health(&s->health, e) < 0 ||
		check_env(s, e) < 0 || check_lines(s, e) < 0 || check_ours(s, e) < 0)
		return -1;
	return 0;
}

int spec_check_asked(const struct spec *s, struct err *e)
{
	return check_wishes(s, e) < 0 ? -1 : check_network(s, e);
}

static int check(const struct spec *s, struct err *e)
{
	if (check_wishes(s, e) < 0 || spec_check_platform(s->platform, NULL, NULL, e) < 0)
		return -1;
	return check_endpoints(s, e);
}

int spec_check_command(struct spec *s, struct err *e)
{
	if (!s->entrypoint.n && !s->cmd.n)
		return err_set(e, ERR_USAGE, "no command specified");
	if (spec_check_log(s, e) < 0 || check_name(s, e) < 0)
		return -1;
	if (s->name && *s->name == '/')
		memmove(s->name, s->name + 1, strlen(s->name));
	return 0;
}

int spec_check_named(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->security_opt.n; i++)
		if (parse_security_opt(s->security_opt.v[i], e) < 0)
			return -1;
	if (check_storage(s, e) < 0 || check_volumes_from(s, e) < 0)
		return -1;
	return parse_mounts_check(s, e);
}

static void default_str(char **place, const char *value)
{
	if (*place && **place)
		return;
	free(*place);
	*place = xstrdup(value);
}

int spec_complete(struct spec *s, struct err *e)
{
	if (check(s, e) < 0)
		return -1;
	s->any_pids = s->any_pids || (s->pids_limit != SPEC_UNSET && s->pids_limit < 0);
	if (s->pids_limit <= 0)
		s->pids_limit = SPEC_UNSET;
	/* discarded, as docker does where no control group has weights: inspect must not promise them */
	s->blkio_weight = SPEC_UNSET;
	(void)json_array_clear(s->weight_devices); /* it is one or NULL */
	if (s->workdir && *s->workdir) {
		char *clean = parse_clean_path(s->workdir);

		free(s->workdir);
		s->workdir = clean;
	}
	default_str(&s->network, "default");
	if (!s->restart) /* one of no name is kept without, and is none */
		s->restart = xstrdup("no");
	default_str(&s->ipc_mode, "private");
	default_str(&s->cgroupns_mode, "private");
	default_str(&s->log_driver, "json-file");
	default_str(&s->ids, "auto");
	if (s->restart_max == SPEC_UNSET)
		s->restart_max = 0;
	if (!given(s->shm_size))
		s->shm_size = SPEC_SHM_SIZE;
	return 0;
}
