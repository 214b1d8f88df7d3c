/* SPDX-License-Identifier: Apache-2.0 */
#include "weigh.h"

#include "auto.h"
#include "str.h"

#include <errno.h>
#include <fts.h>
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

/* The error of this entry, or 0. If a directory cannot be read to its end only errno tells. */
static int fault(const FTSENT *at)
{
	bool told = at->fts_info == FTS_DNR || at->fts_info == FTS_ERR || at->fts_info == FTS_NS;
	int why = told ? at->fts_errno : errno;

	return why == EACCES || why == EPERM || why == ENOENT ? 0 : why;
}

int64_t weigh(const char *path)
{
	auto_free char *root = xstrdup(path);
	char *const paths[] = {root, NULL};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct links links = {0};
	int64_t bytes = 0;
	int failed = walk ? 0 : errno;
	FTSENT *at;

	while (walk && (errno = 0, at = fts_read(walk))) {
		if (fault(at))
			failed = fault(at);
		if (at->fts_info != FTS_F && at->fts_info != FTS_SL && at->fts_info != FTS_SLNONE)
			continue;
		if (at->fts_statp->st_nlink > 1)
			add_link(&links, at->fts_statp);
		else
			bytes += at->fts_statp->st_size;
	}
	if (walk && errno)
		failed = errno;
	if (walk)
		(void)fts_close(walk); /* only read from */
	if (links.n)
		qsort(links.v, links.n, sizeof(*links.v), by_ino);
	for (size_t i = 0; i < links.n; i++)
		if (i == 0 || links.v[i].ino != links.v[i - 1].ino)
			bytes += links.v[i].size;
	free(links.v);
	errno = failed;
	return failed ? -1 : bytes;
}
