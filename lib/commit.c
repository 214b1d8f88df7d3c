/* SPDX-License-Identifier: Apache-2.0 */
#include "commit.h"

#include "auto.h"
#include "census.h"
#include "change.h"
#include "engine.h"
#include "event.h"
#include "helper.h"
#include "image.h"
#include "image_name.h"
#include "import.h"
#include "inside.h"
#include "inspect.h"
#include "sha256.h"
#include "spec.h"
#include "stage.h"
#include "stamp.h"
#include "sys.h"
#include "tarfd.h"
#include "tarpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* sha256 of a tar without entries: a layer that is left out. */
#define EMPTY_TAR "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"

/* ---- the layer ------------------------------------------------------------------------- */

static bool is_ours(void *context, const char *path)
{
	(void)context;
	return str_eq(path, STAGE_APT_FILE); /* launch put it there, or the user changed ours */
}

/* Of a private copy: the paths that are not the image's, and the image's paths that are gone. */
struct changed {
	struct strv is, gone;
};

static void changed_done(struct changed *c)
{
	strv_done(&c->is);
	strv_done(&c->gone);
}

static int note(void *changed, enum change_kind kind, const char *path, struct err *e)
{
	struct changed *c = changed;

	(void)e; /* memory */
	strv_add(kind == CHANGE_DELETED ? &c->gone : &c->is, path + 1);
	return 0;
}

static bool is_the_images(void *changed, const char *path)
{
	const struct changed *c = changed;

	return !strv_sorted_has(&c->is, path);
}

static int add_whiteout(struct tar_writer *w, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	auto_free char *mark = xasprintf("%.*s.wh.%s", (int)(name - path), path, name);
	struct tar_entry t = {.type = TAR_FILE, .path = mark};

	return tar_add(w, &t, e);
}

/* Deleted names come last, so that their directory's own entry comes before them. */
static int pack_copy(struct tar_writer *w, struct tarpack *p, int was, struct err *e)
{
	__attribute__((cleanup(changed_done))) struct changed all = {0};

	if (census_compare(p->dir, was, "/" STAGE_APT_FILE, note, &all, e) < 0)
		return -1;
	strv_sort(&all.is, 0);
	strv_sort(&all.gone, 0);
	p->omit = is_the_images;
	p->context = &all;
	if (tarpack(w, p, e) < 0)
		return -1;
	for (size_t i = 0; i < all.gone.n; i++)
		if (add_whiteout(w, all.gone.v[i], e) < 0)
			return -1;
	return 0;
}

struct packing {
	int fd;
	struct meter *meter;
};

static int do_pack(const struct inside_view *v, void *arg, struct err *e)
{
	const struct packing *to = arg;
	auto_tarfd struct tarfd out = tarfd_open(to->fd);
	struct tar_writer w = {.sink = tarfd_write, .pass = tarfd_pass, .context = &out};
	struct tarpack p = {.dir = v->upper,
		.name = ".",
		.as = "",
		.one_id = v->one_id,
		.uid = -1,
		.gid = -1,
		.layer = true,
		.omit = is_ours};

	out.meter = to->meter;
	if ((v->was >= 0 ? pack_copy(&w, &p, v->was, e) : tarpack(&w, &p, e)) < 0 ||
		tar_finish(&w, e) < 0)
		return -1;
	return tarfd_flush(&out, e);
}

/* One process reads the files where they have their owners, another one makes the squashfs file of them. */
static int make_layer(const struct store *s, const char *id, int file, struct meter *meter,
	struct image_layer *layer, struct err *e)
{
	const char *words[] = {"layer", NULL};
	auto_close int from = -1, to = -1;
	auto_inside struct inside i = INSIDE_NONE;
	struct inside_ask ask = {.work = do_pack, .mode = INSIDE_UPPER};
	struct packing packing;
	auto_json json_t *answer = NULL;
	struct err why = {0};

	if (sys_pipe(&from, &to) < 0)
		return err_sys(e, "pipe");
	packing = (struct packing){to, meter};
	ask.arg = &packing;
	ask.keep[0] = to;
	ask.keep[1] = -1;
	if (inside_begin(s, id, &ask, &i, e) < 0)
		return -1;
	(void)close(take_fd(&to)); /* its end is the end of the tar */
	answer = helper_ask(words, from, file, NULL, e);
	(void)close(take_fd(&from)); /* so that the first one ends when the second gave up */
	if (inside_end(&i, &why) < 0 && (answer || why.sys != EPIPE)) {
		*e = why;
		return -1;
	}
	if (!answer)
		return -1;
	return helper_layer(answer, layer->diff_id, &layer->size, e);
}

/* ---- the config ------------------------------------------------------------------------ */

static void set_text(json_t *j, const char *key, const char *value)
{
	if (value && *value)
		(void)json_object_set_new(j, key, json_text(value)); /* memory */
}

/* The words of CMD alone, as docker has it. */
static char *created_by(const json_t *config)
{
	auto_buf struct buf b = {0};
	const json_t *cmd = json_object_get(config, "Cmd");

	for (size_t i = 0; i < json_array_size(cmd); i++)
		buf_printf(&b, "%s%s", i ? " " : "", json_string_value(json_array_get(cmd, i)));
	return buf_take(&b);
}

/* The image that the new one is based on. */
struct parent {
	const struct store *s;
	json_t *config;
	const char *id; /* NULL: the container was made of a squashfs file, which becomes the new image's first layer */
	struct image_layer base; /* of that file */
	int file;
};

static void parent_done(struct parent *p)
{
	json_decref(p->config);
	if (p->base.temporary)
		image_layer_drop(p->s, p->base.temporary);
	free(p->base.temporary);
	if (p->file >= 0)
		(void)close(p->file); /* written and synced, or given up */
}

/* For a container that was made of a squashfs file by path. */
static int parent_of_file(const struct state *st, struct meter *meter, struct parent *p, struct err *e)
{
	auto_strv struct strv layers = {0};
	auto_image struct image image = {0};
	auto_close int in = -1;
	auto_free char *text = NULL;

	json_strv(json_object_get(st->extra, "layers"), &layers);
	if (layers.n != 1 || image_find(p->s, layers.v[0], &image, e) < 0 ||
		!str_eq(image.id, st->image_id))
		return err_set(e, ERR_UNSUPPORTED,
			"its image %s is not in the store, nor still the file that it was", st->image);
	in = open(image.by_path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return err_sys(e, "open %s", image.by_path);
	p->file = image_layer_begin(p->s, &p->base.temporary, e);
	if (p->file < 0)
		return -1;
	text = import_base(p->s, in, p->file, meter, &p->base, e);
	if (!text)
		return err_ctx(e, "%s", image.by_path);
	p->config = json_loads(text, 0, NULL);
	return p->config ? 0 : err_set(e, ERR_CORRUPT, "the config of its image is damaged");
}

static int find_parent(const struct state *st, struct meter *meter, struct parent *p, struct err *e)
{
	auto_image struct image image = {0};

	if (image_find_ref(p->s, st->image_id, &image, e) == 0) {
		p->id = st->image_id;
		p->config = image_read_config(p->s, &image, e);
		return p->config ? 0 : -1;
	}
	return e->kind == ERR_NOT_FOUND ? parent_of_file(st, meter, p, e) : -1;
}

static json_t *new_history(const struct commit_ask *ask, const char *created, const char *by, bool empty)
{
	json_t *h = json_pack("{s:s}", "created", created);

	set_text(h, "author", ask->author);
	set_text(h, "created_by", by);
	set_text(h, "comment", ask->message);
	if (empty)
		(void)json_object_set_new(h, "empty_layer", json_true()); /* memory */
	return h;
}

static json_t *child_of(const json_t *parent, const char *key)
{
	json_t *v = json_object_get(parent, key);

	return json_is_array(v) ? json_copy(v) : json_array();
}

/* The keys are in docker's order. was: the container's Config; config: with the changes. */
static char *make_config(const struct commit_ask *ask, const char *id, const json_t *parent,
	const json_t *was, json_t *config, const char *diff_id, struct err *e)
{
	json_t *layers = child_of(json_object_get(parent, "rootfs"), "diff_ids");
	json_t *history = child_of(parent, "history");
	auto_free char *by = created_by(was);
	auto_json json_t *image = json_object();
	bool empty = str_eq(diff_id, EMPTY_TAR);
	char created[STAMP_SIZE], *text;
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	stamp_print(&now, created);
	if (!empty)
		(void)json_array_append_new(layers, json_sprintf("sha256:%s", diff_id)); /* memory */
	(void)json_array_append_new(history, new_history(ask, created, by, empty)); /* memory */
	set_text(image, "architecture", json_str(parent, "architecture", spec_own_arch()));
	set_text(image, "author", ask->author);
	set_text(image, "comment", ask->message);
	(void)json_object_set(image, "config", config); /* memory, as below */
	set_text(image, "container", id);
	set_text(image, "created", created);
	(void)json_object_set_new(image, "history", history);
	set_text(image, "os", json_str(parent, "os", "linux"));
	(void)json_object_set_new(
		image, "rootfs", json_pack("{s:s, s:o}", "type", "layers", "diff_ids", layers));
	set_text(image, "variant", json_str(parent, "variant", NULL));
	text = json_dumps(image, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (!text)
		(void)err_set(e, ERR_USAGE, "the message is no UTF-8 text");
	return text;
}

/* ---- the whole ------------------------------------------------------------------------- */

static int add_image(const struct store *s, const char *config, const struct image_layer *layer,
	const struct parent *parent, const char *name, char **id, struct err *e)
{
	auto_json json_t *j = json_loads(config, 0, NULL);
	const json_t *ids = json_object_get(json_object_get(j, "rootfs"), "diff_ids");
	size_t n = json_array_size(ids);
	auto_free struct image_layer *all = xcalloc(n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++) {
		const char *hex = json_string_value(json_array_get(ids, i));

		hex = hex && str_starts(hex, "sha256:") ? hex + 7 : "";
		if (!str_is_hex(hex, SHA256_HEX))
			return err_set(e, ERR_CORRUPT, "the config of its image is damaged");
		memcpy(all[i].diff_id, hex, SHA256_HEX + 1);
		(void)image_layer_known(s, hex, &all[i].size); /* if one is missing, image_add() tells which */
		if (str_eq(hex, parent->base.diff_id))
			all[i] = parent->base;
		if (str_eq(hex, layer->diff_id))
			all[i] = *layer;
	}
	return image_add(s, config, strlen(config), all, n, parent->id, name, id, e);
}

/* What is known before the work begins. */
struct facts {
	const struct state *st;
	const struct parent *parent;
	const json_t *was; /* its own config */
	json_t *config;    /* with the changes */
};

/* Its removal renames its directory first: while that is in its place no file of it has been removed. (But where its files
 * are elsewhere, see fallback.h.) */
static int still_there(const struct store *s, const char *id, struct err *e)
{
	struct err gone;
	id_text found;

	if (state_find(s, id, found, &gone) == 0)
		return 0;
	return err_set(e, ERR_CONFLICT, "You cannot commit container %s which is being removed", id);
}

static int commit(const struct store *s, const struct commit_ask *ask, const struct facts *f,
	char **image_id, struct err *e)
{
	auto_free char *temporary = NULL, *text = NULL, *name = NULL;
	struct image_layer layer = {0};
	auto_close int file = image_layer_begin(s, &temporary, e);
	int result = -1, made;

	if (file < 0)
		return -1;
	layer.temporary = temporary;
	made = make_layer(s, f->st->id, file, ask->meter, &layer, e);
	if (still_there(s, f->st->id, e) == 0 && made == 0) {
		text = make_config(
			ask, f->st->id, f->parent->config, f->was, f->config, layer.diff_id, e);
		if (text && (!ask->name || (name = image_name_of(ask->name, e))))
			result = add_image(s, text, &layer, f->parent, name, image_id, e);
	}
	image_layer_drop(s, temporary);
	if (result == 0 && name)
		event_image(s, "tag", *image_id, name);
	return result;
}

static void tell(const struct store *s, const struct commit_ask *ask, const struct state *st,
	const char *image_id)
{
	event_container_with(s, st, "commit",
		json_pack("{s:o, s:s, s:o}", "comment", json_text(ask->message ? ask->message : ""),
			"imageID", image_id, "imageRef", json_text(ask->name ? ask->name : "")));
}

/* A pause of the container, and the process that ends it, even if its starter is killed. */
struct pause {
	int end; /* closed: it ends */
	pid_t waits;
};

static void __attribute__((noreturn)) thaw_in_the_end(const struct store *s, const char *id, int begun)
{
	struct err unused;
	char none;

	(void)setsid(); /* so that a signal from a terminal does not end the process that pauses */
	if (sys_read(begun, &none, 1) == 0)
		(void)engine_pause(s, id, false, &unused); /* it may have been unpaused, or ended, meanwhile */
	_exit(0);
}

/* Where it cannot be paused it is read as it runs. */
static void pause_begin(const struct store *s, const char *id, struct pause *out)
{
	auto_close int begun = -1, end = -1;
	struct err unused;
	pid_t pid;

	if (sys_pipe(&begun, &end) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		(void)close(take_fd(&end)); /* the other's alone */
		thaw_in_the_end(s, id, begun);
	}
	if (pid < 0)
		return;
	*out = (struct pause){take_fd(&end), pid};
	if (engine_pause(s, id, true, &unused) < 0)
		(void)sys_write_all(out->end, "", 1); /* then there is nothing to end */
}

static void pause_end(struct pause *p)
{
	auto_close_(&p->end);
	while (p->waits > 0 && waitpid(p->waits, NULL, 0) < 0 && errno == EINTR)
		;
}

int commit_container(const struct store *s, const struct commit_ask *ask, char **image_id, struct err *e)
{
	auto_state struct state st = {0};
	auto_json json_t *about = NULL, *config = NULL;
	__attribute__((cleanup(parent_done))) struct parent parent = {.s = s, .file = -1};
	__attribute__((cleanup(pause_end))) struct pause pause = {.end = -1};
	const json_t *was;
	id_text id;
	int result;

	if (state_find_said(s, ask->what, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return -1;
	about = container_inspect(s, id, false, e);
	if (!about)
		return -1;
	was = json_object_get(about, "Config");
	config = json_deep_copy(was);
	if (!config || change_merge(config, ask->config, e) < 0 ||
		change_config(config, &ask->changes, e) < 0)
		return -1;
	change_fill(config, was);
	if (find_parent(&st, ask->meter, &parent, e) < 0)
		return store_room_ctx(s, e);
	if (ask->pause && st.status == ST_RUNNING)
		pause_begin(s, id, &pause);
	result = commit(s, ask, &(struct facts){&st, &parent, was, config}, image_id, e);
	if (result == 0)
		tell(s, ask, &st, *image_id);
	return result < 0 ? store_room_ctx(s, e) : result;
}
