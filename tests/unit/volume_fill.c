/* SPDX-License-Identifier: Apache-2.0 */
/* A new volume gets all of what the image has, whoever was killed while it got it. */
#include "volume_fill.h"
#include "auto.h"
#include "str.h"
#include "tap.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[] = "/tmp/sbx-fill-XXXXXX";

static int open_dir(const char *name)
{
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int fill_from(const char *image, const char *data, int home)
{
	auto_close int from = open_dir(image), to = open_dir(data);
	struct err e = {0};
	int result = volume_fill(from, to, home, "_data", &e);

	if (result < 0)
		printf("# %s\n", e.text);
	return result;
}

static int fill_from_home(const char *image)
{
	auto_close int home = open_dir("v");

	return fill_from(image, "v/_data", home);
}

static int fill(void)
{
	return fill_from_home("image");
}

static bool says(const char *line)
{
	return system(line) == 0;
}

static bool whole(void)
{
	return says("diff -r --no-dereference image v/_data && [ \"$(stat -c '%a %Y' image)\" = \"$(stat -c '%a %Y' v/_data)\" ] && "
		    "[ v/_data/f -ef v/_data/d/g ] && [ \"$(ls v)\" = _data ]");
}

static void begin(const char *more)
{
	auto_free char *line = xasprintf("rm -rf v && mkdir -p v/_data && cd v && %s", more);

	(void)!system(line);
}

static void new_one(void)
{
	begin("true");
	is_int(fill(), 0, "an empty volume is filled");
	ok(whole(), "with all of the image's files, and the directory's mode and time");
	(void)!system("echo mine >v/_data/f");
	is_int(fill(), 0, "one that is not empty is not");
	ok(says("[ \"$(cat v/_data/f)\" = mine ]"), "and stays as it is");
	begin("true");
	is_int(fill_from("none", "v/_data", -1), 0, "an image that has nothing there");
	is_int(fill_from("image", "v/_data", -1), 0, "a directory that is not ours");
	ok(whole(), "is filled in place");
}

/* To an ordinary user, as all are on a network file system. */
static void read_only_directory(void)
{
	begin("true");
	(void)!system("cp -a image closed && chmod 555 closed/d");
	is_int(fill_from_home("closed"), 0, "a directory of the image's that may not be written");
	ok(says("diff -r --no-dereference closed v/_data && [ \"$(stat -c %a v/_data/d)\" = 555 ] && [ \"$(ls v)\" = _data ]"),
		"is moved, and cannot be written then");
	(void)!system("chmod -R u+w closed v");
}

static void left_by_killed(void)
{
	begin("mkdir -p fill/part/d && echo half >fill/part/f");
	is_int(fill(), 0, "what a killed one left half");
	ok(whole(), "is made anew");
	begin("mkdir -p fill && cp -a ../image fill/whole && mv fill/whole/f _data && touch -r ../image fill/whole");
	is_int(fill(), 0, "what a killed one left to be moved");
	ok(whole(), "is moved");
	begin("mkdir -p fill && cp -a ../image fill/whole && mv fill/whole/f _data && echo mine >_data/l");
	is_int(fill(), 0, "what came there meanwhile");
	ok(says("[ \"$(cat v/_data/l)\" = mine ] && [ -e v/_data/d/g ] && [ \"$(ls v)\" = _data ]"),
		"is not replaced");
	begin("mkdir fill");
	is_int(fill(), 0, "one that was killed before it began");
	ok(whole(), "left nothing to do but all");
}

static void two_at_once(void)
{
	auto_close int held = -1;
	int status = -1, ready[2];
	char none;
	pid_t pid;

	begin("mkdir -p fill && cp -a ../image fill/whole && mv fill/whole/f _data");
	held = open_dir("v/fill");
	if (flock(held, LOCK_EX) < 0 || pipe(ready) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		(void)close(ready[0]);
		(void)close(held); /* the lock is the parent's, too */
		(void)!write(ready[1], "", 1);
		_exit(fill() == 0 && whole() ? 0 : 1);
	}
	(void)!read(ready[0], &none, 1);
	(void)!system("mv v/fill/whole/* v/_data && touch -r image v/_data && chmod 751 v/_data && rmdir v/fill/whole v/fill");
	(void)close(take_fd(&held));
	(void)waitpid(pid, &status, 0);
	is_int(status, 0, "who begins while another one moves what is there waits for it");
}

static bool write_line(const char *path, const char *line)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, line, strlen(line)) > 0;
}

static bool be_root(void)
{
	auto_free char *uids = xasprintf("0 %d 1", (int)geteuid()),
		       *gids = xasprintf("0 %d 1", (int)getegid());

	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_line("/proc/self/setgroups", "deny") &&
	       write_line("/proc/self/uid_map", uids) && write_line("/proc/self/gid_map", gids);
}

static void mounted_there(void)
{
	int status = -1;
	pid_t pid;

	begin("mkdir elsewhere");
	pid = fork();
	if (pid == 0) {
		if (!be_root() || mount("v/elsewhere", "v/_data", NULL, MS_BIND, NULL) < 0)
			_exit(2);
		_exit(fill() == 0 && says("rmdir v/elsewhere 2>/dev/null; diff -r --no-dereference image v/_data && [ ! -e v/fill ]")
				? 0
				: 1);
	}
	(void)waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip("a mount at the data", "no package gives it: user namespaces");
	else
		is_int(status, 0, "where another directory is mounted at the data that one is filled");
}

int main(void)
{
	if (!mkdtemp(top) || chdir(top) < 0 ||
		system("mkdir -p image/d && chmod 751 image && echo x >image/f && ln image/f image/d/g && "
		       "ln -s nowhere image/l && touch -d @1000000000 image")) {
		ok(false, "an image");
		return done_testing();
	}
	new_one();
	read_only_directory();
	left_by_killed();
	two_at_once();
	mounted_there();
	if (chdir("/") == 0) {
		auto_free char *rm = xasprintf("rm -rf %s", top);

		(void)!system(rm);
	}
	return done_testing();
}
