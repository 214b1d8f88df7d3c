/* SPDX-License-Identifier: Apache-2.0 */
#include "layers_place.h"

#include "layerd.h"
#include "statedir.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- scope ---- */

static uint64_t hash(uint64_t h, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ull;
	return (h ^ 0xff) * 0x100000001b3ull;
}

/* The part of a cgroup's path that has the same lifetime: up to the last systemd unit or SLURM step. What is below is
 * some subdivision (perhaps ours), across which a server may be shared. */
static size_t scope_len(const char *path, size_t len)
{
	size_t keep = 0;

	for (size_t at = 0; at < len;) {
		const char *part = path + at + (path[at] == '/');
		size_t end = (size_t)(part - path), n;

		while (end < len && path[end] != '/')
			end++;
		n = (size_t)(path + end - part);
		if ((n > 6 && memcmp(part + n - 6, ".scope", 6) == 0) ||
			(n > 6 && memcmp(part + n - 6, ".slice", 6) == 0) ||
			(n > 8 && memcmp(part + n - 8, ".service", 8) == 0) ||
			strncmp(part, "job_", 4) == 0 || strncmp(part, "step_", 5) == 0)
			keep = end;
		at = end;
	}
	return keep ? keep : len;
}

static uint64_t hash_cgroups(uint64_t h)
{
	auto_close int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	char text[8192];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	char *line = text;

	if (n < 0)
		n = 0;
	text[n] = '\0';
	while (*line) {
		size_t len = strcspn(line, "\n");
		char *path = memchr(line, '/', len);
		size_t head = path ? (size_t)(path - line) : len;

		h = hash(h, line, path ? head + scope_len(path, len - head) : len);
		line += len + (line[len] == '\n');
	}
	return h;
}

/* From Linux 5.14 on a user namespace keeps its maker's limit on processes for everything below: so a server is shared
 * only by processes with the same hard limit, to which a server raises its own. */
static uint64_t hash_limit(uint64_t h)
{
	struct rlimit r = {0};

	(void)getrlimit(RLIMIT_NPROC, &r); /* cannot fail with these arguments */
	return hash(h, (const char *)&r.rlim_max, sizeof(r.rlim_max));
}

/* A server's namespace is joined, which only its parent's processes can. A supervisor, which has joined it, and starts its
 * container again, means that of its client. */
static uint64_t hash_userns(uint64_t h)
{
	static ino_t own;
	struct stat st = {0};

	if (own == 0 && stat("/proc/self/ns/user", &st) == 0) /* if there is none, all are in the machine's own */
		own = st.st_ino;
	return hash(h, (const char *)&own, sizeof(own));
}

uint64_t layers_key(enum ids_mode ids)
{
	static const char *const job[] = {"SLURM_JOB_ID", "SLURM_STEP_ID"};
	uint32_t head[] = {LAYERS_WIRE, sizeof(struct told), ids};
	uint64_t h = hash(0xcbf29ce484222325ull, (const char *)head, sizeof(head));

	for (size_t i = 0; i < ARRAY_LEN(job); i++) {
		const char *v = getenv(job[i]);

		h = hash(h, v ? v : "-", v ? strlen(v) : 1);
	}
	return hash_cgroups(hash_userns(hash_limit(h))) << 2 | ids; /* a revival must know the mode */
}

/* ---- the server's socket ---- */

void place_of(uint64_t key, struct place *out)
{
	(void)snprintf(out->sock, sizeof(out->sock), "layers-%016llx.sock", (unsigned long long)key);
	(void)snprintf(out->lock, sizeof(out->lock), "layers-%016llx.lock", (unsigned long long)key);
}

static void address(const struct store *s, const char *name, struct sockaddr_un *out)
{
	int n;

	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(out->sun_path, sizeof(out->sun_path), "%s/%s", s->runtime_path, name);
	if (n < 0 || (size_t)n >= sizeof(out->sun_path)) /* too long: by the descriptor, then */
		(void)snprintf(out->sun_path, sizeof(out->sun_path), "/proc/self/fd/%d/%.60s",
			s->runtime, name);
}

static int connect_to(const struct store *s, const struct place *p, int flags, struct err *e)
{
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
	struct sockaddr_un a;
	int r;

	if (fd < 0)
		return err_sys(e, "socket");
	address(s, p->sock, &a);
	do
		r = connect(fd, (struct sockaddr *)&a, sizeof(a));
	while (r < 0 && errno == EINTR);
	if (r < 0 && (errno == ENOENT || errno == ECONNREFUSED))
		return err_set(e, ERR_NOT_FOUND, "no image server");
	if (r < 0)
		return err_sys(e, "connect %s", a.sun_path);
	return take_fd(&fd);
}

int place_connect(const struct store *s, const struct place *p, struct err *e)
{
	return connect_to(s, p, 0, e);
}

/* ---- its lock ---- */

bool place_holds(int runtime, const char *name, int lock)
{
	struct stat mine, named;

	return fstat(lock, &mine) == 0 && fstatat(runtime, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

int place_lock(const struct store *s, const struct place *p, int how, struct err *e)
{
	for (;;) {
		auto_close int lock =
			openat(s->runtime, p->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (lock < 0)
			return err_sys(e, "open %s/%s", s->runtime_path, p->lock);
		while (flock(lock, how) < 0)
			if (errno != EINTR)
				return err_sys(e, "lock %s/%s", s->runtime_path, p->lock);
		if (place_holds(s->runtime, p->lock, lock))
			return take_fd(&lock);
	}
}

int place_listen(const struct store *s, const struct place *p, struct err *e)
{
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	if (fd < 0)
		return err_sys(e, "socket");
	address(s, p->sock, &a);
	/* we hold the lock and nobody answers: a dead server's socket */
	if (unlinkat(s->runtime, p->sock, 0) < 0 && errno != ENOENT)
		return err_sys(e, "unlink %s", a.sun_path);
	/* Before bind(), so that the socket is created with this mode. */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 128) < 0)
		return err_sys(e, "listen at %s", a.sun_path);
	return take_fd(&fd);
}

static int forget_dead(const struct dirent *d, void *arg, struct err *e)
{
	const struct store *s = arg;
	struct place p = {0};
	auto_close int lock = -1, server = -1;
	size_t n = strlen(d->d_name);

	if (!str_starts(d->d_name, "layers-") || !str_ends(d->d_name, ".lock") || n >= sizeof(p.lock))
		return 0;
	(void)snprintf(p.lock, sizeof(p.lock), "%s", d->d_name);
	(void)snprintf(p.sock, sizeof(p.sock), "%.*s.sock", (int)(n - strlen(".lock")), d->d_name);
	lock = place_lock(s, &p, LOCK_EX | LOCK_NB, e);
	if (lock < 0)
		return 0; /* a server is starting or ending; or this is our own */
	server = connect_to(s, &p, SOCK_NONBLOCK, e);
	if (server >= 0 || e->kind != ERR_NOT_FOUND)
		return 0;
	(void)unlinkat(s->runtime, p.sock, 0);
	(void)unlinkat(s->runtime, p.lock, 0);
	return 0;
}

void place_forget_dead(const struct store *s)
{
	struct err ignored;

	(void)statedir_each(s->runtime, ".", forget_dead, (void *)s, &ignored);
}
