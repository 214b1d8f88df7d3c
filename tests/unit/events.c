/* SPDX-License-Identifier: Apache-2.0 */
/* The log of events: what is told is read, in order, by several at once, over the renaming of the file. */
#include "event.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/sbx-events-XXXXXX";

static void open_store(struct store *s)
{
	struct err e;

	if (!mkdtemp(dir) || chdir(dir) < 0 || setenv("SBX_ROOT", "/dev/null", 1) < 0)
		abort();
	auto_free char *root = xasprintf("%s/root", dir), *run = xasprintf("%s/run", dir);
	setenv("SBX_ROOT", root, 1);
	setenv("SBX_RUNTIME", run, 1);
	if (store_open(s, &e) < 0)
		abort();
}

static void tells_and_reads(const struct store *s)
{
	struct state st = {.name = (char *)"web", .image = (char *)"box"};
	char *words[] = {(char *)"sh", (char *)"-c", (char *)"\xff"};
	auto_event_reader struct event_reader r;
	struct err e;
	json_t *j = NULL;

	memset(st.id, 'a', ID_LEN);
	strv_add(&st.labels, "k=v");
	event_container(s, &st, "die", "exitCode", "3");
	event_exec_start(s, &st, "x", &(struct strv){.v = words, .n = 3});
	is_int(event_open(&r, s, &e), 0, "the log can be read");
	ok(event_next(&r, NULL, &j), "what was told before is there");
	const json_t *a = json_object_get(json_object_get(j, "Actor"), "Attributes");
	is_str(json_str(j, "Action", ""), "die", "an event has its action");
	is_str(json_str(j, "from", ""), "box", "a container's has the image");
	is_str(json_str(a, "exitCode", ""), "3", "what was said with it is an attribute");
	is_str(json_str(a, "k", ""), "v", "labels are attributes");
	is_str(json_str(a, "name", ""), "web", "so is the name");
	ok(json_int(j, "timeNano", 0) / 1000000000 == json_int(j, "time", 1), "both times are the same");
	json_decref(j);
	ok(event_next(&r, NULL, &j), "bytes that are no UTF-8 lose no event");
	is_str(json_str(j, "Action", ""), "exec_create: sh -c \xef\xbf\xbd", "they are replaced");
	json_decref(j);
	ok(event_next(&r, NULL, &j), "an exec's second event follows");
	json_decref(j);
	ok(!event_next(&r, NULL, &j), "and no more");
	event_emit(s, "volume", "create", "v", NULL);
	ok(event_next(&r, NULL, &j), "one that is told later is read later");
	is_str(json_str(j, "Type", ""), "volume", "it is that one");
	ok(!json_object_get(j, "id"), "a volume's has no old members");
	json_decref(j);
	strv_done(&st.labels);
}

static void survives_renaming(const struct store *s)
{
	enum { WRITERS = 4, EACH = 350 };
	auto_event_reader struct event_reader r;
	int seen = 0, out_of_order = 0, last[WRITERS] = {0};
	auto_free char *long_text = xcalloc(1, 601);
	struct timespec until;
	struct stat st;
	struct err e;
	json_t *j;

	memset(long_text, 'x', 600);
	(void)unlinkat(s->root, "events", 0); /* its half a line */
	if (event_open(&r, s, &e) < 0)
		abort();
	while (event_next(&r, NULL, &j))
		json_decref(j);
	for (int w = 0; w < WRITERS; w++) {
		if (fork() != 0)
			continue;
		for (int i = 1; i <= EACH; i++) {
			auto_json json_t *a =
				json_pack("{s:i, s:i, s:s}", "writer", w, "n", i, "text", long_text);

			event_emit(s, "daemon", "test", "x", a);
			if (i % 20 == 0) /* more than one file between two looks of a reader is not followed */
				(void)usleep(2000);
		}
		_exit(0); /* a child */
	}
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	while (seen < WRITERS * EACH && event_next(&r, &until, &j)) {
		const json_t *a = json_object_get(json_object_get(j, "Actor"), "Attributes");
		int w = (int)json_int(a, "writer", 0), n = (int)json_int(a, "n", 0);

		out_of_order += n != last[w] + 1;
		last[w] = n;
		seen++;
		json_decref(j);
	}
	while (wait(NULL) > 0)
		;
	is_int(seen, WRITERS * EACH, "four writers, one renaming: a reader who follows sees every event");
	is_int(out_of_order, 0, "each writer's in order");
	ok(fstatat(s->root, "events", &st, 0) == 0 && st.st_size <= (1 << 20) + 4096,
		"the file is bounded");
	ok(fstatat(s->root, "events.1", &st, 0) == 0 && st.st_size <= (1 << 20) + 4096,
		"so is the older one");
}

static void bad_lines(const struct store *s)
{
	auto_event_reader struct event_reader r;
	FILE *f = fopen("root/events", "w");
	struct err e;
	json_t *j;

	if (!f || fputs("{\"Type\": \nnonsense\n[1]\n\n{\"Type\":\"ok\"}\n{\"Type\":\"half", f) < 0 ||
		fclose(f))
		abort();
	(void)unlinkat(s->root, "events.1", 0);
	if (event_open(&r, s, &e) < 0)
		abort();
	ok(event_next(&r, NULL, &j), "lines which are no events are passed over");
	is_str(json_str(j, "Type", ""), "ok", "up to one that is");
	json_decref(j);
	ok(!event_next(&r, NULL, &j), "a line without an end is none yet");
}

int main(void)
{
	auto_store struct store s;

	open_store(&s);
	tells_and_reads(&s);
	bad_lines(&s);
	survives_renaming(&s);
	if (state_remove_tree(AT_FDCWD, dir, &(struct err){0}) < 0)
		printf("# %s is left\n", dir);
	return done_testing();
}
