/* SPDX-License-Identifier: Apache-2.0 */
#include "confine.h"
#include "auto.h"
#include "str.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What it comes to when a process confined as `who` does it: a signal, or 256 and more: exit status. */
static int fate(enum confine who, int (*what)(void))
{
	pid_t pid = fork();
	struct err e;
	int status;

	if (pid == 0)
		_exit(confine(who, &e) < 0 ? 99 : what());
	(void)waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 256 + WEXITSTATUS(status);
}

static int do_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}
static int do_exec(void)
{
	(void)execl("/bin/true", "true", NULL);
	return 1;
}
static int do_fork(void)
{
	return fork() >= 0;
}
static int do_trace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, 0, 0);
}
static int do_mount(void)
{
	return mount("none", "/mnt", "tmpfs", 0, NULL);
}
static int do_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}
static int do_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
static int do_more_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0;
}
/* fork() is another call with some libraries. */
static int do_clone(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0;
}
/* Where programs of 32 bits run: getpid() by its number there, which is a call that writes here. */
static int do_foreign(void)
{
#if defined(__x86_64__)
	int nr = 20;

	__asm__ volatile("int $0x80" : "+a"(nr) : : "memory", "r8", "r9", "r10", "r11");
	return nr < 0;
#else
	return (int)raise(SIGSYS);
#endif
}
static int stream[2]; /* which would answer */
static int do_ioctl(void)
{
	int n = 0;

	return ioctl(stream[0], FIONREAD, &n) < 0 && errno == ENOTTY ? 0 : 1;
}
static int do_kill(void)
{
	return kill(1, 0);
}
static int do_keys(void)
{
	return (int)syscall(SYS_keyctl, 0, 0, 0, 0, 0);
}
static int do_open(void)
{
	return open("/etc/passwd", O_RDONLY) < 0 && errno == ENOENT ? 0 : 1;
}
static void *nothing(void *arg)
{
	return arg;
}
static int do_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) != 0 || pthread_join(t, NULL) != 0;
}
static int do_work(void)
{
	char *p = realloc(malloc(100), 3000000);

	if (p)
		p[0] = p[2999999] = 1;
	free(p);
	return write(STDERR_FILENO, "", 0) != 0;
}

/* As a client's, who wants an exit code of his own. */
static void handle(int signo)
{
	if (getpid() != getppid())
		(void)signal(signo, SIG_DFL);
	(void)raise(signo);
}

static int be_asked(enum confine who, int signo, int sock)
{
	struct err e;
	char c = 'r';

	(void)signal(signo, handle);
	if (confine(who, &e) < 0)
		return 99;
	return write(sock, &c, 1) != 1 || read(sock, &c, 1) < 0;
}

/* What it comes to when such a process, which a client has started, is asked to end. */
static int fate_of_asked(enum confine who, int signo)
{
	int pair[2], status;
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	pid = fork();
	if (pid == 0)
		_exit(be_asked(who, signo, pair[1]));
	(void)close(pair[1]);
	(void)!read(pair[0], &c, 1);
	(void)kill(pid, signo); /* our child, not yet waited for */
	(void)waitpid(pid, &status, 0);
	(void)close(pair[0]);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 256 + WEXITSTATUS(status);
}

/* Whether the kernel knows such calls at all. */
static bool runs_foreign(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(do_foreign());
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void about(enum confine who, bool good, const char *what)
{
	static const char *const names[] = {
		[CONFINE_READER] = "a reader",
		[CONFINE_CONVERT] = "a converter",
		[CONFINE_SERVER] = "the server",
		[CONFINE_UNPACK] = "an unpacker",
		[CONFINE_IMPORT] = "an import",
		[CONFINE_QUOTA] = "who holds a quota",
		[CONFINE_WAIT] = "who only waits",
	};
	auto_free char *sentence = xasprintf("%s %s", names[who], what);

	ok(good, sentence);
}

static void test_calls(void)
{
	static const struct {
		const char *what;
		int (*call)(void);
	} never[] = {{"is ended by a socket", do_socket}, {"is ended by ptrace", do_trace},
		{"is ended by mount", do_mount}, {"is ended by a namespace", do_unshare},
		{"is ended by keys", do_keys}};

	(void)!pipe(stream);
	for (int who = 0; who < CONFINE_KINDS; who++) {
		for (size_t i = 0; i < ARRAY_LEN(never); i++)
			about(who, fate(who, never[i].call) == SIGSYS, never[i].what);
		if (who == CONFINE_WAIT)
			about(who, fate(who, do_work) == SIGSYS, "does no work");
		else
			about(who, fate(who, do_work) == 256, "can work");
		about(who, fate(who, do_ioctl) == 256, "is told that nothing is a device");
		about(who, !runs_foreign() || fate(who, do_foreign) == SIGSYS,
			"is ended by a call of another architecture");
		if (who != CONFINE_WAIT) /* which could not tell when to ask */
			about(who,
				fate_of_asked(who, SIGTERM) == SIGTERM &&
					fate_of_asked(who, SIGINT) == SIGINT,
				"ends as it is asked to");
		if (who == CONFINE_IMPORT)
			continue; /* it starts the helper */
		about(who,
			fate(who, do_exec) == SIGSYS && fate(who, do_fork) == SIGSYS &&
				fate(who, do_clone) == SIGSYS,
			"starts no process");
		about(who, fate(who, do_code) == SIGSYS && fate(who, do_more_code) == SIGSYS,
			"makes no code");
		about(who, fate(who, do_kill) == SIGSYS, "sends no signal");
	}
	ok(fate(CONFINE_CONVERT, do_open) == 256, "a converter sees no file, and lives");
	ok(fate(CONFINE_READER, do_open) == 256, "a reader neither");
	ok(fate(CONFINE_CONVERT, do_thread) == 256 && fate(CONFINE_SERVER, do_thread) == 256,
		"converter and server have threads");
	ok(fate(CONFINE_READER, do_thread) != 256, "a reader has none");
}

static char top[] = "/tmp/sbx-unit-XXXXXX";

/* Below "in", not beside it; the ways to write which a hostile archive would try. */
static int write_files(const char *in)
{
	char out[64], link[64];
	const int dir = open(in, O_RDONLY | O_DIRECTORY);
	struct err e;

	(void)snprintf(out, sizeof(out), "%s/out", top);
	(void)snprintf(link, sizeof(link), "%s/in/link", top);
	if (dir < 0 || confine_writes(&dir, 1, &e) < 0)
		return 99;
	if (openat(dir, "new", O_WRONLY | O_CREAT, 0600) < 0 || mkdirat(dir, "d", 0700) < 0 ||
		renameat(dir, "new", dir, "d/new") < 0 || symlinkat("../out", dir, "link") < 0)
		return 1;
	if (open(out, O_WRONLY) >= 0 || openat(dir, "link", O_WRONLY) >= 0 || unlink(out) == 0)
		return 2;
	if (openat(dir, "../other", O_WRONLY | O_CREAT, 0600) >= 0 || mkdirat(dir, "../e", 0700) == 0)
		return 3;
	if (renameat(dir, "d/new", dir, "../stolen") == 0 || linkat(dir, "d/new", dir, "../l", 0) == 0)
		return 4;
	return open(out, O_RDONLY) < 0 || open("/dev/null", O_RDWR) < 0 ? 5 : 0;
}

static void test_writes(void)
{
	char in[64], out[64];
	int status = -1, made;
	pid_t pid;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 2) {
		skip("files are written below the directory",
			"no package gives it: a kernel with Landlock");
		return;
	}
	if (!mkdtemp(top))
		return;
	(void)snprintf(in, sizeof(in), "%s/in", top);
	(void)snprintf(out, sizeof(out), "%s/out", top);
	made = mkdir(in, 0700) == 0 ? open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	ok(made >= 0 && close(made) == 0, "a file beside the directory");
	pid = fork();
	if (pid == 0)
		_exit(write_files(in));
	(void)waitpid(pid, &status, 0);
	is_int(status, 0, "files are written below the directory, and nowhere else");
}

static void test_words(void)
{
	struct err e;

	(void)confine_err("the reader", SIGSYS, &e);
	ok(strstr(e.text, "the reader was stopped") && e.kind == ERR_CORRUPT,
		"what such an end is called");
	(void)confine_err("it", 3 << 8, &e);
	is_str(e.text, "it ended with status 3", "an end with a status");
}

int main(void)
{
#ifndef __SANITIZE_ADDRESS__
	test_calls();
#endif
	test_writes();
	test_words();
	return done_testing();
}
