/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope: asks the user's systemd for a control group of our own, over D-Bus, of which just enough is implemented here. Only ever
 * an improvement: every function fails with -1 if systemd does not answer within the timeout.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* The timeout in ms: the setting systemd_ms, else 300; 0: do not ask systemd at all. */
int scope_ms(void);
/* Moves this process into a new delegated scope "<name>.scope". *unit: its name; the caller frees. */
int scope_ask(const char *name, int timeout_ms, char **unit);
/* Moves another process into the control group `sub` ("/name") below it. */
int scope_attach(const char *unit, const char *sub, pid_t pid, int timeout_ms);
bool scope_there(int timeout_ms); /* whether systemd answers */
