/* SPDX-License-Identifier: Apache-2.0 */
/* log_tag: what --log-opt tag writes to each record: a template over what docker tells its log drivers of a container. */
#pragma once

#include "err.h"

struct spec;

/* *out: NULL where there is no tag. ERR_USAGE: Go's words about the template. */
int log_tag(const struct spec *spec, const char *id, char **out, struct err *e);
