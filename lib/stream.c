/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "auto.h"
#include "ctl.h"
#include "relay.h"
#include "sys.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define INPUT_MAX  65536
#define OUTPUT_MAX 16384
#define UNREAD_MS  32 /* at most: first 1, then twice as long each time */
#define LINGER_MS  1000
#define DRAINED    256 /* frames at most: the program may go on for ever */

/* One connection while its bytes are moved. */
struct move {
	struct stream *s;
	bool reads, writes; /* what the connection still can */
	struct buf out;     /* frames which it did not take yet */
	size_t sent;        /* of them */
	int unread_ms;      /* how long was waited for the head to be read */
};

void stream_done(struct stream *s)
{
	auto_close_(&s->conn);
	s->conn = -1;
	buf_done(&s->input);
}

void stream_header(char to[8], int stream, size_t n)
{
	to[0] = (char)stream;
	to[1] = to[2] = to[3] = 0;
	for (int i = 0; i < 4; i++)
		to[4 + i] = (char)(n >> (24 - 8 * i));
}

static void add_frame(struct buf *b, bool framed, int stream, const char *data, size_t n)
{
	char header[8];

	stream_header(header, stream, n);
	if (framed)
		buf_add(b, header, sizeof(header));
	buf_add(b, data, n);
}

/* Whether the client has not read everything yet: a unix socket counts unread bytes as the sender's. */
static bool unread(struct stream *s)
{
	int n = 0;

	if (!s->heard)
		s->heard = ioctl(s->conn, SIOCOUTQ, &n) < 0 || n == 0;
	return !s->heard;
}

static int longer(int ms)
{
	return ms == 0 ? 1 : ms < UNREAD_MS ? 2 * ms : UNREAD_MS;
}

/* Waits for that. No descriptor wakes us for it, but a client which has asked reads at once. */
static void wait_heard(struct stream *s)
{
	struct pollfd p = {.fd = s->conn};
	int ms = 0;

	while (unread(s) && poll(&p, 1, ms = longer(ms)) == 0)
		;
	s->heard = true;
}

/* What the connection takes now, or (wait) all. */
static void flush(struct move *m, bool wait)
{
	if (wait && m->writes && m->out.len)
		wait_heard(m->s);
	else if (m->out.len && unread(m->s))
		return;
	while (m->writes && m->sent < m->out.len) {
		ssize_t n = send(m->s->conn, m->out.s + m->sent, m->out.len - m->sent,
			MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			m->writes = false; /* the client is gone: the program goes on */
		else
			m->sent += (size_t)n;
	}
	m->out.len = m->sent = 0;
}

static void put(struct move *m, int stream, const char *data, size_t n)
{
	if (!m->writes || n == 0)
		return;
	add_frame(&m->out, m->s->framed, stream, data, n);
	flush(m, false);
}

void stream_say(struct stream *s, int stream, const char *bytes, size_t n)
{
	auto_buf struct buf b = {0};
	struct move m = {.s = s, .writes = true};

	add_frame(&b, s->framed, stream, bytes, n);
	m.out = b;
	flush(&m, true);
	b = m.out;
}

static bool room(const struct move *m)
{
	return m->s->input.len < INPUT_MAX;
}

/* Input of the client's, less the keys that take it off: then it sees the end of the stream. */
static void add_input(struct move *m, const char *data, size_t n)
{
	struct buf *b = &m->s->input;
	size_t passed;

	buf_room(b, n + DETACH_KEYS_MAX);
	m->s->detached = detach_pass(&m->s->detach, data, n, b->s + b->len, &passed);
	b->len += passed;
	if (!m->s->detached)
		return;
	m->reads = m->writes = false;
	m->out.len = m->sent = 0;
	(void)shutdown(m->s->conn, SHUT_RDWR); /* the client may be gone */
	if (m->s->on_detach)
		m->s->on_detach(m->s->on_detach_arg);
}

static void take_input(struct move *m)
{
	char data[16384];
	ssize_t n = recv(m->s->conn, data, sizeof(data), MSG_DONTWAIT);

	if (n > 0) {
		if (m->s->in)
			add_input(m, data, (size_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		m->reads = false;
	}
}

/* Scans the input that came with the request for the detach keys. */
static void first_input(struct move *m)
{
	auto_buf struct buf first = m->s->input;

	m->s->input = (struct buf){0};
	if (m->s->in && first.len)
		add_input(m, first.s, first.len);
}

static void drop_input(struct buf *b, size_t n)
{
	b->len -= n;
	memmove(b->s, b->s + n, b->len);
}

/* The connection's own places in a poll: input and hang-up, room for output. */
static struct pollfd poll_conn(const struct move *m)
{
	/* Input for which there is no room is no reason to wake; a half-closed client only hangs up. */
	bool asleep = m->reads ? !room(m) && !m->out.len : !m->writes;
	struct pollfd p = {.fd = asleep ? -1 : m->s->conn};

	if (m->reads && room(m))
		p.events |= POLLIN;
	if (m->out.len && m->s->heard)
		p.events |= POLLOUT;
	return p;
}

/* How long to poll. */
static int patience(struct move *m)
{
	if (!m->out.len || m->s->heard)
		return -1;
	return m->unread_ms = longer(m->unread_ms);
}

static void on_conn(struct move *m, short got)
{
	if (got & POLLOUT || !m->s->heard)
		flush(m, false);
	if (m->reads && room(m) && got & (POLLIN | POLLHUP | POLLERR))
		take_input(m);
	else if (!m->reads && got & (POLLHUP | POLLERR))
		m->writes = false;
	if (!m->writes)
		m->out.len = m->sent = 0;
}

/* ---- an exec -------------------------------------------------------------------------- */

static void feed(struct exec_io *io, struct buf *input, bool ended)
{
	int *to = io->pty >= 0 ? &io->pty : &io->in;

	while (*to >= 0 && input->len > 0) {
		ssize_t n = write(*to, input->s, input->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			input->len = 0; /* the program does not read any more */
			break;
		}
		drop_input(input, (size_t)n);
	}
	if (*to < 0)
		input->len = 0;
	if (ended && input->len == 0)
		auto_close_(&io->in), io->in = -1; /* the command's end of file; a terminal has none */
}

/* Reads once; false when there is nothing (now, or for good: then *from is -1). */
static bool take_output(struct move *m, int *from, int stream)
{
	bool wanted = m->writes && (stream == STREAM_OUT ? m->s->out : m->s->err);
	size_t header = m->s->framed ? 8 : 0;
	ssize_t n;

	/* Straight behind its header: hundreds of these processes may hold a buffer at once. */
	buf_room(&m->out, header + OUTPUT_MAX);
	n = sys_read(*from, m->out.s + m->out.len + header, OUTPUT_MAX);
	if (n > 0) {
		if (wanted) {
			if (header)
				stream_header(m->out.s + m->out.len, stream, (size_t)n);
			m->out.len += header + (size_t)n;
			flush(m, false);
		}
		return true;
	}
	if (n == 0 || errno != EAGAIN) {
		(void)close(take_fd(from)); /* only read from */
	}
	return false;
}

static void on_resize(int fd, int pty)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		struct winsize w = {.ws_row = (unsigned short)((unsigned)info.ssi_int >> 16),
			.ws_col = (unsigned short)info.ssi_int};

		if (pty >= 0)
			(void)ioctl(pty, TIOCSWINSZ, &w); /* the terminal may be gone */
	}
}

enum { ON_CONN, ON_PID, ON_OUT, ON_ERR, ON_IN, ON_RESIZE, ON_ALL };

static void exec_poll(
	const struct move *m, const struct exec_io *io, int resize, bool ended, struct pollfd *p)
{
	bool full = m->out.len > 0;
	int out = io->pty >= 0 ? io->pty : io->out, in = io->pty >= 0 ? io->pty : io->in;

	p[ON_CONN] = poll_conn(m);
	p[ON_PID] = (struct pollfd){.fd = ended ? -1 : io->pidfd, .events = POLLIN};
	p[ON_OUT] = (struct pollfd){.fd = full ? -1 : out, .events = POLLIN};
	p[ON_ERR] = (struct pollfd){.fd = full ? -1 : io->err, .events = POLLIN};
	p[ON_IN] = (struct pollfd){.fd = m->s->input.len ? in : -1, .events = POLLOUT};
	p[ON_RESIZE] = (struct pollfd){.fd = resize, .events = POLLIN};
}

/* Sends what is there by now; what a child that was left behind writes later is discarded. */
static void drain(struct move *m, int *from, int stream)
{
	int there = 0, n = 0;

	if (*from >= 0)
		(void)ioctl(*from, FIONREAD, &there); /* a terminal's end comes behind what it holds */
	do {
		flush(m, true);
	} while (*from >= 0 && n++ <= there / OUTPUT_MAX + 1 && take_output(m, from, stream));
}

/* The command has ended. Whether something may still be written that somebody waits for. */
static bool awaits_output(const struct move *m, int out, int err, int64_t until)
{
	return m->writes && ((m->s->out && out >= 0) || (m->s->err && err >= 0)) && sys_now_ns() < until;
}

/* The time for poll(). until: the command has ended, and that is how long its streams are read; 0: it runs. */
static int exec_patience(struct move *m, int64_t until)
{
	int ms = patience(m);
	int64_t left = until - sys_now_ns();
	int rest = left > 0 ? (int)(left / 1000000 + 1) : 0;

	return until && (ms < 0 || rest < ms) ? rest : ms;
}

/* Closing a socket with unread input would reset the connection, and the client could lose output: so reads for a
 * moment, until the client has seen our end. */
static void linger(struct stream *s)
{
	struct pollfd p = {.fd = s->conn, .events = POLLIN};
	int64_t until = sys_now_ns() + LINGER_MS * 1000000LL;
	char data[16384];

	(void)shutdown(s->conn, SHUT_WR); /* the client may be gone */
	while (s->in && sys_now_ns() < until && poll(&p, 1, LINGER_MS) > 0)
		if (recv(s->conn, data, sizeof(data), MSG_DONTWAIT) <= 0)
			break;
}

void stream_exec(struct stream *s, struct exec_io *io, int resize, void (*ended)(void *arg), void *arg)
{
	struct move m = {.s = s, .reads = true, .writes = true};
	int *out = io->pty >= 0 ? &io->pty : &io->out;
	struct pollfd p[ON_ALL];
	int64_t until = 0;

	first_input(&m);
	feed(io, &s->input, false);
	while (!until || awaits_output(&m, *out, io->err, until)) {
		exec_poll(&m, io, resize, until, p);
		if (poll(p, ON_ALL, exec_patience(&m, until)) < 0 && errno != EINTR)
			break;
		on_conn(&m, p[ON_CONN].revents);
		if (p[ON_RESIZE].revents)
			on_resize(resize, io->pty);
		if (p[ON_OUT].revents)
			(void)take_output(&m, out, STREAM_OUT);
		if (p[ON_ERR].revents)
			(void)take_output(&m, &io->err, STREAM_ERR);
		if (s->input.len || !m.reads)
			feed(io, &s->input, !m.reads && !s->detached);
		if (p[ON_PID].revents) {
			ended(arg); /* at once, for who inspects it */
			until = sys_now_ns() + RELAY_LATE_NS;
		}
	}
	if (!until)
		ended(arg);
	drain(&m, out, STREAM_OUT);
	drain(&m, &io->err, STREAM_ERR);
	linger(s);
	buf_done(&m.out);
}

/* ---- a container ---------------------------------------------------------------------- */

/* False: the supervisor has ended. */
static bool hear(struct move *m, int ctl, struct ctl_frame *f)
{
	ssize_t n = ctl_recv(ctl, f);

	if (n < 0 || f->kind == CTL_EXIT)
		return false;
	if (f->kind == CTL_OUT)
		put(m, STREAM_OUT, f->data, (size_t)n);
	else if (f->kind == CTL_ERR)
		put(m, STREAM_ERR, f->data, (size_t)n);
	return true;
}

/* Sends whole frames without blocking; false: the supervisor is gone. */
static bool pass_input(struct buf *input, int ctl)
{
	while (input->len > 0) {
		size_t n = input->len > CTL_DATA_MAX ? CTL_DATA_MAX : input->len;
		char kind = CTL_STDIN;
		struct iovec iov[2] = {{&kind, 1}, {input->s, n}};
		struct msghdr h = {.msg_iov = iov, .msg_iovlen = 2};

		if (sendmsg(ctl, &h, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			return errno == EAGAIN || errno == EINTR;
		drop_input(input, n);
	}
	return true;
}

/* Sends what has come already, which the client may have let wait. */
static void ctl_drain(struct move *m, int ctl, struct ctl_frame *f)
{
	struct pollfd p = {.fd = ctl, .events = POLLIN};

	flush(m, true);
	for (int i = 0; i < DRAINED && poll(&p, 1, 0) > 0 && p.revents & POLLIN && hear(m, ctl, f); i++)
		flush(m, true);
}

void stream_ctl(struct stream *s, int ctl)
{
	struct move m = {.s = s, .reads = true, .writes = true};
	auto_free struct ctl_frame *f = xcalloc(1, sizeof(*f));
	bool told_end = false;

	first_input(&m);
	for (;;) {
		struct pollfd p[2] = {poll_conn(&m), {.fd = ctl, .events = m.out.len ? 0 : POLLIN}};

		if (s->input.len)
			p[1].events |= POLLOUT;
		if (!p[1].events)
			p[1].fd = -1; /* its end of file comes behind its messages */
		if (poll(p, 2, patience(&m)) < 0 && errno != EINTR)
			break;
		on_conn(&m, p[0].revents);
		if (s->input.len && !pass_input(&s->input, ctl))
			s->input.len = 0; /* the supervisor does not read any more, but earlier messages are still to be read */
		if (!m.reads && !s->input.len && !told_end && !s->detached) {
			told_end = true;
			if (s->ends) {
				ctl_drain(&m, ctl, f);
				break;
			}
			if (s->in)
				(void)ctl_send(ctl, CTL_EOF, NULL, 0); /* heard of below */
		}
		if (!m.writes && !m.reads)
			break; /* no client is attached any more */
		if (p[1].revents & POLLIN && !hear(&m, ctl, f))
			break;
		if (!(p[1].revents & POLLIN) && p[1].revents & (POLLHUP | POLLERR) && !m.out.len)
			break;
	}
	flush(&m, true);
	linger(s);
	buf_done(&m.out);
}
