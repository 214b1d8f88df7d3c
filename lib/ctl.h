/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl: the protocol between a client and a container's supervisor, over a SEQPACKET socket: each message is one
 * frame, whose first byte is its kind and the rest its content.
 *
 * The client that starts a container is attached from the beginning, by a socket pair; others connect to the socket in
 * the container's runtime directory and send CTL_ATTACH.
 */
#pragma once

#include "err.h"
#include "store.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#define CTL_DATA_MAX 32768

enum ctl_kind {
	/* client to supervisor */
	CTL_ATTACH = 'A', /* struct ctl_attach */
	CTL_STDIN = 'I',  /* bytes */
	CTL_EOF = 'E',    /* the client's input has ended */
	CTL_RESIZE = 'W', /* struct ctl_size */
	CTL_SIGNAL = 'K', /* int32_t */
	CTL_STOP = 'Q', /* the user stops the container: no restart policy starts it again; content: as of CTL_KILLED */
	CTL_KILLED = 'D', /* uint64_t: a bit for each signal that the sender is about to send to the container */
	CTL_UPDATE = 'U', /* the spec has changed: read it again; answered by CTL_UPDATED */
	CTL_KEEP = 'R', /* the container will be started again: --rm must not remove it; answered by CTL_UPDATED */
	CTL_ASK = '?', /* whether the container goes on: answered by CTL_UPDATED, or if it is ending by CTL_EXIT only */
	CTL_TOLD = 'T', /* before CTL_STARTED: signals have come, which the client passes on as soon as there is a command */
	/* supervisor to client */
	CTL_UPDATED = 'u',
	CTL_STARTED = 's',
	CTL_FAILED = 'f', /* struct err */
	CTL_OUT = 'o',    /* bytes */
	CTL_ERR = 'e',    /* bytes */
	CTL_EXIT = 'x',   /* struct ctl_exit, then the result as JSON */
};

/* To a supervisor whose socket is in another runtime directory: as CTL_STOP and CTL_KEEP. */
#define CTL_STOP_SIGNAL SIGUSR1
#define CTL_KEEP_SIGNAL SIGUSR2

struct ctl_attach {
	uint8_t in, out, err, die_with_me;
};

struct ctl_size {
	uint16_t rows, cols;
};

struct ctl_exit {
	int32_t code;
};

struct ctl_frame {
	char kind;
	char data[CTL_DATA_MAX];
};

/* Sends one frame; -1: the other side is gone, or EAGAIN on a non-blocking socket. */
int ctl_send(int sock, enum ctl_kind kind, const void *data, size_t n);
/* Returns the length of the data, 0 or more; -1: the other side is gone. */
ssize_t ctl_recv(int sock, struct ctl_frame *f);

int ctl_listen(const struct store *s, const char *id, struct err *e);
int ctl_connect(const struct store *s, const char *id, struct err *e);
