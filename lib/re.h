/* SPDX-License-Identifier: Apache-2.0 */
/*
 * re: Go's regular expressions (RE2's syntax), for the question whether one is found in a text. The C libraries
 * know other ones, each its own, and say in their own words what is wrong. Pure; nothing is tried twice, so no
 * expression takes for ever. Without \p{...}, which wants Unicode's tables; (?i) is ASCII's.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

struct re;

/* NULL and the error, in Go's words: "error parsing regexp: missing closing ]: `[`". */
struct re *re_parse(const char *text, struct err *e);
bool re_finds(const struct re *re, const char *s, size_t n);
void re_free(struct re *re);
static inline void re_freep(struct re **re)
{
	re_free(*re);
}
#define auto_re __attribute__((cleanup(re_freep)))
