/* SPDX-License-Identifier: Apache-2.0 */
#include "tar.h"
#include "tap.h"
#include "untar.h"

#include "str.h"

#include <errno.h>
#include <string.h>

struct bytes {
	const char *at;
	size_t n;
};

/* In pieces of a few bytes, as a pipe may give them. */
static ssize_t take_bytes(void *context, void *to, size_t n)
{
	struct bytes *b = context;

	n = n < b->n ? n : b->n;
	n = n < 7 ? n : 7;
	memcpy(to, b->at, n);
	b->at += n;
	b->n -= n;
	return (ssize_t)n;
}

static int put_bytes(void *context, const void *bytes, size_t n)
{
	buf_add(context, bytes, n);
	return 0;
}

static void round_trip(const char *what, struct tar_entry in)
{
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry t = {0};
	char content[8] = "";
	struct err e = {0};
	bool written = tar_add(&w, &in, &e) == 0 &&
	               (!in.size || tar_data(&w, "hello", 5, &e) == 0) && tar_finish(&w, &e) == 0;
	struct bytes b = {out.s, out.len};
	auto_tar_reader struct tar_reader r = {.source = take_bytes, .context = &b};

	ok(written && tar_next(&r, &t, &e) == 1, what);
	is_str(t.path, in.path, "its path");
	is_str(t.link ? t.link : "", in.link ? in.link : "", "its link");
	ok(t.uid == in.uid && t.gid == in.gid && t.mtime == in.mtime && t.size == in.size &&
			t.mode == in.mode && t.n_xattrs == in.n_xattrs,
		"its numbers");
	for (size_t n = 0; n < (size_t)in.size; n++)
		if (tar_read(&r, content + n, 1, &e) != 1)
			break;
	is_str(content, in.size ? "hello" : "", "its content");
	tar_entry_done(&t);
	ok(tar_next(&r, &t, &e) == 0, "then comes the end");
}

/* Cut off where the text of a long name would begin. What the caller's error held before is not told. */
static void cut_off(void)
{
	char name[301] = "";
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry t = {0};
	struct err e;
	struct bytes b;
	auto_tar_reader struct tar_reader r = {.source = take_bytes, .context = &b};

	memset(name, 'n', sizeof(name) - 1);
	ok(tar_add(&w, &(struct tar_entry){.type = TAR_FILE, .path = name}, &e) == 0,
		"a long name is written");
	b = (struct bytes){out.s, TAR_BLOCK};
	(void)err_set(&e, ERR_NOT_FOUND, "of another time");
	ok(tar_next(&r, &t, &e) == -1 && e.kind == ERR_CORRUPT, "one that is cut off is an error");
	is_str(e.text, "unexpected EOF", "in words of its own");
}

/* Records before one entry, again and again: what was said last holds, and memory is that of one. */
static void records_again(const struct tar_xattr *x)
{
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry t = {0};
	struct err e = {0};
	struct bytes b;
	auto_tar_reader struct tar_reader r = {.source = take_bytes, .context = &b};

	ok(tar_add(&w,
		   &(struct tar_entry){.type = TAR_FILE,
			   .path = (char *)"a",
			   .xattrs = (struct tar_xattr *)(uintptr_t)x,
			   .n_xattrs = 1},
		   &e) == 0,
		"records are written");
	out.len -= TAR_BLOCK; /* without their entry */
	for (int i = 0; i < 2; i++)
		(void)tar_add(&w,
			&(struct tar_entry){.type = TAR_FILE,
				.path = (char *)"a",
				.xattrs = (struct tar_xattr *)(uintptr_t)x,
				.n_xattrs = 1},
			&e);
	b = (struct bytes){out.s, out.len};
	ok(tar_next(&r, &t, &e) == 1 && t.n_xattrs == 1, "records that come twice are those of one");
}

/* Gives what it has, and then there is no more to be had of the disk. */
static ssize_t break_off(void *context, void *to, size_t n)
{
	ssize_t got = take_bytes(context, to, n);

	errno = EIO;
	return got > 0 ? got : -1;
}

static void unreadable(void)
{
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry t = {0}, after = {0};
	struct err e = {0};
	struct bytes b;
	auto_tar_reader struct tar_reader r = {.source = break_off, .context = &b};

	(void)tar_add(&w, &(struct tar_entry){.type = TAR_FILE, .path = (char *)"a", .size = 5}, &e);
	(void)tar_data(&w, "hello", 5, &e);
	b = (struct bytes){out.s, TAR_BLOCK + 5};
	ok(tar_next(&r, &t, &e) == 1, "an entry is read");
	ok(tar_next(&r, &after, &e) == -1 && e.sys == EIO,
		"what cannot be read behind it is an error, and not the end");
}

static void cleaned(const char *path, const char *want)
{
	char out[16];
	bool yes = untar_clean(path, out, sizeof(out));

	is_str(yes ? out : "refused", want, path);
}

int main(void)
{
	char name[301], link[301];
	struct tar_xattr x = {(char *)"user.x", (void *)"a\nb=c", 5};

	memset(name, 'n', 300);
	memset(link, 'l', 300);
	name[300] = link[300] = '\0';
	round_trip("a file", (struct tar_entry){.type = TAR_FILE,
				     .path = (char *)"a",
				     .mode = 04755,
				     .uid = 5,
				     .gid = 6,
				     .mtime = 1234567890,
				     .size = 5});
	round_trip("what does not fit", (struct tar_entry){.type = TAR_LINK,
						.path = name,
						.link = link,
						.mode = 0777,
						.uid = 3000000000,
						.gid = 3000000000,
						.mtime = -5});
	round_trip("attributes",
		(struct tar_entry){
			.type = TAR_FILE, .path = (char *)"a", .size = 5, .xattrs = &x, .n_xattrs = 1});
	name[150] = '/';
	round_trip("a name in two parts", (struct tar_entry){.type = TAR_DIR, .path = name + 60});
	cut_off();
	records_again(&x);
	unreadable();
	cleaned("a/./b//../c", "a/c");
	cleaned("/a/", "a");
	cleaned("..", "refused");
	cleaned("a/../../b", "refused");
	cleaned("", "");
	cleaned("aaaaaaaaaaaaaaaaaaaa", "refused");
	return done_testing();
}
