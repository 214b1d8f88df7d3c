/* SPDX-License-Identifier: Apache-2.0 */
/* init: pid 1 of --init: starts the command, passes signals on, reaps, and ends as the command ended. */
#include "err.h"
#include "init.h"

#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who gave us a socket as standard input wants to know how the command ended, whole: of a signal's number and of an
 * exit code which looks like one, nothing but the second can be seen in ours. A frame of lib/eval_wire.h. */
static void tell(int st)
{
	unsigned char frame[9] = {'w', 4, 0, 0, 0, (unsigned char)st, (unsigned char)(st >> 8)};

	(void)send(STDIN_FILENO, frame, sizeof(frame), MSG_NOSIGNAL | MSG_DONTWAIT); /* else it is no socket */
}

/* Likewise: that there is no such command. */
static bool tell_no_exec(const char *name, int why)
{
	char text[200] = "x";
	int n = 5 + snprintf(text + 5, sizeof(text) - 5, "%.100s: %.80s", name, errno_text(why)); /* fits */

	text[1] = (char)(n - 5);
	return send(STDIN_FILENO, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n;
}

static void __attribute__((noreturn)) start(char **argv)
{
	sigset_t none;
	int why;

	/* A process group of its own, in the foreground where there is a terminal: as with docker's. */
	(void)setpgid(0, 0);
	(void)signal(SIGTTOU, SIG_IGN);
	(void)tcsetpgrp(STDIN_FILENO, getpgrp()); /* not a terminal: nothing to do */
	(void)signal(SIGTTOU, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* they came blocked, so that none was lost */
	(void)execvp(argv[0], argv);
	why = errno;
	if (!tell_no_exec(argv[0], why))
		(void)fprintf(stderr, "[FATAL tini (%d)] exec %s failed: %s\n", (int)getpid(),
			argv[0], errno_text(why));
	_exit(why == ENOENT ? 127 : 126);
}

static int reap(pid_t command, int *status)
{
	int st;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		tell(st);
		*status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
		return 1;
	}
	return 0;
}

/* The kernel would end them with us, and forget what they used: whom we wait for counts. */
static void end_rest(void)
{
	if (getpid() != 1)
		return;          /* not alone in this pid namespace */
	(void)kill(-1, SIGKILL); /* there may be none */
	while (waitpid(-1, NULL, 0) > 0)
		;
}

int init_main(int argc, char **argv)
{
	int status = 0, signo;
	sigset_t all;
	pid_t command;

	argv += argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
	if (!argv[0])
		return 125;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	command = fork();
	if (command < 0) {
		(void)fprintf(stderr, "[FATAL tini (%d)] fork failed: %s\n", (int)getpid(),
			errno_text(errno));
		return 125;
	}
	if (command == 0)
		start(argv);
	for (;;) {
		if (reap(command, &status)) {
			end_rest();
			return status;
		}
		if (sigwait(&all, &signo) == 0 && signo != SIGCHLD)
			(void)kill(command, signo); /* it may have ended: then there is nobody to tell */
	}
}
