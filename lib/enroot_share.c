/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_share: the root of a container which another start writes to. Two overlays with one upper directory would not see what
 * the other one makes or removes once they have looked for it, so that this start takes a mount of the same overlay. */
#include "enroot_parts.h"

#include "fdmsg.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define OVERLAY 0x794c7630

/* In a child, which enters that process's namespaces. */
static void __attribute__((noreturn)) send_root(int proc, int to)
{
	int userns = openat(proc, "ns/user", O_RDONLY | O_CLOEXEC);
	int mountns = openat(proc, "ns/mnt", O_RDONLY | O_CLOEXEC), root;

	if (userns < 0 || mountns < 0 || sys_setns(userns, CLONE_NEWUSER) < 0 ||
		sys_setns(mountns, CLONE_NEWNS) < 0)
		_exit(1); /* the child */
	root = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE);
	_exit(root < 0 || fdmsg_send(to, "r", 1, &root, 1) < 0); /* the child */
}

int enroot_root_of(int proc)
{
	int pair[2], root = -1, n = 1;
	struct statfs fs;
	pid_t child;
	char word;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	child = fork();
	if (child == 0)
		send_root(proc, pair[1]);
	(void)close(pair[1]); /* the child's */
	if (child > 0 && (fdmsg_recv(pair[0], &word, 1, &root, &n, 0) != 1 || n != 1))
		root = -1;
	(void)close(pair[0]); /* only read from */
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (root >= 0 && (fstatfs(root, &fs) < 0 || fs.f_type != OVERLAY))
		(void)close(take_fd(&root)); /* of no use */
	return root;
}
