/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of load share. */
#pragma once

#include "err.h"
#include "image.h"
#include "sha256.h"
#include "store.h"
#include "tar.h"

/* A file of the archive that may matter: layers are made of the large ones at once, in passing. */
struct member {
	char *path, *link; /* link: what a symbolic one leads to */
	char *text;
	size_t size;
	struct image_layer layer;
	bool is_layer;
	struct err *fault;       /* of the layer, told when an image wants it */
	char id[8 + SHA256_HEX]; /* of the image whose config it is */
	int file;                /* keeps the lock of the temporary file */
};

struct load {
	const struct store *s;
	struct tar_reader *r;
	struct member *v;
	size_t n, texts, names; /* bytes of these */
	struct member **sorted; /* once all are read: by their paths, of one path the last first */
	uint64_t read_again;    /* bytes of texts, and files, that a list had looked at */
	struct strv *report, ids;
	char *platform;     /* "linux/arm64/v8": which are wanted; NULL: all */
	const char *parent; /* of the image that comes next, where it comes too */
	bool named;         /* the last image was */
	bool trying;        /* all is looked at, and nothing stored */
};

/* Whether images for that architecture are. */
bool load_wants(const struct load *l, const char *architecture);
void load_done(struct load *l);
#define auto_load __attribute__((cleanup(load_done)))
/* Keeps what an entry is; *out: the member whose bytes come next, if they matter. */
int load_entry(struct load *l, const struct tar_entry *t, struct member **out, struct err *e);
/* The file of this path, or what its links lead to; NULL: there is none. */
struct member *load_find(struct load *l, const char *path);
int load_no_file(const char *path, struct err *e);
/* A text is to be looked at, again perhaps: a list of few bytes may name large ones more often than anybody has time. */
int load_look_at(struct load *l, const struct member *m, struct err *e);
int load_add(struct load *l, struct member *config, struct member **layers, size_t n,
	const struct strv *names, struct err *e);
/* Whether the archive's images are whole (l->trying), or they go into the store. */
int load_each(struct load *l, struct err *e);
/* Stores the images. Of several none is before all are known to be whole. */
int load_list(struct load *l, struct err *e);
int load_oci(struct load *l, const json_t *index, struct err *e);
