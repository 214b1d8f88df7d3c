/* SPDX-License-Identifier: Apache-2.0 */
/* What is heard of a file in a container, by who asked: the process inside of it looked at hostile things, and may say what
 * it likes. Here it is this one, and what it says is cut and bent. */
#include "archive.h"
#include "auto.h"
#include "own_store.h"
#include "state.h"
#include "str.h"
#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

#define NAME   "a-link"
#define TARGET "/nowhere/at/all"

static struct buf said;   /* the answer to the last question */
static size_t told;       /* so much of it is heard */
static int more = 1, end; /* what else is heard of it, and how it ended */

/* ---- in place of those that go inside --------------------------------------------------- */

int inside_begin(const struct store *at, const char *id, const struct inside_ask *ask,
	struct inside *out, struct err *e)
{
	const struct inside_view view = {-1, -1, -1, true, NULL};

	(void)at;
	(void)id;
	*out = (struct inside)INSIDE_NONE;
	if (said.len > 0) /* that is what is said */
		return 0;
	if (ask->work(&view, ask->arg, e) < 0)
		return -1;
	told = said.len;
	return 0;
}

int inside_answer(const struct inside_view *v, const void *bytes, size_t n, struct err *e)
{
	(void)v;
	(void)e;
	buf_add(&said, bytes, n);
	return 0;
}

int inside_hear(struct inside *i, struct buf *answer, struct err *e)
{
	(void)i;
	if (more < 0)
		return err_set(e, ERR_SYSTEM, "it says so");
	if (more > 0)
		buf_add(answer, said.s, told);
	return more;
}

int inside_end(struct inside *i, struct err *e)
{
	(void)i;
	return end < 0 ? err_set(e, ERR_SYSTEM, "it ended so") : 0;
}

void inside_abort(struct inside *i)
{
	(void)i;
}

/* ---- what is heard ---------------------------------------------------------------------- */

static char top[64];
static struct store s;
static id_text box;

static void make_box(void)
{
	auto_state struct state st = {
		.status = ST_EXITED, .image = xstrdup("i"), .command = xstrdup("c")};
	auto_json json_t *spec = json_pack("{s:s}", "Image", "i");
	auto_close int dir = -1;
	struct err e;

	own_store(&s, top);
	if (state_create(&s, &st, spec, NULL, &dir, &e) < 0) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	memcpy(box, st.id, sizeof(box));
}

/* Whether it is heard. */
static bool heard(struct archive_stat *st, struct err *e)
{
	auto_free char *path = xasprintf("%s/%s", top, NAME);

	archive_stat_done(st);
	return archive_stat(&s, box, path, st, e) == 0;
}

static bool no_answer(void)
{
	struct archive_stat st = {0};
	struct err e = {0};
	bool good = !heard(&st, &e) && strstr(e.text, "the process inside of the container died") &&
	            !st.name;

	archive_stat_done(&st);
	return good;
}

static void test_cut(void)
{
	size_t whole = told, taken = 0;

	for (told = 0; told < whole; told++)
		taken += !no_answer();
	is_int((int64_t)taken, 0, "what is shorter is no answer");
	told = whole;
	said.s[whole - 1] = 'x';
	ok(no_answer(), "nor one whose texts do not end");
	said.s[whole - 1] = '\0';
}

/* Where the link's target begins, in bytes behind where the name does: what stands before the name. */
static void test_sizes(void)
{
	const size_t texts = sizeof(NAME) + sizeof(TARGET), at = told - texts - sizeof(size_t);
	const size_t wrong[] = {texts, texts + 1, 4096, told, SIZE_MAX, SIZE_MAX - at, SIZE_MAX / 2 + 1};
	struct archive_stat st = {0};
	struct err e;
	size_t was, taken = 0;

	memcpy(&was, said.s + at, sizeof(was));
	if (!is_int((int64_t)was, sizeof(NAME), "the size of the name is there"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		memcpy(said.s + at, &wrong[i], sizeof(was));
		taken += !no_answer();
	}
	is_int((int64_t)taken, 0, "nor one whose texts begin behind it");
	for (size_t i = 0; i < texts; i++) {
		memcpy(said.s + at, &i, sizeof(was));
		taken += !heard(&st, &e) || strlen(st.link_target) >= texts;
	}
	is_int((int64_t)taken, 0, "where they begin in it, something is heard");
	memcpy(said.s + at, &was, sizeof(was));
	archive_stat_done(&st);
}

static void test_silence(void)
{
	struct archive_stat st = {0};
	struct err e = {0};

	more = 0;
	ok(no_answer(), "nor is none");
	more = -1;
	ok(!heard(&st, &e), "what went wrong there");
	is_str(e.text, "it says so", "is told");
	more = 1;
	end = -1;
	ok(!heard(&st, &e) && !st.name, "and an answer is none");
	is_str(e.text, "it ended so", "where what came behind it went wrong");
	end = 0;
}

int main(void)
{
	auto_free char *link = NULL, *rm = NULL;
	struct archive_stat st = {0};
	struct err e = {0};

	(void)snprintf(top, sizeof(top), "/tmp/sbx-test-XXXXXX");
	if (!mkdtemp(top))
		return 2;
	link = xasprintf("%s/%s", top, NAME);
	if (symlink(TARGET, link) < 0)
		return 2;
	make_box();
	if (!ok(heard(&st, &e), "what a file is, is heard"))
		printf("# %s\n", e.text);
	is_str(st.name, NAME, "its name");
	is_str(st.link_target, TARGET, "where it leads");
	ok(S_ISLNK(st.mode) && st.size == (int64_t)strlen(TARGET) && st.mtime.tv_sec > 0, "and the rest");
	archive_stat_done(&st);
	test_cut();
	test_sizes();
	test_silence();
	store_done(&s);
	rm = xasprintf("rm -rf %s", top);
	(void)system(rm);
	buf_done(&said);
	return done_testing();
}
