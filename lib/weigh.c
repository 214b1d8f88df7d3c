/* SPDX-License-Identifier: Apache-2.0 */
#include "weigh.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Files of several names, to be counted when all of them are known. */
struct links {
	struct link {
		ino_t ino;
		off_t size;
	} * v;
	size_t n, room;
};

static void add_link(struct links *l, const struct stat *st)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->v = xrealloc(l->v, l->room, sizeof(*l->v));
	}
	l->v[l->n++] = (struct link){st->st_ino, st->st_size};
}

static int by_ino(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/*
 * A tree may be deeper than paths can be long and descriptors are allowed: so names are looked up one by one, the
 * directories of the first levels stay open, and from further below ".." leads back, if it still does. Meanwhile
 * somebody may move directories elsewhere; what is there then does not count.
 */
#define OPEN_LEVELS 48

/* A directory that was read. */
struct level {
	int fd; /* -1: is to be opened again */
	dev_t dev;
	ino_t ino;
	struct strv below; /* its directories */
	size_t next;
};

struct walk {
	struct level *v;
	size_t n, room;
	int failed; /* errno */
	int64_t bytes;
	struct links links;
	char entries[32768] __attribute__((aligned(8)));
};

/* What we may not see, or what has gone, does not count. */
static void fail(struct walk *w)
{
	if (errno != EACCES && errno != EPERM && errno != ENOENT)
		w->failed = errno;
}

static void count(struct walk *w, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return;
	if (st->st_nlink > 1)
		add_link(&w->links, st);
	else
		w->bytes += st->st_size;
}

static void look(struct walk *w, struct level *in, const struct dirent *d)
{
	struct stat st = {0};

	if (str_eq(d->d_name, ".") || str_eq(d->d_name, ".."))
		return;
	if (d->d_type == DT_DIR)
		strv_add(&in->below, d->d_name);
	else if (d->d_type != DT_REG && d->d_type != DT_LNK && d->d_type != DT_UNKNOWN)
		return;
	else if (fstatat(in->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		fail(w);
	else if (S_ISDIR(st.st_mode))
		strv_add(&in->below, d->d_name);
	else
		count(w, &st);
}

/* Takes over the descriptor. */
static void enter(struct walk *w, int fd)
{
	struct level new = {.fd = fd};
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0) {
		fail(w);
		(void)close(fd);
		return;
	}
	new.dev = st.st_dev;
	new.ino = st.st_ino;
	while ((n = sys_getdents(fd, w->entries, sizeof(w->entries))) > 0)
		for (ssize_t i = 0; i < n; i += ((struct dirent *)(void *)(w->entries + i))->d_reclen)
			look(w, &new, (struct dirent *)(void *)(w->entries + i));
	if (n < 0)
		fail(w);
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 16;
		w->v = xrealloc(w->v, w->room, sizeof(*w->v));
	}
	w->v[w->n++] = new;
}

/* Whether one can come back from there: who may not search a directory cannot look up ".." in it. */
static bool leads_back(int fd)
{
	return faccessat(fd, "..", F_OK, 0) == 0;
}

static void descend(struct walk *w, const char *name)
{
	struct level *at = &w->v[w->n - 1];
	auto_close int fd = openat(at->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno != ENOTDIR && errno != ELOOP) /* it is something else by now */
			fail(w);
		return;
	}
	if (w->n > OPEN_LEVELS) {
		if (!leads_back(fd))
			return;
		(void)close(take_fd(&at->fd)); /* only read from */
	}
	enter(w, take_fd(&fd));
}

static void leave(struct walk *w)
{
	struct level *left = &w->v[--w->n], *up = w->n ? left - 1 : NULL;
	struct stat st;

	if (up && up->fd < 0 && left->fd >= 0) {
		auto_close int fd = openat(left->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == up->dev && st.st_ino == up->ino)
			up->fd = take_fd(&fd);
	}
	auto_close_(&left->fd);
	strv_done(&left->below);
}

static void walk(struct walk *w)
{
	while (w->n) {
		struct level *at = &w->v[w->n - 1];

		if (at->fd >= 0 && at->next < at->below.n)
			descend(w, at->below.v[at->next++]);
		else
			leave(w);
	}
	free(w->v);
}

static int64_t sum(struct links *l)
{
	int64_t bytes = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_ino);
	for (size_t i = 0; i < l->n; i++)
		if (i == 0 || l->v[i].ino != l->v[i - 1].ino)
			bytes += l->v[i].size;
	free(l->v);
	return bytes;
}

int64_t weigh(const char *path)
{
	auto_free struct walk *w = xcalloc(1, sizeof(*w));
	struct stat st;
	int fd = -1;

	if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		fail(w);
	else if (!S_ISDIR(st.st_mode))
		count(w, &st);
	else if ((fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		fail(w);
	else
		enter(w, fd);
	walk(w);
	w->bytes += sum(&w->links);
	errno = w->failed;
	return w->failed ? -1 : w->bytes;
}
