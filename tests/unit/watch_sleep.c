/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "sys.h"
#include "tap.h"

#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Answers each byte; at 'f' it has a child, at 'w' it waits for that one's end. */
static _Noreturn void serve(int from, int to)
{
	char c;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &c, 1) == 1) {
		if (c == 'f' && fork() == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)pause(); /* for ever; bytes are not for it */
			_exit(0);
		}
		if (c == 'w')
			(void)wait(NULL);
		(void)write(to, &c, 1);
	}
	_exit(0);
}

static bool sleeps(pid_t pid)
{
	char path[64], text[1024];
	const char *after;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	after = sys_get(AT_FDCWD, path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	return after && after[2] == 'S';
}

static void until_asleep(pid_t pid)
{
	while (!sleeps(pid))
		(void)sched_yield();
}

static void ask(int to, int from, char c, pid_t pid)
{
	ok(write(to, &c, 1) == 1 && read(from, &c, 1) == 1, "the process answers");
	until_asleep(pid);
}

static pid_t only_child(pid_t pid)
{
	char path[64], text[64] = "";

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	(void)sys_get(AT_FDCWD, path, text, sizeof(text));
	return (pid_t)atoi(text);
}

int main(void)
{
	struct watch w = {.processes = 1};
	int in[2], out[2];
	pid_t pid, child;

	if (pipe(in) < 0 || pipe(out) < 0 || (pid = fork()) < 0)
		return 2;
	if (pid == 0)
		serve(in[0], out[1]);
	watch_note_times(&w);
	ok(!watch_slept(&w), "where pid 1 is not known, nothing is");
	w.sleep.first = pid;
	ask(in[1], out[0], 'x', pid);
	watch_note_times(&w);
	ok(watch_slept(&w), "a process that slept");
	w.sleep.noted -= 1000000000;
	ok(!watch_slept(&w), "for so long that others may have written to its files");
	watch_note_times(&w);
	ask(in[1], out[0], 'x', pid);
	ok(!watch_slept(&w), "it woke for a moment");
	ask(in[1], out[0], 'f', pid);
	child = only_child(pid);
	until_asleep(child);
	w.processes = 2;
	ok(!watch_slept(&w), "there is one more");
	watch_note_times(&w);
	ok(watch_slept(&w), "both sleep");
	w.processes = 3;
	watch_note_times(&w);
	ok(!watch_slept(&w), "a third one, which is not below pid 1");
	w.processes = 2;
	watch_note_times(&w);
	ok(watch_slept(&w), "it has left");
	(void)kill(child, SIGKILL);
	ask(in[1], out[0], 'w', pid);
	ok(!watch_slept(&w), "the child has ended");
	w.processes = 1;
	watch_note_times(&w);
	ok(watch_slept(&w), "the first one goes on sleeping");
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	ok(!watch_slept(&w), "it has ended");
	watch_note_times(&w);
	ok(!watch_slept(&w), "and nobody is known");
	return done_testing();
}
