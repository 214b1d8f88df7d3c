/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's requests: how long their headers may take, and what is in them. */
#include "http.h"
#include "tap.h"

#include "auto.h"
#include "sys.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
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
				   "3\r\nabc\r\n0\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n"
				   "GET /next HTTP/1.1\r\nX-Y: v\r\n\r\n";
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
	http_reply(h, 200, NULL, NULL, 0);
	is_int(http_next(h, &r, &e), 1, "the next one is read");
	is_str(http_header(&r, "x-y"), "v", "with its own headers");
	(void)shutdown(pair[0], SHUT_WR); /* or its end would be waited for */
	http_close(h);
	(void)close(pair[0]);
}

/* What a client gets for all of its requests: how many are taken, each read to its end, and what it hears. */
static int taken(const char *said, size_t size, char *heard, size_t n)
{
	auto_http_request struct http_request r = {0};
	struct http *h = NULL;
	struct err e;
	size_t got = 0;
	int pair[2], count = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	h = http_open(pair[1]);
	if (fork() == 0) { /* more than a socket holds */
		(void)close(pair[1]);
		(void)sys_write_all(pair[0], said, size);
		(void)shutdown(pair[0], SHUT_WR);
		_exit(0);
	}
	while (http_next(h, &r, &e) > 0) {
		json_t *body = str_eq(r.path, "/unread") ? NULL : http_read_json(h, &e);

		count++;
		if (body || str_eq(r.path, "/unread"))
			http_reply(h, 200, NULL, r.path, strlen(r.path));
		else
			http_reply_error(h, 400, e.text);
		json_decref(body);
	}
	http_close(h);
	for (ssize_t more; (more = read(pair[0], heard + got, n - 1 - got)) > 0;)
		got += (size_t)more;
	heard[got] = '\0';
	(void)close(pair[0]);
	(void)wait(NULL);
	return count;
}

#define NEXT "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"

/* Where the next request begins is known, or there is none. */
static void one_after_another(void)
{
	static const struct {
		const char *said, *why;
		int requests;
		const char *last; /* the status of the last answer */
	} rows[] = {
		{"GET / HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "two", 2, "200"},
		{"GET / HTTP/1.0\r\n\r\n" NEXT, "after one of HTTP/1.0 there is none", 1, "200"},
		{"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" NEXT,
			"nor after one that says it is the last", 1, "200"},
		{"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: " /* of NEXT */
		 "31\r\n\r\n" NEXT NEXT,
			"a body that nobody read is no request", 2, "200"},
		{"POST /unread HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1f\r\n" NEXT
		 "\r\n0\r\n\r\n" NEXT,
			"nor is one in chunks", 2, "200"},
		{"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\n" NEXT,
			"nor what there is of one that is not whole", 1, "200"},
		{"POST /unread HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" NEXT,
			"a chunk that none is, is the last of a connection", 1, "200"},
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" NEXT,
			"and an error to who reads it", 1, "400"},
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "fffffffffffffffff\r\n" NEXT,
			"so is one that is too long for a number", 1, "400"},
		{"GET / HTTP/1.1\r\nA\r\n\r\n" NEXT, "what is no HTTP is the last", 0, "400"},
		{"GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "a zero byte in a path", 0, "400"},
		{"GET /% HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "a % with nothing behind it", 0, "400"},
		{"GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "half of a number", 0, "400"},
		{"GET /%4g HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "what is no number", 0, "400"},
		{"GET /%g4 HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "likewise", 0, "400"},
		{"GET /?a=%00 HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "a zero byte in a query", 0, "400"},
		{"GET /?a=b&c=%4 HTTP/1.1\r\nHost: h\r\n\r\n" NEXT, "half of a number in it", 0, "400"},
	};
	char heard[4000], status[32];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *last = NULL;

		is_int(taken(rows[i].said, strlen(rows[i].said), heard, sizeof(heard)),
			rows[i].requests, rows[i].why);
		for (const char *at = heard; (at = strstr(at, "HTTP/1.1 ")) != NULL; at++)
			last = at;
		(void)snprintf(status, sizeof(status), "%.3s", last ? last + 9 : "");
		is_str(status, rows[i].last, "with its answer");
	}
}

/* As many bytes between the two, of `filler` again and again, and another request behind. */
static int with_much(const char *before, const char *filler, size_t n, const char *after,
	char *heard, size_t size)
{
	auto_buf struct buf said = {0};
	size_t each = strlen(filler);

	buf_puts(&said, before);
	for (size_t i = 0; i < n; i += each)
		buf_add(&said, filler, n - i < each ? n - i : each);
	buf_puts(&said, after);
	buf_puts(&said, NEXT);
	return taken(said.s, said.len, heard, size);
}

static int with_body(const char *path, const char *filler, size_t n, char *heard, size_t size)
{
	auto_free char *head = xasprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
					 "Content-Length: %zu\r\n\r\n",
		path, n);

	return with_much(head, filler, n, "", heard, size);
}

static void limits(void)
{
	static const char get[] = "GET / HTTP/1.1\r\nHost: h\r\nA: b";
	char heard[4000];

	is_int(with_much(get, " ", HTTP_HEADER_MAX - 1000, "b\r\n\r\n", heard, sizeof(heard)), 2,
		"long headers are taken");
	is_int(with_much(get, " ", HTTP_HEADER_MAX, "b\r\n\r\n", heard, sizeof(heard)), 0,
		"those that are too long are not");
	ok(strncmp(heard, "HTTP/1.1 431 ", 13) == 0 && !strstr(heard, "200 OK"), "and are the last");
	is_int(with_body("/", " ", HTTP_JSON_MAX, heard, sizeof(heard)), 2, "a long body is taken");
	is_int(with_body("/", " ", HTTP_JSON_MAX + 1, heard, sizeof(heard)), 1,
		"one that is too long is the last");
	ok(strstr(heard, "request body too large") != NULL, "and is told so");
	is_int(with_body("/unread", NEXT, HTTP_JSON_MAX / 2, heard, sizeof(heard)), 2,
		"one that nobody wants is passed over");
	is_int(with_body("/unread", "\r\n", HTTP_JSON_MAX + 16384, heard, sizeof(heard)), 1,
		"but not for ever");
}

/* A page in a browser can send other types to any address. */
static void types(void)
{
	static const struct {
		const char *type, *body, *answer;
	} rows[] = {
		{"application/json", "{}", "200"},
		{"Application/JSON; charset=utf-8", "{}", "200"},
		{"application/json;", "{}", "200"},
		{"text/plain", "{}", "400"},
		{"application/jso", "{}", "400"},
		{"application/jsonp", "{}", "400"},
		{"application/x-www-form-urlencoded", "{}", "400"},
		{"text/plain;application/json", "{}", "400"},
		{"", "{}", "400"},
		{"text/plain", "", "200"},
		{"application/json", "{", "400"},
		{"application/json", "{\"a\":\"\\u0000\"}", "400"},
	};
	char heard[4000], status[4];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_free char *said =
			xasprintf("POST / HTTP/1.1\r\nHost: h\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
				*rows[i].type ? "Content-Type: " : "", rows[i].type,
				*rows[i].type ? "\r\n" : "", strlen(rows[i].body), rows[i].body);

		is_int(taken(said, strlen(said), heard, sizeof(heard)), 1, rows[i].type);
		(void)snprintf(status, sizeof(status), "%.3s", heard + strlen("HTTP/1.1 "));
		is_str(status, rows[i].answer, rows[i].body);
	}
	ok(strstr(heard, "\\\\u0000") != NULL, "a zero byte is named");
}

static void nobody_waits_for_word(void)
{
	static const char said[] = "POST /unread HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
				   "Content-Length: 3\r\n\r\nabc" NEXT;
	char heard[4000];

	is_int(taken(said, sizeof(said) - 1, heard, sizeof(heard)), 1,
		"a body that waits for a word is the last of a connection");
	ok(!strstr(heard, "100 Continue"), "is not asked for after the answer");
}

int main(void)
{
	takes_too_long();
	splits();
	trailers();
	one_after_another();
	limits();
	types();
	nobody_waits_for_word();
	return done_testing();
}
