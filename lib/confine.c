/* SPDX-License-Identifier: Apache-2.0 */
#include "confine.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	R = 1 << CONFINE_READER,
	C = 1 << CONFINE_CONVERT,
	S = 1 << CONFINE_SERVER,
	U = 1 << CONFINE_UNPACK,
	I = 1 << CONFINE_IMPORT,
	Q = 1 << CONFINE_QUOTA,
	W = 1 << CONFINE_WAIT,
	ALL = R | C | S | U | I | Q
};

struct row {
	int nr;
	unsigned who;
};

/* clang-format off */
static const struct row allowed[] = {
	{ SYS_read,             ALL | W },      { SYS_write,            ALL },
	{ SYS_pread64,          ALL },          { SYS_futex,            ALL },
	{ SYS_pwrite64,         C | S | U | I | Q },{ SYS_lseek,            C | U | I | Q },
	{ SYS_close,            C | S | U | I | Q },{ SYS_munmap,           ALL },
	{ SYS_brk,              ALL },          { SYS_mremap,           ALL },
	{ SYS_madvise,          ALL },          { SYS_fstat,            C | S | U | I | Q },
	{ SYS_newfstatat,       C | S | U | I | Q },{ SYS_fcntl,            C | S | U | I | Q },
	{ SYS_exit,             ALL },          { SYS_exit_group,       ALL | W },
	{ SYS_rt_sigreturn,     ALL },          { SYS_rt_sigprocmask,   C | S | U | I },
	{ SYS_clock_gettime,    ALL },          { SYS_clock_nanosleep,  C | S | U | I },
	{ SYS_nanosleep,        C | S | U | I },{ SYS_restart_syscall,  ALL },
	{ SYS_getpid,           C | S | U | I },{ SYS_gettid,           C | S | U | I },
	{ SYS_tgkill,           C | S | U | I },{ SYS_getrandom,        C | S | U | I },
	{ SYS_ppoll,            C | S | U | I },{ SYS_ftruncate,        C | S | U | I | Q },
	{ SYS_sched_yield,      C | S },        { SYS_sched_getaffinity,C | S | U | I },
	{ SYS_set_robust_list,  C | S | U | I },    { SYS_rt_sigaction,     C | S | U | I },
	{ SYS_prlimit64,        C | S | I },    { SYS_sysinfo, C | S | U | I },
	{ SYS_membarrier,       C | S },
#ifdef SYS_rseq
	{ SYS_rseq,             C | S | U | I },
#endif
#ifdef SYS_poll
	{ SYS_poll,             C | S | U | I },
#endif

	/* connections that are there */
	{ SYS_recvmsg,          S | U },        { SYS_sendmsg,          S | U },
	{ SYS_sendto,           S | U },        { SYS_recvfrom,         S | U },
	{ SYS_accept4,          S },            { SYS_getsockopt,       S },

	/* files by name: the server's root holds nothing */
	{ SYS_openat,           S | U | I | Q },    { SYS_unlinkat,         S | U | I | Q },
	{ SYS_mkdirat,          S | U | I | Q },    { SYS_flock,            S | I },
#ifdef SYS_open
	{ SYS_open,             S | U | I },    { SYS_mkdir,            S | U | I },
	{ SYS_rmdir,            S | I },        { SYS_unlink,           I },
	{ SYS_readlink,         U | I },        { SYS_access,           U | I },
	{ SYS_stat,             U | I },        { SYS_lstat,            U | I },
	{ SYS_rename,           I },            { SYS_link,             I },
	{ SYS_symlink,          U | I },        { SYS_chmod,            U | I },
#endif
	{ SYS_openat2,          U | I },        { SYS_getdents64,       U | I | Q },
	{ SYS_readlinkat,       U | I | Q },        { SYS_faccessat,        U | I },
	{ SYS_faccessat2,       U | I },        { SYS_statx,            U | I },
	{ SYS_renameat,         U | I },        { SYS_renameat2,        U | I | Q },
	{ SYS_linkat,           U | I | Q },        { SYS_symlinkat,        U | I | Q },
	{ SYS_mknodat,          U | Q },            { SYS_fchmod,           U | I | Q },
	{ SYS_fchmodat,         U | I | Q },        { SYS_fchown,           U | Q },
	{ SYS_fchownat,         U | Q },            { SYS_utimensat,        U | I | Q },
	{ SYS_setxattr,         U },            { SYS_lsetxattr,        U },
	{ SYS_fsetxattr,        U | I | Q },        { SYS_removexattr,      U },
	{ SYS_lremovexattr,     U },            { SYS_fremovexattr,     U | Q },
	{ SYS_fgetxattr,        U | I | Q },        { SYS_getxattr,         U | I },
	{ SYS_lgetxattr,        U | I },        { SYS_flistxattr, U | I | Q },
	{ SYS_listxattr, U | I },            { SYS_llistxattr, U | I },
	{ SYS_fsync, C | U | I | Q },        { SYS_fdatasync,        U | I | Q },
	{ SYS_fadvise64,        U },            { SYS_sync_file_range,  C | I },
	{ SYS_fallocate,        U | I | Q },        { SYS_copy_file_range,  U | I },
	{ SYS_sendfile,         U | I },        { SYS_splice,           U | I },
	{ SYS_umask,            U | I },        { SYS_fstatfs,          U | I | Q },
	{ SYS_statfs,           U | I },        { SYS_getcwd,           U | I },
	{ SYS_fchdir,           U | I },        { SYS_chdir,            U | I },
	{ SYS_readv,            U | I },        { SYS_writev,           ALL },
	{ SYS_dup,              U | I },        { SYS_dup3,             I },
	{ SYS_getuid,           U | I },        { SYS_geteuid,          U | I },
	{ SYS_getgid,           U | I },        { SYS_getegid,          U | I },
	{ SYS_getppid,          U | I },        { SYS_close_range,      U | I },
	{ SYS_memfd_create,     S | I },        { SYS_eventfd2,         S | I },

	/* to mount for clients */
	{ SYS_fsopen,           S },            { SYS_fsconfig,         S },
	{ SYS_fsmount,          S },            { SYS_move_mount,       S },
	{ SYS_open_tree, S | U },            { SYS_umount2,          S },

	/* the helper program, which confines itself further */
	{ SYS_execve,           I },            { SYS_wait4,            I },
	{ SYS_execveat,         W },
	{ SYS_kill,             I },            { SYS_pipe2,            I },
	{ SYS_set_tid_address,  I },            { SYS_seccomp,          I },
	{ SYS_prctl,            I },            { SYS_mmap,             I },
	{ SYS_mprotect,         I },            { SYS_clone,            I },
	{ SYS_uname,            I },            { SYS_getrlimit,        I },
	{ SYS_setpgid,          I },            { SYS_getpgid,          I },
	{ SYS_sched_getparam,   I },            { SYS_sched_getscheduler, I },
	{ SYS_landlock_create_ruleset, I },     { SYS_landlock_add_rule, I },
	{ SYS_landlock_restrict_self, I },
#ifdef SYS_arch_prctl
	{ SYS_arch_prctl,       I },            { SYS_fork,             I },
	{ SYS_vfork,            I },            { SYS_dup2,             I },
	{ SYS_pipe,             I },            { SYS_getpgrp,          I },
#endif
};

/* What a library asks for and does without. */
static const struct { int nr; int error; } refused[] = {
	{ SYS_clone3,   ENOSYS }, /* threads are made by clone() then, whose flags a filter can check */
	{ SYS_openat,   ENOENT }, /* a locale, the list of processors */
	{ SYS_faccessat, ENOENT },
	{ SYS_readlinkat, ENOENT },
	{ SYS_statx,    ENOSYS },
	{ SYS_prctl,    EINVAL }, /* a name for a thread or for memory */
	{ SYS_ioctl,    ENOTTY },
#ifdef SYS_open
	{ SYS_open,     ENOENT },
	{ SYS_access,   ENOENT },
	{ SYS_readlink, ENOENT },
	{ SYS_stat,     ENOENT },
#endif
	{ SYS_sched_setaffinity, EPERM },
	{ SYS_sched_getparam,    ENOSYS },
	{ SYS_sched_getscheduler, ENOSYS },
#ifndef __SANITIZE_ADDRESS__ /* which gives each thread one and insists */
	{ SYS_sigaltstack,       ENOSYS },
#endif
	{ SYS_getcpu,            ENOSYS },
};
/* clang-format on */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the architecture of system calls has to be named here"
#endif

/* The address sanitizer maps terabytes of shadow memory, and makes system calls of its own. */
#ifdef __SANITIZE_ADDRESS__
#define OTHERWISE SECCOMP_RET_ALLOW
#else
#define OTHERWISE SECCOMP_RET_KILL_PROCESS
#endif

#define LEN_MAX 600
#define NUMBERS 512 /* of system calls, all of ours among them */

struct program {
	struct sock_filter code[LEN_MAX];
	unsigned short n;
	uint32_t what[NUMBERS]; /* the answer to each call; if an argument decides, its row of `only` */
};

/* Allowed if the bits of `mask` in an argument equal `wanted`. */
static const struct only {
	int nr;
	unsigned who;
	unsigned arg;
	uint32_t mask, wanted, otherwise;
} only[] = {
	/* Memory cannot become executable; threads can be made, but no processes. */
	{SYS_mmap, ALL & ~I, 2, PROT_EXEC, 0, OTHERWISE},
	{SYS_mprotect, ALL & ~I, 2, PROT_EXEC, 0, OTHERWISE},
	{SYS_clone, C | S | U, 0, CLONE_THREAD, CLONE_THREAD, OTHERWISE},
	/* Where a file has blocks. */
	{SYS_ioctl, Q, 1, UINT32_MAX, FS_IOC_FIEMAP, SECCOMP_RET_ERRNO | ENOTTY},
};

/* No action of seccomp's. */
#define IS_ONLY 0x00010000u

static void add(struct program *p, unsigned short code, uint32_t k, unsigned char yes, unsigned char no)
{
	assert(p->n < LEN_MAX);
	p->code[p->n++] = (struct sock_filter){.code = code, .jt = yes, .jf = no, .k = k};
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void leaf(struct program *p, uint32_t what)
{
	const struct only *o;

	if ((what & ~0xffu) != IS_ONLY) {
		add(p, BPF_RET | BPF_K, what, 0, 0);
		return;
	}
	o = &only[what & 0xff];
	load(p, offsetof(struct seccomp_data, args) + 8 * o->arg); /* its lower half */
	add(p, BPF_ALU | BPF_AND | BPF_K, o->mask, 0, 0);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, o->wanted, 0, 1);
	add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	add(p, BPF_RET | BPF_K, o->otherwise, 0, 0);
}

/* A tree over the numbers from..to-1, in which `at` (n of them) are the beginnings of runs with the same answer:
 * halves them until one is left. The kernel runs the program once for each number when it is installed. */
static void tree(struct program *p, const unsigned *at, size_t n)
{
	unsigned short fork = p->n;

	if (n == 1) {
		leaf(p, at[0] < NUMBERS ? p->what[at[0]] : OTHERWISE);
		return;
	}
	add(p, BPF_JMP | BPF_JGE | BPF_K, at[n / 2], 0, 0);
	tree(p, at, n / 2);
	assert(p->n - fork - 1 <= 255);
	p->code[fork].jt = (unsigned char)(p->n - fork - 1);
	tree(p, at + n / 2, n - n / 2);
}

static void decide(struct program *p, unsigned bit)
{
	for (size_t i = 0; i < NUMBERS; i++)
		p->what[i] = OTHERWISE;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		p->what[refused[i].nr] = SECCOMP_RET_ERRNO | (uint32_t)refused[i].error;
	for (size_t i = 0; i < ARRAY_LEN(only); i++)
		if (only[i].who & bit)
			p->what[only[i].nr] = IS_ONLY | (uint32_t)i;
	for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
		if (allowed[i].who & bit)
			p->what[allowed[i].nr] = SECCOMP_RET_ALLOW;
}

static void make(struct program *p, enum confine who)
{
	unsigned at[NUMBERS + 1] = {0};
	size_t n = 1;

	decide(p, 1u << who);
	for (unsigned i = 1; i < NUMBERS; i++)
		if (p->what[i] != p->what[i - 1])
			at[n++] = i;
	at[n++] = NUMBERS;
	load(p, offsetof(struct seccomp_data, arch));
	add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	add(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	load(p, offsetof(struct seccomp_data, nr));
	tree(p, at, n);
}

/* A client's handlers make calls that are on no list; who is asked to end ends as he would without them. */
static void forget_handlers(void)
{
	static const int handled[] = {SIGINT, SIGTERM};
	struct sigaction a;

	for (size_t i = 0; i < ARRAY_LEN(handled); i++)
		if (sigaction(handled[i], NULL, &a) == 0 && a.sa_handler != SIG_IGN)
			(void)signal(handled[i], SIG_DFL);
}

int confine(enum confine who, struct err *e)
{
	struct program p = {.n = 0};
	struct sock_fprog program = {.filter = p.code};

	make(&p, who);
	program.len = p.n;
	forget_handlers();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no new privileges");
	/* SPEC_ALLOW as for a container's filter: no mitigation that slows down every call. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) < 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_sys(e, "install a seccomp filter");
	return 0;
}

int confine_err(const char *who, int status, struct err *e)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return err_set(e, ERR_CORRUPT,
			"%s was stopped when it tried what no image needs: the image is hostile, or sbx has a bug",
			who);
	if (WIFSIGNALED(status))
		return err_set(e, ERR_SYSTEM, "%s was killed by signal %d", who, WTERMSIG(status));
	return err_set(e, ERR_SYSTEM, "%s ended with status %d", who, WEXITSTATUS(status));
}

static int grant(int rules, int at, uint64_t what, struct err *e)
{
	const struct landlock_path_beneath_attr one = {.allowed_access = what, .parent_fd = at};

	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &one, 0) < 0)
		return err_sys(e, "Landlock");
	return 0;
}

int confine_writes(const int *dirs, int n, struct err *e)
{
	/* Every right of ABI version 1 that changes something. */
	const uint64_t writes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
	                        LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
	                        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
	                        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
	                        LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
	/* Since version 2, linking and renaming files into another directory is refused unless this right is
	 * granted. */
	const uint64_t refer = 1 << 13;
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const struct landlock_ruleset_attr all = {
		.handled_access_fs = writes | (version >= 2 ? refer : 0)};
	auto_close int rules = -1, null = open("/dev/null", O_PATH | O_CLOEXEC);

	if (version < 2)
		return 0; /* version 1 allows no renames between directories at all */
	rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	if (rules < 0)
		return err_sys(e, "Landlock");
	for (int i = 0; i < n; i++)
		if (grant(rules, dirs[i], all.handled_access_fs, e) < 0)
			return -1;
	if (null >= 0 && grant(rules, null, LANDLOCK_ACCESS_FS_WRITE_FILE, e) < 0)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_landlock_restrict_self, rules, 0) < 0)
		return err_sys(e, "Landlock");
	return 0;
}
