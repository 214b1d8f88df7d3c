/* SPDX-License-Identifier: Apache-2.0 */
#include "dir.h"
#include "auto.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

struct walk {
	struct archive *tar, *disk;
	struct archive_entry_linkresolver *links;
	int dir;
	char *buffer;
};

#define BUFFER (256 << 10)

static int tar_fault(struct walk *w, const char *path, struct err *e)
{
	return err_set(e, ERR_SYSTEM, "%s: %s", path, archive_error_string(w->tar));
}

/* If the file has grown or shrunk since its header was written, the size in the header counts. */
static int copy_file(struct walk *w, const char *path, int64_t size, struct err *e)
{
	auto_close int fd =
		openat(w->dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return err_sys(e, "open %s", path);
	while (size > 0) {
		ssize_t n = read(fd, w->buffer, size < BUFFER ? (size_t)size : BUFFER);

		if (n < 0)
			return err_sys(e, "read %s", path);
		if (n == 0)
			return err_set(e, ERR_SYSTEM, "%s became shorter while it was read", path);
		if (archive_write_data(w->tar, w->buffer, (size_t)n) < 0)
			return tar_fault(w, path, e);
		size -= n;
	}
	return 0;
}

static void own(struct archive_entry *entry)
{
	if (geteuid() != 0 && archive_entry_uid(entry) == geteuid())
		archive_entry_set_uid(entry, 0);
	if (geteuid() != 0 && archive_entry_gid(entry) == getegid())
		archive_entry_set_gid(entry, 0);
	/* names would be those of this machine's users; an image has numbers only */
	archive_entry_set_uname(entry, NULL);
	archive_entry_set_gname(entry, NULL);
	/* these differ from copy to copy of the same tree */
	archive_entry_unset_atime(entry);
	archive_entry_unset_ctime(entry);
	archive_entry_unset_birthtime(entry);
}

static int add_entry(struct walk *w, const FTSENT *f, struct err *e)
{
	struct archive_entry *entry = archive_entry_new(), *unused = NULL;
	int result = -1;

	archive_entry_copy_pathname(entry, f->fts_path);
	archive_entry_copy_sourcepath(entry, f->fts_accpath);
	if (archive_read_disk_entry_from_file(w->disk, entry, -1, f->fts_statp) < ARCHIVE_WARN) {
		errno = archive_errno(w->disk); /* libarchive's own message lacks the reason */
		(void)(errno > 0 ? err_sys(e, "read %s", f->fts_path)
				 : err_set(e, ERR_SYSTEM, "%s: %s", f->fts_path,
					   archive_error_string(w->disk)));
		goto out;
	}
	own(entry);
	archive_entry_linkify(w->links, &entry, &unused);
	if (archive_write_header(w->tar, entry) < ARCHIVE_WARN)
		(void)tar_fault(w, f->fts_path, e);
	else if (S_ISREG(f->fts_statp->st_mode) && archive_entry_size(entry) > 0)
		result = copy_file(w, f->fts_path, archive_entry_size(entry), e);
	else
		result = 0;
out:
	archive_entry_free(entry);
	return result;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(struct walk *w, struct err *e)
{
	char *top[] = {(char[]){"."}, NULL};
	FTS *fts = fts_open(top, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	int result = 0;
	FTSENT *f;

	if (!fts)
		return err_sys(e, "walk");
	while (result == 0 && (f = fts_read(fts))) {
		if (f->fts_info == FTS_DNR || f->fts_info == FTS_ERR || f->fts_info == FTS_NS) {
			errno = f->fts_errno;
			result = err_sys(e, "read %s", f->fts_path);
		} else if (f->fts_info != FTS_DP && !S_ISSOCK(f->fts_statp->st_mode)) {
			result = add_entry(w, f, e);
		}
	}
	(void)fts_close(fts); /* only read */
	return result;
}

int dir_to_tar(int dir, int out, struct err *e)
{
	struct walk w = {.dir = dir,
		.tar = archive_write_new(),
		.disk = archive_read_disk_new(),
		.links = archive_entry_linkresolver_new(),
		.buffer = xcalloc(BUFFER, 1)};
	int result = -1;

	(void)archive_read_disk_set_symlink_physical(w.disk); /* settings: cannot fail */
	(void)archive_write_set_format_pax_restricted(w.tar);
	archive_entry_linkresolver_set_strategy(w.links, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED);
	if (fchdir(dir) < 0)
		(void)err_sys(e, "enter the directory");
	else if (archive_write_open_fd(w.tar, out) < ARCHIVE_WARN)
		(void)tar_fault(&w, "tar", e);
	else
		result = walk(&w, e);
	if (result == 0 && archive_write_close(w.tar) < ARCHIVE_WARN)
		result = tar_fault(&w, "tar", e);
	archive_write_free(w.tar);
	archive_read_free(w.disk);
	archive_entry_linkresolver_free(w.links);
	free(w.buffer);
	return result;
}
