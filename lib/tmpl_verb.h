/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_verb: the part of Go's fmt that formats booleans, numbers and strings by a verb with flags, width and precision. Functions
 * append to `out`; false: the verb is not for that type, and nothing was appended.
 */
#pragma once

#include "str.h"

#include <stdint.h>

struct verb {
	char c;       /* 0: none; 1: a character beyond ASCII */
	char name[5]; /* the verb as it stands in the format */
	bool minus, plus, sharp, space, zero;
	bool plus_v, sharp_v; /* %+v, %#v: for these the flag itself is not set */
	bool erroring;        /* within "%!d(": String() and the like are not called */
	int width, precision; /* -1: not given */
};

#define VERB_V                                                      \
	{                                                           \
		.c = 'v', .name = "v", .width = -1, .precision = -1 \
	}

void verb_pad(const struct verb *f, const char *s, size_t len, struct buf *out);
bool verb_bool(const struct verb *f, bool b, struct buf *out);
bool verb_int(const struct verb *f, int64_t i, struct buf *out);
bool verb_real(const struct verb *f, double r, struct buf *out);
bool verb_complex(const struct verb *f, double r, double im, struct buf *out);
bool verb_string(const struct verb *f, const char *s, size_t len, struct buf *out);
/* As Go's encoding/json writes a number. */
void verb_json_real(double r, struct buf *out);
