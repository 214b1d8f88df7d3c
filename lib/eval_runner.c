/* SPDX-License-Identifier: Apache-2.0 */
/* The python in lib/python, as bytes of this program. */
#include "eval.h"

/* clang-format off */
#define EMBED(name, file)                 \
	__asm__(".section .rodata\n"     \
		".global " name "\n"     \
		name ":\n"               \
		".incbin \"" file "\"\n" \
		"1:\n"                   \
		".balign 8\n"            \
		".global " name "_len\n" \
		name "_len:\n"           \
		".quad 1b - " name "\n"  \
		".previous\n")
/* clang-format on */

EMBED("eval_runner", "lib/python/runner.py");
EMBED("eval_more", "lib/python/more.py");
