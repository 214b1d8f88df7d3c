/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err: errors are values with a history.
 *
 * The caller owns a `struct err`, usually on its stack; it holds no pointer and is
 * smaller than PIPE_BUF, so a child hands one to its parent in a single write.
 *
 *	if (open_it(path, e) < 0)
 *		return err_ctx(e, "container %s", name);
 *
 * err_set() and err_sys() state a cause, err_ctx() puts the caller's knowledge in front of
 * it; all three return -1. Text is lower case, without a full stop, outermost context first
 * and cause last, unless docker has its own words for the case: then docker's words.
 */
#pragma once

enum err_kind {
	ERR_NONE,
	ERR_USAGE,          /* the user's words make no sense: 125 from run, 1 elsewhere */
	ERR_NOT_FOUND,      /* no such container, image, ... */
	ERR_CONFLICT,       /* name in use, container running, ... */
	ERR_DENIED,         /* the kernel or a policy forbids it */
	ERR_UNSUPPORTED,    /* this machine or this version cannot do it */
	ERR_NO_OVERLAY,     /* the kernel refuses us an overlay here: fallback.h has another way */
	ERR_CORRUPT,        /* an image or a state file does not hold what it must */
	ERR_NO_COMMAND,     /* the container's command does not exist: 127 */
	ERR_NOT_EXECUTABLE, /* the container's command cannot be executed: 126 */
	ERR_RUNTIME,        /* docker's runtime (runc) refuses it as well, in these words */
	ERR_SYSTEM,         /* any other failure of a system call */
	ERR_UNMADE, /* docker fails already when creating the container: after such a run there is none */
	ERR_KINDS
};

struct err {
	enum err_kind kind; /* what a caller may branch on; fixes exit and HTTP status */
	int sys;            /* errno of the call which failed, or 0 */
	char text[1000];
};

/* State a cause. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* strerror() in Linux's words, whatever libc's are. */
const char *errno_text(int n);
/* State a cause which errno explains: "text: No such file or directory". Keeps errno. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same in lower case as Go has it, for sentences of docker's: "open a: no such file or directory". */
int err_go(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Put context in front: "context: text". */
int err_ctx(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *e);
/* Sanitises an error that was received from a process that reads untrusted bytes, and may send anything. */
void err_heard(struct err *e);
/* The exit status of a command which ends with this error; fallback where the kind fixes none. */
int err_exit_status(const struct err *e, int fallback);
