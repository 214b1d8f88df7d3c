/* SPDX-License-Identifier: Apache-2.0 */
/* base64: RFC 4648's encoding, both ways. */
#pragma once

#include "str.h"

/* Appends the encoded bytes. */
void base64_add(struct buf *to, const void *bytes, size_t n);
/* Appends the decoded bytes. Strict: whole groups of four, padding only at the end. False: not base64, `to` is unchanged. */
bool base64_read(struct buf *to, const char *text, size_t n);
