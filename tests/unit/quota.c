/* SPDX-License-Identifier: Apache-2.0 */
/* What --storage-opt size is served by, and requests that are shorter than they say, or say what no kernel says. Behind
 * what is said to have come lies the rest of each: who reads on finds it, and does what was not asked. */
#include "auto.h"
#include "quota_parts.h"
#include "str.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char top[64];
static struct quota q;

static struct {
	struct fuse_in_header h;
	unsigned char arg[32768];
} in;
static size_t used; /* of in.arg */
static _Alignas(8) unsigned char to[QUOTA_ROOM];
static size_t room = sizeof(to);

static void begin(void)
{
	memset(in.arg, 0, sizeof(in.arg));
	used = 0;
}

static void add(const void *bytes, size_t n)
{
	memcpy(in.arg + used, bytes, n);
	used += n;
}

static void add_text(const char *s)
{
	add(s, strlen(s) + 1);
}

/* What it is answered if only `len` bytes came of what was added. */
static ssize_t ask(uint32_t op, const struct node *n, size_t len)
{
	const struct request r = {&q, &in.h, in.arg, len, to, room};

	in.h = (struct fuse_in_header){.opcode = op,
		.nodeid = n == q.root ? FUSE_ROOT_ID : (uint64_t)(uintptr_t)n,
		.uid = getuid(),
		.gid = getgid(),
		.len = (uint32_t)(sizeof(in.h) + len)};
	return quota_answer(&r);
}

/* The answer to the whole of it, after all that is shorter was refused. */
static ssize_t by_length(uint32_t op, const struct node *n, const char *name)
{
	auto_free char *sentence = xasprintf("%s: what is shorter is refused", name);
	int64_t taken = -1;

	for (size_t len = 0; len < used && taken < 0; len++)
		if (ask(op, n, len) != -EIO)
			taken = (int64_t)len;
	is_int(taken, -1, sentence);
	return ask(op, n, used);
}

static void done(uint32_t op, const struct node *n, const char *name, size_t size)
{
	auto_free char *sentence = xasprintf("%s: all of it is answered", name);

	is_int(by_length(op, n, name), (int64_t)size, sentence);
}

/* What not each file system can: whatever it says, it was asked. */
static void tried(uint32_t op, const struct node *n, const char *name)
{
	auto_free char *sentence = xasprintf("%s: all of it is looked at", name);

	ok(by_length(op, n, name) != -EIO, sentence);
}

static struct node *entry(void)
{
	return quota_node(&q, ((const struct fuse_entry_out *)(const void *)to)->nodeid);
}

static struct node *find(const char *name)
{
	begin();
	add_text(name);
	if (ask(FUSE_LOOKUP, q.root, used) != sizeof(struct fuse_entry_out))
		exit(2);
	return entry();
}

static bool there(const char *name)
{
	struct stat st;

	return fstatat(q.upper, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- names ----------------------------------------------------------------------------- */

static struct node *directory;

static void test_made(void)
{
	begin();
	add(&(struct fuse_init_in){.major = 7, .minor = 31}, 16);
	done(FUSE_INIT, q.root, "init", sizeof(struct fuse_init_out));
	begin();
	add(&(struct fuse_mkdir_in){.mode = 0755}, sizeof(struct fuse_mkdir_in));
	add_text("dir");
	done(FUSE_MKDIR, q.root, "mkdir", sizeof(struct fuse_entry_out));
	directory = entry();
	begin();
	add(&(struct fuse_mknod_in){.mode = S_IFIFO | 0600}, sizeof(struct fuse_mknod_in));
	add_text("fifo");
	done(FUSE_MKNOD, q.root, "mknod", sizeof(struct fuse_entry_out));
	begin();
	add_text("link");
	add_text("target");
	done(FUSE_SYMLINK, q.root, "symlink", sizeof(struct fuse_entry_out));
	begin();
	add(&(struct fuse_create_in){.mode = S_IFREG | 0644}, sizeof(struct fuse_create_in));
	add_text("file");
	done(FUSE_CREATE, q.root, "create", sizeof(struct fuse_entry_out) + sizeof(struct fuse_open_out));
	begin();
	add(&(struct fuse_link_in){.oldnodeid = (uint64_t)(uintptr_t)entry()},
		sizeof(struct fuse_link_in));
	add_text("second");
	done(FUSE_LINK, q.root, "link", sizeof(struct fuse_entry_out));
	begin();
	add_text("second");
	done(FUSE_LOOKUP, q.root, "lookup", sizeof(struct fuse_entry_out));
}

static void test_moved(void)
{
	begin();
	add(&(struct fuse_rename_in){.newdir = FUSE_ROOT_ID}, sizeof(struct fuse_rename_in));
	add_text("second");
	add_text("third");
	done(FUSE_RENAME, q.root, "rename", 0);
	begin();
	add(&(struct fuse_rename2_in){.newdir = FUSE_ROOT_ID}, sizeof(struct fuse_rename2_in));
	add_text("third");
	add_text("fourth");
	done(FUSE_RENAME2, q.root, "rename2", 0);
	ok(there("fourth") && !there("third"), "a file is moved once");
	begin();
	add_text("fourth");
	done(FUSE_UNLINK, q.root, "unlink", 0);
	begin();
	add_text("dir");
	done(FUSE_RMDIR, q.root, "rmdir", 0);
	ok(!there("fourth") && !there("dir"), "and removed");
	begin();
	add(&(struct fuse_forget_in){.nlookup = 1}, sizeof(struct fuse_forget_in));
	done(FUSE_FORGET, directory, "forget", (size_t)QUOTA_SILENT);
}

static int64_t make(uint32_t op, const char *name)
{
	static const unsigned char none[sizeof(struct fuse_create_in)];
	size_t n = op == FUSE_MKDIR    ? sizeof(struct fuse_mkdir_in)
	           : op == FUSE_CREATE ? sizeof(struct fuse_create_in)
	                               : 0;

	begin();
	add(none, n);
	add_text(name);
	if (op == FUSE_SYMLINK)
		add_text("x");
	return ask(op, q.root, used);
}

static void test_names(void)
{
	static const uint32_t ops[] = {FUSE_LOOKUP, FUSE_MKDIR, FUSE_CREATE, FUSE_SYMLINK, FUSE_UNLINK};
	static const char *const wrong[] = {"", ".", "..", "/", "a/b", "../a", "/a"};
	auto_free char *name = xcalloc(6000, 1);
	int bad = 0, lengthy = 0;

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		for (size_t k = 0; k < ARRAY_LEN(wrong); k++)
			bad += make(ops[i], wrong[k]) != -EINVAL;
		memset(name, 'n', 256);
		name[256] = '\0';
		lengthy += make(ops[i], name) != -ENAMETOOLONG;
		memset(name, 'n', 5999);
		lengthy += make(ops[i], name) != -ENAMETOOLONG;
	}
	is_int(bad, 0, "no name leads anywhere else");
	is_int(lengthy, 0, "none is longer than names are");
	begin();
	add(&(struct fuse_rename_in){.newdir = FUSE_ROOT_ID}, sizeof(struct fuse_rename_in));
	add_text("file");
	add_text("../file");
	is_int(ask(FUSE_RENAME, q.root, used), -EINVAL, "nothing is moved anywhere else");
	begin();
	add_text("l");
	add_text("");
	is_int(ask(FUSE_SYMLINK, q.root, used), -ENOENT, "a link leads somewhere");
	begin();
	add_text("l");
	add_text(name);
	is_int(ask(FUSE_SYMLINK, q.root, used), -ENAMETOOLONG, "and not too far");
}

/* ---- what files hold ------------------------------------------------------------------- */

static int64_t write_said(struct node *n, uint32_t says, const char *bytes, size_t came)
{
	begin();
	add(&(struct fuse_write_in){.size = says}, sizeof(struct fuse_write_in));
	add(bytes, 1000);
	if (ask(FUSE_WRITE, n, sizeof(struct fuse_write_in) + came) != sizeof(struct fuse_write_out))
		return -1;
	return ((const struct fuse_write_out *)(const void *)to)->size;
}

static void test_write(struct node *n)
{
	static const char bytes[1000] = "what comes is written, and not what lies behind";
	struct stat st = {0};

	begin();
	add(&(struct fuse_write_in){.size = 0}, sizeof(struct fuse_write_in));
	done(FUSE_WRITE, n, "write", sizeof(struct fuse_write_out));
	is_int(write_said(n, 100, bytes, 5), 5, "of what says that it is more what came is written");
	is_int(write_said(n, UINT32_MAX, bytes, 7), 7, "however much it says");
	is_int(write_said(n, 3, bytes, 9), 3, "and of more than it says no more");
	is_int(write_said(n, 100, bytes, 0), 0, "nothing, if nothing came");
	ok(fstatat(q.upper, "file", &st, 0) == 0 && st.st_size == 7, "so long is the file");
}

static void test_content(struct node *n)
{
	struct fuse_fallocate_in far = {.offset = UINT64_MAX - 4095, .length = 8192};

	begin();
	add(&(struct fuse_open_in){.flags = O_RDWR}, sizeof(struct fuse_open_in));
	done(FUSE_OPEN, n, "open", sizeof(struct fuse_open_out));
	test_write(n);
	begin();
	add(&(struct fuse_read_in){.size = 1000}, sizeof(struct fuse_read_in));
	done(FUSE_READ, n, "read", 7);
	room = 4;
	is_int(ask(FUSE_READ, n, used), 4, "no more is read than there is room for");
	room = sizeof(to);
	begin();
	add(&(struct fuse_lseek_in){.whence = SEEK_HOLE}, sizeof(struct fuse_lseek_in));
	done(FUSE_LSEEK, n, "lseek", sizeof(struct fuse_lseek_out));
	begin();
	add(&(struct fuse_lseek_in){.whence = 77}, sizeof(struct fuse_lseek_in));
	is_int(ask(FUSE_LSEEK, n, used), -EINVAL, "lseek: a word that there is not");
	begin();
	add(&(struct fuse_fallocate_in){.length = 4096, .mode = FALLOC_FL_KEEP_SIZE},
		sizeof(struct fuse_fallocate_in));
	tried(FUSE_FALLOCATE, n, "fallocate");
	begin();
	add(&far, sizeof(far));
	ok(ask(FUSE_FALLOCATE, n, used) < 0, "fallocate: around the end of all numbers");
	begin();
	add(&(struct fuse_setattr_in){.valid = FATTR_MODE, .mode = 0600}, sizeof(struct fuse_setattr_in));
	done(FUSE_SETATTR, n, "setattr", sizeof(struct fuse_attr_out));
	begin();
	add(&(struct fuse_fsync_in){0}, sizeof(struct fuse_fsync_in));
	done(FUSE_FSYNC, n, "fsync", 0);
	begin();
	add(&(struct fuse_release_in){0}, sizeof(struct fuse_release_in));
	done(FUSE_RELEASE, n, "release", 0);
}

static void test_xattrs(struct node *n)
{
	struct fuse_setxattr_in set = {.size = 6};
	bool can;

	begin();
	add(&set, FUSE_COMPAT_SETXATTR_IN_SIZE);
	add_text("user.a");
	add("value", 6);
	can = by_length(FUSE_SETXATTR, n, "setxattr") == 0;
	set.size = UINT32_MAX;
	memcpy(in.arg, &set, FUSE_COMPAT_SETXATTR_IN_SIZE);
	is_int(ask(FUSE_SETXATTR, n, used), -EIO, "setxattr: no value is longer than what came");
	begin();
	add(&(struct fuse_getxattr_in){.size = 100}, sizeof(struct fuse_getxattr_in));
	add_text("user.a");
	tried(FUSE_GETXATTR, n, "getxattr");
	room = 4;
	ok(ask(FUSE_GETXATTR, n, used) < 0, "getxattr: no more than there is room for");
	room = sizeof(to);
	begin();
	add(&(struct fuse_getxattr_in){.size = 100}, sizeof(struct fuse_getxattr_in));
	tried(FUSE_LISTXATTR, n, "listxattr");
	begin();
	add_text("user.a");
	tried(FUSE_REMOVEXATTR, n, "removexattr");
	if (!can)
		printf("# the file system has no attributes\n");
}

static void test_directory(void)
{
	uint64_t fh;

	if (ask(FUSE_OPENDIR, q.root, 0) != sizeof(struct fuse_open_out))
		exit(2);
	fh = ((const struct fuse_open_out *)(const void *)to)->fh;
	begin();
	add(&(struct fuse_fsync_in){.fh = fh}, sizeof(struct fuse_fsync_in));
	done(FUSE_FSYNCDIR, q.root, "fsyncdir", 0);
	begin();
	add(&(struct fuse_read_in){.fh = fh, .size = UINT32_MAX}, sizeof(struct fuse_read_in));
	ok(by_length(FUSE_READDIR, q.root, "readdir") > 0, "names are listed");
	room = 40;
	ok(ask(FUSE_READDIR, q.root, used) <= 40, "no more than there is room for");
	room = sizeof(to);
	begin();
	add(&(struct fuse_release_in){.fh = fh}, sizeof(struct fuse_release_in));
	done(FUSE_RELEASEDIR, q.root, "releasedir", 0);
}

/* ---- what wants no answer -------------------------------------------------------------- */

static void test_forget(void)
{
	struct node *file = find("file"), *fifo = find("fifo");
	struct fuse_forget_one one = {.nodeid = (uint64_t)(uintptr_t)file, .nlookup = 1},
			       all = {.nodeid = (uint64_t)(uintptr_t)fifo, .nlookup = fifo->lookups};
	size_t known = q.n_names;
	uint64_t lookups = file->lookups;

	begin();
	add(&(struct fuse_batch_forget_in){.count = 2}, sizeof(struct fuse_batch_forget_in));
	add(&one, sizeof(one));
	add(&all, sizeof(all));
	for (size_t len = 0; len < used; len++)
		(void)ask(FUSE_BATCH_FORGET, q.root, len);
	ok(q.n_names == known && file->lookups == lookups,
		"of many that are to be forgotten all must have come");
	is_int(ask(FUSE_BATCH_FORGET, q.root, used), QUOTA_SILENT, "then they are");
	ok(q.n_names == known - 1 && file->lookups == lookups - 1, "those and no others");
	begin();
	add(&(struct fuse_forget_in){.nlookup = 1}, sizeof(struct fuse_forget_in));
	is_int(ask(FUSE_FORGET, file, used), QUOTA_SILENT, "one is forgotten");
}

/* ---- the connection -------------------------------------------------------------------- */

static void test_unknown(void)
{
	begin();
	is_int(ask(FUSE_POLL, q.root, 100), -ENOSYS, "what is not here is not answered");
	is_int(ask(CUSE_INIT, q.root, 100), -ENOSYS, "nor what is beyond");
	is_int(ask(UINT32_MAX, q.root, 100), -ENOSYS, "all of that");
}

/* The number of the request that is answered, of those that are left. */
static int64_t answered(int sock)
{
	struct {
		struct fuse_out_header h;
		char more[512];
	} got = {0};

	return recv(sock, &got, sizeof(got), MSG_DONTWAIT) < (ssize_t)sizeof(got.h)
	               ? -1
	               : (int64_t)got.h.unique;
}

static void test_header(void)
{
	struct {
		struct fuse_in_header h;
		char text[8];
	} m = {.h = {.opcode = FUSE_LOOKUP, .nodeid = FUSE_ROOT_ID, .unique = 7}, .text = "missing"};
	auto_free char *request = xcalloc(1, QUOTA_ROOM);
	int pair[2], wrong = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		exit(2);
	q.dev = pair[0];
	m.h.len = sizeof(m);
	ok(send(pair[1], &m, sizeof(m), 0) > 0 && quota_serve_one(&q, request, to), "a request comes");
	is_int(answered(pair[1]), 7, "and is answered");
	for (size_t n = 1; n < sizeof(m); n++) {
		wrong += send(pair[1], &m, n, 0) < 0 || !quota_serve_one(&q, request, to);
		wrong += answered(pair[1]) != -1;
	}
	is_int(wrong, 0, "what is shorter than it says is passed over");
	for (uint32_t n = 0; n < sizeof(m); n++) {
		m.h.len = n;
		wrong += send(pair[1], &m, sizeof(m), 0) < 0 || !quota_serve_one(&q, request, to);
		m.h.len = UINT32_MAX - n;
		wrong += send(pair[1], &m, sizeof(m), 0) < 0 || !quota_serve_one(&q, request, to);
		wrong += answered(pair[1]) != -1;
	}
	/* less than a header, which says so itself, where the one before still stands */
	for (uint32_t n = 4; n < sizeof(m.h); n++) {
		m.h.len = n;
		wrong += send(pair[1], &m, n, 0) < 0 || !quota_serve_one(&q, request, to);
		wrong += answered(pair[1]) != -1;
	}
	is_int(wrong, 0, "and what is longer, or no request at all");
	m.h.len = sizeof(m);
	m.h.unique = 9;
	ok(send(pair[1], &m, sizeof(m), 0) > 0 && quota_serve_one(&q, request, to), "another one");
	is_int(answered(pair[1]), 9, "is answered as before");
	(void)close(pair[0]);
	(void)close(pair[1]);
}

/* The error of the answer to a request, where no message of more than `most` bytes goes through; 1: there is none. */
static int32_t told(const struct fuse_in_header *m, int most)
{
	auto_free char *request = xcalloc(1, QUOTA_ROOM);
	struct fuse_out_header head = {.error = 1};
	int pair[2];
	bool came;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
		(most && setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &most, sizeof(most)) < 0))
		exit(2);
	q.dev = pair[0];
	came = send(pair[1], m, m->len, 0) > 0 && quota_serve_one(&q, request, to) &&
	       recv(pair[1], &head, sizeof(head), MSG_DONTWAIT) > 0 && head.unique == m->unique;
	(void)close(pair[0]);
	(void)close(pair[1]);
	return came ? head.error : 1;
}

static void test_untold(void)
{
	auto_close int fd = openat(q.upper, "large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct {
		struct fuse_in_header h;
		struct fuse_read_in read;
	} m = {.h = {.len = sizeof(m), .opcode = FUSE_READ, .unique = 7}, .read = {.size = 20000}};
	struct node *n;

	if (fd < 0 || ftruncate(fd, 20000) < 0)
		exit(2);
	n = find("large");
	m.h.nodeid = (uint64_t)(uintptr_t)n;
	begin();
	add(&(struct fuse_open_in){.flags = O_RDONLY}, sizeof(struct fuse_open_in));
	if (ask(FUSE_OPEN, n, used) < 0)
		exit(2);
	is_int(told(&m.h, 0), 0, "a file's bytes are told");
	is_int(told(&m.h, 1), -EIO, "who cannot be told them is not left waiting");
}

int main(void)
{
	auto_free char *rm = NULL, *root = NULL;
	struct node *file;

	(void)snprintf(top, sizeof(top), "/tmp/sbx-test-XXXXXX");
	if (!mkdtemp(top))
		return 2;
	root = xasprintf("%s/root", top);
	if (mkdir(root, 0755) < 0)
		return 2;
	q = (struct quota){.dev = -1,
		.upper = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.ledger = {.limit = 1 << 30},
		.block = 4096,
		.dirs_max = 16,
		.fd_max = 1 << 20};
	quota_root(&q, open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	test_made();
	test_moved();
	test_names();
	file = find("file");
	test_content(file);
	test_xattrs(file);
	test_directory();
	test_forget();
	test_unknown();
	test_header();
	test_untold();
	rm = xasprintf("rm -rf %s", top);
	(void)system(rm);
	return done_testing();
}
