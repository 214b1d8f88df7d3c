/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heed: whether a pid 1 heeds a signal. The kernel drops one that the pid 1 of a namespace neither catches nor blocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Waits until it would heed the signal or has ended, until_ns of sys_now_ns() at most. At once where it ignores the signal, or need
 * not catch it to be ended by it, being no pid 1. */
void heed_wait(pid_t pid, int pidfd, int signo, int64_t until_ns);
/* Whether it catches the signal, and has then ended within a moment. */
bool heed_ends(pid_t pid, int pidfd, int signo);
