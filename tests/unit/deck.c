/* SPDX-License-Identifier: Apache-2.0 */
/* The cards of many containers in one file: whatever becomes of it, a listing tells what the state files say. */
#include "card.h"
#include "state.h"
#include "statedir.h"
#include "sys.h"
#include "own_store.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { CROWD = 600 };

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;
static unsigned seed = 1;

static unsigned any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void make_one(id_text out)
{
	auto_state struct state st = {.status = ST_EXITED};
	auto_json json_t *spec = json_pack("{s:s}", "Image", "busybox");
	auto_close int dir = -1;

	st.image = xstrdup("busybox");
	st.command = xasprintf("sleep %u", any(1000));
	strv_add(&st.labels, "a=b\nc");
	st.exit_code = (int)any(256);
	st.extra = json_pack("{s:i}", "unseen", 1);
	(void)clock_gettime(CLOCK_REALTIME, &st.created);
	if (state_create(&s, &st, spec, NULL, &dir, &e) < 0) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	memcpy(out, st.id, sizeof(id_text));
}

static struct buf text_of(struct state *st)
{
	struct buf b = {0};

	json_decref(take(st->extra));
	card_print(st, &b);
	return b;
}

/* Every container of the listing is as its file has it, and none is missing. */
static bool is_true(size_t want)
{
	struct state *list = NULL;
	size_t n = 0, wrong = 0;

	if (state_list(&s, false, &list, &n, &e) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		auto_state struct state st = {0};
		auto_buf struct buf listed = text_of(&list[i]), loaded = {0};

		if (statedir_read(&s, list[i].id, true, &st, &e) == 0)
			loaded = text_of(&st);
		wrong += !loaded.s || strcmp(listed.s, loaded.s) != 0;
	}
	state_list_free(list, n);
	if (n != want || wrong)
		printf("# %zu of %zu, %zu wrong\n", n, want, wrong);
	return n == want && !wrong;
}

static off_t deck_size(void)
{
	struct stat st;

	return fstatat(s.root, "cards", &st, 0) < 0 ? -1 : st.st_size;
}

static bool there(const char *name)
{
	return faccessat(s.root, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Cards are kept of those that were not changed in the last seconds. */
static void wait_for_deck(void)
{
	(void)unlinkat(s.root, "cards", 0);
	for (int i = 0; i < 6000 && deck_size() < 100L * CROWD; i++) {
		struct state *list = NULL;
		size_t n = 0;

		(void)unlinkat(s.root, "cards", 0);
		(void)state_list(&s, false, &list, &n, &e);
		state_list_free(list, n);
		(void)usleep(20000);
	}
}

/* The state file itself is written into, which nobody does, and which shows who does not read it. */
static void scribble(const char *id, char what)
{
	path_text path;

	statedir_path(path, "", id, "state");
	auto_close int fd = openat(s.root, path, O_WRONLY);

	(void)!pwrite(fd, &what, 1, 0);
}

static void test_used(const id_text *ids)
{
	struct state *list = NULL;
	size_t n = 0, dead = 0;

	wait_for_deck();
	ok(deck_size() > 0, "a listing of many leaves their cards in one file");
	ok(is_true(CROWD), "and the next one is right");
	for (size_t i = 0; i < 10; i++)
		scribble(ids[i], 'X');
	(void)state_list(&s, false, &list, &n, &e);
	for (size_t i = 0; i < n; i++)
		dead += list[i].status == ST_DEAD;
	is_int((int64_t)dead, 0, "which reads no state file");
	state_list_free(list, n);
	(void)unlinkat(s.root, "cards", 0);
	(void)state_list(&s, false, &list, &n, &e);
	dead = 0;
	for (size_t i = 0; i < n; i++)
		dead += list[i].status == ST_DEAD;
	is_int((int64_t)dead, 10, "until the file is deleted");
	state_list_free(list, n);
	for (size_t i = 0; i < 10; i++)
		scribble(ids[i], 's');
}

static int change_something(struct state *st, void *arg, struct err *why)
{
	(void)arg;
	(void)why;
	st->exit_code++;
	st->status = any(2) ? ST_EXITED : ST_CREATED;
	strv_add(&st->labels, "more=1");
	return 0;
}

static void test_changes(id_text *ids)
{
	bool good = true;

	wait_for_deck();
	for (int round = 0; round < 150 && good; round++) {
		unsigned at = any(CROWD);
		auto_state struct state st = {0};
		char name[20];

		(void)snprintf(name, sizeof(name), "renamed%d", round);
		good = state_load(&s, ids[at], &st, &e) == 0;
		switch (any(3)) {
		case 0:
			good = good && state_rename(&s, &st, name, &e) == 0;
			break;
		case 1:
			good = good && state_remove_stopped(&s, &st, &e) == 0;
			make_one(ids[at]);
			break;
		default:
			/* several in one tick of the clock */
			for (int i = 0; i < 3; i++)
				good = good &&
				       state_update(&s, ids[at], change_something, NULL, &e) == 0;
		}
		good = good && is_true(CROWD);
	}
	ok(good, "each change of a container shows at once");
	for (int i = 0; i < CROWD / 2; i++)
		good = good && state_update(&s, ids[i], change_something, NULL, &e) == 0;
	ok(good && is_true(CROWD), "so do those of half of them");
	(void)is_true(CROWD); /* by then the deck may be a new one */
	for (int i = 0; i < 20; i++)
		good = good && state_update(&s, ids[i], change_something, NULL, &e) == 0 &&
		       is_true(CROWD);
	ok(good, "and those right after");
}

static char *deck_text(size_t *n)
{
	auto_close int fd = openat(s.root, "cards", O_RDONLY);
	char *text = xcalloc(1, (size_t)deck_size() + 1);

	*n = (size_t)sys_read(fd, text, (size_t)deck_size());
	return text;
}

static void put_deck(const char *text, size_t n)
{
	auto_close int fd = openat(s.root, "cards", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	(void)sys_write_all(fd, text, n);
}

/* As deck.c's: damage that is not seen by the sum. */
static void right_sum(char *text, size_t n)
{
	uint64_t word, sum = n - 24;

	for (size_t i = 24; i + 8 <= n; i += 8) {
		memcpy(&word, text + i, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 32;
	}
	memcpy(text + 8, &sum, 8);
}

static void test_damage(void)
{
	size_t n = 0;
	bool good = true;

	wait_for_deck();
	auto_free char *whole = deck_text(&n);
	for (int round = 0; round < 60 && good; round++) {
		auto_free char *bad = xcalloc(1, n + 64);

		memcpy(bad, whole, n);
		for (unsigned i = any(20) + 1; i > 0; i--)
			bad[any((unsigned)n)] ^= (char)(any(255) + 1);
		put_deck(bad, any(4) ? n : any((unsigned)n + 64));
		good = is_true(CROWD);
	}
	ok(good, "a damaged file is as good as none");
	for (int round = 0; round < 40; round++) {
		auto_free char *bad = xcalloc(1, n);
		struct state *list = NULL;
		size_t listed = 0;

		memcpy(bad, whole, n);
		for (int i = 0; i < 40; i++) /* often the length of a record */
			bad[24 + any((unsigned)n - 24)] = (char)(any(3) ? 0xff : any(256));
		right_sum(bad, n);
		put_deck(bad, n);
		good = good && state_list(&s, false, &list, &listed, &e) == 0 && listed == CROWD;
		state_list_free(list, listed);
	}
	ok(good, "one that was made to look whole leads nowhere");
	(void)unlinkat(s.root, "cards", 0);
	(void)mkdirat(s.root, "cards", 0700);
	ok(is_true(CROWD), "nor does a directory in its place");
	(void)unlinkat(s.root, "cards", AT_REMOVEDIR);
	(void)mkfifoat(s.root, "cards", 0600);
	ok(is_true(CROWD), "nor a pipe");
	(void)unlinkat(s.root, "cards", 0);
	put_deck(whole, n);
	ok(is_true(CROWD), "and the right one is still right");
}

static void test_writers(void)
{
	struct timespec old[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
	struct rlimit limit;
	int status = 0;

	wait_for_deck();
	(void)unlinkat(s.root, "cards", 0);
	(void)close(openat(s.root, "cards.new", O_CREAT | O_WRONLY, 0600));
	old[1].tv_nsec = 0;
	old[1].tv_sec = time(NULL) + 100000; /* now, however long this test is stopped */
	(void)utimensat(s.root, "cards.new", old, 0);
	ok(is_true(CROWD) && !there("cards"), "who is at it is left alone");
	old[1].tv_sec = time(NULL) - 1000;
	(void)utimensat(s.root, "cards.new", old, 0);
	ok(is_true(CROWD) && there("cards") && !there("cards.new"),
		"who was killed at it is in nobody's way");

	(void)unlinkat(s.root, "cards", 0);
	if (fork() == 0) {
		(void)signal(SIGXFSZ, SIG_IGN);
		(void)getrlimit(RLIMIT_FSIZE, &limit);
		limit.rlim_cur = 10000;
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		_exit(is_true(CROWD) && !there("cards") && !there("cards.new") ? 0 : 1);
	}
	(void)wait(&status);
	is_int(status, 0, "where there is no room for it, nothing of it is left");
	(void)fchmod(s.root, 0500);
	if (geteuid() == 0)
		skip("a store that cannot be written to is listed", "as root nothing is refused");
	else
		ok(is_true(CROWD) && !there("cards"), "a store that cannot be written to is listed");
	(void)fchmod(s.root, 0700);

	bool good = true;
	for (int i = 0; i < 4; i++) {
		if (fork() != 0)
			continue;
		for (int round = 0; round < 15 && good; round++) {
			(void)unlinkat(s.root, round % 2 ? "cards" : "cards.new", 0);
			good = is_true(CROWD);
		}
		_exit(good ? 0 : 1);
	}
	while (wait(&status) > 0)
		good = good && status == 0;
	ok(good && is_true(CROWD), "several at once, whose files are taken away, are right");
	(void)unlinkat(s.root, "cards.new", 0);
}

static void test_few(void)
{
	struct state *list = NULL;
	size_t n = 0;

	wait_for_deck();
	(void)state_list(&s, false, &list, &n, &e);
	for (size_t i = 3; i < n; i++)
		if (state_remove_stopped(&s, &list[i], &e) < 0)
			printf("# %s\n", e.text);
	state_list_free(list, n);
	ok(is_true(3) && !there("cards"), "of a few no cards are kept, nor any of those that are gone");
}

static bool unpacks(const void *bytes, size_t n)
{
	auto_free char *exactly = xcalloc(1, n ? n : 1); /* so that a sanitizer sees who reads on */
	auto_state struct state st = {0};

	memcpy(exactly, bytes, n);
	return card_unpack(exactly, n, &st);
}

static bool unpacks_field(uint32_t row, uint32_t len)
{
	struct {
		uint32_t row, len;
		char value[64];
	} one = {row, len, {9}};

	return unpacks(&one, 8 + (len < sizeof(one.value) ? len : sizeof(one.value)));
}

/* Every field of a card as bytes, which it is between the deck's two ends. */
static void test_packed(void)
{
	auto_state struct state full = {.status = ST_DEAD,
		.created = {1, 2},
		.started = {3, 0},
		.finished = {0, 4},
		.pid = -1,
		.pid_start = UINT64_MAX,
		.boot_id = "01234567-89ab-cdef-0123-456789abcdef",
		.exit_code = 255,
		.oom_killed = true,
		.timed_out = true,
		.manually_stopped = true,
		.auto_remove = true,
		.mountless = true,
		.restart_count = 7};
	auto_state struct state back = {0}, bare = {0}, again = {0};
	auto_buf struct buf bytes = {0}, none = {0};
	char **texts[] = {&full.name, &full.image, &full.image_id, &full.command, &full.host,
		&full.error, &full.network, &full.health, &full.ports};
	size_t whole = 0;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = xasprintf("text %zu\n\\%s", i, i ? "\xff" : "");
	free(full.ports);
	full.ports = xstrdup("");
	strv_add(&full.labels, "a=b");
	strv_add(&full.labels, "");
	card_pack(&full, &bytes);
	ok(card_unpack(bytes.s, bytes.len, &back), "a card is unpacked");
	auto_buf struct buf want = text_of(&full), got = text_of(&back);
	is_str(got.s, want.s, "and says what was packed");
	for (size_t n = 0; n < bytes.len; n++)
		whole += unpacks(bytes.s, n);
	is_int((int64_t)whole, 25, "cut short it is none, but between two of its fields");
	card_pack(&bare, &none);
	ok(none.len && card_unpack(none.s, none.len, &again) && !again.name && !again.labels.n,
		"one of which nothing is set has no text");
	whole = 0;
	for (uint32_t row = 0; row < 100; row++)
		whole += unpacks_field(row, UINT32_MAX) + unpacks_field(row, 65);
	is_int((int64_t)whole, 0, "nor is one whose field is longer than all");
	ok(!unpacks_field(100, 4) && !unpacks_field(5, 4) && !unpacks_field(5, 1) && unpacks_field(1, 4),
		"or of no kind, or no status");
}

int main(void)
{
	static id_text ids[CROWD];

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	for (size_t i = 0; i < CROWD; i++)
		make_one(ids[i]);
	test_used(ids);
	test_changes(ids);
	test_damage();
	test_writers();
	test_few();
	test_packed();
	store_done(&s);
	(void)state_remove_tree(AT_FDCWD, top, &e);
	return done_testing();
}
