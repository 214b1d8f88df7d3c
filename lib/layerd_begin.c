/* SPDX-License-Identifier: Apache-2.0 */
/* layerd_begin: turns a forked process into the server: its descriptors, empty root and user namespace; then confines it. */
#include "layerd_parts.h"

#include "auto.h"
#include "confine.h"
#include "sys.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define CACHE (32u << 20)

int layerd_keep_only(int *fds[], int n, struct err *e)
{
	/* The descriptors to keep become 3, 4, ...; everything above is closed. */
	for (int i = 0; i < n; i++) {
		int fd = fcntl(*fds[i], F_DUPFD_CLOEXEC, 3 + n);

		if (fd < 0)
			return err_sys(e, "descriptors");
		*fds[i] = fd;
	}
	for (int i = 0; i < n; i++) {
		if (dup3(*fds[i], 3 + i, O_CLOEXEC) < 0)
			return err_sys(e, "descriptors");
		*fds[i] = 3 + i;
	}
	if (sys_close_range((unsigned int)(3 + n), ~0u, 0) < 0)
		for (int fd = 3 + n; fd < 1024; fd++)
			(void)close(fd); /* mostly not open */
	return 0;
}

int layerd_own_process(struct err *e)
{
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* each layer and container takes some descriptors; layers.c has checked that the other limits are enough */
	static const int raised[] = {
		RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NPROC};
	sigset_t none;

	if (null < 0)
		return err_sys(e, "open /dev/null");
	(void)setsid();
	(void)prctl(PR_SET_NAME, "sbx-layers");
	/* The supervisor that starts us may be non-dumpable; then its /proc/self, with the id maps, belongs to
	 * root. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	(void)chdir("/");
	(void)umask(077);
	for (int i = 0; i < 3; i++) /* a process that reads the client's output waits until every writer has closed it */
		if (dup2(null, i) < 0)
			return err_sys(e, "descriptors");
	sigemptyset(&none);
	sys_server_signals();
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < ARRAY_LEN(raised); i++)
		sys_raise_limit(raised[i]);
	/* Many threads that each need little; blocks of 128 KiB come from the heap, not from mmap. */
	sys_heap_of_blocks();
	return 0;
}

/* Changes to an empty file system of our own, with /dev/fuse in it. Of the machine only the runtime directory can be
 * reached then, through a mount of its own, which ".." does not leave. */
static int own_root(struct server *s, const char *dir, struct err *e)
{
	int fd;

	if (unshare(CLONE_NEWNS) < 0)
		return idmap_refused("a mount namespace", e);
	if (sys_mount(NULL, "/", NULL, SYS_MS_PRIVATE | SYS_MS_REC, NULL) < 0)
		return idmap_refused("make mounts private", e);
	fd = sys_open_tree(AT_FDCWD, dir, OPEN_TREE_CLONE);
	if (fd >= 0 && dup3(fd, s->runtime, O_CLOEXEC) < 0)
		return err_sys(e, "descriptors");
	auto_close_(&fd);
	/* The directory is also the source, so that /proc/PID/mountinfo tells whose server this is. */
	if (sys_mount(dir, dir, "tmpfs", SYS_MS_NOSUID | SYS_MS_NOEXEC, "mode=700,size=1m") < 0 ||
		chdir(dir) < 0)
		return err_sys(e, "tmpfs at %s", dir);
	fd = open("fuse", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "tmpfs at %s", dir);
	(void)close(fd);
	if (sys_mount("/dev/fuse", "fuse", NULL, SYS_MS_BIND, NULL) < 0 ||
		(fd = open("fuse", O_RDWR | O_CLOEXEC)) < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	(void)close(fd);
	/* Refused if the root is the initial ramfs. Nothing here can get back to the other root either: that would
	 * take chroot, or a descriptor from outside. */
	if (sys_pivot_root(".", ".") == 0)
		(void)sys_umount2(".", SYS_MNT_DETACH);
	else if (chroot(".") < 0)
		return err_sys(e, "an empty root");
	return 0;
}

/* Of what the kernel counts for all of a user's processes, leaves a quarter to those outside of containers. */
static void leave_some(void)
{
	static const char *const all[][2] = {
		{"/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances"},
		{"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"}};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		long most = sys_get(AT_FDCWD, all[i][0], text, sizeof(text)) > 0
		                    ? strtol(text, NULL, 10)
		                    : 0;

		if (most <= 0)
			continue;
		(void)snprintf(text, sizeof(text), "%ld\n", most - most / 4); /* fits */
		(void)sys_put(AT_FDCWD, all[i][1], text); /* in some containers /proc/sys is read-only */
	}
}

int layerd_begin(struct server *s, const struct layerd_args *a, struct err *e)
{
	struct err no_seeds;
	struct stat st;

	if (s->userns >= 0) {
		if (idmap_join(s->userns, &s->ids, e) < 0)
			return -1;
	} else {
		if (idmap_enter(a->ids, &s->ids, e) < 0)
			return -1;
		s->userns = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		if (s->userns < 0)
			return idmap_refused("open /proc/self/ns/user", e);
		leave_some();
	}
	if (fstatat(s->runtime, s->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		s->sock_ino = st.st_ino;
	s->seeds = seeds_start(&s->ids, &no_seeds); /* without them containers make their own */
	/* Without FUSE there are no layers, and clients that ask for them are told; without mounts there are no
	 * containers. */
	if (own_root(s, a->empty_dir, &s->no_fuse) < 0 && s->no_fuse.kind == ERR_DENIED) {
		*e = s->no_fuse;
		return -1;
	}
	(void)prctl(PR_SET_DUMPABLE, 0);
	pthread_mutex_init(&s->lock, NULL);
	s->cache_used = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->cache = blocks_new(CACHE, s->cache_used);
	s->polls = xcalloc(POLL_CLIENTS, sizeof(*s->polls));
	s->alone_since = layerd_now_ms();
	return confine(CONFINE_SERVER, e);
}
