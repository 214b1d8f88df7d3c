/* SPDX-License-Identifier: Apache-2.0 */
#include "expand.h"

#include "auto.h"
#include "helper.h"
#include "str.h"
#include "sys.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define MOST (64ull << 30)

/* A tar begins with a name, and none begins like these. */
static bool compressed(const char *head, size_t n)
{
	static const struct {
		size_t n;
		const char *magic;
	} known[] = {
		{3, "\x1f\x8b\x08"},
		{6, "\xfd"
		    "7zXZ"},
		{4, "\x28\xb5\x2f\xfd"},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (n >= known[i].n && memcmp(head, known[i].magic, known[i].n) == 0)
			return true;
	return n == 10 && memcmp(head, "BZh", 3) == 0 && strchr("123456789", head[3]) &&
	       (memcmp(head + 4, "1AY&SY", 6) == 0 || memcmp(head + 4, "\x17rE8P\x90", 6) == 0);
}

/* More than the size of the disk could not be stored anyway. (What is free now says nothing, as data may be
 * compressible.) */
static uint64_t most(const struct store *s)
{
	struct statvfs fs;
	uint64_t size = fstatvfs(s->root, &fs) == 0 ? (uint64_t)fs.f_blocks * fs.f_frsize : 0;

	return size > MOST ? size : MOST;
}

static int start(const struct store *s, int in, struct expand *x, struct err *e)
{
	auto_close int from = -1, to = -1, hear = -1, say = -1;
	auto_free char *bound = xasprintf("most=%llu", (unsigned long long)most(s));
	char head[8 + 2 * EXPAND_HEAD] = "head=";
	const char *words[] = {"plain", head, bound, NULL};

	for (size_t i = 0; i < x->n_head; i++)
		(void)snprintf(head + 5 + 2 * i, 3, "%02x", (unsigned char)x->head[i]); /* fits */
	if (sys_wide_pipe(&from, &to) < 0 || sys_pipe(&hear, &say) < 0)
		return err_sys(e, "pipe");
	x->pid = helper_start(words, in, to, say, NULL, e);
	if (x->pid < 0)
		return -1;
	x->fd = take_fd(&from);
	x->answer = take_fd(&hear);
	x->n_head = 0;
	return 0;
}

int expand_open(const struct store *s, int in, struct expand *x, struct err *e)
{
	*x = EXPAND_NONE;
	x->fd = in;
	while (x->n_head < EXPAND_HEAD) {
		ssize_t n = sys_read_wait(in, x->head + x->n_head, EXPAND_HEAD - x->n_head);

		if (n < 0)
			return err_sys(e, "read the archive");
		if (n == 0)
			break;
		x->n_head += (size_t)n;
	}
	return compressed(x->head, x->n_head) ? start(s, in, x, e) : 0;
}

void expand_handed(struct expand *x)
{
	if (x->pid > 0)
		auto_close_(&x->fd);
	x->fd = -1;
}

/* The helper writes its complaints before the end of its output can be seen. */
static json_t *hear(int fd)
{
	char text[2048];
	ssize_t n;

	(void)fcntl(fd, F_SETFL, O_NONBLOCK); /* cannot fail */
	n = sys_read(fd, text, sizeof(text));
	return n > 0 ? json_loadb(text, (size_t)n, 0, NULL) : NULL;
}

int expand_end(struct expand *x, int result, struct err *e)
{
	auto_json json_t *answer = NULL;
	pid_t pid = x->pid;

	if (pid < 0)
		return result;
	expand_handed(x);
	answer = hear(x->answer);
	if (result < 0 && !answer)
		return result; /* expand_abort() kills it, as it may be waiting for more input */
	auto_close_(&x->answer);
	*x = EXPAND_NONE;
	return helper_end(pid, answer, e);
}

void expand_abort(struct expand *x)
{
	if (x->pid <= 0)
		return;
	(void)kill(x->pid, SIGKILL); /* our child, not yet waited for */
	(void)waitpid(x->pid, NULL, 0);
	auto_close_(&x->fd);
	auto_close_(&x->answer);
	*x = EXPAND_NONE;
}
