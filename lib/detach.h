/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detach: recognises the key sequence that detaches a client from a container's terminal. Pure.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

#define DETACH_KEYS_MAX 32
#define DETACH_USUAL    "ctrl-p,ctrl-q"

struct detach {
	unsigned char keys[DETACH_KEYS_MAX];
	size_t n, matched; /* n 0: no sequence; matched: keys seen of it so far */
};

/* words: "ctrl-a,x", or "" for no sequence. ERR_USAGE in docker's words. */
int detach_init(struct detach *d, const char *words, struct err *e);
/* Copies n bytes of input to `to`, which has room for n + DETACH_KEYS_MAX. True: the sequence came; input behind it is
 * dropped. The beginning of a sequence is held back, and passed on later if it turns out to be other input. */
bool detach_pass(struct detach *d, const char *from, size_t n, char *to, size_t *passed);
