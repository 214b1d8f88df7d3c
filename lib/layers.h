/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers: a client's side of the image server. A user has one server (for each scope: login session, SLURM job), which all
 * containers share.
 *
 * The server holds a user namespace with the ids that containers of this user get, and the FUSE
 * mounts of the layers in use, which its threads serve with libsquashfuse. A client asks for layers and
 * receives, in one exchange over a SEQPACKET socket:
 *   - the user namespace (to be joined; then the container's own is made below it),
 *   - for each layer a detached mount (an open_tree clone), to attach in the client's own mount namespace,
 *   - for each layer the /dev/fuse descriptor and the journal of pending requests. The supervisor of a
 *     container keeps these, and the connection. If the connection breaks, the server has died:
 *     layers_revive() starts or finds a new one and gives it these descriptors, and it goes on where
 *     the old one stopped. So kill -9 of the server harms no container.
 * The server ends when there was no connection for a while.
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
	int conn;   /* connection to the server; its end of file means that the server died */
	int userns; /* the user namespace */
	bool range; /* it maps a range of ids (0..65535 or more), not just 0 */
	bool fresh; /* a layer is mounted for the first time: see layers_foresee() */
	char uid_map[IDMAP_TEXT], gid_map[IDMAP_TEXT]; /* maps for a nested namespace with all its ids */
	pid_t pid;       /* the server's, in its own pid namespace: for messages and tests */
	uint64_t server; /* which server: that of the scope in which the lease was taken */
	int n;
	struct {
		char *path;  /* of the .sqsh */
		int mount;   /* detached mount; -1 once attached */
		int image;   /* the file itself: it may be removed while a container runs on it */
		int fuse;    /* /dev/fuse of its connection */
		int journal; /* memfd */
	} layer[LAYERS_MAX];
};

/* Leases the layers of these absolute paths, n == 0: only the user namespace. Starts the server if there is none. Without
 * /dev/fuse: ERR_UNSUPPORTED. */
int layers_lease(const struct store *s, enum ids_mode ids, const char *const *paths, int n,
	struct lease *out, struct err *e);
/* A hint that a lease will be taken: starts the server if there is none, without waiting for it. */
void layers_expect(const struct store *s, enum ids_mode ids);
/* Gets a seed (seeds.h) from the lease's server: first asks for it and then, after doing something else, takes it. If no seed
 * was ready fds stay as they are; it never waits for one to be made. layers_ask_seed() false: do not call
 * layers_take_seed(). */
bool layers_ask_seed(const struct lease *l);
void layers_take_seed(const struct lease *l, int fds[SEED_FDS]);
/* A hint that this program, or the first one of that name in the directories of path ("": none), is about to be run: if a layer
 * is fresh the server begins to decode what the program starts with. */
void layers_foresee(const struct lease *l, const char *program, const char *path);
/* The mode that the lease was asked for with, which leads to the same server again. */
enum ids_mode layers_ids(const struct lease *l);
/* To be called after conn broke. Uses the lease's conn, image, fuse, journal and server, and replaces conn. Several
 * holders of the same layers may call it at once. */
int layers_revive(const struct store *s, struct lease *l, struct err *e);
/* Waits until fd is readable or at its end, for a holder of a lease that other processes read through: if the server dies
 * meanwhile it is revived; if that fails the lease is given up. False: nothing came for most_ms (-1: for ever). */
bool layers_wait(const struct store *s, struct lease *l, int fd, int most_ms);
void layers_go_on(const struct store *s, struct lease *l); /* what layers_wait() does when conn has broken */
#define LEASE_FDS (2 + 3 * LAYERS_MAX)
int layers_fds(const struct lease *l, int fds[LEASE_FDS]); /* the descriptors that reviving needs; how many */
void lease_done(struct lease *l);                          /* a zeroed one too */
#define auto_lease __attribute__((cleanup(lease_done)))
