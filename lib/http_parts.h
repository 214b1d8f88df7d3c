/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_parts: what the files of http share: reading requests (http.c), what is in one (http_request.c), answers
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
	size_t at, end;      /* what of `in` the parser has not seen */
	size_t header_bytes; /* of this request, so far */
	int64_t header_wait_ms;
	struct http_request *r;
	struct buf url, name, value, body; /* body: decoded, not yet read */
	bool in_value, headers_done, done, began;
	bool replied, chunked, in_answer, close, hijacked, no_body, expect;
	struct strv extra; /* header lines of the next answer */
};

/* "/a/b?x=1&y": path and query of the request. */
bool http_split_url(struct http_request *r, const char *url);
/* Before a connection stops being HTTP: what the request still has of a body is not what follows. */
void http_drop_body(struct http *h);
