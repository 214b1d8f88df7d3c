/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_wire: what the manager and lib/python/runner.py say to each other over the channel, a unix stream
 * socket. Pure: bytes to and from structs.
 *
 * To the runner: a length (4 bytes, little end first) and a dictionary in python's own marshal format, which it
 * reads without importing anything: `import json` alone is 3 ms, as much as starting a container.
 *
 * From it: frames of a kind (1 byte), a length (4 bytes, as above) and content. It is said by a process in which a
 * stranger's code runs: whatever comes is survived, and believed for what it is.
 *
 *	e type  m message  n line  t traceback  M (a MemoryError)
 *	g one figure  v variables as a JSON object  f name, zero byte, content of a file  i something was too large
 *	s what it leaves to the next of its session: bytes that only the runner reads
 *	d the code has come to its end
 *	x why python could not be exec'ed: from pid 1, which is not python, as the first and last of all
 *	w the command's wait status (4 bytes): from pid 1, when the command has ended
 *
 * pid 1 of a pid namespace cannot be killed by a signal from inside, so the python which runs a snippet must not
 * be it, or os.kill(os.getpid(), 15) and os.abort() would end in some other way. What ended it is told by `w`, exact where an
 * exit code can only say 128 + n.
 */
#pragma once

#include "eval_request.h"
#include "eval_result.h"

#define EVAL_REPLY_MAX (64UL << 20) /* bytes of all frames together: figures, files, variables */
/* What is small there may be large here. Beyond these a result is incomplete. */
#define EVAL_BLOBS_MAX  65536       /* figures and files */
#define EVAL_VALUES_MAX (2UL << 20) /* of all variables, those in lists and dictionaries too */
#define EVAL_TEXT_MAX   (1UL << 20) /* bytes of a message, of a traceback */

/* Adds the whole message, its length included. */
void eval_wire_request(const struct eval_request *r, struct buf *out);
/* Takes whole frames; a last one which is not whole (a program that was killed) is as good as not said.
 * wait_status: of the last 'w', else untouched. */
void eval_wire_reply(const char *bytes, size_t n, struct eval_result *r, int *wait_status);
