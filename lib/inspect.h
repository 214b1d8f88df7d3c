/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect: docker's object about a container, with docker's fields and types, from its state and the spec that it was
 * created from. What docker has no field for is under "Sbx".
 */
#pragma once

#include "image.h"
#include "state.h"
#include "tmpl.h"

/* id: from state_find(). size: with SizeRw and SizeRootFs, for which the upper directory is walked. NULL: an error. */
json_t *container_inspect(const struct store *s, const char *id, bool size, struct err *e);
/* The array "Mounts". spec: as stored. Never NULL. */
json_t *container_mounts(const struct store *s, const json_t *spec);
/* The object NetworkSettings. Never NULL. */
json_t *container_network_settings(const struct store *s, const struct state *st, const json_t *spec);
/* The object NetworkSettings.Networks. Never NULL. */
json_t *container_networks(const struct store *s, const struct state *st, const json_t *spec);
/* Changes the object to that of API versions before 1.45, in which Aliases held what DNSNames holds since. */
void container_old_aliases(json_t *container);
/* HostConfig.Links, as docker shows them: "/web:/this/alias". NULL: none. */
json_t *container_links(const struct store *s, const struct state *st, const json_t *spec);

/* The Go types of members, for templates: of containers, images and every other object that inspect shows. */
extern const struct tmpl_field inspect_fields[];
