/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network: the networks that containers can name. Three always exist: none, host, and bridge, which is the default: a
 * network namespace of the container's own, with nothing but a loopback. Others are mere records: they can be made, named,
 * listed and removed, but a container on one has only its own loopback; they connect nothing.
 *
 *   root/networks/<digest of the name>   docker's object as JSON
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"
#include "store.h"

/* Accepts "", default, none, host, bridge, container:X and networks that were created. Else ERR_NOT_FOUND, "network x not
 * found". */
int network_check(const struct store *s, const char *name, struct err *e);
/* Replaces an id, or the unique beginning of one, by the network's name; leaves anything else as it is. */
void network_settle(const struct store *s, char **name);
/* docker's object of a network, found by name, id or a unique beginning of an id. NULL: ERR_NOT_FOUND. */
json_t *network_find(const struct store *s, const char *what, struct err *e);
/* The id of a network, without reading other networks' files. False: there is no such network, and id is "". */
bool network_id(const struct store *s, const char *name, id_text id);
/* All objects, by name. unread: as for volume_list(). NULL on failure. */
json_t *network_list(const struct store *s, struct strv *unread, struct err *e);

/* What listings show of a network. */
struct network {
	char *name, *driver, *created;
	id_text id;
	bool ipv4, ipv6, internal;
	struct strv labels; /* K=V */
};

void network_done(struct network *n);
#define auto_network __attribute__((cleanup(network_done)))
/* j: docker's object. */
void network_read(const json_t *j, struct network *out);
/* All networks, by name; if there are many, from a cache instead of each object. network_list_free() takes NULL. */
int network_list_brief(
	const struct store *s, struct network **out, size_t *n, struct strv *unread, struct err *e);
void network_list_free(struct network *list, size_t n);
/* ask: an object with the wishes ("Driver", "Labels", "Internal", ...), which stays the caller's. Returns the new network's
 * object, or NULL. */
json_t *network_create(const struct store *s, const char *name, const json_t *ask, struct err *e);
/* ERR_DENIED: a predefined network; ERR_CONFLICT: a running container is on it. */
int network_remove(const struct store *s, const char *what, struct err *e);
/* Connects (on) or disconnects a container. Always fails, as a container keeps the network that it was made with: with
 * ERR_UNSUPPORTED, or in docker's words if docker would refuse as well (ERR_NOT_FOUND, ERR_USAGE, ERR_DENIED,
 * ERR_CONFLICT). */
int network_connect(
	const struct store *s, const char *what, const char *container, bool on, struct err *e);
/* network_connect() with on == false; for a container that does not exist in other words, as docker's --force has them. */
int network_disconnect_by_force(
	const struct store *s, const char *what, const char *container, struct err *e);
bool network_is_predefined(const char *name);
/* {"id": {"Name": ...}} of the network's running containers. NULL on failure. */
json_t *network_containers(const struct store *s, const char *name, struct err *e);
