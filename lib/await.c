/* SPDX-License-Identifier: Apache-2.0 */
#include "await.h"

#include "auto.h"
#include "statedir.h"
#include "str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static void dir_path(path_text out, const char *id)
{
	(void)snprintf(out, sizeof(path_text), "w/%.64s", id); /* fits */
}

static int open_dir(const struct store *s, const char *id)
{
	path_text path;

	dir_path(path, id);
	return openat(s->runtime, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_dir(const struct store *s, const char *id, bool *gone, struct err *e)
{
	path_text path;
	int dir;

	dir_path(path, id);
	if (statedir_make(s->runtime, "w", e) < 0)
		return -1;
	if (mkdirat(s->runtime, path, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "make a directory for who waits for %.12s", id);
	dir = open_dir(s, id);
	*gone = dir < 0 && errno == ENOENT;
	return dir < 0 ? err_sys(e, "open the directory of who waits for %.12s", id) : dir;
}

/* As in ctl.c: by a descriptor any path is short enough. */
static void address(int dir, const char *name, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%.32s", dir, name); /* fits */
}

/* gone: whoever waited last, or the supervisor, has just removed the directory. */
static int begin(const struct store *s, const char *id, const struct ctl_attach *wants,
	struct await *out, bool *gone, struct err *e)
{
	auto_close int dir = make_dir(s, id, gone, e), sock = -1;
	struct sockaddr_un a;
	id_text random;

	if (dir < 0 || id_random(random, e) < 0)
		return -1;
	*out = (struct await){.store = s, .sock = -1};
	(void)snprintf(out->id, sizeof(out->id), "%s", id); /* fits: it is one */
	(void)snprintf(out->name, sizeof(out->name), "%d%d%d.%.16s", wants->in, wants->out,
		wants->err, random); /* fits */
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return err_sys(e, "socket");
	address(dir, out->name, &a);
	if (fchmod(sock, 0600) < 0 || bind(sock, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		listen(sock, 1) < 0) {
		*gone = errno == ENOENT;
		return err_sys(e, "listen for the start of %.12s", id);
	}
	out->sock = take_fd(&sock);
	return 0;
}

int await_begin(const struct store *s, const char *id, const struct ctl_attach *wants,
	struct await *out, struct err *e)
{
	for (;;) {
		bool gone = false;

		if (begin(s, id, wants, out, &gone, e) == 0)
			return 0;
		if (!gone)
			return -1;
		err_clear(e);
	}
}

void await_done(struct await *a)
{
	auto_close int dir = a->sock >= 0 ? open_dir(a->store, a->id) : -1;
	path_text path;

	auto_close_(&a->sock);
	a->sock = -1;
	if (dir < 0)
		return;
	(void)unlinkat(dir, a->name, 0); /* the supervisor takes it away as well */
	dir_path(path, a->id);
	(void)unlinkat(a->store->runtime, path, AT_REMOVEDIR); /* not while others wait */
}

/* Whether the supervisor has looked for waiting clients already (RUNS), has still to do so (STOPPED), or neither is
 * certain. */
enum phase { STOPPED, STARTING, RUNS };

static enum phase phase(const struct store *s, const char *id, struct err *e)
{
	auto_state struct state st = {0};
	auto_close int life = -1;
	bool alive;
	int code;

	/* In this order, since the supervisor locks the file before it looks, and writes "running" afterwards. */
	life = state_life_open(s, id, e);
	alive = life >= 0 && state_life_code(life, &code) < 0 && state_life_alive(life);
	if (state_load(s, id, &st, e) < 0)
		return STOPPED;
	if (st.status == ST_RUNNING || st.status == ST_PAUSED)
		return RUNS;
	return alive ? STARTING : STOPPED;
}

static int accept_one(const struct await *a)
{
	return accept4(a->sock, NULL, NULL, SOCK_CLOEXEC);
}

static int connect_now(const struct await *a, const struct ctl_attach *wants, struct err *e)
{
	auto_close int sock = ctl_connect(a->store, a->id, e);

	if (sock < 0)
		return -1;
	if (ctl_send(sock, CTL_ATTACH, wants, sizeof(*wants)) < 0)
		return err_sys(e, "attach");
	return take_fd(&sock);
}

int await_start(struct await *a, const struct ctl_attach *wants, int gone, struct err *e)
{
	enum phase now = phase(a->store, a->id, e);

	err_clear(e);
	for (;;) {
		struct pollfd p[2] = {{.fd = a->sock, .events = POLLIN}, {.fd = gone}};
		int sock = accept_one(a);

		if (sock >= 0)
			return sock;
		if (now == RUNS)
			return connect_now(a, wants, e);
		if (poll(p, 2, now == STARTING ? 5 : -1) < 0 && errno != EINTR)
			return err_sys(e, "wait for the start of %.12s", a->id);
		if (p[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			return err_set(e, ERR_SYSTEM, "the client is gone");
		if (now == STARTING)
			now = phase(a->store, a->id, e);
	}
}

/* ---- the supervisor's side ------------------------------------------------------------ */

struct join {
	int dir;
	void (*joined)(int sock, const struct ctl_attach *wants, void *arg);
	void *arg;
};

static int connect_to(int dir, const char *name)
{
	auto_close int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	address(dir, name, &a);
	if (sock < 0 || connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -1;
	return take_fd(&sock);
}

static int join_one(const struct dirent *d, void *arg, struct err *e)
{
	struct join *j = arg;
	const char *w = d->d_name;
	struct ctl_attach wants = {0};
	int sock;

	(void)e; /* a client that cannot be reached is dead */
	if (strlen(w) < 5 || w[3] != '.' || strlen(w) >= 32)
		return 0;
	wants.in = w[0] == '1';
	wants.out = w[1] == '1';
	wants.err = w[2] == '1';
	sock = connect_to(j->dir, w);
	(void)unlinkat(j->dir, w, 0); /* met or dead */
	if (sock >= 0)
		j->joined(sock, &wants, j->arg);
	return 0;
}

void await_join(const struct store *s, const char *id,
	void (*joined)(int sock, const struct ctl_attach *wants, void *arg), void *arg)
{
	struct join j = {.dir = open_dir(s, id), .joined = joined, .arg = arg};
	struct err ignored;
	path_text path;

	if (j.dir < 0)
		return;
	dir_path(path, id);
	(void)statedir_each(s->runtime, path, join_one, &j, &ignored); /* join_one never fails */
	(void)close(j.dir);                                            /* only read from */
	(void)unlinkat(s->runtime, path, AT_REMOVEDIR); /* fails, and stays, if another client waits by now */
}

/* By a socket of another kind, which a living one refuses for that and does not notice. Whose pid is gone says nothing: clients
 * may be in other pid namespaces. */
static bool is_dead(int dir, const char *name)
{
	auto_close int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	address(dir, name, &a);
	return sock >= 0 && connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == ECONNREFUSED;
}

static int sweep_socket(const struct dirent *d, void *arg, struct err *e)
{
	int dir = *(int *)arg;

	(void)e;
	if (is_dead(dir, d->d_name))
		(void)unlinkat(dir, d->d_name, 0); /* or another process has removed it */
	return 0;
}

static void hang_up(int sock, const struct ctl_attach *wants, void *arg)
{
	(void)wants, (void)arg;
	(void)close(sock); /* nothing was sent on it */
}

void await_forget(const struct store *s, const char *id)
{
	struct err ignored;
	path_text path;

	await_join(s, id, hang_up, NULL);
	dir_path(path, id);
	if (faccessat(s->runtime, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		(void)state_remove_tree(s->runtime, path, &ignored); /* await_sweep() tries again */
}

static int sweep_one(const struct dirent *d, void *arg, struct err *e)
{
	const struct store *s = arg;
	auto_close int dir = -1;
	path_text path;

	if (!str_is_hex(d->d_name, ID_LEN))
		return 0;
	dir = open_dir(s, d->d_name);
	dir_path(path, d->d_name);
	if (dir >= 0)
		(void)statedir_each(s->runtime, path, sweep_socket, &dir, e); /* as above */
	(void)unlinkat(s->runtime, path, AT_REMOVEDIR);                       /* as above */
	return 0;
}

void await_sweep(const struct store *s)
{
	struct err ignored;

	(void)statedir_each(s->runtime, "w", sweep_one, (void *)(uintptr_t)s, &ignored); /* never fails */
}
