/* SPDX-License-Identifier: Apache-2.0 */
/* status: what a line of `ps` shows about a container. */
#pragma once

#include "state.h"

/* "Up 3 seconds", "Exited (0) 2 minutes ago", "Created"; the caller frees. */
char *status_words(const struct state *st);
/* The name of its network for `ps` and inspect: none, host, bridge, or a user-defined one's. */
const char *status_network(const struct state *st);

/* docker's NetworkSettings.Ports: {"80/tcp": [{"HostIp": ..., "HostPort": ...}], "81/tcp": null}; empty if the container does
 * not run, or has no network of its own. Never NULL. */
json_t *status_ports(const struct state *st, const json_t *spec);
/* The same in words: "443/tcp, 127.0.0.1:8080->80/tcp"; the caller frees. */
char *status_ports_words(const json_t *ports);
