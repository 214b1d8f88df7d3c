/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_verb: Go's fmt, the part of it that knows no values but booleans, numbers and strings: one of them by a verb with its
 * flags, width and precision. Each adds to `out`; those that return false do not know the verb, and have added nothing.
 */
#pragma once

#include "str.h"

#include <stdint.h>

struct verb {
	char c;       /* 0: none; beyond ASCII: 1 */
	char name[5]; /* as it stands in the format */
	bool minus, plus, sharp, space, zero;
	bool plus_v, sharp_v; /* %+v, %#v: for these the flag itself is not set */
	bool erroring;        /* within "%!d(": no value speaks for itself */
	int width, precision; /* -1: not given */
};

#define VERB_V                                                      \
	{                                                           \
		.c = 'v', .name = "v", .width = -1, .precision = -1 \
	}

size_t verb_rune_len(const char *s, size_t left); /* 0: no UTF-8 */
void verb_quote(const char *s, size_t len, bool ascii, struct buf *out);
void verb_pad(const struct verb *f, const char *s, size_t len, struct buf *out);
bool verb_bool(const struct verb *f, bool b, struct buf *out);
bool verb_int(const struct verb *f, int64_t i, struct buf *out);
bool verb_real(const struct verb *f, double r, struct buf *out);
bool verb_complex(const struct verb *f, double r, double im, struct buf *out);
bool verb_string(const struct verb *f, const char *s, size_t len, struct buf *out);
/* As Go's encoding/json has a number. */
void verb_json_real(double r, struct buf *out);
