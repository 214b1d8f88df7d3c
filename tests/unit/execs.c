/* SPDX-License-Identifier: Apache-2.0 */
#include "execs.h"

#include "auto.h"
#include "own_store.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The files of the container's execs. */
static size_t files(const struct store *s)
{
	auto_free char *path = NULL;
	auto_strv struct strv names = {0};
	auto_close int dir = -1;
	struct stat st;

	(void)fstat(s->root, &st);
	path = xasprintf("x/%lx-%lx-%.32s", (long)st.st_dev, (long)st.st_ino, ID);
	dir = openat(s->runtime, path, O_RDONLY | O_DIRECTORY);
	return dir >= 0 && sys_names(dir, &names) == 0 ? names.n : SIZE_MAX;
}

static void test_full(const struct store *s, const struct state *st, const json_t *config)
{
	const struct rlimit none = {0, RLIM_INFINITY};
	auto_exec_object struct exec_object x = {.lock = -1};
	struct rlimit before;
	struct err e = {0};
	id_text id, second;
	int created, read, begun;
	size_t left, left_then;

	is_int(execs_create(s, st, config, id, &e), 0, "an exec is created");
	is_int((int64_t)files(s), 1, "and is a file");
	/* as on a full disk: a file comes to be, and nothing can be written to it */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)getrlimit(RLIMIT_FSIZE, &before);
	(void)setrlimit(RLIMIT_FSIZE, &none);
	created = execs_create(s, st, config, second, &e);
	left = files(s);
	read = execs_load(s, id, &x, &e);
	begun = execs_begin(s, &x, &e);
	left_then = files(s);
	(void)setrlimit(RLIMIT_FSIZE, &before); /* the test's output may be a file, too */
	is_int(created, -1, "where nothing can be written none is created");
	is_int((int64_t)left, 1, "and nothing is left of it");
	is_int(read, 0, "the other one can be read");
	is_int(begun, -1, "and does not begin");
	is_int((int64_t)left_then, 1, "which leaves nothing either");
	exec_object_done(&x);
	is_int(execs_load(s, id, &x, &e), 0, "once there is room it can be read");
	is_int(execs_begin(s, &x, &e), 0, "and begins");
}

static void test_no_other_file(const struct store *s, const struct state *st, const json_t *config)
{
	auto_exec_object struct exec_object x = {.lock = -1}, seen = {.lock = -1};
	struct rlimit before, none;
	struct err e = {0};
	id_text id;

	is_int(execs_create(s, st, config, id, &e), 0, "another exec is created");
	is_int(execs_load(s, id, &x, &e), 0, "and read");
	is_int(execs_begin(s, &x, &e), 0, "and begins");
	(void)getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){0, before.rlim_max};
	(void)setrlimit(RLIMIT_NOFILE, &none);
	execs_started(s, &x, getpid());
	(void)setrlimit(RLIMIT_NOFILE, &before);
	is_int(execs_load(s, id, &seen, &e), 0, "where no file can be made it can be read");
	is_int(seen.phase, EXEC_RUNNING, "and runs");
	is_int(seen.pid, getpid(), "and its process is known");
	exec_object_done(&seen);
	(void)setrlimit(RLIMIT_NOFILE, &none);
	execs_ended(s, &x, 123);
	(void)setrlimit(RLIMIT_NOFILE, &before);
	is_int(execs_load(s, id, &seen, &e), 0, "where no file can be made its end can be read");
	is_int(seen.phase, EXEC_ENDED, "and it has ended");
	is_int(seen.exit_code, 123, "with its own code");
}

/* A server that begins removes what is left of containers that have gone, of its own store. */
static void test_sweep(const struct store *s, const char *top, const struct state *st, const json_t *config)
{
	auto_exec_object struct exec_object kept = {.lock = -1}, seen = {.lock = -1};
	auto_free char *path = xasprintf("%s/other", top);
	struct err e = {0};
	id_text id, running;
	struct store other = *s;

	other.root = mkdir(path, 0700) < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY);
	ok(other.root >= 0, "another store shares the runtime directory");
	is_int(execs_create(s, st, config, id, &e), 0, "an exec of a store");
	is_int(execs_create(s, st, config, running, &e), 0, "and another one");
	is_int(execs_load(s, running, &kept, &e), 0, "which is read");
	is_int(execs_begin(s, &kept, &e), 0, "and begins");
	execs_sweep(&other);
	is_int(execs_load(s, id, &seen, &e), 0, "a server of the other store leaves it");
	exec_object_done(&seen);
	execs_sweep(s); /* the container is none of this store's */
	is_int(execs_load(s, id, &seen, &e), -1, "one of its own removes it");
	is_int(execs_load(s, running, &seen, &e), 0, "but not one that has a keeper");
	execs_ended(s, &kept, 7);
	execs_sweep(s);
	is_int(execs_load(s, running, &seen, &e), -1, "until that has ended");
	is_int((int64_t)files(s), -1, "then the directory goes as well");
	(void)close(other.root);
}

int main(void)
{
	char top[] = "/tmp/sbx-unit-XXXXXX";
	auto_json json_t *config = json_pack("{s:[s]}", "Cmd", "true");
	auto_store struct store s;
	auto_state struct state st = {0};
	struct err e;

	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	memcpy(st.id, ID, sizeof(st.id));
	test_full(&s, &st, config);
	test_no_other_file(&s, &st, config);
	test_sweep(&s, top, &st, config);
	(void)state_remove_tree(AT_FDCWD, top, &e);
	return done_testing();
}
