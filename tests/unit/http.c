/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's requests: how long their headers may take, and what is in them. */
#include "http.h"
#include "tap.h"

#include "auto.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a client gets that has sent this and waits, where headers may take so long. */
static int next_of(const char *said, int64_t ms, char *heard, size_t n)
{
	auto_http_request struct http_request r = {0};
	struct http *h = NULL;
	struct err e;
	ssize_t got;
	int pair[2], result;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -2;
	h = http_open(pair[1]);
	http_header_wait(h, ms);
	(void)!write(pair[0], said, strlen(said));
	result = http_next(h, &r, &e);
	http_close(h); /* and with it the connection */
	got = read(pair[0], heard, n - 1);
	heard[got > 0 ? got : 0] = '\0';
	(void)close(pair[0]);
	return result;
}

static void takes_too_long(void)
{
	char heard[1000];

	is_int(next_of("GET /x HTTP/1.1\r\nHost: ", 1, heard, sizeof(heard)), -1,
		"headers which do not come are not waited for");
	ok(strncmp(heard, "HTTP/1.1 408 ", 13) == 0, "and the client is told so");
	ok(strstr(heard, "\r\nConnection: close\r\n") != NULL, "on a connection that ends with it");
	is_int(next_of("G", 1, heard, sizeof(heard)), -1, "not even after one byte");
	is_int(next_of("GET /x HTTP/1.1\r\nHost: x\r\n\r\n", 1, heard, sizeof(heard)), 1,
		"those which came at once were in time");
}

static void splits(void)
{
	auto_http_request struct http_request r = {0};
	struct err e;
	int pair[2];
	static const char said[] =
		"POST /a%20b?x=1%262&y&z=%2Fp+q HTTP/1.1\r\nHost: h\r\nX-Y: v\r\nContent-Length: 3\r\n\r\nabcGET ";
	struct http *h = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0
	                         ? NULL
	                         : http_open(pair[1]);
	char body[10] = "";

	(void)!write(pair[0], said, sizeof(said) - 1);
	is_int(http_next(h, &r, &e), 1, "a request is read");
	is_str(r.path, "/a b", "its path is decoded");
	is_str(http_query(&r, "x"), "1&2", "so are its queries");
	is_str(http_query(&r, "z"), "/p q", "where + is a blank");
	ok(http_query_bool(&r, "nosuch") == false, "one that is absent is false");
	is_str(http_header(&r, "x-y"), "v", "headers have their names in lower case");
	is_int((int)http_read(h, body, sizeof(body), &e), 3, "the body ends where it was said to");
	is_str(body, "abc", "and is what was sent");
	http_close(h);
	(void)close(pair[0]);
}

/* What a request is was said before its body. */
static void trailers(void)
{
	auto_http_request struct http_request r = {0};
	struct err e;
	int pair[2];
	static const char said[] = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
				   "3\r\nabc\r\n0\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n";
	struct http *h = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0
	                         ? NULL
	                         : http_open(pair[1]);
	char body[10] = "";

	(void)!write(pair[0], said, sizeof(said) - 1);
	is_int(http_next(h, &r, &e), 1, "a request in chunks is read");
	is_int(http_read(h, body, sizeof(body), &e), 3, "its body");
	is_int(http_read(h, body, sizeof(body), &e), 0, "and the end of that");
	ok(!http_header(&r, "x-a") && !http_header(&r, "x-b") && !http_header(&r, "x-c"),
		"what stands behind it is no header");
	(void)shutdown(pair[0], SHUT_WR); /* or its end would be waited for */
	http_close(h);
	(void)close(pair[0]);
}

int main(void)
{
	takes_too_long();
	splits();
	trailers();
	return done_testing();
}
