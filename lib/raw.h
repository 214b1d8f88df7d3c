/* SPDX-License-Identifier: Apache-2.0 */
/* raw: system calls without libc, which do not touch errno: for a program that is linked without libc (hop/program.c), and for a
 * process that shares its memory with another one. A failure is returned as the negative errno. */
#pragma once

#include <sys/syscall.h>

/* clang-format off */
#if defined(__x86_64__)
static inline long raw_call(long n, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return r;
}
#elif defined(__aarch64__)
static inline long raw_call(long n, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#elif defined(__riscv) && __riscv_xlen == 64
static inline long raw_call(long n, long a, long b, long c, long d)
{
	register long a7 __asm__("a7") = n, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}
#else
#error how this processor calls the kernel belongs here
#endif
/* clang-format on */

/* A seccomp profile of the user's may refuse even this call; then the processor ends us, pid 1 included. */
static inline void __attribute__((noreturn)) raw_exit(int code)
{
	(void)raw_call(SYS_exit_group, code, 0, 0, 0);
	__builtin_trap();
}
