/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"
#include "state.h"
#include "statedir.h"
#include "own_store.h"
#include "sys.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";
static struct store s;
static struct err e;

/* A container; its id in out. */
static int make(const char *name, id_text out)
{
	auto_state struct state st = {.status = ST_CREATED};
	auto_json json_t *spec = json_pack("{s:s}", "Image", "busybox");
	auto_close int dir = -1;

	st.name = name ? xstrdup(name) : NULL;
	st.image = xstrdup("busybox");
	st.command = xstrdup("\"sh -c 'echo a\\\\b\n'\"");
	strv_add(&st.labels, "a=b");
	strv_add(&st.labels, "c=d\ne");
	(void)clock_gettime(CLOCK_REALTIME, &st.created);
	if (state_create(&s, &st, spec, NULL, &dir, &e) < 0)
		return -1;
	memcpy(out, st.id, sizeof(id_text));
	return 0;
}

static void link_to(const char *id, const char *name)
{
	char target[NAME_TARGET + 1];

	name_target(id, target);
	(void)symlinkat(target, s.root, name);
}

static bool there(int dir, const char *format, const char *id)
{
	auto_free char *path = xasprintf("%s%s", format, id);

	return faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int drop(const char *what)
{
	auto_state struct state st = {0};
	id_text id;

	if (state_find(&s, what, id, &e) < 0 || state_load(&s, id, &st, &e) < 0)
		return -1;
	return state_remove_stopped(&s, &st, &e);
}

static void test_create(void)
{
	auto_state struct state st = {0};
	id_text id, found, other;
	char want[400];
	auto_json json_t *spec = NULL;

	is_int(make("web", id), 0, "a container is made");
	is_int(state_find(&s, "web", found, &e), 0, "its name finds it");
	is_str(found, id, "and means its id");
	is_int(state_load(&s, id, &st, &e), 0, "its state is read");
	is_str(st.command, "\"sh -c 'echo a\\\\b\n'\"", "with every byte of the command");
	is_str(st.labels.v[1], "c=d\ne", "and of the labels");
	is_int(st.status, ST_CREATED, "it is created");
	spec = state_load_spec(&s, id, &e);
	is_str(json_str(spec, "Image", ""), "busybox", "its spec is read");
	is_int(make("web", other), -1, "its name is not given twice");
	(void)snprintf(want, sizeof(want),
		"Conflict. The container name \"/web\" is already in use by "
		"container \"%s\". You have to remove (or rename) that container to be able to "
		"reuse that name.",
		id);
	is_str(e.text, want, "in docker's words");
	is_int(e.kind, ERR_CONFLICT, "as a conflict");
	ok(make("w/eb", other) < 0, "a slash is no part of a name");
	is_str(e.text, "Invalid container name (w/eb), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
		"in docker's words");
	ok(make("..", other) < 0 && make("-a", other) < 0 && make("a", other) < 0 && make("", other) < 0,
		"nor are these names");
	is_int(drop("web"), 0, "it is removed");
	ok(!there(s.root, "containers/", id) && !there(s.root, "names/", "web") &&
			!there(s.root, "containers/.rm-", id),
		"and nothing is left");
	is_int(state_find(&s, "web", found, &e), -1, "then it is not found");
	is_str(e.text, "No such container: web", "in docker's words");
	is_int(make(NULL, id), 0, "one without a name gets one");
	auto_state struct state named = {0};
	is_int(state_load(&s, id, &named, &e), 0, "which its state tells");
	ok(named.name && strchr(named.name, '_'), "of two words");
	is_int(drop(id), 0, "it is removed by its id");
}

static void test_find(void)
{
	id_text a, b, found;
	char prefix[ID_LEN + 1];
	size_t n = 0;

	if (make("aa", a) < 0 || make("bb", b) < 0)
		ok(false, "two containers");
	memcpy(prefix, a, 12);
	prefix[12] = 0;
	ok(state_find(&s, prefix, found, &e) == 0 && strcmp(found, a) == 0, "12 digits of an id do");
	ok(state_find(&s, "/aa", found, &e) == 0 && strcmp(found, a) == 0, "a slash before the name too");
	ok(state_find(&s, "aa/../bb", found, &e) == 0 && strcmp(found, b) == 0,
		"names are cleaned as docker's client does");
	ok(state_find(&s, "..", found, &e) < 0 && state_find(&s, "../names/aa", found, &e) < 0,
		"and none leads out");
	/* Containers until two ids begin alike. */
	id_text more[20];
	for (; n < 17; n++)
		(void)make(NULL, more[n]);
	size_t alike = 0;
	for (const char *d = "0123456789abcdef"; *d && alike == 0; d++) {
		size_t count = 0;
		for (size_t i = 0; i < n; i++)
			count += more[i][0] == *d;
		if (count > 1) {
			prefix[0] = *d;
			prefix[1] = '\0';
			alike = count;
		}
	}
	is_int(state_find(&s, prefix, found, &e), -1, "a prefix of two ids finds none");
	ok(str_starts(e.text, "multiple IDs found with provided prefix: "), "and says why");
	struct state *list = NULL;
	size_t listed = 0;
	is_int(state_list(&s, false, &list, &listed, &e), 0, "all are listed");
	is_int((int64_t)listed, 19, "every one");
	ok(strcmp(list[0].id, more[16]) == 0 && strcmp(list[18].id, a) == 0, "newest first");
	for (size_t i = 0; i < listed; i++)
		if (state_remove_stopped(&s, &list[i], &e) < 0)
			ok(false, e.text);
	state_list_free(list, listed);
}

/* What was known once is no answer any more where it changed. */
static void test_known(void)
{
	id_text a, b, later, found;
	char begin[13] = "", other[13] = "", named[13] = "";
	char *const eight[] = {begin, begin, begin, begin, other, other, other, other, NULL};

	if (make("aa", a) < 0 || make("bb", b) < 0)
		ok(false, "two containers");
	memcpy(begin, a, 12);
	memcpy(other, b, 12);
	state_know_ids(&s, eight);
	ok(state_find(&s, begin, found, &e) == 0 && strcmp(found, a) == 0,
		"a known id is found by 12 digits");
	is_int(make("later", later), 0, "another is made");
	memcpy(named, later, 12);
	ok(state_find(&s, named, found, &e) == 0 && strcmp(found, later) == 0, "it is found as well");
	is_int(drop(begin), 0, "a known one is removed");
	is_int(state_find(&s, begin, found, &e), -1, "then it is not found");
	auto_free char *want = xasprintf("No such container: %s", begin);
	is_str(e.text, want, "in docker's words");
	is_int(make(other, a), 0, "one is named as the id of another begins");
	ok(state_find(&s, other, found, &e) == 0 && strcmp(found, a) == 0, "the name comes first");
	is_int(drop("bb") + drop("later") + drop(other), 0, "they are removed");
	free(take(s.ids));
}

static void test_rename(void)
{
	auto_state struct state st = {0};
	id_text a, b, found;

	(void)make("old", a);
	(void)make("other", b);
	(void)state_load(&s, a, &st, &e);
	is_int(state_rename(&s, &st, "new", &e), 0, "a container is renamed");
	is_str(st.name, "new", "its state says so");
	ok(state_find(&s, "new", found, &e) == 0 && state_find(&s, "old", found, &e) < 0,
		"the new name finds it, the old one does not");
	is_int(state_rename(&s, &st, "other", &e), -1, "not to the name of another");
	is_int(e.kind, ERR_CONFLICT, "as a conflict");
	/* Killed between the claim of the new name and the saving of the state, or after that. */
	link_to(a, "names/half");
	is_int(state_rename(&s, &st, "half", &e), 0, "a half-made rename is made whole");
	link_to(a, "names/again");
	id_text c;
	is_int(make("again", c), 0, "a name that a killed rename left is free");
	ok(drop("half") == 0 && drop("other") == 0 && drop("again") == 0, "all are removed");
}

/* Whether somebody waits for this lock: /proc/locks marks him with an arrow. */
static bool is_awaited(int fd)
{
	auto_fclose FILE *f = fopen("/proc/locks", "re");
	auto_free char *inode = NULL;
	char line[256];
	struct stat st;

	if (!f || fstat(fd, &st) < 0)
		return false;
	inode = xasprintf(":%lu ", (unsigned long)st.st_ino);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "-> FLOCK") && strstr(line, inode))
			return true;
	return false;
}

/* A supervisor saves, or removes, while a renamer has the lock and has got as far as the state. */
static void rename_below(const char *id, bool removes)
{
	auto_close int lock = statedir_lock(&s, id, &e);
	auto_state struct state st = {0};
	pid_t pid;
	int status = -1;

	(void)state_load(&s, id, &st, &e);
	free(st.name);
	st.name = xstrdup("after");
	link_to(id, "names/after");
	(void)state_save(&s, &st, &e);
	pid = fork();
	if (pid == 0) {
		(void)close(lock);
		free(st.name);
		st.name = xstrdup("before"); /* as it knows it */
		_exit(removes ? state_remove(&s, &st, &e) != 0 : state_save_life(&s, &st, &e) != 0);
	}
	while (!is_awaited(lock) && waitpid(pid, &status, WNOHANG) == 0)
		(void)sched_yield();
	ok(status == -1, "a supervisor waits for who renames its container");
	(void)unlinkat(s.root, "names/before", 0);
	(void)flock(lock, LOCK_UN);
	if (status == -1)
		(void)waitpid(pid, &status, 0);
	is_int(status, 0, "and does what it wanted");
}

static void test_rename_at_the_end(void)
{
	auto_state struct state st = {0};
	id_text id, next;

	(void)make("before", id);
	rename_below(id, false);
	(void)state_load(&s, id, &st, &e);
	is_str(st.name, "after", "what it saves has the new name");
	is_int(drop("after"), 0, "the container is removed");
	(void)make("before", id);
	rename_below(id, true);
	ok(!there(s.root, "names/after", ""), "what it removes leaves no name");
	is_int(make("before", next), 0, "neither the old one");
	(void)drop("before");
}

static void test_dangling(void)
{
	id_text dead, id;
	char path[200];

	(void)id_random(dead, &e);
	link_to(dead, "names/ghost");
	is_int(make("ghost", id), 0, "a name of a container that is not there is free");
	is_int(drop("ghost"), 0, "and removed with its new owner");

	(void)id_random(dead, &e);
	(void)snprintf(path, sizeof(path), "containers/.new-%s", dead);
	(void)mkdirat(s.root, path, 0700);
	link_to(dead, "names/ghost");
	is_int(make("ghost", id), 0, "so is one of a container whose maker was killed");
	(void)drop("ghost");
	(void)unlinkat(s.root, path, AT_REMOVEDIR);

	link_to(dead, "names/ghost");
	(void)snprintf(path, sizeof(path), "containers/.rm-%s", dead);
	(void)mkdirat(s.root, path, 0700);
	is_int(make("ghost", id), 0, "and of one whose remover was killed");
	(void)drop("ghost");
	struct state *list = NULL;
	size_t n = 0;
	(void)state_list(&s, false, &list, &n, &e);
	ok(n == 0 && faccessat(s.root, path, F_OK, 0) < 0, "what a killed remover left is cleaned up");
	state_list_free(list, n);
}

/* All start at once; how many got the name. */
static int race(int n)
{
	int gate[2], wins = 0, odd = 0;

	if (pipe(gate) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			char c;
			id_text id;

			(void)close(gate[1]);
			(void)!read(gate[0], &c, 1); /* returns when all have closed */
			_exit(make("race", id) == 0 ? 0 : e.kind == ERR_CONFLICT ? 1 : 2);
		}
	}
	(void)close(gate[0]);
	(void)close(gate[1]);
	for (int status; wait(&status) > 0;) {
		wins += WEXITSTATUS(status) == 0;
		odd += WEXITSTATUS(status) > 1;
	}
	return odd ? -odd : wins;
}

static void test_race(void)
{
	bool one = true, one_of_dangling = true;
	id_text dead;

	for (int i = 0; i < 20; i++) {
		one = one && race(16) == 1;
		one = drop("race") == 0 && one;
	}
	ok(one, "of 16 who want a name at once one gets it");
	for (int i = 0; i < 20; i++) {
		(void)id_random(dead, &e);
		link_to(dead, "names/race");
		one_of_dangling = one_of_dangling && race(16) == 1;
		one_of_dangling = drop("race") == 0 && one_of_dangling;
	}
	ok(one_of_dangling, "also when the name is taken over from a dead one");
}

/* A supervisor with a container, ready to be killed; the container's pid. */
static pid_t supervise(const char *id, bool auto_remove, pid_t *container)
{
	int ready[2];
	pid_t pid, inner = 0;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		auto_state struct state st = {0};
		int life;

		inner = fork(); /* before there is a lock that it could hold */
		if (inner == 0)
			for (;;)
				pause();
		life = state_life_begin(&s, id, &e);
		(void)state_load(&s, id, &st, &e);
		st.auto_remove = auto_remove;
		if (life < 0 || state_started(&st, inner, sys_pidfd_open(inner), &e) < 0 ||
			state_save(&s, &st, &e) < 0)
			_exit(1);
		(void)!write(ready[1], &inner, sizeof(inner));
		for (;;)
			pause();
	}
	(void)!read(ready[0], &inner, sizeof(inner));
	(void)close(ready[0]);
	(void)close(ready[1]);
	*container = inner;
	return pid;
}

/* Whether it is gone, or in that state. */
static bool is_in(pid_t pid, const char *state)
{
	auto_free char *path = xasprintf("/proc/%d/stat", (int)pid);
	auto_fclose FILE *f = fopen(path, "re");
	char text[512] = "";

	return !f || !fgets(text, sizeof(text), f) || str_starts(strrchr(text, ')') + 2, state);
}

/* Gone, or only waiting for whoever inherited it. */
static bool is_dead(pid_t pid)
{
	return is_in(pid, "Z");
}

/* Who cannot be looked at is not taken for dead: he would be killed, or started twice. */
static void test_unknown(const char *id, int life)
{
	auto_free char *path = xasprintf("/proc/self/fd/%d", life);
	auto_close int unlockable = open(path, O_PATH | O_CLOEXEC);
	struct rlimit before, few;
	int lock;

	ok(unlockable >= 0 && state_life_alive(unlockable), "it lives where its lock cannot be asked for");
	(void)getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = (rlim_t)unlockable + 2; /* one descriptor */
	(void)setrlimit(RLIMIT_NOFILE, &few);
	lock = life_lock_stopped(&s, id, &e);
	(void)setrlimit(RLIMIT_NOFILE, &before);
	is_int(lock, -1, "nor is it stopped where its life file cannot be opened");
	is_int(e.sys, EMFILE, "which is told");
	auto_close_(&lock);
}

static void test_dead_supervisor(void)
{
	auto_state struct state st = {0}, after = {0};
	struct state *list = NULL;
	size_t n = 0;
	pid_t inner;
	id_text id;
	int code;

	(void)make("super", id);
	pid_t pid = supervise(id, false, &inner);
	is_int(state_load(&s, id, &st, &e), 0, "a running container is read");
	is_int(st.status, ST_RUNNING, "as running");
	(void)state_list(&s, true, &list, &n, &e);
	is_int((int64_t)n, 1, "and listed as such");
	state_list_free(list, n);
	is_int(drop("super"), -1, "and not removed");
	is_int(state_life_begin(&s, id, &e), -1, "nor started twice");
	is_int(e.kind, ERR_CONFLICT, "which is a conflict");
	auto_close int life = state_life_open(&s, id, &e);
	ok(state_life_alive(life), "its life file shows that it lives");
	test_unknown(id, life);
	(void)kill(pid, SIGKILL);
	is_int(state_life_wait(life, &code, &e), -1, "the end of a killed supervisor is noticed");
	(void)waitpid(pid, NULL, 0);
	is_int(kill(inner, 0), 0, "its container lives on");
	is_int(state_load(&s, id, &after, &e), 0, "until somebody looks");
	is_int(after.status, ST_EXITED, "then it is exited");
	is_int(after.exit_code, 137, "with 137");
	ok(is_dead(inner), "and dead");
	ok(!there(s.runtime, "c/", id), "without a runtime directory");
	is_int(drop("super"), 0, "and can be removed");

	(void)make("super", id);
	pid = supervise(id, true, &inner);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)state_list(&s, true, &list, &n, &e);
	is_int((int64_t)n, 0, "a --rm container of a killed supervisor is not listed");
	state_list_free(list, n);
	ok(!there(s.root, "containers/", id) && !there(s.root, "names/", "super") &&
			!there(s.runtime, "c/", id),
		"but removed");
}

static void test_dead_name(void)
{
	id_text id, next;
	pid_t inner, pid;

	(void)make("mine", id);
	pid = supervise(id, true, &inner);
	is_int(make("mine", next), -1, "a name is taken as long as its --rm container runs");
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	is_int(make("mine", next), 0, "and free when its supervisor was killed");
	ok(!there(s.root, "containers/", id) && is_dead(inner), "which removes what was left");
	is_int(drop("mine"), 0, "the next one has it");
}

/* The state says that it has exited, and its supervisor still has something to do. */
static void test_ending(const char *id)
{
	int life = state_life_begin(&s, id, &e), status = -1;
	pid_t pid;

	state_life_ending(life);
	pid = fork();
	if (pid == 0) {
		(void)close(life);
		_exit(life_lock_stopped(&s, id, &e) < 0);
	}
	while (!is_in(pid, "S") && !is_in(pid, "Z"))
		(void)sched_yield();
	(void)close(life);
	(void)waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 0, "who starts one that is ending waits for its supervisor");
}

static int run(struct state *st, void *arg, struct err *err)
{
	(void)arg, (void)err;
	st->status = ST_RUNNING;
	return 0;
}

/* A supervisor whose life file cannot be seen. */
static void test_claim(void)
{
	int claim, other, status = -1;
	id_text id;
	pid_t pid;

	(void)make("claim", id);
	claim = state_life_claim(&s, id, &e);
	ok(claim >= 0, "a container gets a supervisor");
	pid = fork();
	if (pid == 0) {
		(void)close(claim);
		_exit(life_lock_stopped(&s, id, &e) < 0 || state_life_claim(&s, id, &e) < 0);
	}
	while (!is_in(pid, "S") && !is_in(pid, "Z"))
		(void)sched_yield();
	(void)close(claim);
	(void)waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 0,
		"another one waits, as who removes it does, while it starts or ends");
	claim = state_life_claim(&s, id, &e);
	is_int(state_update(&s, id, run, NULL, &e), 0, "it runs");
	other = life_lock_stopped(&s, id, &e);
	is_int(other, -1, "then it is not removed");
	is_int(e.kind, ERR_CONFLICT, "which is a conflict");
	is_int(state_life_claim(&s, id, &e), -1, "nor gets another one");
	is_int(e.kind, ERR_CONFLICT, "either");
	(void)close(claim);
	is_int(drop("claim"), 0, "and is removed when it has none");
}

static void test_life(void)
{
	id_text id;
	int code = -1;

	(void)make("life", id);
	int life = state_life_begin(&s, id, &e);
	auto_close int waiting = state_life_open(&s, id, &e);
	ok(life >= 0 && waiting >= 0, "a life begins");
	pid_t pid = fork();
	if (pid == 0) {
		(void)close(life);
		_exit(state_life_wait(waiting, &code, &e) == 0 ? code : 99);
	}
	int status;
	is_int(state_life_end(life, &(struct state){.exit_code = 42}, &e), 0, "and ends");
	state_runtime_remove(&s, id);
	(void)close(life);
	(void)waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 42, "one who waited learns the code when all files are gone");
	test_ending(id);
	is_int(drop("life"), 0, "the container is removed");
	is_int(state_life_begin(&s, id, &e), -1, "and cannot begin another life");
	is_int(e.kind, ERR_NOT_FOUND, "as it is not found");
}

static void test_end_without_room(void)
{
	const struct state ended = {.exit_code = 7, .sup_serial = 1234567};
	auto_free char *path = NULL;
	id_text id;
	int code = -1;

	(void)make("full", id);
	auto_close int life = state_life_begin(&s, id, &e);
	path = xasprintf("/proc/self/fd/%d", life);
	auto_close int waiting = state_life_open(&s, id, &e);
	auto_close int reading =
		open(path, O_RDONLY | O_CLOEXEC); /* writing fails, as if there were no block */
	is_int(state_life_code(waiting, &code), -1, "one that runs has no exit code");
	is_int(state_life_end(reading, &ended, &e), 0, "one whose exit code finds no room ends");
	is_int(state_life_code(waiting, &code), 0, "and who waits learns it");
	is_int(code, 7, "as it was");
	state_runtime_remove(&s, id);
	auto_close_(&life);
	life = -1;
	(void)drop("full");
}

static void deep(int dir, int levels)
{
	int at = openat(dir, ".", O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < levels; i++) {
		int next;

		(void)mkdirat(at, "d", 0700);
		(void)symlinkat("/", at, "link");
		next = openat(at, "d", O_RDONLY | O_DIRECTORY);
		(void)close(at);
		at = next;
	}
	(void)close(at);
}

static void test_remove(void)
{
	id_text id;

	(void)make("deep", id);
	auto_close int dir = state_dir(&s, id, &e);
	deep(dir, 10000);
	is_int(drop("deep"), 0, "a tree of 10,000 levels goes");
	ok(!there(s.root, "containers/.rm-", id), "completely");

	auto_free char *outside = xasprintf("%s/outside", top);
	auto_free char *kept = xasprintf("%s/kept", outside);
	(void)mkdir(outside, 0700);
	(void)mkdir(kept, 0500);
	(void)make("locked", id);
	auto_close int there_ = state_dir(&s, id, &e);
	(void)mkdirat(there_, "work/work", 0000);
	(void)mkdirat(there_, "upper/a", 0700);
	(void)mkdirat(there_, "upper/a/b", 0700);
	(void)mkdirat(there_, "upper/a/b/c", 0700);
	(void)mkdirat(there_, "upper/a/b/c/d", 0700);
	(void)symlinkat(outside, there_, "upper/a/b/c/outside");
	(void)symlinkat(outside, there_, "upper/outside");
	(void)fchmodat(there_, "upper/a/b/c/d", 0000, 0);
	(void)fchmodat(there_, "upper/a/b/c", 0500, 0);
	(void)fchmodat(there_, "upper/a/b", 0000, 0);
	(void)fchmodat(there_, "upper/a", 0100, 0);
	is_int(drop("locked"), 0, "so does one without permissions");
	ok(!there(s.root, "containers/.rm-", id), "completely");
	struct stat st;
	ok(stat(kept, &st) == 0 && (st.st_mode & 0777) == 0500, "but nothing behind a link");
}

static void test_retire(void)
{
	auto_state struct state st = {0};
	struct state *list = NULL;
	size_t n = 0;
	auto_close int files = -1;
	id_text id, next;

	(void)make("tired", id);
	(void)state_load(&s, id, &st, &e);
	is_int(state_retire(&s, &st, 0, &files, &e), 0, "a container retires");
	is_int(state_find(&s, id, next, &e), -1, "then it is not found");
	is_int(make("tired", next), 0, "its name is free");
	(void)state_list(&s, false, &list, &n, &e);
	ok(n == 1 && there(s.root, "containers/.rm-", id), "nobody else touches its files");
	state_list_free(list, n);
	is_int(state_remove_rest(&s, id, &e), 0, "they are removed later");
	ok(!there(s.root, "containers/.rm-", id), "completely");
	is_int(drop("tired"), 0, "and the next one of that name is unharmed");
}

static void test_unreadable(void)
{
	struct state *list = NULL;
	size_t n = 0;
	path_text path;
	id_text id;

	(void)make("broken", id);
	statedir_path(path, "", id, "state");
	auto_close int fd = openat(s.root, path, O_WRONLY | O_TRUNC); /* as a power cut may leave it */
	(void)state_list(&s, false, &list, &n, &e);
	ok(n == 1 && list[0].status == ST_DEAD && strcmp(list[0].id, id) == 0,
		"one whose state is lost is listed as dead");
	is_int(make("broken", id), -1, "and keeps its name");
	struct state only = {.status = ST_DEAD};
	memcpy(only.id, list[0].id, sizeof(only.id));
	is_int(state_remove_stopped(&s, &only, &e), 0, "it can be removed");
	ok(!there(s.root, "names/", "broken"), "with its name");
	state_list_free(list, n);
}

/* A directory that leads to itself stands for all that cannot be asked: it is so for root, too. */
static void test_unasked(void)
{
	path_text from, to;
	id_text id, found;

	(void)make("asked", id);
	statedir_path(from, "", id, "");
	statedir_path(to, "", "aside", "");
	(void)renameat(s.root, from, s.root, to);
	is_int(state_find(&s, "asked", found, &e), -1, "one that is not there is not found");
	is_int(e.kind, ERR_NOT_FOUND, "by its name");
	is_int(state_find(&s, id, found, &e), -1, "and is not found");
	is_int(e.kind, ERR_NOT_FOUND, "by its id");
	(void)symlinkat(id, s.root, from);
	is_int(state_find(&s, "asked", found, &e), -1, "of one that cannot be asked for by its name");
	is_int(e.sys, ELOOP, "it is said why");
	is_int(state_find(&s, id, found, &e), -1, "of one that cannot be asked for by its id");
	is_int(e.sys, ELOOP, "as well");
	is_int(state_find(&s, "asked/db", found, &e), -1, "of what it calls something by --link");
	is_int(e.sys, ELOOP, "as well");
	(void)unlinkat(s.root, from, 0);
	(void)renameat(s.root, to, s.root, from);
	is_int(state_find(&s, id, found, &e), 0, "and is there again when it can be asked");
	struct state only = {.status = ST_DEAD};
	memcpy(only.id, id, sizeof(only.id));
	(void)state_remove_stopped(&s, &only, &e);
}

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void test_many(void)
{
	enum { MANY = 5000 };
	static id_text ids[MANY];
	struct state *list = NULL;
	size_t n = 0;
	id_text found;
	double t = now_ms();

	for (int i = 0; i < MANY; i++)
		if (make(NULL, ids[i]) < 0)
			printf("# %s\n", e.text);
	printf("# create: %.3f ms each\n", (now_ms() - t) / MANY);
	for (int i = 0; i < 3; i++) {
		t = now_ms();
		(void)state_list(&s, false, &list, &n, &e);
		printf("# list %zu: %.1f ms\n", n, now_ms() - t);
		if (i < 2)
			state_list_free(list, n);
	}
	is_int((int64_t)n, MANY, "5,000 containers are listed");
	t = now_ms();
	(void)state_find(&s, "0000000", found, &e);
	printf("# look for a prefix: %.2f ms\n", now_ms() - t);
	t = now_ms();
	(void)state_find(&s, "no_such_name", found, &e);
	printf("# look for a name: %.3f ms\n", now_ms() - t);
	struct state *running = NULL;
	size_t m = 0;
	t = now_ms();
	(void)state_list(&s, true, &running, &m, &e);
	printf("# list running: %.3f ms\n", now_ms() - t);
	t = now_ms();
	for (size_t i = 0; i < n; i++)
		if (state_remove_stopped(&s, &list[i], &e) < 0)
			printf("# %s\n", e.text);
	printf("# remove: %.3f ms each\n", (now_ms() - t) / MANY);
	state_list_free(list, n);
	(void)state_list(&s, false, &list, &n, &e);
	is_int((int64_t)n, 0, "and removed");
	state_list_free(list, n);
}

/* A cleaner that was killed takes some of a spare directory away, whatever that is. */
static void test_half_spare(void)
{
	static const char *const left[] = {"upper", "work", "state"};

	printf("# half of a spare directory\n");
	for (size_t i = 0; i < ARRAY_LEN(left); i++) {
		auto_free char *path = xasprintf("spare/0/%s", left[i]), *upper = NULL, *work = NULL;
		id_text id = "";

		(void)state_remove_tree(s.root, "spare", &e);
		if (mkdirat(s.root, "spare", 0700) < 0 || mkdirat(s.root, "spare/0", 0700) < 0)
			exit(1);
		if (i < 2)
			(void)mkdirat(s.root, path, 0700);
		else
			(void)close(openat(s.root, path, O_WRONLY | O_CREAT, 0600));
		is_int(make("half", id), 0, "a container is made of it");
		upper = xasprintf("containers/%s/upper", id);
		work = xasprintf("containers/%s/work", id);
		ok(there(s.root, upper, "") && there(s.root, work, ""), "and has what an overlay wants");
		ok(!there(s.root, "spare/0", ""), "it is in use");
		(void)drop("half");
	}
}

int main(void)
{
	/* What one test prints before a fork must not be printed by the child. */
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	test_create();
	test_find();
	test_known();
	test_rename();
	test_rename_at_the_end();
	test_dangling();
	test_race();
	test_half_spare();
	test_life();
	test_end_without_room();
	test_claim();
	test_dead_supervisor();
	test_dead_name();
	test_remove();
	test_retire();
	test_unreadable();
	test_unasked();
	test_many();
	store_done(&s);
	(void)state_remove_tree(AT_FDCWD, top, &e);
	return done_testing();
}
