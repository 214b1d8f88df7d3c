/* SPDX-License-Identifier: Apache-2.0 */
#include "tarfd.h"

#include "auto.h"
#include "sys.h"

#include <string.h>

#define SIZE     (64u << 10)
#define PASS_MAX (512u << 10) /* at once: a meter counts between them */

struct tarfd tarfd_open(int fd)
{
	return (struct tarfd){.fd = fd, .buf = xcalloc(SIZE, 1)};
}

void tarfd_unread(struct tarfd *f, const void *bytes, size_t n)
{
	memcpy(f->buf, bytes, n);
	f->at = 0;
	f->n = n;
	f->total += n;
}

void tarfd_done(struct tarfd *f)
{
	free(f->buf);
	f->buf = NULL;
}

ssize_t tarfd_read(void *tarfd, void *to, size_t n)
{
	struct tarfd *f = tarfd;
	ssize_t got;

	if (f->at == f->n) {
		got = sys_read_wait(f->fd, n >= SIZE ? to : f->buf, n >= SIZE ? n : SIZE);
		if (got <= 0)
			return got;
		f->total += (uint64_t)got;
		meter_add(f->meter, (uint64_t)got);
		if (n >= SIZE)
			return got;
		f->at = 0;
		f->n = (size_t)got;
	}
	if (n > f->n - f->at)
		n = f->n - f->at;
	memcpy(to, f->buf + f->at, n);
	f->at += n;
	return (ssize_t)n;
}

ssize_t tarfd_give(void *tarfd, int fd, size_t n)
{
	struct tarfd *f = tarfd;
	size_t ready = f->n - f->at < n ? f->n - f->at : n;
	ssize_t done;

	if (ready > 0) {
		if (sys_write_all(fd, f->buf + f->at, ready) < 0)
			return -1;
		f->at += ready;
		return (ssize_t)ready;
	}
	done = sys_splice(f->fd, fd, n);
	if (done <= 0)
		return 0; /* if it was an error, read() or write() will report it */
	f->total += (uint64_t)done;
	meter_add(f->meter, (uint64_t)done);
	return done;
}

static int flush(struct tarfd *f)
{
	size_t n = f->n;

	f->n = 0;
	return sys_write_all(f->fd, f->buf, n);
}

int tarfd_write(void *tarfd, const void *bytes, size_t n)
{
	struct tarfd *f = tarfd;

	f->total += n;
	meter_add(f->meter, n);
	if (f->n + n > SIZE && flush(f) < 0)
		return -1;
	if (n >= SIZE)
		return sys_write_all(f->fd, bytes, n);
	memcpy(f->buf + f->n, bytes, n);
	f->n += n;
	return 0;
}

ssize_t tarfd_pass(void *tarfd, int fd, size_t n)
{
	struct tarfd *f = tarfd;
	ssize_t done;

	if (f->n > 0 && flush(f) < 0)
		return -1;
	done = sys_sendfile(f->fd, fd, n < PASS_MAX ? n : PASS_MAX);
	if (done <= 0)
		return 0; /* if it was an error, read() or write() will report it */
	f->total += (uint64_t)done;
	meter_add(f->meter, (uint64_t)done);
	return done;
}

int tarfd_flush(struct tarfd *f, struct err *e)
{
	return flush(f) < 0 ? err_sys(e, "write the archive") : 0;
}
