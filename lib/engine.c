/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_parts.h"

#include "auto.h"
#include "enforce.h"
#include "etc.h"
#include "event.h"
#include "fallback.h"
#include "image.h"
#include "launch.h"
#include "layers.h"
#include "network.h"
#include "outcome.h"
#include "relay.h"
#include "stage.h"
#include "supervise.h"
#include "sys.h"
#include "volume.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define CGROUP2_SUPER_MAGIC 0x63677270

void made_done(struct made *m)
{
	state_done(&m->st);
	spec_done(&m->spec);
	free(m->dir);
}

/* ---- create --------------------------------------------------------------------------- */

/* As docker's ps has it: arguments with a space in them stand in quotes, the program does not. */
static void add_words(struct buf *b, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *quote = b->len && strchr(words->v[i], ' ') ? "'" : "";

		buf_printf(b, "%s%s%s%s", b->len ? " " : "", quote, words->v[i], quote);
	}
}

static char *engine_command_line(const struct spec *s)
{
	auto_buf struct buf b = {0};

	add_words(&b, &s->entrypoint);
	add_words(&b, &s->cmd);
	return buf_take(&b);
}

static void default_network(struct spec *s)
{
	auto_free char *setting = NULL;

	if (s->network && strcmp(s->network, "default") != 0)
		return;
	/* "default" stays where no setting says more: a network namespace with nothing but lo, as with none,
	 * but with a name of its own in /etc/hosts, as on docker's bridge. */
	setting = store_setting("network");
	free(s->network);
	s->network = xstrdup(setting ? setting : "default");
}

static void default_hostname(struct spec *s, const char *id)
{
	struct utsname u;

	if (s->hostname && *s->hostname)
		return;
	free(s->hostname);
	if ((str_eq(s->network, "host") || str_eq(s->uts_mode, "host")) && uname(&u) == 0)
		s->hostname = xstrdup(u.nodename);
	else
		s->hostname = xstrndup(id, 12);
}

static void fill_state(struct state *st, const struct spec *s, const struct image *image)
{
	json_t *layers = json_from_strv(&image->layers);

	st->name = s->name ? xstrdup(s->name) : NULL;
	st->image = xstrdup(s->image);
	st->image_id = xstrdup(image->id);
	st->command = engine_command_line(s);
	st->status = ST_CREATED;
	(void)clock_gettime(CLOCK_REALTIME, &st->created);
	st->auto_remove = s->auto_remove;
	st->network = xstrdup(s->network);
	strv_copy(&st->labels, &s->labels);
	/* The container keeps what it was made of, whatever the name of the image means later. */
	st->extra = json_object();
	(void)json_object_set_new(st->extra, "layers", layers); /* only memory can fail here */
}

static int load_spec(const struct store *s, const char *what, struct spec *out, struct err *e)
{
	auto_json json_t *json = NULL;
	id_text id;

	if (state_find(s, what, id, e) < 0)
		return -1;
	json = state_load_spec(s, id, e);
	return json ? spec_from_json(out, json, e) : -1;
}

static int take_volumes(const struct store *s, struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->volumes_from.n; i++) {
		auto_free char *name = xstrdup(spec->volumes_from.v[i]);
		char *mode = strchr(name, ':');
		struct spec other;
		int result;

		if (mode)
			*mode++ = '\0';
		if (mode && strcmp(mode, "ro") != 0 && strcmp(mode, "rw") != 0 &&
			strcmp(mode, "z") != 0 && strcmp(mode, "Z") != 0)
			return err_set(e, ERR_USAGE, "invalid mode: %s", mode);
		spec_init(&other);
		result = load_spec(s, name, &other, e);
		if (result == 0)
			volume_from(spec, &other, str_eq(mode, "ro"));
		spec_done(&other);
		if (result < 0)
			return -1;
	}
	return 0;
}

static int engine_make(const struct store *s, struct spec *spec, struct made *m, struct err *e)
{
	auto_image struct image image = {0};
	auto_close int dir = -1;
	auto_json json_t *json = NULL;

	if (image_find(s, spec->image, &image, e) < 0)
		return -1;
	spec_apply_image(spec, &image.config);
	free(spec->image_id);
	spec->image_id = xstrdup(image.id);
	default_network(spec);
	if (!spec->ids)
		spec->ids = store_setting("ids");
	if (spec_complete(spec, e) < 0 || enforce_check(spec, e) < 0 ||
		network_check(s, spec->network, e) < 0)
		return -1;
	if (spec->entrypoint.n + spec->cmd.n == 0)
		return err_set(e, ERR_USAGE, "no command specified");
	id_random(m->st.id);
	default_hostname(spec, m->st.id);
	if (take_volumes(s, spec, e) < 0 || volume_prepare(s, spec, e) < 0)
		return -1;
	fill_state(&m->st, spec, &image);
	json = spec_to_json(spec);
	if (state_create(s, &m->st, json, &dir, e) < 0)
		return -1;
	m->dir = state_path(s, m->st.id);
	if (etc_write(dir, spec, e) < 0) {
		struct err other;

		(void)state_remove(s, &m->st, &other); /* the first error is the one to tell */
		return -1;
	}
	event_container(s, &m->st, "create", NULL, NULL);
	return 0;
}

int engine_create(const struct store *s, struct spec *spec, id_text out, struct err *e)
{
	auto_made struct made m = {0};

	spec_init(&m.spec);
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	memcpy(out, m.st.id, sizeof(id_text));
	return 0;
}

/* ---- start ---------------------------------------------------------------------------- */

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

static void engine_read_host(struct host *h, const struct lease *lease)
{
	struct utsname u;
	struct statfs st;

	*h = (struct host){.range = lease->range, .root = geteuid() == 0};
	h->cgroup2 = statfs("/sys/fs/cgroup", &st) == 0 && st.f_type == CGROUP2_SUPER_MAGIC;
	if (uname(&u) == 0)
		(void)snprintf(h->nodename, sizeof(h->nodename), "%.64s", u.nodename); /* fits */
	if (readlink("/proc/self/exe", h->exe, sizeof(h->exe) - 1) < 0)
		h->exe[0] = '\0'; /* the mount of it then says what is wrong */
}

static int engine_get_filter(const struct store *s, const struct plan *p, const char *user,
	struct seccomp_filter *out, struct err *e)
{
	bool root = !*user || strcmp(user, "0") == 0 || strcmp(user, "root") == 0 ||
	            str_starts(user, "0:") || str_starts(user, "root:");
	struct seccomp_ask ask = {.profile = p->seccomp_profile,
		.caps = p->caps,
		.fake_root = p->fake_root && root,
		.privileged = p->privileged};

	return seccomp_get(s, &ask, out, e);
}

/* The supervisor's answer: it runs, or why not. */
static int hear_start(int sock, struct err *e)
{
	struct ctl_frame *f = xcalloc(1, sizeof(*f));
	ssize_t n = ctl_recv(sock, f);
	int result = 0;

	if (n < 0)
		result = err_set(e, ERR_SYSTEM, "the supervisor died while the container started");
	else if (f->kind == CTL_FAILED && n == sizeof(*e)) {
		memcpy(e, f->data, sizeof(*e));
		result = -1;
	}
	free(f);
	return result;
}

static int not_running(const char *id, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "container %s is not running", id);
}

int engine_pid1(const struct state *st, struct err *e)
{
	auto_close int pidfd = -1;

	if (st->status != ST_RUNNING && st->status != ST_PAUSED)
		return not_running(st->id, e);
	pidfd = sys_pidfd_open(st->pid);
	if (pidfd < 0 || sys_start_time(st->pid) != st->pid_start)
		return not_running(st->id, e);
	return take_fd(&pidfd);
}

/* A pidfd of the container whose namespaces are shared, or -1 and no error: there is none. */
static int open_joined(const struct store *s, const struct plan *p, int *pidfd, struct err *e)
{
	auto_state struct state st = {0};
	id_text id;

	if (!p->join)
		return 0;
	if (state_find(s, p->join, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return -1;
	*pidfd = engine_pid1(&st, e);
	return *pidfd < 0 ? err_ctx(e, "cannot join namespaces of a container which does not run") : 0;
}

static int start_supervisor(const struct store *s, struct made *m, struct lease *lease,
	const struct strv *layers, const struct strv *lower, const struct attach *a, struct err *e)
{
	auto_plan struct plan plan = {0};
	auto_seccomp struct seccomp_filter filter = {0};
	struct host host;
	auto_close int ours = -1, theirs = -1, joined = -1;
	int pair[2], seed[SEED_FDS] = {-1, -1, -1, -1};
	/* The server looks for one while we plan. */
	bool seeded = plan_owns_all(&m->spec) && layers_ask_seed(lease);
	pid_t pid;

	engine_read_host(&host, lease);
	if (a)
		(void)relay_size(a, &host.rows, &host.cols); /* no terminal: no size */
	/* For those who join later. */
	(void)json_object_set_new(m->st.extra, "range", json_boolean(lease->range));
	if (stage_make(s, e) < 0 || volume_resolve(s, &m->spec, e) < 0 ||
		plan_container(&m->spec, &host, m->dir, &plan, e) < 0 ||
		engine_get_filter(s, &plan, plan.user, &filter, e) < 0 ||
		open_joined(s, &plan, &joined, e) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	if (seeded)
		layers_take_seed(lease, seed);
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		struct supervise ask = {.store = s,
			.state = &m->st,
			.plan = &plan,
			.spec = &m->spec,
			.host = &host,
			.lease = lease,
			.layers = layers,
			.lower = lower,
			.filter = &filter,
			.dir = m->dir,
			.join = joined,
			.client = theirs};

		memcpy(ask.seed, seed, sizeof(seed));

		if (a)
			ask.attach = (struct ctl_attach){a->in, a->out, a->err, a->die_with_me};
		for (int i = 0; i < 3; i++)
			ask.streams[i] = a && a->streams ? a->streams[i] : -1;
		supervise(&ask);
	}
	for (int i = 0; i < SEED_FDS; i++)
		auto_close_(&seed[i]);
	(void)close(take_fd(&theirs)); /* or we would not hear of its death */
	if (hear_start(ours, e) < 0) {
		(void)waitpid(pid, NULL, 0); /* our child, and it has nothing more to say */
		return -1;
	}
	return take_fd(&ours);
}

/* Docker looks for them when it starts a container. */
static int find_devices(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->devices.n; i++) {
		auto_free char *path = xstrndup(s->devices.v[i], strcspn(s->devices.v[i], ":"));

		if (access(path, F_OK) < 0)
			return err_set(e, ERR_NOT_FOUND,
				"error gathering device information while adding custom device \"%s\": "
				"no such file or directory",
				path);
	}
	return 0;
}

/* Leases the layers, and starts the supervisor; a socket to it. */
static int start(const struct store *s, struct made *m, const struct attach *a, struct err *e)
{
	auto_lease struct lease lease = {.conn = -1, .userns = -1};
	auto_strv struct strv layers = {0}, lower = {0};

	if (find_devices(&m->spec, e) < 0)
		return -1;
	json_strv(json_object_get(m->st.extra, "layers"), &layers);
	if (fallback_lease(s, fallback_ids(m->spec.ids), &layers, &lease, &lower, e) < 0)
		return -1;
	if (a)
		event_container(s, &m->st, "attach", NULL, NULL);
	return start_supervisor(s, m, &lease, &layers, &lower, a, e);
}

/* Relays until the end. The status is what a client exits with. */
static int follow(const struct store *s, const char *id, int sock, const struct attach *a,
	const struct relay_signals *signals, int *status, struct err *e)
{
	struct relay r = {
		.attach = a, .ctl = sock, .in = -1, .out = -1, .err = -1, .pty = -1, .pidfd = -1};
	auto_state struct state st = {0};
	auto_buf struct buf result = {0};
	int code = 0;

	switch (relay_run(&r, signals, &code, &result)) {
	case RELAY_ENDED:
		*status = code;
		break;
	case RELAY_DETACHED:
		*status = 0;
		break;
	default:
		/* The supervisor was killed. Looking at the container repairs what it left. */
		(void)state_load(s, id, &st, e);
		*status = 137;
		if (a->lost)
			(void)err_set(a->lost, ERR_SYSTEM,
				"the supervisor of container %.12s does not answer any more: what it supervised was killed",
				id);
	}
	if (a->result && result.len)
		*a->result = buf_take(&result);
	return 0;
}

int engine_start(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e)
{
	auto_made struct made m = {0};
	struct relay_signals signals = {-1};
	auto_close int sock = -1;

	if (engine_load(s, id, &m, e) < 0)
		return -1;
	if (m.st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "cannot start a paused container, try unpause instead");
	if (m.st.status == ST_RUNNING)
		return a ? engine_attach(s, m.st.id, a, status, e) : 0;
	if (a)
		relay_begin(a, &signals);
	sock = start(s, &m, a, e);
	if (sock < 0 && !a && e->kind == ERR_CONFLICT) {
		err_clear(e); /* somebody else is starting it: that is what was wanted */
		return 0;
	}
	if (sock < 0)
		return -1;
	return a ? follow(s, m.st.id, sock, a, &signals, status, e) : 0;
}

int engine_run(const struct store *s, struct spec *spec, const struct attach *a,
	int (*created)(const char *id, void *arg, struct err *e), void *arg, int *status, struct err *e)
{
	auto_made struct made m = {0};
	struct relay_signals signals = {-1};
	auto_close int sock = -1;
	struct utsname u;
	struct err other;

	if (spec->auto_remove && uname(&u) == 0) { /* should we be killed before it is started */
		m.st.pid = getpid();
		m.st.host = xstrdup(u.nodename);
	}
	/* The spec is the caller's: a copy of the struct, whose content is freed there. */
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	m.spec = *spec;
	if (created && created(m.st.id, arg, e) < 0) {
		spec_init(&m.spec);
		(void)state_remove(s, &m.st, &other); /* the first error is the one to tell */
		return -1;
	}
	if (a)
		relay_begin(a, &signals);
	sock = start(s, &m, a, e);
	spec_init(&m.spec);
	if (sock < 0) {
		if (m.st.auto_remove)
			(void)state_remove(s, &m.st, &other); /* gone already when the supervisor failed */
		return -1;
	}
	return a ? follow(s, m.st.id, sock, a, &signals, status, e) : 0;
}

int engine_open(
	const struct store *s, struct spec *spec, const int streams[3], id_text out, struct err *e)
{
	struct attach a = {.die_with_me = true, .streams = streams};
	auto_made struct made m = {0};
	auto_close int sock = -1;
	struct err other;

	spec_init(&m.spec);
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	m.spec = *spec;
	sock = start(s, &m, &a, e);
	spec_init(&m.spec);
	if (sock < 0) {
		(void)state_remove(s, &m.st, &other); /* gone already when the supervisor failed */
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
		memcpy(&end, f->data, sizeof(end)); /* behind one byte: not where an int may be read */
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
	struct relay_signals signals = {-1};
	auto_close int sock = ctl_connect(s, id, e);

	if (sock < 0)
		return -1;
	if (state_load(s, id, &st, e) == 0)
		event_container(s, &st, "attach", NULL, NULL);
	relay_begin(a, &signals);
	if (ctl_send(sock, CTL_ATTACH, &wants, sizeof(wants)) < 0)
		return err_sys(e, "attach");
	return follow(s, id, sock, a, &signals, status, e);
}

/* ---- exec ----------------------------------------------------------------------------- */

static int exec_err(struct err *e)
{
	char cause[sizeof(e->text)];

	memcpy(cause, e->text, sizeof(cause));
	if (str_starts(cause, "unable to find "))
		e->kind = ERR_NOT_EXECUTABLE; /* docker's daemon says it too late for a status of its own */
	else if (e->kind == ERR_NO_COMMAND || e->kind == ERR_NOT_EXECUTABLE)
		(void)snprintf(e->text, sizeof(e->text),
			"OCI runtime exec failed: exec failed: %s%.700s: unknown",
			str_starts(cause, "Cwd ") ? "" : "unable to start container process: ", cause);
	return -1;
}

struct pipes {
	int ours[3], theirs[3], life[2];
};

static void pipes_done(struct pipes *p)
{
	for (int i = 0; i < 3; i++) {
		auto_close_(&p->ours[i]);
		auto_close_(&p->theirs[i]);
	}
	auto_close_(&p->life[0]);
	auto_close_(&p->life[1]);
}
#define auto_pipes __attribute__((cleanup(pipes_done)))

/* A pipe for each stream of an attached exec. */
static int make_pipes(const struct spec *spec, bool in, struct pipes *p, struct err *e)
{
	int pair[2];

	for (int i = 0; i < 3 && !spec->tty; i++) {
		if (i == 0 && !in)
			continue;
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		p->ours[i] = pair[i == 0 ? 1 : 0];
		p->theirs[i] = pair[i == 0 ? 0 : 1];
		(void)fcntl(p->ours[i], F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	return 0;
}

/* The command has its ends of the pipes now. */
static void let_go(struct pipes *p, struct launched *c)
{
	for (int i = 0; i < 3; i++)
		if (p->theirs[i] >= 0)
			(void)close(take_fd(&p->theirs[i])); /* it is not ours any more */
	if (p->life[0] >= 0)
		(void)close(take_fd(&p->life[0])); /* else nobody hears that the guard is gone */
	if (c->pty >= 0)
		(void)fcntl(c->pty, F_SETFL, O_NONBLOCK); /* of our end alone */
}

/* What the guard says in the end; where it was killed itself, as it ended. */
static void hear_end(struct pipes *p, const struct launched *c, struct launch_report *r, int *code)
{
	int st;

	*r = (struct launch_report){.status = SIGKILL};
	*code = 137;
	if (recv(p->life[1], r, sizeof(*r), 0) != (ssize_t)sizeof(*r))
		*r = (struct launch_report){.status = SIGKILL};
	if (waitpid(c->pid, &st, __WALL) == c->pid) /* our child */
		*code = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
}

static const char *exec_reason(const struct launch_report *r, enum relay_end end, bool oom)
{
	if (end == RELAY_OUTPUT)
		return "output-limit";
	if (r->end == LAUNCH_TIMEOUT)
		return "timeout";
	if (r->end == LAUNCH_CPU)
		return "cpu-time";
	if (WIFSIGNALED(r->status))
		return oom && WTERMSIG(r->status) == SIGKILL ? "oom" : "signalled";
	return "exited";
}

/* Whether the container has killed for memory by now. */
static int64_t ooms_of(const struct store *s, const char *id)
{
	auto_state struct state st = {0};
	auto_cgroup struct cgroup c = {0};
	struct cgroup_stats stats;
	struct err e;

	if (state_load(s, id, &st, &e) < 0)
		return 0;
	if (!cgroup_from_json(&c, json_object_get(st.extra, "cgroup")) || !(c.holds & HOLDS_MEMORY))
		return json_int(st.extra, "ooms", 0);
	cgroup_stats(&c, &stats);
	return stats.ooms;
}

static char *exec_result(const struct store *s, struct made *m, const struct spec *spec,
	const struct relay *r, const struct launch_report *said, enum relay_end end, int64_t ooms,
	struct outcome *o)
{
	auto_plan struct plan plan = {0};
	auto_cgroup struct cgroup c = {0};
	auto_json json_t *j = NULL;
	struct host host;
	struct err e;

	o->id = m->st.id;
	o->oom_killed = ooms_of(s, m->st.id) > ooms;
	o->reason = exec_reason(said, end, o->oom_killed);
	o->signal = WIFSIGNALED(said->status) ? WTERMSIG(said->status) : 0;
	o->timed_out = said->end == LAUNCH_TIMEOUT;
	o->usage = said->usage;
	o->group = (struct cgroup_stats){-1, -1, -1, -1, -1, -1, -1, -1}; /* of all the container */
	o->bytes[0] = r->bytes[0];
	o->bytes[1] = r->bytes[1];
	o->dropped = r->dropped;
	engine_read_host(&host, &(struct lease){.range = json_bool(m->st.extra, "range", false)});
	if (plan_exec(spec, &m->spec, &host, &plan, &e) < 0)
		return NULL; /* it could be made a moment ago */
	(void)cgroup_from_json(&c, json_object_get(m->st.extra, "cgroup"));
	j = outcome_json(o, &plan, &c, host.root);
	return json_dumps(j, JSON_COMPACT);
}

static int relay_exec(const struct store *s, struct made *m, const struct spec *spec,
	const struct attach *a, struct pipes *p, struct launched *c, const struct relay_signals *signals)
{
	struct relay r = {.attach = a,
		.ctl = -1,
		.in = p->ours[0],
		.out = p->ours[1],
		.err = p->ours[2],
		.pty = c->pty,
		.pidfd = c->pidfd};
	struct outcome o = {.wall_ns = sys_now_ns()};
	struct launch_report said;
	int64_t ooms = a->result ? ooms_of(s, m->st.id) : 0;
	enum relay_end end;

	let_go(p, c);
	for (int i = 0; i < 3; i++)
		p->ours[i] = -1;
	if (c->pty >= 0)
		r.in = r.out = c->pty;
	if (spec->output_limit > 0)
		r.output_limit = (uint64_t)spec->output_limit;
	r.output_limit_kills = str_eq(spec->output_limit_action, "kill");
	end = relay_run(&r, signals, &o.code, NULL);
	if (end == RELAY_DETACHED)
		return 0;
	if (end == RELAY_OUTPUT)
		(void)shutdown(p->life[1], SHUT_WR); /* its guard kills all of it */
	hear_end(p, c, &said, &o.code);
	o.wall_ns = sys_now_ns() - o.wall_ns;
	if (a->result)
		*a->result = exec_result(s, m, spec, &r, &said, end, ooms, &o);
	return o.code;
}

/* A running container which may be joined. */
static int load_running(const struct store *s, const char *id, struct made *m, struct err *e)
{
	if (engine_load(s, id, m, e) < 0)
		return -1;
	if (m->st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT,
			"Container %s is paused, unpause the container before exec", m->st.name);
	return engine_pid1(&m->st, e);
}

static int exec_in(const struct store *s, struct made *m, const struct spec *spec, struct pipes *p,
	int pidfd, struct launched *c, struct err *e)
{
	auto_plan struct plan plan = {0};
	auto_seccomp struct seccomp_filter filter = {0};
	auto_cgroup struct cgroup cgroup = {0};
	struct launch_exec l = {.plan = &plan, .pidfd = pidfd, .filter = &filter, .cgroup = &cgroup};
	auto_close int userns = -1;
	struct host host;
	int result;

	engine_read_host(&host, &(struct lease){.range = json_bool(m->st.extra, "range", false)});
	if (p->life[0] >= 0)
		(void)relay_size(&(struct attach){.tty = spec->tty}, &host.rows, &host.cols); /* as above */
	if (plan_exec(spec, &m->spec, &host, &plan, e) < 0 ||
		engine_get_filter(s, &plan, plan.user, &filter, e) < 0)
		return -1;
	userns = sys_owner_userns(m->st.pid);
	if (userns < 0)
		return err_sys(e, "look at the namespaces of container %s", m->st.id);
	l.userns = userns;
	(void)cgroup_from_json(&cgroup, json_object_get(m->st.extra, "cgroup"));
	memcpy(l.std, p->theirs, sizeof(l.std));
	l.lifeline = p->life[0];
	result = launch_exec(&l, c, e);
	return result < 0 ? exec_err(e) : 0;
}

int engine_exec(const struct store *s, const char *id, const struct spec *spec,
	const struct attach *a, int *status, struct err *e)
{
	auto_made struct made m = {0};
	auto_pipes struct pipes p = {{-1, -1, -1}, {-1, -1, -1}, {-1, -1}};
	auto_close int pidfd = load_running(s, id, &m, e);
	struct relay_signals signals = {-1};
	struct launched c = {-1, -1, -1, -1, -1};
	auto_free char *command = NULL;
	id_text exec_id;

	if (pidfd < 0)
		return -1;
	if (a && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, p.life) < 0)
		return err_sys(e, "socketpair");
	if (a && make_pipes(spec, a->in, &p, e) < 0)
		return -1;
	if (a)
		relay_begin(a, &signals);
	if (exec_in(s, &m, spec, &p, pidfd, &c, e) < 0)
		return -1;
	id_random(exec_id);
	command = engine_command_line(spec);
	if (spec->cmd.n == 1) { /* docker joins the command and its arguments with a blank */
		char *joined = xasprintf("%s ", command);

		free(command);
		command = joined;
	}
	event_exec_start(s, &m.st, exec_id, command);
	if (!a)
		return 0; /* nobody stays who could see its end */
	*status = relay_exec(s, &m, spec, a, &p, &c, &signals);
	event_exec_die(s, &m.st, exec_id, *status);
	return 0;
}

static pid_t first_child(pid_t pid)
{
	char path[64], list[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid); /* fits */
	return pid && sys_get(AT_FDCWD, path, list, sizeof(list)) > 0 ? (pid_t)atoi(list) : 0;
}

int engine_exec_open(const struct store *s, const char *id, const struct spec *spec, bool streams,
	bool in, struct exec_io *io, struct err *e)
{
	auto_made struct made m = {0};
	auto_pipes struct pipes p = {{-1, -1, -1}, {-1, -1, -1}, {-1, -1}};
	auto_close int pidfd = load_running(s, id, &m, e);
	struct launched c = {-1, -1, -1, -1, -1};

	if (pidfd < 0 || (streams && make_pipes(spec, in, &p, e) < 0) ||
		exec_in(s, &m, spec, &p, pidfd, &c, e) < 0)
		return -1;
	let_go(&p, &c);
	*io = (struct exec_io){.in = take_fd(&p.ours[0]),
		.out = take_fd(&p.ours[1]),
		.err = take_fd(&p.ours[2]),
		.pty = c.pty,
		.pidfd = c.pidfd,
		.shim = c.pid,
		.pid = first_child(first_child(c.pid))};
	return 0;
}

int engine_exec_wait(const struct exec_io *io)
{
	int st;

	if (waitpid(io->shim, &st, __WALL) < 0)
		return 137;
	return WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
}
