/* SPDX-License-Identifier: Apache-2.0 */
/* The python in lib/python, as bytes of this program. */
#include "eval.h"

/* clang-format off */
__asm__(".section .rodata\n"
	".global eval_runner\n"
	"eval_runner:\n"
	".incbin \"lib/python/runner.py\"\n"
	"1:\n"
	".balign 8\n"
	".global eval_runner_len\n"
	"eval_runner_len:\n"
	".quad 1b - eval_runner\n"
	".previous\n");
/* clang-format on */
