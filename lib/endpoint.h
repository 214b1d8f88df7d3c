/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint: reads -H and DOCKER_HOST as docker's client does. sbx connects to nothing, but refuses what docker would
 * refuse, in docker's words. Pure.
 */
#pragma once

#include "err.h"

/* "" is docker's default, "host" and ":2375" become "tcp://host:2375". ERR_USAGE; the caller frees *out. */
int endpoint_parse(const char *word, char **out, struct err *e);
/* Whether docker's client would try to connect to what endpoint_parse() gave. */
int endpoint_usable(const char *host, struct err *e);
