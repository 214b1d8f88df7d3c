/* SPDX-License-Identifier: Apache-2.0 */
/*
 * human: sizes and durations in docker's words, and texts cut to a column's width. The caller frees every string.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* "123MB": powers of 1000, `precision` digits: docker has 3 for images and ps, 4 elsewhere. */
char *human_size(double bytes, int precision);
/* "7.751GiB": powers of 1024. */
char *human_bytes(double bytes);
/* "3 seconds", "About a minute", "2 weeks". */
char *human_duration(int64_t seconds);
/* The time since t, with " ago". */
char *human_ago(const struct timespec *t);
/* "2024-01-02 03:04:05 +0000 UTC", in the local zone. */
char *human_time(int64_t seconds);
/* The number of a terminal's columns that n bytes take, none of which is a tab. */
size_t human_columns(const char *s, size_t n);
/* s, cut with a "…" to so many columns of a terminal; East Asian characters take two each. */
char *human_cut(const char *s, size_t columns);
