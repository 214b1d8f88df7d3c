/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_end: records how a run ended, as exit code, reason and result, and tells clients. */
#include "supervise_parts.h"

#include "auto.h"
#include "await.h"
#include "event.h"
#include "outcome.h"
#include "sys.h"
#include "volume.h"

#include <string.h>
#include <sys/wait.h>

static const char *const end_names[] = {
	[END_EXITED] = "exited",
	[END_TIMEOUT] = "timeout",
	[END_OOM] = "oom",
	[END_CPU] = "cpu-time",
	[END_PIDS] = "pids",
	[END_OUTPUT] = "output-limit",
	[END_CLIENT] = "client-gone",
	[END_STORAGE] = "storage-lost",
};

int sup_exit_code(const struct sup *s)
{
	if (s->end == END_TIMEOUT)
		return 124;
	if (WIFSIGNALED(s->status))
		return 128 + WTERMSIG(s->status);
	return WEXITSTATUS(s->status);
}

/* Whether the kernel or the watch has killed for lack of memory. */
static bool memory_was_short(const struct sup *s)
{
	return s->end == END_OOM || s->watch.killed || s->used.ooms > s->ooms_before;
}

static const char *reason(const struct sup *s)
{
	int signo = s->signo;

	if (s->end != END_EXITED || !signo)
		return end_names[s->end];
	if (s->sent >> signo % 64 & 1)
		return "killed-by-user";
	return signo == SIGKILL && memory_was_short(s) ? "oom" : "signalled";
}

static json_t *make_result(const struct sup *s, int code)
{
	struct outcome o = {
		.id = s->ask->state->id,
		.reason = reason(s),
		.code = code,
		.signal = s->signo,
		.timed_out = s->end == END_TIMEOUT,
		.oom_killed = memory_was_short(s),
		.wall_ns = (s->ended > s->began ? s->ended : sys_now_ns()) - s->began,
		.usage = s->usage,
		.group = s->used,
		.peak_memory = s->watch.peak,
		.peak_pids = s->watch.peak_pids,
		.bytes = {s->bytes[0], s->bytes[1]},
		.dropped = s->dropped,
	};

	return outcome_json(&o, s->ask->spec, s->ask->plan, &s->cgroup, s->root);
}

static void tell_events(const struct sup *s, int code)
{
	const struct supervise *a = s->ask;
	char text[16];

	if (memory_was_short(s) && !s->watch.killed) /* else on_oom() has told it already */
		event_container(a->store, a->state, "oom", NULL, NULL);
	(void)snprintf(text, sizeof(text), "%d", code); /* fits */
	event_life_end(a->store, a->state, a->spec, text);
}

void sup_record_end(struct sup *s, bool again)
{
	struct state *st = s->ask->state;
	int code = sup_exit_code(s);
	struct err e;

	health_end(&s->health);
	state_health_stands(st);
	if (!again) /* before the state says so */
		state_life_ending(s->life);
	(void)clock_gettime(CLOCK_REALTIME, &st->finished);
	st->status = again ? ST_RESTARTING : ST_EXITED;
	st->restart_count += again;
	free(take(st->ports));
	st->pid = 0;
	st->exit_code = code;
	st->oom_killed = memory_was_short(s);
	st->timed_out = s->end == END_TIMEOUT;
	st->result = make_result(s, code);
	/* If it cannot be written now (the disk is full), the next command gets the code from the life file, whose
	 * block is allocated already. */
	if (st->auto_remove && !again)
		state_learn_name(s->ask->store, st);
	else
		(void)state_save_life(s->ask->store, st, &e);
	tell_events(s, code);
}

void sup_tell_end(struct sup *s)
{
	struct state *st = s->ask->state;
	auto_free char *result = json_dumps(st->result, JSON_LINE);
	size_t n = result ? strlen(result) : 0;
	char message[sizeof(struct ctl_exit) + 4096];
	struct ctl_exit x = {.code = st->exit_code};

	if (n > 4096)
		n = 0;
	memcpy(message, &x, sizeof(x));
	if (n)
		memcpy(message + sizeof(x), result, n);
	sup_tell_last(s, CTL_EXIT, message, sizeof(x) + n);
}

void sup_fail(struct sup *s, struct err *e)
{
	struct state *st = s->ask->state;
	struct err other;

	s->clients[0].over = true; /* the client that starts it gets the reason, and is not told of an end */
	cgroup_remove(&s->cgroup);
	/* As docker stores it: never started, with the code and the reason. Without the life file the container
	 * belongs to another supervisor, which was faster. */
	st->exit_code = launch_words(false, e);
	free(st->error);
	st->error = xstrdup(e->text);
	json_decref(st->result); /* of an earlier life */
	st->result = outcome_never_ran(e->text, st->exit_code);
	if (s->life >= 0) {
		/* Clients that are waiting join now, to be told of this end; what they wait by goes with the container. */
		await_join(s->ask->store, st->id, sup_join_client, s);
		event_life_begin(s->ask->store, st, s->ask->spec, false);
		event_life_end(s->ask->store, st, s->ask->spec, NULL);
	}
	if (s->life >= 0 && st->auto_remove) {
		(void)volume_remove_container(s->ask->store, st, s->ask->spec, 0,
			&other); /* else the next command does it */
		event_container(s->ask->store, st, "destroy", NULL, NULL);
	} else if (s->life >= 0) {
		(void)state_save_life(s->ask->store, st, &other);
	}
	if (s->life >= 0) {
		(void)state_life_end(s->life, st, &other);
		sup_tell_end(s);
	}
	(void)ctl_send(s->ask->client, CTL_FAILED, e, sizeof(*e)); /* the client may be gone */
	_exit(1);
}
