/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_parts.h"

#include "caps.h"
#include "limit.h"
#include "parse.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define CPU_PERIOD_US 100000 /* what --cpus is counted in, as docker does */

int64_t plan_limit_of(int64_t value)
{
	return value == SPEC_UNSET || value < 0 ? 0 : value;
}

const char *plan_security(const struct spec *s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = s->security_opt.n; i-- > 0;) {
		const char *o = s->security_opt.v[i];

		/* "seccomp=x" and the old "seccomp:x" are one */
		if (str_starts(o, word) && (o[n] == '=' || o[n] == ':'))
			return o + n + 1;
		if (str_eq(o, word))
			return "true";
	}
	return NULL;
}

/* A word that was not checked when it was stored counts as a wish for less. */
static bool no_new_privileges(const struct spec *s)
{
	const char *word = plan_security(s, "no-new-privileges");
	struct err unused;
	bool yes = true;

	return word && (parse_bool(word, &yes, &unused) < 0 || yes);
}

static int plan_rights(struct plan *p, const struct spec *s, const struct spec *c,
	const struct host *h, struct err *e)
{
	const char *profile = plan_security(c, "seccomp");

	if (caps_resolve(&c->cap_add, &c->cap_drop, c->privileged || s->privileged, &p->caps, e) < 0)
		return -1;
	p->privileged = c->privileged || s->privileged;
	p->no_new_privs = no_new_privileges(c);
	p->seccomp_profile = profile && strcmp(profile, "builtin") != 0 ? xstrdup(profile) : NULL;
	if (p->privileged && !profile)
		p->seccomp_profile = xstrdup("unconfined");
	p->fake_root = !h->range;
	return 0;
}

/* At the end of the time limit all of them must die, for which each one needs a processor once more. */
#define TIMED_PIDS     2048
#define TIMED_PIDS_CPU 1024

/* In the words of docker's runtime: its client would have refused it before. */
static int wrong_ulimit(const char *name, struct err *e)
{
	auto_free char *upper = xstrdup(name);

	for (char *s = upper; *s; s++)
		*s = (char)(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
	return err_set(e, ERR_SYSTEM,
		"failed to create task for container: failed to create shim task: OCI runtime create failed: "
		"runc create failed: wrong rlimit value: RLIMIT_%s: unknown",
		upper);
}

static int add_ulimits(struct plan *p, const struct spec *c, struct err *e)
{
	for (size_t i = 0; i < c->n_ulimits; i++) {
		const struct spec_ulimit *u = &c->ulimits[i];
		struct plan_rlimit r = {.soft = u->soft < 0 ? RLIM_INFINITY : (uint64_t)u->soft,
			.hard = u->hard < 0 ? RLIM_INFINITY : (uint64_t)u->hard};
		size_t at = 0;

		r.resource = ulimit_resource(u->name);
		if (r.resource < 0)
			return wrong_ulimit(u->name, e);
		if (r.soft > r.hard)
			return err_set(e, ERR_SYSTEM,
				"failed to create task for container: failed to create shim task: OCI "
				"runtime create failed: runc create failed: unable to start container "
				"process: error during container init: error setting rlimits for ready process: error setting rlimit type %d: "
				"invalid argument: unknown",
				r.resource);
		while (at < p->n_rlimits && p->rlimits[at].resource != r.resource)
			at++;
		if (at == ARRAY_LEN(p->rlimits))
			return err_set(e, ERR_USAGE, "too many ulimits");
		p->rlimits[at] = r;
		if (at == p->n_rlimits)
			p->n_rlimits++;
	}
	return 0;
}

/* s: the spec of what is to be started in c, which may be c itself. */
static int plan_rlimits(struct plan *p, const struct spec *s, const struct spec *c,
	const struct host *h, struct err *e)
{
	uint64_t most = (uint64_t)h->cpus * TIMED_PIDS_CPU;

	if (most < TIMED_PIDS)
		most = TIMED_PIDS;
	/* As with docker there are no core files unless asked for; other limits are inherited from the caller. */
	p->rlimits[p->n_rlimits++] = (struct plan_rlimit){RLIMIT_CORE, 0, RLIM_INFINITY};
	if ((plan_limit_of(s->timeout_ns) || plan_limit_of(c->timeout_ns)) &&
		c->pids_limit == SPEC_UNSET && !c->any_pids && s->pids_limit == SPEC_UNSET && !s->any_pids)
		p->rlimits[p->n_rlimits++] = (struct plan_rlimit){RLIMIT_NPROC, most, most};
	return add_ulimits(p, c, e);
}

/* TERM is there for a process with a terminal, whether or not the container has one. */
static void plan_env(struct plan *p, const struct spec *s, const char *hostname, bool tty)
{
	auto_free char *host = xasprintf("HOSTNAME=%s", hostname);

	strv_add(&p->env, DEFAULT_PATH);
	strv_add(&p->env, host);
	if (tty)
		strv_add(&p->env, "TERM=xterm");
	strv_env_override(&p->env, &s->env);
}

static int plan_argv(struct plan *p, const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->entrypoint.n; i++)
		strv_add(&p->argv, s->entrypoint.v[i]);
	for (size_t i = 0; i < s->cmd.n; i++)
		strv_add(&p->argv, s->cmd.v[i]);
	if (p->argv.n == 0)
		return err_set(e, ERR_USAGE, "no command specified");
	return 0;
}

#define INIT "/sbin/docker-init"

/* pid 1 is this program, exec'ed anew so that no memory of the machine is left in it, from a mount that no process
 * inside can make writable: so it cannot be changed through /proc/1/exe. */
static void plan_init(struct plan *p, const struct host *h)
{
	struct step *step = plan_add(p, STEP_BIND, INIT, h->exe, "--init");
	struct strv argv = {0};

	p->hold_signals = true;
	step->read_only = true;
	strv_add(&argv, INIT);
	strv_add(&argv, "--");
	for (size_t i = 0; i < p->argv.n; i++)
		strv_add(&argv, p->argv.v[i]);
	strv_done(&p->argv);
	p->argv = argv;
}

static bool covers_etc(const struct spec *s)
{
	static const char *const paths[] = {"/etc", "/etc/passwd", "/etc/group"};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (plan_mounts_at(s, paths[i]))
			return true;
	return false;
}

static void plan_process(struct plan *p, const struct spec *s, const struct host *h)
{
	p->user = xstrdup(s->user ? s->user : "");
	p->workdir = xstrdup(s->workdir && *s->workdir ? s->workdir : "/");
	strv_copy(&p->group_add, &s->group_add);
	p->tty = s->tty;
	p->stdin_open = s->stdin_open;
	p->rows = h->rows;
	p->cols = h->cols;
}

#define RUNC \
	"failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: "

/* In a network namespace of its own a container may listen on any port and ping, as with docker. "-": if the kernel
 * lacks the setting that is ignored. */
static int plan_sysctls(struct plan *p, const struct spec *s, const struct host *h, struct err *e)
{
	static const char *const of_ipc[] = {"kernel.msg", "kernel.sem=", "kernel.shm", "fs.mqueue."};
	bool host_ipc = str_eq(s->ipc_mode, "host");

	if (str_eq(s->uts_mode, "host") && s->domainname && *s->domainname &&
		!str_starts(s->network ? s->network : "", "container:"))
		return err_set(e, ERR_DENIED,
			RUNC
			"sysctl \"kernel.domainname\" is not in a separate kernel namespace: unknown");
	if (p->namespaces & CLONE_NEWNET) {
		strv_add(&p->sysctls, "-net.ipv4.ip_unprivileged_port_start=0");
		strv_addf(&p->sysctls, "-net.ipv4.ping_group_range=0 %d", h->range ? 65535 : 0);
	}
	for (size_t i = 0; i < s->sysctls.n; i++) {
		const char *word = s->sysctls.v[i];
		size_t n = strcspn(word, "=");

		if (str_eq(s->network, "host") && str_starts(word, "net."))
			return err_set(e, ERR_DENIED,
				RUNC "sysctl %s not allowed in host network namespace: unknown",
				QUOTED_N(word, n));
		for (size_t j = 0; host_ipc && j < ARRAY_LEN(of_ipc); j++)
			if (str_starts(word, of_ipc[j]))
				return err_set(e, ERR_DENIED,
					RUNC "sysctl %s is not allowed in the hosts ipc namespace: unknown",
					QUOTED_N(word, n));
		strv_add(&p->sysctls, word);
	}
	return 0;
}

static const struct {
	size_t mode; /* the mode's offset in struct spec; 0: the container always gets its own namespace */
	uint64_t flag;
} modes[] = {
	{offsetof(struct spec, pid_mode), CLONE_NEWPID},
	{offsetof(struct spec, ipc_mode), CLONE_NEWIPC},
	{offsetof(struct spec, uts_mode), CLONE_NEWUTS},
	{offsetof(struct spec, network), CLONE_NEWNET},
};

bool plan_owns_all(const struct spec *s)
{
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		const char *mode = *(char *const *)((const char *)s + modes[i].mode);

		if (str_eq(mode, "host") || (mode && str_starts(mode, "container:")))
			return false;
	}
	return true;
}

/* A container that shares another one's namespace shares its user namespace, too: otherwise it could not mount a /proc
 * for its processes, nor administer its network, as it can with docker. */
static int plan_namespaces(struct plan *p, const struct spec *s, struct err *e)
{
	p->namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP;
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		const char *mode = *(char *const *)((const char *)s + modes[i].mode);

		if (str_eq(mode, "host"))
			continue;
		if (!mode || !str_starts(mode, "container:")) {
			p->namespaces |= modes[i].flag;
			continue;
		}
		if (p->join && strcmp(p->join, mode + strlen("container:")) != 0)
			return err_set(e, ERR_UNSUPPORTED,
				"namespaces of more than one other container: %s and %s", p->join,
				mode + strlen("container:"));
		free(p->join);
		p->join = xstrdup(mode + strlen("container:"));
		p->joined |= modes[i].flag;
	}
	if (p->join) {
		p->joined |= CLONE_NEWUSER;
		p->namespaces &= ~(uint64_t)CLONE_NEWUSER;
	}
	p->loopback = p->namespaces & CLONE_NEWNET;
	return 0;
}

static char *words_of(const char *s)
{
	return s && *s ? xstrdup(s) : NULL;
}

void plan_limits(struct plan *p, const struct spec *s)
{
	free(p->cpuset_cpus);
	free(p->cpuset_mems);
	p->memory = plan_limit_of(s->memory);
	p->memory_swap = s->memory_swap == -1 ? -1 : plan_limit_of(s->memory_swap);
	p->memory_reservation = plan_limit_of(s->memory_reservation);
	p->memory_swappiness = s->memory_swappiness == SPEC_UNSET ? -1 : s->memory_swappiness;
	p->pids = plan_limit_of(s->pids_limit);
	p->cpu_shares = plan_limit_of(s->cpu_shares);
	p->cpu_quota_us = plan_limit_of(s->cpu_quota);
	p->cpu_period_us = plan_limit_of(s->cpu_period);
	if (plan_limit_of(s->nano_cpus)) {
		p->cpu_period_us = CPU_PERIOD_US;
		p->cpu_quota_us = (s->nano_cpus * CPU_PERIOD_US + 999999999) / 1000000000;
	}
	p->storage = spec_storage(s);
	p->cpuset_cpus = words_of(s->cpuset_cpus);
	p->cpuset_mems = words_of(s->cpuset_mems);
}

void plan_own_limits(struct plan *p, const struct spec *s)
{
	p->timeout_ns = plan_limit_of(s->timeout_ns);
	p->kill_after_ns = plan_limit_of(s->kill_after_ns);
	p->cpu_time_ns = plan_limit_of(s->cpu_time_ns);
	p->output_limit = plan_limit_of(s->output_limit);
	p->output_limit_kills = str_eq(s->output_limit_action, "kill");
}

int plan_container(const struct spec *s, const struct host *h, const char *dir, struct plan *out,
	struct err *e)
{
	auto_plan struct plan p = {.oom_score_adj = s->oom_score_adj, .memory_swappiness = -1};

	if (plan_namespaces(&p, s, e) < 0 || plan_argv(&p, s, e) < 0 ||
		plan_rights(&p, s, s, h, e) < 0 || plan_rlimits(&p, s, s, h, e) < 0)
		return -1;
	plan_process(&p, s, h);
	p.etc_covered = covers_etc(s);
	if (s->init == 1)
		plan_init(&p, h);
	p.read_only = s->read_only;
	p.hostname = xstrdup(s->hostname ? s->hostname : h->nodename);
	p.domainname = s->domainname && *s->domainname ? xstrdup(s->domainname) : NULL;
	plan_env(&p, s, p.hostname, s->tty);
	if (plan_sysctls(&p, s, h, e) < 0)
		return -1;
	plan_mounts(&p, s, h, dir);
	plan_limits(&p, s);
	plan_own_limits(&p, s);
	*out = p;
	p = (struct plan){0};
	return 0;
}

int plan_exec(const struct spec *s, const struct spec *c, const struct host *h, struct plan *out,
	struct err *e)
{
	auto_plan struct plan p = {.oom_score_adj = SPEC_UNSET, .memory_swappiness = -1};

	if (plan_argv(&p, s, e) < 0 || plan_rights(&p, s, c, h, e) < 0 ||
		plan_rlimits(&p, s, c, h, e) < 0)
		return -1;
	if (add_ulimits(&p, s, e) < 0 || plan_namespaces(&p, c, e) < 0)
		return -1;
	p.namespaces |= p.joined;
	plan_process(&p, s, h);
	p.etc_covered = covers_etc(c);
	if (!s->user || !*s->user) {
		free(p.user);
		p.user = xstrdup(c->user ? c->user : "");
	}
	strv_copy(&p.group_add, &c->group_add); /* the container's, whoever is asked for */
	if (!s->workdir || !*s->workdir) {
		free(p.workdir);
		p.workdir = xstrdup(c->workdir && *c->workdir ? c->workdir : "/");
	}
	plan_env(&p, c, c->hostname ? c->hostname : h->nodename, s->tty);
	strv_env_override(&p.env, &s->env);
	plan_limits(&p, c);
	plan_own_limits(&p, s);
	p.own_memory = plan_limit_of(s->memory);
	p.own_pids = plan_limit_of(s->pids_limit);
	if (s->cpuset_cpus && *s->cpuset_cpus) {
		free(p.cpuset_cpus);
		p.cpuset_cpus = xstrdup(s->cpuset_cpus);
		p.own_cpuset = true;
	}
	*out = p;
	p = (struct plan){0};
	return 0;
}

int plan_join_ended(const struct plan *p, const char *id, struct err *e)
{
	if (p->joined & CLONE_NEWNET)
		return err_set(e, ERR_CONFLICT, "cannot join network of a non running container: %s", id);
	if (p->joined & CLONE_NEWIPC)
		return err_set(e, ERR_CONFLICT,
			"can't join IPC of container %s: container %s is not running", id, id);
	return err_set(e, ERR_CONFLICT, "container %s is not running", id);
}

void plan_done(struct plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		free(p->steps[i].dst);
		free(p->steps[i].src);
		free(p->steps[i].sub);
		free(p->steps[i].options);
		free(p->steps[i].why);
	}
	free(p->steps);
	free(p->join);
	free(p->hostname);
	free(p->domainname);
	free(p->workdir);
	free(p->user);
	free(p->seccomp_profile);
	free(p->cpuset_cpus);
	free(p->cpuset_mems);
	strv_done(&p->sysctls);
	strv_done(&p->argv);
	strv_done(&p->env);
	strv_done(&p->group_add);
	*p = (struct plan){0};
}
