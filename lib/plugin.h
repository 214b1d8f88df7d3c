/* SPDX-License-Identifier: Apache-2.0 */
/* plugin: there are none here, which is what a script asks; in docker's words. Pure. */
#pragma once

#include "err.h"
#include "filter.h"

#define NO_PLUGINS "sbx has no plugins"

/* The filters of a list in which there is nothing. */
int plugin_check_filters(const struct filters *f, struct err *e);
/* Always -1: ERR_NOT_FOUND. */
int plugin_find(const char *name, struct err *e);
