/* SPDX-License-Identifier: Apache-2.0 */
/* image_remove: removes images and layers from the store, by docker's rules. */
#include "image_files.h"
#include "ref.h"
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Everything that a removal looks at; the lock keeps it valid. */
struct removal {
	const struct store *s;
	int images; /* locked */
	struct state *containers;
	size_t n_containers;
	struct image *all; /* doomed ones too */
	size_t n_all;
	bool knows_all; /* every image could be read; one stored by another version cannot, for example */
	struct strv unread; /* why; their layers stay */
	struct strv *report;
	bool parents; /* nameless ones go with their last child */
	int64_t freed;
};

static void removal_done(struct removal *r)
{
	if (r->images >= 0)
		(void)close(r->images); /* unlocks */
	state_list_free(r->containers, r->n_containers);
	image_list_free(r->all, r->n_all);
	strv_done(&r->unread);
}
#define auto_removal __attribute__((cleanup(removal_done)))

typedef size_t look_at(struct removal *r, const char *name);

/* Calls the function for each name, and adds up its results; SIZE_MAX: there may be more. */
static size_t each_name(struct removal *r, int dir, look_at *look)
{
	int fd = dir < 0 ? -1 : openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	size_t sum = 0;

	while (d && (errno = 0, de = readdir(d)))
		sum += look(r, de->d_name);
	if (!d || errno)
		sum = SIZE_MAX;
	if (d)
		(void)closedir(d); /* only read */
	else if (fd >= 0)
		(void)close(fd);
	return sum;
}

static size_t is_image(struct removal *r, const char *name)
{
	(void)r;
	return str_is_hex(name, SHA256_HEX);
}

static int look_at_containers(struct removal *r, struct err *e)
{
	struct state *list = NULL;
	size_t n = 0;

	if (state_list(r->s, false, &list, &n, e) < 0)
		return err_ctx(e, "containers");
	state_list_free(r->containers, r->n_containers);
	r->containers = list;
	r->n_containers = n;
	return 0;
}

static int removal_begin(const struct store *s, struct strv *report, struct removal *r, struct err *e)
{
	*r = (struct removal){.s = s, .images = -1, .report = report, .parents = true};
	r->images = image_lock(s, e);
	if (r->images < 0)
		return -1;
	if (look_at_containers(r, e) < 0 || image_list_all(s, &r->all, &r->n_all, &r->unread, e) < 0)
		return -1;
	r->knows_all = each_name(r, r->images, is_image) == r->n_all;
	return 0;
}

/* ---- users ---- */

enum user { ANY, RUNNING, STOPPED };

/* A container whose card cannot be read may use any image, so that no image may be removed before it. */
static bool may_use(const struct state *st, const char *image_id)
{
	return !st->image_id || str_eq(st->image_id, image_id);
}

/* Otherwise nothing would be removed, and the user would not learn why. */
static int knows_users(const struct removal *r, struct err *e)
{
	for (size_t i = 0; i < r->n_containers; i++)
		if (!r->containers[i].image_id)
			return err_set(e, ERR_CORRUPT,
				"nobody can say which image container %.12s uses: %s",
				r->containers[i].id, r->containers[i].error);
	return 0;
}

static const struct state *user_of(const struct removal *r, const char *image_id, enum user which)
{
	for (size_t i = 0; i < r->n_containers; i++) {
		const struct state *st = &r->containers[i];

		if (may_use(st, image_id) && (which == ANY || state_runs(st) == (which == RUNNING)))
			return st;
	}
	return NULL;
}

static bool has_child(const struct removal *r, const char *image_id)
{
	for (size_t i = 0; i < r->n_all; i++)
		if (r->all[i].parent && str_eq(r->all[i].parent, image_id))
			return true;
	return false;
}

static const char *short_id(const char *image_id, char out[13])
{
	memcpy(out, image_id + 7, 12);
	out[12] = '\0';
	return out;
}

static int conflict(struct err *e, const struct image *i, bool hard, const char *why, const char *container)
{
	char id[13];

	return err_set(e, ERR_CONFLICT, "conflict: unable to delete %s (%s) - %s%.12s",
		short_id(i->id, id), hard ? "cannot be forced" : "must be forced", why, container);
}

/* Checks whether the image itself may be removed. references: names in several repositories are an obstacle, too. */
static int check_conflict(
	const struct removal *r, const struct image *i, bool force, bool references, struct err *e)
{
	const struct state *st = user_of(r, i->id, RUNNING);

	if (has_child(r, i->id))
		return conflict(e, i, true, "image has dependent child images", "");
	if (st)
		return conflict(e, i, true, "image is being used by running container ", st->id);
	if (force)
		return 0;
	if (references && i->refs.n > 0)
		return conflict(e, i, false, "image is referenced in multiple repositories", "");
	st = user_of(r, i->id, STOPPED);
	return st ? conflict(e, i, false, "image is being used by stopped container ", st->id) : 0;
}

/* ---- layers ---- */

static bool has_layer(const struct image *i, const char *path)
{
	for (size_t k = 0; k < i->layers.n; k++)
		if (str_eq(i->layers.v[k], path))
			return true;
	return false;
}

static size_t common_layers(const struct image *a, const struct image *b)
{
	size_t n = 0;

	while (n < a->layers.n && n < b->layers.n && str_eq(a->layers.v[n], b->layers.v[n]))
		n++;
	return n;
}

/* The chain id: docker's name of a layer with all layers below it. */
static void chain_id(const char *below, const char *layer_path, char out[SHA256_HEX + 1])
{
	const char *slash = strrchr(layer_path, '/');
	auto_free char *text = NULL;

	if (!*below) {
		memcpy(out, slash + 1, SHA256_HEX);
		out[SHA256_HEX] = '\0';
		return;
	}
	text = xasprintf("sha256:%s sha256:%.64s", below, slash + 1);
	sha256_hex(text, strlen(text), out);
}

/* Reports "Deleted: <chain id>" for the layers on which no other image is based, from the top down. */
static void report_chains(struct removal *r, const struct image *gone)
{
	char(*chain)[SHA256_HEX + 1] = xcalloc(gone->layers.n + 1, sizeof(*chain));
	size_t kept = r->knows_all ? 0 : gone->layers.n; /* as in remove_layers() */

	for (size_t i = 0; i < r->n_all && kept < gone->layers.n; i++) {
		size_t common = str_eq(r->all[i].id, gone->id) ? 0 : common_layers(&r->all[i], gone);

		kept = common > kept ? common : kept;
	}
	for (size_t i = 0; i < gone->layers.n; i++)
		chain_id(i ? chain[i - 1] : "", gone->layers.v[i], chain[i]);
	for (size_t i = gone->layers.n; i > kept; i--)
		strv_addf(r->report, "Deleted: sha256:%s", chain[i - 1]);
	free(chain);
}

static void remove_layer(struct removal *r, const char *path)
{
	auto_free char *name = xstrndup(strrchr(path, '/') + 1, SHA256_HEX);
	auto_free char *file = xasprintf("layers/%s.sqsh", name),
		       *about = xasprintf("layers/%s.json", name);
	struct stat st;

	if (fstatat(r->s->root, file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		r->freed += (int64_t)st.st_blocks * 512;
	/* The image is gone already. A layer that could not be removed is reused by the next import that has it. */
	(void)unlinkat(r->s->root, file, 0);
	(void)unlinkat(r->s->root, about, 0);
	image_unpacked_remove(r->s, name);
}

/* If an image could not be read these layers may be its: then they stay until all images can be read. */
static void remove_layers(struct removal *r, const struct image *gone)
{
	if (!r->knows_all)
		return;
	for (size_t k = 0; k < gone->layers.n; k++) {
		bool shared = false;

		for (size_t i = 0; i < r->n_all && !shared; i++)
			shared = !str_eq(r->all[i].id, gone->id) &&
			         has_layer(&r->all[i], gone->layers.v[k]);
		if (!shared)
			remove_layer(r, gone->layers.v[k]);
	}
}

/* ---- what was left ---- */

static size_t take_half_image(struct removal *r, const char *name)
{
	struct err ignored; /* the next one tries again */

	if (str_starts(name, ".new-") || str_starts(name, ".old-"))
		(void)state_remove_tree(r->images, name, &ignored);
	return 0;
}

static size_t take_orphan(struct removal *r, const char *name)
{
	auto_free char *path = xasprintf("/%s", name);
	const char *end = strchr(name, '.');

	if (!end || end - name != SHA256_HEX || !str_eq(end, ".sqsh"))
		return 0;
	for (size_t i = 0; i < r->n_all; i++)
		for (size_t k = 0; k < r->all[i].layers.n; k++)
			if (str_eq(strrchr(r->all[i].layers.v[k], '/'), path))
				return 0;
	remove_layer(r, path);
	return 1;
}

/* Removes the metadata of a layer that was not added completely; likewise a name for an image. */
static size_t take_words(struct removal *r, const char *name)
{
	const char *end = strrchr(name, '.');
	auto_free char *path = xasprintf("layers/%s", name), *layer = NULL;

	if (!end || !strstr(name, ".json"))
		return 0;
	layer = xasprintf("layers/%.*s.sqsh", (int)(end - name), name);
	if (name[0] == '.' ||
		(str_eq(end, ".json") && faccessat(r->s->root, layer, F_OK, 0) < 0 && errno == ENOENT))
		(void)unlinkat(r->s->root, path, 0); /* the next one tries again */
	return 0;
}

static size_t take_half_name(struct removal *r, const char *name)
{
	auto_free char *path = xasprintf("refs/%s", name);

	if (str_starts(name, ".new."))
		(void)unlinkat(r->s->root, path, 0); /* likewise */
	return 0;
}

/* Adding and removing images happens under the lock until it is complete: so anything incomplete was left by a process
 * that was killed. Layers come before their image and go after it. Images that another version of sbx stored are not
 * in the list, and their layers are not touched. */
static void take_leftovers(struct removal *r)
{
	auto_close int layers =
		openat(r->s->root, "layers", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	auto_close int refs =
		openat(r->s->root, "refs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	/* the number does not matter */
	(void)each_name(r, refs, take_half_name);
	(void)each_name(r, layers, take_words);
	if (layers >= 0)
		image_layers_sweep(layers);
	(void)each_name(r, r->images, take_half_image);
	if (r->knows_all)
		(void)each_name(r, layers, take_orphan);
}

/* ---- images ---- */

static void forget(struct removal *r, const struct image *gone)
{
	for (size_t i = 0; i < r->n_all; i++) {
		if (!str_eq(r->all[i].id, gone->id))
			continue;
		image_done(&r->all[i]);
		r->all[i] = r->all[--r->n_all];
		r->all[r->n_all] = (struct image){0};
		return;
	}
}

/* Renamed first, so that nobody sees half of it. Creating a container takes no lock: a container that was created
 * meanwhile is seen by the check afterwards, and one that is created later finds that the image is gone
 * (image_is_there). 1: there is such a container, and the image was put back. */
static int unlink_image(struct removal *r, const char *id, struct err *e)
{
	const char *hex = id + 7;
	auto_free char *trash = xasprintf(".old-%s", hex);
	int seen;

	/* left by one that was killed here */
	if (state_remove_tree(r->images, trash, e) < 0 && e->sys != ENOENT)
		return -1;
	if (renameat(r->images, hex, r->images, trash) < 0)
		return err_sys(e, "remove image %.12s", hex);
	seen = look_at_containers(r, e);
	if (seen == 0 && !user_of(r, id, ANY))
		return state_remove_tree(r->images, trash, e);
	if (renameat(r->images, trash, r->images, hex) < 0)
		return err_sys(e, "keep image %.12s", hex);
	return seen < 0 ? -1 : 1;
}

static int doom(struct removal *r, const char *hex, struct err *e)
{
	auto_free char *name = xasprintf("%s/doomed", hex);
	auto_close int fd = openat(r->images, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? err_sys(e, "remove image %.12s", hex) : 0;
}

static int untag(struct removal *r, const char *familiar, struct err *e)
{
	auto_free char *file = image_ref_file(familiar), *path = xasprintf("refs/%s", file);

	if (unlinkat(r->s->root, path, 0) < 0 && errno != ENOENT)
		return err_sys(e, "remove the reference %s", familiar);
	strv_addf(r->report, "Untagged: %s", familiar);
	return 0;
}

static int untag_all(struct removal *r, struct image *i, struct err *e)
{
	for (size_t k = 0; k < i->refs.n; k++)
		if (untag(r, i->refs.v[k], e) < 0)
			return -1;
	strv_done(&i->refs);
	return 0;
}

/* As docker does when it prunes: of an image that a container uses only the last name counts as in use. */
static int untag_all_but_last(struct removal *r, struct image *i, struct err *e)
{
	for (size_t k = 0; k + 1 < i->refs.n; k++)
		if (untag(r, i->refs.v[k], e) < 0)
			return -1;
	return 0;
}

static struct image *find(struct removal *r, const char *hex)
{
	for (size_t i = 0; i < r->n_all; i++)
		if (r->all[i].id && str_eq(r->all[i].id + 7, hex))
			return &r->all[i];
	return NULL;
}

/* Removes the image with all its names. Conflicts were checked before. */
static int delete_one(struct removal *r, struct image *i, struct err *e)
{
	auto_image struct image gone = {0};
	int used;

	if (untag_all(r, i, e) < 0)
		return -1;
	strv_addf(r->report, "Deleted: %s", i->id);
	used = user_of(r, i->id, ANY) ? 1 : unlink_image(r, i->id, e);
	if (used)
		return used < 0 ? -1 : doom(r, i->id + 7, e);
	gone = *i;
	*i = (struct image){0};
	i->id = xstrdup(gone.id);
	report_chains(r, &gone);
	remove_layers(r, &gone);
	forget(r, &gone);
	return 0;
}

/* Removes the image, then its parents as long as they have no name and no other child or user. */
static int delete_image(struct removal *r, struct image *i, struct err *e)
{
	while (i) {
		auto_free char *parent = i->parent && r->parents ? xstrdup(i->parent) : NULL;

		if (delete_one(r, i, e) < 0)
			return -1;
		i = parent ? find(r, parent + 7) : NULL;
		if (i && (i->refs.n > 0 || user_of(r, i->id, ANY) || has_child(r, i->id)))
			i = NULL;
	}
	return 0;
}

static void drop_ref(struct image *i, const char *familiar)
{
	struct strv rest = {0};

	for (size_t k = 0; k < i->refs.n; k++)
		if (!str_eq(i->refs.v[k], familiar))
			strv_add(&rest, i->refs.v[k]);
	strv_done(&i->refs);
	i->refs = rest;
}

/* Given by a name: removes only the name, unless it is the last one. */
static int remove_by_name(struct removal *r, struct image *i, const char *what,
	const char *familiar, bool force, struct err *e)
{
	const struct state *st = user_of(r, i->id, ANY);
	char id[13];

	if (!force && i->refs.n <= 1 && st)
		return err_set(e, ERR_CONFLICT,
			"conflict: unable to remove repository reference \"%s\" (must force) - "
			"container %.12s is using its referenced image %s",
			what, st->id, short_id(i->id, id));
	if (untag(r, familiar, e) < 0)
		return -1;
	drop_ref(i, familiar);
	/* if a container or another image uses it, it stays, without a name */
	if (i->refs.n > 0 || has_child(r, i->id) || user_of(r, i->id, force ? RUNNING : ANY))
		return 0;
	return delete_image(r, i, e);
}

/* Removes doomed images whose containers are gone by now. */
static void bury(struct removal *r)
{
	struct strv *report = r->report;
	auto_strv struct strv silent = {0};
	struct err ignored;

	r->report = &silent;
	for (size_t i = 0; i < r->n_all; i++)
		if (image_is_doomed(r->s, r->all[i].id + 7) && !user_of(r, r->all[i].id, ANY) &&
			delete_image(r, &r->all[i], &ignored) == 0)
			i = (size_t)-1; /* the list has changed: from its start again */
	r->report = report;
}

/* An image of which only its id and names can be read. Its layers go as soon as all images can be. */
static int remove_damaged(struct removal *r, const char *hex, struct err *e)
{
	auto_image struct image i = {.id = xasprintf("sha256:%s", hex)};
	const struct state *st = user_of(r, i.id, ANY);
	int used;

	if (st)
		return conflict(e, &i, true, "image is being used by container ", st->id);
	if (image_load_refs(r->s, &i, e) < 0 || untag_all(r, &i, e) < 0)
		return -1;
	used = unlink_image(r, i.id, e);
	if (used)
		return used < 0 ? -1 : doom(r, hex, e);
	strv_addf(r->report, "Deleted: %s", i.id);
	r->knows_all = each_name(r, r->images, is_image) == r->n_all;
	take_leftovers(r);
	return 0;
}

int image_remove(const struct store *s, const char *what, bool force, bool prune_parents,
	struct strv *report, struct err *e)
{
	auto_removal struct removal r = {.images = -1};
	auto_free char *familiar = NULL;
	auto_image struct image unlisted = {0};
	char hex[SHA256_HEX + 1], named[SHA256_HEX + 1];
	struct image *i;

	if (removal_begin(s, report, &r, e) < 0)
		return -1;
	take_leftovers(&r);
	bury(&r);
	r.parents = prune_parents;
	if (image_id_of(s, what, hex, e) < 0)
		return -1;
	i = find(&r, hex);
	if (!i && image_load(s, hex, &unlisted, e) < 0 && e->kind != ERR_NOT_FOUND)
		return force && e->kind == ERR_CORRUPT ? remove_damaged(&r, hex, e) : -1;
	if (image_is_doomed(s, hex) || (!i && !unlisted.id))
		return image_missing(what, e);
	if (!i) /* it exists, but was skipped when all were read */
		return err_set(e, ERR_SYSTEM, "image %s could not be read before", what);
	familiar = str_starts(what, "sha256:") ? NULL : ref_familiar(what, e);
	if (familiar && image_by_ref(s, familiar, named) && str_eq(named, hex))
		return remove_by_name(&r, i, what, familiar, force, e);
	if (check_conflict(&r, i, force, i->refs.n > 1, e) < 0)
		return -1;
	return delete_image(&r, i, e);
}

int image_prune(const struct store *s, bool all, bool (*wanted)(const struct image *, void *),
	void *context, struct strv *report, struct strv *unread, int64_t *freed, struct err *e)
{
	auto_removal struct removal r = {.images = -1};

	if (removal_begin(s, report, &r, e) < 0)
		return -1;
	for (size_t i = 0; i < r.unread.n; i++)
		strv_add(unread, r.unread.v[i]);
	if (r.n_all > 0 && knows_users(&r, e) < 0)
		return -1;
	take_leftovers(&r);
	bury(&r);
	for (size_t i = r.n_all; i-- > 0;) {
		struct image *image = &r.all[i];

		if (i >= r.n_all || (!all && image->refs.n > 0) || (wanted && !wanted(image, context)))
			continue;
		if (user_of(&r, image->id, ANY)) {
			if (untag_all_but_last(&r, image, e) < 0)
				return -1;
			continue;
		}
		/* Parents go with the last of their children. */
		if ((has_child(&r, image->id) ? untag_all(&r, image, e) : delete_image(&r, image, e)) < 0)
			return -1;
		/* the last ones were moved to the free places, and were looked at before */
	}
	*freed = r.freed;
	return 0;
}
