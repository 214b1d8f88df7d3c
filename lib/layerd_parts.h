/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layerd_parts: what the files of the image server share: its loop, clients and seeds (layerd.c), the layers it has
 * mounted (layerd_layers.c), how a process becomes the server (layerd_begin.c). Nobody else includes this.
 */
#pragma once

#include "layerd.h"

#include "blocks.h"
#include "seeds.h"

#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

/* A connection to the kernel which threads of ours serve; they take it off the list when it ends. */
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
	bool fresh; /* nobody said yet what is going to be read of it */
	int users;
	int64_t unused_since;
};

struct client {
	int fd;
	int n;
	struct layer **layer; /* held by this client */
};

enum { POLL_LISTENER, POLL_CACHE, POLL_SEEDS, POLL_CLIENTS };

/* One for who comes next, one for who comes right behind. */
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
	unsigned mounted; /* ever, for names */
	struct client *clients;
	struct pollfd *polls; /* the listener, the cache, then the clients */
	int n;
	int64_t alone_since, trim_at; /* 0: the cache is empty */
	int64_t deaf_until;           /* no descriptor was left for who knocks; 0: one was */
	int kept; /* a descriptor to let somebody in with when there is no other; -1: it is used up */
	int64_t seeds_at; /* when the first ones are to be made; 0: nobody came yet; MAX: they were */
	int cache_used;   /* eventfd */
	pthread_mutex_t lock; /* of `served` */
	struct served *served;
	int seeds; /* to the maker of seeds; -1 */
	int ready[SEEDS_READY][SEED_FDS], n_ready, n_asked;
};

int64_t layerd_now_ms(void);

/* layerd_layers.c */
/* The image's layer, mounted if it was not; NULL: it cannot be. */
struct layer *layerd_layer(struct server *s, int image, struct err *e);
void layerd_release(struct layer *l); /* one user less */
void layerd_unmount_unused(struct server *s);
/* Starts to serve; all three descriptors stay the caller's. */
int layerd_serve(struct server *s, int image, int fuse, int journal, struct err *e);
bool layerd_is_served(struct server *s, uint64_t id);
/* What is going to be run, if the layer is still fresh: see squash_foresee(). */
void layerd_foresee(struct server *s, struct layer *l, const char *paths, size_t len);

/* layerd_begin.c: in this order */
int layerd_own_process(struct err *e);
int layerd_keep_only(int *fds[], int n, struct err *e);
int layerd_begin(struct server *s, const struct layerd_args *a, struct err *e);
