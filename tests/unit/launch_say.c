/* SPDX-License-Identifier: Apache-2.0 */
/* What a process on its way into a container says, and what somebody inside could make it say. */
#include "launch_say.h"
#include "tap.h"

#include "auto.h"
#include "fdmsg.h"
#include "hop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static int heard(const void *said, size_t n, int n_fds, bool tty, struct launched *out, struct err *e)
{
	int pair[2], fds[5], result;
	char name[] = "sh", *argv[] = {name, NULL};
	auto_close int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct plan plan = {.tty = tty, .argv = {.v = argv, .n = 1}};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -2;
	for (int i = 0; i < 5; i++)
		fds[i] = null;
	(void)fdmsg_send(pair[1], said, n, fds, n_fds);
	(void)close(pair[1]);
	memset(e, 'x', sizeof(*e)); /* no text ends there by chance */
	result = launch_listen(pair[0], NULL, &(struct launch_exec){.plan = &plan}, out, e);
	(void)close(pair[0]);
	return result;
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static void errors(void)
{
	struct launched out = LAUNCHED_NONE;
	struct {
		char what;
		struct err err;
	} said = {SAY_ERROR, {ERR_NO_COMMAND, 0, "no such thing"}};
	struct err e;

	is_int(heard(&said, sizeof(said), 0, false, &out, &e), -1, "an error is heard");
	is_str(e.text, "no such thing", "its text");
	is_int(e.kind, ERR_NO_COMMAND, "its kind");
	is_int(heard(&said, 1, 0, false, &out, &e), -1, "an error that was not told is one");
	ok(memchr(e.text, 0, sizeof(e.text)) && strstr(e.text, "no reason was told"), "and says so");
	said.err.kind = (enum err_kind)1000;
	memset(said.err.text, 27, sizeof(said.err.text));
	is_int(heard(&said, sizeof(said), 0, false, &out, &e), -1, "an error of no kind, and of no end");
	is_int(e.kind, ERR_SYSTEM, "has the last kind");
	ok(memchr(e.text, 0, sizeof(e.text)) && !strchr(e.text, 27),
		"and a text that commands no terminal");
}

static void descriptors(void)
{
	struct launched out = LAUNCHED_NONE;
	struct err e;
	int before = open_files();

	is_int(heard("t", 1, 1, true, &out, &e), 0, "a terminal");
	ok(out.pty >= 0 && open_files() == before + 1, "is kept");
	is_int(heard("t", 1, 1, true, &out, &e), -1, "there is one");
	(void)close(take_fd(&out.pty));
	is_int(heard("t", 1, 1, false, &out, &e), -1, "there is none where none was asked for");
	is_int(heard("t", 1, 3, true, &out, &e), -1, "three descriptors are no terminal");
	is_int(heard("t", 1, 0, true, &out, &e), -1, "nor is nothing");
	is_int(heard("i", 1, 5, false, &out, &e), -1, "of an exec nobody hears what a container is");
	is_int(heard("?", 1, 2, false, &out, &e), -1, "what nobody says");
	ok(out.pty < 0 && out.proc < 0 && out.mounts < 0, "nothing of it is taken");
	is_int(open_files(), before, "nor left open");
}

int main(void)
{
	struct launched out = LAUNCHED_NONE;
	struct err e;
	struct hop_failed h = {.what = HOP_FAILED, .sys = ENOEXEC, .there = 1, .path = "/bin/sh"};

	is_int(heard("", 0, 0, false, &out, &e), 0, "the end means that the command runs");
	is_int(heard(&h, sizeof(h), 0, false, &out, &e), -1, "or it does not");
	is_str(e.text, "exec /bin/sh: exec format error", "for a reason");
	is_int(heard(&h, 10, 0, false, &out, &e), -1, "which is not told");
	is_str(e.text, "exec: \"sh\": no reason was told", "as is said");
	errors();
	descriptors();
	return done_testing();
}
