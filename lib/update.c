/* SPDX-License-Identifier: Apache-2.0 */
#include "update.h"

#include "ctl.h"
#include "enforce.h"
#include "event.h"
#include "limit.h"
#include "spec.h"
#include "state.h"
#include "sys.h"
#include "update_running.h"

#include <string.h>

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

/* Docker writes it down when a container is created, and no later change of the memory changes it. */
static int64_t swap_of(const struct spec *s)
{
	return given(s->memory_swap) ? s->memory_swap
	       : given(s->memory)    ? limit_with_swap(s->memory)
	                             : 0;
}

/* A stopped container may get values that its next start will refuse; for a running one the kernel refuses at once. */
static int check_swap(const struct spec *was, const json_t *change, bool runs, struct err *e)
{
	int64_t memory = json_int(change, "Memory", 0), swap = json_int(change, "MemorySwap", 0);
	int64_t had = swap_of(was);

	if (memory && memory > had && !swap) /* also where swap has no limit, -1 */
		return refuse(memory_above_swap, e);
	memory = memory ? memory : given(was->memory) ? was->memory : 0;
	if (runs && swap > 0 && !memory)
		return refuse("unable to set swap limit without memory limit", e);
	if (runs && swap > 0 && swap < memory)
		return refuse("memory+swap limit should be >= memory limit", e);
	return 0;
}

/* Docker converts --cpus to a period and a quota, so that --cpus and those exclude each other. */
static int check_cpus(const struct spec *was, const json_t *change, struct err *e)
{
	bool cpus = json_int(change, "NanoCpus", 0) > 0, had = given(was->nano_cpus);

	if (cpus && was->cpu_period > 0)
		return refuse("Conflicting options: Nano CPUs cannot be updated as CPU Period has already been set",
			e);
	if (cpus && was->cpu_quota > 0)
		return refuse("Conflicting options: Nano CPUs cannot be updated as CPU Quota has already been set",
			e);
	if (had && json_int(change, "CpuPeriod", 0) > 0)
		return refuse("Conflicting options: CPU Period cannot be updated as NanoCPUs has already been set",
			e);
	if (had && json_int(change, "CpuQuota", 0) > 0)
		return refuse("Conflicting options: CPU Quota cannot be updated as NanoCPUs has already been set",
			e);
	return 0;
}

/* What docker refuses of a change that would be fine in a new container. */
static int check_change(const struct spec *was, const json_t *change, bool runs, struct err *e)
{
	return check_cpus(was, change, e) < 0 ? -1 : check_swap(was, change, runs, e);
}

static int check_policy(const struct spec *was, const json_t *change, struct err *e)
{
	const char *policy = json_str(json_object_get(change, "RestartPolicy"), "Name", "no");

	if (was->auto_remove && !str_eq(policy, "no") && *policy)
		return refuse("Restart policy cannot be updated because AutoRemove is enabled for the container",
			e);
	return 0;
}

/* Of our own members only limits can be changed. */
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

/* Checks the resulting spec by the rules for a new one; but of memory and processors only what is new. */
static int check_whole(const json_t *spec, const json_t *change, struct spec *will, struct err *e)
{
	auto_json json_t *whole = json_deep_copy(spec);

	state_apply_change(whole, change);
	if (spec_from_json(will, whole, e) < 0)
		return -1;
	will->memory = json_int(change, "Memory", 0);
	will->memory_swap = will->memory ? json_int(change, "MemorySwap", 0) : 0;
	will->memory_reservation = json_int(change, "MemoryReservation", 0);
	will->nano_cpus = json_int(change, "NanoCpus", 0);
	will->cpu_period = json_int(change, "CpuPeriod", 0);
	will->cpu_quota = json_int(change, "CpuQuota", 0);
	return spec_complete(will, e) < 0 ? -1 : enforce_check(will, e);
}

/* What is new, alone: of the rest the user was warned before. */
static void only_new(const json_t *change, const struct spec *will, struct spec *out)
{
	auto_json json_t *alone = json_pack("{s:{}}", "HostConfig");
	struct err unused; /* it was read before, with all the rest */

	state_apply_change(alone, change);
	(void)spec_from_json(out, alone, &unused);
	out->timeout_ns = will->timeout_ns;
	out->output_limit = will->output_limit;
}

void update_tell_supervisor(const struct store *s, const char *id)
{
	struct err gone;
	auto_close int sock = ctl_connect(s, id, &gone);
	auto_free struct ctl_frame *f = xcalloc(1, sizeof(*f));

	if (sock >= 0 && ctl_send(sock, CTL_UPDATE, NULL, 0) == 0)
		(void)ctl_recv(sock, f); /* nothing: it has ended */
}

/* 0 and "" do; but of processes 0 and less is no limit, which docker keeps as 0. */
static bool asks_nothing(const char *key, const json_t *v)
{
	if (json_is_string(v))
		return !*json_string_value(v);
	return json_is_integer(v) && !json_integer_value(v) && !str_eq(key, "PidsLimit");
}

static json_t *settled(const json_t *asked, const struct spec *was)
{
	json_t *change = json_object(), *v;
	int64_t swap = swap_of(was);
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)asked, key, v)
	{
		if (!asks_nothing(key, v))
			(void)json_object_set(change, key, v); /* memory, as below */
	}
	if (json_int(change, "PidsLimit", 0) < 0)
		(void)json_object_set_new(change, "PidsLimit", json_integer(0));
	if (json_int(change, "Memory", 0) && !json_object_get(change, "MemorySwap") && swap)
		(void)json_object_set_new(change, "MemorySwap", json_integer(swap));
	return change;
}

int update_container(const struct store *s, const char *id, const json_t *asked,
	struct strv *warnings, struct err *e)
{
	auto_json json_t *spec = NULL, *change = NULL;
	auto_spec struct spec was, will, new;
	auto_state struct state st = {0};

	spec_init(&was);
	spec_init(&will);
	spec_init(&new);
	if (state_load(s, id, &st, e) < 0 || state_is_here(&st, e) < 0 ||
		!(spec = state_load_spec(s, id, e)) || spec_from_json(&was, spec, e) < 0)
		return -1;
	if (check_ours(asked, e) < 0)
		return -1;
	if (check_policy(&was, asked, e) < 0)
		return err_ctx(e, "Cannot update container %s", st.id);
	if (check_whole(spec, asked, &will, e) < 0)
		return -1;
	if (check_change(&was, asked, state_runs(&st), e) < 0)
		return err_ctx(e, "Cannot update container %s", st.id);
	change = settled(asked, &was);
	if (state_change_spec(s, id, change, e) < 0)
		return -1;
	only_new(asked, &will, &new);
	enforce_warnings(&new, warnings);
	if (state_runs(&st)) {
		update_tell_supervisor(s, id);
		if (update_running(s, &st, change, &was, &new, warnings, e) < 0)
			return err_ctx(e, "Cannot update container %s", st.id);
	}
	event_container(s, &st, "update", NULL, NULL);
	return 0;
}
