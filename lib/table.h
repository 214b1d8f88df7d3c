/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: columns as docker aligns them. Cells end with a tab, lines with a newline; what follows
 * the last tab of a line belongs to no column. A column is as wide as its widest cell and three more, ten
 * at least, and ends where a line has no cell in it. Widths count characters, not bytes.
 */
#pragma once

#include "str.h"

void table_align(const char *text, size_t len, struct buf *out);
