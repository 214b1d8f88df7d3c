/* SPDX-License-Identifier: Apache-2.0 */
/*
 * websocket: RFC 6455 as far as attaching needs it: the client's frames become plain bytes, and plain bytes become binary
 * frames to the client. No extensions.
 */
#pragma once

#include "str.h"

#define WEBSOCKET_ACCEPT 29 /* 28 characters and a 0 */

/* The value of Sec-WebSocket-Accept for the client's key. */
void websocket_accept(const char *key, char out[WEBSOCKET_ACCEPT]);

/* Passes bytes on until both sides have ended or the client is gone. conn: the client's connection; plain: a socket with plain
 * bytes. early: what the client has already sent behind its request. */
void websocket_pump(int conn, const struct buf *early, int plain);
