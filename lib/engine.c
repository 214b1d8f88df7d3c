/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_parts.h"

#include "auto.h"
#include "child.h"
#include "event.h"
#include "fallback.h"
#include "idmap.h"
#include "image.h"
#include "launch_say.h"
#include "layers.h"
#include "masks.h"
#include "outcome.h"
#include "parse.h"
#include "propagate.h"
#include "relay.h"
#include "stage.h"
#include "supervise.h"
#include "sys.h"
#include "upper_lock.h"
#include "volume.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define CGROUP2_SUPER_MAGIC 0x63677270

/* ---- what the parts share ------------------------------------------------------------- */

void made_done(struct made *m)
{
	state_done(&m->st);
	spec_done(&m->spec);
	free(m->dir);
}

int engine_load(const struct store *s, const char *id, struct made *m, struct err *e)
{
	auto_json json_t *json = NULL;

	spec_init(&m->spec);
	if (state_load(s, id, &m->st, e) < 0)
		return -1;
	json = state_load_spec(s, id, e);
	if (!json || spec_from_json(&m->spec, json, e) < 0)
		return -1;
	m->dir = state_path(s, m->st.id);
	return 0;
}

int engine_not_running(const struct state *st, struct err *e)
{
	if (state_is_in_reach(st, e) < 0)
		return -1;
	if (st->status == ST_RESTARTING)
		return err_set(e, ERR_CONFLICT,
			"Container %s is restarting, wait until the container is running", st->id);
	return err_set(e, ERR_CONFLICT, "container %s is not running", st->id);
}

int engine_pid1(const struct state *st, struct err *e)
{
	int pidfd = -1;

	if (state_is_in_reach(st, e) < 0)
		return -1;
	if (st->status == ST_RUNNING || st->status == ST_PAUSED) {
		pidfd = state_pid1(st);
		if (pidfd < 0 && errno != ESRCH)
			return err_sys(e, "look at process %d", (int)st->pid);
	}
	return pidfd < 0 ? engine_not_running(st, e) : pidfd;
}

/* Virtual machines have none, which one look shows. */
static unsigned int count_hot_cpus(void)
{
	char path[sizeof(MASK_OF_CPU) + 16], present[256];
	const char *last;

	(void)snprintf(path, sizeof(path), MASK_OF_CPU, 0U); /* fits */
	if (access(path, F_OK) < 0 ||
		sys_get(AT_FDCWD, "/sys/devices/system/cpu/present", present, sizeof(present)) <= 0)
		return 0;
	for (last = present + strcspn(present, "\n");
		last > present && last[-1] >= '0' && last[-1] <= '9'; last--)
		; /* of "0-3,8-11" the 11 */
	return (unsigned int)strtoul(last, NULL, 10) + 1;
}

void engine_read_exec_host(struct host *h, bool range)
{
	struct utsname u;

	*h = (struct host){.range = range, .root = geteuid() == 0, .cpus = (unsigned int)get_nprocs()};
	if (uname(&u) == 0)
		(void)snprintf(h->nodename, sizeof(h->nodename), "%.64s", u.nodename); /* fits */
}

/* What planning a container may know, which reads the machine's mounts as well. */
static void read_host(struct host *h, bool range, const struct spec *spec)
{
	struct statfs st;

	engine_read_exec_host(h, range);
	h->cgroup2 = statfs("/sys/fs/cgroup", &st) == 0 && st.f_type == CGROUP2_SUPER_MAGIC;
	h->kcore = faccessat(AT_FDCWD, PROC_KCORE, F_OK, 0) == 0;
	if (spec->init && sys_own_path(h->exe, sizeof(h->exe)) < 0)
		h->exe[0] = '\0'; /* mounting it will fail with the reason */
}

static int try_ids(void *mode, struct err *e)
{
	struct idmap map;

	return idmap_enter(*(const enum ids_mode *)mode, &map, e) < 0 ? -1 : map.range;
}

int engine_read_machine(struct host *h, const struct spec *spec, struct err *e)
{
	enum ids_mode mode = fallback_ids(spec, NULL);
	int range = mode == IDS_ONE ? 0 : child_do(try_ids, &mode, e);

	if (range < 0 && mode == IDS_RANGE)
		return -1;
	read_host(h, range > 0, spec); /* if no server would start, the plan is that for one id */
	h->hot_cpus = count_hot_cpus();
	return 0;
}

int engine_get_filter(const struct store *s, const struct plan *p, const char *user, bool held,
	struct seccomp_filter *out, struct err *e)
{
	bool root = !*user || strcmp(user, "0") == 0 || strcmp(user, "root") == 0 ||
	            str_starts(user, "0:") || str_starts(user, "root:");
	struct seccomp_ask ask = {.profile = p->seccomp_profile,
		.caps = p->caps,
		.fake_root = p->fake_root && root,
		.privileged = p->privileged,
		.held = held};

	return seccomp_get(s, &ask, out, e);
}

/* ---- start ---------------------------------------------------------------------------- */

#define START_LOOK_MS 50

/* Waits for the supervisor's answer. Signals that come meanwhile are the command's, and are read when it runs. But they end a
 * start that is held up, so the supervisor is told of them. */
static void wait_for_start(int sock, int signals)
{
	struct pollfd answer = {.fd = sock, .events = POLLIN};

	while (signals >= 0 && poll(&answer, 1, START_LOOK_MS) == 0)
		if (relay_is_told()) {
			(void)ctl_send(sock, CTL_TOLD, NULL, 0); /* it may be gone */
			return;
		}
}

/* Reads the supervisor's answer: the container runs, or why not. If no answer can be read the supervisor is ended, because nobody
 * would wait for the end of what it has started. */
static int hear_start(int sock, pid_t pid, int signals, struct err *e)
{
	struct ctl_frame *f = xcalloc(1, sizeof(*f));
	ssize_t n;
	int result = 0;

	wait_for_start(sock, signals);
	n = ctl_recv(sock, f);
	if (n < 0)
		n = ctl_recv(sock, f); /* it was an error, and not the end */
	if (n < 0) {
		(void)kill(pid, SIGKILL); /* our child, not yet waited for */
		result = err_set(e, ERR_SYSTEM, "the supervisor died while the container started");
	} else if (f->kind == CTL_FAILED && n == sizeof(*e)) {
		memcpy(e, f->data, sizeof(*e));
		result = -1;
	}
	free(f);
	return result;
}

static int keep_reason(struct state *st, void *arg, struct err *e)
{
	const struct err *why = arg;

	(void)e;
	if (!st->exit_code)
		st->exit_code = err_exit_status(why, 128);
	free(st->error);
	st->error = xstrdup(why->text);
	json_decref(st->result); /* of an earlier life */
	st->result = outcome_never_ran(why->text, st->exit_code);
	return 0;
}

/* For a start that failed before there was a supervisor: records the failure in the state like any other. Returns
 * -1. */
static int not_started(const struct store *s, struct made *m, const struct err *why)
{
	struct err copy = *why, other; /* the error to report is why it did not start */

	m->refused = true;
	if (m->st.auto_remove &&
		volume_remove_container(s, &m->st, &m->spec, RETIRE_STOPPED, &other) == 0) {
		event_container(s, &m->st, "destroy", NULL, NULL);
	} else if (!m->st.auto_remove) {
		(void)state_update(s, m->st.id, keep_reason, &copy, &other);
	}
	return -1;
}

/* What a supervisor is given, beside what is in struct made. */
struct given {
	struct host host;
	struct plan plan;
	struct seccomp_filter filter;
	bool own_etc; /* as it was asked for */
	int joined;
};

static void given_done(struct given *g)
{
	plan_done(&g->plan);
	seccomp_done(&g->filter);
	auto_close_(&g->joined);
}
#define auto_given __attribute__((cleanup(given_done)))

static void read_size(struct host *h, const struct spec *spec, const struct attach *a)
{
	h->rows = spec->console.rows;
	h->cols = spec->console.cols;
	if (a)
		(void)relay_size(a, &h->rows, &h->cols); /* no terminal: no size */
}

static int plan_start(const struct store *s, struct made *m, struct lease *lease,
	const struct attach *a, struct given *g, struct err *e)
{
	const char *path;

	g->own_etc = !engine_joins_network(&m->spec);
	engine_join_name(s, &m->spec);
	engine_join_files(s, m->st.id, &m->spec);
	engine_join_hosts(s, &m->spec, 0);
	read_host(&g->host, lease->range, &m->spec);
	g->host.hot_cpus = count_hot_cpus();
	read_size(&g->host, &m->spec, a);
	if (stage_make(s, e) < 0 || volume_resolve(s, &m->spec, e) < 0 ||
		propagate_check(&m->spec, e) < 0 ||
		plan_container(&m->spec, &g->host, m->dir, &g->plan, e) < 0)
		return -1;
	path = strv_env(&g->plan.env, "PATH");
	layers_foresee(lease, g->plan.argv.v[0], path ? path + 5 : "");
	if (engine_get_filter(s, &g->plan, g->plan.user, false, &g->filter, e) < 0 ||
		engine_open_joined(s, m->st.id, &g->plan, &g->joined, e) < 0)
		return -1;
	return engine_link_check(s, m, e);
}

static void __attribute__((noreturn)) become_supervisor(struct supervise *ask, const struct attach *a)
{
	if (a)
		ask->attach = (struct ctl_attach){a->in, a->out, a->err, a->die_with_me};
	for (int i = 0; i < 3; i++)
		ask->streams[i] = a && a->streams ? a->streams[i] : -1;
	supervise(ask);
}

static int start_supervisor(const struct store *s, struct made *m, struct lease *lease,
	const struct strv *layers, const struct strv *lower, const struct attach *a, int signals,
	struct err *e)
{
	auto_given struct given g = {.joined = -1};
	auto_close int ours = -1, theirs = -1;
	struct supervise ask = {.seed = {-1, -1, -1, -1, -1}};
	/* The server looks for one while we plan. */
	bool seeded = plan_owns_all(&m->spec) && layers_ask_seed(lease);
	pid_t pid;
	int pair[2];

	/* For processes that join the container later. */
	(void)json_object_set_new(m->st.extra, "range", json_boolean(lease->range));
	m->st.restart_count = 0; /* after a start by the user the restart policy counts anew */
	if (plan_start(s, m, lease, a, &g, e) < 0)
		return not_started(s, m, e);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	if (seeded)
		layers_take_seed(lease, ask.seed);
	pid = fork();
	if (pid == 0) {
		ask.store = s;
		ask.state = &m->st;
		ask.plan = &g.plan;
		ask.spec = &m->spec;
		ask.host = &g.host;
		ask.lease = lease;
		ask.layers = layers;
		ask.lower = lower;
		ask.filter = &g.filter;
		ask.dir = m->dir;
		ask.own_etc = g.own_etc;
		ask.fresh = m->fresh;
		ask.join = g.joined;
		ask.client = theirs;
		become_supervisor(&ask, a);
	}
	for (int i = 0; i < SEED_FDS; i++)
		auto_close_(&ask.seed[i]); /* leaves errno as it is */
	if (pid < 0)
		return err_sys(e, "fork");
	(void)close(take_fd(&theirs)); /* or we would not hear of its death */
	if (hear_start(ours, pid, signals, e) < 0) {
		(void)waitpid(pid, NULL, 0); /* our child, and it has nothing more to say */
		return -1;
	}
	return take_fd(&ours);
}

static bool never(void)
{
	return false;
}

/* For who works on files of its last run, see upper_lock.h. Here, as a supervisor would neither hear who tells it to end, nor
 * leave the container to who removes it. */
static int wait_for_files(const struct made *m, int signals, struct err *e)
{
	auto_free char *home = upper_home(m->dir, m->st.extra);

	if (upper_wait(home, signals >= 0 ? relay_is_told : never))
		return 0;
	return err_set(
		e, ERR_CONFLICT, "container %s: its files are at work from its last run", m->st.id);
}

/* Leases the layers and starts the supervisor; returns a socket to it. signals: of relay_begin(). */
static int start(
	const struct store *s, struct made *m, const struct attach *a, int signals, struct err *e)
{
	auto_lease struct lease lease = {.conn = -1, .userns = -1};
	auto_strv struct strv layers = {0}, lower = {0};

	if (volume_check_binds(&m->spec, e) < 0 || (!m->fresh && wait_for_files(m, signals, e) < 0))
		return -1; /* nothing was tried, so the state does not change */
	if (engine_check_start(s, &m->spec, e) < 0)
		return not_started(s, m, e);
	if (parse_mounts_start(&m->spec, e) < 0) {
		(void)launch_words(false, e); /* the code is not the runtime's */
		return not_started(s, m, e);
	}
	image_layers_now(s, json_object_get(m->st.extra, "layers"), &layers);
	if (engine_images_layers(s, &m->spec, &layers, e) < 0)
		return not_started(s, m, e);
	if (fallback_lease(s, fallback_ids(&m->spec, json_object_get(m->st.extra, "range")),
		    &layers, &lease, &lower, e) < 0)
		return -1;
	if (a)
		event_container(s, &m->st, "attach", NULL, NULL);
	return start_supervisor(s, m, &lease, &layers, &lower, a, signals, e);
}

static int start_or_say(
	const struct store *s, struct made *m, const struct attach *a, int signals, struct err *e)
{
	int sock = start(s, m, a, signals, e);

	return sock < 0 ? store_room_ctx(s, e) : sock;
}

/* st: what repairing the state has left of it; nothing, of one of --rm. */
static char *result_of(const struct state *st, const char *id, int code)
{
	auto_json json_t *r = st->result ? json_incref(st->result) : outcome_lost(id, false, code);

	return json_dumps(r, JSON_LINE);
}

/* Relays until the container ends. *status: the client's exit status. */
static int follow(const struct store *s, const char *id, int sock, const struct attach *a,
	int signals, int *status, struct err *e)
{
	struct relay r = {.attach = a,
		.store = s,
		.id = id,
		.ctl = sock,
		.in = -1,
		.out = -1,
		.err = -1,
		.pty = -1,
		.pidfd = -1};
	auto_state struct state st = {0};
	auto_buf struct buf result = {0};
	int code = 0;

	switch (relay_run(&r, signals, &code, &result)) {
	case RELAY_ENDED:
		*status = code;
		break;
	case RELAY_DETACHED:
		/* A client that wants nothing: its end neither ends the input nor counts for --rm. */
		(void)ctl_send(sock, CTL_ATTACH, &(struct ctl_attach){0}, sizeof(struct ctl_attach));
		if (state_load(s, id, &st, e) == 0)
			event_container(s, &st, "detach", NULL, NULL);
		*status = 0;
		if (a->detached)
			*a->detached = true;
		break;
	default:
		/* The supervisor was killed, and loading the state repairs it; or it had told all its clients the end when we
		 * came. */
		(void)state_load(s, id, &st, e);
		*status = st.status == ST_EXITED ? st.exit_code : 137;
		if (a->lost && *status == 137)
			(void)err_set(a->lost, ERR_SYSTEM,
				"the supervisor of container %.12s does not answer any more: what it supervised was killed",
				id);
		if (a->result && !result.len)
			*a->result = result_of(&st, id, *status);
	}
	if (a->result && result.len)
		*a->result = buf_take(&result);
	return 0;
}

static bool has_begun(const struct state *now, const struct state *before)
{
	return state_runs(now) || now->started.tv_sec != before->started.tv_sec ||
	       now->started.tv_nsec != before->started.tv_nsec;
}

/* Waits until the other process that is starting it has (0), or could not: then it is our turn (*again). */
static int wait_for_other(const struct store *s, const struct state *before, bool *again, struct err *e)
{
	for (;;) {
		auto_state struct state now = {0};
		struct err gone;
		/* Asked for before the state is read, which changes first. */
		auto_close int life = state_life_open(s, before->id, &gone);
		bool lives = life >= 0 && state_life_alive(life);

		if (state_load(s, before->id, &now, e) < 0) {
			if (e->kind != ERR_NOT_FOUND)
				return -1;
			err_clear(e); /* it has run, and --rm has removed it */
			return 0;
		}
		if (has_begun(&now, before))
			return 0;
		*again = !lives;
		if (*again)
			return 0;
		engine_let_it_go_on();
	}
}

/* Of what was seen to run. again: it has ended since. */
static int attach_to(const struct store *s, const char *id, const struct attach *a, int *status,
	bool *again, struct err *e)
{
	auto_state struct state now = {0};
	struct err gone;

	if (engine_attach(s, id, a, status, e) == 0)
		return 0;
	if ((e->sys != ECONNREFUSED && e->sys != ENOENT) || state_load(s, id, &now, &gone) < 0 ||
		now.status == ST_RUNNING)
		return -1;
	*again = true;
	err_clear(e);
	return 0;
}

static int start_once(const struct store *s, const char *id, const struct attach *a, int *status,
	bool *again, struct err *e)
{
	auto_made struct made m = {0};
	auto_close int signals = -1;
	auto_close int sock = -1;

	if (engine_load(s, id, &m, e) < 0)
		return -1;
	if (m.st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "cannot start a paused container, try unpause instead");
	if (m.st.status == ST_RUNNING)
		return a ? attach_to(s, m.st.id, a, status, again, e) : 0;
	if (m.st.status == ST_RESTARTING && a)
		return engine_not_running(&m.st, e);
	if (spec_check_memory(&m.spec, e) < 0)
		return -1;
	if (a)
		signals = relay_begin(a);
	sock = start_or_say(s, &m, a, signals, e);
	if (sock < 0 && e->kind == ERR_CONFLICT && !m.refused) {
		err_clear(e);
		if (wait_for_other(s, &m.st, again, e) < 0)
			return -1;
		*again |= a != NULL; /* to attach to what the other has started */
		return 0;
	}
	if (sock < 0)
		return -1;
	return a ? follow(s, m.st.id, sock, a, signals, status, e) : 0;
}

#define START_TRIES 100

int engine_start(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e)
{
	for (int tries = 0; tries < START_TRIES; tries++) {
		bool again = false;

		if (start_once(s, id, a, status, &again, e) < 0)
			return -1;
		if (!again)
			return 0;
	}
	return err_set(e, ERR_CONFLICT, "container %s is being started by other processes", id);
}

void engine_expect(const struct store *s, const struct spec *spec)
{
	if (image_is_new_file(s, spec->image))
		layers_expect(s, fallback_ids(spec, NULL));
}

/* If this process is killed before the start, nobody wants the container. */
static void name_maker(struct state *st)
{
	struct utsname u;

	if (uname(&u) < 0)
		return;
	st->pid = getpid();
	st->pid_ns = sys_pid_namespace();
	st->host = xstrdup(u.nodename);
}

int engine_run(const struct store *s, struct spec *spec, const struct attach *a,
	int (*created)(const char *id, void *arg, struct err *e), void *arg, int *status, struct err *e)
{
	auto_made struct made m = {0};
	auto_close int signals = -1;
	auto_close int sock = -1;

	if (spec->auto_remove)
		name_maker(&m.st);
	/* A copy of the caller's struct, which is given back below; the caller frees its content. */
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	m.spec = *spec;
	if (created && created(m.st.id, arg, e) < 0) {
		spec_init(&m.spec);
		engine_unmake(s, &m, spec);
		return -1;
	}
	if (a)
		signals = relay_begin(a);
	sock = start_or_say(s, &m, a, signals, e);
	*spec = m.spec; /* the start may have put other words into it */
	spec_init(&m.spec);
	if (sock < 0) {
		/* auto_remove: the supervisor has removed it already */
		if (e->kind == ERR_UNMADE || m.st.auto_remove)
			engine_unmake(s, &m, spec);
		return -1;
	}
	return a ? follow(s, m.st.id, sock, a, signals, status, e) : 0;
}

int engine_open(
	const struct store *s, struct spec *spec, const int streams[3], id_text out, struct err *e)
{
	struct attach a = {.die_with_me = true, .streams = streams};
	auto_made struct made m = {0};
	auto_close int sock = -1;
	struct err other;

	name_maker(&m.st);
	spec_init(&m.spec);
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	m.spec = *spec;
	sock = start_or_say(s, &m, &a, -1, e);
	*spec = m.spec; /* gives the struct back */
	spec_init(&m.spec);
	if (sock < 0) {
		(void)state_remove(s, &m.st, &other); /* the supervisor may have removed it already */
		return -1;
	}
	memcpy(out, m.st.id, sizeof(id_text));
	return take_fd(&sock);
}

bool engine_hear(int sock, int *status, char **result)
{
	struct ctl_frame *f = xcalloc(1, sizeof(*f));
	ssize_t n = ctl_recv(sock, f);
	bool over = n < 0 || f->kind == CTL_EXIT;
	struct ctl_exit end = {.code = 137};

	if (n >= (ssize_t)sizeof(end) && f->kind == CTL_EXIT) {
		memcpy(&end, f->data, sizeof(end)); /* one byte off alignment */
		if (n > (ssize_t)sizeof(end))
			*result = xstrndup(f->data + sizeof(end), (size_t)n - sizeof(end));
	}
	if (over)
		*status = end.code;
	free(f);
	return over;
}

int engine_attach(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e)
{
	struct ctl_attach wants = {a->in, a->out, a->err, a->die_with_me};
	auto_state struct state st = {0};
	auto_close int signals = -1;
	auto_close int sock = ctl_connect(s, id, e);

	if (sock < 0)
		return -1;
	if (state_load(s, id, &st, e) == 0)
		event_container(s, &st, "attach", NULL, NULL);
	signals = relay_begin(a);
	(void)ctl_send(sock, CTL_ATTACH, &wants, sizeof(wants)); /* it may just have ended, which is found out next */
	return follow(s, id, sock, a, signals, status, e);
}
