/* SPDX-License-Identifier: Apache-2.0 */
/*
 * human: numbers in docker's words, and texts cut to a column. All strings belong to the caller.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* "123MB": powers of 1000, `precision` digits. docker: 3 for images and ps, 4 elsewhere. */
char *human_size(double bytes, int precision);
/* "7.751GiB": powers of 1024. */
char *human_bytes(double bytes);
/* "3 seconds", "About a minute", "2 weeks". */
char *human_duration(int64_t seconds);
/* The same of the time that passed since t, with " ago". */
char *human_ago(const struct timespec *t);
/* "2024-01-02 03:04:05 +0000 UTC", in the local zone. */
char *human_time(int64_t seconds);
/* So many of a terminal do the n bytes take, of which none is a tab. */
size_t human_columns(const char *s, size_t n);
/* s, or what of it takes so many columns of a terminal with a "…" at its end: what East Asian scripts write takes two each. */
char *human_cut(const char *s, size_t columns);
