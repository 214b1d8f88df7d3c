/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers: one image server for a user (and scope: login session, SLURM job), many containers.
 *
 * The server holds a user namespace with the ids that containers of this user get, and the FUSE
 * mounts of the layers which are in use, served by its own threads on libsquashfuse. A client
 * asks for layers and receives, over one SEQPACKET exchange:
 *   - the user namespace (join it, then make the container's own below it),
 *   - for every layer a detached mount (open_tree clone) which it attaches in its own mount namespace,
 *   - for every layer the /dev/fuse descriptor and the journal of requests under way: whoever
 *     supervises a container keeps these, and the connection. When the connection breaks the
 *     server has died: layers_revive() starts or finds a new one and gives it the descriptors back,
 *     which goes on where the old one stopped. kill -9 of the server harms no container.
 * The server leaves when no connection has been there for a while.
 */
#pragma once

#include "err.h"
#include "idmap.h"
#include "seeds.h"
#include "store.h"
#include "str.h"

#include <sys/types.h>

#define LAYERS_MAX 128

struct lease {
	int conn;   /* connection to the server; end of file: it died */
	int userns; /* the user namespace */
	bool range; /* it maps a range of ids (0..65535 or more), not just 0 */
	bool fresh; /* a layer is mounted for the first time: see layers_foresee() */
	char uid_map[IDMAP_TEXT], gid_map[IDMAP_TEXT]; /* texts which give a nested one all its ids */
	pid_t pid;       /* of the server as it sees itself: for messages and tests */
	uint64_t server; /* which one: of the scope in which the lease was taken */
	int n;
	struct {
		char *path;  /* of the .sqsh */
		int mount;   /* detached mount; -1 once attached */
		int image;   /* the file itself: it may be removed while a container runs on it */
		int fuse;    /* /dev/fuse of its connection */
		int journal; /* memfd */
	} layer[LAYERS_MAX];
};

/* Lease the layers; starts the server when there is none. No /dev/fuse: ERR_UNSUPPORTED. With
 * n == 0 only the user namespace. Paths are absolute. */
int layers_lease(const struct store *s, enum ids_mode ids, const char *const *paths, int n,
	struct lease *out, struct err *e);
/* Somebody will: a server that is not there is started, and not waited for. */
void layers_expect(const struct store *s, enum ids_mode ids);
/* A seed (seeds.h) of the lease's server, asked for and, after something else was done, taken: then fds are the
 * caller's, or as they were when none was ready. Never waits for one to be made. False: there is nothing to
 * take. */
bool layers_ask_seed(const struct lease *l);
void layers_take_seed(const struct lease *l, int fds[SEED_FDS]);
/* This program is going to be run, or the first of that name in the directories of path ("": none): where a layer is
 * fresh, the server begins to decode what it starts with. */
void layers_foresee(const struct lease *l, const char *program, const char *path);
/* What the lease was asked with: the same words find the same server again. */
enum ids_mode layers_ids(const struct lease *l);
/* After conn broke. Reads conn, image, fuse, journal and server, and replaces conn; several holders of
 * the same layers may all do it at once. */
int layers_revive(const struct store *s, struct lease *l, struct err *e);
/* For who keeps a lease that others read through: waits until fd has something to read, or has ended. When the
 * server dies meanwhile another one goes on; where none can, the lease is given up. */
void layers_wait(const struct store *s, struct lease *l, int fd);
void layers_go_on(const struct store *s, struct lease *l); /* conn has broken: what layers_wait() does */
#define LEASE_FDS (2 + 3 * LAYERS_MAX)
int layers_fds(const struct lease *l, int fds[LEASE_FDS]); /* those that reviving takes; how many */
void lease_done(struct lease *l);                          /* a zeroed one too */
#define auto_lease __attribute__((cleanup(lease_done)))
