/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume: named and anonymous volumes, and the sources of binds.
 *
 *   root/volumes/<name>/_data        what is mounted; its directory's time is when the volume was created
 *   root/volumes/<name>/meta.json    labels and options, where there are any
 *
 * Only volume.c knows these names. A volume whose options say so (type=none, o=bind, device=/path) is that
 * directory of the host's when a container mounts it, or (type=tmpfs, device=tmpfs) a tmpfs, one for each container.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "spec.h"
#include "state.h"
#include "store.h"
#include "str.h"

#include <time.h>

/* At create: refuses what --mount misses, and gives anonymous volumes (those of the image as well) their names. */
int volume_prepare(struct spec *spec, struct err *e);
/* Then, when the container's directory says which they are: makes volumes that are not there. */
int volume_make(const struct store *s, const struct spec *spec, struct err *e);
/* At start as at create: what --mount binds is there. */
int volume_check_binds(const struct spec *spec, struct err *e);
/* --volumes-from CONTAINER[:ro]: what is mounted there is mounted here too, unless something else is. What is in
 * them the other has seen to. */
void volume_from(struct spec *spec, const struct spec *other, bool read_only);
/* At start: makes what -v may make, and the src of every volume becomes its path. Not stored. */
int volume_resolve(const struct store *s, struct spec *spec, struct err *e);
/* Whether what the image has there is to come into any of its volumes: they are empty. */
bool volume_any_new(const struct store *s, const struct spec *spec);
/* No mounts but those volumes, resolved. One that cannot be is refused when it is mounted. */
void volume_keep_new(const struct store *s, struct spec *spec);
/* rm -v: the anonymous ones of this container go, less those which others mount as well. */
int volume_remove_anonymous(
	const struct store *s, const char *id, const struct spec *spec, struct err *e);

/* A container goes with its anonymous volumes, in the order in which nothing is lost: state_retire(), with `how` RETIRE_STOPPED or
 * 0, these, the rest. It is gone even where this fails, and what is left the next command removes. */
int volume_remove_container(const struct store *s, const struct state *st, const struct spec *spec,
	int how, struct err *e);

/* The label of one that nobody named. One which has no other and no options goes without meta.json: its name, 64
 * hexadecimal digits, tells. */
#define VOLUME_ANONYMOUS "com.docker.volume.anonymous"

struct volume {
	char *name, *path; /* path: of _data */
	struct timespec created;
	struct strv labels, options; /* K=V; labels with that of an anonymous one */
};

void volume_done(struct volume *v);
#define auto_volume __attribute__((cleanup(volume_done)))

/* name NULL or "": a made-up one. One that exists stays as it is, as with docker. driver NULL: local. */
int volume_create(const struct store *s, const char *name, const char *driver,
	const struct strv *labels, const struct strv *options, struct volume *out, struct err *e);
/* ERR_NOT_FOUND: "get x: no such volume". */
int volume_find(const struct store *s, const char *name, struct volume *out, struct err *e);
/* By name. unread gets a sentence about each that cannot be read; NULL: the first such one fails all. volume_list_free takes
 * NULL. */
int volume_list(
	const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e);
void volume_list_free(struct volume *list, size_t n);
/* In use: ERR_CONFLICT, docker's sentence with the ids. uses: from volume_uses(), or NULL. */
int volume_remove(const struct store *s, const char *name, const json_t *uses, struct err *e);
/* Those of a spec, whose container is gone, that nobody named and nobody uses. What stays `volume prune` finds. */
void volume_remove_unused(const struct store *s, const struct spec *spec, const json_t *uses);
bool volume_any_anonymous(const struct spec *spec);
/* Takes away what a killed process was making or removing, if it can. */
void volume_sweep(const struct store *s);
/* {"name": ["id of a container", ...]}, of all containers, stopped ones as well. NULL on failure. */
json_t *volume_uses(const struct store *s, struct err *e);
/* The same without a look at how containers are, which may remove some: for who is at that. */
json_t *volume_uses_now(const struct store *s, struct err *e);
/* The ids of one volume in it, or of containers that may use any, since they cannot be read. NULL: nobody uses it. */
const json_t *volume_users(const json_t *uses, const char *name);
/* Whether somebody else than this container uses it, or may. */
bool volume_is_shared(const json_t *uses, const char *name, const char *id);
/* docker's object. */
json_t *volume_inspect(const struct volume *v);
int64_t volume_size(const struct volume *v); /* -1 with errno */
/* One that nobody named. */
bool volume_is_anonymous(const struct volume *v);
