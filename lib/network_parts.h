/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of network: network.c keeps them, network_ask.c looks at what is asked for. */
#pragma once

#include "network.h"

/* Puts into the object of a new network what may be asked for; what may not is refused as docker's daemon does. */
int network_take(const struct store *s, json_t *j, const json_t *ask, struct err *e);
