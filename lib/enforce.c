/* SPDX-License-Identifier: Apache-2.0 */
#include "enforce.h"

#include "affinity.h"
#include "cgroup.h"
#include "quota.h"
#include "sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

static bool given(int64_t value)
{
	return value != SPEC_UNSET && value != 0;
}

int enforce_check(const struct spec *s, struct err *e)
{
	int64_t cpus = given(s->nano_cpus) ? get_nprocs() : 0;

	if (cpus && s->nano_cpus > cpus * 1000000000)
		return err_set(e, ERR_USAGE,
			"range of CPUs is from 0.01 to %lld.00, as there are only %lld CPUs available",
			(long long)cpus, (long long)cpus);
	if (s->cpuset_cpus && *s->cpuset_cpus && affinity_check(s->cpuset_cpus, e) < 0)
		return -1;
	return s->cpuset_mems && *s->cpuset_mems ? affinity_check_mems(s->cpuset_mems, e) : 0;
}

int enforce_check_storage(const struct spec *s, struct err *e)
{
	return spec_storage(s) ? quota_possible(e) : 0;
}

static unsigned int asked(const struct spec *s)
{
	unsigned int all = 0;

	if (given(s->nano_cpus) || given(s->cpu_quota))
		all |= HOLDS_CPUS;
	if (given(s->cpu_shares) && s->cpu_shares > 0) /* else the start refuses it */
		all |= HOLDS_SHARES;
	if ((s->cpuset_cpus && *s->cpuset_cpus) || (s->cpuset_mems && *s->cpuset_mems))
		all |= HOLDS_CPUSET;
	if (given(s->memory_reservation))
		all |= HOLDS_RESERVATION;
	/* The watch holds memory and swap together to --memory: stricter than asked for. */
	if (given(s->memory) && given(s->memory_swap) && s->memory_swap != s->memory)
		all |= HOLDS_SWAP;
	if (s->memory_swappiness != SPEC_UNSET && s->memory_swappiness >= 0)
		all |= HOLDS_SWAPPINESS;
	return all;
}

#define OWN_SCORE "/proc/self/oom_score_adj"

/* Only root may go below the value that root has set; what that is only trying tells. */
static bool spares_memory(const struct spec *s)
{
	char own[16], wanted[24];
	ssize_t n = s->oom_score_adj != SPEC_UNSET ? sys_get(AT_FDCWD, OWN_SCORE, own, sizeof(own)) : 0;

	if (n <= 0 || s->oom_score_adj >= strtol(own, NULL, 10))
		return false;
	(void)snprintf(wanted, sizeof(wanted), "%lld", (long long)s->oom_score_adj); /* fits */
	if (sys_put(AT_FDCWD, OWN_SCORE, wanted) < 0)
		return true;
	(void)sys_put(AT_FDCWD, OWN_SCORE, own); /* more is never refused */
	return false;
}

void enforce_warn_of_lone(const struct spec *s, struct strv *out)
{
	if (given(s->kill_after_ns) && !given(s->timeout_ns))
		strv_add(out, "--kill-after has no effect without --timeout.");
	if (s->output_limit_action && *s->output_limit_action && !given(s->output_limit))
		strv_add(out, "--output-limit-action has no effect without --output-limit.");
}

void enforce_warnings(const struct spec *s, struct strv *out)
{
	unsigned int wanted = asked(s), holds;

	if (str_eq(s->cgroupns_mode, "host"))
		strv_add(out, "--cgroupns host has no effect: a container always has a namespace of its own.");
	enforce_warn_of_lone(s, out);
	if (spares_memory(s))
		strv_add(out, "--oom-score-adj has no effect: only root lets the kernel kill others first.");
	if (!wanted)
		return;
	(void)cgroup_probe(&holds);
	wanted &= ~holds;
	if (wanted & HOLDS_CPUS)
		strv_addf(out,
			"%s has no effect: no control group with the cpu controller may be written "
			"here (see sbx doctor). CPU quota discarded.",
			given(s->nano_cpus) ? "--cpus" : "--cpu-quota");
	if (wanted & HOLDS_SHARES)
		strv_add(out, "--cpu-shares has no effect: no control group with the cpu controller may be "
			      "written here (see sbx doctor). Shares discarded.");
	if ((wanted & HOLDS_CPUSET) && s->cpuset_cpus && *s->cpuset_cpus)
		strv_add(out,
			"--cpuset-cpus holds by processor affinity alone, which a program can undo: no "
			"control group with the cpuset controller may be written here (see sbx doctor).");
	if ((wanted & HOLDS_CPUSET) && s->cpuset_mems && *s->cpuset_mems)
		strv_add(out, "--cpuset-mems has no effect: no control group with the cpuset controller may be "
			      "written here (see sbx doctor). Cpuset discarded.");
	if (wanted & HOLDS_RESERVATION)
		strv_add(out, "--memory-reservation has no effect: no control group with the memory controller "
			      "may be written here (see sbx doctor). Limitation discarded.");
	if (wanted & HOLDS_SWAP)
		strv_add(out, "--memory-swap has no effect: no control group limits swap here (see sbx doctor). "
			      "Memory and swap together are limited to --memory.");
	if (wanted & HOLDS_SWAPPINESS)
		strv_add(out, "--memory-swappiness has no effect: no control group here has it. "
			      "Memory swappiness discarded.");
}

void enforce_warn_of_late(const struct spec *s, unsigned int held, struct strv *out)
{
	static const struct {
		unsigned int limit;
		const char *option;
	} late[] = {
		{HOLDS_CPUS, "--cpus"},
		{HOLDS_SHARES, "--cpu-shares"},
		{HOLDS_CPUSET, "--cpuset-mems"}, /* the processors hold by affinity meanwhile */
		{HOLDS_RESERVATION, "--memory-reservation"},
		{HOLDS_SWAP, "--memory-swap"},
	};
	unsigned int wanted = asked(s) & ~held, holds;

	if (!(s->cpuset_mems && *s->cpuset_mems))
		wanted &= ~(unsigned int)HOLDS_CPUSET;
	if (!wanted)
		return;
	(void)cgroup_probe(&holds);
	for (size_t i = 0; i < ARRAY_LEN(late); i++)
		if (wanted & holds & late[i].limit)
			strv_addf(out,
				"%s holds only from the next start on: the container runs without a control group for it.",
				late[i].option);
}
