/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp: moments as text, in the forms of Go's time package which docker writes and reads. Pure, but for
 * the local time zone in stamp_parse(). gmtime_r is not used: glibc's reads /etc/localtime for it.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define STAMP_SIZE 40
/* "2025-01-02T03:04:05.6789Z": as many digits as needed; docker's RFC3339Nano. */
void stamp_print(const struct timespec *t, char out[STAMP_SIZE]);
/* "2025-01-02T03:04:05.678900000Z": always nine. */
void stamp_print_fixed(const struct timespec *t, char out[STAMP_SIZE]);
/* What stamp_print wrote, or any RFC 3339. */
bool stamp_read(const char *s, struct timespec *out);
/* --since and --until: "10m" before now, Unix time with or without a fraction, RFC 3339 or a beginning of it (in
 * local time where no zone is told); a beginning is a day, an hour or a minute. docker's sentence on failure. */
int stamp_parse(const char *s, const struct timespec *now, struct timespec *out, struct err *e);
/* Unix time alone, as docker's client sends it when it has read what a user wrote: "-62135596800.5" as well. */
bool stamp_unix(const char *s, struct timespec *out);
/* The same for what must be one; Go's words. */
int stamp_sent(const char *s, struct timespec *out, struct err *e);
/* In UTC; the seconds of the day may lie outside of it. */
struct timespec stamp_moment(int year, int month, int day, long second, long ns);
/* The day which is so many days after 1970-01-01. */
void stamp_date(int64_t days, int64_t *year, int *month, int *day);
/* A duration as Go prints it, of 0 and more: "300ms", "1.5s", "1m0s". */
#define STAMP_DURATION_SIZE 40
void stamp_duration(int64_t ns, char out[STAMP_DURATION_SIZE]);
int stamp_cmp(const struct timespec *a, const struct timespec *b);
