/* SPDX-License-Identifier: Apache-2.0 */
/* A server whose /dev/fuse is a socket of ours, and what it finds in its journal; requests that are shorter than they
 * are to be. */
#include "auto.h"
#include "fuse.h"
#include "fuse_parts.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/socket.h>

#define FIRST_DEATHS 16 /* behind the journal's magic and id */
#define FIRST_SLOT   4096

static void ended(void *arg)
{
	(void)arg;
}

static char *plain_image(void)
{
	const char *tests = getenv("TESTS");

	return xasprintf("%s/fuzz/corpus/squash/plain", tests ? tests : "tests");
}

/* What the first server answers to a request of which `deaths` others died; where no message of more than `most` bytes goes
 * through. */
static int32_t answer_after(const struct fuse_in_header *ask, int deaths, int most, struct blocks *cache)
{
	auto_free char *image = plain_image();
	struct fuse_out_header head = {0};
	unsigned char n = (unsigned char)deaths;
	struct pollfd p = {.events = POLLIN};
	struct fuse_serving *serving;
	struct squash *sq;
	struct err e;
	int pair[2], journal = fuse_journal_new(&e);

	if (journal < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	if (pwrite(journal, &n, 1, FIRST_DEATHS) != 1 ||
		pwrite(journal, ask, ask->len, FIRST_SLOT) != (ssize_t)ask->len ||
		(most && setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &most, sizeof(most)) < 0))
		return 2;
	sq = squash_open(open(image, O_RDONLY | O_CLOEXEC), "image", cache, &e);
	if (!sq || fuse_serve(sq, pair[1], journal, (struct fuse_ids){1, 1}, ended, NULL, &serving,
			   &e) < 0)
		return 3;
	p.fd = pair[0];
	if (poll(&p, 1, 10000) != 1 ||
		recv(pair[0], &head, sizeof(head), MSG_TRUNC) < (ssize_t)sizeof(head))
		return 4;
	return head.unique == ask->unique ? head.error : 5;
}

/* ---- requests -------------------------------------------------------------------------- */

static struct {
	struct fuse_in_header h;
	unsigned char arg[256];
} in;
static _Alignas(8) unsigned char to[4096];
static uint64_t node = FUSE_ROOT_ID;

/* What is answered if only `len` bytes came of what stands in `in`. */
static ssize_t ask(struct squash *sq, uint32_t op, size_t len)
{
	const struct fuse_ids ids = {2, 2};
	const struct request q = {sq, &ids, &in.h, in.arg, len, to, sizeof(to)};

	in.h = (struct fuse_in_header){
		.opcode = op, .nodeid = node, .len = (uint32_t)(sizeof(in.h) + len)};
	return fuse_answer(&q);
}

static void refused(
	struct squash *sq, uint32_t op, const char *text, size_t fixed, int why, const char *name)
{
	auto_free char *sentence = xasprintf("%s: what is shorter is refused", name);
	auto_free char *whole = xasprintf("%s: and what is not, is not", name);
	size_t n = fixed + (text ? strlen(text) + 1 : 0);
	int64_t taken = -1;

	for (size_t len = 0; len < n && taken < 0; len++)
		if (ask(sq, op, len) != why)
			taken = (int64_t)len;
	is_int(taken, -1, sentence);
	ok(ask(sq, op, n) != why, whole);
}

static uint64_t look_up(struct squash *sq, const char *name)
{
	memset(in.arg, 0, sizeof(in.arg));
	memcpy(in.arg, name, strlen(name));
	if (ask(sq, FUSE_LOOKUP, strlen(name) + 1) != sizeof(struct fuse_entry_out))
		exit(2);
	return ((const struct fuse_entry_out *)(const void *)to)->nodeid;
}

/* Of a file's bytes, copied or where they lie. */
static void test_read(struct squash *sq)
{
	struct fuse_read_in read = {.size = 100};
	struct squash_pieces p;
	int taken = 0;

	node = look_up(sq, "d");
	node = look_up(sq, "f");
	memset(in.arg, 0, sizeof(in.arg));
	memcpy(in.arg, &read, sizeof(read));
	refused(sq, FUSE_READ, NULL, sizeof(read), -EINVAL, "read");
	for (size_t len = 0; len < sizeof(read); len++) {
		const struct request q = {.sq = sq, .h = &in.h, .arg = in.arg, .arg_len = len};

		taken += fuse_answer_in_place(&q, &p) != -EINVAL || fuse_began_program(&q, &p);
	}
	is_int(taken, 0, "nor of what lies decoded");
	read.size = UINT32_MAX;
	memcpy(in.arg, &read, sizeof(read));
	is_int(ask(sq, FUSE_READ, sizeof(read)), sizeof(to), "no more is read than there is room for");
	node = FUSE_ROOT_ID;
}

static void test_requests(struct blocks *cache)
{
	struct fuse_init_in init = {.major = 7, .minor = 31};
	struct fuse_read_in read = {.size = 100};
	struct fuse_getxattr_in xattr = {.size = 100};
	auto_free char *image = plain_image();
	struct err e;
	struct squash *sq = squash_open(open(image, O_RDONLY | O_CLOEXEC), "image", cache, &e);

	if (!sq)
		exit(2);
	memcpy(in.arg, &init, sizeof(init));
	refused(sq, FUSE_INIT, NULL, 16, -EPROTO, "init");
	memset(in.arg, 0, sizeof(in.arg));
	memcpy(in.arg, &read, sizeof(read));
	refused(sq, FUSE_READDIR, NULL, sizeof(read), -EINVAL, "readdir");
	refused(sq, FUSE_READDIRPLUS, NULL, sizeof(read), -EINVAL, "readdirplus");
	test_read(sq);
	memset(in.arg, 0, sizeof(in.arg));
	memcpy(in.arg, &xattr, sizeof(xattr));
	memcpy(in.arg + sizeof(xattr), "user.a", 7);
	refused(sq, FUSE_GETXATTR, "user.a", sizeof(xattr), -EINVAL, "getxattr");
	refused(sq, FUSE_LISTXATTR, NULL, sizeof(xattr), -EINVAL, "listxattr");
	memset(in.arg, 'n', sizeof(in.arg));
	is_int(ask(sq, FUSE_LOOKUP, 0), sizeof(struct fuse_entry_out), "lookup: nothing has no name");
	is_int(ask(sq, FUSE_LOOKUP, 200), sizeof(struct fuse_entry_out),
		"a name ends where its request does");
	is_int(((struct fuse_entry_out *)(void *)to)->nodeid, 0, "and is of no file");
	is_int(ask(sq, FUSE_POLL, 0), -ENOSYS, "what is not here is not answered");
	is_int(ask(sq, UINT32_MAX, 0), -ENOSYS, "nor what is beyond");
	squash_free(sq);
}

static void test_journal(struct blocks *cache)
{
	struct fuse_in_header ask = {.len = sizeof(ask), .opcode = FUSE_STATFS, .unique = 7, .nodeid = 1};

	is_int(answer_after(&ask, 0, 0, cache), 0, "who serves next answers what the one before left");
	is_int(answer_after(&ask, 2, 0, cache), 0, "even if it was not the first to die");
	is_int(answer_after(&ask, 3, 0, cache), -EIO, "but not a request that kills one after the other");
}

static void test_untold(struct blocks *cache)
{
	struct {
		struct fuse_in_header h;
		struct fuse_read_in read;
	} ask = {.h = {.len = sizeof(ask), .opcode = FUSE_READ, .unique = 7}, .read = {.size = 20000}};
	auto_free char *image = plain_image();
	struct err e;
	struct squash *sq = squash_open(open(image, O_RDONLY | O_CLOEXEC), "image", cache, &e);

	if (!sq)
		exit(2);
	node = FUSE_ROOT_ID;
	node = look_up(sq, "d");
	ask.h.nodeid = look_up(sq, "f");
	node = FUSE_ROOT_ID;
	squash_free(sq);
	is_int(answer_after(&ask.h, 0, 0, cache), 0, "a file's bytes are told");
	is_int(answer_after(&ask.h, 0, 1, cache), -EIO, "who cannot be told them is not left waiting");
}

int main(void)
{
	struct blocks *cache = blocks_new(1 << 20, -1);
	int failed;

	test_journal(cache);
	test_untold(cache);
	test_requests(cache);
	failed = done_testing();
	(void)fflush(stdout);
	_exit(failed); /* the servers' threads wait for more */
}
