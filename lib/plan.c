/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include "caps.h"
#include "limit.h"
#include "masks.h"

#include <linux/mount.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define CPU_PERIOD_US 100000 /* what --cpus is counted in, as docker does */

#define NO_SUID MOUNT_ATTR_NOSUID
#define NO_DEV  MOUNT_ATTR_NODEV
#define NO_EXEC MOUNT_ATTR_NOEXEC
#define RO      MOUNT_ATTR_RDONLY

struct fixed {
	enum step_kind kind;
	const char *dst, *src, *options;
	unsigned int attr;
	const char *why;
};

/* What every container has, in the order in which it must appear. */
/* clang-format off */
static const struct fixed before_volumes[] = {
	{ STEP_FS,   "/dev",         "tmpfs",          "mode=755,size=65536k", NO_SUID, "devices by name only" },
	{ STEP_NODE, "/dev/null",    "/dev/null",      NULL, 0, "every shell needs it" },
	{ STEP_NODE, "/dev/zero",    "/dev/zero",      NULL, 0, "a device of every container" },
	{ STEP_NODE, "/dev/full",    "/dev/full",      NULL, 0, "a device of every container" },
	{ STEP_NODE, "/dev/random",  "/dev/random",    NULL, 0, "a device of every container" },
	{ STEP_NODE, "/dev/urandom", "/dev/urandom",   NULL, 0, "a device of every container" },
	{ STEP_NODE, "/dev/tty",     "/dev/tty",       NULL, 0, "a device of every container" },
	{ STEP_LINK, "/dev/fd",      "/proc/self/fd",  NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stdin",   "/proc/self/fd/0", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stdout",  "/proc/self/fd/1", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stderr",  "/proc/self/fd/2", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/core",    "/proc/kcore",    NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/ptmx",    "pts/ptmx",       NULL, 0, "terminals of its own" },
	{ STEP_FS,   "/dev/pts",     "devpts",         "newinstance,ptmxmode=0666,mode=0620", NO_SUID | NO_EXEC, "terminals of its own" },
};

static const struct fixed etc_files[] = {
	{ STEP_BIND, "/etc/resolv.conf", "resolv.conf", NULL, 0, "name service" },
	{ STEP_BIND, "/etc/hostname",    "hostname",    NULL, 0, "its name" },
	{ STEP_BIND, "/etc/hosts",       "hosts",       NULL, 0, "its name" },
};
/* clang-format on */

static struct step *plan_add(
	struct plan *p, enum step_kind kind, const char *dst, const char *src, const char *why)
{
	struct step *s;

	p->steps = xrealloc(p->steps, p->n_steps + 1, sizeof(*p->steps));
	s = &p->steps[p->n_steps++];
	*s = (struct step){.kind = kind, .dst = xstrdup(dst), .why = xstrdup(why)};
	s->src = src ? xstrdup(src) : NULL;
	return s;
}

static bool plan_mounts_at(const struct spec *s, const char *dst)
{
	for (size_t i = 0; i < s->n_mounts; i++)
		if (strcmp(s->mounts[i].dst, dst) == 0)
			return true;
	return false;
}

static void add_fixed(struct plan *p, const struct spec *s, const struct fixed *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct step *step;

		if (plan_mounts_at(s, f[i].dst))
			continue;
		step = plan_add(p, f[i].kind, f[i].dst, f[i].src, f[i].why);
		step->options = f[i].options ? xstrdup(f[i].options) : NULL;
		step->attr = f[i].attr;
	}
}

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value == SPEC_UNSET ? otherwise : value;
}

/* -1 and 0 both mean "no limit" in docker's words. */
static int64_t plan_limit_of(int64_t value)
{
	return value == SPEC_UNSET || value < 0 ? 0 : value;
}

static void plan_shm(struct plan *p, const struct spec *s)
{
	struct step *step;
	int64_t size = or_default(s->shm_size, 64 << 20);

	if (str_eq(s->ipc_mode, "host")) {
		if (!plan_mounts_at(s, "/dev/shm"))
			(void)plan_add(p, STEP_BIND, "/dev/shm", "/dev/shm", "--ipc host");
		(void)plan_add(p, STEP_BIND, "/dev/mqueue", "/dev/mqueue", "--ipc host");
		p->steps[p->n_steps - 1].optional = true;
		return;
	}
	if (!plan_mounts_at(s, "/dev/shm") && !str_eq(s->ipc_mode, "none")) {
		/* Never more shared memory than the container may have memory. */
		if (plan_limit_of(s->memory) && size > s->memory)
			size = s->memory;
		step = plan_add(p, STEP_FS, "/dev/shm", "tmpfs", "--shm-size");
		step->options = xasprintf("mode=1777,size=%lld", (long long)size);
		step->attr = NO_SUID | NO_DEV | NO_EXEC;
	}
	step = plan_add(p, STEP_FS, "/dev/mqueue", "mqueue", "message queues of its own");
	step->attr = NO_SUID | NO_DEV | NO_EXEC;
	step->optional = true;
}

static void plan_kernel(struct plan *p, const struct spec *s, const struct host *h)
{
	struct step *step;

	if (str_eq(s->pid_mode, "host")) {
		(void)plan_add(p, STEP_BIND, "/proc", "/proc", "--pid host");
	} else {
		step = plan_add(p, STEP_FS, "/proc", "proc", "its own processes");
		step->attr = NO_SUID | NO_DEV | NO_EXEC;
	}
	/* A sysfs shows the network devices of the network namespace it is mounted for, and only
	 * the owner of that namespace may mount it. */
	if ((p->namespaces | p->joined) & CLONE_NEWNET) {
		step = plan_add(p, STEP_FS, "/sys", "sysfs", "its own devices");
		step->attr = NO_SUID | NO_DEV | NO_EXEC | (s->privileged ? 0 : RO);
	} else {
		step = plan_add(p, STEP_BIND, "/sys", "/sys", "the machine's devices");
		step->read_only = true;
	}
	step->optional = true;
	if (h->cgroup2 && (p->namespaces | p->joined) & CLONE_NEWNET) {
		step = plan_add(p, STEP_FS, "/sys/fs/cgroup", "cgroup2", "its own control group");
		step->attr = NO_SUID | NO_DEV | NO_EXEC | (s->privileged ? 0 : RO);
		step->optional = true;
	}
}

static bool is_tmpfs_word(const char *w, size_t n)
{
	static const char *const words[] = {
		"size=", "mode=", "uid=", "gid=", "nr_inodes=", "nr_blocks=", "mpol="};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (n > strlen(words[i]) && memcmp(w, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static void plan_user_mount(struct plan *p, const struct spec_mount *m)
{
	struct step *step;
	struct buf o = {0};

	if (m->kind != MOUNT_TMPFS) {
		step = plan_add(p, STEP_BIND, m->dst, m->src, m->why ? m->why : "a volume");
		step->read_only = m->read_only;
		step->fill = m->kind == MOUNT_VOLUME && !m->nocopy;
		return;
	}
	step = plan_add(p, STEP_FS, m->dst, "tmpfs", m->why ? m->why : "--tmpfs");
	step->attr = NO_SUID | NO_DEV | NO_EXEC | (m->read_only ? RO : 0);
	buf_printf(&o, "mode=%llo",
		(unsigned long long)(m->tmpfs_mode == SPEC_UNSET ? 01777 : m->tmpfs_mode));
	if (m->tmpfs_size != SPEC_UNSET && m->tmpfs_size > 0)
		buf_printf(&o, ",size=%lld", (long long)m->tmpfs_size);
	for (const char *w = m->tmpfs_options; w && *w;) {
		size_t n = strcspn(w, ",");

		if (n == 4 && memcmp(w, "exec", 4) == 0)
			step->attr &= ~(unsigned int)NO_EXEC;
		else if (n == 3 && memcmp(w, "dev", 3) == 0)
			step->attr &= ~(unsigned int)NO_DEV;
		else if (n == 4 && memcmp(w, "suid", 4) == 0)
			step->attr &= ~(unsigned int)NO_SUID;
		else if (n == 2 && memcmp(w, "ro", 2) == 0)
			step->attr |= RO;
		else if (n == 2 && memcmp(w, "rw", 2) == 0)
			step->attr &= ~(unsigned int)RO;
		else if (is_tmpfs_word(w, n)) /* the later word wins */
			buf_printf(&o, ",%.*s", (int)n, w);
		w += n + (w[n] == ',');
	}
	step->options = buf_take(&o);
}

static size_t depth(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* Parents before what lies in them, otherwise as given. */
static void plan_user_mounts(struct plan *p, const struct spec *s)
{
	size_t deepest = 0;

	for (size_t i = 0; i < s->n_mounts; i++)
		if (depth(s->mounts[i].dst) > deepest)
			deepest = depth(s->mounts[i].dst);
	for (size_t d = 0; d <= deepest; d++)
		for (size_t i = 0; i < s->n_mounts; i++)
			if (depth(s->mounts[i].dst) == d)
				plan_user_mount(p, &s->mounts[i]);
}

/* The node itself, as the caller has it: what he may not open, nobody in the container may. */
static void plan_devices(struct plan *p, const struct spec *s)
{
	for (size_t i = 0; i < s->devices.n; i++) {
		const char *word = s->devices.v[i], *inside = strchr(word, ':'); /* always: parse_device() */
		size_t outside = inside ? (size_t)(inside - word) : strlen(word);
		auto_free char *src = xstrndup(word, outside);
		auto_free char *dst =
			inside ? xstrndup(inside + 1, strcspn(inside + 1, ":")) : xstrdup(src);

		(void)plan_add(p, STEP_BIND, dst, src, "--device");
	}
}

static void plan_etc(struct plan *p, const struct spec *s, const char *dir)
{
	for (size_t i = 0; i < ARRAY_LEN(etc_files); i++) {
		auto_free char *src = xasprintf("%s/%s", dir, etc_files[i].src);

		if (!plan_mounts_at(s, etc_files[i].dst))
			(void)plan_add(p, STEP_BIND, etc_files[i].dst, src, etc_files[i].why);
	}
}

static bool security(const struct spec *s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < s->security_opt.n; i++) {
		const char *o = s->security_opt.v[i];

		/* "seccomp=x" and the old "seccomp:x" are one */
		if (strncmp(o, word, n) == 0 && (o[n] == '\0' || o[n] == '=' || o[n] == ':'))
			return true;
	}
	return false;
}

static const char *plan_security(const struct spec *s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < s->security_opt.n; i++) {
		const char *o = s->security_opt.v[i];

		if (strncmp(o, word, n) == 0 && (o[n] == '=' || o[n] == ':'))
			return o + n + 1;
	}
	return NULL;
}

static void plan_masks(struct plan *p, const struct spec *s)
{
	if (s->privileged || str_eq(plan_security(s, "systempaths"), "unconfined"))
		return;
	for (const struct mask_path *m = mask_paths; m->path; m++) {
		/* The machine's own /proc has its submounts; freezing it twice gains nothing. */
		struct step *step = plan_add(p, m->freeze ? STEP_FREEZE : STEP_MASK, m->path, NULL,
			m->freeze ? "the kernel's settings are not the container's"
				  : "says too much about the machine");
		step->optional = true;
	}
}

static void plan_mounts(struct plan *p, const struct spec *s, const struct host *h, const char *dir)
{
	plan_kernel(p, s, h);
	add_fixed(p, s, before_volumes, ARRAY_LEN(before_volumes));
	plan_shm(p, s);
	plan_etc(p, s, dir);
	plan_devices(p, s);
	plan_user_mounts(p, s);
	plan_masks(p, s);
}

static int plan_rights(struct plan *p, const struct spec *s, const struct spec *c,
	const struct host *h, struct err *e)
{
	const char *profile = plan_security(c, "seccomp");
	const char *nnp = plan_security(c, "no-new-privileges");

	if (caps_resolve(&c->cap_add, &c->cap_drop, c->privileged || s->privileged, &p->caps, e) < 0)
		return -1;
	p->privileged = c->privileged || s->privileged;
	p->no_new_privs = security(c, "no-new-privileges") && !str_eq(nnp, "false");
	p->seccomp_profile = profile && strcmp(profile, "builtin") != 0 ? xstrdup(profile) : NULL;
	if (p->privileged && !profile)
		p->seccomp_profile = xstrdup("unconfined");
	p->fake_root = !h->range;
	return 0;
}

static int plan_rlimits(struct plan *p, const struct spec *c, struct err *e)
{
	/* As docker's: no core files unless asked for; the rest is inherited from the caller. */
	p->rlimits[p->n_rlimits++] = (struct plan_rlimit){RLIMIT_CORE, 0, RLIM_INFINITY};
	for (size_t i = 0; i < c->n_ulimits; i++) {
		const struct spec_ulimit *u = &c->ulimits[i];
		struct plan_rlimit r = {.soft = u->soft < 0 ? RLIM_INFINITY : (uint64_t)u->soft,
			.hard = u->hard < 0 ? RLIM_INFINITY : (uint64_t)u->hard};
		size_t at = 0;

		r.resource = ulimit_resource(u->name);
		if (r.resource < 0)
			return err_set(e, ERR_USAGE, "invalid ulimit type: %s", u->name);
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

static void plan_env(struct plan *p, const struct spec *s, const char *hostname)
{
	auto_free char *host = xasprintf("HOSTNAME=%s", hostname);

	strv_add(&p->env, DEFAULT_PATH);
	strv_add(&p->env, host);
	if (s->tty)
		strv_add(&p->env, "TERM=xterm");
	for (size_t i = 0; i < s->env.n; i++)
		if (strchr(s->env.v[i], '='))
			strv_env_set(&p->env, s->env.v[i]);
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

/* pid 1 is this program, exec'ed anew so that nothing of the machine is left in its memory, from a mount
 * which nobody inside can make writable: /proc/1/exe is no way to change it. */
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

/* In a network of its own a container may listen on every port and ping, as docker lets it: there
 * is nobody to keep it from. "-": a kernel which lacks the setting goes without. */
static void plan_sysctls(struct plan *p, const struct spec *s, const struct host *h)
{
	if (p->namespaces & CLONE_NEWNET) {
		strv_add(&p->sysctls, "-net.ipv4.ip_unprivileged_port_start=0");
		strv_addf(&p->sysctls, "-net.ipv4.ping_group_range=0 %d", h->range ? 65535 : 0);
	}
	for (size_t i = 0; i < s->sysctls.n; i++)
		strv_add(&p->sysctls, s->sysctls.v[i]);
}

static const struct {
	size_t mode; /* in struct spec; of a namespace without one: always its own */
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

/* Whoever shares a namespace of another container shares its user namespace too: otherwise he could neither mount
 * a /proc for its processes nor have rights over its network, as he has with docker. */
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
	p->cpuset_cpus = words_of(s->cpuset_cpus);
	p->cpuset_mems = words_of(s->cpuset_mems);
}

/* Of one program, not of all that run in the container. */
static void plan_own_limits(struct plan *p, const struct spec *s)
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
		plan_rights(&p, s, s, h, e) < 0 || plan_rlimits(&p, s, e) < 0)
		return -1;
	plan_process(&p, s, h);
	p.etc_covered = covers_etc(s);
	if (s->init)
		plan_init(&p, h);
	p.read_only = s->read_only;
	p.hostname = xstrdup(s->hostname ? s->hostname : h->nodename);
	p.domainname = s->domainname && *s->domainname ? xstrdup(s->domainname) : NULL;
	plan_env(&p, s, p.hostname);
	plan_sysctls(&p, s, h);
	plan_mounts(&p, s, h, dir);
	plan_limits(&p, s);
	plan_own_limits(&p, s);
	*out = p;
	p = (struct plan){0};
	return 0;
}

void plan_files(const struct spec *s, const char *dir, struct plan *out)
{
	struct spec files = *s;
	size_t n = 0;

	files.mounts = xcalloc(s->n_mounts, sizeof(*files.mounts));
	for (size_t i = 0; i < s->n_mounts; i++)
		if (s->mounts[i].kind != MOUNT_TMPFS)
			files.mounts[n++] = s->mounts[i];
	files.n_mounts = n;
	*out = (struct plan){.read_only = s->read_only};
	plan_etc(out, &files, dir);
	plan_user_mounts(out, &files);
	free(files.mounts);
}

int plan_exec(const struct spec *s, const struct spec *c, const struct host *h, struct plan *out,
	struct err *e)
{
	auto_plan struct plan p = {.oom_score_adj = SPEC_UNSET, .memory_swappiness = -1};

	if (plan_argv(&p, s, e) < 0 || plan_rights(&p, s, c, h, e) < 0 || plan_rlimits(&p, c, e) < 0)
		return -1;
	if (plan_namespaces(&p, c, e) < 0)
		return -1;
	p.namespaces |= p.joined;
	plan_process(&p, s, h);
	p.etc_covered = covers_etc(c);
	if (!s->user || !*s->user) {
		free(p.user);
		p.user = xstrdup(c->user ? c->user : "");
		strv_copy(&p.group_add, &c->group_add);
	}
	if (!s->workdir || !*s->workdir) {
		free(p.workdir);
		p.workdir = xstrdup(c->workdir && *c->workdir ? c->workdir : "/");
	}
	plan_env(&p, c, c->hostname ? c->hostname : h->nodename);
	if (s->tty)
		strv_env_set(&p.env, "TERM=xterm");
	for (size_t i = 0; i < s->env.n; i++) {
		if (strchr(s->env.v[i], '='))
			strv_env_set(&p.env, s->env.v[i]);
		else
			strv_env_unset(&p.env, s->env.v[i]);
	}
	plan_limits(&p, c);
	plan_own_limits(&p, s);
	*out = p;
	p = (struct plan){0};
	return 0;
}

void plan_done(struct plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		free(p->steps[i].dst);
		free(p->steps[i].src);
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

static const struct {
	uint64_t flag;
	const char *name;
} namespace_names[] = {
	{CLONE_NEWUSER, "user"},
	{CLONE_NEWNS, "mnt"},
	{CLONE_NEWPID, "pid"},
	{CLONE_NEWIPC, "ipc"},
	{CLONE_NEWUTS, "uts"},
	{CLONE_NEWNET, "net"},
	{CLONE_NEWCGROUP, "cgroup"},
};

static const char *const step_names[] = {
	[STEP_FS] = "mount",
	[STEP_BIND] = "bind",
	[STEP_NODE] = "node",
	[STEP_LINK] = "link",
	[STEP_DIR] = "dir",
	[STEP_MASK] = "mask",
	[STEP_FREEZE] = "freeze",
};
static_assert(ARRAY_LEN(step_names) == STEP_KINDS, "every kind of step has a name");

static void print_list(struct buf *out, const char *name, const struct strv *a)
{
	buf_printf(out, "%-10s", name);
	for (size_t i = 0; i < a->n; i++)
		buf_printf(out, " [%s]", a->v[i]);
	buf_putc(out, '\n');
}

static void print_step(struct buf *out, const struct step *s)
{
	buf_printf(out, "%-10s %s", step_names[s->kind], s->dst);
	if (s->src)
		buf_printf(out, " <- %s", s->src);
	if (s->options)
		buf_printf(out, " %s", s->options);
	buf_printf(out, "%s%s%s%s%s%s", s->attr & RO || s->read_only ? " ro" : "",
		s->attr & NO_SUID ? " nosuid" : "", s->attr & NO_DEV ? " nodev" : "",
		s->attr & NO_EXEC ? " noexec" : "", s->fill ? " fill" : "",
		s->optional ? " optional" : "");
	buf_printf(out, "  # %s\n", s->why);
}

void plan_print(const struct plan *p, struct buf *out)
{
	buf_puts(out, "namespaces");
	for (size_t i = 0; i < ARRAY_LEN(namespace_names); i++)
		if (p->namespaces & namespace_names[i].flag)
			buf_printf(out, " %s", namespace_names[i].name);
	if (p->join) {
		buf_printf(out, "\njoin       %s:", p->join);
		for (size_t i = 0; i < ARRAY_LEN(namespace_names); i++)
			if (p->joined & namespace_names[i].flag)
				buf_printf(out, " %s", namespace_names[i].name);
	}
	buf_printf(out, "\nhostname   %s\n", p->hostname ? p->hostname : "");
	if (p->domainname)
		buf_printf(out, "domainname %s\n", p->domainname);
	for (size_t i = 0; i < p->n_steps; i++)
		print_step(out, &p->steps[i]);
	if (p->read_only)
		buf_puts(out, "freeze     /  # --read-only\n");
	buf_printf(out, "user       %s\nworkdir    %s\ncaps       %016llx\n",
		*p->user ? p->user : "0", p->workdir, (unsigned long long)p->caps);
	buf_printf(out, "seccomp    %s%s%s\n", p->seccomp_profile ? p->seccomp_profile : "default",
		p->fake_root ? " fake-root" : "", p->no_new_privs ? " no-new-privileges" : "");
	for (size_t i = 0; i < p->n_rlimits; i++)
		buf_printf(out, "rlimit     %d %llu %llu\n", p->rlimits[i].resource,
			(unsigned long long)p->rlimits[i].soft, (unsigned long long)p->rlimits[i].hard);
	if (p->cpu_quota_us || p->cpu_shares)
		buf_printf(out, "cpu        quota=%lld/%lldus shares=%lld\n", (long long)p->cpu_quota_us,
			(long long)p->cpu_period_us, (long long)p->cpu_shares);
	if (p->cpuset_cpus)
		buf_printf(out, "cpuset     %s\n", p->cpuset_cpus);
	buf_printf(out, "limits     memory=%lld pids=%lld timeout=%lldms\n", (long long)p->memory,
		(long long)p->pids, (long long)(p->timeout_ns / 1000000));
	print_list(out, "sysctl", &p->sysctls);
	print_list(out, "env", &p->env);
	print_list(out, "argv", &p->argv);
}
