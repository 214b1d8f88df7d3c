/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_parts.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define READ_SIZE 65536

/* What a client may be ahead of its answers: beyond, nothing more is read from it. */
#define AHEAD_JOBS   16 /* and as many for each worker */
#define AHEAD_BYTES  (32UL << 20)
#define UNREAD_BYTES (1UL << 20) /* answers which it does not take */
/* All clients together. */
#define POOL_BYTES (256UL << 20)

/* ---- coming and going ----------------------------------------------------------------- */

/* A pipe of ours alone to the same place, which does not block; others may hold the one that we were given. */
static int reopen(int fd)
{
	char path[32];
	struct stat st;
	int own = -1;

	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* fits */
		own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

struct client *client_add(struct pool *p, int in, int out)
{
	struct client *c = xcalloc(1, sizeof(*c));
	struct stat st;

	c->is_socket = fstat(out, &st) == 0 && S_ISSOCK(st.st_mode);
	c->in = in;
	c->out = in == out ? in : reopen(out);
	c->next = p->clients;
	p->clients = c;
	p->n_clients++;
	return c;
}

static void close_in(struct client *c)
{
	if (c->in != c->out)
		auto_close_(&c->in);
	c->in = -1;
}

static void close_out(struct client *c)
{
	close_in(c);
	auto_close_(&c->out);
	c->out = -1;
}

static void job_free(struct job *j)
{
	eval_request_done(&j->request);
	buf_done(&j->answer);
	free(j);
}

void client_lose(struct pool *p, struct client *c)
{
	c->gone = true;
	close_out(c);
	for (struct job *j = c->first, *next; j; j = next) {
		next = j->next;
		j->client = NULL;
		p->job_bytes -= j->size;
		if (j->done)
			job_free(j);
	}
	c->first = c->last = NULL;
	c->n_jobs = c->job_bytes = 0;
	/* The rest is where it is: in the queue, which the loop cleans, or with a worker. */
	for (size_t i = 0; i < p->n_workers; i++)
		if (p->workers[i].job && !p->workers[i].job->client)
			worker_kill(&p->workers[i], "client-gone");
}

bool client_is_over(const struct client *c)
{
	return c->gone || (c->in < 0 && !c->first && c->told == c->to.len);
}

void client_free(struct pool *p, struct client *c)
{
	struct client **at = &p->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	p->n_clients--;
	close_out(c);
	buf_done(&c->line);
	buf_done(&c->to);
	free(c);
}

/* ---- answers -------------------------------------------------------------------------- */

/* Of the only client somebody is to hear of it; others come and go. */
static void lose_some(struct pool *p, const char *what, int why)
{
	errno = why;
	if (p->listener < 0 && p->lost.kind == ERR_NONE)
		(void)err_sys(&p->lost, "%s", what);
}

static void write_out(struct pool *p, struct client *c)
{
	while (c->told < c->to.len) {
		const char *data = c->to.s + c->told;
		size_t left = c->to.len - c->told;
		ssize_t n = c->is_socket ? send(c->out, data, left, MSG_DONTWAIT | MSG_NOSIGNAL)
		                         : write(c->out, data, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			lose_some(p, "write /dev/stdout", errno);
			client_lose(p, c);
			return;
		}
		c->told += (size_t)n;
	}
	/* What a large answer took is given back. */
	if (c->to.cap > UNREAD_BYTES)
		buf_done(&c->to);
	c->to.len = c->told = 0;
}

static void unlink_job(struct client *c, struct job *j)
{
	struct job **at = &c->first, *before = NULL;

	while (*at != j) {
		before = *at;
		at = &(*at)->next;
	}
	*at = j->next;
	if (c->last == j)
		c->last = before;
	c->n_jobs--;
	c->job_bytes -= j->size;
}

static void give(struct pool *p, struct client *c, struct job *j)
{
	unlink_job(c, j);
	p->job_bytes -= j->size;
	buf_add(&c->to, j->answer.s, j->answer.len);
	job_free(j);
}

void job_answered(struct pool *p, struct job *j)
{
	struct client *c = j->client;

	p->answered++;
	p->bytes += j->size + 1;
	j->done = true;
	if (!c) {
		job_free(j);
		return;
	}
	if (p->ask->unordered)
		give(p, c, j);
	else
		while (c->first && c->first->done)
			give(p, c, c->first);
	if (p->ask->progress)
		p->ask->progress(p->answered, p->bytes, p->ask->arg);
	write_out(p, c);
}

void job_answer(struct pool *p, struct job *j, struct eval_result *r)
{
	if (j->client)
		eval_result_line(r, j->request.id, &j->answer);
	job_answered(p, j);
}

void job_refuse(struct pool *p, struct job *j, const char *type, const struct err *e)
{
	auto_result struct eval_result r = {0};

	buf_done(&j->answer);
	eval_result_refuse(&r, type, e);
	job_answer(p, j, &r);
}

/* ---- requests ------------------------------------------------------------------------- */

static struct job *add_job(struct pool *p, struct client *c, size_t size)
{
	struct job *j = xcalloc(1, sizeof(*j));

	j->client = c;
	j->size = size;
	if (c->last)
		c->last->next = j;
	else
		c->first = j;
	c->last = j;
	c->n_jobs++;
	c->job_bytes += size;
	p->job_bytes += size;
	return j;
}

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return true;
}

static void take_line(struct pool *p, struct client *c, const char *line, size_t n)
{
	struct job *j;
	struct err e;

	if (is_blank(line, n))
		return;
	j = add_job(p, c, n);
	if (eval_request_read(&j->request, p->ask->defaults, line, n, &e) < 0)
		job_refuse(p, j, "RequestError", &e);
	else
		pool_queue(p, j);
}

static void refuse_long(struct pool *p, struct client *c)
{
	struct job *j = add_job(p, c, 0);
	struct err e;

	(void)err_set(&e, ERR_USAGE, "a request of more than %lu MiB", POOL_LINE_MAX >> 20);
	eval_request_init(&j->request);
	job_refuse(p, j, "RequestError", &e);
}

static bool is_ahead(const struct pool *p, const struct client *c)
{
	return c->n_jobs >= AHEAD_JOBS + 2 * p->n_workers || c->job_bytes >= AHEAD_BYTES ||
	       c->to.len - c->told >= UNREAD_BYTES || (p->job_bytes >= POOL_BYTES && c->n_jobs);
}

/* Takes the whole lines that are there, as many as it may be ahead. */
static void take_lines(struct pool *p, struct client *c)
{
	size_t from = 0;

	while (!c->gone && !is_ahead(p, c)) {
		char *end = c->line.len > c->searched
		                    ? memchr(c->line.s + c->searched, '\n', c->line.len - c->searched)
		                    : NULL;

		if (!end) {
			c->searched = c->line.len;
			break;
		}
		if (!c->skipping)
			take_line(p, c, c->line.s + from, (size_t)(end - c->line.s) - from);
		c->skipping = false;
		from = c->searched = (size_t)(end - c->line.s) + 1;
	}
	if (c->gone || !c->line.len)
		return;
	if (from) /* else all of a long one would move at each piece that comes */
		memmove(c->line.s, c->line.s + from, c->line.len - from);
	c->line.len -= from;
	c->searched -= from;
	if (c->searched == c->line.len && (c->skipping || c->line.len > POOL_LINE_MAX)) {
		if (!c->skipping)
			refuse_long(p, c);
		c->skipping = true;
		buf_done(&c->line);
		c->searched = 0;
	}
}

/* The last line needs no newline. */
static void end_input(struct pool *p, struct client *c)
{
	close_in(c);
	if (c->line.len && c->searched == c->line.len && !c->skipping) {
		take_line(p, c, c->line.s, c->line.len);
		buf_done(&c->line);
		c->searched = 0;
	}
}

static void read_in(struct pool *p, struct client *c)
{
	char data[READ_SIZE];
	ssize_t n = c->is_socket ? recv(c->in, data, sizeof(data), MSG_DONTWAIT)
	                         : sys_read(c->in, data, sizeof(data));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		lose_some(p, "read /dev/stdin", errno);
	if (n <= 0) {
		end_input(p, c);
		return;
	}
	buf_add(&c->line, data, (size_t)n);
}

void client_poll(const struct pool *p, const struct client *c, struct pollfd fds[CLIENT_FDS])
{
	bool whole = c->line.len > c->searched;

	fds[0] = (struct pollfd){.fd = whole || is_ahead(p, c) ? -1 : c->in, .events = POLLIN};
	/* Even without events, poll() reports if nobody can read any more. */
	fds[1] = (struct pollfd){.fd = c->out, .events = c->told < c->to.len ? POLLOUT : 0};
}

void client_step(struct pool *p, struct client *c, const struct pollfd fds[CLIENT_FDS])
{
	if (fds[1].revents & POLLOUT)
		write_out(p, c);
	if (!c->gone && (fds[1].revents & (POLLERR | (c->is_socket ? POLLHUP : 0)))) {
		lose_some(p, "write /dev/stdout", EPIPE);
		client_lose(p, c);
	}
	if (!c->gone && c->in >= 0 && fds[0].revents)
		read_in(p, c);
	if (!c->gone && c->line.len)
		take_lines(p, c);
}
