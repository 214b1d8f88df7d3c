/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include "auto.h"
#include "inspect.h"
#include "str.h"

#include <string.h>

void disk_done(struct disk *d)
{
	image_list_free(d->images, d->n_images);
	state_list_free(d->containers, d->n_containers);
	volume_list_free(d->volumes, d->n_volumes);
	free(d->image_uses);
	free(d->container_sizes);
	free(d->volume_sizes);
	json_decref(d->uses);
}

static int64_t layer_size(const struct store *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *id = xstrdup(slash ? slash + 1 : path);
	int64_t size = 0;

	id[strcspn(id, ".")] = '\0';
	return str_is_hex(id, 64) && image_layer_known(s, id, &size) ? size : 0;
}

static bool has_layer(const struct image *i, const char *path)
{
	for (size_t k = 0; k < i->layers.n; k++)
		if (str_eq(i->layers.v[k], path))
			return true;
	return false;
}

static void count_layers(const struct store *s, struct disk *d, size_t i)
{
	const struct image *image = &d->images[i];

	for (size_t k = 0; k < image->layers.n; k++) {
		const char *path = image->layers.v[k];
		int64_t size = layer_size(s, path);
		bool shared = false, counted = false;

		for (size_t other = 0; other < d->n_images; other++) {
			if (other == i || !has_layer(&d->images[other], path))
				continue;
			shared = true;
			counted |= other < i;
		}
		d->image_uses[i].shared += shared ? size : 0;
		d->layers_size += counted ? 0 : size;
	}
	for (size_t k = 0; k < d->n_containers; k++)
		d->image_uses[i].users += str_eq(d->containers[k].image_id, image->id);
}

int disk_measure(const struct store *s, struct disk *d, struct err *e)
{
	if (image_list(s, &d->images, &d->n_images, e) < 0 ||
		state_list(s, false, &d->containers, &d->n_containers, e) < 0 ||
		volume_list(s, &d->volumes, &d->n_volumes, e) < 0 || !(d->uses = volume_uses(s, e)))
		return -1;
	d->image_uses = xcalloc(d->n_images + 1, sizeof(*d->image_uses));
	d->container_sizes = xcalloc(d->n_containers + 1, sizeof(*d->container_sizes));
	d->volume_sizes = xcalloc(d->n_volumes + 1, sizeof(*d->volume_sizes));
	for (size_t i = 0; i < d->n_images; i++)
		count_layers(s, d, i);
	for (size_t i = 0; i < d->n_containers; i++)
		d->container_sizes[i] = container_size(s, d->containers[i].id);
	for (size_t i = 0; i < d->n_volumes; i++)
		d->volume_sizes[i] = volume_size(&d->volumes[i]);
	return 0;
}

size_t disk_links(const struct disk *d, size_t i)
{
	return json_array_size(json_object_get(d->uses, d->volumes[i].name));
}
