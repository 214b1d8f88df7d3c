/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execs: execs that have an id, as the API makes them: created, started once, looked at by anybody.
 *
 *   runtime/x/<first half of the container's id>/<rest>    JSON, replaced whole
 *
 * The exec's id is that half and the rest, which is random: found without a search. The process that started one
 * (its keeper) holds a lock on the file until it has written how it ended, so a reader asks the kernel whether
 * it runs. They go with their container, and those which ended five minutes ago when new ones come.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"
#include "store.h"

struct exec_object {
	id_text id, container;
	json_t *config; /* as the request had it */
	enum { EXEC_CREATED, EXEC_RUNNING, EXEC_ENDED } phase;
	int exit_code;
	pid_t pid, keeper; /* 0: none */
	uint64_t pid_start;
	int lock; /* the keeper's; -1 */
};

void exec_object_done(struct exec_object *x);
#define auto_exec_object __attribute__((cleanup(exec_object_done)))

int execs_create(const struct store *s, const char *container, const json_t *config, id_text out,
	struct err *e);
/* ERR_NOT_FOUND: "No such exec instance: x". out->lock is -1. */
int execs_load(const struct store *s, const char *id, struct exec_object *out, struct err *e);
/* Makes the caller its keeper. Started before: ERR_CONFLICT. */
int execs_begin(const struct store *s, struct exec_object *x, struct err *e);
/* The command runs. */
void execs_started(const struct store *s, struct exec_object *x, pid_t pid);
/* It has ended, or could not be started. */
void execs_ended(const struct store *s, struct exec_object *x, int exit_code);
/* Those of a container which run; ids. */
void execs_running(const struct store *s, const char *container, struct strv *out);
/* docker's object. Never NULL. */
json_t *execs_inspect(const struct exec_object *x);
/* Its container is gone. */
void execs_forget(const struct store *s, const char *container);
/* Those of containers which are gone. */
void execs_sweep(const struct store *s);
