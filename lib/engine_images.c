/* SPDX-License-Identifier: Apache-2.0 */
/* engine_images: images that --mount type=image mounts in a container. */
#include "engine_parts.h"

#include "image.h"

int engine_images_check(const struct store *s, const struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		auto_image struct image image = {0};

		if (spec->mounts[i].kind == MOUNT_IMAGE &&
			image_find(s, spec->mounts[i].src, &image, e) < 0)
			return -1;
	}
	return 0;
}

int engine_images_layers(const struct store *s, struct spec *spec, struct strv *layers, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];
		auto_image struct image image = {0};

		if (m->kind != MOUNT_IMAGE)
			continue;
		if (image_find(s, m->src, &image, e) < 0)
			return -1;
		m->layer = layers->n;
		image_stack(&image, layers);
		m->n_layers = layers->n - m->layer;
	}
	return 0;
}
