/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of hop.h: FD PATH ARGV... execs PATH with ARGV. FD, the socket to who started us, is to close with
 * that; it is told when there is none. Without arguments it waits until its input ends. Linked with nothing, so that
 * starting it costs next to nothing.
 */
#include "../hop.h"
#include "../raw.h"

#include <fcntl.h>

#if defined(__x86_64__)
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call hop_program\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: mov x0, sp\n bl hop_program\n");
#elif defined(__riscv) && __riscv_xlen == 64
__asm__(".globl _start\n_start: mv a0, sp\n call hop_program\n");
#else
#error how this processor begins a program belongs here
#endif

static int number(const char *s)
{
	int n = 0;

	for (; *s >= '0' && *s <= '9' && n < 1 << 20; s++)
		n = 10 * n + (*s - '0');
	return *s ? -1 : n;
}

static void __attribute__((noreturn, used)) hop_program(const long *stack)
{
	long argc = stack[0];
	char *const *argv = (char *const *)(stack + 1), *const *envp = argv + argc + 1;
	static struct hop_failed said; /* of zeros without a memset(), which some compilers call and nobody has here */
	int sock = argc > 3 ? number(argv[1]) : -1;
	long n = 0;

	if (argc == 1)
		while (raw_call(SYS_read, 0, (long)&said, 1, 0) > 0)
			;
	if (sock > 2) {
		/* A filter may have left one of the two. */
		if (raw_call(SYS_fcntl, sock, F_SETFD, FD_CLOEXEC, 0) < 0)
			said.sys = (int)-raw_call(
				SYS_close_range, sock, sock, HOP_CLOSE_RANGE_CLOEXEC, 0);
		if (said.sys == 0)
			said.sys = (int)-raw_call(
				SYS_execve, (long)argv[2], (long)(argv + 3), (long)envp, 0);
		said.there = raw_call(SYS_faccessat, AT_FDCWD, (long)argv[2], 0, 0) == 0;
		said.what = HOP_FAILED;
		for (; argv[2][n] && n < (long)sizeof(said.path) - 1; n++)
			said.path[n] = argv[2][n];
		(void)raw_call(SYS_write, sock, (long)&said, sizeof(said), 0); /* who is gone need not know */
	}
	raw_exit(127);
}
