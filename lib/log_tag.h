/* SPDX-License-Identifier: Apache-2.0 */
/* log_tag: --log-opt tag, which is put into each record: a template over what docker's log drivers know of a container. */
#pragma once

#include "err.h"

struct spec;

/* *out: the tag, the caller frees; NULL: there is none. ERR_USAGE: an error in the template, in Go's words. */
int log_tag(const struct spec *spec, const char *id, char **out, struct err *e);
