/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's main thread keeps the lists of layers and connections, in one loop that sleeps until a client asks
 * or a time is up; the threads of fuse.c answer the kernel. It needs nothing from outside any more when it
 * answers the first client: its root is an empty tmpfs with a node "fuse" and a directory for each layer, and
 * images come as descriptors.
 */
#include "layerd_parts.h"

#include "auto.h"
#include "fdmsg.h"
#include "fuse.h"
#include "layers_place.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define FORESEEN 8    /* layers in which to look for a program */
#define TRIM_MS  5000 /* decoded blocks are dropped so long after the last one came, or twice that */
#define RETRY_MS 100
#define SEEDS_MS 200 /* the first container starts meanwhile */

int64_t layerd_now_ms(void)
{
	return sys_now_ns() / 1000000;
}

/* ---- clients ---- */

static void client_hold(struct client *c, struct layer *l)
{
	c->layer = xrealloc(c->layer, (size_t)c->n + 1, sizeof(struct layer *));
	c->layer[c->n++] = l;
	l->users++;
}

/* The error when there are no descriptors left, which is neither the client's fault nor the layer's. */
static void say_full(struct told *told)
{
	struct rlimit r;

	(void)getrlimit(RLIMIT_NOFILE, &r); /* cannot fail with these arguments */
	told->which = UINT32_MAX;
	(void)err_set(&told->err, ERR_SYSTEM,
		"image server: its descriptors are used up, one a running container (ulimit -n %llu where it was started)",
		(unsigned long long)r.rlim_cur);
}

/* Answers with a mount for each layer, and with the descriptors to keep it alive. */
static int lease(struct server *s, struct client *c, const int *images, int n, int *out, struct told *told)
{
	int n_out = 0;

	out[n_out++] = s->userns;
	told->range = s->ids.range;
	if (n > 0 && s->no_fuse.kind != ERR_NONE) {
		told->which = UINT32_MAX;
		told->err = s->no_fuse;
		return n_out;
	}
	for (int i = 0; i < n; i++) {
		struct layer *l;
		int clone;

		told->which = (uint32_t)i;
		l = layerd_layer(s, images[i], &told->err);
		if (!l)
			return n_out;
		told->fresh |= l->fresh;
		client_hold(c, l);
		clone = sys_open_tree(l->mount, "", AT_EMPTY_PATH | OPEN_TREE_CLONE);
		if (clone < 0 && errno == EMFILE) {
			say_full(told);
			return n_out;
		}
		if (clone < 0) {
			(void)err_sys(&told->err, "open_tree");
			return n_out;
		}
		out[n_out++] = clone;
		out[n_out++] = l->fuse;
		out[n_out++] = l->journal;
	}
	return n_out;
}

/* Takes over connections that another server held; several clients may bring the same one. */
static void revive(struct server *s, const int *fds, int n, struct told *told)
{
	for (int i = 0; i < n; i++) {
		uint64_t id = fuse_journal_id(fds[3 * i + 2]);

		told->which = (uint32_t)i;
		if (id == 0) {
			(void)err_set(&told->err, ERR_SYSTEM, "not a journal");
			return;
		}
		if (!layerd_is_served(s, id) &&
			layerd_serve(s, fds[3 * i], fds[3 * i + 1], fds[3 * i + 2], &told->err) < 0)
			return;
	}
}

static void foresee(struct server *s, struct client *c, const char *paths, size_t len)
{
	/* If there are more layers than that, most of them are nearly empty. */
	for (int i = 0; i < c->n; i++)
		if (c->layer[i]->fresh && i < FORESEEN)
			layerd_foresee(s, c->layer[i], paths, len);
	for (int i = 0; i < c->n; i++)
		c->layer[i]->fresh = false;
}

static bool valid(const struct ask *a, size_t text, int n_fds)
{
	if (a->kind == ASK_FORESEE)
		return n_fds == 0 && a->n == text;
	if (a->n > LAYERS_CHUNK || text > 0)
		return false;
	return (a->kind == ASK_SEED && n_fds == 0 && a->n == 0) ||
	       (a->kind == ASK_LEASE && n_fds == (int)a->n) ||
	       (a->kind == ASK_REVIVE && n_fds == 3 * (int)a->n);
}

static bool reply(int sock, struct told *told, const int *fds, int n)
{
	/* The text of no error need not travel. */
	size_t len = told->err.kind == ERR_NONE ? offsetof(struct told, err) : sizeof(*told);

	return fdmsg_send(sock, told, len, told->err.kind == ERR_NONE ? fds : NULL,
		       told->err.kind == ERR_NONE ? n : 0) == 0;
}

/* ---- seeds ---- */

/* Seeds are made only after a client came: a server that was merely revived needs none. And rather at the end of a
 * container than at its start, which would have to share the processor with the seed maker; above all the first start,
 * which has to read all of its image. */
static void want_seeds(struct server *s)
{
	s->seeds_at = INT64_MAX;
	while (s->seeds >= 0 && s->n_ready + s->n_asked < SEEDS_READY) {
		if (seeds_ask(s->seeds) < 0)
			return;
		s->n_asked++;
	}
}

static void need_seeds(struct server *s)
{
	if (s->n > 1 || s->seeds_at == INT64_MAX)
		want_seeds(s);
	else if (!s->seeds_at)
		s->seeds_at = layerd_now_ms() + SEEDS_MS;
}

static void get_seed(struct server *s)
{
	int r = seeds_take(s->seeds, s->ready[s->n_ready]);

	if (r < 0)
		(void)close(take_fd(&s->seeds)); /* the maker is gone: containers make their own namespaces */
	if (r == 1)
		s->n_ready++;
	if (s->n_asked > 0)
		s->n_asked--;
}

static int hand_seed(struct server *s, int *out)
{
	if (s->n_ready == 0)
		return 0;
	memcpy(out, s->ready[--s->n_ready], sizeof(s->ready[0]));
	return seeds_count(out);
}

/* Answers a message that wants an answer. */
static bool answer(struct server *s, struct client *c, const struct ask *ask, const int *fds)
{
	int out[1 + 3 * LAYERS_CHUNK], n_out = 0;
	struct told told = {.pid = (uint32_t)getpid()};
	bool ok;

	memcpy(told.uid_map, s->ids.uid_text, sizeof(told.uid_map));
	memcpy(told.gid_map, s->ids.gid_text, sizeof(told.gid_map));
	if (ask->kind == ASK_LEASE)
		n_out = lease(s, c, fds, (int)ask->n, out, &told);
	else if (ask->kind == ASK_SEED)
		n_out = hand_seed(s, out);
	else
		revive(s, fds, (int)ask->n, &told);
	ok = reply(c->fd, &told, out, n_out);
	if (ask->kind == ASK_SEED)
		for (int i = 0; i < n_out; i++)
			(void)close(out[i]); /* it has one user, ever */
	else
		for (int i = 1; i < n_out; i += 3)
			(void)close(out[i]);
	if (ok && s->n_ready == 0)
		need_seeds(s);
	return ok;
}

/* Handles one message; false: the client is gone or has sent nonsense. */
static bool hear(struct server *s, struct client *c)
{
	struct {
		struct ask ask;
		char text[ASK_TEXT];
	} m;
	int fds[FDMSG_MAX], n = FDMSG_MAX;
	bool ok;
	long len = fdmsg_recv(c->fd, &m, sizeof(m), fds, &n, MSG_DONTWAIT);

	if (len < 0 && errno == EAGAIN)
		return true;
	if (len < 0 && errno == EMFILE) {
		struct told told = {.pid = (uint32_t)getpid()};

		say_full(&told);
		(void)reply(c->fd, &told, NULL, 0);
	}
	if (len <= 0)
		return false;
	ok = len >= (long)sizeof(m.ask) && valid(&m.ask, (size_t)len - sizeof(m.ask), n);
	if (ok && m.ask.kind == ASK_FORESEE)
		foresee(s, c, m.text, m.ask.n);
	else if (ok)
		ok = answer(s, c, &m.ask, fds);
	for (int i = 0; i < n; i++)
		(void)close(fds[i]);
	return ok;
}

static bool is_owner(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	/* In our user namespace the owner is 0; ids that are not mapped are other users. */
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == 0;
}

static void client_drop(struct server *s, int i)
{
	struct client *c = &s->clients[i];

	(void)close(c->fd);
	want_seeds(s);
	for (int k = 0; k < c->n; k++)
		layerd_release(c->layer[k]);
	free(c->layer);
	s->clients[i] = s->clients[--s->n];
	s->polls[POLL_CLIENTS + i] = s->polls[POLL_CLIENTS + s->n];
	if (s->n == 0)
		s->alone_since = layerd_now_ms();
}

/* If no descriptor is left, the reserved one is used to accept the client, so that it can be told. */
static int let_in(struct server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0 || errno != EMFILE || s->kept < 0)
		return fd;
	(void)close(take_fd(&s->kept));
	return accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void client_add(struct server *s)
{
	int fd = let_in(s);

	if (fd < 0) {
		/* The client is still waiting, and nothing tells when a descriptor becomes free. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			s->deaf_until = layerd_now_ms() + RETRY_MS;
		return;
	}
	if (!is_owner(fd)) {
		(void)close(fd);
		return;
	}
	s->clients = xrealloc(s->clients, (size_t)s->n + 1, sizeof(*s->clients));
	s->polls = xrealloc(s->polls, (size_t)s->n + POLL_CLIENTS + 1, sizeof(*s->polls));
	s->clients[s->n] = (struct client){.fd = fd};
	s->polls[POLL_CLIENTS + s->n] = (struct pollfd){.fd = fd, .events = POLLIN};
	s->n++;
	if (!hear(s, &s->clients[s->n - 1])) /* it has mostly asked already */
		client_drop(s, s->n - 1);
}

/* ---- the loop ---- */

/* Until the next thing is due; -1: nothing is. */
static int wait_ms(const struct server *s)
{
	int64_t due = s->n == 0 ? s->alone_since + s->idle_ms : INT64_MAX, left;

	for (const struct layer *l = s->layers; l; l = l->next)
		if (l->users == 0 && l->unused_since + s->idle_ms < due)
			due = l->unused_since + s->idle_ms;
	if (s->trim_at && s->trim_at < due)
		due = s->trim_at;
	if (s->seeds_at && s->seeds_at < due)
		due = s->seeds_at;
	if (s->deaf_until && s->deaf_until < due)
		due = s->deaf_until;
	if (due == INT64_MAX)
		return -1;
	left = due - layerd_now_ms();
	return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* Under the lock no other server is started. Clients that connected before are served first; one that connects after
 * this look finds a closed connection and asks again. */
static bool may_leave(struct server *s)
{
	auto_close int lock = openat(s->runtime, s->lock_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct pollfd p = {.fd = s->listener, .events = POLLIN};
	struct stat st;

	if (lock >= 0 &&
		(flock(lock, LOCK_EX | LOCK_NB) < 0 || !place_holds(s->runtime, s->lock_name, lock)))
		return false;
	if (poll(&p, 1, 0) > 0)
		return false;
	if (fstatat(s->runtime, s->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == s->sock_ino) {
		(void)unlinkat(s->runtime, s->name, 0);
		if (lock >= 0)
			(void)unlinkat(s->runtime, s->lock_name, 0);
	}
	(void)close(take_fd(&s->listener)); /* before the lock is let go */
	return true;
}

static void care_for_cache(struct server *s)
{
	eventfd_t ignored;

	if (s->polls[POLL_CACHE].revents && eventfd_read(s->cache_used, &ignored) == 0)
		s->trim_at = layerd_now_ms() + TRIM_MS;
	if (s->trim_at && layerd_now_ms() >= s->trim_at)
		s->trim_at = blocks_trim(s->cache) ? 0 : layerd_now_ms() + TRIM_MS;
}

static void loop(struct server *s)
{
	for (;;) {
		int r;

		if (s->deaf_until && layerd_now_ms() >= s->deaf_until)
			s->deaf_until = 0;
		if (s->kept < 0)
			s->kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		s->polls[POLL_LISTENER] =
			(struct pollfd){.fd = s->deaf_until ? -1 : s->listener, .events = POLLIN};
		s->polls[POLL_CACHE] = (struct pollfd){.fd = s->cache_used, .events = POLLIN};
		s->polls[POLL_SEEDS] = (struct pollfd){.fd = s->seeds, .events = POLLIN};
		r = poll(s->polls, (nfds_t)s->n + POLL_CLIENTS, wait_ms(s));
		if (r < 0 && errno != EINTR)
			return;
		for (int i = s->n - 1; r > 0 && i >= 0; i--)
			if (s->polls[POLL_CLIENTS + i].revents && !hear(s, &s->clients[i]))
				client_drop(s, i);
		if (r > 0 && s->polls[POLL_LISTENER].revents)
			client_add(s);
		if (r > 0 && s->polls[POLL_SEEDS].revents)
			get_seed(s);
		care_for_cache(s);
		if (s->seeds_at && layerd_now_ms() >= s->seeds_at)
			want_seeds(s);
		layerd_unmount_unused(s);
		if (r == 0 && s->n == 0 && layerd_now_ms() - s->alone_since >= s->idle_ms) {
			if (may_leave(s))
				return;
			s->alone_since += 200; /* a client is about to come */
		}
	}
}

void layerd_run(const struct layerd_args *a)
{
	struct server s = {.listener = a->listener,
		.seeds = -1,
		.kept = -1,
		.runtime = a->runtime,
		.userns = a->userns,
		.name = a->name,
		.lock_name = a->lock_name,
		.idle_ms = a->idle_s * 1000ll};
	struct err e = {0};
	int report = a->report, *kept[] = {&s.listener, &report, &s.runtime, &s.userns}, r;

	r = layerd_own_process(&e);
	if (r == 0)
		r = layerd_keep_only(kept, (int)ARRAY_LEN(kept) - (s.userns < 0), &e);
	if (r == 0)
		r = layerd_begin(&s, a, &e);
	(void)!write(report, &e, sizeof(e)); /* the starter is gone: no client will come either */
	(void)close(report);
	if (r == 0 && a->expected && s.seeds >= 0 && seeds_ask(s.seeds) == 0)
		s.n_asked++;
	if (r == 0)
		loop(&s);
	_exit(0); /* unmounts the layers */
}
