/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_io.h"

#include "auto.h"
#include "tap.h"

#include <unistd.h>

#define KEEP 10

static void prints(int fd, const char *text)
{
	is_int(write(fd, text, strlen(text)), (int64_t)strlen(text), text);
}

/* What the manager has of a stream into which these are printed, one after the other. */
static void kept(const char *first, const char *second, const char *want)
{
	struct eval_io io;
	struct pollfd p[EVAL_IO_FDS];
	int std[3];

	ok(eval_io_open(&io, KEEP, std) == 0, "streams");
	for (int i = 0; i < 2; i++) {
		prints(std[1 + i], first);
		eval_io_poll(&io, p);
		(void)poll(p, EVAL_IO_FDS, -1);
		eval_io_step(&io, p);
		prints(std[1 + i], second);
		eval_io_drain(&io);
		is_int((int64_t)io.text[i].len, (int64_t)strlen(want), "so many bytes stay");
		ok(io.text[i].len == strlen(want) && memcmp(io.text[i].s, want, strlen(want)) == 0, want);
		is_int((int64_t)io.seen[i], (int64_t)(strlen(first) + strlen(second)), "all are seen");
	}
	for (int i = 0; i < 3; i++)
		(void)close(std[i]);
	eval_io_done(&io);
}

int main(void)
{
	kept("123456789", "", "123456789");
	kept("12345", "67890", "1234567890");
	kept("123456789", "0", "1234567890");
	kept("12345", "67890a", "1234567890");
	kept("1234567890", "a", "1234567890");
	kept("1234567890a", "bcd", "1234567890");
	kept("12345678901234567890", "12345678901234567890", "1234567890");
	return done_testing();
}
