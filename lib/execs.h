/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execs: execs of the API, which have an id: created, started once, and inspected by any process.
 *
 *   runtime/x/<store>-<first half of the container's id>/<rest>    JSON, replaced whole
 *
 * The exec's id is that half followed by <rest>, which is random; so it is found without a search. <store> is the device and
 * inode of the store's root, since stores may share a runtime directory. The process that started it
 * (its keeper) holds a lock on the file until it has written how the exec ended: whether the lock is held tells a reader
 * whether it runs. Files are removed with their container, or when a new exec is created five minutes after their end.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"
#include "store.h"

struct exec_object {
	id_text id, container;
	json_t *config; /* the body of the create request */
	enum { EXEC_CREATED, EXEC_RUNNING, EXEC_ENDED } phase;
	int exit_code;
	pid_t pid, keeper; /* 0: none */
	uint64_t pid_start;
	uint64_t life; /* of the container's: when that pid 1 began */
	int lock;      /* the keeper's; -1 */
};

void exec_object_done(struct exec_object *x);
#define auto_exec_object __attribute__((cleanup(exec_object_done)))

int execs_create(const struct store *s, const struct state *container, const json_t *config,
	id_text out, struct err *e);
/* ERR_NOT_FOUND: "No such exec instance: x". out->lock is -1. */
int execs_load(const struct store *s, const char *id, struct exec_object *out, struct err *e);
/* Likewise, and its container. A container's end removes the execs that were not started. One that has ended outlives the
 * container: then st->id is "". */
int execs_find(const struct store *s, const char *id, struct exec_object *out, struct state *st,
	struct err *e);
/* Makes the caller the exec's keeper. ERR_CONFLICT: it was started before. */
int execs_begin(const struct store *s, struct exec_object *x, struct err *e);
/* Called by the keeper when the command runs, */
void execs_started(const struct store *s, struct exec_object *x, pid_t pid);
/* and when it has ended or could not be started. */
void execs_ended(const struct store *s, struct exec_object *x, int exit_code);
/* The ids of a container's execs that have not ended. */
void execs_open(const struct store *s, const struct state *container, struct strv *out);
/* docker's object. Never NULL. */
json_t *execs_inspect(const struct exec_object *x);
/* To be called when a container is removed. */
void execs_forget(const struct store *s, const char *container);
/* Removes the execs of the store's containers that do not exist any more. */
void execs_sweep(const struct store *s);
