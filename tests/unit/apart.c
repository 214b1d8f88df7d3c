/* SPDX-License-Identifier: Apache-2.0 */
#include "apart.h"
#include "auto.h"
#include "own_store.h"
#include "state.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
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

/* What came of it is the answer. */
static int write_file(void *arg, struct buf *answer, struct err *e)
{
	auto_close int fd = open(arg, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	(void)e;
	buf_printf(answer, "%s ", fd < 0 ? "refused" : "made");
	return 0;
}

/* The next two descriptors are those of the pipe. */
static int end_of_pipe(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)close(fd);
	(void)close(next);
	return next;
}

static void writes_below(void)
{
	char top[] = "/tmp/sbx-unit-XXXXXX";
	auto_free char *out = NULL, *in = NULL;
	auto_buf struct buf answer = {0};
	struct store s;
	struct err e = {0};

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 2) {
		skip("it writes below the store alone", "no package gives it: a kernel with Landlock");
		return;
	}
	if (!mkdtemp(top)) {
		ok(false, "a directory of the test's own");
		return;
	}
	own_store(&s, top);
	out = xasprintf("%s/out", top);
	in = xasprintf("%s/root/in", top);
	is_int(apart(&s, write_file, out, &answer, &e), 0, "it tries to write beside the store");
	is_int(apart(&s, write_file, in, &answer, &e), 0, "and in it");
	is_str(answer.s, "refused made ", "it writes below the store alone");
	store_done(&s);
	(void)state_remove_tree(AT_FDCWD, top, &e);
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
	writes_below();
	return done_testing();
}
