/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton_tar: writing the tar again from a skeleton. */
#include "skeleton.h"

#include "skeleton_form.h"
#include "squash.h"
#include "str.h"
#include "untar.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#define CACHE_BYTES (16u << 20)
#define CHUNK       (1u << 20)

/* A tar reader reads the skeleton; what it reads is written on, and contents in between. */
struct again {
	int fd;
	uint64_t at, left; /* of the compressed bytes */
	ZSTD_DCtx *z;
	ZSTD_inBuffer in;
	char *buf;
	struct blocks *cache;
	struct squash *sq;
	char *chunk;
	tar_sink *sink;
	void *context;
	int refused; /* why the sink took no more */
};

static ssize_t decompress(struct again *a, void *to, size_t n)
{
	ZSTD_outBuffer out = {to, n, 0};

	while (out.pos == 0) {
		size_t had = a->in.pos;

		if (a->in.pos == a->in.size && a->left > 0) {
			ssize_t got =
				pread(a->fd, a->buf, a->left < CHUNK ? a->left : CHUNK, (off_t)a->at);

			if (got <= 0)
				return -1;
			a->at += (uint64_t)got;
			a->left -= (uint64_t)got;
			a->in = (ZSTD_inBuffer){a->buf, (size_t)got, 0};
			had = (size_t)-1;
		}
		if (ZSTD_isError(ZSTD_decompressStream(a->z, &out, &a->in)))
			return -1;
		if (out.pos == 0 && a->in.pos == had && a->left == 0)
			break;
	}
	return (ssize_t)out.pos;
}

static ssize_t read_through(void *context, void *to, size_t n)
{
	struct again *a = context;
	ssize_t got = decompress(a, to, n);

	if (got <= 0 || a->sink(a->context, to, (size_t)got) == 0)
		return got;
	a->refused = errno;
	return -1;
}

#define HOPS_MAX 40

/* A way down the image: the directories entered so far, and the names to go. */
struct way {
	uint64_t dirs[PATH_MAX / 2];
	size_t depth;
	char names[PATH_MAX];
	int hops;
};

/* What a link among the directories says goes before the names that are left. */
static int follow(struct again *a, struct way *w, const struct squash_inode *link, const char *rest)
{
	char target[PATH_MAX];
	ssize_t n = squash_readlink(a->sq, link, target, sizeof(target));
	size_t left = strlen(rest) + 1;

	if (++w->hops > HOPS_MAX || n <= 0 || (size_t)n + left > sizeof(w->names))
		return -1;
	memmove(w->names + n, rest, left);
	memcpy(w->names, target, (size_t)n);
	if (target[0] == '/')
		w->depth = 0;
	return 0;
}

/* One name further; *at is behind it. */
static int step(struct again *a, struct way *w, const char **at, struct squash_inode *out)
{
	const char *name = *at + strspn(*at, "/");
	size_t n = strcspn(name, "/");
	uint64_t ref;

	*at = name + n;
	if (n == 0 || (n == 1 && name[0] == '.'))
		return 0;
	if (n == 2 && name[0] == '.' && name[1] == '.') {
		w->depth -= w->depth > 0;
		return 0;
	}
	if (squash_inode(a->sq, w->dirs[w->depth], out) < 0 || !S_ISDIR(out->mode) ||
		squash_lookup(a->sq, out, name, n, &ref) < 0 || squash_inode(a->sq, ref, out) < 0)
		return -1;
	if (S_ISLNK(out->mode) && **at) {
		if (follow(a, w, out, *at) < 0)
			return -1;
		*at = w->names;
		return 0;
	}
	if (w->depth + 1 == ARRAY_LEN(w->dirs))
		return -1;
	w->dirs[++w->depth] = ref;
	return 0;
}

/* Links among the directories lead where they led when the layer was made. */
static int find(struct again *a, const char *path, struct squash_inode *out)
{
	struct way w = {.dirs = {squash_info(a->sq)->root}};
	const char *at = w.names;

	(void)snprintf(w.names, sizeof(w.names), "%s", path); /* was cleaned to that size */
	while (*at)
		if (step(a, &w, &at, out) < 0)
			return -1;
	return squash_inode(a->sq, w.dirs[w.depth], out);
}

static int add_part(struct again *a, const char *path, const struct squash_inode *i, int64_t from,
	int64_t n, struct err *e)
{
	uint64_t at = (uint64_t)from, end = at + (uint64_t)n;

	while (at < end) {
		size_t want = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
		ssize_t got = squash_read(a->sq, i, at, a->chunk, want);

		if (got <= 0)
			return err_set(e, ERR_CORRUPT, "%s: the squashfs image is damaged", path);
		if (a->sink(a->context, a->chunk, (size_t)got) < 0)
			return err_sys(e, "write the archive");
		at += (uint64_t)got;
	}
	return 0;
}

/* Writes the entry's content from the layer, in the length that it had in the tar; of a sparse file the pieces in
 * `map`. */
static int add_content(
	struct again *a, const struct tar_entry *t, const struct tar_map *map, struct err *e)
{
	char path[PATH_MAX];
	struct squash_inode i;

	if (!untar_clean(t->path, path, sizeof(path)) || find(a, path, &i) < 0 ||
		!S_ISREG(i.mode) || (int64_t)i.size != t->size)
		return err_set(e, ERR_UNSUPPORTED, "%.200s is not as it was in the archive", t->path);
	if (!t->sparse)
		return add_part(a, path, &i, 0, t->size, e);
	for (size_t n = 0; n < map->n; n++)
		if (add_part(a, path, &i, map->v[n].at, map->v[n].n, e) < 0)
			return -1;
	return 0;
}

/* To the reader, who cannot know better, a sink that takes no more is an archive that cannot be read. One that
 * really cannot be was kept of a tar which its maker understood in another way. */
static int not_understood(const struct again *a, struct err *e)
{
	struct err why = *e;

	if (a->refused) {
		errno = a->refused;
		return err_sys(e, "write the archive");
	}
	return err_set(e, ERR_UNSUPPORTED, "what was kept of the layer's archive: %.500s", why.text);
}

static int write_again(struct again *a, struct err *e)
{
	auto_tar_reader struct tar_reader r = {.source = read_through, .context = a};
	int more;

	do {
		auto_tar_entry struct tar_entry t = {0};

		more = tar_next(&r, &t, e);
		if (more > 0 && t.type == TAR_FILE && t.size > 0 && add_content(a, &t, &r.map, e) < 0)
			return -1;
		if (t.type == TAR_FILE)
			r.left = 0; /* contents are not in the skeleton */
	} while (more > 0);
	return more < 0 || tar_drain(&r, e) < 0 ? not_understood(a, e) : 0;
}

static int find_foot(struct again *a, struct err *e)
{
	static const char magic[8] = SKELETON_MAGIC;
	struct skeleton_foot foot = {0};
	off_t end = lseek(a->fd, 0, SEEK_END);
	off_t at = end - (off_t)sizeof(foot);

	if (at < 0 || pread(a->fd, &foot, sizeof(foot), at) != (ssize_t)sizeof(foot) ||
		memcmp(foot.magic, magic, sizeof(magic)) != 0 || foot.offset > (uint64_t)at ||
		foot.size != (uint64_t)at - foot.offset)
		return err_set(e, ERR_UNSUPPORTED, "the layer was not made of a tar");
	a->at = foot.offset;
	a->left = foot.size;
	return 0;
}

int skeleton_tar(int fd, tar_sink *sink, void *context, struct err *e)
{
	struct again a = {.fd = fd, .sink = sink, .context = context};
	int result = -1;

	if (find_foot(&a, e) < 0) {
		(void)close(fd); /* only read from */
		return -1;
	}
	a.cache = blocks_new(CACHE_BYTES, -1);
	a.z = ZSTD_createDCtx();
	a.buf = xcalloc(CHUNK, 1);
	a.chunk = xcalloc(CHUNK, 1);
	a.sq = squash_open(fd, "layer", a.cache, e);
	if (a.sq)
		result = write_again(&a, e);
	squash_free(a.sq);
	if (!a.sq)
		(void)close(fd); /* it was not taken */
	blocks_free(a.cache);
	(void)ZSTD_freeDCtx(a.z); /* cannot fail */
	free(a.buf);
	free(a.chunk);
	return result;
}
