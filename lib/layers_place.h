/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers_place: where the clients of an image server meet it: a socket in the runtime directory, and a lock under which servers
 * start and end. Only layers.c and layerd.c include this.
 */
#pragma once

#include "err.h"
#include "idmap.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

/* Processes with the same key share a server: those of the same job or login session, user namespace and limits. Its two
 * lowest bits are the mode. */
uint64_t layers_key(enum ids_mode ids);

struct place {
	char sock[40], lock[40]; /* names in the runtime directory */
};

void place_of(uint64_t key, struct place *out);
/* Returns a connection; -1: there is no server (ERR_NOT_FOUND), or an error. */
int place_connect(const struct store *s, const struct place *p, struct err *e);
/* Returns a descriptor that holds the lock. With LOCK_NB as well as LOCK_EX it does not wait. */
int place_lock(const struct store *s, const struct place *p, int how, struct err *e);
/* The rest is for holders of the lock. place_listen() replaces a dead server's socket. */
int place_listen(const struct store *s, const struct place *p, struct err *e);
/* Whether a lock still has its name: a server that ends takes the name away. */
bool place_holds(int runtime, const char *name, int lock);
/* Removes what killed servers of other jobs, sessions or user namespaces have left, to which nobody would come back. */
void place_forget_dead(const struct store *s);
