/* SPDX-License-Identifier: Apache-2.0 */
#include "deck_file.h"

#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (64 << 20)
#define LOST_S   60

/* The header. It is invalid in another byte order, as `form` differs then. */
struct front {
	uint64_t form, sum, len; /* of what follows */
};

static uint64_t sum_of(const char *p, size_t n)
{
	uint64_t sum = n, word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 32;
	}
	return sum;
}

char *deck_file_read(const struct store *s, const char *name, uint64_t form, size_t *len)
{
	auto_close int fd = openat(s->root, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_free char *text = NULL;
	struct front f;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX ||
		sys_read(fd, &f, sizeof(f)) != (ssize_t)sizeof(f) || f.form != form ||
		f.len != (uint64_t)st.st_size - sizeof(f) || f.len % 8)
		return NULL;
	text = xcalloc(1, f.len + 1);
	if (sys_read(fd, text, f.len) != (ssize_t)f.len || sum_of(text, f.len) != f.sum)
		return NULL;
	*len = f.len;
	return take(text);
}

static char *new_name(const char *name)
{
	return xasprintf("%s.new", name);
}

/* What a killed one left is in the way until it is old. */
int deck_file_begin(const struct store *s, const char *name, int64_t began_ns, struct timespec *now)
{
	static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	auto_free char *new = new_name(name);
	auto_close int fd = openat(s->root, new, flags, 0600);
	struct stat st;

	if (fd < 0 && errno == EEXIST && fstatat(s->root, new, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_mtime < time(NULL) - LOST_S && unlinkat(s->root, new, 0) == 0)
		fd = openat(s->root, new, flags, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	*now = st.st_ctim;
	now->tv_sec -= (sys_now_ns() - began_ns) / 1000000000 + 1;
	return take_fd(&fd);
}

/* Not by renaming over the old file, as ext4 would write the new one to the disk at once (see state.c). In between
 * there is no file, which does no harm. */
static bool put_in_place(const struct store *s, const char *new, const char *name)
{
	(void)unlinkat(s->root, name, 0); /* nearly always there is none */
	return renameat(s->root, new, s->root, name) == 0;
}

void deck_file_drop(const struct store *s, const char *name)
{
	auto_free char *new = new_name(name);

	(void)unlinkat(s->root, new, 0); /* best effort */
}

void deck_file_pad(struct buf *body)
{
	do
		buf_putc(body, '\0');
	while (body->len % 8);
}

void deck_file_end(const struct store *s, const char *name, uint64_t form, int fd, const struct buf *body)
{
	struct front f = {form, sum_of(body->s ? body->s : "", body->len), body->len};
	auto_free char *new = new_name(name);

	if (body->len > FILE_MAX || sys_write_all(fd, &f, sizeof(f)) < 0 ||
		sys_write_all(fd, body->s, body->len) < 0 || !put_in_place(s, new, name))
		(void)unlinkat(s->root, new, 0); /* best effort */
}
