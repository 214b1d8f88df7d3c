/* SPDX-License-Identifier: Apache-2.0 */
/* disk: how much of the disk images, the layers they share, containers and volumes take up. */
#pragma once

#include "image.h"
#include "json.h"
#include "state.h"
#include "volume.h"

struct image_use {
	int64_t shared; /* bytes in layers that another image has, too */
	int users;      /* containers made of the image */
};

struct disk {
	struct image *images;
	struct state *containers; /* stopped ones as well */
	struct volume *volumes;
	struct image_use *image_uses;
	int64_t *container_sizes, *volume_sizes;
	size_t n_images, n_containers, n_volumes;
	int64_t layers_size; /* of all images; each layer counts once */
	json_t *uses;        /* of volumes, see volume_uses() */
	struct strv aliases; /* of containers, see state_aliases() */
	struct strv unread;  /* a sentence about each image, volume or size that cannot be read */
};

void disk_done(struct disk *d);
#define auto_disk __attribute__((cleanup(disk_done)))

int disk_measure(const struct store *s, struct disk *d, struct err *e);
/* How many containers mount volume i. */
size_t disk_links(const struct disk *d, size_t i);
