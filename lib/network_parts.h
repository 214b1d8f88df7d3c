/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of network: network.c keeps them, network_ask.c looks at what is asked for, network_deck.c keeps a listing of many. */
#pragma once

#include "network.h"

/* Puts into the object of a new network what may be asked for; what may not is refused as docker's daemon does. */
int network_take(const struct store *s, json_t *j, const json_t *ask, struct err *e);
/* Of those that are always there: NULL behind the last. */
json_t *network_predefined(const struct store *s, size_t i);
