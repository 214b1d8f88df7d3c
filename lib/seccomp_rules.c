/* SPDX-License-Identifier: Apache-2.0 */
#include "seccomp_rules.h"

#include "auto.h"
#include "caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define DENY(errno_) (SECCOMP_RET_ERRNO | (errno_))
#define FAKE         (SECCOMP_RET_ERRNO | 0)
#define ALLOW        SECCOMP_RET_ALLOW

/* Docker's default profile: allowed calls by subject; all others fail with EPERM. In no row, and therefore always
 * refused: keyrings, which no namespace isolates (add_key keyctl request_key), io_uring, userfaultfd, kexec, swap,
 * quota by pathname, NUMA moves, and everything obsolete. */
struct row {
	uint64_t cap; /* 0: always; else only for containers with this capability */
	const char *names;
};

/* clang-format off */
static const struct row rows[] = {
	/* files by name */
	{ 0, "access faccessat faccessat2 chdir fchdir getcwd chmod fchmod fchmodat fchmodat2 chown chown32"
	     " fchown fchown32 fchownat lchown lchown32 creat open openat openat2 close close_range"
	     " link linkat symlink symlinkat readlink readlinkat mkdir mkdirat mknod mknodat rmdir"
	     " rename renameat renameat2 unlink unlinkat truncate truncate64 umask name_to_handle_at"
	     " utime utimes futimesat utimensat utimensat_time64" },
	{ 0, "stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx"
	     " statfs statfs64 fstatfs fstatfs64 statmount listmount" },
	{ 0, "getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat"
	     " setxattr lsetxattr fsetxattr setxattrat"
	     " removexattr lremovexattr fremovexattr removexattrat" },
	/* open files */
	{ 0, "read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek _llseek"
	     " getdents getdents64 ftruncate ftruncate64 fallocate fadvise64 fadvise64_64 readahead cachestat"
	     " fsync fdatasync sync syncfs sync_file_range sendfile sendfile64 copy_file_range"
	     " splice tee vmsplice dup dup2 dup3 fcntl fcntl64 flock ioctl pipe pipe2" },
	{ 0, "select _newselect pselect6 pselect6_time64 poll ppoll ppoll_time64"
	     " epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait epoll_wait_old epoll_pwait"
	     " epoll_pwait2 eventfd eventfd2 signalfd signalfd4"
	     " inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_mark"
	     " io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents io_pgetevents_time64" },
	/* memory */
	{ 0, "brk mmap mmap2 munmap mremap remap_file_pages mprotect madvise mincore msync mseal"
	     " mlock mlock2 mlockall munlock munlockall membarrier memfd_create"
	     " pkey_alloc pkey_free pkey_mprotect map_shadow_stack" },
	/* processes and threads */
	{ 0, "fork vfork execve execveat exit exit_group wait4 waitid waitpid"
	     " getpid getppid gettid getpgid setpgid getpgrp getsid setsid"
	     " set_tid_address set_thread_area get_thread_area set_robust_list get_robust_list rseq"
	     " futex futex_time64 futex_waitv futex_wait futex_wake futex_requeue restart_syscall"
	     " prctl seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
	     " pidfd_open pidfd_send_signal process_mrelease process_vm_readv process_vm_writev ptrace"
	     " getcpu getrandom sysinfo uname arch_prctl modify_ldt uretprobe" },
	{ 0, "getpriority setpriority ioprio_get ioprio_set getrlimit ugetrlimit setrlimit prlimit64"
	     " getrusage times sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr"
	     " sched_getparam sched_setparam sched_getscheduler sched_setscheduler"
	     " sched_get_priority_max sched_get_priority_min"
	     " sched_rr_get_interval sched_rr_get_interval_time64" },
	{ 0, "kill tkill tgkill pause alarm sigaltstack sigprocmask sigreturn"
	     " rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_tgsigqueueinfo rt_sigreturn"
	     " rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64" },
	/* identity */
	{ 0, "getuid getuid32 geteuid geteuid32 getgid getgid32 getegid getegid32 getresuid getresuid32"
	     " getresgid getresgid32 getgroups getgroups32 setuid setuid32 setgid setgid32"
	     " setreuid setreuid32 setregid setregid32 setresuid setresuid32 setresgid setresgid32"
	     " setgroups setgroups32 setfsuid setfsuid32 setfsgid setfsgid32 capget capset" },
	/* time */
	{ 0, "time gettimeofday clock_gettime clock_gettime64 clock_getres clock_getres_time64"
	     " clock_adjtime clock_adjtime64 adjtimex nanosleep clock_nanosleep clock_nanosleep_time64"
	     " getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime"
	     " timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime"
	     " timerfd_gettime64 timerfd_settime timerfd_settime64" },
	/* socket calls but socket() itself; a filter cannot look into socketcall's arguments of 32-bit programs */
	{ 0, "socketpair socketcall bind connect listen accept accept4 shutdown getsockname getpeername"
	     " getsockopt setsockopt send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg"
	     " recvmmsg_time64" },
	/* System V and POSIX inter-process communication */
	{ 0, "ipc msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64"
	     " shmat shmctl shmdt shmget mq_open mq_unlink mq_getsetattr mq_notify mq_timedreceive"
	     " mq_timedreceive_time64 mq_timedsend mq_timedsend_time64" },
	/* of one architecture */
	{ 0, "arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls" },

	{ CAP_BIT(CAP_DAC_READ_SEARCH), "open_by_handle_at" },
	{ CAP_BIT(CAP_SYS_ADMIN),
	     "mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick"
	     " clone clone3 unshare setns sethostname setdomainname quotactl quotactl_fd fanotify_init"
	     " lookup_dcookie bpf perf_event_open syslog"
	     " lsm_get_self_attr lsm_set_self_attr lsm_list_modules" },
	{ CAP_BIT(CAP_SYS_BOOT),       "reboot" },
	{ CAP_BIT(CAP_SYS_CHROOT),     "chroot" },
	{ CAP_BIT(CAP_SYS_MODULE),     "init_module finit_module delete_module" },
	{ CAP_BIT(CAP_SYS_PACCT),      "acct" },
	{ CAP_BIT(CAP_SYS_PTRACE),     "kcmp pidfd_getfd process_madvise" },
	{ CAP_BIT(CAP_SYS_RAWIO),      "iopl ioperm" },
	{ CAP_BIT(CAP_SYS_TIME),       "settimeofday stime clock_settime clock_settime64" },
	{ CAP_BIT(CAP_SYS_TTY_CONFIG), "vhangup" },
	{ CAP_BIT(CAP_SYS_NICE),       "get_mempolicy set_mempolicy set_mempolicy_home_node mbind" },
	{ CAP_BIT(CAP_SYSLOG),         "syslog" },
	{ CAP_BIT(CAP_BPF),            "bpf" },
	{ CAP_BIT(CAP_PERFMON),        "perf_event_open" },
};

/* In a container with one id these calls would fail with EINVAL or EPERM, and with them package managers and tar; so
 * they succeed without effect. Not capset, which works: a program that gives up a capability must be without it. Nor
 * setxattr, as a filter cannot see whether it sets an ACL or something else. */
static const char faked[] =
	"chown chown32 lchown lchown32 fchown fchown32 fchownat setuid setuid32 setgid setgid32"
	" setreuid setreuid32 setregid setregid32 setresuid setresuid32 setresgid setresgid32"
	" setgroups setgroups32 setfsuid setfsuid32 setfsgid setfsgid32";

/* Calls that a pool's child needs to isolate itself (isolate.c), and that containers may not make. */
static const char late[] = "setns setgroups setresgid setresuid";
/* clang-format on */

struct seccomp_rule *seccomp_rules_add(struct seccomp_rules *r, const char *name, uint32_t action)
{
	struct seccomp_rule *rule;

	/* The capacity is doubled when it is full, which is when n is a power of two. */
	if ((r->n & (r->n - 1)) == 0)
		r->v = xrealloc(r->v, r->n ? 2 * r->n : 1, sizeof(*r->v));
	rule = &r->v[r->n++];
	*rule = (struct seccomp_rule){.action = action};
	/* No call has so long a name; cut, it is still an unknown one. */
	(void)snprintf(rule->name, sizeof(rule->name), "%s", name);
	return rule;
}

void seccomp_rules_cmp(struct seccomp_rule *rule, struct seccomp_cmp cmp)
{
	assert(rule->n_cmp < SECCOMP_ARGS && cmp.arg < SECCOMP_ARGS);
	rule->cmp[rule->n_cmp++] = cmp;
}

void seccomp_rules_done(struct seccomp_rules *r)
{
	free(r->v);
	*r = (struct seccomp_rules){0};
}

static bool next_word(const char **at, char word[static 40])
{
	size_t n;

	*at += strspn(*at, " ");
	n = strcspn(*at, " ");
	assert(n < 40);
	memcpy(word, *at, n);
	word[n] = '\0';
	*at += n;
	return n > 0;
}

/* Compares 32 bits, as the kernel does with an int argument: otherwise socket(1ul << 32 | AF_ALG) would be another
 * family to the filter, but AF_ALG to the kernel. */
static void add_int_rule(struct seccomp_rules *r, const char *name, uint32_t action, unsigned arg,
	uint32_t mask, uint32_t value)
{
	struct seccomp_rule *rule = seccomp_rules_add(r, name, action);

	seccomp_rules_cmp(rule, (struct seccomp_cmp){arg, CMP_MASKED, value, mask});
}

static void add_clone(struct seccomp_rules *r)
{
	add_int_rule(r, "clone", ALLOW, 0,
		CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
			CLONE_NEWNET | CLONE_NEWCGROUP,
		0);
	/* The flags of clone3 are in memory, where no filter can see them; libc falls back to clone. */
	(void)seccomp_rules_add(r, "clone3", DENY(ENOSYS));
}

static void add_socket(struct seccomp_rules *r)
{
	/* Not namespaced: AF_VSOCK reaches the hypervisor, AF_ALG is mere attack surface. */
	add_int_rule(r, "socket", DENY(EPERM), 0, UINT32_MAX, AF_VSOCK);
	add_int_rule(r, "socket", DENY(EPERM), 0, UINT32_MAX, AF_ALG);
	/* Docker allows it. One call makes a ring of any size, in memory that counts for no process and has no limit;
	 * and without the right to load a BPF program it is of no use. */
	add_int_rule(r, "socket", DENY(EPERM), 0, UINT32_MAX, AF_XDP);
	(void)seccomp_rules_add(r, "socket", ALLOW);
}

static void add_personality(struct seccomp_rules *r)
{
	/* PER_LINUX and PER_LINUX32, with or without UNAME26, and the query of the current one */
	static const uint32_t harmless[] = {0, 0x8, 0x20000, 0x20008, 0xffffffff};

	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		add_int_rule(r, "personality", ALLOW, 0, UINT32_MAX, harmless[i]);
}

void seccomp_rules_default(struct seccomp_rules *r, uint64_t caps)
{
	char name[40];

	*r = (struct seccomp_rules){
		.otherwise = DENY(EPERM), .foreign = SECCOMP_RET_KILL_PROCESS, .abis = ABIS_DEFAULT};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!rows[i].cap || caps & rows[i].cap)
			for (const char *at = rows[i].names; next_word(&at, name);)
				(void)seccomp_rules_add(r, name, ALLOW);
	if (!(caps & CAP_BIT(CAP_SYS_ADMIN)))
		add_clone(r);
	add_socket(r);
	add_personality(r);
	/* Docker allows it, as its control group counts that memory. No number of the machine or of a process includes
	 * it, so that a limit held by the watch would not hold. Most kernels do not have it. */
	(void)seccomp_rules_add(r, "memfd_secret", DENY(ENOSYS));
}

uint64_t seccomp_rules_default_caps(void)
{
	uint64_t caps = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		caps |= rows[i].cap;
	return caps;
}

void seccomp_rules_unconfined(struct seccomp_rules *r)
{
	*r = (struct seccomp_rules){.otherwise = ALLOW, .foreign = ALLOW, .abis = ABIS_DEFAULT};
}

void seccomp_rules_keyless(struct seccomp_rules *r)
{
	(void)seccomp_rules_add(r, "add_key", DENY(EPERM));
	(void)seccomp_rules_add(r, "keyctl", DENY(EPERM));
	(void)seccomp_rules_add(r, "request_key", DENY(EPERM));
}

/* Denies making and joining cgroup namespaces. The flags of clone3() are in memory, where a filter cannot see them;
 * and with setns() without a type it cannot see what would be joined. */
void seccomp_rules_held(struct seccomp_rules *r)
{
	struct seccomp_rules first = {.otherwise = r->otherwise, .foreign = r->foreign, .abis = r->abis};

	add_int_rule(&first, "unshare", DENY(EPERM), 0, CLONE_NEWCGROUP, CLONE_NEWCGROUP);
	add_int_rule(&first, "clone", DENY(EPERM), 0, CLONE_NEWCGROUP, CLONE_NEWCGROUP);
	(void)seccomp_rules_add(&first, "clone3", DENY(ENOSYS));
	add_int_rule(&first, "setns", DENY(EPERM), 1, CLONE_NEWCGROUP, CLONE_NEWCGROUP);
	add_int_rule(&first, "setns", DENY(EPERM), 1, UINT32_MAX, 0);
	for (size_t i = 0; i < r->n; i++)
		*seccomp_rules_add(&first, r->v[i].name, r->v[i].action) = r->v[i];
	seccomp_rules_done(r);
	*r = first;
}

/* Whether every call of this name is allowed. */
static bool always_allowed(const struct seccomp_rules *r, const char *name)
{
	bool allowed = r->otherwise == ALLOW, decided = false;

	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->v[i].name, name) != 0)
			continue;
		if (r->v[i].n_cmp > 0)
			return false;
		if (!decided)
			allowed = r->v[i].action == ALLOW;
		decided = true;
	}
	return allowed;
}

static void fake_device(struct seccomp_rules *r, const char *name, unsigned mode_arg)
{
	if (!always_allowed(r, name))
		return;
	/* Making files, FIFOs and sockets works; if there was no rule for it there must be one now. */
	(void)seccomp_rules_add(r, name, ALLOW);
	add_int_rule(r, name, FAKE, mode_arg, S_IFMT, S_IFCHR);
	add_int_rule(r, name, FAKE, mode_arg, S_IFMT, S_IFBLK);
}

static void fake(struct seccomp_rules *r, const char *name)
{
	bool found = false;

	if (!always_allowed(r, name))
		return;
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].name, name) == 0) {
			r->v[i].action = FAKE;
			found = true;
		}
	if (!found)
		(void)seccomp_rules_add(r, name, FAKE);
}

void seccomp_rules_fake_root(struct seccomp_rules *r, bool devices)
{
	char name[40];

	for (const char *at = faked; next_word(&at, name);)
		fake(r, name);
	if (!devices) /* the kernel refuses making devices, as with docker */
		return;
	fake_device(r, "mknod", 1);
	fake_device(r, "mknodat", 2);
}

/* Removes the rules whose names are in `late`, or all others. */
static void keep(struct seccomp_rules *r, bool are_late)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (str_has_word(late, ' ', r->v[i].name) == are_late)
			r->v[n++] = r->v[i];
	r->n = n;
}

static bool has_rule(const struct seccomp_rules *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].name, name) == 0 && r->v[i].n_cmp == 0)
			return true;
	return false;
}

/* Built anew, since rules can only be added to an array that has grown by doubling. */
static void add_late(struct seccomp_rules *r, uint32_t missing)
{
	struct seccomp_rules out = {.otherwise = r->otherwise, .foreign = r->foreign, .abis = r->abis};
	const char *at = late;
	char name[40];

	for (size_t i = 0; i < r->n; i++)
		*seccomp_rules_add(&out, r->v[i].name, 0) = r->v[i];
	while (next_word(&at, name))
		if (!has_rule(&out, name))
			(void)seccomp_rules_add(&out, name, missing);
	seccomp_rules_done(r);
	*r = out;
}

void seccomp_rules_first(struct seccomp_rules *r)
{
	keep(r, false);
	add_late(r, ALLOW);
}

void seccomp_rules_last(struct seccomp_rules *r)
{
	const uint32_t missing = r->otherwise;

	keep(r, true);
	r->otherwise = r->foreign = ALLOW;
	add_late(r, missing);
}
