/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_wire: the protocol between the manager and lib/python/runner.py on the channel, a unix stream socket. Pure: bytes to
 * and from structs.
 *
 * To the runner: a length (4 bytes, little-endian) and a dictionary in python's own marshal format, which it reads without
 * importing anything: `import json` alone is 3 ms, as much as starting a container.
 *
 * From the runner: frames of a kind (1 byte), a length (4 bytes, little-endian) and content. They come from a process that
 * runs untrusted code, so any bytes must be handled.
 *
 *	e type  m message  n line  t traceback  M (a MemoryError)
 *	g one figure  v variables as a JSON object  f name, zero byte, content of a file  i something was too large
 *	s state for the session's next request: bytes that only the runner can read
 *	d the code has run to its end
 *
 * The python that runs a snippet must not be pid 1: a signal from inside the pid namespace cannot kill that, so that
 * os.kill(os.getpid(), 15) and os.abort() would behave differently. What ended it is told by pid 1, exact where an exit code
 * can only say 128 + n. Of what comes over the channel the snippet could have sent any, and kept the rest back; so before it
 * starts python, pid 1 sends one byte `p` with the reading end of a pipe. There come:
 *
 *	x why python could not be exec'ed
 *	w its wait status (4 bytes)
 */
#pragma once

#include "eval_request.h"
#include "eval_result.h"

#define EVAL_REPLY_MAX (64UL << 20) /* bytes of all frames together: figures, files, variables */
/* Decoded, few bytes of frames may take much memory. Beyond these bounds the result is incomplete. */
#define EVAL_BLOBS_MAX  65536       /* figures and files */
#define EVAL_VALUES_MAX (2UL << 20) /* of all variables, those in lists and dictionaries too */
#define EVAL_TEXT_MAX   (1UL << 20) /* bytes of a message, of a traceback */

/* Appends the message with its length. */
void eval_wire_request(const struct eval_request *r, struct buf *out);
/* Reads the runner's frames into the result; an incomplete last one (of a program that was killed) is ignored. */
void eval_wire_reply(const char *bytes, size_t n, struct eval_result *r);
/* Likewise pid 1's frames. wait_status: unchanged if that does not tell it. */
void eval_wire_pid1(const char *bytes, size_t n, struct eval_result *r, int *wait_status);
