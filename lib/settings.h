/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings: SBX_<NAME> in the environment, else "name = value" in $XDG_CONFIG_HOME/sbx/config
 * (~/.config/sbx/config), else in /etc/sbx/config. Empty lines and lines that begin with # are ignored.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

/* The value, or NULL; the caller frees. name is lower case: "network", "ids", "root". */
char *setting(const char *name);
/* Whether it is "off" (or no, 0). */
bool setting_is_off(const char *name);
/* The user's home: HOME, or where that is not set what the list of users says, as docker has it: a program that calls us may
 * hand down an environment of its own. NULL: there is none. Absolute or not. */
const char *setting_home(void);
/* Checks all settings: an unknown name or value is ERR_USAGE, so that misspelt ones are not silently ignored. */
int settings_check(struct err *e);

/* Checks the text of a configuration file, which `where` names in errors. Pure. */
int settings_check_text(const char *text, const char *where, struct err *e);
