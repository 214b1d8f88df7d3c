/* SPDX-License-Identifier: Apache-2.0 */
/* engine_create: makes a container from a spec: finds its image, adds defaults, makes its volumes and its directory. */
#include "engine_parts.h"

#include "auto.h"
#include "copy.h"
#include "enforce.h"
#include "etc.h"
#include "event.h"
#include "fallback.h"
#include "image.h"
#include "inside.h"
#include "inspect.h"
#include "names.h"
#include "network.h"
#include "parse.h"
#include "settings.h"
#include "volume.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

/* As docker's ps shows it: arguments with a space are quoted, the program is not. */
static void add_words(struct buf *b, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *quote = b->len && strchr(words->v[i], ' ') ? "'" : "";

		buf_printf(b, "%s%s%s%s", b->len ? " " : "", quote, words->v[i], quote);
	}
}

/* As docker's ps shows it. */
static char *command_line(const struct spec *s)
{
	auto_buf struct buf b = {0};

	add_words(&b, &s->entrypoint);
	add_words(&b, &s->cmd);
	return buf_take(&b);
}

/* Whether the user's setting names it. */
static bool default_network(struct spec *s)
{
	auto_free char *set = NULL;

	if (s->network && strcmp(s->network, "default") != 0)
		return false;
	/* If no setting says more, "default" stays: a network namespace with nothing but lo, like none, but with the
	 * container's own name in /etc/hosts, as on docker's bridge. */
	set = setting("network");
	free(s->network);
	s->network = xstrdup(set ? set : "default");
	return set != NULL;
}

static void default_hostname(struct spec *s, const char *id)
{
	struct utsname u;

	if (s->hostname && *s->hostname)
		return;
	free(s->hostname);
	if (str_eq(s->network, "host") && uname(&u) == 0)
		s->hostname = xstrdup(u.nodename);
	else
		s->hostname = xstrndup(id, 12);
}

static void fill_state(struct state *st, const struct spec *s, const struct image *image)
{
	auto_strv struct strv stack = {0};

	st->name = s->name ? xstrdup(s->name) : NULL;
	st->image = xstrdup(s->image);
	st->image_id = xstrdup(image->id);
	st->command = command_line(s);
	st->status = ST_CREATED;
	(void)clock_gettime(CLOCK_REALTIME, &st->created);
	st->auto_remove = s->auto_remove;
	st->network = xstrdup(s->network);
	strv_copy(&st->labels, &s->labels);
	/* The container keeps its layers, whatever the image's name means later. */
	st->extra = json_object();
	image_stack(image, &stack);
	(void)json_object_set_new(st->extra, "layers", json_from_strv(&stack)); /* only memory can fail here */
}

static int load_spec(const struct store *s, const char *what, struct spec *out, struct err *e)
{
	auto_json json_t *json = NULL;
	id_text id;

	if (state_find_said(s, what, id, e) < 0)
		return -1;
	json = state_load_spec(s, id, e);
	return json ? spec_from_json(out, json, e) : -1;
}

static int take_volumes(const struct store *s, struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->volumes_from.n; i++) {
		auto_free char *name = xstrdup(spec->volumes_from.v[i]);
		char *mode = strchr(name, ':');
		struct spec other;
		int result;

		if (mode)
			*mode++ = '\0';
		if (!*name)
			return err_set(e, ERR_USAGE, "invalid name or ID supplied: \"\"");
		spec_init(&other);
		result = load_spec(s, name, &other, e);
		if (result == 0)
			volume_from(spec, &other, mode && parse_mode_read_only(mode));
		spec_done(&other);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* Nothing was made in the writable layer. */
static bool wrote_nothing(const struct store *s, const struct made *m)
{
	auto_free char *path = xasprintf("%s/upper", m->dir);
	auto_close int upper = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	auto_state struct state now = {0};
	struct err e; /* an error counts as not known */

	return upper >= 0 && copy_is_empty(upper) == 1 && !fallback_no_overlay(m->dir) &&
	       state_load(s, m->st.id, &now, &e) == 0 && !json_object_get(now.extra, "upper");
}

/* What docker does with the files of each container that it creates. If the container is started at once, the start
 * does it. own: the working directory is not the image's; the image's needs to be checked only once. */
static int prepare_files(const struct store *s, const struct made *m, const struct spec *spec,
	bool own, struct err *e)
{
	static const struct inside_ask ask = {.keep = {-1, -1}, .mode = INSIDE_NEW};
	auto_inside struct inside in = INSIDE_NONE;
	bool place = spec->workdir && *spec->workdir && !str_eq(spec->workdir, "/");
	bool unseen = place && !own && !image_has_workdir(s, spec->image_id);

	if (!(place && own) && !unseen && !volume_any_new(s, spec))
		return 0;
	if (inside_begin(s, m->st.id, &ask, &in, e) < 0 || inside_end(&in, e) < 0)
		return -1;
	if (unseen && wrote_nothing(s, m))
		image_note_workdir(s, spec->image_id);
	return 0;
}

int engine_check_asked(const struct store *s, struct spec *spec, struct err *e)
{
	if (spec_check_asked(spec, e) < 0 || enforce_check(spec, e) < 0 ||
		volume_check_binds(spec, e) < 0)
		return -1;
	return s ? engine_join_names(s, spec, e) : 0;
}

/* In docker's order, so that of two mistakes the same one is reported. */
static int check_rest(const struct store *s, struct spec *spec, struct err *e)
{
	if (spec_check_command(spec, e) < 0)
		return -1;
	/* before volumes are made, which would be left behind */
	if (spec->name && name_is_free(s, spec->name, e) < 0)
		return -1;
	if (spec_check_named(spec, e) < 0 || enforce_check_storage(spec, e) < 0 ||
		engine_images_check(s, spec, e) < 0 || take_volumes(s, spec, e) < 0)
		return -1;
	return engine_link_names(s, spec, e);
}

enum { UNDO_FDS = 8 };

struct undo {
	int fd[UNDO_FDS];
	size_t n;
};

static void undo_done(struct undo *u)
{
	while (u->n)
		(void)close(u->fd[--u->n]); /* nothing was written */
}

/* What is needed to undo a creation is prepared before, since the creation may well fail for lack of descriptors. */
static int undo_begin(const struct spec *spec, struct undo *u, struct err *e)
{
	while (u->n < UNDO_FDS && (spec->n_mounts || spec->volumes.n)) {
		u->fd[u->n] = open("/", O_PATH | O_CLOEXEC);
		if (u->fd[u->n] < 0)
			return err_sys(e, "create a container with volumes");
		u->n++;
	}
	return 0;
}

struct making {
	const struct store *s;
	const struct spec *spec;
	const char *id;
	struct undo *undo;
};

static int fill(int dir, void *arg, struct err *e)
{
	const struct making *m = arg;

	return volume_make(m->s, m->spec, e) < 0 ? -1 : etc_write(dir, m->spec, e);
}

static void unfill(void *arg)
{
	const struct making *m = arg;
	struct err other; /* there is another one to tell */

	undo_done(m->undo);
	(void)volume_remove_anonymous(m->s, m->id, m->spec, &other);
}

static int store_it(const struct store *s, const struct spec *spec, const struct image *image,
	struct undo *undo, struct made *m, int *dir, struct err *e)
{
	auto_json json_t *json = spec_to_json(spec), *mounts = container_mounts(s, json);
	struct making making = {s, spec, m->st.id, undo};

	fill_state(&m->st, spec, image);
	m->st.mountless = json_array_size(mounts) == 0;
	return state_create(s, &m->st, json, &(struct state_fill){fill, unfill, &making}, dir, e);
}

static char *warn_of_platform(const struct store *s, const struct spec *spec, const struct image *image)
{
	auto_json json_t *config = NULL;
	struct err unused;

	if (!spec_platform_differs(spec, image->architecture))
		return NULL;
	config = image_read_config(s, image, &unused); /* without it the variant is not named */
	return spec_platform_warning(image->architecture, json_str(config, "variant", NULL));
}

int engine_make(const struct store *s, struct spec *spec, struct made *m, struct err *e)
{
	__attribute__((cleanup(undo_done))) struct undo undo = {.n = 0};
	auto_image struct image image = {0};
	auto_close int dir = -1;
	bool own_workdir = spec->workdir && *spec->workdir, by_setting;

	if (engine_check_asked(s, spec, e) < 0 || image_find(s, spec->image, &image, e) < 0 ||
		spec_check_platform(spec->platform, spec->image, image.architecture, e) < 0)
		return -1;
	free(spec->image_warning);
	spec->image_warning = warn_of_platform(s, spec, &image);
	spec_apply_image(spec, &image.config);
	free(spec->image_id);
	spec->image_id = xstrdup(image.id);
	by_setting = default_network(spec);
	if (!spec->ids)
		spec->ids = setting("ids");
	if (spec_complete(spec, e) < 0 || check_rest(s, spec, e) < 0)
		return -1;
	network_settle(s, &spec->network);
	/* a network that the user named is looked up at the start */
	if (by_setting && network_check(s, spec->network, e) < 0)
		return err_ctx(e, "the setting network (SBX_NETWORK) must be none or host");
	if (id_random(m->st.id, e) < 0)
		return -1;
	default_hostname(spec, m->st.id);
	if (undo_begin(spec, &undo, e) < 0)
		return -1;
	if (volume_prepare(spec, e) < 0 || store_it(s, spec, &image, &undo, m, &dir, e) < 0)
		return -1;
	m->fresh = true;
	m->dir = state_path(s, m->st.id);
	if ((!image_is_there(s, &image) && image_missing(spec->image, e) < 0) ||
		(spec->links.n && state_note_links(s, m->st.id, e) < 0) ||
		(m->unstarted && prepare_files(s, m, spec, own_workdir, e) < 0)) {
		undo_done(&undo);
		engine_unmake(s, m, spec);
		return -1;
	}
	event_container(s, &m->st, "create", NULL, NULL);
	return 0;
}

int engine_create(const struct store *s, struct spec *spec, id_text out, struct err *e)
{
	auto_made struct made m = {.unstarted = true};

	spec_init(&m.spec);
	if (engine_make(s, spec, &m, e) < 0)
		return -1;
	memcpy(out, m.st.id, sizeof(id_text));
	return 0;
}
