/* SPDX-License-Identifier: Apache-2.0 */
#include "hop.h"

#include "auto.h"
#include "err.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x20
#endif

extern const char hop_bytes[];
extern const unsigned long long hop_bytes_len;
__asm__(".section .rodata\n"
	".global hop_bytes\nhop_bytes:\n"
	".incbin \"" SBX_BUILD "/hop\"\n"
	"1:\n"
	".balign 8\n"
	".global hop_bytes_len\nhop_bytes_len:\n"
	".quad 1b - hop_bytes\n"
	".previous\n");

/* A root user's containers do not map the machine's root to anybody else. */
bool hop_needed(void)
{
	struct stat st;

	return stat("/proc/self/exe", &st) < 0 || st.st_uid != 0 || geteuid() == 0 ||
	       access("/proc/self/exe", W_OK) == 0;
}

int hop_open(struct err *e)
{
	auto_close int fd = -1;

	fd = memfd_create("sbx", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
	if (fd < 0 && errno == EINVAL) /* before 6.3 */
		fd = memfd_create("sbx", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 && errno == EACCES)
		return err_set(e, ERR_DENIED,
			"sbx belongs to a user of containers, and vm.memfd_noexec=2 forbids to hide it from them: sudo "
			"sysctl -w vm.memfd_noexec=1, or an sbx that belongs to root");
	if (fd < 0 || sys_write_all(fd, hop_bytes, (size_t)hop_bytes_len) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return err_sys(e, "a program in memory");
	return take_fd(&fd);
}

/* And no link of the image's to elsewhere. */
static bool is_procfs(const char *path)
{
	auto_close int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

int hop_wait(int hop)
{
	static char name[] = "sbx";
	char *const words[] = {name, NULL}, *const none[] = {NULL};

	return (int)syscall(SYS_execveat, hop, "", words, none, AT_EMPTY_PATH);
}

int hop_exec(int hop, int sock, bool first, const char *path, char *const *argv, char *const *env)
{
	char at[32], self[32];
	size_t n = 0;
	auto_free const char **all = NULL;

	while (argv[n])
		n++;
	all = xcalloc(n + 4, sizeof(*all));
	(void)snprintf(at, sizeof(at), "%d", sock); /* always fits */
	all[0] = "sbx";
	all[1] = at;
	all[2] = path;
	for (size_t i = 0; i < n; i++)
		all[3 + i] = argv[i];
	/* A user's seccomp profile may allow only execve() and kill for another call. But a path in /proc can be
	 * trusted only in a container that had no process yet: /proc may be covered by then. */
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", hop); /* always fits */
	if (first && is_procfs("/proc"))
		return execve(self, (char *const *)all, env);
	(void)syscall(SYS_execveat, hop, "", all, env, AT_EMPTY_PATH);
	if (errno == EPERM || errno == ENOSYS)
		(void)execve(self, (char *const *)all, env);
	return -1;
}
