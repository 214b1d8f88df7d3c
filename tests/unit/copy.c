/* SPDX-License-Identifier: Apache-2.0 */
/* What a tree is, its copy is: for volumes that are filled, and for containers without an overlay. */
#include "copy.h"
#include "auto.h"
#include "str.h"
#include "sys.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static char top[] = "/tmp/sbx-copy-XXXXXX";

static const char make[] =
	"umask 077 && mkdir -p secret from/d from/sticky to && echo secret >secret/f && cd from && "
	"echo text >f && chmod 6751 f && chmod 1777 sticky && echo x >d/g && chmod 604 d/g && chmod 2751 d && "
	"ln -s ../secret/f l && ln -s ../secret ld && mkfifo -m 646 p && touch -h -d @1000000000 l f p d/g d";

static int open_dir(const char *name)
{
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int copy(const char *from, const char *to, struct err *e)
{
	auto_close int in = open_dir(from), out = open_dir(to);

	return copy_tree(in, out, e);
}

static bool holds(const char *path, const char *want)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char got[64] = "";

	return fd >= 0 && read(fd, got, sizeof(got) - 1) >= 0 && str_eq(got, want);
}

static bool is(const char *path, mode_t mode)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return false;
	if (st.st_mode != mode)
		printf("# %s: mode %o\n", path, st.st_mode);
	return st.st_mode == mode;
}

static bool is_old(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_mtim.tv_sec == 1000000000;
}

static void whole(void)
{
	auto_close int from = open_dir("from"), to = open_dir("to");
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "from/socket"};
	auto_close int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct err e = {0};
	char target[32] = "";
	struct stat st;

	(void)bind(sock, (const struct sockaddr *)&a, sizeof(a));
	is_int(copy_is_empty(to), 1, "there is nothing yet");
	is_int(copy_tree(from, to, &e), 0, "a tree is copied");
	is_int(copy_is_empty(to), 0, "then there is something");
	ok(holds("to/f", "text\n") && is("to/f", S_IFREG | 06751),
		"a file has what it held, and its mode");
	ok(holds("to/d/g", "x\n") && is("to/d/g", S_IFREG | 0604), "in a directory, too");
	ok(is("to/d", S_IFDIR | 02751) && is("to/sticky", S_IFDIR | 01777), "which has its own");
	ok(readlink("to/l", target, sizeof(target) - 1) == 11 && str_eq(target, "../secret/f"),
		"a link is a link");
	ok(is("to/ld", S_IFLNK | 0777), "and so is that of a directory");
	ok(is("to/p", S_IFIFO | 0646), "a pipe is a pipe, and is waited for by nobody");
	ok(is_old("to/f") && is_old("to/d/g") && is_old("to/d") && is_old("to/l") && is_old("to/p"),
		"times are kept");
	ok(lstat("to/socket", &st) < 0 && errno == ENOENT, "a socket is nobody's");
	ok(stat("from/f", &st) == 0 && st.st_size == 5, "what was copied is as it was");
	copy_top(from, to);
	ok(is("to", S_IFDIR | 0700), "the directory itself can be made like the other");
	(void)chmod("from", 01755);
	copy_top(from, to);
	ok(is("to", S_IFDIR | 01755), "with all of its mode");
}

/* What stands in the way is taken away, and never gone through. */
static void over(void)
{
	struct err e = {0};

	if (system("rm -rf to && mkdir -p to/l to/ld && echo y >to/l/y && ln -s ../secret/f to/f && ln -s ../secret to/d && "
		   "ln -s ../secret/f to/p"))
		return;
	is_int(copy("from", "to", &e), 0, "a tree is copied over another one");
	ok(holds("secret/f", "secret\n") && is("secret", S_IFDIR | 0700) && is("secret/f", S_IFREG | 0600),
		"where a link stood, what it led to is as it was");
	ok(access("secret/g", F_OK) < 0, "and nothing is new there");
	ok(holds("to/f", "text\n") && holds("to/d/g", "x\n") && is("to/l", S_IFLNK | 0777) &&
			is("to/ld", S_IFLNK | 0777) && is("to/p", S_IFIFO | 0646),
		"all is what was copied");
}

static void attributes(void)
{
	char value[16] = "";
	struct err e = {0};

	if (system("mkdir -p xf/d xt && touch xf/f") || setxattr("xf/f", "user.mine", "kept", 4, 0) < 0) {
		skip("attributes", "no package gives it: a file system with attributes of users");
		return;
	}
	(void)setxattr("xf/f", "user.overlay.metacopy", "", 0, 0);
	(void)setxattr("xf/d", "user.mine", "too", 3, 0);
	(void)setxattr("xf/d", "user.overlay.redirect", "/secret", 7, 0);
	is_int(copy("xf", "xt", &e), 0, "files with attributes are copied");
	ok(getxattr("xt/f", "user.mine", value, sizeof(value)) == 4 && str_eq(value, "kept"),
		"the user's are kept");
	ok(getxattr("xt/d", "user.mine", value, sizeof(value)) == 3, "those of directories as well");
	ok(getxattr("xt/f", "user.overlay.metacopy", NULL, 0) < 0 &&
			getxattr("xt/d", "user.overlay.redirect", NULL, 0) < 0,
		"overlay's own mean nothing in a copy");
}

/* ext4 has no room for such ones, tmpfs does. */
static void large_attributes(void)
{
	static char large[60000], got[65536];
	char in[] = "/dev/shm/sbx-copy-XXXXXX", out[] = "/dev/shm/sbx-copy-XXXXXX";
	auto_free char *rm = NULL, *f = NULL, *g = NULL;
	struct err e = {0};

	if (!mkdtemp(in) || !mkdtemp(out))
		return;
	f = xasprintf("%s/f", in);
	g = xasprintf("%s/f", out);
	rm = xasprintf("rm -r %s %s", in, out);
	(void)close(open(f, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	memset(large, 'x', sizeof(large));
	if (setxattr(f, "user.large", large, sizeof(large), 0) < 0) {
		skip("large attributes", "no package gives it: a tmpfs with attributes of users");
	} else {
		for (int i = 0; i < 300; i++) {
			auto_free char *name = xasprintf("user.%s-%d", "some-longer-name", i);

			(void)setxattr(f, name, "", 0, 0);
		}
		is_int(copy(in, out, &e), 0, "a file with many attributes, and large ones, is copied");
		is_int(getxattr(g, "user.large", got, sizeof(got)), sizeof(large), "with the large ones");
		is_int(listxattr(g, got, sizeof(got)), listxattr(f, NULL, 0), "and with all of them");
	}
	(void)!system(rm);
}

static void upper_layer(void)
{
	struct err e = {0};

	if (system("mkdir -p of/opaque of/other ot/opaque/a ot/other ot/gone/b && echo 1 >ot/file && echo 2 >of/opaque/new && "
		   "echo 3 >ot/other/kept") ||
		mknod("of/gone", S_IFCHR, makedev(0, 0)) < 0 ||
		mknod("of/file", S_IFCHR, makedev(0, 0)) < 0 ||
		mknod("of/none", S_IFCHR, makedev(0, 0)) < 0 ||
		setxattr("of/opaque", "user.overlay.opaque", "y", 1, 0) < 0) {
		skip("whiteouts", "no package gives it: whiteouts that a user can make");
		return;
	}
	is_int(copy("of", "ot", &e), 0, "an upper layer is copied onto a lower one");
	ok(access("ot/gone", F_OK) < 0 && access("ot/file", F_OK) < 0 && access("ot/none", F_OK) < 0,
		"what it has whited out is gone, be it a directory");
	ok(access("ot/opaque/a", F_OK) < 0 && holds("ot/opaque/new", "2\n"),
		"of an opaque directory there is only what it holds itself");
	ok(holds("ot/other/kept", "3\n"), "of another one what was below, too");
}

static bool same(const char *a, const char *b, nlink_t links)
{
	struct stat x, y;

	return lstat(a, &x) == 0 && lstat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_nlink == links;
}

static void several_names(void)
{
	struct err e = {0};

	if (system("mkdir -p nf/d/e nf/z nt && echo a >nf/d/e/a && chmod 4640 nf/d/e/a && ln nf/d/e/a nf/z/b && ln nf/d/e/a nf/c && "
		   "ln -s e nf/d/l && ln -P nf/d/l nf/z/l && mkfifo -m 640 nf/d/p && ln nf/d/p nf/z/p && echo o >outside && ln outside nf/o && echo old >nt/c"))
		return;
	is_int(copy("nf", "nt", &e), 0, "files with several names are copied");
	ok(same("nt/c", "nt/d/e/a", 3) && same("nt/c", "nt/z/b", 3), "which are names of one file again");
	ok(holds("nt/c", "a\n") && is("nt/c", S_IFREG | 04640),
		"that has what the first held, and its mode");
	ok(same("nt/d/l", "nt/z/l", 2) && is("nt/d/l", S_IFLNK | 0777), "links can have several names");
	ok(same("nt/d/p", "nt/z/p", 2) && is("nt/d/p", S_IFIFO | 0640), "and pipes");
	ok(same("nt/o", "nt/o", 1) && holds("nt/o", "o\n"), "one whose other name is elsewhere is alone");
	ok(same("nf/c", "nf/z/b", 3), "and none is one of those that were copied");
}

/* What lies in `levels` directories of the name d, in that one. */
static int make_deep(const char *top_dir, int levels)
{
	auto_free char *line =
		xasprintf("mkdir -p %s && cd %s && i=0 && while [ $i -lt %d ]; do mkdir d && cd -P d || "
			  "exit 1; i=$((i + 1)); done; echo x >f; mkdir ../e",
			top_dir, top_dir, levels);

	return system(line);
}

static int levels_of(const char *top_dir)
{
	auto_close int at = open_dir(top_dir);
	int n = 0, next;

	while ((next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
		(void)close(at);
		at = next;
		n++;
	}
	return faccessat(at, "f", F_OK, 0) == 0 && faccessat(at, "../e", F_OK, 0) == 0 ? n : -1;
}

static void deep(void)
{
	const struct rlimit few = {256, 256};
	struct err e = {0};

	if (system("mkdir dt ut") || make_deep("df", 600) || make_deep("uf", 2100))
		return;
	(void)setrlimit(RLIMIT_NOFILE, &few);
	is_int(copy("df", "dt", &e), 0, "directories deeper than descriptors may be open are copied");
	is_int(levels_of("dt"), 600, "all of them, with what lies beside");
	ok(copy("uf", "ut", &e) < 0 && e.kind == ERR_UNSUPPORTED,
		"what is too deep for the stack is refused");
}

int main(void)
{
	if (!mkdtemp(top) || chdir(top) < 0 || system(make) != 0) {
		ok(false, "a tree to copy");
		return done_testing();
	}
	(void)umask(027); /* the caller's is nothing to a copy */
	whole();
	over();
	attributes();
	large_attributes();
	upper_layer();
	several_names();
	deep();
	if (chdir("/") == 0) {
		auto_free char *rm = xasprintf("rm -rf %s", top);

		(void)!system(rm);
	}
	return done_testing();
}
