/* SPDX-License-Identifier: Apache-2.0 */
/* network_parts: shared by the files of network: the records (network.c), what a new network may be asked for
 * (network_ask.c), a listing of many (network_deck.c). Nobody else includes this. */
#pragma once

#include "network.h"

/* Puts the wishes of `ask` into the object of a new network, or refuses them as docker's daemon does. */
int network_take(const struct store *s, json_t *j, const json_t *ask, struct err *e);
/* The i-th of the predefined networks; NULL behind the last. */
json_t *network_predefined(const struct store *s, size_t i);
