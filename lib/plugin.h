/* SPDX-License-Identifier: Apache-2.0 */
/* plugin: answers questions about docker's plugins, of which sbx has none, in docker's words. Pure. */
#pragma once

#include "err.h"
#include "filter.h"

#define NO_PLUGINS "sbx has no plugins"

/* Checks the filters of `plugin ls`, whose list is always empty. */
int plugin_check_filters(const struct filters *f, struct err *e);
/* Always -1: ERR_NOT_FOUND. */
int plugin_find(const char *name, struct err *e);
