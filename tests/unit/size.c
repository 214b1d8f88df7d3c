/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of many containers add up to, kept in one file: whatever becomes of it, who wrote into one shows. */
#include "size.h"
#include "own_store.h"
#include "statedir.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CROWD = 600, RECORD = 32, FRONT = 24 };

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;

static void write_into(const char *id, size_t n)
{
	auto_free char *name = xasprintf("containers/%s/upper/f", id);
	auto_close int fd = openat(s.root, name, O_WRONLY | O_CREAT, 0600);

	(void)ftruncate(fd, (off_t)n);
}

static void make_one(id_text out, size_t n)
{
	auto_state struct state st = {.status = ST_EXITED};
	auto_json json_t *spec = json_pack("{s:s}", "Image", "busybox");
	auto_close int dir = -1;

	st.image = xstrdup("busybox");
	st.command = xstrdup("true");
	if (state_create(&s, &st, spec, NULL, &dir, &e) < 0) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	memcpy(out, st.id, sizeof(id_text));
	if (n)
		write_into(out, n);
}

/* What a listing says about each of the ids. */
static void ask(id_text *ids, size_t n, int64_t *bytes)
{
	int64_t began = sys_now_ns();
	struct state *list = NULL;
	size_t listed = 0;

	(void)state_list(&s, false, &list, &listed, &e);
	auto_free struct sized *sizes = xcalloc(listed + 1, sizeof(*sizes));
	for (size_t i = 0; i < listed; i++)
		sizes[i].st = &list[i];
	container_sizes(&s, sizes, listed, began);
	for (size_t i = 0; i < n; i++) {
		bytes[i] = -1;
		for (size_t k = 0; k < listed; k++)
			if (strcmp(list[k].id, ids[i]) == 0)
				bytes[i] = sizes[k].bytes;
	}
	state_list_free(list, listed);
}

static const id_text nobody = "";

static int64_t size_of_one(const id_text id)
{
	id_text one[1];
	int64_t bytes;

	memcpy(one[0], id, sizeof(id_text));
	ask(one, 1, &bytes);
	return bytes;
}

static size_t kept(void)
{
	struct stat st;

	return fstatat(s.root, "sizes", &st, 0) < 0 ? 0 : (size_t)(st.st_size - FRONT) / RECORD;
}

/* They are kept of those that were not changed in the last seconds. */
static void keep(size_t n)
{
	for (int i = 0; i < 6000; i++) {
		(void)unlinkat(s.root, "sizes", 0);
		(void)size_of_one(nobody);
		if (kept() >= n)
			return;
		(void)usleep(20000);
	}
}

static void test_kept(id_text *ids)
{
	int64_t bytes[CROWD];
	bool right = true;

	keep(CROWD);
	is_int((int64_t)kept(), CROWD, "the sizes of many are kept");
	ask(ids, CROWD, bytes);
	for (size_t i = 0; i < CROWD; i++)
		right &= bytes[i] == (int64_t)(i % 5 * 100);
	ok(right, "and are told as they are");
	write_into(ids[0], 12345); /* which nobody does */
	is_int(size_of_one(ids[0]), 0, "without a look into each");
	(void)unlinkat(s.root, "sizes", 0);
	is_int(size_of_one(ids[0]), 12345, "which is what happens without the file");
}

static void test_touched(id_text *ids)
{
	auto_close int dir = statedir_open(&s, "", ids[1]);

	keep(CROWD);
	write_into(ids[1], 777);
	(void)futimens(dir, NULL);
	is_int(size_of_one(ids[1]), 777, "one whose directory was touched is looked at");
	write_into(ids[1], 778);
	is_int(size_of_one(ids[1]), 778, "and again: its change is too young to be kept");
}

static int run_again(struct state *st, void *arg, struct err *why)
{
	(void)arg, (void)why;
	st->restart_count++;
	return 0;
}

static void test_state(id_text *ids)
{
	keep(CROWD);
	write_into(ids[2], 999);
	(void)state_update(&s, ids[2], run_again, NULL, &e);
	is_int(size_of_one(ids[2]), 999, "one with another state is looked at");
}

static void test_busy(id_text *ids)
{
	int fds[10];

	keep(CROWD);
	for (int i = 0; i < 10; i++)
		fds[i] = statedir_lock(&s, ids[10 + i], &e);
	(void)unlinkat(s.root, "sizes", 0);
	is_int(size_of_one(ids[11]), 100, "one in which somebody works is told");
	is_int((int64_t)kept(), CROWD - 10, "and not kept");
	for (int i = 0; i < 10; i++)
		(void)close(fds[i]);
}

static void put(size_t at, const char *bytes, size_t n, off_t cut)
{
	auto_close int fd = openat(s.root, "sizes", O_RDWR);
	struct stat st;

	(void)!pwrite(fd, bytes, n, (off_t)at);
	if (cut && fstat(fd, &st) == 0)
		(void)ftruncate(fd, st.st_size - cut);
}

static void test_damage(id_text *ids)
{
	keep(CROWD);
	write_into(ids[3], 4242);
	put(FRONT + 100, "garbage!", 8, 0);
	is_int(size_of_one(ids[3]), 4242, "a damaged file is as good as none");
	keep(CROWD);
	write_into(ids[3], 4243);
	put(0, "", 0, 16);
	is_int(size_of_one(ids[3]), 4243, "so is one that was cut off");
	(void)unlinkat(s.root, "sizes", 0);
	(void)mkdirat(s.root, "sizes", 0700);
	write_into(ids[3], 4244);
	is_int(size_of_one(ids[3]), 4244, "and a directory in its place");
	(void)unlinkat(s.root, "sizes", AT_REMOVEDIR);
}

static void test_few(void)
{
	struct state *list = NULL;
	size_t n = 0;

	keep(CROWD);
	(void)state_list(&s, false, &list, &n, &e);
	for (size_t i = 3; i < n; i++)
		if (state_remove_stopped(&s, &list[i], &e) < 0)
			printf("# %s\n", e.text);
	state_list_free(list, n);
	(void)size_of_one(nobody);
	ok(faccessat(s.root, "sizes", F_OK, 0) < 0, "of a few nothing is kept");
}

int main(void)
{
	static id_text ids[CROWD];

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	for (size_t i = 0; i < CROWD; i++)
		make_one(ids[i], i % 5 * 100);
	test_kept(ids);
	test_touched(ids);
	test_state(ids);
	test_busy(ids);
	test_damage(ids);
	test_few();
	store_done(&s);
	(void)state_remove_tree(AT_FDCWD, top, &e);
	return done_testing();
}
