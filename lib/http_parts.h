/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_parts: shared by the files of http: reading requests (http.c), their parts (http_request.c), answers
 * (http_reply.c). Nobody else includes this.
 */
#pragma once

#include "http.h"

#include <http_parser.h>

#define CHUNK 16384

struct http {
	int fd;
	http_parser parser;
	char in[CHUNK];
	size_t at, end;      /* the part of `in` that the parser has not seen yet */
	size_t header_bytes; /* of this request, so far */
	int64_t header_wait_ms;
	struct http_request *r;
	struct buf url, name, value, body; /* body: decoded, but not read by the caller yet */
	bool in_value, headers_done, done, began;
	bool replied, chunked, in_answer, close, hijacked, no_body, expect;
	bool dies;         /* see http_die_with_client() */
	struct strv extra; /* header lines of the next answer */
};

/* "/a/b?x=1&y": path and query of the request. */
bool http_split_url(struct http_request *r, const char *url);
/* Adds what stands in "x=1&y", decoded. False: it cannot be decoded. */
bool http_add_query(struct strv *query, const char *text);
/* Whether a Host header ("NAME:PORT") names a loopback address' machine: by an address, as localhost, or by `machine`, its own name. */
bool http_is_here(const char *host, const char *machine);
/* Skips the rest of the request's body, before the connection stops being HTTP. */
void http_drop_body(struct http *h);
