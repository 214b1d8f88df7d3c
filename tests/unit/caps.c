/* SPDX-License-Identifier: Apache-2.0 */
#include "caps.h"
#include "tap.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static uint64_t resolved(const char *add, const char *drop, bool privileged, struct err *e)
{
	auto_strv struct strv more = {0}, less = {0};
	uint64_t out = 0;
	char word[64];
	int n;

	for (const char *s = add; sscanf(s, " %63s%n", word, &n) == 1; s += n)
		strv_add(&more, word);
	for (const char *s = drop; sscanf(s, " %63s%n", word, &n) == 1; s += n)
		strv_add(&less, word);
	err_clear(e);
	if (caps_resolve(&more, &less, privileged, &out, e) < 0)
		return UINT64_MAX;
	return out;
}

static void test_names(void)
{
	is_int(cap_from_name("SYS_ADMIN"), CAP_SYS_ADMIN, "a bare name is known");
	is_int(cap_from_name("cap_sys_admin"), CAP_SYS_ADMIN, "a prefix and small letters are fine");
	is_int(cap_from_name("CAP_"), -1, "a prefix alone is no capability");
	is_int(cap_from_name(""), -1, "nothing is no capability");
	is_int(cap_from_name("CAP_CAP_KILL"), -1, "one prefix is enough");
	is_str(cap_name(CAP_CHECKPOINT_RESTORE), "CAP_CHECKPOINT_RESTORE", "the last one has a name");
	is_str(cap_name(63), NULL, "an unknown number has none");
	is_str(cap_name(-1), NULL, "a negative number has none");
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (cap_from_name(cap_name(cap)) != cap)
			ok(false, cap_name(cap));
}

static void test_rules(void)
{
	uint64_t all = caps_all();
	struct err e;

	is_int((int64_t)resolved("", "", false, &e), CAPS_DOCKER_DEFAULT, "docker's default");
	is_int((int64_t)resolved("", "", true, &e), (int64_t)all, "privileged has all");
	is_int((int64_t)resolved("", "chown", true, &e), (int64_t)all, "privileged is not reduced");
	is_int((int64_t)resolved("", "all", false, &e), 0, "--cap-drop all leaves nothing");
	is_int((int64_t)resolved("chown", "ALL", false, &e), CAP_BIT(CAP_CHOWN), "only what is added");
	is_int((int64_t)resolved("ALL", "net_raw", false, &e),
		(int64_t)(all & ~CAP_BIT(CAP_NET_RAW)), "all but one");
	is_int((int64_t)resolved("ALL", "ALL", false, &e), (int64_t)all, "--cap-add ALL wins");
	is_int((int64_t)resolved("SYS_ADMIN", "sys_admin", false, &e),
		(int64_t)(CAPS_DOCKER_DEFAULT | CAP_BIT(CAP_SYS_ADMIN)), "adding wins over dropping");
	is_int((int64_t)resolved("", "NET_RAW mknod", false, &e),
		(int64_t)(CAPS_DOCKER_DEFAULT & ~(CAP_BIT(CAP_NET_RAW) | CAP_BIT(CAP_MKNOD))),
		"several are dropped");
	(void)resolved("foo", "", false, &e);
	is_str(e.text, "invalid CapAdd: unknown capability: \"CAP_FOO\"", "docker's words for adding");
	(void)resolved("", "cap_bar", false, &e);
	is_str(e.text, "invalid CapDrop: unknown capability: \"CAP_BAR\"", "and for dropping");
	is_int(e.kind, ERR_USAGE, "which is the user's mistake");
}

static uint64_t status(const char *key)
{
	auto_fclose FILE *f = fopen("/proc/thread-self/status", "re");
	char line[256];
	uint64_t v;

	while (f && fgets(line, sizeof(line), f))
		if (str_starts(line, key) && sscanf(line + strlen(key), ":%" SCNx64, &v) == 1)
			return v;
	return UINT64_MAX;
}

/* In a child, in a user namespace of its own; answers with a byte of bits. */
static int in_child(int (*what)(void))
{
	pid_t pid = fork();
	int st;

	if (pid == 0) {
		if (unshare(CLONE_NEWUSER) < 0)
			_exit(255);
		_exit(what());
	}
	return waitpid(pid, &st, 0) == pid && WIFEXITED(st) ? WEXITSTATUS(st) : 254;
}

static int apply_default(void)
{
	struct err e;

	if (caps_apply(CAPS_DOCKER_DEFAULT, CAPS_DOCKER_DEFAULT, &e) < 0)
		return 200;
	return (status("CapBnd") == CAPS_DOCKER_DEFAULT) |
	       (status("CapPrm") == CAPS_DOCKER_DEFAULT) << 1 |
	       (status("CapEff") == CAPS_DOCKER_DEFAULT) << 2 | (status("CapInh") == 0) << 3 |
	       (status("CapAmb") == 0) << 4;
}

static int apply_twice(void)
{
	struct err e;

	if (caps_apply(CAPS_DOCKER_DEFAULT, 0, &e) < 0 || caps_apply(CAPS_DOCKER_DEFAULT, 0, &e) < 0)
		return 200;
	return (status("CapBnd") == CAPS_DOCKER_DEFAULT) | (status("CapPrm") == 0) << 1;
}

static int apply_after_keepcaps(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct set[2];
	struct err e;

	/* What setresuid() to another id leaves under PR_SET_KEEPCAPS. */
	if (syscall(SYS_capget, &head, set) < 0)
		return 200;
	set[0].effective = set[1].effective = 0;
	if (syscall(SYS_capset, &head, set) < 0 ||
		caps_apply(CAP_BIT(CAP_KILL), CAP_BIT(CAP_SYS_ADMIN), &e) < 0)
		return 201;
	return (status("CapBnd") == CAP_BIT(CAP_KILL)) |
	       (status("CapPrm") == CAP_BIT(CAP_SYS_ADMIN)) << 1 |
	       (status("CapEff") == CAP_BIT(CAP_SYS_ADMIN)) << 2;
}

static int clears_ambient(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct set[2];
	struct err e;

	if (syscall(SYS_capget, &head, set) < 0)
		return 200;
	set[0].inheritable = 1;
	if (syscall(SYS_capset, &head, set) < 0 ||
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 0, 0, 0) < 0)
		return 201;
	if (caps_apply(CAPS_DOCKER_DEFAULT, CAPS_DOCKER_DEFAULT, &e) < 0)
		return 202;
	return (status("CapAmb") == 0) | (status("CapInh") == 0) << 1;
}

static int cannot_gain(void)
{
	struct err e;

	if (caps_apply(CAPS_DOCKER_DEFAULT, 0, &e) < 0)
		return 200;
	return caps_apply(caps_all(), CAP_BIT(CAP_SYS_ADMIN), &e) < 0 && e.kind == ERR_DENIED;
}

int main(void)
{
	test_names();
	test_rules();
	if (in_child(apply_default) == 255) {
		skip("sets of a process", "no user namespaces here");
		return done_testing();
	}
	is_int(in_child(apply_default), 31, "bounding, permitted, effective as asked, the others empty");
	is_int(in_child(apply_twice), 3, "applying the same once more needs no right");
	is_int(in_child(apply_after_keepcaps), 7, "kept capabilities are raised for the work, then cut");
	is_int(in_child(clears_ambient), 3, "ambient and inheritable sets are emptied");
	is_int(in_child(cannot_gain), 1, "what is gone cannot be had again");
	return done_testing();
}
