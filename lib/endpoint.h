/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint: what docker's client makes of -H and DOCKER_HOST. Nobody is spoken to here; but a word that docker
 * refuses is refused, in its words. Pure.
 */
#pragma once

#include "err.h"

/* "" is docker's default, "host" and ":2375" become "tcp://host:2375". ERR_USAGE; the caller frees *out. */
int endpoint_parse(const char *word, char **out, struct err *e);
/* Whether docker's client would try to connect to what endpoint_parse() gave. */
int endpoint_usable(const char *host, struct err *e);
