/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: passes bytes between a connection that stopped being HTTP and a program.
 *
 * Without a terminal, output is sent in docker's frames: the stream's number, three 0 bytes, the length in four bytes,
 * big-endian. Nothing is sent before the client has read the head of the answer: docker-py reads the head through a buffer but
 * the stream directly from the socket, so it would lose what comes together with the head. Input comes unframed; its end is
 * the client's half-close. A client that reads slowly slows the program down; one that disconnects does not stop it.
 */
#pragma once

#include "detach.h"
#include "engine.h"
#include "str.h"

#include <sys/types.h>

enum { STREAM_IN, STREAM_OUT, STREAM_ERR };

struct stream {
	int conn;
	bool framed;
	bool in, out, err; /* which streams the client wants */
	bool ends; /* stream_ctl(): the end of its input ends the stream, as the program's stays open */
	struct buf input; /* input that came with the request; owned by this */
	bool heard;       /* the client has read the head of the answer */
	struct detach detach;
	bool detached; /* the keys came: the connection is shut, the program goes on */
	void (*on_detach)(void *arg); /* called at that moment; or NULL */
	void *on_detach_arg;
};

void stream_done(struct stream *s);
#define auto_stream __attribute__((cleanup(stream_done)))

/* Writes the header of a frame of n bytes. */
void stream_header(char to[8], int stream, size_t n);
/* Sends some bytes, blocking; to be called before or after everything else. */
void stream_say(struct stream *s, int stream, const char *bytes, size_t n);

/* Passes bytes on until the command has ended; calls ended() at that moment, before the last output is sent. resize: a signalfd
 * that brings sizes (exec resize), or -1. */
void stream_exec(struct stream *s, struct exec_io *io, int resize, void (*ended)(void *arg), void *arg);
/* Passes bytes between the connection and a supervisor (ctl.h) until one of them ends. */
void stream_ctl(struct stream *s, int ctl);
