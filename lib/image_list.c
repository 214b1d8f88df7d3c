/* SPDX-License-Identifier: Apache-2.0 */
/* image_list: all images and their names. */
#include "image_deck.h"
#include "image_files.h"
#include "ref.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct ref_entry {
	char hex[SHA256_HEX + 1];
	char *familiar;
};

static void refs_free(struct ref_entry *refs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(refs[i].familiar);
	free(refs);
}

static char *full_name(const char *familiar)
{
	auto_ref struct ref r = {0};
	struct err unused;

	return ref_parse(familiar, &r, &unused) == 0 ? ref_full(&r) : xstrdup(familiar);
}

/* Compares two names of an image in docker's order: "localhost:5000/a" after "docker.io/library/web". */
static int ref_cmp(const void *a, const void *b)
{
	const struct ref_entry *x = a, *y = b;
	auto_free char *one = NULL, *other = NULL;
	int c = strcmp(x->hex, y->hex);

	if (c)
		return c;
	one = full_name(x->familiar);
	other = full_name(y->familiar);
	return strcmp(one, other);
}

static char *ref_of_file(const char *name)
{
	char *familiar = xstrdup(name);

	for (char *c = familiar; *c; c++)
		if (*c == '+')
			*c = '/';
	return familiar;
}

/* A missing directory counts as empty: nothing was ever stored. */
static DIR *open_list(const struct store *s, const char *name, struct err *e)
{
	auto_close int fd = openat(s->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d) {
		(void)take_fd(&fd); /* d has it now */
		return d;
	}
	if (errno == ENOENT)
		err_clear(e);
	else
		(void)err_sys(e, "open directory %s/%s", s->root_path, name);
	return NULL;
}

/* Whether the error means that the entry is no reference (a directory, a link), or was removed meanwhile. */
static bool is_no_ref(int error)
{
	return error == ENOENT || error == ELOOP || error == EISDIR;
}

/* False: the list has failed. */
static bool tell_ref(
	const struct store *s, const char *name, int error, struct strv *unread, struct err *e)
{
	auto_free char *familiar = ref_of_file(name);

	errno = error;
	if (error)
		(void)err_sys(e, "image %s: %s/refs/%s", familiar, s->root_path, name);
	else
		(void)err_set(e, ERR_CORRUPT, "image %s: %s/refs/%s: holds no id", familiar,
			s->root_path, name);
	if (unread)
		strv_add(unread, e->text);
	return unread != NULL;
}

/* All references, sorted by image and name. unread: as for image_list(). */
static int read_refs(const struct store *s, struct ref_entry **out, size_t *n, struct strv *unread,
	struct err *e)
{
	struct ref_entry *refs = NULL, r;
	DIR *d = open_list(s, "refs", e);
	struct dirent *de;
	size_t count = 0;
	bool failed = false;

	*out = NULL;
	*n = 0;
	if (!d)
		return e->kind == ERR_NONE ? 0 : -1;
	while (!failed && (errno = 0, de = readdir(d))) {
		if (de->d_name[0] == '.')
			continue;
		if (!image_ref_read(dirfd(d), de->d_name, r.hex)) {
			failed = !is_no_ref(errno) && !tell_ref(s, de->d_name, errno, unread, e);
			continue;
		}
		r.familiar = ref_of_file(de->d_name);
		if ((count & (count + 1)) == 0)
			refs = xrealloc(refs, 2 * (count + 1), sizeof(*refs));
		refs[count++] = r;
	}
	if (!failed && errno)
		failed = err_sys(e, "list references") < 0;
	(void)closedir(d); /* only read */
	if (failed) {
		refs_free(refs, count);
		return -1;
	}
	if (count)
		qsort(refs, count, sizeof(*refs), ref_cmp);
	*out = refs;
	*n = count;
	return 0;
}

static void attach_refs(struct image *i, const struct ref_entry *refs, size_t n)
{
	size_t from = 0, to = n;

	strv_done(&i->refs);
	while (from < to) { /* to the first one of this image */
		size_t middle = from + (to - from) / 2;

		if (strcmp(refs[middle].hex, i->id + 7) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < n && str_eq(refs[from].hex, i->id + 7); from++)
		strv_add(&i->refs, refs[from].familiar);
}

int image_load_refs(const struct store *s, struct image *i, struct err *e)
{
	struct ref_entry *refs;
	auto_strv struct strv others = {0};
	size_t n;

	if (read_refs(s, &refs, &n, &others, e) < 0)
		return -1;
	if (others.n && e->kind == ERR_SYSTEM) { /* a reference that cannot be read may be this image's; one without an id is none's */
		refs_free(refs, n);
		return -1;
	}
	attach_refs(i, refs, n);
	refs_free(refs, n);
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct image *x = a, *y = b;
	int c = strcmp(y->created ? y->created : "", x->created ? x->created : "");

	return c ? c : strcmp(x->id, y->id);
}

static void mark_parents(struct image *list, size_t n)
{
	auto_json json_t *parents = json_object();

	for (size_t i = 0; i < n; i++)
		if (list[i].parent)
			(void)json_object_set_new(parents, list[i].parent, json_true()); /* memory */
	for (size_t i = 0; i < n; i++)
		list[i].is_parent = json_object_get(parents, list[i].id) != NULL;
}

/* Reports an image that cannot be read, by its names if it has any: "image web:1, web:2 (0123456789ab): ...". One that
 * another process has removed meanwhile, or that another version of sbx has stored, is skipped. False: the listing has
 * failed. */
static bool tell_image(
	const char *hex, const struct ref_entry *refs, size_t n, struct strv *unread, struct err *e)
{
	auto_image struct image named = {.id = xasprintf("sha256:%s", hex)};
	auto_buf struct buf names = {0};

	if (e->kind == ERR_NOT_FOUND || e->kind == ERR_UNSUPPORTED)
		return true;
	attach_refs(&named, refs, n);
	strv_join(&named.refs, ", ", &names);
	(void)err_ctx(e, names.len ? "image %s (%.12s)" : "image %s%.12s", names.len ? names.s : "", hex);
	if (unread)
		strv_add(unread, e->text);
	return unread != NULL;
}

/* images, names: as unread of image_list(). */
static int list_all(const struct store *s, struct image **out, size_t *n, struct strv *images,
	struct strv *names, struct err *e)
{
	struct image *list = NULL, i;
	struct ref_entry *refs;
	size_t n_refs, count = 0;
	bool failed = false;
	struct dirent *de;
	DIR *d;

	if (read_refs(s, &refs, &n_refs, names, e) < 0)
		return -1;
	*out = NULL;
	*n = 0;
	d = open_list(s, "images", e);
	while (d && !failed && (errno = 0, de = readdir(d))) {
		if (!str_is_hex(de->d_name, SHA256_HEX))
			continue;
		if (image_load(s, de->d_name, &i, e) < 0) {
			failed = !tell_image(de->d_name, refs, n_refs, images, e);
			continue;
		}
		attach_refs(&i, refs, n_refs);
		if ((count & (count + 1)) == 0)
			list = xrealloc(list, 2 * (count + 1), sizeof(*list));
		list[count++] = i;
	}
	if (d && !failed && errno)
		failed = err_sys(e, "list images") < 0;
	refs_free(refs, n_refs);
	if (d)
		(void)closedir(d); /* only read */
	if (failed || (!d && e->kind != ERR_NONE)) {
		image_list_free(list, count);
		return -1;
	}
	err_clear(e);
	if (count)
		qsort(list, count, sizeof(*list), newest_first);
	mark_parents(list, count);
	*out = list;
	*n = count;
	return 0;
}

int image_list_all(
	const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e)
{
	return list_all(s, out, n, unread, NULL, e);
}

static int list_by_deck(
	const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e)
{
	auto_strv struct strv untold = {0};
	struct deck_sign sign;
	int64_t began = sys_now_ns();
	bool known = deck_list_sign(s, &image_deck, &sign);

	if (known && image_deck_read(s, &sign, out, n))
		return 0;
	if (list_all(s, out, n, unread ? &untold : NULL, unread ? &untold : NULL, e) < 0)
		return -1;
	if (known && *n >= DECK_MANY && !untold.n)
		image_deck_write(s, &sign, began, *out, *n);
	for (size_t i = 0; i < untold.n; i++)
		strv_add(unread, untold.v[i]);
	return 0;
}

int image_list(const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e)
{
	size_t all, kept = 0;
	struct image *list;

	if (list_by_deck(s, &list, &all, unread, e) < 0)
		return -1;
	for (size_t i = 0; i < all; i++) {
		if (list[i].refs.n == 0 && image_is_doomed(s, list[i].id + 7))
			image_done(&list[i]);
		else
			list[kept++] = list[i];
	}
	*out = list;
	*n = kept;
	return 0;
}
