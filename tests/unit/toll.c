/* SPDX-License-Identifier: Apache-2.0 */
#include "toll.h"
#include "auto.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* A child that has used so much of a processor, and waits. */
static pid_t who_worked(clock_t much)
{
	int told[2];
	char word;
	pid_t pid;

	if (pipe(told) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		while (clock() < much)
			;
		(void)close(told[1]);
		for (;;)
			(void)pause();
	}
	(void)close(told[1]);
	(void)!read(told[0], &word, 1);
	(void)close(told[0]);
	return pid;
}

/* In a procfs of their own they would be alone; here others are there as well. */
static void crowds(int proc)
{
	pid_t pids[64];

	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		pids[i] = who_worked(0);
	ok(toll_crowd(proc), "sixty-four are a crowd");
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		(void)kill(pids[i], SIGKILL);
	ok(!toll_crowd(-1), "where nobody can be seen there is none");
}

int main(void)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = who_worked(CLOCKS_PER_SEC / 5);
	struct toll parts = {0}, rest = {0};
	int64_t used;

	while (toll_take(proc, &parts) &&
		parts.asked < pid) /* at times its while is over before it has asked anybody */
		;
	ok(parts.asked >= pid, "each time it goes on behind those whom it asked");
	ok(parts.user_us + parts.system_us >= 150000, "who worked is counted");
	ok(parts.peak > 0, "so is what they hold");
	rest.asked = pid - 1;
	toll_take_rest(proc, &rest);
	used = rest.user_us + rest.system_us;
	ok(rest.asked >= pid && used >= 150000, "the rest begins behind those whom it asked");
	toll_take_rest(proc, &rest);
	ok(rest.user_us + rest.system_us - used < 150000, "nobody is counted twice");
	(void)kill(pid, SIGKILL);
	crowds(proc);
	return done_testing();
}
