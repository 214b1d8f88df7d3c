/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_start: detaches the supervisor from the client that forked it, and launches the container, once or again. */
#include "supervise_parts.h"

#include "auto.h"
#include "etc.h"
#include "fallback.h"
#include "hop.h"
#include "idmap.h"
#include "mount.h"
#include "spec.h"
#include "sys.h"
#include "upper_lock.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

/* Closes everything of the client's: its pipes must close when it ends, and if a test harness closes its own that must
 * be noticed. */
void sup_leave_client(const struct supervise *a)
{
	int keep[LEASE_FDS + 8 + SEED_FDS + LAYERS_MAX], n = layers_fds(a->lease, keep), null;

	keep[n++] = a->client;
	keep[n++] = a->store->root;
	keep[n++] = a->store->runtime;
	keep[n++] = a->join;
	for (int i = 0; i < 3; i++)
		keep[n++] = a->streams[i];
	for (int i = 0; i < SEED_FDS; i++)
		keep[n++] = a->seed[i];
	for (int i = 0; i < a->lease->n; i++)
		keep[n++] = a->lease->layer[i].mount;
	sys_keep_only(keep, (size_t)n);
	/* 0, 1 and 2 stay occupied, so that no stray message can get into a file that is opened next. */
	null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2)
		null = dup(null);
	(void)setsid(); /* fails where we lead a session already */
	(void)prctl(PR_SET_NAME, "sbx-supervise");
	sys_server_signals();
	sup_begin_signals();
}

/* Launches the container with overlay or, if that is not possible, with a private copy of its image. */
static int launch_somehow(struct sup *s, struct launch *l, struct err *e)
{
	struct supervise *a = s->ask;
	auto_free char *rootfs = NULL;
	const size_t behind = a->plan->image_layers;
	struct strv layers = *a->layers,
		    lower = *a->lower; /* copies without ownership: the layers of the root */

	layers.n -= behind;
	lower.n -= lower.n ? behind : 0;
	if (!fallback_no_overlay(a->dir)) {
		if (launch_container(l, &s->c, e) == 0)
			return 0;
		if (e->kind != ERR_NO_OVERLAY || a->plan->storage)
			return -1;
	}
	if (fallback_rootfs(a->store, a->state->id, l->upper, &layers, &lower, &rootfs, e) < 0)
		return -1;
	l->rootfs = rootfs;
	return launch_container(l, &s->c, e);
}

/* Done while the child builds the container: what is needed once for all runs. */
static int open_to_clients(void *arg, struct err *e)
{
	struct sup *s = arg;

	if (s->listener >= 0)
		return 0;
	s->listener = ctl_listen(s->ask->store, s->ask->state->id, e);
	return s->listener < 0 ? -1
	                       : log_begin(&s->log, s->ask->store, s->ask->state->id, s->ask->spec, e);
}

/* Recorded before a process is in it: for processes that join, and for removing it if we are killed. */
static void note_cgroup(struct sup *s)
{
	struct state *st = s->ask->state;
	json_t *cgroup = cgroup_to_json(&s->cgroup);
	struct err e;

	(void)json_object_del(st->extra, "cgroup"); /* of the last time; or there is none */
	if (!cgroup)
		return;
	(void)json_object_set_new(st->extra, "cgroup", cgroup); /* memory */
	(void)state_save_life(s->ask->store, st, &e);           /* the start saves it once more */
}

/* Renews the files of /etc at each start, as docker does. Run with the container's ids, as it may have changed the
 * files' owner or mode. */
static int renew_etc(struct supervise *a, struct err *e)
{
	auto_close int dir = -1;

	if (!a->own_etc || a->fresh) {
		a->fresh = false;
		return 0;
	}
	dir = open(a->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open %s", a->dir) : etc_renew(dir, a->spec, e);
}

/* Whether only its client can end it, and there is nothing to record. */
static bool goes_with_client(const struct sup *s)
{
	return s->ask->state->auto_remove && s->ask->attach.die_with_me;
}

static int join_userns(struct sup *s, struct err *e)
{
	if (sys_setns(s->ask->lease->userns, CLONE_NEWUSER) < 0)
		return idmap_not_joined(e);
	if (mount_ground(e) < 0)
		return -1;
	s->joined = true;
	return 0;
}

static int limit_storage(struct sup *s, const struct launch *l, struct err *e)
{
	struct supervise *a = s->ask;
	const struct quota_ask ask = {l->stage, l->upper,
		{a->lease, a->lower, a->plan->image_layers}, (uint64_t)a->plan->storage};

	if (fallback_no_overlay(a->dir))
		return err_set(e, ERR_UNSUPPORTED,
			"--storage-opt size is supported only by an overlay, and the root of this container is a "
			"private copy of its image");
	return quota_start(&ask, &s->quota, e);
}

/* Closes descriptors that were given to the container. */
static void close_given(struct supervise *a, const struct launch *l)
{
	/* For one run only: a later one makes its own namespaces. */
	for (int i = 0; i < SEED_FDS; i++) {
		auto_close_(&a->seed[i]);
		a->seed[i] = -1;
	}
	for (int i = 0; i < 3; i++)
		if (l->std[i] >= 0)
			(void)close(l->std[i]); /* the container's ends are its own */
}

/* While it starts, the container's clients are not heard, nor its time limit: both end a start that is held up. */
static bool is_unwanted(void *arg)
{
	struct sup *s = arg;
	int64_t limit = s->ask->plan->timeout_ns;

	while (sup_accept(s))
		;
	return sup_any_ends(s) || (limit && sys_now_ns() - s->launched >= limit);
}

/* Where what the container writes goes. *elsewhere: to free; NULL: it is in its own directory. */
static int find_upper(struct supervise *a, char **elsewhere, struct err *e)
{
	const char *known = json_str(a->state->extra, "upper", NULL);

	const char *home;

	if (fallback_upper(a->store, a->state->id, known, elsewhere, e) < 0)
		return -1;
	home = *elsewhere ? *elsewhere : a->dir;
	if (upper_is_held(home)) /* who started this one waited before: another run was in between */
		return err_set(e, ERR_CONFLICT,
			"container %s: its files are at work from its last run", a->state->id);
	if (fallback_renew_work(home, e) < 0)
		return -1;
	if (*elsewhere) /* which must be known for removing it */
		(void)json_object_set_new(a->state->extra, "upper", json_string(*elsewhere));
	return 0;
}

/* The ground that a container is made on. */
static int prepare(struct sup *s, struct launch *l, struct err *e)
{
	struct supervise *a = s->ask;

	quota_end(&s->quota); /* that of the last run, whose mounts are gone */
	if ((!s->joined && join_userns(s, e) < 0) || renew_etc(a, e) < 0)
		return -1;
	/* Without a pid namespace of its own, we have to kill what the container leaves behind, so it must become our
	 * child. */
	if (!(a->plan->namespaces & CLONE_NEWPID))
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* cannot fail with these arguments */
	if (a->plan->storage && limit_storage(s, l, e) < 0)
		return -1;
	l->quota = s->quota.mount;
	/* Room to record that it runs, before the container itself can fill the disk. A container that may end at once
	 * is not recorded. */
	return goes_with_client(s) ? 0 : state_make_room(a->store, a->state, e);
}

/* Its ports, its clock and its terminal. */
static int connect_to_it(struct sup *s, struct err *e)
{
	if (publish_begin(&s->publish, s->c.pidfd, e) < 0) {
		(void)sys_pidfd_kill(s->c.pidfd, SIGKILL); /* it ends with us in any case */
		return -1;
	}
	s->began = sys_now_ns();
	if (s->c.pty >= 0) {
		s->in = s->out[0] = s->c.pty;
		(void)fcntl(s->c.pty, F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	return 0;
}

int sup_launch(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;
	auto_free char *stage = xasprintf("%s/stage", a->store->runtime_path), *upper = NULL;
	struct launch l = {.plan = a->plan,
		.stage = stage,
		.store = a->store,
		.lease = a->lease,
		.lower = a->lower,
		.filter = a->filter,
		.cgroup = &s->cgroup,
		.join = a->join,
		.meanwhile = open_to_clients,
		.unwanted = is_unwanted,
		.arg = s};
	int result;

	s->launched = sys_now_ns();
	/* While we are still in the user namespace that owns these control groups. */
	if (!s->joined) {
		s->root = geteuid() == 0;
		s->hide = hop_needed();
		cgroup_open(&s->cgroup, a->state->id, a->plan, s->root);
		note_cgroup(s);
	}
	if (find_upper(a, &upper, e) < 0 || sup_make_streams(s, l.std, e) < 0)
		return -1;
	l.hide = s->hide;
	l.upper = upper ? upper : a->dir;
	memcpy(l.seed, a->seed, sizeof(l.seed));
	if (prepare(s, &l, e) < 0)
		return -1;
	result = launch_somehow(s, &l, e);
	auto_close_(&s->quota.mount); /* overlay has it */
	s->quota.mount = -1;
	close_given(a, &l);
	if (result < 0 || connect_to_it(s, e) < 0) {
		sup_end_rest(s); /* it may have run already, and not have been heard of */
		return -1;
	}
	return 0;
}

int sup_begin(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;

	s->claim = state_life_claim(a->store, a->state->id, e);
	if (s->claim < 0)
		return -1;
	s->life = state_life_begin(a->store, a->state->id, e);
	if (s->life < 0)
		return -1;
	state_note_runtime(a->store, a->state); /* before room is made for the state */
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->timer < 0)
		return err_sys(e, "timerfd");
	/* Once for all runs, before anything runs. */
	if (publish_listen(&s->publish, a->spec, e) < 0)
		return err_ctx(e,
			"failed to set up container networking: driver failed programming external "
			"connectivity on endpoint %s (%s)",
			a->state->name ? a->state->name : "", a->state->id);
	return sup_launch(s, e);
}

/* If the start cannot be recorded or told of, the container must not go on: without a pid in the state nobody could end it. */
static int undo_start(struct sup *s, enum status before)
{
	health_end(&s->health);
	watch_end(&s->watch);
	publish_end(&s->publish);
	(void)sys_pidfd_kill(s->c.pidfd, SIGKILL);
	(void)wait4(s->c.pid, &s->status, 0, &s->usage); /* our child: its control group is empty then */
	s->ended = sys_now_ns();
	sup_end_rest(s);
	s->ask->state->status = before;
	s->ask->state->pid = 0;
	return -1;
}

int sup_tell_start(struct sup *s, enum status before, struct err *e)
{
	if (ctl_send(s->ask->client, CTL_STARTED, NULL, 0) == 0)
		return 0;
	if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
		sup_lose_client(s, 0);
		return 0;
	}
	(void)err_sys(e, "tell that the container runs");
	return undo_start(s, before); /* who cannot be told would end us, and not all that runs */
}

int sup_record_start(struct sup *s, struct err *e)
{
	struct state *st = s->ask->state;
	enum status before = st->status;

	/* First, as the container runs already, and writing a file may take long. */
	sup_begin_watch(s);
	if (state_started(st, s->c.pid, s->c.pidfd, e) < 0)
		return undo_start(s, before);
	free(st->ports);
	st->ports = s->publish.ports ? json_dumps(s->publish.ports, JSON_COMPACT) : NULL;
	health_begin(&s->health, s->ask->spec, s->ask->host, s->ask->filter, s->c.pidfd, s->c.pid,
		json_object_get(st->extra, "Health"));
	s->health.cgroup = &s->cgroup;
	if (s->health.spec) {
		free(st->health);
		st->health = xstrdup(s->health.status);
		(void)json_object_set_new(st->extra, "Health", health_json(&s->health));
	}
	/* Its processes do not end with its first one: if we are killed, the next command finds them by this. */
	if (!(s->ask->plan->namespaces & CLONE_NEWPID))
		(void)json_object_set_new(st->extra, "mounts",
			json_integer((json_int_t)sys_mounts_number(s->c.mounts))); /* memory */
	if (state_save_life(s->ask->store, st, e) < 0 && !goes_with_client(s))
		return undo_start(s, before);
	sup_set_deadline(s);
	sup_set_timer(s);
	return 0;
}
