/* SPDX-License-Identifier: Apache-2.0 */
/* A server whose /dev/fuse is a socket of ours, and what it finds in its journal. */
#include "auto.h"
#include "fuse.h"
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

/* What the first server answers to a request of which `deaths` others died. */
static int32_t answer_after(int deaths, struct blocks *cache)
{
	struct fuse_in_header ask = {.len = sizeof(ask), .opcode = FUSE_STATFS, .unique = 7, .nodeid = 1};
	const char *tests = getenv("TESTS");
	auto_free char *image = xasprintf("%s/fuzz/corpus/squash/plain", tests ? tests : "tests");
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
		pwrite(journal, &ask, sizeof(ask), FIRST_SLOT) != sizeof(ask))
		return 2;
	sq = squash_open(open(image, O_RDONLY | O_CLOEXEC), "image", cache, &e);
	if (!sq || fuse_serve(sq, pair[1], journal, (struct fuse_ids){1, 1}, ended, NULL, &serving,
			   &e) < 0)
		return 3;
	p.fd = pair[0];
	if (poll(&p, 1, 10000) != 1 ||
		recv(pair[0], &head, sizeof(head), MSG_TRUNC) < (ssize_t)sizeof(head))
		return 4;
	return head.unique == 7 ? head.error : 5;
}

int main(void)
{
	struct blocks *cache = blocks_new(1 << 20, -1);
	int failed;

	is_int(answer_after(0, cache), 0, "who serves next answers what the one before left");
	is_int(answer_after(2, cache), 0, "even if it was not the first to die");
	is_int(answer_after(3, cache), -EIO, "but not a request that kills one after the other");
	failed = done_testing();
	(void)fflush(stdout);
	_exit(failed); /* the servers' threads wait for more */
}
