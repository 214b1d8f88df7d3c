/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: the server side of one HTTP/1.1 connection, in a process of its own.
 *
 * Reads and writes block; to notice that the client has gone while nothing is written, call
 * http_die_with_client(). Requests are parsed by http-parser, with limits: HTTP_HEADER_MAX bytes of headers, a minute for
 * them to come. Bodies are read in pieces, or as a whole up to a limit.
 *
 *	auto_http struct http *h = http_open(fd);
 *	while (http_next(h, &r, &e) > 0)
 *		answer: http_reply(), or http_begin(), http_write()..., http_end(), or http_hijack()
 *
 * http-parser (Debian's libhttp-parser-dev) is a state machine of 57 kB without input or output of its own, which stops behind
 * the headers and behind the body, so what follows an upgrade is simply not given to it. libmicrohttpd brings its own loops
 * and threads, answers an upgrade only by `101` (docker's older clients want a `200` that is no HTTP any more), and its
 * static archive needs GnuTLS and all below that, of which p11-kit has no static one. llhttp, http-parser's successor, is no
 * library in Debian 12.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <stdint.h>
#include <sys/types.h>

#define HTTP_HEADER_MAX (64u << 10)
#define HTTP_JSON_MAX   (8u << 20)

struct http_request {
	char method[16];
	char *path;          /* decoded, without the query */
	struct strv query;   /* K=V, decoded */
	char *asked;         /* the query as it came, with its question mark, or "" */
	struct strv headers; /* name=value, names in lower case */
	bool upgrade;        /* Connection: Upgrade */
	bool has_body;
	bool form; /* its body was read into the query */
};

void http_request_done(struct http_request *r);
#define auto_http_request __attribute__((cleanup(http_request_done)))
/* NULL: it is not there. */
const char *http_query(const struct http_request *r, const char *key);
const char *http_header(const struct http_request *r, const char *name); /* name: in lower case */
/* A boolean query as docker's daemon reads it: false if absent, "", 0, no, false or none. */
bool http_query_bool(const struct http_request *r, const char *key);

struct http;
struct http *http_open(int fd); /* takes fd over */
void http_close(struct http *h);
/* Sets how long the headers of a request may take from their first byte on; a minute by default. */
void http_header_wait(struct http *h, int64_t ms);
static inline void auto_http_(struct http **h)
{
	http_close(*h);
}
#define auto_http __attribute__((cleanup(auto_http_)))

/* Reads the next request, skipping what is left of the previous one's body; r is emptied first. 1: a request; 0: there is no more,
 * as the client is gone or the last answer ended the connection; -1: not HTTP, which was answered already. */
int http_next(struct http *h, struct http_request *r, struct err *e);
/* Reads up to n bytes of the body; 0: its end; -1: the client is gone. */
ssize_t http_read(struct http *h, void *to, size_t n, struct err *e);
/* The whole body as JSON, if Content-Type says so; no body, or null, gives an empty object. ERR_USAGE in docker's
 * words. */
json_t *http_read_json(struct http *h, struct err *e);

/* Takes the body, if it is a form, into the query, where it counts before what the URL says. */
int http_read_form(struct http *h, struct err *e);

/* Adds a header line to the next answer. */
void http_set(struct http *h, const char *name, const char *value);
/* Sends a whole answer. A failed write shows at http_next(). */
void http_reply(struct http *h, int status, const char *type, const void *body, size_t n);
/* Sends JSON with a newline behind it, as docker does; takes the value over. */
void http_reply_json(struct http *h, int status, json_t *value);
/* {"message": text} */
void http_reply_error(struct http *h, int status, const char *text);
bool http_replied(const struct http *h); /* whether an answer to the last request has begun */

/* An answer of unknown length, in chunks; each write is sent at once. -1: the client is gone. */
int http_begin(struct http *h, int status, const char *type);
int http_write(struct http *h, const void *bytes, size_t n);
/* Sends what comes out of a pipe until its end of file. */
int http_pass(struct http *h, int pipe);
int http_end(struct http *h);
/* Breaks a chunked answer off, so that the client sees that it is incomplete. */
void http_abort(struct http *h);
/* Makes the current answer the last one of the connection. */
void http_last(struct http *h);

/* The connection stops being HTTP: answers 101 if the client asked to upgrade, else 200 without a length. Returns the descriptor,
 * which is the caller's now; *early: what the client has already sent behind its request. */
int http_hijack(struct http *h, const char *type, struct buf *early);

/* The same for a protocol that the request named: answers 101, with the headers that were set. */
int http_switch(struct http *h, const char *protocol, struct buf *early);

/* From now on this process ends when the client hangs up. */
void http_die_with_client(struct http *h);
int http_fd(const struct http *h);
/* After an answer: whether nothing has been read yet of what the client says next. Ends http_die_with_client(). */
bool http_rests(struct http *h);
