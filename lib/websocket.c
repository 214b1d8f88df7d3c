/* SPDX-License-Identifier: Apache-2.0 */
#include "websocket.h"

#include "base64.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define GUID  "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define CHUNK 16384
#define FULL  65536

enum { OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10, OP_CONTROL = 8 };

/* ---- SHA-1, which the handshake asks for and nothing else here ------------------------- */

static uint32_t left(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}

static void sha1_block(uint32_t h[5], const unsigned char *p)
{
	static const uint32_t add[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	uint32_t w[80], v[5];

	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (size_t i = 16; i < 80; i++)
		w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(v, h, sizeof(v));
	for (size_t i = 0; i < 80; i++) {
		uint32_t f = i < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
		             : i < 40 ? v[1] ^ v[2] ^ v[3]
		             : i < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
		                      : v[1] ^ v[2] ^ v[3];
		uint32_t next = left(v[0], 5) + f + v[4] + add[i / 20] + w[i];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = left(v[1], 30);
		v[1] = v[0];
		v[0] = next;
	}
	for (size_t i = 0; i < 5; i++)
		h[i] += v[i];
}

/* Of what fits into a few blocks. */
static void sha1(const char *text, size_t n, unsigned char out[20])
{
	uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	unsigned char block[64];
	uint64_t bits = (uint64_t)n * 8;
	bool marked = false, last = false;

	while (!last) {
		size_t some = n < 64 ? n : 64;

		memset(block, 0, sizeof(block));
		memcpy(block, text, some);
		text += some;
		n -= some;
		if (some < 64 && !marked) {
			block[some] = 0x80;
			marked = true;
		}
		last = some < 56 && marked;
		for (int i = 0; last && i < 8; i++)
			block[56 + i] = (unsigned char)(bits >> (56 - 8 * i));
		sha1_block(h, block);
	}
	for (int i = 0; i < 20; i++)
		out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void websocket_accept(const char *key, char out[WEBSOCKET_ACCEPT])
{
	auto_free char *text = xasprintf("%.200s" GUID, key);
	auto_buf struct buf b = {0};
	unsigned char digest[20];

	sha1(text, strlen(text), digest);
	base64_add(&b, digest, sizeof(digest));
	(void)snprintf(out, WEBSOCKET_ACCEPT, "%s", b.s);
}

/* ---- frames --------------------------------------------------------------------------- */

struct pump {
	int conn, plain;
	bool hears, speaks; /* the client may still send; it may still be sent to */
	struct buf in;      /* bytes from the client that are not parsed yet */
	struct buf to_plain, to_client;
	uint64_t left; /* bytes left of the current frame */
	unsigned char mask[4];
	size_t masked;  /* bytes since its mask began */
	char pong[125]; /* the answer to the last ping, for which there was no room */
	size_t n_pong;
	bool owes_pong;
};

static void add_frame(struct buf *to, int op, const char *data, size_t n)
{
	char head[4] = {(char)(0x80 | op), (char)(n < 126 ? n : 126), (char)(n >> 8), (char)n};

	buf_add(to, head, n < 126 ? 2 : 4); /* n is below 64 KiB */
	buf_add(to, data, n);
}

static void drop(struct buf *b, size_t n)
{
	b->len -= n;
	memmove(b->s, b->s + n, b->len);
}

static void end_input(struct pump *p)
{
	p->hears = false;
	p->in.len = 0;
}

static void answer_ping(struct pump *p)
{
	if (!p->owes_pong || p->to_client.len >= FULL)
		return;
	add_frame(&p->to_client, OP_PONG, p->pong, p->n_pong);
	p->owes_pong = false;
}

static void on_control(struct pump *p, int op, const char *data, size_t n)
{
	if (op == OP_PING) { /* of many, the last one needs an answer: a client that does not read gets no more */
		memcpy(p->pong, data, n);
		p->n_pong = n;
		p->owes_pong = true;
		answer_ping(p);
	}
	if (op != OP_CLOSE)
		return;
	p->owes_pong = false;
	add_frame(&p->to_client, OP_CLOSE, data, n);
	end_input(p);
}

static void unmask(struct pump *p, char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[i] = (char)(data[i] ^ p->mask[p->masked++ % 4]);
}

/* Parses the head of the next frame, or the whole frame if it is a control frame. False: it is not complete yet. */
static bool take_head(struct pump *p)
{
	const unsigned char *b = (const unsigned char *)p->in.s;
	size_t head, size = p->in.len < 2 ? 0 : b[1] & 127U;
	char data[125];
	int op;

	head = size == 126 ? 8 : size == 127 ? 14 : 6;
	if (p->in.len < 2)
		return false;
	op = b[0] & 15;
	/* A client must mask; a frame with reserved bits, or too long a control frame, ends the connection. */
	if (!(b[1] & 0x80) || b[0] & 0x70 || (op >= OP_CONTROL && size > sizeof(data))) {
		on_control(p, OP_CLOSE, "\3\352", 2); /* 1002: protocol error */
		return false;
	}
	if (p->in.len < head + (op >= OP_CONTROL ? size : 0))
		return false;
	p->left = size < 126 ? size : 0;
	for (size_t i = 2; i < head - 4; i++)
		p->left = p->left << 8 | b[i];
	memcpy(p->mask, b + head - 4, 4);
	p->masked = 0;
	drop(&p->in, head);
	if (op < OP_CONTROL)
		return true;
	memcpy(data, p->in.s, size);
	unmask(p, data, size);
	drop(&p->in, size);
	p->left = 0;
	on_control(p, op, data, size);
	return true;
}

static void take_frames(struct pump *p)
{
	while (p->hears) {
		size_t n;

		if (p->left == 0 && !take_head(p))
			return;
		if (p->left > 0 && p->in.len == 0)
			return;
		n = p->left < p->in.len ? (size_t)p->left : p->in.len;
		if (n == 0)
			continue;
		unmask(p, p->in.s, n);
		buf_add(&p->to_plain, p->in.s, n);
		drop(&p->in, n);
		p->left -= n;
	}
}

/* ---- moving --------------------------------------------------------------------------- */

/* Writes as much as fits now; false: the other side is gone. */
static bool flush(int fd, struct buf *b)
{
	ssize_t n = b->len ? send(fd, b->s, b->len, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

	if (n > 0)
		drop(b, (size_t)n);
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

/* Bytes, 0 at the end, -1: nothing now. */
static ssize_t receive(int fd, char *data, size_t size)
{
	ssize_t n = recv(fd, data, size, MSG_DONTWAIT);

	return n < 0 && errno != EAGAIN && errno != EINTR ? 0 : n;
}

static void from_client(struct pump *p)
{
	char data[CHUNK];
	ssize_t n = receive(p->conn, data, sizeof(data));

	if (n > 0)
		buf_add(&p->in, data, (size_t)n);
	else if (n == 0)
		end_input(p);
	take_frames(p);
}

static void from_plain(struct pump *p)
{
	char data[CHUNK];
	ssize_t n = receive(p->plain, data, sizeof(data));

	if (n > 0)
		add_frame(&p->to_client, OP_BINARY, data, (size_t)n);
	if (n != 0)
		return;
	if (p->hears)
		add_frame(&p->to_client, OP_CLOSE, "\3\350", 2); /* 1000: normal closure */
	p->owes_pong = false;
	p->speaks = false;
}

static bool step(struct pump *p)
{
	struct pollfd fds[2] = {{.fd = p->conn}, {.fd = p->plain}};

	if (p->hears && p->to_plain.len < FULL)
		fds[0].events |= POLLIN;
	if (p->to_client.len)
		fds[0].events |= POLLOUT;
	if (p->speaks && p->to_client.len < FULL)
		fds[1].events |= POLLIN;
	if (p->to_plain.len)
		fds[1].events |= POLLOUT;
	if (!fds[1].events)
		fds[1].fd = -1; /* its end is known */
	if (poll(fds, 2, -1) < 0)
		return errno == EINTR;
	if (fds[0].revents & (POLLHUP | POLLERR) && !(fds[0].revents & POLLIN))
		return false;
	if (fds[0].revents & POLLIN)
		from_client(p);
	if (fds[1].revents & (POLLIN | POLLHUP | POLLERR) && p->speaks)
		from_plain(p);
	if (!flush(p->plain, &p->to_plain))
		p->to_plain.len = 0; /* the program does not read any more */
	if (!flush(p->conn, &p->to_client))
		return false;
	answer_ping(p);
	return true;
}

void websocket_pump(int conn, const struct buf *early, int plain)
{
	struct pump p = {.conn = conn, .plain = plain, .hears = true, .speaks = true};
	bool heard = true;

	buf_add(&p.in, early->s, early->len);
	take_frames(&p);
	while (p.speaks || p.to_client.len) {
		if (!p.hears && heard && p.to_plain.len == 0) {
			(void)shutdown(plain, SHUT_WR); /* the program may be gone */
			heard = false;
		}
		if (!step(&p))
			break;
	}
	(void)shutdown(conn, SHUT_RDWR); /* likewise */
	buf_done(&p.in);
	buf_done(&p.to_plain);
	buf_done(&p.to_client);
}
