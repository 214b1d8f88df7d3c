/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include "auto.h"
#include "confine.h"
#include "copy.h"
#include "fallback.h"
#include "fdmsg.h"
#include "idmap.h"
#include "image.h"
#include "mount.h"
#include "plan.h"
#include "procs.h"
#include "quota.h"
#include "stage.h"
#include "statedir.h"
#include "sys.h"
#include "upper_lock.h"
#include "volume.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { SAY_ERROR = 'e', SAY_ANSWER = 'a' };

#define ANSWER_MAX 32768

/* How often, and at what interval, to look at a container that is just starting or ending. */
#define BETWEEN_TRIES 12000
#define BETWEEN_MS    5

struct message {
	char what;
	union {
		struct err err;
		char bytes[ANSWER_MAX];
	};
};

/* All that the child needs to know. */
struct place {
	const struct inside_ask *ask;
	struct state st;
	struct spec spec;
	int pidfd; /* of its pid 1, or -1: it does not run */
	/* then: */
	struct lease lease;
	struct strv layers, lower;
	struct plan plan;
	char *dir, *upper, *stage, *rootfs;
	int lock;
	bool between; /* it is about to run, or is just ending: wait until it is over */
};

static void place_done(struct place *p)
{
	state_done(&p->st);
	spec_done(&p->spec);
	lease_done(&p->lease);
	strv_done(&p->layers);
	strv_done(&p->lower);
	plan_done(&p->plan);
	free(p->dir);
	free(p->upper);
	free(p->stage);
	free(p->rootfs);
	auto_close_(&p->pidfd);
	auto_close_(&p->lock);
}
#define auto_place __attribute__((cleanup(place_done)))

/* ---- the child ------------------------------------------------------------------------- */

static void __attribute__((noreturn)) say_err(int sock, const struct err *e)
{
	struct message m = {.what = SAY_ERROR, .err = *e};

	(void)fdmsg_send(sock, &m, offsetof(struct message, err) + sizeof(m.err), NULL, 0);
	_exit(1); /* the caller is gone */
}

int inside_answer(const struct inside_view *v, const void *bytes, size_t n, struct err *e)
{
	auto_free struct message *m = xcalloc(1, sizeof(*m));

	if (n > sizeof(m->bytes))
		return err_set(e, ERR_SYSTEM, "an answer of %zu bytes", n);
	m->what = SAY_ANSWER;
	if (n)
		memcpy(m->bytes, bytes, n);
	if (fdmsg_send(v->sock, m, offsetof(struct message, bytes) + n, NULL, 0) < 0)
		return err_sys(e, "answer");
	return 0;
}

/* Changing credentials resets the death signal, so it is set after that. */
static int stay_private(pid_t parent, struct err *e)
{
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, "prctl");
	if (getppid() != parent)
		_exit(1); /* it died before */
	return 0;
}

/* Both in one call: owning the user namespace that owns the mount namespace gives the right to join it. */
#define ITS_OWN (CLONE_NEWUSER | CLONE_NEWNS)

/* A process whose first thread has ended has its namespaces by the others. */
static int join_by_thread(const struct place *p)
{
	auto_free char *path = xasprintf("/proc/%d/task", (int)p->st.pid);
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_strv struct strv threads = {0};
	struct pollfd its = {.fd = p->pidfd, .events = POLLIN};

	if (dir >= 0)
		(void)sys_names(dir, &threads); /* then there is none */
	for (size_t i = 0; i < threads.n; i++) {
		auto_close int thread = sys_pidfd_open_thread(atoi(threads.v[i]));
		struct stat st;

		/* it is its thread still, and the number has not become another's */
		if (thread >= 0 && fstatat(dir, threads.v[i], &st, 0) == 0 &&
			poll(&its, 1, 0) == 0 && sys_setns(thread, ITS_OWN) == 0)
			return 0;
	}
	errno = ESRCH;
	return -1;
}

static int join(const struct place *p, struct err *e)
{
	if (sys_setns(p->pidfd, ITS_OWN) < 0 && (errno != ESRCH || join_by_thread(p) < 0)) {
		int sys = errno;

		if (sys == ESRCH && !procs_is_leaving(p->st.pid))
			return err_set(e, ERR_UNSUPPORTED,
				"join the container: its first thread has ended, and this kernel tells the "
				"namespaces of no other");
		errno = sys;
		return idmap_kept_out("join the container", e);
	}
	return chdir("/") < 0 ? err_sys(e, "enter /") : 0;
}

/* The image's root alone. With a private copy nothing is compared to it; and without overlay, now and ever before, the
 * writable layer is empty, so that any root will do. */
static int build_image_root(struct place *p, struct err *e)
{
	auto_free char *upper = xasprintf("%s/upper", p->upper ? p->upper : p->dir);
	auto_close int dir = -1;
	int root;

	if (p->rootfs)
		return mount_root(NULL, -1, NULL, p->rootfs, e);
	root = mount_root(NULL, -1, &(struct mount_layers){&p->lease, &p->lower, 0}, NULL, e);
	if (root >= 0 || e->kind != ERR_NO_OVERLAY)
		return root;
	dir = open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0 || copy_is_empty(dir) != 1)
		return -1;
	err_clear(e);
	return mount_root(NULL, -1, NULL, upper, e);
}

/* What the work gets to see beside the root. */
static int open_upper(const struct place *p, struct inside_view *v, struct err *e)
{
	auto_free char *upper = xasprintf("%s/upper", p->upper ? p->upper : p->dir);

	v->upper = open(p->rootfs ? p->rootfs : upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (v->upper < 0)
		return err_sys(e, "open the writable layer");
	if (!p->rootfs)
		return 0;
	v->was = fallback_census(p->dir);
	if (v->was < 0)
		return err_set(e, ERR_UNSUPPORTED,
			"container %.12s is a private copy of its image, made by a version which kept no list "
			"of it: what it changed is not known apart",
			p->st.id);
	return 0;
}

/* The root as the container has it, with the same limit on its size. */
static int build_overlay(struct place *p, struct err *e)
{
	const char *home = p->upper ? p->upper : p->dir;
	int64_t limit = p->ask->mode == INSIDE_FILES ? spec_storage(&p->spec) : 0;
	const struct mount_layers layers = {&p->lease, &p->lower, 0};
	struct quota_server quota = QUOTA_NONE;
	int root;

	if (limit && quota_start(&(struct quota_ask){p->stage, home, layers, (uint64_t)limit},
			     &quota, e) < 0)
		return -1;
	root = mount_root(home, quota.mount, &layers, NULL, e);
	auto_close_(&quota.mount);
	auto_close_(&quota.pidfd); /* it ends with us */
	return root;
}

static int build_root(const struct store *s, struct place *p, struct err *e)
{
	int root;

	if (p->ask->mode == INSIDE_UPPER)
		return build_image_root(p, e);
	if (!p->rootfs) {
		root = build_overlay(p, e);
		if (root >= 0 || e->kind != ERR_NO_OVERLAY)
			return root;
		if (fallback_rootfs(s, p->st.id, p->upper, &p->layers, &p->lower, &p->rootfs, e) < 0)
			return -1;
	}
	return mount_root(NULL, -1, NULL, p->rootfs, e);
}

static int build(const struct store *s, struct place *p, struct inside_view *v, struct err *e)
{
	auto_free int *sources = xcalloc(mount_n_sources(&p->plan), sizeof(*sources));
	auto_close int root = -1;
	struct mount_proc proc = {-1, -1};

	if (chdir(p->stage) < 0)
		return err_sys(e, "enter %s", p->stage);
	if (sys_setns(p->lease.userns, CLONE_NEWUSER) < 0)
		return idmap_not_joined(e);
	if (mount_ground(e) < 0)
		return -1;
	if (syscall(SYS_unshare, CLONE_NEWNS) < 0)
		return err_sys(e, "a mount namespace");
	if (p->ask->mode == INSIDE_UPPER && open_upper(p, v, e) < 0)
		return -1;
	if (sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make the mounts private");
	if (mount_gather(&p->plan, NULL, false, sources, e) < 0)
		return -1;
	root = build_root(s, p, e);
	if (root < 0 || mount_steps(&p->plan, root, -1, sources, &proc, e) < 0)
		return -1;
	return mount_pivot(root, p->plan.read_only, e);
}

/* Nobody else holds the layers of a container that does not run: the server would end when it has been idle for a
 * while, and if it died the work could not go on. */
static void __attribute__((noreturn))
keep_layers(const struct store *s, struct place *p, pid_t worker, pid_t parent)
{
	int fds[LEASE_FDS + 3], n = layers_fds(&p->lease, fds), pidfd = sys_pidfd_open(worker);
	int status = 0, null;
	struct err e;

	(void)prctl(PR_SET_NAME, "sbx-keeper");
	fds[n++] = pidfd;
	fds[n++] = s->root;
	fds[n++] = s->runtime;
	sys_keep_only(fds, (size_t)n);
	/* a server that is started must not get 0, 1 or 2 for another file */
	null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2)
		null = dup(null);
	if (stay_private(parent, &e) == 0 && pidfd >= 0)
		(void)layers_wait(s, &p->lease, pidfd, -1);
	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void __attribute__((noreturn))
be_inside(const struct store *s, struct place *p, int sock, pid_t parent)
{
	struct inside_view view = {.sock = sock, .upper = -1, .was = -1, .spec = &p->spec};
	pid_t self = getpid(), worker = 0;
	struct err e = {0};

	if (p->pidfd < 0 && p->lease.n > 0) {
		worker = fork();
		if (worker > 0)
			keep_layers(s, p, worker, parent);
		parent = self;
	}
	(void)prctl(PR_SET_NAME, "sbx-files");
	(void)prctl(PR_SET_DUMPABLE, 0); /* whoever may trace in its user namespace would get all that we have open */
	if (worker < 0) {
		(void)err_sys(&e, "fork");
		say_err(sock, &e);
	}
	(void)signal(SIGPIPE, SIG_IGN); /* writes report it */
	(void)umask(0022);              /* of the directories that are made on the way */
	view.one_id = !(p->pidfd >= 0 ? json_bool(p->st.extra, "range", false) : p->lease.range);
	if ((p->pidfd >= 0 ? join(p, &e) : build(s, p, &view, &e)) < 0 || stay_private(parent, &e) < 0 ||
		(p->pidfd >= 0 && inside_answer(&view, NULL, 0, &e) < 0)) /* see hear_joined() */
		say_err(sock, &e);
	sys_keep_only((int[]){sock, view.upper, view.was, p->ask->keep[0], p->ask->keep[1]}, 5);
	(void)umask(0);
	if (confine(CONFINE_UNPACK, &e) < 0 || (p->ask->work && p->ask->work(&view, p->ask->arg, &e) < 0))
		say_err(sock, &e);
	_exit(0);
}

/* ---- the caller ------------------------------------------------------------------------ */

static int open_pid1(const struct state *st)
{
	return st->status == ST_RUNNING || st->status == ST_PAUSED ? state_pid1(st) : -1;
}

static int note_upper(struct state *st, void *arg, struct err *e)
{
	(void)e;
	if (!st->extra)
		st->extra = json_object();
	(void)json_object_set_new(st->extra, "upper", json_string(arg)); /* memory */
	return 0;
}

static const json_t *range_of(const struct place *p)
{
	return json_object_get(p->st.extra, "range"); /* NULL: it never ran */
}

/* From the server that the container's runs use. What was written with other ids than it gives now, only a server that gives
 * those can read. */
static int lease_layers(const struct store *s, struct place *p, struct err *e)
{
	const json_t *range = range_of(p);

	if (fallback_lease(s, fallback_ids(&p->spec, range), &p->layers, &p->lease, &p->lower, e) < 0)
		return -1;
	if (!range || json_is_true(range) == p->lease.range)
		return 0;
	lease_done(&p->lease);
	strv_done(&p->lower);
	p->lease = (struct lease){.conn = -1, .userns = -1};
	return fallback_lease(
		s, json_is_true(range) ? IDS_RANGE : IDS_ONE, &p->layers, &p->lease, &p->lower, e);
}

/* What its root is made of, under its lock. */
static int prepare(const struct store *s, struct place *p, struct err *e)
{
	p->dir = state_path(s, p->st.id);
	p->stage = xasprintf("%s/stage", s->runtime_path);
	image_layers_now(s, json_object_get(p->st.extra, "layers"), &p->layers);
	if (stage_make(s, e) < 0 || lease_layers(s, p, e) < 0 ||
		fallback_upper(s, p->st.id, json_str(p->st.extra, "upper", NULL), &p->upper, e) < 0)
		return -1;
	if (p->upper && !json_object_get(p->st.extra, "upper") && /* so that removal finds it */
		state_update(s, p->st.id, note_upper, p->upper, e) < 0)
		return -1;
	if (p->ask->mode == INSIDE_UPPER) {
		p->rootfs = fallback_copy(p->dir);
		return 0;
	}
	if (p->ask->mode == INSIDE_FILES && volume_resolve(s, &p->spec, e) < 0)
		return -1;
	if (p->ask->mode == INSIDE_NEW)
		volume_keep_new(s, &p->spec);
	p->lock = life_lock_files(s, p->st.id, e);
	if (p->lock >= 0 && upper_is_held(p->upper ? p->upper : p->dir)) {
		auto_close_(&p->lock);
		p->lock = -1;
		(void)err_set(e, ERR_CONFLICT,
			"container %s: its files are at work from its last run", p->st.id);
	}
	p->between = p->lock < 0 && e->kind == ERR_CONFLICT;
	if (p->lock >= 0)
		(void)futimens(p->lock, NULL); /* touches the directory, see size.h; on failure a cached size may be outdated */
	if (p->lock < 0 || fallback_renew_work(p->upper ? p->upper : p->dir, e) < 0)
		return -1;
	if (fallback_no_overlay(p->dir) &&
		fallback_rootfs(s, p->st.id, p->upper, &p->layers, &p->lower, &p->rootfs, e) < 0)
		return -1;
	if (p->ask->mode == INSIDE_FILES)
		plan_files(&p->spec, p->st.started.tv_sec ? p->dir : NULL, &p->plan);
	if (p->ask->mode == INSIDE_NEW)
		plan_new(&p->spec, &p->plan);
	return 0;
}

/* What the work needs of the run that it joins, should that end meanwhile. As the process is joined after this, the run is the
 * last one, and no other has begun. */
static void hold_run(const struct store *s, struct place *p)
{
	auto_free char *dir = state_path(s, p->st.id), *home = upper_home(dir, p->st.extra);
	struct err unused; /* then the work fails if the server ends */

	p->lock = upper_hold(home);
	(void)layers_lease(s, fallback_ids(&p->spec, range_of(p)), NULL, 0, &p->lease, &unused);
}

static int load(const struct store *s, const char *id, struct place *p, struct err *e)
{
	auto_json json_t *json = NULL;

	if (state_load(s, id, &p->st, e) < 0)
		return -1;
	json = state_load_spec(s, id, e);
	if (!json || spec_from_json(&p->spec, json, e) < 0)
		return -1;
	if (p->ask->mode != INSIDE_UPPER && state_is_in_reach(&p->st, e) < 0)
		return -1; /* two would write below one overlay */
	errno = ESRCH;
	if (p->ask->mode != INSIDE_UPPER)
		p->pidfd = open_pid1(&p->st);
	if (p->pidfd < 0 && errno != ESRCH)
		return err_sys(e, "look at process %d", (int)p->st.pid);
	if (p->pidfd < 0)
		return prepare(s, p, e);
	hold_run(s, p);
	return 0;
}

/* A running container may end before it is joined; then the caller looks at it again. */
static int hear_joined(struct inside *i, bool *between, struct err *e)
{
	auto_buf struct buf nothing = {0};
	int joined = inside_hear(i, &nothing, e);

	if (joined > 0)
		return 0;
	*between = joined < 0 && e->sys == ESRCH;
	if (joined < 0)
		inside_abort(i);
	else if (inside_end(i, e) == 0)
		(void)err_set(e, ERR_SYSTEM, "the process inside of the container died");
	return -1;
}

static int begin(const struct store *s, const char *id, const struct inside_ask *ask,
	struct inside *out, bool *between, struct err *e)
{
	auto_place struct place p = {
		.ask = ask, .pidfd = -1, .lock = -1, .lease = {.conn = -1, .userns = -1}};
	auto_close int ours = -1, theirs = -1;
	pid_t pid, parent = getpid();
	int pair[2];

	spec_init(&p.spec);
	if (load(s, id, &p, e) < 0) {
		*between = p.between;
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		(void)close(take_fd(&ours));
		be_inside(s, &p, theirs, parent);
	}
	(void)close(take_fd(&theirs)); /* the child's end: so its death can be noticed */
	*out = (struct inside){.pid = pid,
		.sock = take_fd(&ours),
		.lock = take_fd(&p.lock),
		.server = p.pidfd >= 0 ? take_fd(&p.lease.conn) : -1,
		.store = s};
	if (ask->mode != INSIDE_NEW)
		memcpy(out->id, p.st.id, sizeof(p.st.id));
	return p.pidfd >= 0 ? hear_joined(out, between, e) : 0;
}

int inside_begin(const struct store *s, const char *id, const struct inside_ask *ask,
	struct inside *out, struct err *e)
{
	for (int tries = 0;; tries++) {
		bool between = false;

		if (begin(s, id, ask, out, &between, e) == 0)
			return 0;
		if (!between || tries == BETWEEN_TRIES)
			return -1;
		err_clear(e);
		(void)poll(NULL, 0, BETWEEN_MS); /* woken early it looks early */
	}
}

int inside_hear(struct inside *i, struct buf *answer, struct err *e)
{
	auto_free struct message *m = xcalloc(1, sizeof(*m));
	int none = 0;
	long n = fdmsg_recv(i->sock, m, sizeof(*m), NULL, &none, 0);

	if (n < 0)
		return err_sys(e, "hear of the work in the container");
	if (n == 0)
		return 0;
	/* The child has looked at untrusted data. */
	if (m->what == SAY_ERROR) {
		*e = m->err;
		err_heard(e);
		if (e->kind == ERR_NONE)
			e->kind = ERR_SYSTEM;
		return -1;
	}
	if (m->what != SAY_ANSWER || (size_t)n < offsetof(struct message, bytes))
		return err_set(e, ERR_SYSTEM, "the answer from inside makes no sense");
	buf_add(answer, m->bytes, (size_t)n - offsetof(struct message, bytes));
	return 1;
}

int inside_end(struct inside *i, struct err *e)
{
	auto_buf struct buf scrap = {0};
	int more, status = 0;
	struct err gone;
	id_text found;

	while ((more = inside_hear(i, &scrap, e)) > 0)
		;
	while (waitpid(i->pid, &status, 0) < 0 && errno == EINTR)
		;
	i->pid = -1;
	inside_abort(i);
	if (*i->id && state_find(i->store, i->id, found, &gone) < 0)
		return err_set(e, ERR_CONFLICT, "container %s was removed meanwhile", i->id);
	if (more < 0)
		return -1;
	if (status != 0)
		return confine_err("the process inside of the container", status, e);
	return 0;
}

void inside_abort(struct inside *i)
{
	if (i->pid > 0) {
		(void)kill(i->pid, SIGKILL); /* our child, not yet waited for */
		(void)waitpid(i->pid, NULL, 0);
	}
	i->pid = -1;
	auto_close_(&i->sock);
	auto_close_(&i->lock);
	auto_close_(&i->server);
	i->sock = i->lock = i->server = -1;
}
