/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a listing of many images: whatever becomes of it, the next tells what the store has. */
#include "image_deck.h"
#include "image_files.h"
#include "own_store.h"
#include "state.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

enum { CROWD = 140 };

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;

static char *make_one(int i)
{
	auto_free char *config = xasprintf(
		"{\"architecture\":\"amd64\",\"os\":\"linux\",\"created\":\"2026-01-01T00:00:%02dZ\","
		"\"config\":{\"Labels\":{\"n\":\"%d\",\"e\":\"\"}},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}}",
		i % 60, i);
	auto_free char *name = xasprintf("some/where/%d:t", i);
	char *id = NULL;

	if (image_add(&s, config, strlen(config), NULL, 0, NULL, NULL, &id, &e) < 0 ||
		(i % 7 && image_tag(&s, id, name, &e) < 0)) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	return id;
}

static void text_of(const struct image *list, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct strv *lists[] = {&list[i].layers, &list[i].refs, &list[i].config.labels};

		buf_printf(out, "%s %s %s %s %s %lld %d", list[i].id, list[i].architecture,
			list[i].os, list[i].created, list[i].parent ? list[i].parent : "-",
			(long long)list[i].size, list[i].is_parent);
		for (size_t k = 0; k < ARRAY_LEN(lists); k++)
			for (size_t j = 0; j < lists[k]->n; j++)
				buf_printf(out, " %s", lists[k]->v[j]);
		buf_putc(out, '\n');
	}
}

/* As the files have it, read one by one. */
static bool is_true(size_t want)
{
	auto_buf struct buf listed = {0}, loaded = {0};
	auto_strv struct strv unread = {0}; /* what was scribbled into */
	struct image *list = NULL, *all = NULL;
	size_t n = 0, n_all = 0;

	if (image_list(&s, &list, &n, &unread, &e) < 0 ||
		image_list_all(&s, &all, &n_all, &unread, &e) < 0)
		return false;
	text_of(list, n, &listed);
	text_of(all, n_all, &loaded);
	image_list_free(list, n);
	image_list_free(all, n_all);
	return n == want && n_all == want && strcmp(listed.s, loaded.s) == 0;
}

static bool there(void)
{
	return faccessat(s.root, "images.cards", F_OK, 0) == 0;
}

/* It is kept of what was not changed in the last seconds. */
static void wait_for_deck(void)
{
	(void)unlinkat(s.root, "images.cards", 0);
	for (int i = 0; i < 6000 && !there(); i++) {
		struct image *list = NULL;
		size_t n = 0;

		(void)image_list(&s, &list, &n, NULL, &e);
		image_list_free(list, n);
		if (!there())
			(void)usleep(20000);
	}
}

/* The file itself is written into, which nobody does, and which shows who does not read it. */
static void scribble(const char *id)
{
	auto_free char *path = xasprintf("images/%s/meta.json", id + strlen("sha256:"));
	auto_close int fd = openat(s.root, path, O_WRONLY);

	(void)!pwrite(fd, "X", 1, 0);
}

static struct buf kept;

static void keep(void)
{
	auto_close int fd = openat(s.root, "images.cards", O_RDONLY);
	char part[4096];

	for (ssize_t n; (n = read(fd, part, sizeof(part))) > 0;)
		buf_add(&kept, part, (size_t)n);
}

/* As it was kept, with another byte at `at`. */
static void put_back(size_t at)
{
	auto_close int fd = openat(s.root, "images.cards", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char other = at < kept.len ? (char)~kept.s[at] : 0;

	(void)!write(fd, kept.s, kept.len);
	if (at < kept.len)
		(void)!pwrite(fd, &other, 1, (off_t)at);
}

int main(void)
{
	auto_strv struct strv ids = {0}, report = {0};
	struct err none;

	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	for (int i = 0; i < CROWD; i++) {
		auto_free char *id = make_one(i);

		strv_add(&ids, id);
	}
	ok(is_true(CROWD) && !there(), "nothing is kept of what was changed just now");
	wait_for_deck();
	ok(there(), "a listing of many is kept");
	ok(is_true(CROWD), "and the next one is right");
	scribble(ids.v[1]);
	struct image *list = NULL;
	size_t n = 0;

	(void)image_list(&s, &list, &n, NULL, &e);
	image_list_free(list, n);
	is_int((int64_t)n, CROWD, "and reads none of the images");
	keep();
	n = 0;
	for (size_t at = 0; at < 200; at++) {
		put_back(at);
		n += is_true(CROWD - 1);
	}
	is_int((int64_t)n, 200, "a damaged one is none");
	put_back(SIZE_MAX);
	ok(image_tag(&s, ids.v[7], "new:name", &e) == 0 && is_true(CROWD - 1), "a new name is seen");
	put_back(SIZE_MAX);
	ok(image_remove(&s, "new:name", false, false, &report, &e) == 0 && is_true(CROWD - 2),
		"and what went");
	put_back(SIZE_MAX);
	auto_free char *id = make_one(CROWD);

	ok(is_true(CROWD - 1), "and what came");
	buf_done(&kept);
	(void)state_remove_tree(AT_FDCWD, top, &none);
	return done_testing();
}
