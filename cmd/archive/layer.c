/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"
#include "auto.h"
#include "fault.h"
#include "pack.h"
#include "skeleton.h"
#include "source.h"
#include "sys.h"
#include "tar.h"
#include "tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define XATTRS_MAX   4096      /* of a file, */
#define XATTRS_BYTES (8 << 20) /* and of their names and values */

/*
 * Two readers: the first decompresses, the second reads the tar from it. The diff id is the digest of
 * what passes between them.
 */
struct reading {
	const struct layer_ask *ask;
	struct source *source;
	struct archive *raw, *tar;
	bool nothing;   /* the input is empty */
	uint64_t plain; /* decompressed bytes */
	struct sha256 digest;
	struct tree tree;
	struct pack *pack;
	struct skeleton *skeleton;
	struct layer_made made;
	struct err *e;
};

/* ---- the stream ---- */

static la_ssize_t read_input(struct archive *a, void *context, const void **out)
{
	const char *why = NULL;
	ssize_t n = source_read(context, out, &why);

	if (n < 0)
		archive_set_error(a, EIO, "%s", why);
	return n;
}

/* A block of the tar, hashed on its way. */
static la_ssize_t read_plain(struct archive *a, void *context, const void **out)
{
	struct reading *r = context;
	la_int64_t offset;
	size_t n;
	int code = r->nothing ? ARCHIVE_EOF : archive_read_data_block(r->raw, out, &n, &offset);

	if (code == ARCHIVE_EOF)
		return 0;
	if (code < ARCHIVE_WARN) {
		archive_set_error(a, EIO, "%s", archive_why(r->raw));
		return -1;
	}
	sha256_add(&r->digest, *out, n);
	skeleton_feed(r->skeleton, *out, n);
	r->plain += n;
	return (la_ssize_t)n;
}

/* Not support_filter_all: that would start programs for some formats. */
static int open_raw(struct reading *r, struct err *e)
{
	struct archive_entry *entry;
	struct archive *a = r->raw = archive_read_new();

	/* Fails for filters that libarchive lacks, or has only as a program; then the input is not recognized. */
	(void)archive_read_support_filter_bzip2(a);
	(void)archive_read_support_filter_xz(a);
	(void)archive_read_support_filter_lzma(a);
	(void)archive_read_support_filter_zstd(a);
	(void)archive_read_support_filter_lz4(a);
	(void)archive_read_support_filter_compress(a);
	(void)archive_read_support_format_raw(a);
	(void)archive_read_support_format_empty(a);
	if (archive_read_open(a, r->source, NULL, read_input, NULL) < ARCHIVE_WARN)
		return archive_fault(a, e);
	switch (archive_read_next_header(a, &entry)) {
	case ARCHIVE_OK:
	case ARCHIVE_WARN:
		return 0;
	case ARCHIVE_EOF: /* as in docker, an empty file is an empty archive */
		r->nothing = true;
		return 0;
	default:
		return archive_fault(a, e);
	}
}

static int open_tar(struct reading *r, struct err *e)
{
	struct archive *a = r->tar = archive_read_new();

	(void)archive_read_support_format_tar(a); /* parts of every libarchive */
	(void)archive_read_support_format_empty(a);
	if (archive_read_open(a, r, NULL, read_plain, NULL) >= ARCHIVE_WARN)
		return 0;
	if (r->plain < TAR_BLOCK) /* less than a header */
		return err_set(e, ERR_CORRUPT, "unexpected EOF");
	return archive_fault(a, e);
}

/* The digest includes what follows the end mark of the tar. */
static int drain(struct reading *r, struct err *e)
{
	const void *block;
	la_ssize_t n;

	while ((n = read_plain(r->tar, r, &block)) > 0)
		;
	return n < 0 ? archive_fault(r->tar, e) : 0;
}

/* ---- entries ---- */

/* As the kernel encodes a device number in 32 bits. */
static uint32_t squash_dev(dev_t dev)
{
	return (uint32_t)((minor(dev) & 0xff) | major(dev) << 8 | (minor(dev) & ~0xffu) << 12);
}

/* The path without "/", "./" and "../" before it. */
static const char *below_root(const char *path)
{
	for (;;) {
		if (path[0] == '/')
			path++;
		else if (strncmp(path, "./", 2) == 0)
			path += 2;
		else if (strncmp(path, "../", 3) == 0)
			path += 3;
		else
			return path;
	}
}

/* Larger ones, or more, no file system has, and no reader of squashfs reads, nor a file that has them. */
static int check_xattr(
	const char *path, const char *name, size_t size, size_t n, size_t total, struct err *e)
{
	errno = 0;
	if (size > XATTR_SIZE_MAX)
		errno = E2BIG;
	else if (strlen(name) > XATTR_NAME_MAX)
		errno = ERANGE;
	else if (n > XATTRS_MAX || total > XATTRS_BYTES)
		errno = ENOSPC;
	if (!errno)
		return 0;
	(void)err_go(e, "lsetxattr %.100s /%.200s", name, below_root(path));
	e->kind = ERR_CORRUPT;
	return -1;
}

static int copy_attributes(struct node *n, const char *path, struct archive_entry *entry, struct err *e)
{
	const char *name;
	const void *value;
	size_t size, count = 0, total = 0;

	n->uid = (uid_t)archive_entry_uid(entry);
	n->gid = (gid_t)archive_entry_gid(entry);
	n->mtime = archive_entry_mtime(entry);
	(void)archive_entry_xattr_reset(entry); /* returns only their number */
	while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK)
		if (name && tar_xattr_may_be(name)) {
			total += strlen(name) + size;
			if (check_xattr(path, name, size, ++count, total, e) < 0)
				return -1;
			tree_xattr(n, name, value, size);
		}
	return 0;
}

/* A sparse file comes as pieces of data: writes the zeros between them, of which squashfs makes holes again. */
static int fill(struct reading *r, uint64_t zeros, struct err *e)
{
	static const char zero[64 << 10];

	while (zeros > 0) {
		size_t n = zeros < sizeof(zero) ? (size_t)zeros : sizeof(zero);

		if (pack_data(r->pack, zero, n, e) < 0)
			return -1;
		zeros -= n;
	}
	return 0;
}

/* A few bytes of an archive can stand for an endless number of zeros. */
static int too_much(const struct reading *r, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "its files hold more than %llu GiB",
		(unsigned long long)(r->ask->most >> 30));
}

static int copy_data(struct reading *r, struct node *n, int64_t size, struct err *e)
{
	const void *block;
	la_int64_t offset, at = 0;
	uint64_t room = r->ask->most - (uint64_t)r->made.size;
	size_t len;
	int code;

	if (size > 0 && (uint64_t)size > room)
		return too_much(r, e);
	if (pack_begin(r->pack, n, e) < 0)
		return -1;
	while ((code = archive_read_data_block(r->tar, &block, &len, &offset)) == ARCHIVE_OK) {
		if (offset < at || (uint64_t)offset > room || len > room - (uint64_t)offset)
			return too_much(r, e);
		if (offset > at && fill(r, (uint64_t)(offset - at), e) < 0)
			return -1;
		if (pack_data(r->pack, block, len, e) < 0)
			return -1;
		at = offset + (la_int64_t)len;
	}
	if (code != ARCHIVE_EOF)
		return archive_fault(r->tar, e);
	if (size > at && fill(r, (uint64_t)(size - at), e) < 0)
		return -1;
	r->made.size += size > at ? size : at;
	return pack_end(r->pack, e);
}

static int add_link(struct reading *r, const char *path, const char *target, struct err *e)
{
	struct node *to = tree_find(&r->tree, target), *n;

	if (!to || S_ISDIR(to->mode))
		return err_set(e, ERR_CORRUPT, "link /%.200s /%.200s: %s", below_root(target),
			below_root(path), to ? "operation not permitted" : "no such file or directory");
	while (to->link)
		to = to->link;
	n = tree_at(&r->tree, path, to->mode, e);
	if (!n)
		return -1;
	if (n != to)
		n->link = to;
	return 0;
}

/* No device of an archive has this number: add_node(). */
static bool is_whiteout(const struct node *n)
{
	return S_ISCHR(n->mode) && n->rdev == 0;
}

/* ".wh.NAME" hides NAME of the layers below, ".wh..wh..opq" all that its directory has below; other
 * ".wh..wh." names are aufs's own bookkeeping. */
static int add_whiteout(struct reading *r, const char *path, const char *last, struct err *e)
{
	auto_free char *hidden = NULL;
	struct node *n;

	if (r->ask->base)
		return 0;
	if (strcmp(last, ".wh..wh..opq") == 0) {
		hidden = xasprintf("%.*s.", (int)(last - path), path);
		n = tree_find(&r->tree, hidden);
		if (n && is_whiteout(n)) /* all of it is hidden already */
			return 0;
		if (n && !S_ISDIR(n->mode))
			return err_set(e, ERR_CORRUPT, "\"%.200s\" does not lie in a directory", path);
		if (!n)
			n = tree_at(&r->tree, hidden, S_IFDIR | 0755, e);
		if (!n)
			return -1;
		n->opaque = true;
		return 0;
	}
	if (strncmp(last, ".wh..wh.", 8) == 0)
		return 0;
	if (!last[4])
		return err_set(e, ERR_CORRUPT, "\"%.200s\" hides nothing", path);
	hidden = xasprintf("%.*s%s", (int)(last - path), path, last + 4);
	return tree_at(&r->tree, hidden, S_IFCHR, e) ? 0 : -1;
}

static int add_node(struct reading *r, const char *path, struct archive_entry *entry, struct err *e)
{
	mode_t mode = archive_entry_mode(entry);
	const char *target = archive_entry_symlink(entry);
	struct node *n;

	/* a socket means nothing without its listener, and a device 0:0 would be a whiteout */
	if (S_ISSOCK(mode) || (S_ISCHR(mode) && archive_entry_rdev(entry) == 0))
		return 0;
	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode) && !S_ISFIFO(mode) &&
		!S_ISCHR(mode) && !S_ISBLK(mode))
		return err_set(e, ERR_CORRUPT, "\"%.200s\" is of an unknown kind", path);
	if (S_ISLNK(mode) && (!target || strlen(target) > 65535))
		return err_set(e, ERR_CORRUPT, "the symbolic link \"%.200s\" leads nowhere", path);
	n = tree_at(&r->tree, path, mode, e);
	if (!n)
		return -1;
	if (copy_attributes(n, path, entry, e) < 0)
		return -1;
	if (S_ISLNK(mode)) {
		n->mode = S_IFLNK | 0777; /* whatever the archive says: the kernel shows every link so */
		n->target = xstrdup(target);
		r->made.size += (int64_t)strlen(target); /* docker counts it */
	}
	if (S_ISCHR(mode) || S_ISBLK(mode))
		n->rdev = squash_dev(archive_entry_rdev(entry));
	r->made.files++;
	return S_ISREG(mode) ? copy_data(r, n, archive_entry_size(entry), e) : 0;
}

/* ".wh..wh.plnk/..." at the top: aufs's own files. */
static bool is_bookkeeping(const char *path)
{
	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	return strncmp(path, ".wh..wh.", 8) == 0 && strcmp(path, ".wh..wh..opq") != 0;
}

/* /.dockerenv, by which programs recognize docker, and the files that docker's containers have in /dev while they do not run. */
static bool is_engines(const char *path)
{
	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	return strcmp(path, ".dockerenv") == 0 || (strncmp(path, "dev/", 4) == 0 && path[4]);
}

/* "a/" of a directory as "a". */
static char *without_slashes(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return xstrndup(path, n);
}

static int add_entry(struct reading *r, struct archive_entry *entry, struct err *e)
{
	const char *path = archive_entry_pathname(entry), *link = archive_entry_hardlink(entry);
	auto_free char *name = path ? without_slashes(path) : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL, *last = slash ? slash + 1 : name;

	if (!path || !*path)
		return err_set(e, ERR_CORRUPT, "an entry without a name");
	if (is_bookkeeping(path) || (r->ask->bare && is_engines(path)))
		return 0;
	if (strncmp(last, ".wh.", 4) == 0)
		return add_whiteout(r, name, last, e); /* whatever it is: the name says it */
	if (link)
		return add_link(r, path, link, e);
	return add_node(r, path, entry, e);
}

static int read_entries(struct reading *r, struct err *e)
{
	struct archive_entry *entry;
	int code;

	while ((code = archive_read_next_header(r->tar, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN)
		if (add_entry(r, entry, e) < 0)
			return -1;
	if (code != ARCHIVE_EOF)
		return archive_fault(r->tar, e);
	return drain(r, e);
}

int layer_make(const struct layer_ask *ask, struct layer_made *out, struct err *e)
{
	struct reading r = {.ask = ask};
	int result = -1;

	r.source = source_new(ask->in, NULL, 0, ask->meter);
	sha256_init(&r.digest);
	tree_init(&r.tree);
	r.skeleton = skeleton_new();
	r.pack = pack_open(ask->out, ask->level, e);
	if (r.pack && open_raw(&r, e) == 0 && open_tar(&r, e) == 0 && read_entries(&r, e) == 0)
		result = pack_finish(r.pack, &r.tree, e);
	if (result == 0)
		result = skeleton_write(r.skeleton, ask->out, e);
	if (result == 0) {
		sha256_end_hex(&r.digest, r.made.diff_id);
		*out = r.made;
	}
	pack_close(r.pack); /* its threads hold inodes of the tree */
	tree_done(&r.tree);
	skeleton_free(r.skeleton);
	archive_read_free(r.tar);
	archive_read_free(r.raw);
	source_free(r.source);
	return result;
}
