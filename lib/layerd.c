/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's main thread keeps the list of layers and of connections, in one loop that sleeps until
 * somebody asks or a time is up; the threads of fuse.c answer the kernel. Everything it needs from
 * the outside it has before it answers anyone: its file system is an empty tmpfs with a node
 * "fuse" in it and a directory per layer, and images come as descriptors.
 */
#include "layerd.h"
#include "seeds.h"

#include "auto.h"
#include "blocks.h"
#include "confine.h"
#include "fdmsg.h"
#include "fuse.h"
#include "squash.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define CACHE       (32u << 20)
#define CLIENTS_MAX 4096
#define TRIM_MS     5000 /* decoded blocks are kept for so long after the last one came in, or twice */

/* ---- the state ---- */

/* A connection to the kernel which threads of ours serve; they take it off the list when it ends. */
struct served {
	struct server *home;
	uint64_t id; /* of its journal */
	struct served *next;
};

struct layer {
	struct layer *next;
	struct stat key; /* of the image */
	uint64_t id;     /* of its journal */
	char dir[16];    /* where it is mounted; "" not yet */
	int mount, fuse, journal;
	int users;
	int64_t unused_since;
};

struct client {
	int fd;
	int n;
	struct layer **layer; /* held by this client */
};

enum { POLL_LISTENER, POLL_CACHE, POLL_SEEDS, POLL_CLIENTS };

/* One for who comes next, one for who comes right behind. */
enum { SEEDS_READY = 3 };

struct server {
	int listener, runtime, userns;
	const char *name, *lock_name;
	ino_t sock_ino;
	int64_t idle_ms;
	struct idmap ids;
	struct err no_fuse; /* why there are no layers, only the user namespace */
	struct blocks *cache;
	struct layer *layers;
	unsigned mounted; /* ever, for names */
	struct client *clients;
	struct pollfd *polls; /* the listener, the cache, then the clients */
	int n;
	int64_t alone_since, trim_at; /* 0: the cache is empty */
	int cache_used;               /* eventfd */
	pthread_mutex_t lock;         /* of `served` */
	struct served *served;
	int seeds; /* to the maker of seeds; -1 */
	int ready[SEEDS_READY][SEED_FDS], n_ready, n_asked;
};

static int64_t now_ms(void)
{
	return sys_now_ns() / 1000000;
}

static void close_field(int *fd)
{
	if (*fd >= 0)
		(void)close(take_fd(fd));
}

static bool is_served(struct server *s, uint64_t id)
{
	struct served *v;

	pthread_mutex_lock(&s->lock);
	for (v = s->served; v && v->id != id; v = v->next)
		;
	pthread_mutex_unlock(&s->lock);
	return v != NULL;
}

/* Called by the last thread of a connection. */
static void served_ended(void *arg)
{
	struct served *v = arg, **at = &v->home->served;
	pthread_mutex_t *lock = &v->home->lock;

	pthread_mutex_lock(lock);
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	pthread_mutex_unlock(lock);
	free(v);
}

/* Starts to serve; all three descriptors stay the caller's. */
static int serve(struct server *s, int image, int fuse, int journal, struct err *e)
{
	auto_close int image2 = fcntl(image, F_DUPFD_CLOEXEC, 3),
		       fuse2 = fcntl(fuse, F_DUPFD_CLOEXEC, 3),
		       journal2 = fcntl(journal, F_DUPFD_CLOEXEC, 3);
	struct served *v;
	struct squash *sq;

	if (image2 < 0 || fuse2 < 0 || journal2 < 0)
		return err_sys(e, "descriptors");
	sq = squash_open(image2, "image", s->cache, e);
	if (!sq)
		return -1;
	(void)take_fd(&image2);
	v = xcalloc(1, sizeof(*v));
	*v = (struct served){.home = s, .id = fuse_journal_id(journal)};
	pthread_mutex_lock(&s->lock);
	v->next = s->served;
	s->served = v;
	pthread_mutex_unlock(&s->lock);
	if (fuse_serve(sq, fuse2, journal2, (struct fuse_ids){s->ids.uids, s->ids.gids},
		    served_ended, v, e) < 0) {
		served_ended(v);
		squash_free(sq);
		return -1;
	}
	(void)take_fd(&fuse2);
	(void)take_fd(&journal2);
	return 0;
}

/* ---- layers ---- */

static void layer_free(struct layer *l)
{
	/* Containers' clones live on; the connection ends with the last of them. */
	close_field(&l->mount);
	if (l->dir[0]) {
		(void)sys_umount2(l->dir, SYS_MNT_DETACH);
		(void)rmdir(l->dir);
	}
	close_field(&l->fuse);
	close_field(&l->journal);
	free(l);
}

static int mount_fuse(struct layer *l, struct err *e)
{
	auto_close int fs = sys_fsopen("fuse");
	char fd[16];

	if (fs < 0)
		return err_sys(e, "fsopen fuse");
	(void)snprintf(fd, sizeof(fd), "%d", l->fuse);
	/* Not nosuid: a set-user-id program of the image works inside as it does anywhere, and only inside:
	 * the kernel honours it in this user namespace and below. */
	if (sys_fsconfig_string(fs, "source", "sbx") < 0 || sys_fsconfig_string(fs, "fd", fd) < 0 ||
		sys_fsconfig_string(fs, "rootmode", "40000") < 0 ||
		sys_fsconfig_string(fs, "user_id", "0") < 0 ||
		sys_fsconfig_string(fs, "group_id", "0") < 0 || sys_fsconfig_flag(fs, "allow_other") < 0 ||
		sys_fsconfig_flag(fs, "default_permissions") < 0 || sys_fsconfig_flag(fs, "ro") < 0 ||
		(l->mount = sys_fsmount(
			 fs, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME)) < 0) {
		/* An old kernel, or a /dev/fuse which is another device: the layer can be unpacked. */
		(void)err_sys(e, "mount fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	if (mkdir(l->dir, 0700) < 0)
		return err_sys(e, "mkdir");
	/* open_tree() clones only what is attached somewhere in our mount namespace. */
	if (sys_attach_at(l->mount, l->dir) < 0) {
		(void)err_sys(e, "move_mount");
		(void)rmdir(l->dir);
		return -1;
	}
	return 0;
}

static struct layer *layer_new(struct server *s, int image, const struct stat *key, struct err *e)
{
	struct layer *l = xcalloc(1, sizeof(*l));

	*l = (struct layer){.key = *key, .mount = -1, .journal = -1};
	l->fuse = open("fuse", O_RDWR | O_CLOEXEC);
	if (l->fuse < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		goto fail;
	}
	l->journal = fuse_journal_new(e);
	if (l->journal < 0)
		goto fail;
	l->id = fuse_journal_id(l->journal);
	(void)snprintf(l->dir, sizeof(l->dir), "%u", ++s->mounted);
	if (mount_fuse(l, e) < 0) {
		l->dir[0] = '\0';
		goto fail;
	}
	if (serve(s, image, l->fuse, l->journal, e) < 0)
		goto fail;
	l->next = s->layers;
	s->layers = l;
	return l;
fail:
	layer_free(l);
	return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct layer *layer_find(struct server *s, int image, struct err *e)
{
	struct stat st;
	struct layer *l;

	if (fstat(image, &st) < 0) {
		(void)err_sys(e, "stat");
		return NULL;
	}
	/* One whose connection ended without us (aborted by hand) is of no use any more. */
	for (l = s->layers; l && !(same_file(&l->key, &st) && is_served(s, l->id)); l = l->next)
		;
	return l ? l : layer_new(s, image, &st, e);
}

static void layer_release(struct layer *l)
{
	if (--l->users == 0)
		l->unused_since = now_ms();
}

static void unmount_unused(struct server *s)
{
	int64_t now = now_ms();

	for (struct layer **at = &s->layers; *at;) {
		struct layer *l = *at;

		if (l->users > 0 || now - l->unused_since < s->idle_ms) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		layer_free(l);
	}
}

/* ---- clients ---- */

static void client_hold(struct client *c, struct layer *l)
{
	c->layer = xrealloc(c->layer, (size_t)c->n + 1, sizeof(struct layer *));
	c->layer[c->n++] = l;
	l->users++;
}

/* Answers with, for each layer, a mount of its own and the means to keep it alive. */
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
		l = layer_find(s, images[i], &told->err);
		if (!l)
			return n_out;
		client_hold(c, l);
		clone = sys_open_tree(l->mount, "", AT_EMPTY_PATH | OPEN_TREE_CLONE);
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

/* Goes on with connections that another server held. Many may bring the same one. */
static void revive(struct server *s, const int *fds, int n, struct told *told)
{
	for (int i = 0; i < n; i++) {
		uint64_t id = fuse_journal_id(fds[3 * i + 2]);

		told->which = (uint32_t)i;
		if (id == 0) {
			(void)err_set(&told->err, ERR_SYSTEM, "not a journal");
			return;
		}
		if (!is_served(s, id) &&
			serve(s, fds[3 * i], fds[3 * i + 1], fds[3 * i + 2], &told->err) < 0)
			return;
	}
}

static bool valid(const struct ask *a, int n_fds)
{
	if (a->n > LAYERS_CHUNK)
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

/* Asked for when somebody was there, not before: a server that is only revived needs none. And rather at
 * the end of a container than at its start, which would have to share the processor with the maker. */
static void want_seeds(struct server *s)
{
	while (s->seeds >= 0 && s->n_ready + s->n_asked < SEEDS_READY) {
		if (seeds_ask(s->seeds) < 0)
			return;
		s->n_asked++;
	}
}

static void get_seed(struct server *s)
{
	int r = seeds_take(s->seeds, s->ready[s->n_ready]);

	if (r < 0)
		(void)close(take_fd(&s->seeds)); /* the maker is gone: containers make their own */
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
	return SEED_FDS;
}

/* One message; false: the client is gone or talks nonsense. */
static bool hear(struct server *s, struct client *c)
{
	int fds[FDMSG_MAX], out[1 + 3 * LAYERS_CHUNK], n = FDMSG_MAX, n_out = 0;
	struct told told;
	struct ask ask;
	bool ok;
	long len = fdmsg_recv(c->fd, &ask, sizeof(ask), fds, &n, MSG_DONTWAIT);

	if (len < 0 && errno == EAGAIN)
		return true;
	if (len <= 0)
		return false;
	told.range = told.which = 0;
	told.pid = (uint32_t)getpid();
	memcpy(told.uid_map, s->ids.uid_text, sizeof(told.uid_map));
	memcpy(told.gid_map, s->ids.gid_text, sizeof(told.gid_map));
	err_clear(&told.err);
	ok = len == sizeof(ask) && valid(&ask, n);
	if (ok && ask.kind == ASK_LEASE)
		n_out = lease(s, c, fds, (int)ask.n, out, &told);
	else if (ok && ask.kind == ASK_SEED)
		n_out = hand_seed(s, out);
	else if (ok)
		revive(s, fds, (int)ask.n, &told);
	ok = ok && reply(c->fd, &told, out, n_out);
	if (ask.kind == ASK_SEED)
		for (int i = 0; i < n_out; i++)
			(void)close(out[i]); /* it has one user, ever */
	else
		for (int i = 1; i < n_out; i += 3)
			(void)close(out[i]);
	if (ok && s->n_ready == 0)
		want_seeds(s);
	for (int i = 0; i < n; i++)
		(void)close(fds[i]);
	return ok;
}

static bool is_owner(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	/* In our user namespace the owner is 0, and whoever is not mapped is somebody else. */
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == 0;
}

static void client_drop(struct server *s, int i)
{
	struct client *c = &s->clients[i];

	(void)close(c->fd);
	want_seeds(s);
	for (int k = 0; k < c->n; k++)
		layer_release(c->layer[k]);
	free(c->layer);
	s->clients[i] = s->clients[--s->n];
	s->polls[POLL_CLIENTS + i] = s->polls[POLL_CLIENTS + s->n];
	if (s->n == 0)
		s->alone_since = now_ms();
}

static void client_add(struct server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (!is_owner(fd) || s->n >= CLIENTS_MAX) {
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
	if (due == INT64_MAX)
		return -1;
	left = due - now_ms();
	return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* Under the lock nobody starts a server, and who connected before is heard first; who connects
 * after this look finds a closed connection and asks again. */
static bool may_leave(struct server *s)
{
	auto_close int lock = openat(s->runtime, s->lock_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct pollfd p = {.fd = s->listener, .events = POLLIN};
	struct stat st;

	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0)
		return false;
	if (poll(&p, 1, 0) > 0)
		return false;
	if (fstatat(s->runtime, s->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == s->sock_ino)
		(void)unlinkat(s->runtime, s->name, 0);
	(void)close(take_fd(&s->listener)); /* before the lock is let go */
	return true;
}

static void care_for_cache(struct server *s)
{
	eventfd_t ignored;

	if (s->polls[POLL_CACHE].revents && eventfd_read(s->cache_used, &ignored) == 0)
		s->trim_at = now_ms() + TRIM_MS;
	if (s->trim_at && now_ms() >= s->trim_at)
		s->trim_at = blocks_trim(s->cache) ? 0 : now_ms() + TRIM_MS;
}

static void loop(struct server *s)
{
	for (;;) {
		int r;

		s->polls[POLL_LISTENER] = (struct pollfd){.fd = s->listener, .events = POLLIN};
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
		unmount_unused(s);
		if (r == 0 && s->n == 0 && now_ms() - s->alone_since >= s->idle_ms) {
			if (may_leave(s))
				return;
			s->alone_since += 200; /* somebody is about to come */
		}
	}
}

/* ---- becoming the server ---- */

static int keep_only(int *fds[], int n, struct err *e)
{
	/* The descriptors to keep go to 3.., everything above is closed. */
	for (int i = 0; i < n; i++) {
		int fd = fcntl(*fds[i], F_DUPFD_CLOEXEC, 100);

		if (fd < 0)
			return err_sys(e, "descriptors");
		*fds[i] = fd;
	}
	for (int i = 0; i < n; i++) {
		if (dup3(*fds[i], 3 + i, O_CLOEXEC) < 0)
			return err_sys(e, "descriptors");
		*fds[i] = 3 + i;
	}
	if (sys_close_range((unsigned int)(3 + n), ~0u, 0) < 0)
		for (int fd = 3 + n; fd < 1024; fd++)
			(void)close(fd); /* mostly not open */
	return 0;
}

static void own_process(void)
{
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit files;
	sigset_t none;

	(void)setsid();
	(void)prctl(PR_SET_NAME, "sbx-layers");
	/* A supervisor who starts us is not; then its /proc/self, the id maps too, is not its own. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	(void)chdir("/");
	(void)umask(077);
	for (int i = 0; i < 3 && null >= 0; i++)
		(void)dup2(null, i);
	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max; /* some descriptors for each layer and container */
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	/* Many threads of which each needs little; blocks of 128 KiB come from the heap, not from mmap. */
	(void)mallopt(M_ARENA_MAX, 2);
	(void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

/* An empty file system of our own, with /dev/fuse in it. Of the machine's only the runtime directory can be reached
 * from then on: by a mount of its own, above which there is nothing. */
static int own_root(struct server *s, const char *dir, struct err *e)
{
	int fd;

	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(e, "a mount namespace");
	if (sys_mount(NULL, "/", NULL, SYS_MS_PRIVATE | SYS_MS_REC, NULL) < 0)
		return err_sys(e, "make mounts private");
	fd = sys_open_tree(AT_FDCWD, dir, OPEN_TREE_CLONE);
	if (fd >= 0 && dup3(fd, s->runtime, O_CLOEXEC) < 0)
		return err_sys(e, "descriptors");
	close_field(&fd);
	/* The directory as its source: /proc/PID/mountinfo tells whose server this is. */
	if (sys_mount(dir, dir, "tmpfs", SYS_MS_NOSUID | SYS_MS_NOEXEC, "mode=700,size=1m") < 0 ||
		chdir(dir) < 0)
		return err_sys(e, "tmpfs at %s", dir);
	fd = open("fuse", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "tmpfs at %s", dir);
	(void)close(fd);
	if (sys_mount("/dev/fuse", "fuse", NULL, SYS_MS_BIND, NULL) < 0 ||
		(fd = open("fuse", O_RDWR | O_CLOEXEC)) < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	(void)close(fd);
	/* Where the root is the initial ramfs this is refused. Nobody here can get out of the other one either: he would
	 * need chroot, or a descriptor from outside. */
	if (sys_pivot_root(".", ".") == 0)
		(void)sys_umount2(".", SYS_MNT_DETACH);
	else if (chroot(".") < 0)
		return err_sys(e, "an empty root");
	return 0;
}

static int begin(struct server *s, const struct layerd_args *a, struct err *e)
{
	struct err no_seeds;
	struct stat st;

	if (s->userns >= 0) {
		if (idmap_join(s->userns, &s->ids, e) < 0)
			return -1;
	} else {
		if (idmap_enter(a->ids, &s->ids, e) < 0)
			return -1;
		s->userns = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		if (s->userns < 0)
			return err_sys(e, "open /proc/self/ns/user");
	}
	if (fstatat(s->runtime, s->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		s->sock_ino = st.st_ino;
	s->seeds = seeds_start(&s->ids, &no_seeds);   /* without them containers make their own */
	(void)own_root(s, a->empty_dir, &s->no_fuse); /* told to who asks for layers */
	(void)prctl(PR_SET_DUMPABLE, 0);
	pthread_mutex_init(&s->lock, NULL);
	s->cache_used = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->cache = blocks_new(CACHE, s->cache_used);
	s->polls = xcalloc(POLL_CLIENTS, sizeof(*s->polls));
	s->alone_since = now_ms();
	return confine(CONFINE_SERVER, e);
}

void layerd_run(const struct layerd_args *a)
{
	struct server s = {.listener = a->listener,
		.seeds = -1,
		.runtime = a->runtime,
		.userns = a->userns,
		.name = a->name,
		.lock_name = a->lock_name,
		.idle_ms = a->idle_s * 1000ll};
	struct err e = {0};
	int report = a->report, *kept[] = {&s.listener, &report, &s.runtime, &s.userns}, r;

	own_process();
	r = keep_only(kept, (int)ARRAY_LEN(kept) - (s.userns < 0), &e);
	if (r == 0)
		r = begin(&s, a, &e);
	(void)!write(report, &e, sizeof(e)); /* nobody there: no connection will come either */
	(void)close(report);
	if (r == 0)
		loop(&s);
	_exit(0); /* unmounts what nobody uses */
}
