/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detach: the keys that take a client off a terminal and leave the program there. Pure.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

#define DETACH_KEYS_MAX 32
#define DETACH_USUAL    "ctrl-p,ctrl-q"

struct detach {
	unsigned char keys[DETACH_KEYS_MAX];
	size_t n, matched; /* n 0: there are none */
};

/* words: "ctrl-a,x"; "" none. ERR_USAGE in docker's words. */
int detach_init(struct detach *d, const char *words, struct err *e);
/* Passes n bytes of input on to `to`, which has room for DETACH_KEYS_MAX more. True when the keys came: what follows
 * them is dropped. What only began like them is input after all, and passed on with what comes next. */
bool detach_pass(struct detach *d, const char *from, size_t n, char *to, size_t *passed);
