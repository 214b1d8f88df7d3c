/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume: named and anonymous volumes, and the sources of binds.
 *
 *   root/volumes/<name>/_data        what is mounted; the time of <name> is when the volume was created
 *   root/volumes/<name>/meta.json    labels and options, if there are any
 *   root/volumes/<name>/fill         while it gets what the image has, see volume_fill.h
 *
 * Only the files of volume know these names. Options make a volume stand for a directory of the host (type=none, o=bind,
 * device=/path), or for a tmpfs (type=tmpfs, device=tmpfs), of which each container gets its own.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "spec.h"
#include "state.h"
#include "store.h"
#include "str.h"

#include <time.h>

/* At create, first: an error if a source of --mount does not exist; gives anonymous volumes, of the image as well, their names. */
int volume_prepare(struct spec *spec, struct err *e);
/* At create, when the container's directory exists and tells which they are: makes volumes that do not exist. */
int volume_make(const struct store *s, const struct spec *spec, struct err *e);
/* At create and start: an error if a source of --mount type=bind does not exist. */
int volume_check_binds(const struct spec *spec, struct err *e);
/* --volumes-from CONTAINER[:ro]: adds the other container's mounts, except at targets that have one already. These volumes were
 * filled by the other container. */
void volume_from(struct spec *spec, const struct spec *other, bool read_only);
/* At start: makes missing sources of -v, and sets src of each volume to its path, in a copy of the spec that is not stored. */
int volume_resolve(const struct store *s, struct spec *spec, struct err *e);
/* Whether any volume is empty, so that it is to be filled from the image. */
bool volume_any_new(const struct store *s, const struct spec *spec);
/* Removes all mounts but those volumes, and resolves these. One that cannot be resolved fails when it is mounted. */
void volume_keep_new(const struct store *s, struct spec *spec);
/* rm -v: removes the container's anonymous volumes, except those that other containers mount, too. */
int volume_remove_anonymous(
	const struct store *s, const char *id, const struct spec *spec, struct err *e);

/* Removes a container with its anonymous volumes, in the order in which nothing is lost if it is killed: state_retire() (how:
 * RETIRE_STOPPED or 0), the volumes, the rest. If the volumes or the rest fail the container is gone all the same, and the next
 * command removes what is left. volume_retire_container() leaves the rest to its caller; spec NULL: the volumes stay. */
int volume_retire_container(const struct store *s, const struct state *st, const struct spec *spec,
	int how, int *dir, struct err *e);
int volume_remove_container(const struct store *s, const struct state *st, const struct spec *spec,
	int how, struct err *e);

/* The label of anonymous volumes. One without other labels and options has no meta.json: its name, of 64 hex digits, tells that
 * it is anonymous. */
#define VOLUME_ANONYMOUS "com.docker.volume.anonymous"

struct volume {
	char *name, *path; /* path: of _data */
	struct timespec created;
	struct strv labels, options; /* K=V; the labels include VOLUME_ANONYMOUS */
};

void volume_done(struct volume *v);
#define auto_volume __attribute__((cleanup(volume_done)))

/* name NULL or "": a random one. A volume that exists stays as it is, as with docker. driver NULL: local. */
int volume_create(const struct store *s, const char *name, const char *driver,
	const struct strv *labels, const struct strv *options, struct volume *out, struct err *e);
/* ERR_NOT_FOUND: "get x: no such volume". */
int volume_find(const struct store *s, const char *name, struct volume *out, struct err *e);
/* All volumes, by name. unread: gets a sentence about each that cannot be read; NULL: the first of these fails the call.
 * volume_list_free takes NULL. */
int volume_list(
	const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e);
void volume_list_free(struct volume *list, size_t n);
/* ERR_CONFLICT: it is in use, docker's sentence with the ids. uses: from volume_uses(), or NULL. */
int volume_remove(const struct store *s, const char *name, const json_t *uses, struct err *e);
/* Removes the unused anonymous volumes of a spec whose container is gone. Those that it cannot remove `volume prune` will. */
void volume_remove_unused(const struct store *s, const struct spec *spec, const json_t *uses);
bool volume_any_anonymous(const struct spec *spec);
/* Removes what killed processes were making or removing, as far as it can. */
void volume_sweep(const struct store *s);
/* {"name": ["id of a container", ...]} from all containers, running or not. NULL on failure. */
json_t *volume_uses(const struct store *s, struct err *e);
/* The same without repairing containers, which may remove some: for code that is called while doing so. */
json_t *volume_uses_now(const struct store *s, struct err *e);
/* Whether no container can have come or gone since. */
bool volume_uses_hold(const struct store *s, const json_t *uses);
/* From that, the ids of a volume's containers, or of containers that cannot be read and so may use any. NULL: it is unused. */
const json_t *volume_users(const json_t *uses, const char *name);
/* Whether another container than this one uses it, or may. */
bool volume_is_shared(const json_t *uses, const char *name, const char *id);
/* docker's object. */
json_t *volume_inspect(const struct volume *v);
int64_t volume_size(const struct volume *v); /* -1 with errno */
/* Whether it is anonymous. */
bool volume_is_anonymous(const struct volume *v);
