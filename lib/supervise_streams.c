/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_streams: passes input from clients to the container, and its output to the log and to clients. */
#include "supervise_parts.h"

#include "auto.h"
#include "spec.h"
#include "sys.h"

#include <errno.h>
#include <string.h>

/* A pipe for each stream, our end non-blocking; std: the container's ends. */
int sup_make_streams(struct sup *s, int *std, struct err *e)
{
	int pair[2];

	std[0] = std[1] = std[2] = -1;
	if (s->ask->plan->tty)
		return 0;
	if (s->ask->streams[0] >= 0) {
		for (int i = 0; i < 3; i++)
			std[i] = take_fd(&s->ask->streams[i]); /* for one run: such a container is not restarted */
		return 0;
	}
	if (s->ask->plan->stdin_open) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		std[0] = pair[0];
		s->in = pair[1];
		(void)fcntl(s->in, F_SETFL, O_NONBLOCK); /* of our end alone */
	}
	for (int i = 0; i < 2; i++) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_sys(e, "pipe");
		s->out[i] = pair[0];
		std[1 + i] = pair[1];
		(void)fcntl(s->out[i], F_SETFL, O_NONBLOCK); /* as above */
	}
	return 0;
}

void sup_close_streams(struct sup *s)
{
	if (s->in >= 0 && s->in != s->c.pty)
		(void)close(s->in);
	for (int i = 0; i < 2; i++)
		if (s->out[i] >= 0 && s->out[i] != s->c.pty)
			(void)close(s->out[i]);
	auto_close_(&s->c.pty);
	auto_close_(&s->c.proc);
	auto_close_(&s->c.pidfd);
	auto_close_(&s->c.mounts);
	auto_close_(&s->c.root);
	for (size_t i = 0; i < ARRAY_LEN(s->c.sysv); i++) {
		auto_close_(&s->c.sysv[i]);
		s->c.sysv[i] = -1;
	}
	s->in = s->out[0] = s->out[1] = s->c.pty = s->c.proc = s->c.pidfd = s->c.mounts =
		s->c.root = -1;
	s->stdin_len = 0;
}

static void close_stdin(struct sup *s)
{
	if (s->in < 0 || s->ask->plan->tty)
		return;               /* a terminal has no end of file of its own: ^D is a byte */
	(void)close(take_fd(&s->in)); /* a pipe */
}

void sup_feed(struct sup *s)
{
	while (s->in >= 0 && s->stdin_len > 0) {
		ssize_t n = write(s->in, s->stdin_data, s->stdin_len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			/* The container does not read any more: input is discarded. */
			s->stdin_len = 0;
			close_stdin(s);
			return;
		}
		s->stdin_len -= (size_t)n;
		memmove(s->stdin_data, s->stdin_data + n, s->stdin_len);
	}
	if (s->stdin_eof && s->stdin_len == 0 && s->ask->spec->stdin_once)
		close_stdin(s);
}

void sup_take_input(struct sup *s, const char *data, size_t n)
{
	if (s->in < 0)
		return;
	s->stdin_data = xrealloc(s->stdin_data, s->stdin_len + n, 1);
	memcpy(s->stdin_data + s->stdin_len, data, n);
	s->stdin_len += n;
	sup_feed(s);
}

/* How many of n bytes the limit on output still allows. */
static size_t within_limit(struct sup *s, size_t n)
{
	uint64_t limit = (uint64_t)s->ask->plan->output_limit, had = s->bytes[0] + s->bytes[1];
	uint64_t room = had < limit ? limit - had : 0;

	if (limit == 0 || n <= room)
		return n;
	s->dropped += n - room;
	if (s->ask->plan->output_limit_kills)
		sup_end_container(s, END_OUTPUT);
	return room;
}

/* Output cannot be read: drops the clients, which must not take that for the end of the output. */
static void lose_readers(struct sup *s)
{
	for (size_t i = s->n_clients; i-- > 0;)
		if (s->clients[i].wants.out || s->clients[i].wants.err)
			sup_lose_client(s, i);
}

/* Reads once; false: the end of the stream, or nothing at the moment. */
bool sup_take_output(struct sup *s, int stream)
{
	char data[CTL_DATA_MAX];
	ssize_t n = sys_read(s->out[stream], data, sizeof(data));
	size_t fine;

	if (n <= 0) {
		/* EIO is how a terminal ends. */
		if (n == 0 || errno != EAGAIN) {
			if (n < 0 && s->out[stream] != s->c.pty)
				lose_readers(s);
			if (s->out[stream] == s->in)
				s->in = -1;
			(void)close(take_fd(&s->out[stream])); /* only read from */
		}
		return false;
	}
	fine = within_limit(s, (size_t)n);
	s->bytes[stream] += fine;
	if (fine > 0) {
		log_write(&s->log, stream, data, fine);
		sup_tell_clients(s, stream, data, fine);
	}
	return true;
}

/* How much a stream can hold to which nobody writes any more: a pipe tells; a terminal never holds that much. */
static uint64_t holds(int fd)
{
	int n = fcntl(fd, F_GETPIPE_SZ);

	return n > 0 ? (uint64_t)n : 1 << 20;
}

static uint64_t taken(const struct sup *s)
{
	return s->bytes[0] + s->bytes[1] + s->dropped;
}

/* All writers are dead: what is in the pipes is all. A client that reads slowly gets it later, as ending the container
 * must not wait for clients. */
void sup_drain(struct sup *s)
{
	for (int i = 0; i < 2; i++) {
		uint64_t end = s->out[i] < 0 ? 0 : taken(s) + holds(s->out[i]);

		while (s->out[i] >= 0 && taken(s) < end && sup_take_output(s, i))
			;
	}
}
