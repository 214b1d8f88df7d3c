/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper: pid 1 of a pool's container: this program, exec'ed anew. It makes cells (cell.h) and starts the template, the
 * python from which each request is forked; neither of them runs untrusted code. Its standard input is a socket to the
 * manager (template.h); it ends when the manager does.
 *
 * Keeper and template each serve one request after the other. To use several processors there are lanes: the first one is
 * served by these two processes, each further one by a fork of each, made after the template has imported everything.
 *
 *	manager -> keeper    'b' and [the seccomp program, the template's own socket to the manager, and for each further
 *	                         lane its keeper's and its template's socket to the manager]: begin
 *	                     'c' number and [channel, stdout, stderr]: make a cell, and a child of the template in it
 *	                         haste: a request waits for it, or for a processor
 *	                         cpu: the processor to do that on; -1: any
 *	keeper  -> manager   'c' number and [pid 1's pidfd, /proc, files]: it is being forked
 *	                     'f' number and an error's text: it could not be made
 *	                     'x' and text: the template has ended
 *	keeper  -> template  'f' number, haste, cpu and [pidfd, channel, stdout, stderr]: fork
 *	template -> manager  "r TEXT": ready; a line for each module that could not be imported
 *	                     struct keeper_end: a child has ended
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEPER_NAME "sbx-keeper" /* argv[0] of it */
#define KEEPER_PATH "/dev/" KEEPER_NAME
#define KEEPER_TEXT 4000

#define KEEPER_LANES 64 /* at most */

/* The first frame (eval_wire.h) of a child on its channel, from before it runs untrusted code; later ones cannot contradict. */
#define KEEPER_ISOLATED 'Y'
#define KEEPER_HELD \
	'H' /* isolated, and process KEEPER_HOLDER of its cell shares its memory (python/hold.c) */
#define KEEPER_REFUSED 'X' /* it could not be isolated; content: why */
#define KEEPER_HOLDER  "4"

struct keeper_message {
	char what;
	bool haste;
	int16_t cpu;
	uint32_t number;
	char text[KEEPER_TEXT]; /* only what is used of it is sent */
};

struct keeper_end {
	char what; /* 'e' */
	uint32_t number;
	int32_t status; /* as waitpid() gives it */
	uint64_t user_us, system_us;
	int64_t maxrss_kb;
};

/* The python of the template (lib/python/template.py). */
extern const char keeper_template[];
extern const size_t keeper_template_len;
/* The shared object that it loads (lib/python/isolate.h). */
extern const char keeper_isolate[];
extern const size_t keeper_isolate_len;

/* argv: its name, the bytes that a cell's files may take, the processes that a cell may have, the name of python, modules... */
int keeper_main(int argc, char **argv);
