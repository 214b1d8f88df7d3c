/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings: what a user may set once instead of saying it each time.
 *
 * SBX_<NAME> in the environment, else "name = value" in $XDG_CONFIG_HOME/sbx/config
 * (~/.config/sbx/config), else in /etc/sbx/config. Empty lines and those that begin with # say nothing.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

/* The value, or NULL; the caller frees. name is lower case: "network", "ids", "root". */
char *setting(const char *name);
/* Whether it is "off" (or no, 0). */
bool setting_is_off(const char *name);
/* A name or a value that nobody knows is ERR_USAGE: what is misspelt is not to be passed over in silence. */
int settings_check(struct err *e);

/* The pure half: a configuration file's text. `where` names it in errors. */
int settings_check_text(const char *text, const char *where, struct err *e);
