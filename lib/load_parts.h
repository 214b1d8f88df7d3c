/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of load share. */
#pragma once

#include "err.h"
#include "image.h"
#include "sha256.h"
#include "store.h"
#include "tar.h"

/* A file of the archive that may matter. Large ones are made into layers at once, while they are read. */
struct member {
	char *path, *link; /* link: the target of a symbolic link */
	char *text;
	size_t size;
	int64_t too_large; /* the size of a text that was not kept, which only matters if it is asked for */
	struct image_layer layer;
	bool is_layer;
	struct err *fault;       /* an error of the layer, which only matters if an image uses it */
	char id[8 + SHA256_HEX]; /* if it is a config: its image's id */
	int file;                /* keeps the lock of the temporary file */
	struct member *next;     /* of `stored` */
};

struct load {
	const struct store *s;
	struct tar_reader *r;
	struct member *v;
	size_t n, texts, names; /* texts, names: bytes kept of these */
	struct member *stored;  /* layers that are not in the archive but in the store */
	struct member **sorted; /* once all are read: by path; of equal paths the last one comes first */
	uint64_t read_again; /* bytes looked at by load_look_at() so far */
	struct strv *report, ids;
	char *platform;     /* load only images for "linux/arm64/v8"; NULL: all */
	const char *parent; /* the next image's parent, if that is in the archive, too */
	bool named;         /* the last image had a name */
	bool trying;        /* a first pass, which checks everything and stores nothing */
};

/* Whether images for that architecture are to be loaded. */
bool load_wants(const struct load *l, const char *architecture);
void load_done(struct load *l);
#define auto_load __attribute__((cleanup(load_done)))
/* Takes note of an entry. *out: the member whose bytes come next; NULL: they do not matter. */
int load_entry(struct load *l, const struct tar_entry *t, struct member **out, struct err *e);
/* The file of this path, links followed; NULL: there is none. */
struct member *load_find(struct load *l, const char *path);
int load_no_file(const char *path, struct err *e);
/* Why m, which was looked for at that path, is no text; NULL: nothing is there. */
int load_no_text(const struct member *m, const char *path, struct err *e);
/* config: with a text. An error if the image is for another kind of machine. */
int load_check_os(const struct member *config, struct err *e);
/* The layer with this digest ("sha256:...") of the store, held until load_done(); NULL: there is none. */
struct member *load_stored(struct load *l, const char *diff_id);
/* To be called before a text is parsed. An error if too much was parsed already: a short list could name the same large file very
 * often. */
int load_look_at(struct load *l, const struct member *m, struct err *e);
int load_add(struct load *l, struct member *config, struct member **layers, size_t n,
	const struct strv *names, struct err *e);
/* Checks the archive's images (l->trying), or stores them. */
int load_each(struct load *l, struct err *e);
/* Stores the images; if there are several, only after all were checked. */
int load_list(struct load *l, struct err *e);
int load_oci(struct load *l, const json_t *index, struct err *e);
