/* SPDX-License-Identifier: Apache-2.0 */
#include "update.h"

#include "ctl.h"
#include "enforce.h"
#include "event.h"
#include "procs.h"
#include "spec.h"
#include "state.h"
#include "status.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

static bool given(int64_t v)
{
	return v != SPEC_UNSET && v != 0;
}

static int refuse(const char *why, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "%s", why);
}

static const char *const memory_above_swap =
	"Memory limit should be smaller than already set memoryswap limit, update the memoryswap at the same "
	"time";

/* What docker refuses of a change that would be fine in a new container. */
static int check_change(const struct spec *was, const json_t *change, struct err *e)
{
	int64_t memory = json_int(change, "Memory", 0), swap = json_int(change, "MemorySwap", 0);
	int64_t had = given(was->memory_swap) ? was->memory_swap
	              : given(was->memory)    ? 2 * was->memory
	                                      : 0;

	if (memory > had && had != -1 && !swap)
		return refuse(memory_above_swap, e);
	if (given(was->nano_cpus) && json_int(change, "CpuPeriod", 0))
		return refuse("Conflicting options: CPU Period cannot be updated as NanoCPUs has already been set",
			e);
	if (given(was->nano_cpus) && json_int(change, "CpuQuota", 0))
		return refuse("Conflicting options: CPU Quota cannot be updated as NanoCPUs has already been set",
			e);
	if (given(was->cpu_quota) && json_int(change, "NanoCpus", 0))
		return refuse("Conflicting options: NanoCPUs cannot be updated as CPU Quota has already been set",
			e);
	if (given(was->cpu_period) && json_int(change, "NanoCpus", 0))
		return refuse("Conflicting options: NanoCPUs cannot be updated as CPU Period has already been set",
			e);
	return 0;
}

static int check_policy(const struct spec *was, const json_t *change, struct err *e)
{
	const char *policy = json_str(json_object_get(change, "RestartPolicy"), "Name", "no");

	if (was->auto_remove && !str_eq(policy, "no") && *policy)
		return refuse("Restart policy cannot be updated because AutoRemove is enabled for the container",
			e);
	return 0;
}

/* Of what is ours only limits are anybody's to change. */
static int check_ours(const json_t *change, struct err *e)
{
	static const char *const limits[] = {
		"Timeout", "KillAfter", "CpuTime", "OutputLimit", "OutputLimitAction"};
	const json_t *ours = json_object_get(change, "Sbx");
	size_t known = 0;

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		known += json_object_get(ours, limits[i]) != NULL;
	if (ours && (!json_is_object(ours) || json_object_size(ours) != known))
		return err_set(e, ERR_USAGE, "of \"Sbx\" only limits can be updated");
	return 0;
}

/* The spec as it will be, by the same rules as a new one. */
static int check_whole(const json_t *spec, const json_t *change, struct spec *out, struct err *e)
{
	auto_json json_t *whole = json_deep_copy(spec);

	state_apply_change(whole, change);
	if (spec_from_json(out, whole, e) < 0 || spec_complete(out, e) < 0)
		return -1;
	return enforce_check(out, e);
}

/* Of what is new: the rest was said when it was asked for. */
static void warn(const json_t *change, struct strv *warnings)
{
	auto_json json_t *alone = json_pack("{s:O}", "HostConfig", change);
	auto_spec struct spec asked;
	struct err unused; /* it was read before, with all the rest */

	spec_init(&asked);
	if (spec_from_json(&asked, alone, &unused) == 0)
		enforce_warnings(&asked, warnings);
}

/* The kernel counts the tasks of a user namespace, and lets nobody but root raise the limit. */
static void set_pids(const struct state *st, int64_t pids, struct strv *warnings)
{
	struct rlimit want = {
		pids > 0 ? (rlim_t)pids : RLIM_INFINITY, pids > 0 ? (rlim_t)pids : RLIM_INFINITY};
	auto_free struct proc *list = NULL;
	bool refused = false;
	struct err gone;
	size_t n = 0;

	if (procs_list(st, &list, &n, &gone) < 0)
		return; /* it has ended */
	for (size_t i = 0; i < n; i++) {
		struct rlimit now;

		if (prlimit(list[i].pid, RLIMIT_NPROC, NULL, &now) == 0 && now.rlim_max == want.rlim_max)
			continue;
		refused |= prlimit(list[i].pid, RLIMIT_NPROC, &want, NULL) < 0 && errno == EPERM;
	}
	if (refused)
		strv_addf(warnings,
			"The limit of processes of %.12s can only be raised by its next start.", st->id);
}

/* The supervisor reads the spec again, and answers when it has done what it can. */
static void tell_supervisor(const struct store *s, const char *id)
{
	struct err gone;
	auto_close int sock = ctl_connect(s, id, &gone);
	auto_free struct ctl_frame *f = xcalloc(1, sizeof(*f));

	if (sock >= 0 && ctl_send(sock, CTL_UPDATE, NULL, 0) == 0)
		(void)ctl_recv(sock, f); /* nothing: it has ended */
}

/* Below 0 is no limit, which docker keeps as 0. */
static json_t *settled(const json_t *change)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)change);

	if (json_int(copy, "PidsLimit", 0) < 0)
		(void)json_object_set_new(copy, "PidsLimit", json_integer(0)); /* memory */
	return copy;
}

int update_container(const struct store *s, const char *id, const json_t *asked,
	struct strv *warnings, struct err *e)
{
	auto_json json_t *change = settled(asked);
	auto_spec struct spec was, will;
	auto_state struct state st = {0};
	auto_json json_t *spec = NULL;

	spec_init(&was);
	spec_init(&will);
	if (state_load(s, id, &st, e) < 0 || !(spec = state_load_spec(s, id, e)) ||
		spec_from_json(&was, spec, e) < 0)
		return -1;
	if (check_ours(change, e) < 0)
		return -1;
	if (check_policy(&was, change, e) < 0)
		return err_ctx(e, "Cannot update container %s", st.id);
	if (check_whole(spec, change, &will, e) < 0)
		return -1;
	if (check_change(&was, change, e) < 0)
		return err_ctx(e, "Cannot update container %s", st.id);
	if (state_change_spec(s, id, change, e) < 0)
		return -1;
	warn(change, warnings);
	if (status_runs(&st)) {
		tell_supervisor(s, id);
		if (json_object_get(change, "PidsLimit"))
			set_pids(&st, json_int(change, "PidsLimit", 0), warnings);
	}
	event_container(s, &st, "update", NULL, NULL);
	return 0;
}
