/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns: a pause by signals, and the watches that stop processes for a moment, take turns.
 *
 * A process that was stopped before a pause stays so when it is unpaused, and one that a watch has stopped goes on soon: so a
 * pause must find none of the latter, and no watch may take a process that the pause is about to stop for one that runs. A watch
 * can hold processes of several containers, where these share a pid namespace; so there is one file for all of a user's, in the
 * runtime directory, which is on this machine where locks cost little.
 *
 * Each side has a lock on a byte of its own and then looks whether the other one has, so that at least one of two sees it; the watch
 * gives way. The kernel undoes a lock when its holder ends, however that may be. Where there are no locks nobody gives way.
 */
#pragma once

#include "err.h"
#include "store.h"

#include <stdbool.h>

/* -1: then everybody has his turn at once. The locks are the process's: it opens the file once at a time. */
int turns_open(const struct store *s);
/* Before a watch stops anybody, and again at each look that does; false: somebody is about to pause, so it is to stop nobody, and
 * to let go of whom it has stopped. */
bool turns_hold(int turns);
/* After it has let all go. */
void turns_let_go(int turns);
/* Waits until no watch stops anybody; from then on none does, until the descriptor is closed. */
int turns_pause(int turns, struct err *e);
