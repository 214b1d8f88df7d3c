/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preread: while a program is being started, brings what it will read first into the kernel's cache: its own file, and for
 * python what that looks up and imports at its beginning. In a process of its own, because it reads from the image server: a
 * thread of the server that waited for the server's own answer could not be killed. Only while the processor is idle: before
 * each piece a SCHED_IDLE thread must have run.
 *
 * A first run from a .sqsh, of the time without (python3: alternated, 35 pairs and more, four times):
 *
 *	python3                                  0.92
 *	its modules without the program          0.99
 *	the program without its modules          0.97
 *	with nice 10 instead of that thread      1.0
 *	begun when the program is decoded        1.1
 *	true                                     0.9
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define PREREAD_MAX (8u << 20) /* bytes of one program */

/* paths: each ended by a 0; the first one that is a program below the directory root counts. turn() is called before each piece
 * that is read. A hint: errors are ignored. */
typedef void preread_turn(void *arg);
void preread(int root, const char *paths, size_t len, preread_turn *turn, void *arg);
/* Forks a process that does it at idle priority and dies with the caller; returns its pid, or -1. */
pid_t preread_start(int root, const char *paths, size_t len);
