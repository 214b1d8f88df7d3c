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

/* Records without a value say nothing: the header holds. */
static void empty_records(void)
{
	static const char records[] = "8 path=\n8 size=\n7 uid=\n7 gid=\n9 mtime=\n13 linkpath=\n";
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry t = {0};
	struct tar_entry link = {
		.type = TAR_LINK, .path = (char *)"a", .link = (char *)"there", .uid = 1, .gid = 2, .mtime = 3};
	struct err e = {0};
	struct bytes b;
	auto_tar_reader struct tar_reader r = {.source = take_bytes, .context = &b};

	/* as a file, whose type is then changed, and so is the sum */
	(void)tar_add(&w,
		&(struct tar_entry){.type = TAR_FILE, .path = (char *)"x", .size = sizeof(records) - 1},
		&e);
	(void)tar_data(&w, records, sizeof(records) - 1, &e);
	(void)tar_add(&w, &link, &e);
	(void)snprintf(out.s + 148, 7, "%06lo", strtoul(out.s + 148, NULL, 8) + 'x' - '0');
	out.s[156] = 'x';
	b = (struct bytes){out.s, out.len};
	ok(tar_next(&r, &t, &e) == 1, "records without a value are no error");
	is_str(t.path, "a", "the header's name holds");
	is_str(t.link, "there", "and its link");
	ok(t.uid == 1 && t.gid == 2 && t.mtime == 3, "and its numbers");
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

/* A header with its sum; size: its 12 bytes as they are to stand there, or NULL: n in octal. */
static void header(struct buf *out, char type, const char *name, const char *size, unsigned n)
{
	unsigned char block[TAR_BLOCK] = {0};
	unsigned sum = 8 * ' ';

	(void)snprintf((char *)block, 100, "%s", name);
	memcpy(block + 100, "0000644", 8);
	memcpy(block + 108, "0000000", 8);
	memcpy(block + 116, "0000000", 8);
	(void)snprintf((char *)block + 124, 12, "%011o", n);
	if (size)
		memcpy(block + 124, size, 12);
	memcpy(block + 136, "00000000000", 12);
	block[156] = (unsigned char)type;
	(void)snprintf((char *)block + 157, 100, "%s", type == '1' ? "other" : "");
	memcpy(block + 257, "ustar\00000", 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? 0 : block[i];
	(void)snprintf((char *)block + 148, 8, "%06o", sum);
	buf_add(out, (const char *)block, TAR_BLOCK);
}

/* An entry that tells about the next one. */
static void record(struct buf *out, char type, const char *text, size_t n)
{
	header(out, type, "record", NULL, (unsigned)n);
	buf_add(out, text, n);
	while (out->len % TAR_BLOCK)
		buf_putc(out, '\0');
}

static void is_read(const struct buf *in, const char *want)
{
	struct bytes b = {in->s, in->len};
	auto_tar_reader struct tar_reader r = {.source = take_bytes, .context = &b};
	auto_tar_entry struct tar_entry t = {0};
	auto_buf struct buf got = {0};
	struct err e = {0};
	char some[64];
	int more;
	ssize_t n = 0;

	buf_puts(&got, "");
	while ((more = tar_next(&r, &t, &e)) > 0) {
		buf_printf(&got, "%c %s %lld;", (char)t.type, t.path, (long long)t.size);
		while ((n = tar_read(&r, some, sizeof(some), &e)) > 0)
			;
		tar_entry_done(&t);
		if (n < 0)
			break;
	}
	if (more < 0 || n < 0)
		buf_puts(&got, e.text);
	is_str(got.s, want, "what is read of it, and what is said");
}

/* Records that lie, before a file that does not. */
static void lying_records(void)
{
	static const struct {
		char type;
		const char *text;
		size_t n;
		const char *want;
	} records[] = {
#define ROW(type, text, want) {type, text, sizeof(text) - 1, want}
		ROW('x', "10 path=p\n", "0 p 0;"),
		ROW('L', "l\0", "0 l 0;"),
		ROW('x', "10 path=p", "invalid pax header"),
		ROW('x', "11 path=p\n", "invalid pax header"),
		ROW('x', "8 path=p\n", "invalid pax header"),
		ROW('x', "99999999999999999999 path=p\n", "invalid pax header"),
		ROW('x', "0 path=p\n", "invalid pax header"),
		ROW('x', "2 path=p\n", "invalid pax header"),
		ROW('x', "-1 path=p\n", "invalid pax header"),
		ROW('x', " path=p\n", "invalid pax header"),
		ROW('x', "6 =ab\n", "invalid pax header"),
		ROW('x', "7 path\n", "invalid pax header"),
		ROW('x', "12 path=p\0q\n", "a name with a zero byte in it"),
		ROW('x', "16 linkpath=p\0q\n", "a name with a zero byte in it"),
		ROW('x', "11 size=-1\n", "invalid pax record size"),
		ROW('x', "29 size=99999999999999999999\n", "invalid pax record size"),
		ROW('x', "9 size=x\n", "invalid pax record size"),
		ROW('x', "8 uid=x\n", "invalid pax record uid"),
		ROW('x', "8 gid=x\n", "invalid pax record gid"),
		ROW('x', "11 mtime=x\n", "invalid pax record mtime"),
		ROW('g', "10 path=p\n", "0 file 0;"),
#undef ROW
	};

	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		auto_buf struct buf in = {0};

		record(&in, records[i].type, records[i].text, records[i].n);
		header(&in, '0', "file", NULL, 0);
		is_read(&in, records[i].want);
	}
}

static void lying_sizes(void)
{
	static const char negative[13] = "\377\377\377\377\377\377\377\377\377\377\377\377",
			  huge[13] = "\200\0\0\1\0\0\0\0\0\0\0\0", much[13] = "77777777777",
			  letters[13] = "000000000x0";
	const struct {
		char type;
		const char *size, *want;
	} rows[] = {
		{'0', negative, "invalid tar header"},
		{'0', huge, "invalid tar header"},
		{'0', letters, "invalid tar header"},
		{'0', much, "0 lies 8589934591;unexpected EOF"},
		{'x', negative, "invalid tar header"},
		{'L', negative, "invalid tar header"},
		{'x', much, "a header of 8589934591 bytes"},
		{'K', much, "a header of 8589934591 bytes"},
		{'1', much, "1 lies 0;0 file 0;"}, /* a name has no content */
		{'6', much, "6 lies 0;0 file 0;"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf in = {0};

		header(&in, rows[i].type, "lies", rows[i].size, 0);
		header(&in, '0', "file", NULL, 0);
		is_read(&in, rows[i].want);
	}
}

static void breaks_off(void)
{
	auto_buf struct buf changed = {0}, about_nothing = {0}, cut = {0}, unknown = {0};

	header(&changed, '0', "lies", NULL, 0);
	changed.s[0] = 'L';
	is_read(&changed, "archive/tar: invalid tar header");
	record(&about_nothing, 'L', "a name", 6);
	is_read(&about_nothing, "unexpected EOF");
	header(&cut, '0', "file", NULL, 9);
	buf_add(&cut, "cut", 3);
	is_read(&cut, "0 file 9;unexpected EOF");
	record(&unknown, 'L', "long", 4); /* is not said of the one that comes next */
	header(&unknown, 'Z', "of no kind", NULL, 0);
	header(&unknown, '0', "file", NULL, 0);
	is_read(&unknown, "0 file 0;");
}

static void attributes(void)
{
	ok(tar_xattr_may_be("user.mine") && tar_xattr_may_be("security.capability"),
		"attributes that may be");
	ok(!tar_xattr_may_be("user.overlay.redirect") && !tar_xattr_may_be("trusted.overlay.opaque") &&
			!tar_xattr_may_be("security.selinux") &&
			!tar_xattr_may_be("security.capability2") &&
			!tar_xattr_may_be("system.posix_acl_access") && !tar_xattr_may_be("userx"),
		"and those that may not");
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
	empty_records();
	cleaned("a/./b//../c", "a/c");
	cleaned("/a/", "a");
	cleaned("..", "refused");
	cleaned("a/../../b", "refused");
	cleaned("", "");
	cleaned("aaaaaaaaaaaaaaaaaaaa", "refused");
	lying_records();
	lying_sizes();
	breaks_off();
	attributes();
	return done_testing();
}
