/* SPDX-License-Identifier: Apache-2.0 */
/* What sys does where the kernel, or who runs us, forbids a call. */
#include "sys.h"
#include "auto.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT = 20, KEPT_TOO = 23, ABOVE = 40 };

static void forbid(unsigned int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(9);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* In a child, that has nothing to say with afterwards: 0: the right ones are open. */
static int keep(bool without_range, bool without_proc)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int fds[] = {KEPT_TOO, -1, KEPT};

		if (without_proc && setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64}) < 0)
			_exit(8);
		for (int fd = 3; fd < ABOVE + 1; fd++)
			if (dup2(1, fd) < 0)
				_exit(7);
		if (without_range)
			forbid(SYS_close_range);
		if (without_proc)
			forbid(SYS_getdents64);
		sys_keep_only(fds, 3);
		for (int fd = 0; fd < 64; fd++)
			if (is_open(fd) != (fd == KEPT || fd == KEPT_TOO))
				_exit(1);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	return status;
}

/* A list of children like the kernel's, longer than what is read of it: what is read ends within the number of a process that
 * is no child, and begins with the number of one that must live. */
static bool write_list(const char *dir, pid_t other)
{
	enum { ROOM = 65535, DIGITS = 7 };
	auto_free char *of_thread = xasprintf("%s/thread-self", dir);
	auto_free char *path = xasprintf("%s/children", of_thread);
	FILE *f = mkdir(of_thread, 0700) == 0 ? fopen(path, "w") : NULL;
	int n = 0;

	if (!f)
		return false;
	while (n + DIGITS + 1 + DIGITS <= ROOM) /* no kernel has a process of that number */
		n += fprintf(f, "9999999 ");
	(void)fprintf(f, "%0*d999 ", ROOM - n, (int)other);
	return fclose(f) == 0;
}

static void kill_children(void)
{
	char dir[] = "/tmp/sbx-sys-XXXXXX";
	int status = 0, pair[2], at = -1;
	pid_t other, killer;
	auto_free char *clean = NULL;

	if (pipe(pair) < 0 || !mkdtemp(dir))
		return;
	other = fork();
	if (other == 0) {
		char byte;

		(void)close(pair[1]);
		_exit(read(pair[0], &byte, 1) == 1 ? 5 : 6);
	}
	at = write_list(dir, other) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	killer = fork();
	if (killer == 0) { /* who has no children */
		sys_kill_children(at, 0);
		_exit(0);
	}
	(void)waitpid(killer, &status, 0);
	ok(at >= 0 && status == 0, "children of a long list are killed");
	(void)!write(pair[1], "g", 1);
	(void)waitpid(other, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 5,
		"and not the process whose number is the beginning of one that did not fit");
	(void)close(at);
	clean = xasprintf("rm -rf %s", dir);
	ok(system(clean) == 0, "cleaned up");
}

static void after(void)
{
	is_int(sys_after(3, 4), 7, "four later than three");
	is_int(sys_after(3, INT64_MAX), INT64_MAX, "nothing is later than the last moment");
}

#define BEFORE  "Name:\tGroups:\nState:\tS (sleeping)\nGid:\t0\t0\t0\t0\nGroups:"
#define BEHIND  "NSpid:\t4321\t1\nVmPTE:\t      40 kB\nRssShmem:\t  307200 kB\n"
#define MEANING BEFORE "\n" BEHIND
#define AT_MOST 65536 /* groups of a process */

/* Such a file of a process with as many groups as are in so many bytes. */
static void write_status(int fd, const char *groups, size_t bytes)
{
	(void)!ftruncate(fd, 0);
	(void)!pwrite(fd, BEFORE, strlen(BEFORE), 0);
	(void)!pwrite(fd, groups, bytes, strlen(BEFORE));
	(void)!pwrite(fd, "\n" BEHIND, strlen("\n" BEHIND), (off_t)(strlen(BEFORE) + bytes));
}

static bool is_read(int fd, size_t room)
{
	char text[4096];
	ssize_t n = sys_status(fd, text, room);
	size_t whole = strlen(MEANING), want = room - 1 < whole ? room - 1 : whole;

	return n == (ssize_t)want && text[n] == '\0' && memcmp(text, MEANING, want) == 0;
}

static void status(void)
{
	auto_close int fd = memfd_create("status", MFD_CLOEXEC);
	auto_free char *groups = xcalloc(AT_MOST, sizeof(" 4294967294"));
	size_t size = AT_MOST * strlen(" 4294967294");
	bool each_end = true, each_room = true;
	char text[512];

	for (size_t i = 0; i < size; i++)
		groups[i] = " 4294967294"[i % strlen(" 4294967294")];
	for (size_t bytes = 0; bytes < 600; bytes++) { /* pieces are of 200 bytes or less */
		write_status(fd, groups, bytes);
		each_end = is_read(fd, 200) && each_end;
	}
	ok(each_end, "a status without its groups, wherever in a piece these end");
	for (size_t room = strlen(BEFORE) + 2; room < 600; room++)
		each_room = is_read(fd, room) && each_room;
	ok(each_room, "or of whatever length pieces are; what has no room is missing");
	write_status(fd, groups, size);
	ok(is_read(fd, 4096), "of a process with all the groups that it can have");
	ok(sys_get_status(AT_FDCWD, "/proc/self/status", text, sizeof(text)) > 0 && strstr(text, "\nPid:"),
		"the kernel's own");
	is_int(sys_get_status(AT_FDCWD, "/proc/nobody/status", text, sizeof(text)), -1, "of nobody");
}

int main(void)
{
	is_int(keep(false, false), 0, "all but two descriptors are closed");
	is_int(keep(true, false), 0, "likewise where nobody may close a range");
	is_int(keep(true, true), 0, "and where it cannot be seen which there are");
	kill_children();
	after();
	status();
	return done_testing();
}
