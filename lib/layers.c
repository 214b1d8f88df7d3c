/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include "fdmsg.h"
#include "layerd.h"
#include "layers_place.h"
#include "settings.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TRIES  5
#define IDLE_S 60

enum ids_mode layers_ids(const struct lease *l)
{
	return (enum ids_mode)(l->server & 3);
}

static int idle_seconds(void)
{
	auto_free char *text = setting("layers_idle");
	int v = text ? atoi(text) : 0;

	return v > 0 ? v : IDLE_S;
}

/* The server also serves later clients: with the limits of whoever comes first it would fail them, and hard limits
 * cannot be raised. */
static int has_room(struct err *e)
{
	static const struct {
		int what;
		const char *flag;
		unsigned int least, unit;
	} needs[] = {
		{RLIMIT_AS, "-v", 256 << 10, 1024},
		{RLIMIT_DATA, "-d", 256 << 10, 1024},
		{RLIMIT_FSIZE, "-f", 1 << 10, 1024},
		{RLIMIT_NOFILE, "-n", 64, 1},
	};
	struct rlimit r;

	for (size_t i = 0; i < ARRAY_LEN(needs); i++)
		if (getrlimit(needs[i].what, &r) == 0 && r.rlim_max / needs[i].unit < needs[i].least)
			return err_set(e, ERR_DENIED,
				"shared by all containers, it is not started below ulimit %s %u (here %llu)",
				needs[i].flag, needs[i].least,
				(unsigned long long)r.rlim_max / needs[i].unit);
	return 0;
}

static void detach(const struct layerd_args *a)
{
	pid_t pid = fork();
	struct err e;

	if (pid == 0)
		layerd_run(a);
	if (pid < 0) {
		(void)err_sys(&e, "fork");
		(void)!write(a->report, &e, sizeof(e)); /* silence is understood, too */
	}
	_exit(0);
}

/* Starts the server, which can be connected to from now on. Returns a descriptor from which its report will come. */
static int begin_server(const struct store *s, const struct place *n, uint64_t key, int userns,
	bool expected, struct err *e)
{
	auto_close int listener = place_listen(s, n, e), in = -1, out = -1;
	struct layerd_args a = {.runtime = s->runtime,
		.name = n->sock,
		.lock_name = n->lock,
		.empty_dir = s->runtime_path,
		.ids = key & 3,
		.idle_s = idle_seconds(),
		.userns = userns,
		.expected = expected};
	pid_t pid;

	if (listener < 0)
		return -1;
	if (has_room(e) < 0) {
		(void)unlinkat(s->runtime, n->sock, 0);
		return -1;
	}
	if (sys_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	a.listener = listener;
	a.report = out;
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		detach(&a);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	place_forget_dead(s); /* while it begins */
	return take_fd(&in);
}

/* 1: the server was killed before it could report, as e tells. */
static int start_server(
	const struct store *s, const struct place *n, uint64_t key, int userns, struct err *e)
{
	auto_close int in = begin_server(s, n, key, userns, false, e);
	struct err sub;

	if (in < 0)
		return -1;
	if (read(in, &sub, sizeof(sub)) != sizeof(sub)) {
		(void)err_set(e, ERR_SYSTEM, "the image server died while it started");
		return 1;
	}
	if (sub.kind != ERR_NONE) {
		(void)unlinkat(s->runtime, n->sock, 0);
		*e = sub;
		return -1;
	}
	return 0;
}

static int connect_or_start(const struct store *s, uint64_t key, int userns, struct err *e)
{
	auto_close int lock = -1;
	struct place n;
	int fd;

	place_of(key, &n);
	fd = place_connect(s, &n, e);
	if (fd >= 0 || e->kind != ERR_NOT_FOUND)
		return fd;
	lock = place_lock(s, &n, LOCK_EX, e);
	if (lock < 0)
		return -1;
	fd = place_connect(s, &n, e); /* another process was faster */
	if (fd >= 0 || e->kind != ERR_NOT_FOUND)
		return fd;
	for (int try = 0; try < TRIES; try++) {
		int r;

		err_clear(e);
		r = start_server(s, &n, key, userns, e);
		if (r < 0)
			return -1;
		fd = r > 0 ? -1 : place_connect(s, &n, e);
		if (fd >= 0 || (r == 0 && e->kind != ERR_NOT_FOUND))
			return fd;
	}
	return -1;
}

/* If this fails, a later lease finds no server, starts one, and gets the reason. */
void layers_expect(const struct store *s, enum ids_mode ids)
{
	uint64_t key = layers_key(ids);
	auto_close int lock = -1, report = -1;
	struct place n;
	struct err e;

	place_of(key, &n);
	lock = place_lock(s, &n, LOCK_EX | LOCK_NB, &e);
	if (lock < 0)
		return; /* another process is about to start it */
	report = place_connect(s, &n, &e);
	if (report < 0 && e.kind == ERR_NOT_FOUND)
		report = begin_server(s, &n, key, -1, true, &e);
}

/* ---- asking ---- */

static void close_all(int *fds, int n)
{
	for (int i = 0; i < n; i++)
		(void)close(fds[i]);
}

/* 0, -1, or 1: the server is gone, try another one. */
static int exchange(int conn, const struct ask *ask, const int *fds, int n_fds, struct told *told,
	int *got, int *n_got, struct err *e)
{
	long n;

	if (fdmsg_send(conn, ask, sizeof(*ask), fds, n_fds) < 0) {
		if (errno == EPIPE || errno == ECONNRESET)
			return 1;
		return err_sys(e, "ask the image server");
	}
	err_clear(&told->err); /* travels only when there is one */
	n = fdmsg_recv(conn, told, sizeof(*told), got, n_got, 0);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return 1;
	if (n < 0)
		return err_sys(e, "the image server's answer");
	if (n < (long)offsetof(struct told, err)) {
		close_all(got, *n_got);
		return err_set(e, ERR_SYSTEM, "the image server's answer makes no sense");
	}
	err_heard(&told->err); /* untrusted: its sender has read a stranger's bytes */
	told->uid_map[sizeof(told->uid_map) - 1] = told->gid_map[sizeof(told->gid_map) - 1] = '\0';
	return 0;
}

static int lease_chunk(struct lease *l, int first, int n, struct err *e)
{
	struct ask ask = {ASK_LEASE, (uint32_t)n};
	int fds[LAYERS_CHUNK], got[FDMSG_MAX], n_got = FDMSG_MAX, r;
	struct told told;

	for (int i = 0; i < n; i++)
		fds[i] = l->layer[first + i].image;
	r = exchange(l->conn, &ask, fds, n, &told, got, &n_got, e);
	if (r)
		return r;
	if (told.err.kind != ERR_NONE || n_got != 1 + 3 * n) {
		close_all(got, n_got);
		if (told.err.kind == ERR_NONE)
			return err_set(e, ERR_SYSTEM, "the image server's answer makes no sense");
		*e = told.err;
		return told.which < (uint32_t)n
		               ? err_ctx(e, "%s", l->layer[first + (int)told.which].path)
		               : -1;
	}
	if (l->userns < 0)
		l->userns = got[0];
	else
		(void)close(got[0]);
	l->range = told.range;
	l->fresh |= told.fresh > 0;
	l->pid = (pid_t)told.pid;
	memcpy(l->uid_map, told.uid_map, sizeof(l->uid_map));
	memcpy(l->gid_map, told.gid_map, sizeof(l->gid_map));
	for (int i = 0; i < n; i++) {
		l->layer[first + i].mount = got[1 + 3 * i];
		l->layer[first + i].fuse = got[2 + 3 * i];
		l->layer[first + i].journal = got[3 + 3 * i];
	}
	return 0;
}

bool layers_ask_seed(const struct lease *l)
{
	struct ask ask = {ASK_SEED, 0};

	return fdmsg_send(l->conn, &ask, sizeof(ask), NULL, 0) == 0;
}

void layers_take_seed(const struct lease *l, int fds[SEED_FDS])
{
	int got[FDMSG_MAX], n_got = FDMSG_MAX;
	struct told told;

	err_clear(&told.err);
	if (fdmsg_recv(l->conn, &told, sizeof(told), got, &n_got, 0) < (long)offsetof(struct told, err))
		return; /* the supervisor will notice that the server is gone */
	if (told.err.kind != ERR_NONE || !seeds_of(got, n_got, fds))
		close_all(got, n_got);
}

void layers_foresee(const struct lease *l, const char *program, const char *path)
{
	struct {
		struct ask ask;
		char text[ASK_TEXT];
	} m = {.ask = {.kind = ASK_FORESEE}};
	size_t used = 0;

	if (!l->fresh || !*program)
		return;
	if (strchr(program, '/'))
		path = "";
	do {
		size_t n = strcspn(path, ":");
		int len = snprintf(m.text + used, sizeof(m.text) - used, "%.*s%s%s", (int)n, path,
			n ? "/" : "", program);

		if (len < 0 || (size_t)len >= sizeof(m.text) - used)
			break;
		used += (size_t)len + 1;
		path += n + (path[n] == ':');
	} while (*path);
	m.ask.n = (uint32_t)used;
	(void)fdmsg_send(l->conn, &m, sizeof(m.ask) + used, NULL, 0); /* it is a hint */
}

static int revive_chunk(struct lease *l, int first, int n, struct err *e)
{
	struct ask ask = {ASK_REVIVE, (uint32_t)n};
	int fds[3 * LAYERS_CHUNK], got[FDMSG_MAX], n_got = FDMSG_MAX, r;
	struct told told;

	for (int i = 0; i < n; i++) {
		fds[3 * i] = l->layer[first + i].image;
		fds[3 * i + 1] = l->layer[first + i].fuse;
		fds[3 * i + 2] = l->layer[first + i].journal;
	}
	r = exchange(l->conn, &ask, fds, 3 * n, &told, got, &n_got, e);
	if (r)
		return r;
	close_all(got, n_got);
	l->pid = (pid_t)told.pid;
	if (told.err.kind == ERR_NONE)
		return 0;
	*e = told.err;
	return told.which < (uint32_t)n ? err_ctx(e, "%s", l->layer[first + (int)told.which].path) : -1;
}

static void close_field(int *fd)
{
	if (*fd >= 0)
		(void)close(take_fd(fd));
}

static void forget_answers(struct lease *l)
{
	close_field(&l->conn);
	close_field(&l->userns);
	for (int i = 0; i < l->n; i++) {
		close_field(&l->layer[i].mount);
		close_field(&l->layer[i].fuse);
		close_field(&l->layer[i].journal);
	}
}

/* Asks for all chunks over one connection; from the start again if the server ends meanwhile. */
static int converse(const struct store *s, struct lease *l,
	int (*chunk)(struct lease *, int, int, struct err *), bool fresh, struct err *e)
{
	for (int try = 0; try < TRIES; try++) {
		int r = 0, first = 0;

		close_field(&l->conn);
		l->conn = connect_or_start(s, l->server, fresh ? -1 : l->userns, e);
		if (l->conn < 0)
			return err_ctx(e, "image server");
		do {
			int n = l->n - first < LAYERS_CHUNK ? l->n - first : LAYERS_CHUNK;

			r = chunk(l, first, n, e);
			first += n;
		} while (r == 0 && first < l->n);
		if (r <= 0)
			return r;
		if (fresh)
			forget_answers(l);
	}
	return err_set(e, ERR_SYSTEM, "image server: it ended %d times while it was asked", TRIES);
}

int layers_lease(const struct store *s, enum ids_mode ids, const char *const *paths, int n,
	struct lease *out, struct err *e)
{
	auto_lease struct lease l = {.conn = -1, .userns = -1, .server = layers_key(ids)};

	if (n > LAYERS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d layers: at most %d", n, LAYERS_MAX);
	for (int i = 0; i < n; i++) {
		l.n = i + 1;
		l.layer[i].path = xstrdup(paths[i]);
		l.layer[i].mount = l.layer[i].fuse = l.layer[i].journal = -1;
		l.layer[i].image = open(paths[i], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (l.layer[i].image < 0)
			return err_sys(e, "%s", paths[i]);
	}
	if (converse(s, &l, lease_chunk, true, e) < 0)
		return -1;
	*out = l;
	l = (struct lease){.conn = -1, .userns = -1};
	return 0;
}

int layers_revive(const struct store *s, struct lease *l, struct err *e)
{
	return converse(s, l, revive_chunk, false, e);
}

void layers_go_on(const struct store *s, struct lease *l)
{
	uint64_t server = l->server;
	struct err e;

	if (layers_revive(s, l, &e) == 0)
		return;
	/* There is nothing left to try. When the last descriptor of a FUSE connection is closed, its readers get an
	 * error; while we held it they would hang for ever, where even SIGKILL does not reach them. */
	lease_done(l);
	l->conn = l->userns = -1;
	l->server = server; /* which ids a new lease has to ask for */
}

bool layers_wait(const struct store *s, struct lease *l, int fd, int most_ms)
{
	struct pollfd on[2] = {{.fd = fd, .events = POLLIN}};

	do {
		int n;

		on[1] = (struct pollfd){.fd = l->conn};
		n = poll(on, 2, most_ms);
		if (n == 0)
			return false;
		if (n < 0)
			on[0].revents = on[1].revents = 0;
		if (!on[0].revents && on[1].revents)
			layers_go_on(s, l);
	} while (!on[0].revents);
	return true;
}

int layers_fds(const struct lease *l, int fds[LEASE_FDS])
{
	int n = 0;

	fds[n++] = l->conn;
	fds[n++] = l->userns;
	for (int i = 0; i < l->n; i++) {
		fds[n++] = l->layer[i].image;
		fds[n++] = l->layer[i].fuse;
		fds[n++] = l->layer[i].journal;
	}
	return n;
}

void lease_done(struct lease *l)
{
	static const struct lease zero;

	if (memcmp(l, &zero, offsetof(struct lease, layer)) == 0)
		return; /* never leased: its descriptors are unset, although 0 */
	forget_answers(l);
	for (int i = 0; i < l->n; i++) {
		close_field(&l->layer[i].image);
		free(l->layer[i].path);
	}
	*l = zero;
}
