/* SPDX-License-Identifier: Apache-2.0 */
/* http_reply: answers: whole, in chunks, or a connection that stops being HTTP. */
#include "http_parts.h"

#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

static const char *reason(int status)
{
	switch (status) {
#define REASON(number, name, text) \
	case number:               \
		return #text;
		HTTP_STATUS_MAP(REASON)
#undef REASON
	default:
		return "Unknown";
	}
}

void http_set(struct http *h, const char *name, const char *value)
{
	strv_addf(&h->extra, "%s: %s", name, value);
}

/* Not strftime: the names are English in every locale, and there is no time zone to look up. */
static void add_date(struct buf *b)
{
	static const char days[] = "ThuFriSatSunMonTueWed";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	time_t now = time(NULL);
	long day = now / 86400, left = day, year = 1970, month = 0, second = now % 86400;

	for (;; year++) {
		bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		if (left < 365 + leap) {
			while (left >= lengths[month] + (leap && month == 1)) {
				left -= lengths[month] + (leap && month == 1);
				month++;
			}
			break;
		}
		left -= 365 + leap;
	}
	buf_printf(b, "Date: %.3s, %02ld %.3s %ld %02ld:%02ld:%02ld GMT\r\n", days + day % 7 * 3,
		left + 1, months + month * 3, year, second / 3600, second / 60 % 60, second % 60);
}

static void add_status(struct http *h, int status, const char *type, struct buf *b)
{
	buf_printf(b, "HTTP/1.1 %d %s\r\n", status, reason(status));
	for (size_t i = 0; i < h->extra.n; i++)
		buf_printf(b, "%s\r\n", h->extra.v[i]);
	if (type)
		buf_printf(b, "Content-Type: %s\r\n", type);
	add_date(b);
	if (h->close)
		buf_puts(b, "Connection: close\r\n");
	strv_done(&h->extra);
	h->replied = true;
}

static int send_all(struct http *h, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t done = send(h->fd, at, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			h->close = true;
			return -1;
		}
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

void http_reply(struct http *h, int status, const char *type, const void *body, size_t n)
{
	auto_buf struct buf b = {0};

	/* A body for which 100 Continue was not sent is not waited for. */
	if (h->expect)
		h->close = true;
	add_status(h, status, n ? type : NULL, &b);
	if (status != 204 && status != 304)
		buf_printf(&b, "Content-Length: %zu\r\n", n);
	buf_puts(&b, "\r\n");
	if (n && !h->no_body)
		buf_add(&b, body, n);
	(void)send_all(h, b.s, b.len); /* http_next() sees it */
}

void http_reply_json(struct http *h, int status, json_t *value)
{
	auto_free char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	auto_buf struct buf line = {0};

	json_go(text ? text : "null", false, &line);
	buf_putc(&line, '\n');
	json_decref(value);
	http_reply(h, status, "application/json", line.s, line.len);
}

void http_reply_error(struct http *h, int status, const char *text)
{
	json_t *j = json_object();

	(void)json_object_set_new(j, "message", json_text(text)); /* memory */
	http_reply_json(h, status, j);
}

bool http_replied(const struct http *h)
{
	return h->replied;
}

int http_begin(struct http *h, int status, const char *type)
{
	auto_buf struct buf b = {0};

	h->chunked = h->parser.http_major > 1 || h->parser.http_minor > 0;
	h->close = h->close || !h->chunked;
	h->in_answer = true;
	add_status(h, status, type, &b);
	if (h->chunked)
		buf_puts(&b, "Transfer-Encoding: chunked\r\n");
	buf_puts(&b, "\r\n");
	return send_all(h, b.s, b.len);
}

int http_write(struct http *h, const void *bytes, size_t n)
{
	auto_buf struct buf b = {0};

	if (n == 0 || h->no_body)
		return 0;
	if (!h->chunked)
		return send_all(h, bytes, n);
	buf_printf(&b, "%zx\r\n", n);
	buf_add(&b, bytes, n);
	buf_puts(&b, "\r\n");
	return send_all(h, b.s, b.len);
}

static ssize_t copy_some(struct http *h, int from, size_t n)
{
	char some[16384];
	ssize_t got = sys_read(from, some, n < sizeof(some) ? n : sizeof(some));

	if (got <= 0)
		return -1;
	return h->no_body || send_all(h, some, (size_t)got) == 0 ? got : -1;
}

/* Moves the pipe's content to the socket without copying, if the kernel can do that; else copies it. */
static int pass_bytes(struct http *h, int from, size_t n)
{
	while (n > 0) {
		ssize_t done = h->no_body ? copy_some(h, from, n) : sys_splice(from, h->fd, n);

		if (done < 0 && errno == EINVAL)
			done = copy_some(h, from, n);
		if (done <= 0) {
			h->close = true;
			return -1;
		}
		n -= (size_t)done;
	}
	return 0;
}

static int pass_chunk(struct http *h, int from, size_t n)
{
	bool framed = h->chunked && !h->no_body;
	auto_buf struct buf b = {0};

	buf_printf(&b, "%zx\r\n", n);
	if ((framed && send_all(h, b.s, b.len) < 0) || pass_bytes(h, from, n) < 0)
		return -1;
	return framed ? send_all(h, "\r\n", 2) : 0;
}

int http_pass(struct http *h, int pipe)
{
	for (;;) {
		struct pollfd p = {.fd = pipe, .events = POLLIN};
		int n = 0;

		if (poll(&p, 1, -1) < 0)
			continue; /* a signal */
		if (!(p.revents & POLLIN))
			return 0;
		if (ioctl(pipe, FIONREAD, &n) < 0 || pass_chunk(h, pipe, (size_t)n) < 0)
			return -1;
	}
}

int http_end(struct http *h)
{
	h->in_answer = false;
	return h->chunked && !h->no_body ? send_all(h, "0\r\n\r\n", 5) : 0;
}

void http_last(struct http *h)
{
	h->close = true;
}

void http_abort(struct http *h)
{
	h->in_answer = false;
	h->close = true; /* without the last chunk */
}

/* The head as begun in b is sent, and the connection is the caller's. */
static int hand_over(struct http *h, struct buf *b, struct buf *early)
{
	for (size_t i = 0; i < h->extra.n; i++)
		buf_printf(b, "%s\r\n", h->extra.v[i]);
	buf_puts(b, "\r\n");
	h->replied = h->hijacked = true;
	(void)send_all(h, b->s, b->len); /* the caller sees it soon enough */
	buf_add(early, h->in + h->at, h->end - h->at);
	h->at = h->end = 0;
	return take_fd(&h->fd);
}

int http_switch(struct http *h, const char *protocol, struct buf *early)
{
	auto_buf struct buf b = {0};

	if (!h->done)
		http_drop_body(h);
	buf_printf(&b, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: %s\r\nConnection: Upgrade\r\n",
		protocol);
	return hand_over(h, &b, early);
}

int http_hijack(struct http *h, const char *type, struct buf *early)
{
	/* as docker does: even if no "Connection: Upgrade" came with it */
	const bool upgrade = http_header(h->r, "upgrade") != NULL;
	auto_buf struct buf b = {0};

	if (!h->done)
		http_drop_body(h);
	/* docker's own order of headers; clients look for the first line and for the empty one. */
	buf_puts(&b, upgrade ? "HTTP/1.1 101 UPGRADED\r\n" : "HTTP/1.1 200 OK\r\n");
	buf_printf(&b, "Content-Type: %s\r\n", type);
	if (upgrade)
		buf_puts(&b, "Connection: Upgrade\r\nUpgrade: tcp\r\n");
	return hand_over(h, &b, early);
}
