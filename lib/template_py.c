/* SPDX-License-Identifier: Apache-2.0 */
/* lib/python/template.py, as bytes of this program. */
#include "keeper.h"

/* clang-format off */
__asm__(".section .rodata\n"
	".global keeper_template\n"
	"keeper_template:\n"
	".incbin \"lib/python/template.py\"\n"
	"1:\n"
	".balign 8\n"
	".global keeper_template_len\n"
	"keeper_template_len:\n"
	".quad 1b - keeper_template\n"
	".previous\n");
/* clang-format on */
