/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: filters are installed in children and asked by real system calls. So that a
 * refusal by the filter is not taken for one by the kernel, most calls have arguments which
 * the kernel answers with something else than EPERM and ENOSYS: each row says what comes
 * from the kernel when it is let through.
 */
#include "caps.h"
#include "seccomp.h"
#include "str.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LET_THROUGH = -1, BAD_ADDRESS = -1 };

struct call {
	const char *name;
	long nr;
	long args[6];
	int want; /* errno, 0: success, LET_THROUGH: anything but EPERM and ENOSYS */
};

#ifdef __x86_64__
#define X32 0x40000000
#endif

/* clang-format off */
static const struct call by_default[] = {
	{ "getpid",            SYS_getpid,            {0},                              LET_THROUGH },
	{ "keyctl",            SYS_keyctl,            {0},                              EPERM },
	{ "add_key",           SYS_add_key,           {0},                              EPERM },
	{ "request_key",       SYS_request_key,       {0},                              EPERM },
	{ "unshare a user namespace", SYS_unshare,    {CLONE_NEWUSER},                  EPERM },
	{ "unshare nothing",   SYS_unshare,           {0},                              EPERM },
	{ "setns",             SYS_setns,             {-1, 0},                          EPERM },
	{ "mount",             SYS_mount,             {0},                              EPERM },
	{ "umount2",           SYS_umount2,           {0},                              EPERM },
	{ "pivot_root",        SYS_pivot_root,        {0},                              EPERM },
	{ "fsopen",            SYS_fsopen,            {0},                              EPERM },
	{ "fsconfig",          SYS_fsconfig,          {-1},                             EPERM },
	{ "open_tree",         SYS_open_tree,         {-1, BAD_ADDRESS},                EPERM },
	{ "move_mount",        SYS_move_mount,        {-1, BAD_ADDRESS},                EPERM },
	{ "mount_setattr",     SYS_mount_setattr,     {-1, BAD_ADDRESS},                EPERM },
	{ "bpf",               SYS_bpf,               {-1},                             EPERM },
	{ "perf_event_open",   SYS_perf_event_open,   {BAD_ADDRESS},                    EPERM },
	{ "userfaultfd",       SYS_userfaultfd,       {-1},                             EPERM },
	{ "io_uring_setup",    SYS_io_uring_setup,    {0},                              EPERM },
	{ "io_uring_enter",    SYS_io_uring_enter,    {-1},                             EPERM },
	{ "io_uring_register", SYS_io_uring_register, {-1},                             EPERM },
	{ "kexec_load",        SYS_kexec_load,        {0},                              EPERM },
	{ "open_by_handle_at", SYS_open_by_handle_at, {-1, BAD_ADDRESS},                EPERM },
	{ "name_to_handle_at", SYS_name_to_handle_at, {-1, BAD_ADDRESS},                LET_THROUGH },
	{ "init_module",       SYS_init_module,       {0},                              EPERM },
	{ "finit_module",      SYS_finit_module,      {-1},                             EPERM },
	{ "delete_module",     SYS_delete_module,     {0},                              EPERM },
	{ "reboot",            SYS_reboot,            {0},                              EPERM },
	{ "swapon",            SYS_swapon,            {0},                              EPERM },
	{ "acct",              SYS_acct,              {BAD_ADDRESS},                    EPERM },
	{ "settimeofday",      SYS_settimeofday,      {0},                              EPERM },
	{ "clock_settime",     SYS_clock_settime,     {-1},                             EPERM },
	{ "syslog",            SYS_syslog,            {-1},                             EPERM },
	{ "quotactl",          SYS_quotactl,          {-1},                             EPERM },
	{ "sethostname",       SYS_sethostname,       {BAD_ADDRESS, 1},                 EPERM },
	{ "vhangup",           SYS_vhangup,           {0},                              EPERM },
	{ "fanotify_init",     SYS_fanotify_init,     {-1},                             EPERM },
	{ "move_pages",        SYS_move_pages,        {0},                              EPERM },
	{ "mbind",             SYS_mbind,             {0},                              EPERM },
	{ "set_mempolicy",     SYS_set_mempolicy,     {-1},                             EPERM },
	{ "kcmp",              SYS_kcmp,              {0},                              EPERM },
	{ "process_madvise",   SYS_process_madvise,   {-1},                             EPERM },
	{ "pidfd_getfd",       SYS_pidfd_getfd,       {-1},                             EPERM },
	{ "lookup_dcookie",    SYS_lookup_dcookie,    {0},                              EPERM },
	{ "ptrace",            SYS_ptrace,            {-1, -1},                         LET_THROUGH },
	{ "process_vm_readv",  SYS_process_vm_readv,  {-1},                             LET_THROUGH },
	{ "chroot",            SYS_chroot,            {BAD_ADDRESS},                    LET_THROUGH },
	{ "personality, which",SYS_personality,       {0xffffffff},                     LET_THROUGH },
	{ "personality, 32 bit", SYS_personality,     {8},                              LET_THROUGH },
	{ "personality, no randomisation", SYS_personality, {0x40000},                  EPERM },
	{ "clone3",            SYS_clone3,            {0, 0},                           ENOSYS },
	{ "memfd_secret",      447,                   {-1},                             ENOSYS },
	{ "clone, new user namespace", SYS_clone,     {CLONE_NEWUSER | SIGCHLD},        EPERM },
	{ "clone, new mount namespace", SYS_clone,    {CLONE_NEWNS | SIGCHLD},          EPERM },
	{ "clone, new cgroup namespace", SYS_clone,   {CLONE_NEWCGROUP | SIGCHLD},      EPERM },
	{ "socket, vsock",     SYS_socket,            {AF_VSOCK, SOCK_STREAM},          EPERM },
	{ "socket, alg",       SYS_socket,            {AF_ALG, SOCK_SEQPACKET},         EPERM },
	{ "socket, xdp",       SYS_socket,            {AF_XDP, SOCK_RAW},               EPERM },
	{ "socket, alg with a high half", SYS_socket, {AF_ALG | 1l << 32, SOCK_SEQPACKET}, EPERM },
	{ "socket, vsock with a high half", SYS_socket, {AF_VSOCK | 7l << 32, SOCK_STREAM}, EPERM },
	{ "socket, unix",      SYS_socket,            {AF_UNIX, SOCK_STREAM},           LET_THROUGH },
	{ "socket, inet6",     SYS_socket,            {AF_INET6, -1},                   LET_THROUGH },
	{ "socket, nfc, which lies between", SYS_socket, {39, -1},                      LET_THROUGH },
	{ "socket, mctp, which lies behind", SYS_socket, {45, -1},                      LET_THROUGH },
	{ "memfd_create",      SYS_memfd_create,      {BAD_ADDRESS},                    EFAULT },
	{ "openat2",           SYS_openat2,           {-1, BAD_ADDRESS},                LET_THROUGH },
	{ "seccomp",           SYS_seccomp,           {-1},                             EINVAL },
	{ "landlock_create_ruleset", SYS_landlock_create_ruleset, {BAD_ADDRESS, 8, 0},  LET_THROUGH },
	{ "chown",             SYS_fchown,            {-1, 0, 0},                       EBADF },
	{ "capset",            SYS_capset,            {BAD_ADDRESS},                    EFAULT },
	{ "a call of the future", 480,                {0},                              ENOSYS },
	{ "a call of the far future", 100000,         {0},                              ENOSYS },
	{ "cachestat",         451,                   {-1, BAD_ADDRESS},                LET_THROUGH },
	{ "mseal",             462,                   {1, 0, 0},                        EINVAL },
	{ "lsm_list_modules",  461,                   {BAD_ADDRESS, BAD_ADDRESS},       EPERM },
#ifdef __x86_64__
	{ "a gap in the numbers", 400,                {0},                              EPERM },
	{ "modify_ldt",        SYS_modify_ldt,        {0},                              LET_THROUGH },
	{ "iopl",              SYS_iopl,              {5},                              EPERM },
	{ "ustat",             SYS_ustat,             {0},                              EPERM },
	{ "getpid of x32",     X32 + SYS_getpid,      {0},                              ENOSYS },
	{ "mount of x32",      X32 + SYS_mount,       {0},                              ENOSYS },
	{ "keyctl of x32",     X32 + SYS_keyctl,      {0},                              ENOSYS },
	{ "ptrace of x32",     X32 + 521,             {0},                              ENOSYS },
	{ "ptrace of x32, without the bit", 521,      {0},                              ENOSYS },
#endif
	{ NULL },
};

static const struct call by_admin[] = {
	{ "mount",             SYS_mount,             {BAD_ADDRESS, BAD_ADDRESS, BAD_ADDRESS}, EFAULT },
	{ "setns",             SYS_setns,             {-1, 0},                          EBADF },
	{ "unshare",           SYS_unshare,           {0},                              0 },
	{ "clone3",            SYS_clone3,            {0, 0},                           EINVAL },
	{ "clone, new mount namespace and contradiction", SYS_clone, {CLONE_NEWNS | CLONE_FS}, EINVAL },
	{ "keyctl",            SYS_keyctl,            {0},                              EPERM },
	{ "io_uring_setup",    SYS_io_uring_setup,    {0},                              EPERM },
	{ "socket, vsock",     SYS_socket,            {AF_VSOCK, SOCK_STREAM},          EPERM },
	{ "mbind",             SYS_mbind,             {0},                              EPERM },
	{ NULL },
};

static const struct call by_nobody[] = { /* --cap-drop ALL */
	{ "chroot",            SYS_chroot,            {BAD_ADDRESS},                    EPERM },
	{ "getpid",            SYS_getpid,            {0},                              LET_THROUGH },
	{ NULL },
};

static const struct call as_fake_root[] = {
	{ "fchown of nothing", SYS_fchown,            {-1, 0, 0},                       0 },
	{ "fchownat of nothing", SYS_fchownat,        {-1, BAD_ADDRESS, 0, 0},          0 },
	{ "setuid",            SYS_setuid,            {12345},                          0 },
	{ "setresgid",         SYS_setresgid,         {1, 2, 3},                        0 },
	{ "setgroups",         SYS_setgroups,         {1, BAD_ADDRESS},                 0 },
	{ "setfsuid",          SYS_setfsuid,          {7},                              0 },
	{ "mknodat of a character device", SYS_mknodat, {-1, BAD_ADDRESS, S_IFCHR | 0600, 0x103}, 0 },
	{ "mknodat of a block device", SYS_mknodat,   {-1, BAD_ADDRESS, S_IFBLK | 0600, 0x103}, 0 },
	{ "mknodat of a FIFO", SYS_mknodat,           {-1, BAD_ADDRESS, S_IFIFO | 0600, 0}, EFAULT },
	{ "mknodat of a file", SYS_mknodat,           {-1, BAD_ADDRESS, S_IFREG | 0600, 0}, EFAULT },
	{ "capset",            SYS_capset,            {BAD_ADDRESS},                    EFAULT },
	{ "keyctl",            SYS_keyctl,            {0},                              EPERM },
	{ "mount",             SYS_mount,             {0},                              EPERM },
	{ "setxattr",          SYS_fsetxattr,         {-1, BAD_ADDRESS},                LET_THROUGH },
#ifdef __x86_64__
	{ "chown of nothing",  SYS_chown,             {BAD_ADDRESS, 0, 0},              0 },
	{ "mknod of a device", SYS_mknod,             {BAD_ADDRESS, S_IFBLK, 0},        0 },
	{ "mknod of a socket", SYS_mknod,             {BAD_ADDRESS, S_IFSOCK, 0},       EFAULT },
#endif
	{ NULL },
};

static const struct call no_mknod[] = { /* --cap-drop MKNOD */
	{ "fchown of nothing", SYS_fchown,            {-1, 0, 0},                       0 },
	{ "mknodat of a character device", SYS_mknodat, {-1, BAD_ADDRESS, S_IFCHR | 0600, 0x103}, EFAULT },
	{ "mknodat of a FIFO", SYS_mknodat,           {-1, BAD_ADDRESS, S_IFIFO | 0600, 0}, EFAULT },
	{ NULL },
};

static const struct call denied_devices[] = { /* what a profile refuses is not faked, be it a part of it */
	{ "mknodat of a character device", SYS_mknodat, {-1, BAD_ADDRESS, S_IFCHR | 0600, 0x103}, 77 },
	{ "mknodat of a FIFO", SYS_mknodat,           {-1, BAD_ADDRESS, S_IFIFO | 0600, 0}, 77 },
	{ "fchown of one number", SYS_fchown,         {1234567, 0, 0},                  77 },
	{ "fchown of another", SYS_fchown,            {-1, 0, 0},                       EBADF },
	{ "fchownat",          SYS_fchownat,          {-1, BAD_ADDRESS, 0, 0},          0 },
	{ NULL },
};

static const struct call keyless[] = { /* seccomp=unconfined, but for keys */
	{ "add_key",           SYS_add_key,           {0},                              EPERM },
	{ "keyctl",            SYS_keyctl,            {0},                              EPERM },
	{ "request_key",       SYS_request_key,       {0},                              EPERM },
	{ "fchown of nothing", SYS_fchown,            {-1, 0, 0},                       0 },
	{ "mount",             SYS_mount,             {BAD_ADDRESS, BAD_ADDRESS, BAD_ADDRESS}, EFAULT },
	{ NULL },
};

static const struct call held[] = { /* seccomp=unconfined, but for another namespace of control groups */
	{ "unshare of it",     SYS_unshare,           {CLONE_NEWCGROUP},                EPERM },
	{ "of it and another", SYS_unshare,           {CLONE_NEWCGROUP | CLONE_NEWUTS}, EPERM },
	{ "of another",        SYS_unshare,           {CLONE_NEWUTS},                   0 },
	{ "of nothing",        SYS_unshare,           {0},                              0 },
	{ "with high bits",    SYS_unshare,           {INT64_C(1) << 32 | CLONE_NEWCGROUP}, EPERM },
	{ "clone with it",     SYS_clone,             {CLONE_NEWCGROUP | SIGCHLD},      EPERM },
	{ "clone3",            SYS_clone3,            {0},                              ENOSYS },
	{ "setns to it",       SYS_setns,             {-1, CLONE_NEWCGROUP},            EPERM },
	{ "to it and another", SYS_setns,             {-1, CLONE_NEWCGROUP | CLONE_NEWNS}, EPERM },
	{ "to anything",       SYS_setns,             {-1, 0},                          EPERM },
	{ "to another",        SYS_setns,             {-1, CLONE_NEWNS},                EBADF },
	{ "mount",             SYS_mount,             {BAD_ADDRESS, BAD_ADDRESS, BAD_ADDRESS}, EFAULT },
	{ NULL },
};

static const struct call fake_root_only[] = { /* seccomp=unconfined */
	{ "fchown of nothing", SYS_fchown,            {-1, 0, 0},                       0 },
	{ "setuid",            SYS_setuid,            {12345},                          0 },
	{ "mknodat of a block device", SYS_mknodat,   {-1, BAD_ADDRESS, S_IFBLK, 0},    0 },
	{ "mknodat of a FIFO", SYS_mknodat,           {-1, BAD_ADDRESS, S_IFIFO, 0},    EFAULT },
	{ "mount",             SYS_mount,             {BAD_ADDRESS, BAD_ADDRESS, BAD_ADDRESS}, EFAULT },
	{ "setns",             SYS_setns,             {-1, 0},                          EBADF },
	{ "a call of the future", 480,                {0},                              ENOSYS },
	{ NULL },
};
/* clang-format on */

enum verdict { GOOD = 0, SET_UP_FAILED = 101, NO_NAMESPACE = 102 };

/* Of the calls above, those that older kernels do not have. Asked for before there is a filter. */
static const struct {
	long nr, args[3];
} young[] = {{451, {-1, BAD_ADDRESS}}, {462, {1, 0, 0}}};
static bool absent[ARRAY_LEN(young)];

static void find_absent(void)
{
	for (size_t i = 0; i < ARRAY_LEN(young); i++)
		absent[i] = syscall(young[i].nr, young[i].args[0], young[i].args[1],
				    young[i].args[2]) < 0 &&
		            errno == ENOSYS;
}

static bool is_absent(long nr)
{
	for (size_t i = 0; i < ARRAY_LEN(young); i++)
		if (young[i].nr == nr)
			return absent[i];
	return false;
}

static void try_calls(const struct call *c, const char *where)
{
	char sentence[200];

	for (; c->name; c++) {
		long r = syscall(c->nr, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4],
			c->args[5]);
		int got = r < 0 ? errno : 0;

		(void)snprintf(sentence, sizeof(sentence), "%s: %s: %s", where, c->name,
			c->want == LET_THROUGH ? "let through"
			: c->want              ? strerror(c->want)
					       : "success");
		if (c->nr == SYS_clone && r == 0)
			_exit(0); /* the child of a clone that ought not to be */
		if (is_absent(c->nr))
			is_int(got, ENOSYS, sentence);
		else if (c->want < 0)
			ok(got != EPERM && got != ENOSYS, sentence);
		else
			is_int(got, c->want, sentence);
	}
}

/* In a child with the filter: as this user with no_new_privs, or in a user namespace of
 * its own with all its rights. */
static void in_child(const struct store *s, const struct seccomp_ask *ask, const struct call *calls,
	bool namespace, const char *where)
{
	struct seccomp_filter f = {0};
	struct err e = {0};
	int report[2], st, n = 0, failed = 0;
	pid_t pid;

	if (!ok(seccomp_get(s, ask, &f, &e) == 0, "a filter is made") || pipe(report) < 0) {
		printf("# %s\n", e.text);
		return;
	}
	pid = fork();
	if (pid == 0) {
		if (namespace && unshare(CLONE_NEWUSER) < 0)
			_exit(NO_NAMESPACE);
		if (!namespace && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			_exit(SET_UP_FAILED);
		if (seccomp_install(&f, &e) < 0) {
			printf("# %s\n", e.text);
			_exit(SET_UP_FAILED);
		}
		tap_failed = 0;
		try_calls(calls, where);
		(void)!write(report[1], &tap_count, sizeof(tap_count));
		(void)!write(report[1], &tap_failed, sizeof(tap_failed));
		_exit(GOOD);
	}
	(void)close(report[1]);
	if (read(report[0], &n, sizeof(n)) == sizeof(n) &&
		read(report[0], &failed, sizeof(failed)) == sizeof(failed)) {
		tap_count = n;
		tap_failed += failed;
	}
	(void)close(report[0]);
	(void)waitpid(pid, &st, 0);
	if (WIFEXITED(st) && WEXITSTATUS(st) == NO_NAMESPACE)
		skip(where, "no user namespaces here");
	else
		ok(WIFEXITED(st) && WEXITSTATUS(st) == GOOD, "the filtered process went to its end");
	seccomp_done(&f);
}

#ifdef __x86_64__
/* By the 32-bit ABI, as a process that knows the trick does it. */
static long int80(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}

enum {
	X86_GETPID = 20,
	X86_MOUNT = 21,
	X86_KEYCTL = 288,
	X86_CLONE3 = 435,
	X86_SOCKET = 359,
	X86_UNSHARE = 310,
	X86_CHOWN32 = 212,
	X86_SETUID32 = 213,
	X86_FUTURE = 480,
	X86_UMOUNT = 22,
	X86_FCHOWN = 95
};

static int x86_bits(void)
{
	return (int80(X86_GETPID, 0, 0, 0) > 0) | (int80(X86_MOUNT, 0, 0, 0) == -EPERM) << 1 |
	       (int80(X86_KEYCTL, 0, 0, 0) == -EPERM) << 2 |
	       (int80(X86_CLONE3, 0, 0, 0) == -ENOSYS) << 3 |
	       (int80(X86_SOCKET, AF_ALG, SOCK_SEQPACKET, 0) == -EPERM) << 4 |
	       (int80(X86_SOCKET, AF_UNIX, SOCK_STREAM, 0) >= 0) << 5 |
	       (int80(X86_UNSHARE, 0, 0, 0) == -EPERM) << 6;
}

static int x86_bits_fake(void)
{
	return (int80(X86_CHOWN32, 0, 0, 0) == 0) | (int80(X86_SETUID32, 77, 0, 0) == 0) << 1 |
	       (int80(X86_FCHOWN, -1, 0, 0) == 0) << 2 | (int80(X86_FUTURE, 0, 0, 0) == -ENOSYS) << 3 |
	       (int80(X86_UMOUNT, 0, 0, 0) == -EPERM) << 4;
}

static int filtered(const struct seccomp_ask *ask, int (*what)(void))
{
	struct seccomp_filter f = {0};
	struct err e;
	int st;
	pid_t pid;

	if (seccomp_get(NULL, ask, &f, &e) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_install(&f, &e) < 0)
			_exit(255);
		_exit(what());
	}
	(void)waitpid(pid, &st, 0);
	seccomp_done(&f);
	return WIFEXITED(st) ? WEXITSTATUS(st) : -WTERMSIG(st);
}

/* Where there is none, the interrupt ends a program: another's, and not by the sanitizers' own handler. */
static bool has_x86(void)
{
	int st = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		_exit(int80(X86_GETPID, 0, 0, 0) < 0);
	}
	return pid > 0 && waitpid(pid, &st, 0) == pid && WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

static void test_x86(void)
{
	struct seccomp_ask ask = {.caps = CAPS_DOCKER_DEFAULT};

	if (!has_x86()) {
		skip("the 32-bit ABI", "no package gives it: a kernel with the 32-bit ABI");
		return;
	}
	is_int(filtered(&ask, x86_bits), 127, "the 32-bit ABI is filtered as well");
	ask.fake_root = true;
	is_int(filtered(&ask, x86_bits_fake), 31, "and faked as well");
	ask.profile = "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":[\"SCMP_ARCH_X86_64\"],"
		      "\"syscalls\":[{\"name\":\"mount\",\"action\":\"SCMP_ACT_ERRNO\"}]}";
	ask.fake_root = false;
	is_int(filtered(&ask, x86_bits), -SIGSYS,
		"a profile which allows all but some does not for ABIs that it does not name");
	ask.profile =
		"{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"architectures\":[\"SCMP_ARCH_X86_64\"],"
		"\"syscalls\":[{\"names\":[\"getpid\",\"exit_group\"],\"action\":\"SCMP_ACT_ALLOW\"}]}";
	is_int(filtered(&ask, x86_bits), -SIGSYS,
		"one which forbids all but some ends the caller by another");
}
#else
static void test_x86(void)
{
}
#endif

static char *cache_file(const char *root)
{
	auto_free char *command = xasprintf("ls %s/cache", root);
	char line[200] = "";
	FILE *f = popen(command, "re");

	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		(void)pclose(f);
	}
	line[strcspn(line, "\n")] = '\0';
	return xasprintf("%s/cache/%s", root, line);
}

static bool same(const struct seccomp_filter *a, const struct seccomp_filter *b)
{
	return a->len == b->len && (!a->len || memcmp(a->code, b->code, a->len * sizeof(*a->code)) == 0);
}

static void damage(const char *path, off_t at)
{
	auto_close int fd = open(path, O_RDWR | O_CLOEXEC);
	char c = 0;

	(void)!pread(fd, &c, 1, at);
	c ^= 1;
	(void)!pwrite(fd, &c, 1, at);
}

static void test_cache(void)
{
	char root[] = "/tmp/sbx-unit-XXXXXX";
	struct store s = {-1, -1, root, NULL};
	struct seccomp_ask ask = {.caps = CAPS_DOCKER_DEFAULT};
	struct seccomp_filter made = {0}, read_back = {0};
	auto_free char *file = NULL, *clean = NULL;
	struct stat before, after;
	struct err e = {0};

	if (!mkdtemp(root) || (s.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
		ok(false, "a directory to work in");
		return;
	}
	ok(seccomp_get(&s, &ask, &made, &e) == 0 && made.len > 0, "made");
	file = cache_file(root);
	ok(stat(file, &before) == 0 && (before.st_mode & 0777) == 0600, "and kept, for us alone");
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back), "read back as it was");
	ok(stat(file, &after) == 0 && after.st_ino == before.st_ino, "and not made again");
	seccomp_done(&read_back);

	damage(file, before.st_size - 3);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back),
		"a damaged one is not used");
	ok(stat(file, &after) == 0 && after.st_ino != before.st_ino, "but made anew");
	seccomp_done(&read_back);
	(void)!truncate(file, before.st_size - 8);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back), "nor is a short one");
	seccomp_done(&read_back);
	(void)!truncate(file, before.st_size + 8);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back), "nor a long one");
	seccomp_done(&read_back);
	(void)!truncate(file, 0);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back), "nor an empty one");
	seccomp_done(&read_back);
	(void)chmod(file, 0666);
	(void)stat(file, &before);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back) &&
			stat(file, &after) == 0 && after.st_ino != before.st_ino,
		"nor one which others could have written");
	seccomp_done(&read_back);
	(void)unlink(file);
	(void)!symlink("/etc/passwd", file);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back) &&
			lstat(file, &after) == 0 && S_ISREG(after.st_mode),
		"nor a symbolic link");
	seccomp_done(&read_back);

	ask.caps |= CAP_BIT(CAP_SYS_ADMIN);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && !same(&made, &read_back),
		"other rights, another filter");
	seccomp_done(&read_back);
	ask.caps = CAPS_DOCKER_DEFAULT & ~CAP_BIT(CAP_CHOWN);
	ok(seccomp_get(&s, &ask, &read_back, &e) == 0 && same(&made, &read_back),
		"rights which no call hangs on make no difference");
	seccomp_done(&read_back);
	seccomp_done(&made);
	clean = xasprintf("rm -rf %s", root);
	(void)!system(clean);
	(void)close(s.root);
}

/* Whatever one filter depends on, another one is not taken for it. */
static void test_kept_apart(void)
{
	char root[] = "/tmp/sbx-unit-XXXXXX";
	struct store s = {-1, -1, root, NULL};
	auto_free char *clean = NULL;
	static const char one[] =
		"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mount\"],"
		"\"action\":\"SCMP_ACT_ERRNO\",\"excludes\":{\"caps\":[\"CAP_SYS_TIME\"]}}]}",
			  two[] = "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"umount2\"],"
				  "\"action\":\"SCMP_ACT_ERRNO\"}]}";
	const struct seccomp_ask asks[] = {
		{.caps = CAPS_DOCKER_DEFAULT},
		{.caps = CAPS_DOCKER_DEFAULT, .fake_root = true},
		{.caps = CAPS_DOCKER_DEFAULT & ~CAP_BIT(CAP_MKNOD), .fake_root = true},
		{.caps = CAPS_DOCKER_DEFAULT, .keyless = true},
		{.caps = CAPS_DOCKER_DEFAULT, .part = SECCOMP_FIRST},
		{.caps = CAPS_DOCKER_DEFAULT, .part = SECCOMP_LAST},
		{.caps = CAPS_DOCKER_DEFAULT | CAP_BIT(CAP_SYS_ADMIN)},
		{.profile = "unconfined", .fake_root = true},
		{.profile = "unconfined", .fake_root = true, .caps = CAP_BIT(CAP_MKNOD)},
		{.profile = "unconfined", .fake_root = true, .keyless = true},
		{.profile = "unconfined", .keyless = true},
		{.profile = "unconfined", .held = true},
		{.caps = CAPS_DOCKER_DEFAULT | CAP_BIT(CAP_SYS_ADMIN), .held = true},
		{.profile = one, .held = true},
		{.profile = one},
		{.profile = one, .caps = CAP_BIT(CAP_SYS_TIME)},
		{.profile = one, .fake_root = true},
		{.profile = two},
	};
	size_t wrong = 0;

	if (!mkdtemp(root) || (s.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
		ok(false, "a directory to work in");
		return;
	}
	for (size_t i = 0; i < 2 * ARRAY_LEN(asks); i++) {
		const struct seccomp_ask *ask = &asks[i % ARRAY_LEN(asks)];
		auto_seccomp struct seccomp_filter made = {0}, kept = {0};
		struct err e = {0};

		if (seccomp_get(NULL, ask, &made, &e) == 0 &&
			seccomp_get(&s, ask, &kept, &e) == 0 && same(&made, &kept))
			continue;
		printf("# row %zu %s\n", i % ARRAY_LEN(asks), e.text);
		wrong++;
	}
	is_int((int64_t)wrong, 0, "what is asked for otherwise is another filter");
	clean = xasprintf("rm -rf %s", root);
	(void)!system(clean);
	(void)close(s.root);
}

/* What stands in the cache's place that is none of ours. */
static void test_odd_cache(void)
{
	char root[] = "/tmp/sbx-unit-XXXXXX";
	struct store s = {-1, -1, root, NULL};
	const struct seccomp_ask ask = {.caps = CAPS_DOCKER_DEFAULT};
	/* as in seccomp.c: "secbpf1", no instruction, and the hash of none */
	const uint64_t empty[] = {0x31667062636573ull, 0, 0xcbf29ce484222325ull, 0x243f6a8885a308d3ull};
	auto_seccomp struct seccomp_filter made = {0};
	auto_free char *file = NULL, *other = NULL, *clean = NULL;
	struct err e = {0};
	size_t wrong = 0;
	uint64_t len;

	if (!mkdtemp(root) || (s.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 ||
		seccomp_get(&s, &ask, &made, &e) < 0) {
		ok(false, "a directory to work in");
		return;
	}
	file = cache_file(root);
	other = xasprintf("%s/other", root);
	len = (uint64_t)made.len | UINT64_C(1) << 61; /* times 8 it is the same */
	for (int i = 0; i < 5; i++) {
		auto_seccomp struct seccomp_filter got = {0};
		auto_close int fd = open(file, O_RDWR | O_CLOEXEC);
		struct stat before, after;

		if (i == 0)
			damage(file, 0);
		if (i == 1)
			(void)!pwrite(fd, &len, sizeof(len), 8);
		if (i == 2)
			(void)!(pwrite(fd, empty, sizeof(empty), 0) > 0 &&
				ftruncate(fd, sizeof(empty)) == 0);
		if (i == 3)
			(void)!(rename(file, other) == 0 && symlink(other, file) == 0);
		if (i == 4)
			(void)!(unlink(file) == 0 && mkfifo(file, 0600) == 0); /* which nobody writes to */
		if (lstat(file, &before) == 0 && seccomp_get(&s, &ask, &got, &e) == 0 &&
			same(&made, &got) && lstat(file, &after) == 0 && S_ISREG(after.st_mode) &&
			after.st_ino != before.st_ino)
			continue;
		printf("# row %d %s\n", i, e.text);
		wrong++;
	}
	is_int((int64_t)wrong, 0,
		"of another form, of a length that is none, a link, a pipe: it is made anew");
	clean = xasprintf("rm -rf %s", root);
	(void)!system(clean);
	(void)close(s.root);
}

static const char *none(const struct seccomp_ask *ask)
{
	struct seccomp_filter f = {0};
	static struct err e;

	if (seccomp_get(NULL, ask, &f, &e) < 0)
		return e.text;
	if (!f.code)
		return "none";
	seccomp_done(&f);
	return "some";
}

/* By path, as containers of older versions have it. */
static void test_profile_files(void)
{
	char root[] = "/tmp/sbx-unit-XXXXXX";
	auto_free char *file = NULL, *clean = NULL;
	auto_buf struct buf text = {0};
	auto_close int fd = -1;

	if (!mkdtemp(root)) {
		ok(false, "a directory to work in");
		return;
	}
	file = xasprintf("%s/profile", root);
	ok(mkfifo(file, 0600) == 0 && str_starts(none(&(struct seccomp_ask){.profile = file}), "Decoding"),
		"a profile that is a pipe is not waited for");
	(void)unlink(file);
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	(void)!write(fd, "{}", 2);
	is_str(none(&(struct seccomp_ask){.profile = file}), "none", "one that is a file is read");
	for (size_t i = 0; i < 5u << 20; i++)
		buf_putc(&text, ' ');
	(void)!write(fd, text.s, text.len);
	ok(strstr(none(&(struct seccomp_ask){.profile = file}), ": larger than 4194304 bytes"),
		"and none that is longer than any");
	clean = xasprintf("rm -rf %s", root);
	(void)!system(clean);
}

static void test_choice(void)
{
	is_str(none(&(struct seccomp_ask){.profile = "unconfined"}), "none", "unconfined is no filter");
	is_str(none(&(struct seccomp_ask){.profile = "unconfined", .fake_root = true}), "some",
		"but for the fake root's");
	is_str(none(&(struct seccomp_ask){.privileged = true}), "none", "privileged is unconfined");
	is_str(none(&(struct seccomp_ask){.profile = "builtin"}), "some", "builtin is the default");
	is_str(none(&(struct seccomp_ask){.profile = "{}", .privileged = true}), "none",
		"an empty profile is none, as with docker");
	is_str(none(&(struct seccomp_ask){
		       .profile = "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}", .privileged = true}),
		"some", "a profile that was asked for holds for privileged ones, too");
}

static void test_errors(void)
{
	static const char *const rows[][2] = {
		{"/nonexistent/profile", "opening seccomp profile (/nonexistent/profile) failed: open "
					 "/nonexistent/profile: No such file or directory"},
		{"{", "Decoding seccomp profile failed: line 1: string or '}' expected near end of file"},
		{"{\"defaultAction\":1}", "Decoding seccomp profile failed: defaultAction is not a string"},
		{"{\"defaultAction\":\"X\"}",
			"failed to create shim task: OCI runtime create failed: runc create failed: "
			"string X is not a valid action for seccomp: unknown"},
		{"{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}",
			"Decoding seccomp profile failed: SCMP_ACT_NOTIFY is not supported"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":{}}",
			"Decoding seccomp profile failed: syscalls is not an array"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[3]}",
			"Decoding seccomp profile failed: an element of syscalls is not an object"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"name\":\"a\",\"names\":[\"b\"],"
		 "\"action\":\"SCMP_ACT_KILL\"}]}",
			"'name' and 'names' were specified in the seccomp profile, use either 'name' or "
			"'names'"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"name\":\"a\",\"action\":\"SCMP_ACT_KILL\","
		 "\"args\":[{\"index\":6,\"value\":0,\"op\":\"SCMP_CMP_EQ\"}]}]}",
			"Decoding seccomp profile failed: the index of an argument is above 5"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"name\":\"a\",\"action\":\"SCMP_ACT_KILL\","
		 "\"args\":[{\"index\":0,\"value\":0,\"op\":\"LIKE\"}]}]}",
			"failed to create shim task: OCI runtime create failed: runc create failed: "
			"string LIKE is not a valid operator for seccomp: unknown"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"name\":\"a\",\"action\":\"SCMP_ACT_KILL\","
		 "\"includes\":{\"minKernel\":\"four\"}}]}",
			"Decoding seccomp profile failed: invalid kernel version: \"four\", expected "
			"\"<kernel>.<major>\""},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":[\"SCMP_ARCH_X86\"],\"archMap\":"
		 "[{\"architecture\":\"SCMP_ARCH_X86_64\"}]}",
			"both 'architectures' and 'archMap' are specified in the seccomp profile, use either "
			"'architectures' or 'archMap'"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":[\"SCMP_ARCH_Z80\"]}",
			"failed to create shim task: OCI runtime create failed: runc create failed: "
			"string SCMP_ARCH_Z80 is not a valid arch for seccomp: unknown"},
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[3]}",
			"Decoding seccomp profile failed: an element of archMap is not an object"},
		{"{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"name\":\"a\",\"action\":\"SCMP_ACT_ALLOW\","
		 "\"includes\":[\"CAP_SYS_ADMIN\"]}]}",
			"Decoding seccomp profile failed: a filter (includes, excludes) is not an object"},
		{"{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"name\":\"a\",\"action\":\"SCMP_ACT_ALLOW\","
		 "\"includes\":{\"arches\":[3]}}]}",
			"Decoding seccomp profile failed: an element of arches is not a string"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		is_str(none(&(struct seccomp_ask){.profile = rows[i][0]}), rows[i][1], rows[i][0]);
}

/* Comparisons, conditions: dup2(a, b) with one number for "this rule fits". */
#define ALLOW_REST                                                                                  \
	"\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[{\"architecture\":\"SCMP_ARCH_X86_64\"," \
	"\"subArchitectures\":[\"SCMP_ARCH_X86\"]},{\"architecture\":\"SCMP_ARCH_AARCH64\","        \
	"\"subArchitectures\":null}]"

static void test_profile(const char *what, const char *rules, const struct call *calls)
{
	auto_free char *text = xasprintf("{" ALLOW_REST ",\"syscalls\":[%s]}", rules);
	struct seccomp_ask ask = {.profile = text, .caps = CAP_BIT(CAP_SYS_TIME)};

	in_child(NULL, &ask, calls, false, what);
}

/* lseek(fd, offset, whence) on a bad descriptor fails with EBADF; a rule that fits says
 * 77. */
/* clang-format off */
#define SEEK(offset, want) {#offset, SYS_lseek, {-1, (long)(offset), 0}, want}
#define END {NULL, 0, {0}, 0}
/* clang-format on */
#define RULE(op_, value_, two)                                                                   \
	"{\"names\":[\"lseek\",\"no_such_call\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":77," \
	"\"args\":[{\"index\":1,\"value\":" #value_ ",\"valueTwo\":" #two                        \
	",\"op\":\"SCMP_CMP_" #op_ "\"}]}"

/* A profile of so many names and alternative comparisons of each, which get another answer than the rest or the same. */
static void test_size(size_t names, size_t cmps, const char *action, const char *want, const char *sentence)
{
	struct seccomp_ask ask = {0};
	struct seccomp_filter f;
	struct err e = {0};
	auto_buf struct buf text = {0};

	buf_puts(&text, "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[");
	for (size_t i = 0; i < names; i++)
		buf_printf(&text, "%s\"a%zu\"", i ? "," : "", i);
	buf_puts(&text, "],\"args\":[");
	for (size_t i = 0; i < cmps; i++)
		buf_printf(&text, "%s{\"op\":\"SCMP_CMP_EQ\"}", i ? "," : "");
	buf_printf(&text, "],\"action\":\"%s\"}]}", action);
	ask.profile = text.s;
	if (seccomp_get(NULL, &ask, &f, &e) == 0)
		seccomp_done(&f);
	is_str(e.text, want, sentence);
}

static void test_sizes(void)
{
	static const char too_many[] = "seccomp profile: it has more than 65536 rules";

	test_size(400, 400, "SCMP_ACT_ERRNO", too_many, "names by comparisons have an end");
	test_size(70000, 0, "SCMP_ACT_ERRNO", too_many, "names have one");
	test_size(70000, 0, "SCMP_ACT_ALLOW", too_many, "those that say nothing have one, too");
	test_size(1000, 10, "SCMP_ACT_ERRNO", "", "ten thousand rules are none too many");
}

static void test_comparisons(void)
{
	static const struct call eq[] = {SEEK(5, 77), SEEK(4, EBADF), SEEK(5 | 1l << 32, EBADF), END};
	static const struct call ne[] = {SEEK(5, EBADF), SEEK(4, 77), SEEK(5 | 1l << 32, 77), END};
	static const struct call lt[] = {SEEK(4294967297, EBADF), SEEK(4294967296, 77), SEEK(7, 77),
		SEEK(8589934592, EBADF), SEEK(4294967298, EBADF), END};
	static const struct call le[] = {SEEK(4294967297, 77), SEEK(4294967296, 77), SEEK(7, 77),
		SEEK(8589934592, EBADF), SEEK(4294967298, EBADF), END};
	static const struct call gt[] = {SEEK(4294967297, EBADF), SEEK(4294967296, EBADF),
		SEEK(7, EBADF), SEEK(8589934592, 77), SEEK(4294967298, 77), END};
	static const struct call ge[] = {SEEK(4294967297, 77), SEEK(4294967296, EBADF),
		SEEK(7, EBADF), SEEK(8589934592, 77), SEEK(4294967298, 77), END};
	static const struct call masked[] = {SEEK(0x1000000f0, 77), SEEK(0x1000000ff, 77),
		SEEK(0xf0, EBADF), SEEK(0x1000000e0, EBADF), END};

	test_profile("equal", RULE(EQ, 5, 0), eq);
	test_profile("not equal", RULE(NE, 5, 0), ne);
	test_profile("less than 2^32+1", RULE(LT, 4294967297, 0), lt);
	test_profile("at most 2^32+1", RULE(LE, 4294967297, 0), le);
	test_profile("greater than 2^32+1", RULE(GT, 4294967297, 0), gt);
	test_profile("at least 2^32+1", RULE(GE, 4294967297, 0), ge);
	test_profile("masked", RULE(MASKED_EQ, 4294967536, 4294967536), masked);
}

static void test_conditions(void)
{
#define COND(cond) "{\"name\":\"lseek\",\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":77," cond "}"
	static const struct call yes[] = {SEEK(0, 77), END}, no[] = {SEEK(0, EBADF), END};
	static const struct call alternatives[] = {SEEK(1, 77), SEEK(2, 77), SEEK(3, EBADF), END};
	static const struct call both[] = {
		{"both", SYS_lseek, {-1, 1, 2}, 77}, {"one", SYS_lseek, {-1, 1, 1}, EBADF}, END};
	static const struct call order[] = {SEEK(1, 77), SEEK(2, 78), SEEK(3, EBADF), END};
	static const struct call all[] = {SEEK(1, 79), SEEK(2, 79), SEEK(3, 79), END};
	static const struct call seven[] = {SEEK(1, 77), SEEK(7, 77), SEEK(8, EBADF), END};

	test_profile("a right that is held", COND("\"includes\":{\"caps\":[\"CAP_SYS_TIME\"]}"), yes);
	test_profile("a right that is not",
		COND("\"includes\":{\"caps\":[\"CAP_SYS_TIME\",\"CAP_KILL\"]}"), no);
	test_profile("excluded by a right",
		COND("\"excludes\":{\"caps\":[\"CAP_KILL\",\"CAP_SYS_TIME\"]}"), no);
	test_profile("not excluded", COND("\"excludes\":{\"caps\":[\"CAP_KILL\"]}"), yes);
	test_profile("an old kernel", COND("\"includes\":{\"minKernel\":\"4.8\"}"), yes);
	test_profile("a far kernel", COND("\"includes\":{\"minKernel\":\"200.1\"}"), no);
	test_profile("machines", COND("\"includes\":{\"arches\":[\"amd64\",\"arm64\"]}"), yes);
	test_profile("other machines", COND("\"includes\":{\"arches\":[\"s390x\"]}"), no);
	test_profile("excluded machines", COND("\"excludes\":{\"arches\":[\"amd64\",\"arm64\"]}"), no);
	test_profile("comparisons of one argument are alternatives",
		COND("\"args\":[{\"index\":1,\"value\":1,\"op\":\"SCMP_CMP_EQ\"},"
		     "{\"index\":1,\"value\":2,\"op\":\"SCMP_CMP_EQ\"}]"),
		alternatives);
	test_profile("those of two must both hold",
		COND("\"args\":[{\"index\":1,\"value\":1,\"op\":\"SCMP_CMP_EQ\"},"
		     "{\"index\":2,\"value\":2,\"op\":\"SCMP_CMP_EQ\"}]"),
		both);
#define BELOW_3                                                               \
	",{\"name\":\"lseek\",\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":78," \
	"\"args\":[{\"index\":1,\"value\":3,\"op\":\"SCMP_CMP_LT\"}]}"
	test_profile("rules with comparisons come in their order", RULE(EQ, 1, 0) BELOW_3, order);
	test_profile("and not at all where one is without",
		RULE(EQ, 1, 0) BELOW_3
		",{\"name\":\"lseek\",\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":79}",
		all);
#define ANY "{\"name\":\"lseek\",\"action\":\"SCMP_ACT_ALLOW\"},"
	test_profile("what all calls get is no rule", ANY RULE(EQ, 1, 0) BELOW_3, order);
#define IS(n) "{\"index\":1,\"value\":" #n ",\"op\":\"SCMP_CMP_EQ\"}"
	test_profile("seven alternatives",
		COND("\"args\":[" IS(1) "," IS(2) "," IS(3) "," IS(4) "," IS(5) "," IS(6) "," IS(7) "]"),
		seven);
	test_profile("a right is spelt in one way", COND("\"excludes\":{\"caps\":[\"sys_time\"]}"), yes);
	test_profile("keys in any letters",
		"{\"Names\":[\"lseek\"],\"ACTION\":\"SCMP_ACT_ERRNO\",\"errnoret\":77}", yes);
}

static void test_fake_meets_deny(void)
{
	static const struct call calls[] = {{"chown denied by a profile", SYS_fchown, {-1, 0, 0}, EPERM},
		{"and setuid not", SYS_setuid, {12345}, 0}, END};
	struct seccomp_ask ask = {.fake_root = true,
		.profile = "{" ALLOW_REST
			   ",\"syscalls\":[{\"name\":\"fchown\",\"action\":\"SCMP_ACT_ERRNO\"}]}"};

	in_child(NULL, &ask, calls, false, "fake root");
	ask.caps = CAP_BIT(CAP_MKNOD);
	ask.profile = "{" ALLOW_REST
		      ",\"syscalls\":[{\"names\":[\"mknod\",\"mknodat\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":77},"
		      "{\"names\":[\"fchown\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":77,"
		      "\"args\":[{\"index\":0,\"value\":1234567,\"op\":\"SCMP_CMP_EQ\"}]}]}";
	in_child(NULL, &ask, denied_devices, false, "fake root with a profile");
}

int main(void)
{
	struct seccomp_ask ask = {.caps = CAPS_DOCKER_DEFAULT};

	find_absent();
	in_child(NULL, &ask, by_default, false, "default");
	in_child(NULL, &ask, by_default, true, "default in a namespace");
	ask.caps |= CAP_BIT(CAP_SYS_ADMIN);
	in_child(NULL, &ask, by_admin, true, "SYS_ADMIN");
	ask.caps = 0;
	in_child(NULL, &ask, by_nobody, true, "no rights");
	ask.caps = CAPS_DOCKER_DEFAULT;
	ask.fake_root = true;
	in_child(NULL, &ask, as_fake_root, false, "fake root");
	ask.caps &= ~CAP_BIT(CAP_MKNOD);
	in_child(NULL, &ask, no_mknod, false, "fake root without MKNOD");
	ask.caps |= CAP_BIT(CAP_MKNOD);
	ask.profile = "unconfined";
	in_child(NULL, &ask, fake_root_only, true, "fake root alone");
	ask.keyless = true;
	in_child(NULL, &ask, keyless, true, "without keys");
	ask = (struct seccomp_ask){.profile = "unconfined", .held = true};
	in_child(NULL, &ask, held, true, "held");
	test_fake_meets_deny();
	test_x86();
	test_choice();
	test_errors();
	test_sizes();
	test_comparisons();
	test_conditions();
	test_cache();
	test_kept_apart();
	test_odd_cache();
	test_profile_files();
	return done_testing();
}
