/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp: moments as text, in those formats of Go's time package that docker writes and reads. Pure, except for the local
 * time zone in stamp_parse(). Does not use gmtime_r(), as glibc's reads /etc/localtime.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define STAMP_SIZE 40
/* "2025-01-02T03:04:05.6789Z": as many digits as needed (RFC3339Nano). */
void stamp_print(const struct timespec *t, char out[STAMP_SIZE]);
/* "2025-01-02T03:04:05.678900000Z": always nine digits. */
void stamp_print_fixed(const struct timespec *t, char out[STAMP_SIZE]);
#define STAMP_NEVER (-62135596800ll) /* seconds: the year 1, Go's zero time */
/* Reads any RFC 3339 time. */
bool stamp_read(const char *s, struct timespec *out);
/* Reads --since and --until: "10m" ago, Unix time with or without a fraction, RFC 3339, or its beginning up to the day, hour or
 * minute; in local time if there is no zone. On failure docker's sentence. */
int stamp_parse(const char *s, const struct timespec *now, struct timespec *out, struct err *e);
/* Reads Unix time, to which docker's client converts what a user wrote; it may be "-62135596800.5". */
bool stamp_unix(const char *s, struct timespec *out);
/* The same; on failure an error in Go's words. */
int stamp_sent(const char *s, struct timespec *out, struct err *e);
/* In UTC; the seconds of the day may lie outside of it. */
struct timespec stamp_moment(int year, int month, int day, long second, long ns);
/* The date that is so many days after 1970-01-01. */
void stamp_date(int64_t days, int64_t *year, int *month, int *day);
/* A duration, not negative, as Go prints it: "300ms", "1.5s", "1m0s". */
#define STAMP_DURATION_SIZE 40
void stamp_duration(int64_t ns, char out[STAMP_DURATION_SIZE]);
int stamp_cmp(const struct timespec *a, const struct timespec *b);
