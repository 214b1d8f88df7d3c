/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: a connection that stopped being HTTP, and the program behind it.
 *
 * Without a terminal output goes in docker's frames: the stream's number, three 0 bytes, the length in four,
 * big end first. Nothing is sent before the client has read the head of the answer: docker-py reads that through a
 * buffer and the stream past it, and what came together with the head would be lost to it. Input comes as it is, and its end is the client's half-close. Who reads slowly slows the
 * program down; who is gone does not stop it.
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
	bool in, out, err; /* which ones the client wants */
	struct buf input;  /* what came with the request; ours */
	bool heard;        /* the client has read the head of the answer */
	struct detach detach;
	bool detached; /* the keys came: the connection is shut, what it was to goes on */
	void (*on_detach)(void *arg); /* called at that moment; or NULL */
	void *on_detach_arg;
};

void stream_done(struct stream *s);
#define auto_stream __attribute__((cleanup(stream_done)))

/* The eight bytes in front of n bytes. */
void stream_header(char to[8], int stream, size_t n);
/* Blocking: some bytes, before or after all else. */
void stream_say(struct stream *s, int stream, const char *bytes, size_t n);

/* Moves bytes until the command has ended; ended() is called at that moment, before the last of its output
 * is sent. resize: a signalfd which brings sizes (exec resize), or -1. */
void stream_exec(struct stream *s, struct exec_io *io, int resize, void (*ended)(void *arg), void *arg);
/* Moves bytes between the connection and a supervisor (ctl.h) until one of them ends. */
void stream_ctl(struct stream *s, int ctl);
