/* SPDX-License-Identifier: Apache-2.0 */
/* To take a process's memory apart is a third of what a brief snippet takes, and stands before its end is told. So a
 * second process has the same memory, does nothing, and dies with the cell: what stands before is to count one down.
 *
 * It may do nothing at all: its memory is the snippet's, thread-local words, stack and all. It is given no stack and
 * writes nowhere, so it is a few instructions. It is a process of the cell like any other of the snippet's, which may
 * stop or kill it: then its own end takes as long as it does. Its parent is the cell's pid 1, so that nobody who waits
 * for his children meets it: the one who made it has ended.
 *
 * Outside of the cell whoever runs in the same memory would have the template's rights to lose. It would be counted as well, so it
 * is killed when memory is looked at for the first time (pool_worker.c); who runs that long does not notice. */
#include "isolate.h"

#include <linux/sched.h>
#include <linux/wait.h>
#include <signal.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

/* The first one, of which the caller waits for the end, closes what both have open and makes the second one. */
static long make_holder(void)
{
	register long nothing4 __asm__("r10") = 0;
	register long nothing5 __asm__("r8") = 0;
	long result;

	// clang-format off
	__asm__ volatile(
		"syscall\n\t"
		"test %%rax, %%rax\n\t"
		"jnz 2f\n\t"
		"mov %[close_range], %%eax\n\t"
		"xor %%edi, %%edi\n\t"
		"mov $-1, %%esi\n\t"
		"xor %%edx, %%edx\n\t"
		"syscall\n\t"
		"mov %[clone], %%eax\n\t"
		"mov %[shared], %%edi\n\t"
		"xor %%esi, %%esi\n\t"
		"syscall\n\t"
		"test %%rax, %%rax\n\t"
		"jz 1f\n\t"
		"mov %[exit], %%eax\n\t"
		"xor %%edi, %%edi\n\t"
		"syscall\n"
		"1:\n\t"
		"mov %[pause], %%eax\n\t"
		"syscall\n\t"
		"jmp 1b\n"
		"2:"
		: "=a"(result), "+r"(nothing4), "+r"(nothing5)
		: "a"(SYS_clone), "D"(CLONE_VM | CLONE_VFORK), "S"(0), "d"(0), [shared] "i"(CLONE_VM),
		  [clone] "i"(SYS_clone), [close_range] "i"(SYS_close_range), [exit] "i"(SYS_exit_group),
		  [pause] "i"(SYS_pause)
		: "rcx", "r11", "memory");
	// clang-format on
	return result;
}

#else /* the end takes longer */

static long make_holder(void)
{
	return -1;
}

#endif

int hold_memory(void)
{
	const unsigned long all = ~0UL, none = 0; /* sets of signals, as the kernel has them */
	long first;

	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof(all)); /* it can handle none */
	first = make_holder();
	if (first > 0)
		(void)syscall(SYS_wait4, first, 0, __WCLONE, 0);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof(none));
	return first > 0 ? 0 : -1;
}
