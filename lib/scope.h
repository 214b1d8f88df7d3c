/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope: asks the user's systemd for a control group of our own, by D-Bus, in as many words as that takes.
 * Never needed and never waited for longer than it is said to: all fail with -1 where there is none.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* How long to wait: the setting systemd_ms, else 300; 0: it is not asked at all. */
int scope_ms(void);
/* Moves this process into a new delegated scope "<name>.scope"; *unit is its name. */
int scope_ask(const char *name, int timeout_ms, char **unit);
/* Moves another process into the control group `sub` ("/name") below it. */
int scope_attach(const char *unit, const char *sub, pid_t pid, int timeout_ms);
bool scope_there(int timeout_ms); /* someone answers */
