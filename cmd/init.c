/* SPDX-License-Identifier: Apache-2.0 */
/* init: pid 1 of --init: starts the command, forwards signals to it, reaps, and exits as the command did. */
#include "err.h"
#include "init.h"

#include "fdmsg.h"
#include "outcome.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of eval, standard input is a socket: over it goes, before the command is there, a pipe that only we can write to. false: it
 * cannot, and nobody could believe what comes over the socket then. to: -1 where nobody wants to be told. */
static bool begin_to_tell(int *to)
{
	int ends[2] = {-1, -1};
	struct stat st;
	bool sent;

	*to = -1;
	if (fstat(STDIN_FILENO, &st) < 0 || !S_ISSOCK(st.st_mode))
		return true;
	sent = prctl(PR_SET_DUMPABLE, 0) == 0 && pipe2(ends, O_CLOEXEC) == 0 &&
	       fdmsg_send(STDIN_FILENO, "p", 1, ends, 1) == 0;
	if (ends[0] >= 0)
		(void)close(ends[0]); /* the reader has it */
	*to = ends[1];
	return sent;
}

/* The command's wait status as a frame of lib/eval_wire.h, since our exit code cannot tell death by signal N from
 * exit(128 + N). */
static void tell(int to, int st)
{
	unsigned char frame[9] = {'w', 4, 0, 0, 0, (unsigned char)st, (unsigned char)(st >> 8)};

	(void)sys_write_all(to, frame, sizeof(frame)); /* fits; to may be -1 */
}

/* Likewise: why the command could not be run. */
static bool tell_no_exec(int to, const char *name, int why)
{
	char text[200] = "x";
	int n = 5 + snprintf(text + 5, sizeof(text) - 5, "%.100s: %.80s", name, errno_text(why)); /* fits */

	text[1] = (char)(n - 5);
	return sys_write_all(to, text, (size_t)n) == 0;
}

static void __attribute__((noreturn)) start(char **argv, int to)
{
	sigset_t none;
	int why;

	/* As docker's init does: a process group of its own, in the foreground of the terminal if there is one. */
	(void)setpgid(0, 0);
	(void)signal(SIGTTOU, SIG_IGN);
	(void)tcsetpgrp(STDIN_FILENO, getpgrp()); /* fails if it is no terminal */
	(void)signal(SIGTTOU, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* init_main() blocked them, so that none is lost */
	(void)execvp(argv[0], argv);
	why = errno;
	if (!tell_no_exec(to, argv[0], why))
		(void)fprintf(stderr, "[FATAL tini (%d)] exec %s failed: %s\n", (int)getpid(),
			argv[0], errno_text(why));
	_exit(why == ENOENT ? 127 : 126);
}

/* The supervisor's part: it looks at what a process is called that has ended. Only we can change that. */
static void tell_signal(int signo)
{
	char name[16];

	(void)snprintf(name, sizeof(name), OUTCOME_SIGNALLED "%d", signo); /* fits */
	(void)prctl(PR_SET_NAME, name);
}

static int reap(pid_t command, int to, int *status)
{
	int st;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		tell(to, st);
		if (WIFSIGNALED(st))
			tell_signal(WTERMSIG(st));
		*status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
		return 1;
	}
	return 0;
}

/* The kernel would kill the other processes when we exit, but only for those that we wait for does it add their CPU time to ours. */
static void end_rest(void)
{
	if (getpid() != 1)
		return;          /* we share a pid namespace with processes that are not ours */
	(void)kill(-1, SIGKILL); /* there may be none */
	while (waitpid(-1, NULL, 0) > 0)
		;
}

int init_main(int argc, char **argv)
{
	int status = 0, signo, to;
	sigset_t all;
	pid_t command;

	argv += argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
	if (!argv[0])
		return 125;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	command = begin_to_tell(&to) ? fork() : -1;
	if (command < 0) {
		(void)fprintf(stderr, "[FATAL tini (%d)] fork failed: %s\n", (int)getpid(),
			errno_text(errno));
		return 125;
	}
	if (command == 0)
		start(argv, to);
	for (;;) {
		if (reap(command, to, &status)) {
			end_rest();
			return status;
		}
		if (sigwait(&all, &signo) == 0 && signo != SIGCHLD)
			(void)kill(command, signo); /* it may have ended already */
	}
}
