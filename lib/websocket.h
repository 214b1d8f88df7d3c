/* SPDX-License-Identifier: Apache-2.0 */
/*
 * websocket: RFC 6455 as far as attaching needs it: what a client says in frames is bytes to whoever serves it, and
 * his bytes are binary frames to the client. No extensions.
 */
#pragma once

#include "str.h"

#define WEBSOCKET_ACCEPT 29 /* 28 letters and a 0 */

/* What proves to the client that its key was understood. */
void websocket_accept(const char *key, char out[WEBSOCKET_ACCEPT]);

/* Moves bytes until both sides have ended or the client is gone. conn: the client's; plain: a socket. early: what
 * the client sent behind its request. */
void websocket_pump(int conn, const struct buf *early, int plain);
