/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include "auto.h"
#include "size.h"
#include "str.h"
#include "sys.h"

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
	strv_done(&d->aliases);
	strv_done(&d->unread);
}

/* "<digest>.sqsh" */
static const char *layer_name(const struct image *i, size_t k)
{
	const char *slash = strrchr(i->layers.v[k], '/');

	return slash ? slash + 1 : i->layers.v[k];
}

static int64_t layer_size(const struct store *s, const char *name)
{
	auto_free char *id = xstrdup(name);
	int64_t size = 0;

	id[strcspn(id, ".")] = '\0';
	return str_is_hex(id, 64) && image_layer_known(s, id, &size) ? size : 0;
}

/* Of an image's layers the first of each name. */
static bool is_first(const struct image *i, size_t k)
{
	for (size_t before = 0; before < k; before++)
		if (str_eq(i->layers.v[before], i->layers.v[k]))
			return false;
	return true;
}

static int64_t layer_number(const json_t *layer, size_t which)
{
	return json_integer_value(json_array_get(layer, which));
}

/* {"name": [how many images have it, its size]}, since searching all other images for each layer of each image would
 * take long with thousands. */
static json_t *all_layers(const struct store *s, const struct disk *d)
{
	json_t *all = json_object();

	for (size_t i = 0; i < d->n_images; i++)
		for (size_t k = 0; k < d->images[i].layers.n; k++) {
			const char *name = layer_name(&d->images[i], k);
			json_t *one = json_object_get(all, name);

			if (!one) /* only memory can fail here */
				(void)json_object_set_new(all, name,
					json_pack("[i, I]", 1, (json_int_t)layer_size(s, name)));
			else if (is_first(&d->images[i], k))
				(void)json_integer_set(json_array_get(one, 0), layer_number(one, 0) + 1);
		}
	return all;
}

static void count_layers(const struct store *s, struct disk *d)
{
	auto_json json_t *all = all_layers(s, d);
	const char *name;
	json_t *one;

	json_object_foreach(all, name, one) d->layers_size += layer_number(one, 1);
	for (size_t i = 0; i < d->n_images; i++)
		for (size_t k = 0; k < d->images[i].layers.n; k++) {
			one = json_object_get(all, layer_name(&d->images[i], k));
			if (layer_number(one, 0) > 1 && is_first(&d->images[i], k))
				d->image_uses[i].shared += layer_number(one, 1);
		}
}

static void count_users(struct disk *d)
{
	for (size_t i = 0; i < d->n_images; i++)
		for (size_t k = 0; k < d->n_containers; k++)
			d->image_uses[i].users += str_eq(d->containers[k].image_id, d->images[i].id);
}

/* Like docker, does not count volumes whose options say what is mounted. */
static void drop_mounted(struct disk *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_volumes; i++) {
		if (d->volumes[i].options.n)
			volume_done(&d->volumes[i]);
		else
			d->volumes[kept++] = d->volumes[i];
	}
	d->n_volumes = kept;
}

static int64_t known(struct disk *d, int64_t bytes, const char *kind, const char *name)
{
	if (bytes >= 0)
		return bytes;
	strv_take(&d->unread, xasprintf("%s %s: its size cannot be read", kind, name));
	return 0;
}

static void measure_containers(const struct store *s, struct disk *d, int64_t began_ns)
{
	auto_free struct sized *sizes = xcalloc(d->n_containers + 1, sizeof(*sizes));

	for (size_t i = 0; i < d->n_containers; i++)
		sizes[i].st = &d->containers[i];
	container_sizes(s, sizes, d->n_containers, began_ns);
	d->container_sizes = xcalloc(d->n_containers + 1, sizeof(*d->container_sizes));
	for (size_t i = 0; i < d->n_containers; i++)
		d->container_sizes[i] = known(d, sizes[i].bytes, "container", d->containers[i].id);
}

int disk_measure(const struct store *s, struct disk *d, struct err *e)
{
	int64_t began_ns = sys_now_ns();

	if (image_list(s, &d->images, &d->n_images, &d->unread, e) < 0 ||
		state_list(s, false, &d->containers, &d->n_containers, e) < 0 ||
		volume_list(s, &d->volumes, &d->n_volumes, &d->unread, e) < 0 ||
		!(d->uses = volume_uses(s, e)))
		return -1;
	drop_mounted(d);
	state_aliases(s, &d->aliases);
	d->image_uses = xcalloc(d->n_images + 1, sizeof(*d->image_uses));
	d->volume_sizes = xcalloc(d->n_volumes + 1, sizeof(*d->volume_sizes));
	count_layers(s, d);
	count_users(d);
	measure_containers(s, d, began_ns);
	for (size_t i = 0; i < d->n_volumes; i++)
		d->volume_sizes[i] = known(d, volume_size(&d->volumes[i]), "volume", d->volumes[i].name);
	return 0;
}

size_t disk_links(const struct disk *d, size_t i)
{
	return json_array_size(volume_users(d->uses, d->volumes[i].name));
}
