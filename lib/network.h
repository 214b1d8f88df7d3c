/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network: the networks that containers can name. Three are always there: none, host, and bridge (which is
 * what a container gets that asks for nothing: its own, with nothing but a loopback). Others are records: they
 * can be made, named, listed and removed, and a container on one has its own loopback; nothing connects them.
 *
 *   root/networks/<digest of the name>   docker's object as JSON
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"
#include "store.h"

/* "", default, none, host, bridge, container:X and those which were made. Else ERR_NOT_FOUND, "network x not
 * found". */
int network_check(const struct store *s, const char *name, struct err *e);
/* An id, or the unique beginning of one, becomes the name; whatever else stays. */
void network_settle(const struct store *s, char **name);
/* docker's object, by name, id or a unique beginning of an id. NULL: ERR_NOT_FOUND. */
json_t *network_find(const struct store *s, const char *what, struct err *e);
/* Without reading the others. False: there is no such network, and *id is "". */
bool network_id(const struct store *s, const char *name, id_text id);
/* All objects, by name. unread: as for volume_list(). NULL on failure. */
json_t *network_list(const struct store *s, struct strv *unread, struct err *e);

/* What listings say of one. */
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
/* The same of all, by name, for which no object need be read where there are many. network_list_free takes NULL. */
int network_list_brief(
	const struct store *s, struct network **out, size_t *n, struct strv *unread, struct err *e);
void network_list_free(struct network *list, size_t n);
/* ask: an object with what is wished ("Driver", "Labels", "Internal", ...), not taken. The object of the new
 * one, or NULL. */
json_t *network_create(const struct store *s, const char *name, const json_t *ask, struct err *e);
/* One of the three: ERR_DENIED; one that a running container is on: ERR_CONFLICT. */
int network_remove(const struct store *s, const char *what, struct err *e);
/* on: the container joins the network, else it leaves it. A container keeps the network that it was made with: always
 * fails, ERR_UNSUPPORTED, or in docker's words where docker refuses as well (ERR_NOT_FOUND, ERR_USAGE, ERR_DENIED, ERR_CONFLICT). */
int network_connect(
	const struct store *s, const char *what, const char *container, bool on, struct err *e);
/* network_connect() off; of one that is gone in other words, as docker has it. */
int network_disconnect_by_force(
	const struct store *s, const char *what, const char *container, struct err *e);
bool network_is_predefined(const char *name);
/* {"id": {"Name": ...}} of the running containers on it. NULL on failure. */
json_t *network_containers(const struct store *s, const char *name, struct err *e);
