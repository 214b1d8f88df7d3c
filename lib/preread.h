/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preread: what a program begins with is brought into the kernel's cache while it starts: its own file, and what a python
 * looks up and imports before anything else. By a process of its own, for it reads what the image server serves: a thread
 * of that one which waits for an answer of its own could not be killed. And only while nobody else wants the processor: before
 * each piece a thread has run that is SCHED_IDLE.
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

/* What begins with the first of paths (each ended by a 0) that is a program below the directory root. turn() is called
 * before each piece that is read. A hint: nobody hears what came of it. */
typedef void preread_turn(void *arg);
void preread(int root, const char *paths, size_t len, preread_turn *turn, void *arg);
/* Forks who does it, whenever nobody else wants the processor, and who dies with the caller; -1: nobody does. */
pid_t preread_start(int root, const char *paths, size_t len);
