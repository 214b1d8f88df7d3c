/* SPDX-License-Identifier: Apache-2.0 */
/* The image server from a lease to a killed server, on images that mksquashfs makes here. */
#include "layers.h"
#include "fdmsg.h"
#include "layerd.h"
#include "same_tree.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <sys/xattr.h>
#include <time.h>

static char top[64], tree[80];

static int skip_all(const char *why)
{
	return printf("1..0 # SKIP %s\n", why), 0;
}

static const char *in_top(const char *name)
{
	static char path[4][512];
	static int i;

	i = (i + 1) % 4;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", top, name);
	return path[i];
}

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return system(text);
}

/* ---- the tree ---- */

static void put(const char *path, size_t size, unsigned seed)
{
	FILE *f = fopen(path, "w");

	if (!f)
		exit(2);
	for (size_t i = 0; i < size; i++)
		putc((int)(i / 7 * seed >> 5 & (seed % 3 ? 0xff : 0x0f)) + (int)(i % 11), f);
	fclose(f);
}

static void make_tree(void)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 131071, 131072, 131073, 262144, 3000001};
	char path[512], name[256];

	(void)snprintf(tree, sizeof(tree), "%s/tree", top);
	(void)shell("mkdir -p %s/many %s/empty/er %s/a/b/c/d", tree, tree, tree);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		(void)snprintf(path, sizeof(path), "%s/a/size-%zu", tree, sizes[i]);
		put(path, sizes[i], 77777u + (unsigned)i);
	}
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(path, sizeof(path), "%s/many/entry-number-%d", tree, i * 7919 % 100000);
		put(path, (size_t)(i % 1500), (unsigned)i);
	}
	memset(name, 'n', 255);
	name[255] = '\0';
	(void)snprintf(path, sizeof(path), "%s/a/%s", tree, name);
	put(path, 10, 1);
	(void)shell("cd %s && ln a/size-4097 a/b/hard && ln a/size-4097 hard2 && ln -s a/size-1 soft && "
		    "ln -s /no/where/%0200d dangling && mkfifo a/fifo && chmod 4755 a/size-1 && chmod 1777 empty &&"
		    "truncate -s 5M a/sparse && printf end >>a/sparse && touch -d @1000000000 a/size-0",
		tree, 1);
	(void)snprintf(path, sizeof(path), "%s/a", tree);
	(void)setxattr(path, "user.overlay.opaque", "y", 1, 0); /* where the file system takes it */
	(void)setxattr(path, "user.colour", "blue", 4, 0);
}

static const char *pack(const char *name, const char *options)
{
	const char *path = in_top(name);

	if (shell("mksquashfs %s %s %s -noappend -no-progress -processors 2 -root-owned "
		  "-p 'gone c 000 0 0 0 0' -p 'null c 666 0 0 1 3' >/dev/null 2>%s",
		    tree, path, options, in_top("mksquashfs.log")) != 0)
		return NULL;
	return path;
}

/* ---- a container's worth of namespaces ---- */

static void write_file(const char *path, const char *text)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		_exit(3);
	}
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	_exit(3);
}

static void map_self(const struct lease *l)
{
	int go[2], done[2];
	pid_t self = getpid(), pid;
	char path[64], c;

	must(pipe(go) == 0 && pipe(done) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		must(read(go[0], &c, 1) == 1, "read");
		(void)snprintf(path, sizeof(path), "/proc/%d/uid_map", self);
		write_file(path, l->uid_map);
		if (!l->range) {
			(void)snprintf(path, sizeof(path), "/proc/%d/setgroups", self);
			write_file(path, "deny");
		}
		(void)snprintf(path, sizeof(path), "/proc/%d/gid_map", self);
		write_file(path, l->gid_map);
		must(write(done[1], "", 1) == 1, "write");
		_exit(0);
	}
	must(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare");
	must(write(go[1], "", 1) == 1 && read(done[0], &c, 1) == 1, "map");
	(void)waitpid(pid, NULL, 0);
}

/* In a child: joins, nests, mounts layer i at <top>/in/i, and runs what(l) there; its answer is the status. */
static pid_t inside(struct lease *l, int (*what)(struct lease *))
{
	char name[32];
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	(void)alarm(600); /* for who hangs; no machine is so slow */
	must(setns(l->userns, CLONE_NEWUSER) == 0, "setns");
	map_self(l);
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private");
	must(mount("t", in_top("in"), "tmpfs", 0, NULL) == 0, "tmpfs");
	for (int i = 0; i < l->n; i++) {
		(void)snprintf(name, sizeof(name), "in/%d", i);
		must(mkdir(in_top(name), 0700) == 0, "mkdir");
		must(syscall(SYS_move_mount, l->layer[i].mount, "", AT_FDCWD, in_top(name), 4) == 0,
			"move_mount");
	}
	_exit(what(l));
}

static int status_of(pid_t pid)
{
	int status = -1;

	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int compare_tree(struct lease *l)
{
	(void)l;
	if (same(tree, in_top("in/0"), 0) && seen > 5000)
		return 0;
	printf("# %s: %s\n", differs_at, differs_as);
	(void)fflush(stdout);
	return 1;
}

static int specials(struct lease *l)
{
	struct stat st;

	(void)l;
	if (lstat(in_top("in/0/gone"), &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != 0)
		return 1;
	if (lstat(in_top("in/0/null"), &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))
		return 2;
	if (lstat(in_top("in/0/none"), &st) == 0 || errno != ENOENT)
		return 3;
	return open(in_top("in/0/new"), O_WRONLY | O_CREAT, 0600) >= 0 || errno != EROFS ? 4 : 0;
}

static int overlay(struct lease *l)
{
	char options[2048];
	struct stat st;

	(void)l;
	(void)shell("cd %s && mkdir u w in/m", top); /* before 6.6 a tmpfs has no attributes of users */
	(void)snprintf(options, sizeof(options), "userxattr,lowerdir=%s:%s,upperdir=%s,workdir=%s",
		in_top("in/1"), in_top("in/0"), in_top("u"), in_top("w"));
	if (mount("o", in_top("in/m"), "overlay", 0, options) < 0)
		return perror("overlay"), 1;
	if (lstat(in_top("in/m/many"), &st) == 0 || errno != ENOENT)
		return 2; /* a 0:0 device in the upper layer hides it */
	if (shell("cd %s/in/m && rm hard2 && echo more >>a/size-1 && [ $(wc -c <a/size-1) = 6 ] && "
		  "rm -r empty && mkdir empty && [ -z \"$(ls -A empty)\" ]",
		    top) != 0)
		return 3;
	return 0;
}

static bool get(const struct store *s, struct lease *l, const char *path, enum ids_mode mode)
{
	struct err e;

	if (layers_lease(s, mode, &path, 1, l, &e) == 0)
		return true;
	printf("# %s\n", e.text);
	return false;
}

/* ---- the tests ---- */

static void test_compressors(const struct store *s)
{
	static const char *const how[][2] = {{"gzip", "-comp gzip"}, {"xz", "-comp xz -b 1M"},
		{"lzo", "-comp lzo"}, {"lz4", "-comp lz4 -no-fragments"},
		{"zstd", "-comp zstd -Xcompression-level 3"},
		{"nothing", "-comp gzip -noI -noD -noF -noX -b 4096"},
		{"tail ends", "-comp zstd -Xcompression-level 3 -always-use-fragments -no-sparse"}};

	for (size_t i = 0; i < ARRAY_LEN(how); i++) {
		auto_lease struct lease l = {0};
		const char *path = pack("comp.sqsh", how[i][1]);
		char sentence[128];

		(void)snprintf(sentence, sizeof(sentence), "%s: every file is as it was packed",
			how[i][0]);
		ok(path && get(s, &l, path, IDS_AUTO) && status_of(inside(&l, compare_tree)) == 0,
			sentence);
	}
}

static void test_special(const struct store *s, const char *image)
{
	auto_lease struct lease l = {0}, two = {0}, none = {0};
	const char *both[2] = {image, in_top("upper.sqsh")};
	struct err e;

	ok(get(s, &l, image, IDS_ONE), "a lease with one id");
	is_str(l.uid_map, "0 0 1\n", "maps one id");
	is_int(status_of(inside(&l, specials)), 0,
		"devices, missing names and writing answer as they must");
	(void)shell("mkdir -p %s/up/a && mksquashfs %s/up %s -p 'many c 0 0 0 0 0' -quiet -no-progress "
		    ">/dev/null",
		top, top, both[1]);
	ok(layers_lease(s, IDS_AUTO, both, 2, &two, &e) == 0, "two layers");
	if (setxattr(top, "user.test", "", 0, 0) < 0)
		skip("an overlay of them can be written",
			"no package gives it: attributes of users at /tmp");
	else
		is_int(status_of(inside(&two, overlay)), 0,
			"an overlay of them can be written, whiteouts hide");
	ok(layers_lease(s, IDS_AUTO, NULL, 0, &none, &e) == 0 && none.userns >= 0,
		"a lease without layers");
	ok(layers_revive(s, &none, &e) == 0, "revives, too");
}

/* By whom it is brought into the kernel's cache; what he reads of it waits for a processor that nobody wants. */
static int program_is_opened(struct lease *l)
{
	int notify = inotify_init1(IN_CLOEXEC);
	struct pollfd opened = {.fd = notify, .events = POLLIN};

	must(inotify_add_watch(notify, in_top("in/0/a/size-1"), IN_OPEN) >= 0, "watch");
	layers_foresee(l, "size-1", "/none:/a");
	return poll(&opened, 1, -1) == 1 ? 0 : 1;
}

static void test_preread(const struct store *s)
{
	auto_lease struct lease l = {0};
	const char *path = pack("preread.sqsh", "-comp zstd -Xcompression-level 3");

	ok(path && get(s, &l, path, IDS_AUTO) && status_of(inside(&l, program_is_opened)) == 0,
		"a program that is foreseen is read before it runs");
}

/* Once for each layer; what is told is no promise. */
static void test_foresee(const struct store *s)
{
	auto_lease struct lease first = {0}, second = {0};
	const char *path = pack("first.sqsh", "-comp zstd -Xcompression-level 3");
	auto_free char *long_path = xcalloc(100001, 1);

	memset(long_path, ':', 100000);
	ok(path && get(s, &first, path, IDS_AUTO) && first.fresh, "a layer is fresh at first");
	layers_foresee(&first, "size-1", long_path);
	layers_foresee(&first, "a/../a/size-1", "/a");
	ok(get(s, &second, path, IDS_AUTO) && !second.fresh, "and not when it was told what it is for");
	is_int(status_of(inside(&second, compare_tree)), 0, "which is read as any other");
}

/* As images made of layers have them: all are told of at once. */
static void test_foresee_many(const struct store *s)
{
	enum { MANY = 20 };
	auto_lease struct lease first = {0}, second = {0};
	const char *path = pack("many.sqsh", "-comp zstd -Xcompression-level 3"), *paths[MANY];
	char copies[MANY][160];
	struct err e;

	must(path != NULL, "pack");
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(copies[i], sizeof(copies[i]), "%s/many-%d.sqsh", top, i);
		paths[i] = copies[i];
		must(shell("cp %s %s", path, copies[i]) == 0, "cp");
	}
	ok(layers_lease(s, IDS_AUTO, paths, MANY, &first, &e) == 0 && first.fresh,
		"many layers, fresh at first");
	layers_foresee(&first, "size-1", "/a");
	ok(layers_lease(s, IDS_AUTO, paths, MANY, &second, &e) == 0 && !second.fresh,
		"and none of them later");
}

/* Of which it hardly gets on where a server takes longer to start than it lives. */
enum { KILLS_MAX = 100 };

/* Goes on reading whatever happens to the server. */
static void test_kill(const struct store *s, const char *image)
{
	int killed = 0, status = 0, failures = 0, n = 0;
	struct err e;

	for (int round = 0; round < 2; round++) {
		auto_lease struct lease l = {0};
		pid_t pid;

		(void)shell("cp %s %s", image, in_top("kill.sqsh")); /* another file: nothing is cached */
		if (!get(s, &l, in_top("kill.sqsh"), IDS_AUTO))
			break;
		pid = inside(&l, compare_tree);
		while (waitpid(pid, &status, WNOHANG) == 0) {
			struct pollfd p = {.fd = l.conn, .events = POLLIN};

			(void)nanosleep(&(struct timespec){.tv_nsec = 1000000 * (1 + ++n % 7)}, NULL);
			if (n > (round + 1) * KILLS_MAX)
				continue;
			killed += kill(l.pid, SIGKILL) == 0;
			(void)poll(&p, 1, -1);
			if (layers_revive(s, &l, &e) < 0)
				printf("# %s\n", e.text), failures++;
		}
		failures += status != 0;
	}
	printf("# killed %d times\n", killed);
	ok(killed > 5 && failures == 0,
		"kill -9 of the server, again and again: a reader notices nothing");
}

/* One who holds a lease of his own and, from the server's first end on, reads: 0 when nothing was amiss. */
static int holder(const struct store *s, const char *path, int ready, int go)
{
	auto_lease struct lease l = {0};
	int status, revived = 0;
	struct err e;
	pid_t pid;
	char c;

	if (!get(s, &l, path, IDS_AUTO) || write(ready, "", 1) != 1)
		return 1;
	(void)close(ready);
	must(read(go, &c, 1) == 0, "go");
	pid = inside(&l, compare_tree);
	/* as a supervisor is: inside the user namespace, and nobody's to look into */
	must(setns(l.userns, CLONE_NEWUSER) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0, "setns");
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct pollfd p = {.fd = l.conn, .events = POLLIN};

		if (poll(&p, 1, 20) > 0) {
			if (layers_revive(s, &l, &e) < 0)
				return printf("# %s\n", e.text), 2;
			revived++;
		}
	}
	return status || !revived;
}

static void test_many_holders(const struct store *s, const char *image)
{
	enum { HOLDERS = 6 };
	pid_t pids[HOLDERS];
	int bad = 0, ready[2], go[2];
	char c;

	(void)shell("cp %s %s", image, in_top("many.sqsh"));
	must(pipe(ready) == 0 && pipe(go) == 0, "pipe");
	for (int i = 0; i < HOLDERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			(void)close(go[1]);
			_exit(holder(s, in_top("many.sqsh"), ready[1], go[0]));
		}
	}
	(void)close(ready[1]);
	(void)close(go[0]);
	for (int i = 0; i < HOLDERS; i++)
		(void)!read(ready[0], &c, 1); /* who has failed says so at the end */
	(void)close(ready[0]);
	for (int i = 0; i < 8; i++) {
		auto_lease struct lease l = {0};
		struct err e;

		if (layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0)
			(void)kill(l.pid, SIGKILL);
		if (i == 0)
			(void)close(go[1]);
		(void)nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
	}
	for (int i = 0; i < HOLDERS; i++)
		bad += status_of(pids[i]) != 0;
	is_int(bad, 0, "six holders of one layer revive it at once, and none notices the others");
}

static void test_stampede(const struct store *s)
{
	enum { CLIENTS = 16 };
	auto_lease struct lease l = {0};
	int status, bad = 0, other = 0, pipes[2];
	struct err e;
	pid_t pid;

	if (layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0)
		(void)kill(l.pid, SIGKILL);
	lease_done(&l);
	if (pipe(pipes) < 0)
		exit(2);
	for (int i = 0; i < CLIENTS; i++)
		if (fork() == 0) {
			if (layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) < 0)
				_exit(printf("# %s\n", e.text) > 0);
			_exit(write(pipes[1], &l.pid, sizeof(pid)) != sizeof(pid));
		}
	while (wait(&status) > 0)
		bad += status != 0;
	(void)close(pipes[1]);
	while (read(pipes[0], &pid, sizeof(pid)) == sizeof(pid)) {
		static pid_t first;

		first = first ? first : pid;
		other += pid != first;
	}
	(void)close(pipes[0]);
	ok(bad == 0 && other == 0, "sixteen who come at once get one server");
}

static int has_new(struct lease *l)
{
	(void)l;
	return access(in_top("in/0/fresh"), F_OK) == 0 ? 0 : 1;
}

static void test_replaced(const struct store *s)
{
	auto_lease struct lease old = {0}, fresh = {0};
	const char *path = in_top("replaced.sqsh");

	(void)shell("mkdir -p %s/r && cd %s && mksquashfs r replaced.sqsh -quiet -no-progress >/dev/null",
		top, top);
	ok(get(s, &old, path, IDS_AUTO), "an image is leased");
	(void)shell("cd %s && touch r/fresh && mksquashfs r new.sqsh -quiet -no-progress >/dev/null && "
		    "mv new.sqsh replaced.sqsh",
		top);
	ok(get(s, &fresh, path, IDS_AUTO) && status_of(inside(&fresh, has_new)) == 0 &&
			status_of(inside(&old, has_new)) == 1,
		"another at its path is another layer, and the old one stays");
}

/* In a machine where something is missing: a child with namespaces of its own. */
static int elsewhere(int (*what)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		struct idmap ids;
		struct err e;

		(void)setenv("SBX_RUNTIME", in_top("run2"), 1);
		must(idmap_enter(IDS_ONE, &ids, &e) == 0 && unshare(CLONE_NEWNS) == 0, "namespaces");
		_exit(what());
	}
	return status_of(pid);
}

static int without_userns(void)
{
	auto_store struct store s = {0};
	struct lease l;
	struct err e;

	write_file("/proc/sys/user/max_user_namespaces", "0");
	if (store_open(&s, &e) < 0)
		return 1;
	if (layers_lease(&s, IDS_AUTO, NULL, 0, &l, &e) == 0)
		return 2;
	return e.kind == ERR_DENIED && strstr(e.text, "sysctl user.max_user_namespaces=")
	               ? 0
	               : (printf("# %s\n", e.text), 3);
}

static int without_fuse(void)
{
	const char *path = in_top("image.sqsh");
	auto_store struct store s = {0};
	int null = open("/dev/null", O_PATH | O_CLOEXEC), place;
	struct lease l;
	struct err e;
	char old[32];

	(void)snprintf(old, sizeof(old), "/proc/self/fd/%d", null);
	must(mount("t", "/dev", "tmpfs", 0, NULL) == 0, "cover /dev");
	place = open("/dev/null", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	must(place >= 0 && mount(old, "/dev/null", NULL, MS_BIND, NULL) == 0, "/dev/null is there");
	if (store_open(&s, &e) < 0)
		return 1;
	if (layers_lease(&s, IDS_AUTO, &path, 1, &l, &e) == 0)
		return 2;
	if (e.kind != ERR_UNSUPPORTED || !strstr(e.text, "/dev/fuse"))
		return printf("# %s\n", e.text), 3;
	return layers_lease(&s, IDS_AUTO, NULL, 0, &l, &e) == 0 ? 0 : 4;
}

static void test_lacking(void)
{
	is_int(elsewhere(without_userns), 0, "no user namespaces: the error names the setting");
	is_int(elsewhere(without_fuse), 0, "no /dev/fuse: no layers, but the user namespace");
}

static void test_refusals(const struct store *s, const char *image)
{
	const char *bad = in_top("bad.sqsh");
	struct lease l = {0};
	struct err e;

	(void)shell("head -c 100000 %s >%s", image, bad);
	ok(layers_lease(s, IDS_AUTO, &bad, 1, &l, &e) < 0 && strstr(e.text, "bad.sqsh") &&
			strstr(e.text, "truncated: 100000 bytes of "),
		"a truncated image is told so");
	(void)shell("seq 10000 >%s", bad);
	ok(layers_lease(s, IDS_AUTO, &bad, 1, &l, &e) < 0 && e.kind == ERR_CORRUPT &&
			strstr(e.text, "not a squashfs image"),
		"what is no image is told so");
	(void)shell(": >%s", bad);
	ok(layers_lease(s, IDS_AUTO, &bad, 1, &l, &e) < 0 && e.kind == ERR_CORRUPT, "an empty file");
	(void)unlink(bad);
	ok(layers_lease(s, IDS_AUTO, &bad, 1, &l, &e) < 0 && e.kind == ERR_NOT_FOUND, "a missing file");
}

static int read_all(struct lease *l)
{
	(void)l;
	/* not by tar, which makes up what a file has not of all that it claims to have */
	(void)shell("cd %s/in/0 && find . -type f -exec head -c 1000000 {} + >/dev/null 2>&1; "
		    "find . -exec getfattr -d {} + >/dev/null 2>&1",
		top);
	return 0;
}

static void test_corrupt(const struct store *s)
{
	auto_lease struct lease held = {0}; /* or the server may leave while an image is made */
	int survived = 0, leased = 0;
	struct err e;

	(void)shell("rm -rf %s/many; mkdir %s/many; cd %s/many && seq 300 | xargs touch && echo x >17",
		tree, tree, tree);
	(void)pack("small.sqsh", "-comp lz4");
	must(layers_lease(s, IDS_AUTO, NULL, 0, &held, &e) == 0, "lease");
	for (unsigned seed = 1; seed <= 24; seed++) {
		const char *path = in_top("flip.sqsh");
		auto_lease struct lease l = {0};

		/* half of them in the last part, where the tables are */
		(void)shell("cp %s %s && python3 -c 'import random, sys; random.seed(%u); f = open(sys.argv[1], \"r+b\"); "
			    "n = f.seek(0, 2); lo = 96 if %u %% 2 else max(96, n - 12000)\n"
			    "for i in range(20): p = random.randrange(lo, n); f.seek(p); b = f.read(1)[0]; f.seek(p); "
			    "f.write(bytes([b ^ 1 << random.randrange(8)]))' %s",
			in_top("small.sqsh"), path, seed, seed, path);
		if (layers_lease(s, IDS_AUTO, (const char *const *)&path, 1, &l, &e) < 0) {
			survived += e.kind == ERR_CORRUPT;
			continue;
		}
		leased++;
		survived += status_of(inside(&l, read_all)) == 0 && l.pid == held.pid &&
		            kill(held.pid, 0) == 0;
	}
	printf("# %d of 24 could be mounted\n", leased);
	is_int(survived, 24, "images with flipped bits give errors; the server neither hangs nor dies");
}

/* A zombie has, where nobody waits for orphans. */
static bool has_ended(pid_t pid)
{
	return shell("! kill -0 %d 2>/dev/null || grep -q '^State:.*Z' /proc/%d/status", (int)pid,
		       (int)pid) == 0;
}

/* ---- what a server may do to who asks it ---- */

static int at_socket(uint64_t server, int (*what)(int, const struct sockaddr *, socklen_t))
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s/run/layers-%016llx.sock", top,
		(unsigned long long)server);
	if (what == bind)
		(void)unlink(a.sun_path);
	must(fd >= 0 && what(fd, (struct sockaddr *)&a, sizeof(a)) == 0, "socket");
	return fd;
}

/* Who comes next is answered by `answer`, in a process of its own, instead of by a server. */
static pid_t instead(const struct store *s, void (*answer)(int listener))
{
	auto_lease struct lease l = {0};
	auto_close int listener = -1;
	struct err e;
	pid_t pid;

	must(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0, "lease");
	(void)kill(l.pid, SIGKILL);
	listener = at_socket(l.server, bind);
	must(listen(listener, 8) == 0, "listen");
	pid = fork();
	if (pid == 0) {
		must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, "prctl");
		answer(listener);
		_exit(0);
	}
	return pid;
}

static struct ask heard_ask(int conn)
{
	struct ask ask = {0};
	int none = 0;

	must(fdmsg_recv(conn, &ask, sizeof(ask), NULL, &none, 0) == sizeof(ask), "recv");
	return ask;
}

static void say(int listener, const struct told *told, size_t len, int fd)
{
	int conn = accept(listener, NULL, NULL);

	(void)heard_ask(conn);
	must(fdmsg_send(conn, told, len, &fd, fd >= 0) == 0, "send");
}

/* No text that it says ends, and there is no such kind. */
static void lie_err(int listener)
{
	struct told told;

	memset(&told, 0x1b, sizeof(told));
	say(listener, &told, sizeof(told), -1);
}

static void lie_maps(int listener)
{
	struct told told;

	memset(&told, '7', sizeof(told));
	say(listener, &told, offsetof(struct told, err), STDIN_FILENO);
}

static void lie_short(int listener)
{
	struct told told = {0};

	say(listener, &told, offsetof(struct told, err) - 1, STDIN_FILENO);
}

static void lie_few(int listener)
{
	struct told told = {0};

	say(listener, &told, offsetof(struct told, err), -1);
}

static void test_lies(const struct store *s)
{
	struct lease l = {0};
	struct err e = {0};
	pid_t pid = instead(s, lie_err);

	ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) < 0, "a server says that it cannot");
	ok((unsigned)e.kind < ERR_KINDS && memchr(e.text, '\0', sizeof(e.text)) && !strchr(e.text, 0x1b),
		"and whatever it says is an error, with a text that ends and commands no terminal");
	(void)status_of(pid);
	pid = instead(s, lie_maps);
	ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0 &&
			memchr(l.uid_map, '\0', sizeof(l.uid_map)) &&
			memchr(l.gid_map, '\0', sizeof(l.gid_map)),
		"ids without an end end all the same");
	lease_done(&l);
	(void)status_of(pid);
	pid = instead(s, lie_short);
	ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) < 0 && strstr(e.text, "makes no sense"),
		"half an answer is none");
	(void)status_of(pid);
	pid = instead(s, lie_few);
	ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) < 0 && strstr(e.text, "makes no sense"),
		"nor one without what it is to bring");
	(void)status_of(pid);
}

/* As one that leaves does which did not see that somebody had come. */
static void leave_unheard(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};

	must(poll(&p, 1, -1) == 1, "poll");
	(void)shell("rm %s/run/layers-*.sock", top);
}

static void leave_asked(int listener)
{
	int conn = accept(listener, NULL, NULL);
	(void)heard_ask(conn);
	(void)shell("rm %s/run/layers-*.sock", top);
}

static void leave_always(int listener)
{
	int conn;

	while ((conn = accept(listener, NULL, NULL)) >= 0)
		(void)close(conn);
}

static void test_hung_up(const struct store *s)
{
	static void (*const ways[])(int) = {leave_unheard, leave_asked};
	struct lease l = {0};
	struct err e = {0};
	pid_t pid;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		pid = instead(s, ways[i]);
		ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0 && l.pid != pid && kill(l.pid, 0) == 0,
			i ? "nor who was hung up on when he had asked"
			  : "who came too late for one has another server");
		(void)status_of(pid);
		lease_done(&l);
	}
	pid = instead(s, leave_always);
	ok(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) < 0 && strstr(e.text, "it ended 5 times"),
		"but nobody asks for ever");
	(void)kill(pid, SIGKILL);
	(void)status_of(pid);
}

/* ---- one that leaves ---- */

/* The server is about to open the lock, and stands there until the descriptor is let go (F_SETLEASE, which tells us by
 * SIGIO): it has found that nobody needs it, and has not looked whether somebody came meanwhile. */
static bool stands(int lock, pid_t pid)
{
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	for (int i = 0; i < 6000 && (i % 100 || !has_ended(pid)); i++) {
		struct timespec some = {.tv_nsec = 10000000};

		(void)fcntl(lock, F_SETLEASE, F_RDLCK); /* refused while it has the lock open */
		if (sigtimedwait(&io, NULL, &some) == SIGIO)
			return true;
	}
	return false;
}

static void goes_on(int lock)
{
	must(fcntl(lock, F_SETLEASE, F_UNLCK) == 0, "lease");
}

static void test_leaving(const struct store *s)
{
	const struct ask ask = {ASK_LEASE, 0};
	auto_lease struct lease l = {0};
	auto_close int lock = -1;
	struct told told = {0};
	int got[FDMSG_MAX], n = FDMSG_MAX, conn;
	uint64_t server;
	char name[40];
	sigset_t io;
	struct err e;
	pid_t pid;

	must(layers_lease(s, IDS_AUTO, NULL, 0, &l, &e) == 0, "lease");
	pid = l.pid;
	server = l.server;
	(void)snprintf(name, sizeof(name), "run/layers-%016llx.lock", (unsigned long long)server);
	lock = open(in_top(name), O_RDONLY | O_CLOEXEC);
	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	(void)sigprocmask(SIG_BLOCK, &io, NULL);
	if (fcntl(lock, F_SETLEASE, F_RDLCK) < 0 && errno != EAGAIN) {
		skip("a server that leaves", "no package gives it: a file system at /tmp that has leases");
		return;
	}
	lease_done(&l);
	ok(stands(lock, pid), "a server is about to leave");
	conn = at_socket(server, connect);
	goes_on(lock);
	ok(fdmsg_send(conn, &ask, sizeof(ask), NULL, 0) == 0 &&
			fdmsg_recv(conn, &told, sizeof(told), got, &n, 0) > 0 &&
			(pid_t)told.pid == pid && n == 1,
		"who comes at the last moment is heard");
	for (int i = 0; i < n; i++)
		(void)close(got[i]);
	(void)close(conn);
	must(flock(lock, LOCK_EX) == 0, "flock");
	ok(stands(lock, pid), "it is once more");
	goes_on(lock);
	ok(stands(lock, pid), "but does not while somebody holds the lock, who may be about to come");
	must(flock(lock, LOCK_UN) == 0, "flock");
	goes_on(lock);
	ok(!stands(lock, pid) && has_ended(pid), "then it does");
	(void)fcntl(lock, F_SETLEASE, F_UNLCK);
	(void)layers_lease(s, IDS_AUTO, NULL, 0, &l, &e);
	ok(l.pid != pid && kill(l.pid, 0) == 0, "and who comes now has another one");
}

static void test_idle(const struct store *s)
{
	auto_lease struct lease l = {0};
	struct err e;
	pid_t pid;

	(void)layers_lease(s, IDS_AUTO, NULL, 0, &l, &e);
	pid = l.pid;
	lease_done(&l);
	for (int i = 0; i < 600 && !has_ended(pid); i++)
		(void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	ok(pid > 0 && has_ended(pid), "the server leaves when nobody needs it");
	ok(shell("[ -z \"$(ls %s/run | grep sock)\" ]", top) == 0, "and leaves no socket");
}

/* Where there is no server any more, and none can be started. */
static void test_lost(const struct store *s, const char *image)
{
	static char none[] = "/none";
	struct store nowhere = *s;
	struct lease l = {0};
	struct err e = {0};

	nowhere.runtime = -1;
	nowhere.runtime_path = none;
	is_int(layers_lease(s, IDS_ONE, &image, 1, &l, &e), 0, "leased by one who wants one id");
	layers_go_on(&nowhere, &l);
	is_int(l.conn, -1, "a lease whose server is lost for good is given up");
	is_int(layers_ids(&l), IDS_ONE, "and which ids were wanted is still known");
	lease_done(&l);
}

int main(void)
{
	auto_store struct store s = {0};
	struct lease l = {0};
	const char *image;
	struct err e = {0};

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (system("mksquashfs -version >/dev/null 2>&1") != 0)
		return skip_all("no mksquashfs");
	(void)snprintf(top, sizeof(top), "/tmp/sbx-test-XXXXXX");
	if (!mkdtemp(top))
		return 2;
	(void)setenv("SBX_RUNTIME", in_top("run"), 1);
	(void)setenv("SBX_ROOT", in_top("root"), 1);
	(void)setenv("SBX_LAYERS_IDLE", "2", 1);
	(void)mkdir(in_top("in"), 0700);
	if (store_open(&s, &e) < 0)
		return printf("# %s\n", e.text), 2;
	make_tree();
	image = pack("image.sqsh", "-comp zstd -Xcompression-level 3");
	if (!image || layers_lease(&s, IDS_AUTO, &image, 1, &l, &e) < 0) {
		(void)shell("rm -rf %s", top);
		return skip_all(image ? e.text : "mksquashfs failed");
	}
	ok(true, "the first lease starts the server");
	lease_done(&l);
	auto_free char *kept = strdup(image); /* in_top's words pass away */
	image = kept;
	test_compressors(&s);
	test_special(&s, image);
	test_preread(&s);
	test_foresee(&s);
	test_foresee_many(&s);
	test_kill(&s, image);
	test_many_holders(&s, image);
	test_stampede(&s);
	test_replaced(&s);
	test_lacking();
	test_refusals(&s, image);
	test_corrupt(&s);
	test_lost(&s, image);
	test_lies(&s);
	test_hung_up(&s);
	test_leaving(&s);
	test_idle(&s);
	(void)shell("rm -rf %s", top);
	return done_testing();
}
