/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a listing of many volumes and of many networks: whatever becomes of it, the next tells what there is. */
#include "network.h"
#include "own_store.h"
#include "sha256.h"
#include "state.h"
#include "sys.h"
#include "tap.h"
#include "volume_parts.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CROWD = 140 };

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;

/* ---- what is told of them ---- */

static void put_list(const struct strv *list, struct buf *out)
{
	for (size_t i = 0; i < list->n; i++)
		buf_printf(out, " %s", list->v[i]);
}

static void volumes_text(bool each, struct buf *out)
{
	struct volume *list = NULL;
	size_t n = 0;

	if ((each ? volume_list_all : volume_list)(&s, &list, &n, NULL, &e) < 0)
		buf_puts(out, e.text);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%s %s %lld.%ld", list[i].name, list[i].path,
			(long long)list[i].created.tv_sec, list[i].created.tv_nsec);
		put_list(&list[i].labels, out);
		put_list(&list[i].options, out);
		buf_putc(out, '\n');
	}
	volume_list_free(list, n);
}

static void network_text(const struct network *n, struct buf *out)
{
	buf_printf(out, "%s %s %s %s %d%d%d", n->id, n->name, n->driver, n->created, n->ipv4,
		n->ipv6, n->internal);
	put_list(&n->labels, out);
	buf_putc(out, '\n');
}

static void networks_text(bool each, struct buf *out)
{
	auto_json json_t *all = each ? network_list(&s, NULL, &e) : NULL;
	struct network *list = NULL;
	size_t n = 0, i;
	json_t *j;

	json_array_foreach(all, i, j)
	{
		auto_network struct network one;

		network_read(j, &one);
		network_text(&one, out);
	}
	if (each ? !all : network_list_brief(&s, &list, &n, NULL, &e) < 0)
		buf_puts(out, e.text);
	for (i = 0; i < n; i++)
		network_text(&list[i], out);
	network_list_free(list, n);
}

static const struct kind {
	const char *name, *file;
	void (*text)(bool each, struct buf *out);
	size_t more; /* that nobody made */
} kinds[] = {{"volumes", "volumes.cards", volumes_text, 0},
	{"networks", "networks.cards", networks_text, 3}};

static const struct kind *k;

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

/* As the files have it, read one by one. */
static bool is_true(size_t want)
{
	auto_buf struct buf listed = {0}, read = {0};

	k->text(false, &listed);
	k->text(true, &read);
	return lines(listed.s) == want + k->more && strcmp(listed.s, read.s) == 0;
}

/* ---- making and removing ---- */

static void make_one(int i)
{
	auto_free char *name = xasprintf("thing-%d", i), *label = xasprintf("n=%d", i);
	auto_strv struct strv labels = {0}, options = {0};
	auto_volume struct volume v = {0};
	auto_json json_t *ask = json_pack("{s:{s:s}}", "Labels", "n", label), *made = NULL;
	bool good;

	strv_add(&labels, label);
	if (i % 5 == 0) {
		strv_add(&options, "type=tmpfs");
		strv_add(&options, "device=tmpfs");
	}
	if (*k->name == 'v')
		good = volume_create(&s, name, NULL, &labels, &options, &v, &e) == 0;
	else
		good = (made = network_create(&s, name, ask, &e)) != NULL;
	if (!good) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
}

static int remove_one(int i)
{
	auto_free char *name = xasprintf("thing-%d", i);

	return *k->name == 'v' ? volume_remove(&s, name, NULL, &e) : network_remove(&s, name, &e);
}

/* ---- the file ---- */

static bool there(void)
{
	return faccessat(s.root, k->file, F_OK, 0) == 0;
}

/* It is kept of what was not changed in the last seconds. */
static void wait_for_deck(void)
{
	(void)unlinkat(s.root, k->file, 0);
	for (int i = 0; i < 6000 && !there(); i++) {
		auto_buf struct buf unused = {0};

		k->text(false, &unused);
		if (!there())
			(void)usleep(20000);
	}
}

/* Said only of a listing that ended within a second of the change. */
static bool keeps_nothing_new(void)
{
	auto_close int dir = openat(s.root, k->name, O_RDONLY | O_DIRECTORY);

	for (;;) {
		auto_buf struct buf unused = {0};
		int64_t began = sys_now_ns();

		(void)unlinkat(s.root, k->file, 0);
		(void)futimens(dir, NULL);
		k->text(false, &unused);
		if (sys_now_ns() - began < 1000000000)
			return !there();
	}
}

static struct buf kept;

static void keep(void)
{
	auto_close int fd = openat(s.root, k->file, O_RDONLY);
	char part[4096];

	buf_done(&kept);
	for (ssize_t n; (n = read(fd, part, sizeof(part))) > 0;)
		buf_add(&kept, part, (size_t)n);
}

/* As it was kept, with another byte at `at`. */
static void put_back(size_t at)
{
	auto_close int fd = openat(s.root, k->file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char other = at < kept.len ? (char)~kept.s[at] : 0;

	(void)!write(fd, kept.s, kept.len);
	if (at < kept.len)
		(void)!pwrite(fd, &other, 1, (off_t)at);
}

/* The file of one is written into, which nobody does, and which shows who does not read it. */
static void scribble(void)
{
	char file[SHA256_HEX + 1], part[4096] = "", *label;
	auto_free char *path = NULL;
	auto_close int fd = -1;

	sha256_hex("thing-1", strlen("thing-1"), file);
	path = *k->name == 'v' ? xstrdup("volumes/thing-1/meta.json") : xasprintf("networks/%s", file);
	fd = openat(s.root, path, O_RDWR);
	if (read(fd, part, sizeof(part) - 1) > 0 && (label = strstr(part, "n=1\"")))
		(void)!pwrite(fd, "X", 1, label - part);
}

static void test_kind(void)
{
	auto_buf struct buf before = {0}, after = {0};
	size_t n = 0;

	printf("# %s\n", k->name);
	for (int i = 0; i < CROWD; i++)
		make_one(i);
	ok(is_true(CROWD) && keeps_nothing_new(), "nothing is kept of what was changed just now");
	wait_for_deck();
	ok(there() && is_true(CROWD), "a listing of many is kept, and the next one is right");
	k->text(false, &before);
	scribble();
	k->text(false, &after);
	ok(str_eq(before.s, after.s) && !is_true(CROWD), "and reads none of them");
	keep();
	for (size_t at = 0; at < 200; at++) {
		put_back(at);
		n += is_true(CROWD);
	}
	is_int((int64_t)n, 200, "a damaged one is none");
	put_back(SIZE_MAX);
	ok(remove_one(7) == 0 && is_true(CROWD - 1), "what went is not in it");
	put_back(SIZE_MAX);
	make_one(CROWD);
	ok(is_true(CROWD), "and what came is");
	put_back(SIZE_MAX);
	make_one(7);
	ok(is_true(CROWD + 1), "also by the name of one that went");
}

int main(void)
{
	struct err none;

	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		k = &kinds[i];
		test_kind();
	}
	buf_done(&kept);
	(void)state_remove_tree(AT_FDCWD, top, &none);
	return done_testing();
}
