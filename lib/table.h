/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: aligns columns as docker does, like Go's tabwriter. A cell ends with a tab, a line with a newline; text behind
 * the last tab of a line belongs to no column. A column is three wider than its widest cell and at least ten wide, and
 * ends at a line that has no cell in it. Widths count characters, not bytes.
 */
#pragma once

#include "str.h"

void table_align(const char *text, size_t len, struct buf *out);
