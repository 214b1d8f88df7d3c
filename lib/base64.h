/* SPDX-License-Identifier: Apache-2.0 */
/* base64: bytes as the letters of RFC 4648, and back. */
#pragma once

#include "str.h"

void base64_add(struct buf *to, const void *bytes, size_t n);
/* Strict: whole groups of four, padding at the end alone. False: `to` is as it was. */
bool base64_read(struct buf *to, const char *text, size_t n);
