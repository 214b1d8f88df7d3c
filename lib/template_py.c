/* SPDX-License-Identifier: Apache-2.0 */
/* The template's python, and the shared object that it loads, as bytes of this program. */
#include "keeper.h"

#define BYTES(name, file)                               \
	__asm__(".section .rodata\n"                    \
		".balign 8\n"                           \
		".global " name "\n" name ":\n"         \
		".incbin \"" file "\"\n"                \
		"1:\n"                                  \
		".balign 8\n"                           \
		".global " name "_len\n" name "_len:\n" \
		".quad 1b - " name "\n"                 \
		".previous\n")

BYTES("keeper_template", "lib/python/template.py");
BYTES("keeper_isolate", SBX_BUILD "/isolate.so");
