/* SPDX-License-Identifier: Apache-2.0 */
/* quote: text and characters in quotes, as Go's strconv writes them: what a terminal would not show is escaped. Pure. */
#pragma once

#include "str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ascii: everything beyond ASCII is escaped, too. */
void quote_text(const char *s, size_t len, bool ascii, struct buf *out);
/* One character, without the quotes around it. quote: '"' or '\''. */
void quote_rune(uint32_t c, char quote, bool ascii, struct buf *out);
bool quote_printable(uint32_t c);
