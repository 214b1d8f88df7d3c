/* SPDX-License-Identifier: Apache-2.0 */
/* plan_print: prints a plan, for people and for the golden tests. */
#include "plan.h"

#include <linux/mount.h>
#include <sched.h>

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
	[STEP_IMAGE] = "image",
	[STEP_JOINED] = "joined",
	[STEP_LINK] = "link",
	[STEP_DIR] = "dir",
	[STEP_FILL] = "fill",
	[STEP_MASK] = "mask",
	[STEP_FREEZE] = "freeze",
	[STEP_CLOSE] = "close",
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
	if (s->sub)
		buf_printf(out, " at %s", s->sub);
	if (s->options)
		buf_printf(out, " %s", s->options);
	buf_printf(out, "%s%s%s%s%s%s%s%s%s", s->attr & MOUNT_ATTR_RDONLY || s->read_only ? " ro" : "",
		s->slave ? " slave" : "", s->attr & MOUNT_ATTR_NOSUID ? " nosuid" : "",
		s->attr & MOUNT_ATTR_NODEV ? " nodev" : "", s->attr & MOUNT_ATTR_NOEXEC ? " noexec" : "",
		s->fill ? " fill" : "", s->copied ? " copied" : "",
		s->keep_mode ? " keep-mode" : "", s->optional ? " optional" : "");
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
	buf_printf(out, "seccomp    %s%s%s\n",
		!p->seccomp_profile          ? "default"
		: *p->seccomp_profile == '{' ? "profile"
					     : p->seccomp_profile,
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
