/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive may have kept of it before anybody knows what it is for; what who made a layer of it may say. */
#include "auto.h"
#include "helper.h"
#include "load_parts.h"
#include "tap.h"

#include <limits.h>

/* How many entries of such names are taken, until one is refused. */
static size_t taken(size_t path, size_t link, enum tar_type type, struct err *e)
{
	auto_load struct load l = {0};
	struct tar_entry t = {
		.type = type, .path = xcalloc(path + 1, 1), .link = link ? xcalloc(link + 1, 1) : NULL};
	size_t n = 0;

	memset(t.path, 'p', path);
	if (link)
		memset(t.link, 'l', link);
	for (struct member *m; n < 1000000 && load_entry(&l, &t, &m, e) == 0; n++)
		;
	tar_entry_done(&t);
	return n;
}

static void test_names(void)
{
	struct err e = {0};
	size_t n = taken(80, 0, TAR_FILE, &e);

	is_int((int64_t)n, 65536, "files of usual names are many");
	is_str(e.text, "more than 65536 files", "and no more");
	n = taken(4000, 0, TAR_FILE, &e);
	ok(n > 1000 && n * 4000 <= 32 << 20, "fewer, if their names are long");
	is_int(e.kind, ERR_CORRUPT, "then it is no archive of images");
	n = taken(2, 4000, TAR_HARD, &e);
	ok(n > 1000 && n * 4000 <= 32 << 20, "and if what they lead to is");
	is_int((int64_t)taken(PATH_MAX, 0, TAR_FILE, &e), 0, "no name is longer than a path");
	is_int((int64_t)taken(2, PATH_MAX, TAR_LINK, &e), 0, "nor what a link leads to");
}

static bool says(const char *id, json_int_t size, int64_t *got)
{
	auto_json json_t *answer = json_pack("{s:s, s:I}", "DiffID", id, "Size", size);
	char diff_id[SHA256_HEX + 1] = "";
	struct err e;

	return helper_layer(answer, diff_id, got, &e) == 0 && strcmp(diff_id, id) == 0;
}

static void test_layer(void)
{
	char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	int64_t size = 0;

	ok(says(id, 4096, &size) && size == 4096, "a layer has a digest and a size");
	ok(!says(id, -1, &size) && !says(id, INT64_MIN, &size), "which is not below zero");
	ok(!says(id, INT64_MAX, &size) && !says(id, INT64_MAX / 65536, &size),
		"nor such that many of them have no sum");
	ok(!says("", 1, &size) && !says("0123", 1, &size), "half a digest is none");
	id[63] = '/';
	ok(!says(id, 1, &size), "nor is what has something else in it");
	ok(!says("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0", 1, &size),
		"or more");
}

int main(void)
{
	test_names();
	test_layer();
	return done_testing();
}
