/* SPDX-License-Identifier: Apache-2.0 */
/* complete_names: offers existing containers, images, volumes and networks: those that a command takes as operands. */
#include "complete.h"

#include "image.h"
#include "network.h"
#include "state.h"
#include "status.h"
#include "volume.h"

#include <stdlib.h>
#include <string.h>

static void offer_between(struct offers *o, const char *before, const char *text,
	const char *behind, const char *about)
{
	auto_free char *whole = xasprintf("%s%s%s", before, text, behind);

	complete_offer(o, whole, about);
}

static unsigned kind_of(enum status status)
{
	return status == ST_RUNNING      ? NAMES_RUNNING
	       : status == ST_PAUSED     ? NAMES_PAUSED
	       : status == ST_RESTARTING ? NAMES_RESTARTING
	                                 : NAMES_STOPPED;
}

static void offer_containers(struct offers *o, const struct store *s, unsigned kinds,
	const char *before, const char *behind)
{
	const char *ids = getenv("DOCKER_COMPLETION_SHOW_CONTAINER_IDS");
	struct state *list = NULL;
	struct err unused; /* on an error nothing is offered */
	size_t n = 0;

	if (state_list(s, !(kinds & NAMES_STOPPED), &list, &n, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!(kind_of(list[i].status) & kinds))
			continue;
		if (str_eq(ids, "yes"))
			offer_between(o, before, list[i].id, behind, list[i].image);
		if (list[i].name)
			offer_between(o, before, list[i].name, behind, list[i].image);
	}
	state_list_free(list, n);
}

static void offer_images(struct offers *o, const struct store *s, const char *before, const char *behind)
{
	auto_strv struct strv unread = {0}; /* not offered, not reported */
	struct image *list = NULL;
	struct err unused; /* as above */
	size_t n = 0;

	if (image_list(s, &list, &n, &unread, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i].refs.n; k++)
			offer_between(o, before, list[i].refs.v[k], behind, "image");
	image_list_free(list, n);
}

static void offer_volumes(struct offers *o, const struct store *s, const char *before, const char *behind)
{
	auto_strv struct strv unread = {0}; /* likewise */
	struct volume *list = NULL;
	struct err unused; /* as above */
	size_t n = 0;

	if (volume_list(s, &list, &n, &unread, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		offer_between(o, before, list[i].name, behind, "volume");
	volume_list_free(list, n);
}

static void offer_networks(struct offers *o, const struct store *s, const char *before, const char *behind)
{
	auto_strv struct strv unread = {0}; /* likewise */
	struct err unused;                  /* as above */
	struct network *list = NULL;
	size_t n = 0;

	if (network_list_brief(s, &list, &n, &unread, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (!str_eq(list[i].name, "bridge")) /* only listed: no container is ever connected to it */
			offer_between(o, before, list[i].name, behind, list[i].driver);
	network_list_free(list, n);
}

void complete_names(struct offers *o, unsigned kinds, const char *before, const char *behind)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err unused; /* as above */

	if (kinds & NAMES_CONTEXTS)
		offer_between(o, before, "default", behind, NULL);
	if (!(kinds & ~(unsigned)(NAMES_CONTEXTS | NAMES_FILES)) || store_open(&s, &unused) < 0)
		return;
	if (kinds & NAMES_CONTAINERS)
		offer_containers(o, &s, kinds, before, behind);
	if (kinds & NAMES_IMAGES)
		offer_images(o, &s, before, behind);
	if (kinds & NAMES_VOLUMES)
		offer_volumes(o, &s, before, behind);
	if (kinds & NAMES_NETWORKS)
		offer_networks(o, &s, before, behind);
}

/* ---- operands ---- */

static unsigned kinds_of(const char *command, int n)
{
	static const struct {
		const char *command;
		unsigned first, second, rest;
	} known[] = {
		{"run", NAMES_IMAGES | NAMES_FILES, 0, 0},
		{"create", NAMES_IMAGES | NAMES_FILES, 0, 0},
		{"plan", NAMES_IMAGES | NAMES_FILES, 0, 0},
		{"eval", NAMES_IMAGES | NAMES_FILES, NAMES_FILES, NAMES_FILES},
		{"exec", NAMES_RUNNING, 0, 0},
		{"attach", NAMES_RUNNING, 0, 0},
		{"pause", NAMES_RUNNING, NAMES_RUNNING, NAMES_RUNNING},
		{"unpause", NAMES_PAUSED, NAMES_PAUSED, NAMES_PAUSED},
		{"stop", NAMES_LIVE, NAMES_LIVE, NAMES_LIVE},
		{"kill", NAMES_LIVE, NAMES_LIVE, NAMES_LIVE},
		{"wait", NAMES_LIVE, NAMES_LIVE, NAMES_LIVE},
		{"stats", NAMES_LIVE, NAMES_LIVE, NAMES_LIVE},
		{"top", NAMES_LIVE, 0, 0},
		{"port", NAMES_LIVE, 0, 0},
		{"start", NAMES_STOPPED, NAMES_STOPPED, NAMES_STOPPED},
		{"rm", NAMES_STOPPED, NAMES_STOPPED, NAMES_STOPPED},
		{"restart", NAMES_CONTAINERS, NAMES_CONTAINERS, NAMES_CONTAINERS},
		{"update", NAMES_CONTAINERS, NAMES_CONTAINERS, NAMES_CONTAINERS},
		{"logs", NAMES_CONTAINERS, 0, 0},
		{"rename", NAMES_CONTAINERS, 0, 0},
		{"diff", NAMES_CONTAINERS, 0, 0},
		{"export", NAMES_CONTAINERS, 0, 0},
		{"commit", NAMES_CONTAINERS, NAMES_IMAGES, 0},
		{"inspect", NAMES_CONTAINERS | NAMES_IMAGES | NAMES_VOLUMES | NAMES_NETWORKS,
			NAMES_CONTAINERS | NAMES_IMAGES | NAMES_VOLUMES | NAMES_NETWORKS,
			NAMES_CONTAINERS | NAMES_IMAGES | NAMES_VOLUMES | NAMES_NETWORKS},
		{"container inspect", NAMES_CONTAINERS, NAMES_CONTAINERS, NAMES_CONTAINERS},
		{"image inspect", NAMES_IMAGES, NAMES_IMAGES, NAMES_IMAGES},
		{"rmi", NAMES_IMAGES, NAMES_IMAGES, NAMES_IMAGES},
		{"tag", NAMES_IMAGES, NAMES_IMAGES, 0},
		{"save", NAMES_IMAGES, NAMES_IMAGES, NAMES_IMAGES},
		{"history", NAMES_IMAGES, 0, 0},
		{"images", NAMES_IMAGES, 0, 0},
		{"pull", NAMES_IMAGES, 0, 0},
		{"push", NAMES_IMAGES, 0, 0},
		{"import", NAMES_FILES, NAMES_IMAGES, 0},
		{"volume inspect", NAMES_VOLUMES, NAMES_VOLUMES, NAMES_VOLUMES},
		{"volume rm", NAMES_VOLUMES, NAMES_VOLUMES, NAMES_VOLUMES},
		{"network inspect", NAMES_NETWORKS, NAMES_NETWORKS, NAMES_NETWORKS},
		{"network rm", NAMES_NETWORKS, NAMES_NETWORKS, NAMES_NETWORKS},
		{"network connect", NAMES_NETWORKS, NAMES_CONTAINERS, 0},
		{"network disconnect", NAMES_NETWORKS, NAMES_CONTAINERS, 0},
		{"context use", NAMES_CONTEXTS, 0, 0},
		{"context inspect", NAMES_CONTEXTS, NAMES_CONTEXTS, NAMES_CONTEXTS},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eq(known[i].command, command))
			return n == 0 ? known[i].first : n == 1 ? known[i].second : known[i].rest;
	return 0;
}

static void offer_cp(struct offers *o)
{
	o->how = OFFER_OR_FILES;
	if (o->operands < 2 && !strpbrk(o->current, ":/"))
		complete_names(o, NAMES_CONTAINERS, "", ":");
	o->open = 0; /* the word may also be a file, which is complete */
}

void complete_operand(struct offers *o)
{
	const char *command = o->command->name;
	unsigned kinds = kinds_of(command, o->operands);

	if (str_eq(command, "cp")) {
		offer_cp(o);
		return;
	}
	if (str_eq(command, "rm") && complete_has(o, "force", 'f'))
		kinds = NAMES_CONTAINERS;
	/* after an image or a container comes a command, whose operands are unknown here */
	o->how = kinds & NAMES_FILES || (o->command->stop_at_operand && o->operands) ? OFFER_OR_FILES
	                                                                             : OFFER_ALONE;
	complete_names(o, kinds, "", "");
}
