/* SPDX-License-Identifier: Apache-2.0 */
/* quota_room: counts what files take up, and tells how much room is left. */
#include "quota_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

/* What a file costs that holds nothing: an inode, for which no file system shows a block. Else a container could make
 * as many as it likes, each of which costs memory here as well. */
#define EMPTY_FILE 256

/* What the file takes up now. */
static void settle(struct quota *q, const struct stat *st)
{
	ledger_set(&q->ledger, st->st_ino, (uint64_t)st->st_blocks * 512 + EMPTY_FILE);
}

/* The directory in the writable layer; -1: *missing of the way are not there. */
static int upper_dir(struct quota *q, struct node *dir, unsigned *missing)
{
	auto_close int fd = openat(q->upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free struct node **way = NULL;
	size_t depth;
	struct stat st;

	*missing = 0;
	way = quota_way(q, dir, &depth);
	if (!way || fd < 0)
		return -1;
	for (size_t i = 0;; i++) {
		int next;

		if (fstat(fd, &st) == 0)
			settle(q, &st);
		if (i == depth)
			return take_fd(&fd);
		next = openat(fd, way[i]->names->text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0) {
			*missing = (unsigned)(depth - i);
			return -1;
		}
		(void)close(fd);
		fd = next;
	}
}

unsigned quota_missing(struct quota *q, struct node *dir)
{
	unsigned missing;
	auto_close int fd = upper_dir(q, dir, &missing);

	return missing;
}

bool quota_upper(struct quota *q, struct node *parent, const char *name, struct stat *st)
{
	unsigned missing;
	auto_close int dir = upper_dir(q, parent, &missing);

	if (dir < 0 || fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) < 0 ||
		(S_ISCHR(st->st_mode) && st->st_rdev == 0)) /* a whiteout */
		return false;
	settle(q, st);
	return true;
}

int quota_lift(struct quota *q, struct node *n, bool whole)
{
	uint64_t need;
	struct stat st;

	if (n->real || n == q->root)
		return 0;
	if (!n->names) {
		errno = ESTALE;
		return -1;
	}
	if (quota_upper(q, n->names->parent, n->names->text, &st)) {
		quota_is(q, n, st.st_ino);
		return 0;
	}
	if (quota_stat(q, n, &st) < 0)
		return -1;
	need = (uint64_t)quota_missing(q, n->names->parent) * q->block;
	if (S_ISDIR(n->type))
		need += q->block;
	else if (whole)
		need += ((uint64_t)st.st_size + q->block - 1) / q->block * q->block;
	errno = ENOSPC;
	return need > ledger_left(&q->ledger) ? -1 : 0;
}

/* Readers that have the file open still have the lower layer's; they go on with the copy. */
static void reopen(struct quota *q, struct node *n)
{
	int fd = -1;

	n->writes = true; /* not the one that is there */
	fd = take_fd(&n->fd);
	if (quota_fd(q, n, O_RDWR, &n->fd) < 0) {
		n->writes = false;
		n->fd = fd;
		return;
	}
	(void)close(fd);
}

void quota_lifted(struct quota *q, struct node *n)
{
	struct stat st;

	if (n == q->root) {
		if (fstat(q->upper, &st) == 0)
			settle(q, &st);
		return;
	}
	if (n->real && n->fd >= 0 && n->writes && fstat(n->fd, &st) == 0) {
		st.st_ino = n->real; /* overlay may show another */
		settle(q, &st);
		return;
	}
	if (!n->names || !quota_upper(q, n->names->parent, n->names->text, &st))
		return;
	quota_is(q, n, st.st_ino);
	if (S_ISREG(n->type) && n->fd >= 0 && !n->writes)
		reopen(q, n);
}

ssize_t quota_failed(struct quota *q, struct node *n)
{
	int why = errno;

	quota_lifted(q, n);
	return -why;
}

bool quota_over(const struct quota *q, uint64_t before)
{
	return q->ledger.used > q->ledger.limit && q->ledger.used > before;
}

/* ---- a write --------------------------------------------------------------------------- */

/* From where on, at `from` or behind, blocks are allocated, and the end of that; `end` if nowhere before. */
static void next_extent(int fd, uint64_t from, uint64_t end, uint64_t *start, uint64_t *stop)
{
	struct {
		struct fiemap head;
		struct fiemap_extent extent;
	} map = {.head = {.fm_start = from, .fm_length = end - from, .fm_extent_count = 1}};
	off_t data;

	*start = *stop = end;
	if (ioctl(fd, FS_IOC_FIEMAP, &map) == 0) {
		if (map.head.fm_mapped_extents > 0) {
			*start = map.extent.fe_logical;
			*stop = map.extent.fe_logical + map.extent.fe_length;
		}
		return;
	}
	/* tmpfs has no such map. Blocks that were only set aside are holes then. */
	data = lseek(fd, (off_t)from, SEEK_DATA);
	if (data < 0 || (uint64_t)data >= end)
		return;
	*start = (uint64_t)data;
	data = lseek(fd, data, SEEK_HOLE);
	*stop = data < 0 ? *start : (uint64_t)data;
}

size_t quota_fits(const struct quota *q, int fd, uint64_t from, uint64_t size)
{
	uint64_t left = ledger_left(&q->ledger), block = q->block, end = from + size;
	uint64_t at = from / block * block, whole_end = (end + block - 1) / block * block;

	/* Mostly: even if each of its blocks were new. */
	if (whole_end - at <= left)
		return size;
	left = left / block * block;
	while (at < whole_end) {
		uint64_t start, stop, hole;

		next_extent(fd, at, whole_end, &start, &stop);
		start = start < at ? at : start;
		hole = (start - at + block - 1) / block * block;
		if (hole > left) {
			at += left;
			return at <= from ? 0 : at < end ? at - from : size;
		}
		left -= hole;
		at = stop > start ? (stop + block - 1) / block * block : whole_end;
	}
	return size;
}

/* ---- counting at the start ------------------------------------------------------------- */

/* Counts the entries of one directory; adds its subdirectories to `subs`. */
static int count_dir(struct quota *q, int dir, struct strv *subs)
{
	auto_strv struct strv names = {0};
	struct stat st;

	if (fstat(dir, &st) < 0 || sys_names(dir, &names) < 0)
		return -1;
	settle(q, &st);
	for (size_t i = 0; i < names.n; i++) {
		if (fstatat(dir, names.v[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		if (S_ISDIR(st.st_mode))
			strv_add(subs, names.v[i]);
		else
			settle(q, &st);
	}
	return 0;
}

struct level {
	struct level *above;
	struct strv subs;
	size_t next;
};

static struct level *level_done(struct level *l)
{
	struct level *above = l->above;

	strv_done(&l->subs);
	free(l);
	return above;
}

/* A tree may be too deep for descriptors or the stack: so only one directory is open at a time, and nothing moves
 * directories meanwhile. */
int quota_count(struct quota *q, int dir)
{
	auto_close int here = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct level *l = xcalloc(1, sizeof(*l));
	int result = here < 0 ? -1 : count_dir(q, here, &l->subs);

	while (l && result == 0) {
		bool down = l->next < l->subs.n;
		const char *way = down ? l->subs.v[l->next++] : "..";
		int to;

		if (!down)
			l = level_done(l);
		if (!l)
			break;
		to = openat(here, way, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (to < 0) {
			result = -1;
			break;
		}
		(void)close(here);
		here = to;
		if (down) {
			struct level *below = xcalloc(1, sizeof(*below));

			below->above = l;
			l = below;
			result = count_dir(q, here, &l->subs);
		}
	}
	while (l)
		l = level_done(l);
	return result;
}
