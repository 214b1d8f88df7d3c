/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layerd_parts: shared by the files of the image server: its loop, clients and seeds (layerd.c), the layers that it has
 * mounted (layerd_layers.c), how a process becomes the server (layerd_begin.c). Nobody else includes this.
 */
#pragma once

#include "layerd.h"

#include "blocks.h"
#include "seeds.h"

#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

/* A FUSE connection that threads of ours serve; they take it off the list when it ends. */
struct served {
	struct server *home;
	struct fuse_serving *serving;
	uint64_t id; /* of its journal */
	struct served *next;
};

struct layer {
	struct layer *next;
	struct stat key; /* of the image */
	uint64_t id;     /* of its journal */
	char dir[16];    /* where it is mounted; "" not yet */
	int mount, fuse, journal;
	bool fresh; /* no ASK_FORESEE has come for it yet */
	int users;
	int64_t unused_since;
};

struct client {
	int fd;
	int n;
	struct layer **layer; /* held by this client */
};

enum { POLL_LISTENER, POLL_CACHE, POLL_SEEDS, POLL_CLIENTS };

/* Seeds that are kept ready: for the next client, and for those right behind it. */
enum { SEEDS_READY = 3 };

struct server {
	int listener, runtime, userns;
	const char *name, *lock_name;
	ino_t sock_ino;
	int64_t idle_ms;
	struct idmap ids;
	struct err no_fuse; /* why there are no layers, only the user namespace */
	struct blocks *cache;
	struct layer *layers;
	unsigned mounted; /* layers mounted so far, for names */
	struct client *clients;
	struct pollfd *polls; /* the listener, the cache, then the clients */
	int n;
	int64_t alone_since, trim_at; /* 0: the cache is empty */
	int64_t deaf_until; /* until when not to accept, as there was no descriptor left; 0: accept */
	int kept; /* a descriptor in reserve, to accept a client with when there is no other; -1: it is used up */
	int64_t seeds_at; /* when to make the first seeds; 0: no client has come yet; INT64_MAX: they are made */
	int cache_used;       /* eventfd */
	pthread_mutex_t lock; /* of `served` */
	struct served *served;
	int seeds; /* socket to the process that makes seeds, or -1 */
	int ready[SEEDS_READY][SEED_FDS], n_ready, n_asked;
};

int64_t layerd_now_ms(void);

/* layerd_layers.c */
/* The layer of an image file, which is mounted if it is not yet; NULL: an error. */
struct layer *layerd_layer(struct server *s, int image, struct err *e);
void layerd_release(struct layer *l); /* one user less */
void layerd_unmount_unused(struct server *s);
/* Starts to serve; all three descriptors stay the caller's. */
int layerd_serve(struct server *s, int image, int fuse, int journal, struct err *e);
bool layerd_is_served(struct server *s, uint64_t id);
/* Calls squash_foresee() for the layer, if it is still fresh. */
void layerd_foresee(struct server *s, struct layer *l, const char *paths, size_t len);

/* layerd_begin.c: in this order */
int layerd_own_process(struct err *e);
int layerd_keep_only(int *fds[], int n, struct err *e);
int layerd_begin(struct server *s, const struct layerd_args *a, struct err *e);
