/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_io.h"

#include "eval_wire.h"
#include "fdmsg.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

int eval_io_open(struct eval_io *io, size_t keep, int std[3])
{
	int pair[2];

	*io = EVAL_IO_NONE;
	io->keep = keep;
	std[0] = std[1] = std[2] = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	io->channel = pair[0];
	std[0] = pair[1];
	(void)fcntl(io->channel, F_SETFL, O_NONBLOCK); /* of our end alone */
	for (int i = 0; i < 2; i++) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return -1;
		io->out[i] = pair[0];
		std[1 + i] = pair[1];
		(void)fcntl(io->out[i], F_SETFL, O_NONBLOCK); /* as above */
		/* The snippet may run as another user and reopen /dev/stdout; a pipe has no other name for it. */
		(void)fchmod(std[1 + i], 0666);
	}
	return 0;
}

void eval_io_done(struct eval_io *io)
{
	for (int i = 0; i < 2; i++) {
		auto_close_(&io->out[i]);
		io->out[i] = -1;
		buf_done(&io->text[i]);
	}
	auto_close_(&io->channel);
	auto_close_(&io->pid1);
	io->channel = io->pid1 = -1;
	buf_done(&io->to);
	buf_done(&io->from);
}

void eval_io_poll(const struct eval_io *io, struct pollfd p[EVAL_IO_FDS])
{
	p[0] = (struct pollfd){.fd = io->out[0], .events = POLLIN};
	p[1] = (struct pollfd){.fd = io->out[1], .events = POLLIN};
	p[2] = (struct pollfd){.fd = io->channel, .events = POLLIN};
	if (io->to.len > io->told)
		p[2].events |= POLLOUT;
}

/* Keeps at most `keep` bytes, however many come. False: there is nothing more now. */
static bool take_in(int *fd, struct buf *to, size_t keep, uint64_t *seen)
{
	char data[65536];
	ssize_t n = sys_read(*fd, data, sizeof(data));
	size_t room = to->len < keep ? keep - to->len : 0;

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			(void)close(take_fd(fd)); /* only read from, or done with it */
		return false;
	}
	*seen += (uint64_t)n;
	buf_add(to, data, (size_t)n < room ? (size_t)n : room);
	return true;
}

/* Nobody but pid 1 could send anything before. */
static bool take_pid1(struct eval_io *io)
{
	char byte;
	int n = 1;
	long got = fdmsg_recv(io->channel, &byte, 1, &io->pid1, &n, MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		return false;
	io->from_pid1 = false;
	if (got != 1 || n != 1)
		return got == 1;
	(void)fcntl(io->pid1, F_SETFL, O_NONBLOCK); /* as above */
	return true;
}

static bool take_channel(struct eval_io *io)
{
	uint64_t unused = 0;

	return io->from_pid1 ? take_pid1(io) : take_in(&io->channel, &io->from, EVAL_REPLY_MAX, &unused);
}

void eval_io_tell(struct eval_io *io)
{
	ssize_t n = send(io->channel, io->to.s + io->told, io->to.len - io->told,
		MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		io->told += (size_t)n;
	/* Nothing more to send, or the reader is gone; how it ended is found out elsewhere. */
	if (io->told == io->to.len || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		buf_done(&io->to);
		io->told = 0;
	}
}

void eval_io_step(struct eval_io *io, const struct pollfd p[EVAL_IO_FDS])
{
	for (int i = 0; i < 2; i++)
		if (p[i].revents && io->out[i] >= 0)
			(void)take_in(&io->out[i], &io->text[i], io->keep, &io->seen[i]);
	if ((p[2].revents & POLLOUT) && io->to.len > io->told)
		eval_io_tell(io);
	if ((p[2].revents & ~POLLOUT) && io->channel >= 0)
		(void)take_channel(io);
}

void eval_io_drain(struct eval_io *io)
{
	ssize_t n;

	for (int i = 0; i < 2; i++)
		while (io->out[i] >= 0 && take_in(&io->out[i], &io->text[i], io->keep, &io->seen[i]))
			;
	while (io->channel >= 0 && take_channel(io))
		;
	n = io->pid1 < 0 ? 0 : sys_read(io->pid1, io->pid1_said, sizeof(io->pid1_said));
	io->pid1_len = n > 0 ? (size_t)n : 0;
}
