/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of RFC 6455, and the handshake's proof. */
#include "tap.h"
#include "websocket.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void accepts(void)
{
	char got[WEBSOCKET_ACCEPT];

	websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", got);
	is_str(got, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "the key of RFC 6455, 1.3");
	/* With the 36 letters behind it that makes 55 bytes, and 56. */
	websocket_accept("0123456789012345678", got);
	is_str(got, "jbdRz+qXOeJkF8OeqyGzvnS2RFI=", "a key that fills a block but for its length");
	websocket_accept("01234567890123456789", got);
	is_str(got, "bfojMczDg3dsICcPBQt2lgLayVA=", "one that leaves no room for the length");
}

static void say(struct buf *b, int first, const char *text, size_t n)
{
	static const char mask[4] = {1, 2, 3, 4};
	char head[4] = {(char)first, (char)(0x80 | (n < 126 ? n : 126)), (char)(n >> 8), (char)n};

	buf_add(b, head, n < 126 ? 2 : 4);
	buf_add(b, mask, 4);
	for (size_t i = 0; i < n; i++) {
		char c = (char)(text[i] ^ mask[i % 4]);

		buf_add(b, &c, 1);
	}
}

static size_t all(int fd, char *to, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size && (n = recv(fd, to + have, size - have, 0)) > 0)
		have += (size_t)n;
	return have;
}

/* conn[0] is the client's end then, plain[0] the program's. */
static pid_t start_pump(const struct buf *early, int conn[2], int plain[2])
{
	pid_t pump;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, conn) < 0 ||
		socketpair(AF_UNIX, SOCK_STREAM, 0, plain) < 0)
		_exit(1);
	pump = fork();
	if (pump == 0) {
		(void)close(conn[0]);
		(void)close(plain[0]);
		websocket_pump(conn[1], early, plain[1]);
		_exit(0);
	}
	(void)close(conn[1]);
	(void)close(plain[1]);
	return pump;
}

/* A server that says what it heard; told is sent as `early` and, byte by byte, on the connection. */
static size_t talk(const struct buf *early, const struct buf *told, char *answer, size_t size)
{
	int conn[2], plain[2];
	pid_t pump, echo;
	size_t n;

	pump = start_pump(early, conn, plain);
	echo = fork();
	if (echo == 0) {
		char data[70000];

		(void)close(conn[0]);
		n = all(plain[0], data, sizeof(data));
		_exit(send(plain[0], data, n, 0) == (ssize_t)n ? 0 : 1);
	}
	(void)close(plain[0]);
	for (size_t i = 0; i < told->len; i++)
		if (send(conn[0], told->s + i, 1, MSG_NOSIGNAL) < 0)
			break;
	n = all(conn[0], answer, size);
	(void)close(conn[0]);
	(void)waitpid(pump, NULL, 0);
	(void)waitpid(echo, NULL, 0);
	return n;
}

static void frames(void)
{
	static char big[300], answer[1000];
	auto_buf struct buf early = {0}, told = {0}, none = {0}, bad = {0};
	size_t n;

	memset(big, 'x', sizeof(big));
	say(&early, 0x81, "one ", 4);
	say(&told, 0x89, "ping", 4);
	say(&told, 0x02, "tw", 2);
	say(&told, 0x80, "o ", 2);
	say(&told, 0x82, big, sizeof(big));
	say(&told, 0x88, "\3\350", 2);
	n = talk(&early, &told, answer, sizeof(answer));
	ok(n > 10 && memcmp(answer, "\212\4ping\210\2\3\350", 10) == 0,
		"a ping is answered, and the close");
	is_int((int64_t)n, 10 + 4 + 8 + 300, "what was said is heard, whatever frames it came in");
	ok(n == 322 && memcmp(answer + 10, "\202\176\1\64one two xxx", 15) == 0, "and comes back in one");
	buf_add(&bad, "\202\3abc", 5);
	n = talk(&none, &bad, answer, sizeof(answer));
	ok(n >= 4 && memcmp(answer, "\210\2\3\352", 4) == 0, "a client that does not mask is told so");
}

/* Many pings of a client that does not read meanwhile: answers that fill a buffer, and the last one's. */
static void pings(void)
{
	enum { MANY = 200000 };
	static char answer[MANY * 10];
	int conn[2], plain[2];
	auto_buf struct buf none = {0}, told = {0};
	pid_t pump;
	size_t n;

	pump = start_pump(&none, conn, plain);
	for (size_t i = 0; i < MANY; i++) {
		char word[9];

		(void)snprintf(word, sizeof(word), "%08zu", i);
		say(&told, 0x89, word, 8);
	}
	say(&told, 0x82, "heard", 5);
	for (size_t at = 0; at < told.len;) {
		ssize_t some = send(conn[0], told.s + at, told.len - at, MSG_NOSIGNAL);

		if (some <= 0)
			break;
		at += (size_t)some;
	}
	n = all(plain[0], answer, 5);
	ok(n == 5 && memcmp(answer, "heard", 5) == 0,
		"pings without a reader keep nothing from being heard");
	for (n = 0; n < 10 || memcmp(answer + n - 10, "\212\01000199999", 10) != 0;) {
		ssize_t some = recv(conn[0], answer + n, sizeof(answer) - n, 0);

		if (some <= 0)
			break;
		n += (size_t)some;
	}
	ok(n >= 10 && memcmp(answer, "\212\01000000000", 10) == 0, "the first ones are answered");
	ok(n >= 10 && memcmp(answer + n - 10, "\212\01000199999", 10) == 0, "and the last one");
	ok(n < sizeof(answer) / 2, "but not all of them");
	(void)close(conn[0]);
	(void)close(plain[0]);
	(void)waitpid(pump, NULL, 0);
}

int main(void)
{
	accepts();
	frames();
	pings();
	return done_testing();
}
