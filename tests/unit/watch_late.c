/* SPDX-License-Identifier: Apache-2.0 */
/* A look at a process's memory, for which there may be no time. */
#include "watch_parts.h"

#include "auto.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1 << 20)

/* A process in a namespace of its own, by which it is told from others, with so much memory; it sleeps. */
static pid_t start(size_t bytes, int flags)
{
	int ready[2];
	char c = 0;
	pid_t pid = pipe(ready) < 0 ? -1 : fork();

	if (pid == 0) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (p == MAP_FAILED || unshare(CLONE_NEWUSER | CLONE_NEWIPC) < 0)
			_exit(1);
		memset(p, 1, bytes);
		(void)!write(ready[1], &c, 1);
		for (;;)
			(void)pause();
	}
	(void)close(ready[1]);
	c = read(ready[0], &c, 1) == 1;
	(void)close(ready[0]);
	return c ? pid : -1;
}

static void begin(struct watch *w, int proc, pid_t pid, int64_t memory)
{
	struct plan p = {.own_memory = memory};
	char spare[2][16] = {"", ""}, path[64];
	struct stat in = {0};

	(void)snprintf(path, sizeof(path), "%d/ns/ipc", (int)pid);
	ok(fstatat(proc, path, &in, 0) == 0, "its namespace");
	watch_begin_some(w, &p, proc, "ns/ipc", &in, spare);
}

static void end(struct watch *w, pid_t pid)
{
	watch_end(w);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void test_shared(int proc)
{
	pid_t pid = start(8 * MB, MAP_SHARED);
	struct watch w;

	begin(&w, proc, pid, 1LL << 50);
	watch_count_shm(&w);
	is_int(w.shm.bytes, 8 * MB, "shared memory");
	w.end = 1;
	w.shm.base = 1LL << 60;
	watch_count_shm(&w);
	is_int(w.shm.bytes, 0, "is not looked for when the time is up");
	w.shm.base = -(1LL << 40);
	watch_count_shm(&w);
	ok(w.shm.bytes >= 1LL << 40, "what is new in the machine counts then");
	is_int(w.shm.base, -(1LL << 40), "and what others have is not learned from it");
	w.end = 0;
	watch_count_shm(&w);
	is_int(w.shm.bytes, 8 * MB, "when there is time it is");
	end(&w, pid);
}

static void test_own(int proc)
{
	pid_t pid = start(8 * MB, MAP_PRIVATE);
	int64_t next = 0;
	struct watch w;

	begin(&w, proc, pid, MB);
	w.end = 1;
	is_int(watch_look(&w, &next), WATCH_FINE, "whose time is up, has not too much memory");
	ok(next > 0, "looked at again");
	is_int(w.n_victims, 0, "nobody is killed");
	w.end = 0;
	is_int(watch_look(&w, &next), WATCH_FINE, "with time, the process that holds most");
	is_int(w.n_victims, 1, "is killed");
	end(&w, pid);
}

int main(void)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = start(MB, MAP_PRIVATE);

	if (pid < 0) {
		skip("a process can be told by its namespace", "no user namespaces");
		return done_testing();
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	test_shared(proc);
	test_own(proc);
	return done_testing();
}
