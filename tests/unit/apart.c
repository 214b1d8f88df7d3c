/* SPDX-License-Identifier: Apache-2.0 */
#include "apart.h"
#include "auto.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int say_it(void *arg, struct buf *answer, struct err *e)
{
	(void)e;
	buf_printf(answer, "said %s", (const char *)arg);
	return 0;
}

static int say_and_fail(void *arg, struct buf *answer, struct err *e)
{
	(void)say_it(arg, answer, e);
	return err_set(e, ERR_CORRUPT, "no %s", (const char *)arg);
}

/* As one does who was taken over: it never ends, and never stops saying something. */
static int say_without_end(void *arg, struct buf *answer, struct err *e)
{
	static const char much[1 << 16];
	const struct err fine = {0};

	(void)answer;
	(void)e;
	if (write(*(int *)arg, &fine, sizeof(fine)) != sizeof(fine))
		return -1;
	while (write(*(int *)arg, much, sizeof(much)) > 0)
		;
	for (;;)
		(void)pause();
}

/* The next two descriptors are those of the pipe. */
static int end_of_pipe(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)close(fd);
	(void)close(next);
	return next;
}

int main(void)
{
	auto_close int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct store s = {.root = here, .runtime = here};
	auto_buf struct buf answer = {0};
	struct err e = {0};
	int out;

	is_int(apart(&s, say_it, (void *)"yes", &answer, &e), 0, "it works");
	is_str(answer.s, "said yes", "its answer comes back");
	is_int(apart(&s, say_and_fail, (void *)"way", &answer, &e), -1, "it fails");
	is_str(answer.s, "said yessaid way", "its answer comes back, too");
	is_str(e.text, "no way", "with its error");
	out = end_of_pipe();
	is_int(apart(&s, say_without_end, &out, &answer, &e), -1,
		"who says more than there can be to say has failed");
	is_str(e.text, "the process that reads it was killed by signal 9", "and is ended");
	ok(answer.len < 66 << 20, "what it said is not all kept");
	return done_testing();
}
