/* SPDX-License-Identifier: Apache-2.0 */
#include "complete.h"

#include "image.h"
#include "network.h"
#include "state.h"
#include "status.h"
#include "volume.h"

#include <string.h>

#define FILES ":files\n"

void complete_offer(const char *text, const char *about, const char *current, struct buf *out)
{
	if (str_starts(text, current))
		buf_printf(out, "%s\t%.*s\n", text, (int)strcspn(about, "\n"), about);
}

void complete_options(const struct opt *rows, const char *current, struct buf *out)
{
	for (const struct opt *o = rows; o && o->name; o++) {
		auto_free char *name = xasprintf("--%s", o->name), *letter = xasprintf("-%c", o->letter);

		if (o->flags & (OPT_HIDDEN | OPT_DEPRECATED))
			continue;
		complete_offer(name, o->help, current, out);
		if (o->letter)
			complete_offer(letter, o->help, current, out);
	}
}

const struct opt *complete_row(const struct opt *rows, const char *word)
{
	if (strchr(word, '='))
		return NULL;
	for (const struct opt *o = rows; o && o->name; o++)
		if (word[1] == '-' ? str_eq(word + 2, o->name)
				   : o->letter && o->letter == word[strlen(word) - 1])
			return o;
	return NULL;
}

/* ---- values of options ---- */

static void names_of_networks(const char *current, struct buf *out)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_json json_t *list = NULL;
	struct err unused; /* nothing can be offered then */
	json_t *one;
	size_t i;

	if (store_open(&s, &unused) == 0)
		list = network_list(&s, &unused);
	json_array_foreach(list, i, one)
	{
		if (!str_eq(json_str(one, "Name", ""), "bridge")) /* is listed, and no container is ever on it */
			complete_offer(json_str(one, "Name", ""), json_str(one, "Driver", ""),
				current, out);
	}
}

void complete_values(const struct opt *row, const char *current, struct buf *out)
{
	static const struct {
		const char *option, *values; /* NULL: files */
	} known[] = {{"pull", "always missing never"}, {"ids", "auto one range"},
		{"restart", "no always on-failure unless-stopped"},
		{"type", "container image network volume"}, {"log-driver", "json-file local none"},
		{"output-limit-action", "drop kill"}, {"env-file", NULL}, {"label-file", NULL},
		{"cidfile", NULL}, {"result", NULL}, {"volume", NULL}, {"mount", NULL},
		{"device", NULL}, {"input", NULL}, {"output", NULL}, {"vars", NULL}, {"stdin", NULL},
		{"file", NULL}, {"redact-pattern", NULL}, {"ipc", "host none private shareable"},
		{"pid", "host private"}, {"uts", "host private"}, {"cgroupns", "host private"},
		{"detach-keys", "ctrl-p,ctrl-q"}, {"format", "json table"}};

	if (str_eq(row->name, "network") || str_eq(row->name, "net")) {
		names_of_networks(current, out);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		auto_free char *values = NULL;
		char *word;

		if (!str_eq(known[i].option, row->name))
			continue;
		if (!known[i].values) {
			buf_puts(out, FILES);
			return;
		}
		values = xstrdup(known[i].values);
		for (char *at = values; (word = strsep(&at, " "));)
			complete_offer(word, "", current, out);
		return;
	}
	if (str_eq(row->arg, "file"))
		buf_puts(out, FILES);
}

/* ---- operands ---- */

enum { RUNNING = 1, CONTAINERS = 2, IMAGES = 4, VOLUMES = 8, NETWORKS = 16, ANY_FILES = 32 };

static void offer_containers(const struct store *s, bool all, const char *current, struct buf *out)
{
	struct state *list = NULL;
	struct err unused; /* as above */
	size_t n = 0;

	if (state_list(s, !all, &list, &n, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		complete_offer(list[i].name ? list[i].name : list[i].id, list[i].image, current, out);
	state_list_free(list, n);
}

static void offer_images(const struct store *s, const char *current, struct buf *out)
{
	struct image *list = NULL;
	struct err unused; /* as above */
	size_t n = 0;

	if (image_list(s, &list, &n, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i].refs.n; k++)
			complete_offer(list[i].refs.v[k], "image", current, out);
	image_list_free(list, n);
}

static void offer_volumes(const struct store *s, const char *current, struct buf *out)
{
	struct volume *list = NULL;
	struct err unused; /* as above */
	size_t n = 0;

	if (volume_list(s, &list, &n, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		complete_offer(list[i].name, "volume", current, out);
	volume_list_free(list, n);
}

static unsigned kinds_of(const char *command, int n)
{
	static const struct {
		const char *command;
		unsigned first, rest;
	} known[] = {{"run", IMAGES | ANY_FILES, 0}, {"create", IMAGES | ANY_FILES, 0},
		{"eval", IMAGES | ANY_FILES, ANY_FILES}, {"exec", RUNNING, 0},
		{"stop", RUNNING, RUNNING}, {"kill", RUNNING, RUNNING}, {"attach", RUNNING, 0},
		{"pause", RUNNING, RUNNING}, {"unpause", RUNNING, RUNNING}, {"top", RUNNING, 0},
		{"stats", RUNNING, RUNNING}, {"start", CONTAINERS, CONTAINERS},
		{"restart", CONTAINERS, CONTAINERS}, {"rm", CONTAINERS, CONTAINERS},
		{"wait", CONTAINERS, CONTAINERS}, {"update", CONTAINERS, CONTAINERS},
		{"logs", CONTAINERS, 0}, {"rename", CONTAINERS, 0}, {"port", CONTAINERS, 0},
		{"diff", CONTAINERS, 0}, {"export", CONTAINERS, 0}, {"commit", CONTAINERS, IMAGES},
		{"cp", CONTAINERS | ANY_FILES, CONTAINERS | ANY_FILES},
		{"inspect", CONTAINERS | IMAGES | VOLUMES | NETWORKS,
			CONTAINERS | IMAGES | VOLUMES | NETWORKS},
		{"container inspect", CONTAINERS, CONTAINERS}, {"image inspect", IMAGES, IMAGES},
		{"rmi", IMAGES, IMAGES}, {"tag", IMAGES, IMAGES}, {"save", IMAGES, IMAGES},
		{"history", IMAGES, 0}, {"images", IMAGES, 0}, {"pull", IMAGES, 0}, {"push", IMAGES, 0},
		{"import", ANY_FILES, IMAGES}, {"volume inspect", VOLUMES, VOLUMES},
		{"volume rm", VOLUMES, VOLUMES}, {"network inspect", NETWORKS, NETWORKS},
		{"network rm", NETWORKS, NETWORKS}, {"network connect", NETWORKS, CONTAINERS},
		{"network disconnect", NETWORKS, CONTAINERS}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eq(known[i].command, command))
			return n == 0 ? known[i].first : known[i].rest;
	return 0;
}

void complete_operand(const char *command, int n, const char *current, struct buf *out)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	unsigned kinds = kinds_of(command, n);
	struct err unused; /* as above */

	if (kinds & ANY_FILES)
		buf_puts(out, FILES);
	if (!(kinds & ~(unsigned)ANY_FILES) || store_open(&s, &unused) < 0)
		return;
	if (kinds & (RUNNING | CONTAINERS))
		offer_containers(&s, kinds & CONTAINERS, current, out);
	if (kinds & IMAGES)
		offer_images(&s, current, out);
	if (kinds & VOLUMES)
		offer_volumes(&s, current, out);
	if (kinds & NETWORKS)
		names_of_networks(current, out);
}
