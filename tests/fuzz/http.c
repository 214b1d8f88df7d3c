/* SPDX-License-Identifier: Apache-2.0 */
/* What a client may send to `serve`: requests behind each other, their headers, queries and bodies. */
#include "fuzz.h"
#include "http.h"

#include <sys/socket.h>
#include <unistd.h>

/* As many as fit with their answers into what a socket holds. */
enum { BYTES_MAX = 65536, REQUESTS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_http_request struct http_request r = {0};
	auto_http struct http *h = NULL;
	auto_close int client = -1;
	struct err e = {0};
	int pair[2];

	if (size > BYTES_MAX)
		size = BYTES_MAX;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	client = pair[0];
	h = http_open(pair[1]);
	if (send(client, data, size, MSG_NOSIGNAL) != (ssize_t)size)
		return 0;
	(void)shutdown(client, SHUT_WR);
	for (int n = 0; n < REQUESTS_MAX && http_next(h, &r, &e) > 0; n++) {
		auto_buf struct buf early = {0};

		(void)http_query_bool(&r, "all");
		json_decref(http_read_json(h, &e));
		if (r.upgrade) {
			(void)close(http_hijack(h, "text/plain", &early)); /* only read from */
			break;
		}
		http_reply(h, 200, "text/plain", "OK", 2);
	}
	return 0;
}
