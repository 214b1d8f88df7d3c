/* SPDX-License-Identifier: Apache-2.0 */
#include "enroot_parts.h"
#include "enroot_script.h"
#include "sys.h"

#include "tap.h"

static struct enroot_mount m;

static bool parse(const char *line, char separator)
{
	enroot_mount_done(&m);
	return enroot_mount_parse(line, separator, &m);
}

static void test_fstab(void)
{
	ok(!parse("", ' ') && !parse("   ", ' ') && !parse("# words", ' '), "nothing is no mount");
	ok(parse("/a /b", ' ') && m.bind && m.recursive && m.create == X_CREATE_AUTO,
		"two fields: a recursive bind whose target is made");
	is_str(m.src, "/a", "its source");
	is_str(m.dst, "/b", "its target");
	ok(parse("/a", ':') && m.bind, "one field is a bind too");
	is_str(m.dst, "/a", "at the same place");
	ok(parse("tmpfs /t", ' ') && !m.bind && m.create == X_CREATE_AUTO, "tmpfs is known by its name");
	is_str(m.type, "tmpfs", "as a type");
	ok(parse("tmpfs:/t:tmpfs:x-create=dir,mode=700,size=1m,noexec", ':'), "all fields, by colons");
	is_str(m.data, "mode=700,size=1m", "what we do not know is the file system's");
	ok(m.attr == MOUNT_ATTR_NOEXEC && m.create == X_CREATE_DIR, "what we know is not");
	ok(parse("/a /b ro,bind", ' ') && m.bind && !m.recursive && m.create == X_CREATE_NO && !m.type,
		"the type may be left out");
	ok(parse("/a /b none rbind,nofail,silent 0 -1", ' ') && m.pass == -1 && m.nofail && !m.type,
		"the sixth field is the pass");
	ok(parse("/a\\040b /c\\011", ' '), "octal");
	is_str(m.src, "/a b", "blanks in names");
	ok(parse("/a /b none bind,ro,nosuid,rw,noexec,exec", ' ') && m.attr == MOUNT_ATTR_NOSUID,
		"the last of two that are opposites counts");
	ok(parse("none /x none x-detach", ' ') && m.detach && !m.bind, "x-detach");
	ok(parse("/a bind,ro", ' ') && m.bind && !m.recursive && m.attr == MOUNT_ATTR_RDONLY,
		"the target may be left out too");
	is_str(m.dst, "/a", "it is the source");
	ok(parse("/a /b none bind -1", ' ') && m.pass == -1,
		"dump's field is the pass where there is no other");
	ok(parse("/dev/sda1 / ext4 defaults 0 1", ' ') && m.pass == 1, "the pass of a disk is its own");
	ok(parse("/a /b none x-create=dir,x-move", ' ') && m.move && !m.bind, "x-move");
	ok(parse("none /x none remount,bind,ro", ' ') && m.remount && m.bind, "remount");
	ok(parse("none /x slave", ' ') && m.propagation == SYS_MS_SLAVE && !m.bind && !m.type,
		"propagation alone");
	enroot_mount_done(&m);
}

static void test_cgroups(void)
{
	static const char mounts[] =
		"30 20 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
		"31 30 0:27 /job /sys/fs/cgroup/memory rw shared:1 - cgroup cgroup rw,memory\n"
		"32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
	auto_free char *lines = NULL, *step = NULL, *none = NULL;

	lines = enroot_cgroup_lines("9:name=x:/\n4:memory:/job/step\n0::/user/s\n", mounts, false);
	is_str(lines,
		"/sys/fs/cgroup/memory/step /sys/fs/cgroup/memory none "
		"x-create=dir,rbind,ro,nosuid,nodev,noexec,nofail,silent\n"
		"/sys/fs/cgroup/unified/user/s /sys/fs/cgroup/unified none "
		"x-create=dir,rbind,ro,nosuid,nodev,noexec,nofail,silent\n",
		"one's own group of each hierarchy that is mounted");
	step = enroot_cgroup_lines("0::/user/s\n", mounts, true);
	is_str(step,
		"/sys/fs/cgroup/unified/user/s/.. /sys/fs/cgroup/unified none "
		"x-create=dir,rbind,ro,nosuid,nodev,noexec,nofail,silent\n",
		"of a step the job's");
	none = enroot_cgroup_lines("junk\n:\n1:\n::\n", mounts, false);
	is_str(none, "", "junk is nothing");
}

static void expands(const char *word, const char *to, const char *sentence)
{
	auto_buf struct buf b = {0};

	ok(enroot_expand(word, &b), sentence);
	is_str(b.s, to, sentence);
}

static void test_expand(void)
{
	auto_buf struct buf b = {0};
	char number[64];

	(void)setenv("HOME", "/h", 1);
	(void)setenv("FULL", "x", 1);
	(void)setenv("EMPTY", "", 1);
	(void)unsetenv("NONE");
	expands("plain", "plain", "a plain word");
	expands("~/a", "/h/a", "home");
	expands("a~b#c '#' \" #\"", "a~b#c #  #", "what is no home, and no comment");
	expands("\"$FULL\"'$FULL'", "x$FULL", "quotes");
	expands("${NONE:-~/y}/z", "/h/y/z", "another word where there is none");
	expands("${EMPTY:-e}${EMPTY-f}${FULL-g}", "ex", "empty and not there are two");
	ok(!enroot_expand("$(date)", &b) && !enroot_expand("a`b`", &b) &&
			!enroot_expand("${A%b}", &b) && !enroot_expand("'open", &b) &&
			!enroot_expand("a;b", &b) && !enroot_expand("~root/a", &b) &&
			!enroot_expand("a # b", &b) && !enroot_expand("#", &b),
		"what only a shell can tell");
	(void)setenv("RANDOM", "7", 1);
	(void)setenv("UID", "7", 1);
	(void)setenv("OSTYPE", "plan9", 1);
	(void)unsetenv("HOSTNAME");
	ok(!enroot_expand("$RANDOM", &b) && !enroot_expand("${SECONDS}", &b) &&
			!enroot_expand("${BASH_VERSION-}", &b) && !enroot_expand("$HOSTNAME", &b),
		"what bash sets, it has to be asked for");
	expands("$OSTYPE", "plan9", "what it sets unless it is set");
	(void)snprintf(number, sizeof(number), "%u-%u-%u", geteuid(), geteuid(), (unsigned)getppid());
	expands("$UID-${EUID:-x}-$PPID", number, "who the process is, whatever the environment says");
	expands("${RANDOM1-r}", "r", "a longer name is another one");
}

static void test_script(void)
{
	static const char text[] =
		"#ENROOT_REMAP_ROOT=y\n"
		"mounts() {\n    echo \"/a /b x-create=auto\"\n    echo \"$FULL /c\"\n}\n"
		"environ() {\n    [ -n \"${FULL-}\" ] && echo \"FULL=${FULL}\" || :\n"
		"    [ -n \"${NONE-}\" ] && echo \"NONE=${NONE}\" || :\n}\n"
		"hooks() {\n    echo 'exec \"$@\"' > ${FULL}/etc/rc.local\n}\n"
		"other() {\n    for i in 1; do echo $i; done\n}\n"
		"short() { echo \"one\"; }\n"
		"danger() {\n    echo \"$(id)\"\n}\n"
		"more() {\n    echo a >> /f\n}\n"
		"unset() {\n    echo ${NONE}\n}\n"
		"who() {\n    echo \"$EUID ${NONE-}\"\n}\n";
	auto_buf struct buf out = {0};
	auto_strv struct strv files = {0};

	ok(enroot_script_simple(text, "mounts", &out, NULL) == 1, "mounts() is simple");
	is_str(out.s, "/a /b x-create=auto\nx /c\n", "its lines");
	buf_done(&out);
	ok(enroot_script_simple(text, "environ", &out, NULL) == 1, "environ() is simple");
	is_str(out.s, "FULL=x\n", "what is set");
	buf_done(&out);
	ok(enroot_script_simple(text, "hooks", &out, NULL) == -1, "nothing is written unless asked for");
	ok(enroot_script_simple(text, "hooks", &out, &files) == 1 && files.n == 2, "hooks() is simple");
	is_str(files.v[0], "x/etc/rc.local", "the file");
	is_str(files.v[1], "exec \"$@\"\n", "its text");
	ok(enroot_script_simple(text, "other", &out, &files) == -1, "a loop is not");
	ok(enroot_script_simple(text, "danger", &out, &files) == -1, "nor a command");
	ok(enroot_script_simple(text, "more", &out, &files) == -1, "nor >>");
	ok(enroot_script_simple(text, "unset", &out, &files) == -1, "nor what is not set");
	ok(enroot_script_simple(text, "unset", NULL, &files) == 1, "though it has that shape");
	ok(enroot_script_simple(text, "who", &out, &files) == 1, "the user is");
	buf_done(&out);
	ok(enroot_script_simple(text, "short", &out, &files) == 1, "all on one line");
	is_str(out.s, "one\n", "is the same");
	ok(enroot_script_simple(text, "none", &out, &files) == 0, "a function which is not there");
}

static void test_true(void)
{
	static const char *const no[] = {
		"", "n", "no", "N", "No", "NO", "f", "F", "false", "False", "FALSE"};
	static const char *const yes[] = {"y", "0", "off", "nO"};
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		(void)setenv("ENROOT_T", no[i], 1);
		good = good && !enroot_true("ENROOT_T");
	}
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		(void)setenv("ENROOT_T", yes[i], 1);
		good = good && enroot_true("ENROOT_T");
	}
	(void)unsetenv("ENROOT_T");
	ok(good && !enroot_true("ENROOT_T"), "what is false, and what is not");
}

static void test_env(void)
{
	auto_strv struct strv env = {0};
	auto_buf struct buf text = {0};

	enroot_env_text("", &env);
	ok(env.n == 0, "nothing is no variable");
	enroot_env_text("A=1\nAB=\nB=1\nA=2\nnothing\nB='3'\n", &env);
	enroot_env_text("AB=4\nC=5\nA=6\n", &env);
	ok(env.n == 4 && !env.v[4], "a variable is there once");
	is_str(env.v[0], "A=6", "with its last value");
	is_str(env.v[1], "AB=4", "at its first place");
	is_str(env.v[2], "B=3", "whatever begins like it");
	is_str(env.v[3], "C=5", "and a new one last");
	/* The largest file that is read: looked for one by one they take minutes. */
	for (int i = 0; i < 140000; i++)
		buf_printf(&text, "v%x=\n", (unsigned int)i);
	enroot_env_text(text.s, &env);
	ok(env.n == 140004, "many are as well");

	strv_done(&env);
	enroot_env_text("LONG_ENOUGH=1\nZ=\nLONG_ENOUGH=22\nLONG_ENOUGH=333\nLONG_ENOUGH=4\n", &env);
	ok(env.n == 2 && !env.v[2], "one that is said four times is there once");
	is_str(env.v[0], "LONG_ENOUGH=4", "with the last of its values");
	is_str(env.v[1], "Z=", "and nothing else goes");
}

int main(void)
{
	test_env();
	test_fstab();
	test_cgroups();
	test_expand();
	test_script();
	test_true();
	return done_testing();
}
