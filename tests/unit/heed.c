/* SPDX-License-Identifier: Apache-2.0 */
#include "heed.h"

#include "sys.h"
#include "tap.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing(int signo)
{
	(void)signo;
}

/* The pid 1 of a namespace, which prepares for SIGTERM as it is told in a byte. */
static _Noreturn void begin(int from)
{
	sigset_t term;
	char c;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	while (read(from, &c, 1) == 1) {
		if (c == 'c')
			(void)signal(SIGTERM, nothing);
		if (c == 'i')
			(void)signal(SIGTERM, SIG_IGN);
		if (c == 'b')
			(void)sigprocmask(SIG_BLOCK, &term, NULL);
		if (c == 'e')
			_exit(0);
	}
	_exit(0);
}

struct one {
	pid_t pid;
	int pidfd, to;
};

static struct one make(unsigned long namespaces)
{
	struct one o;
	int ends[2];

	if (pipe(ends) < 0)
		abort();
	o.pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
	if (o.pid == 0) {
		(void)close(ends[1]);
		begin(ends[0]);
	}
	(void)close(ends[0]);
	o.pidfd = sys_pidfd_open(o.pid);
	o.to = ends[1];
	return o;
}

static void end(struct one *o)
{
	(void)close(o->to);
	(void)kill(o->pid, SIGKILL);
	(void)waitpid(o->pid, NULL, 0);
	(void)close(o->pidfd);
}

/* Whether the waiting was over before its time was. */
static bool is_let_go(const struct one *o, int signo)
{
	const int64_t until = sys_now_ns() + INT64_C(3600) * 1000000000;

	heed_wait(o->pid, o->pidfd, signo, until);
	return sys_now_ns() < until;
}

int main(void)
{
	static const struct {
		char word;
		const char *what;
	} rows[] = {
		{'c', "one that catches it is waited for until then"},
		{'i', "one that ignores it"},
		{'b', "one that blocks it"},
		{'e', "one that ends"},
	};
	struct one o = make(0);

	ok(is_let_go(&o, SIGTERM), "who is no pid 1 is not waited for");
	end(&o);
	o = make(CLONE_NEWUSER | CLONE_NEWPID);
	if (o.pid < 0) {
		skip("a pid 1", "no user namespaces");
		return done_testing();
	}
	ok(is_let_go(&o, 65), "there is no such signal");
	heed_wait(o.pid, o.pidfd, SIGTERM, sys_now_ns());
	(void)kill(o.pid, SIGTERM);
	ok(!heed_ends(o.pid, o.pidfd, SIGTERM),
		"a pid 1 that is not prepared is not waited for when the time is over");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		(void)write(o.to, &rows[i].word, 1);
		ok(is_let_go(&o, SIGTERM), rows[i].what);
		end(&o);
		o = make(CLONE_NEWUSER | CLONE_NEWPID);
	}
	end(&o);
	return done_testing();
}
