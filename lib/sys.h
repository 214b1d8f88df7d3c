/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys: system calls which libc does not wrap everywhere we build (glibc 2.35 and later), and
 * the EINTR-safe reads and writes that everything else uses. All return as the kernel does
 * through libc: -1 and errno.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct strv;

int sys_pipe(int *from, int *to); /* closed by exec */
/* The same of 1 MB, if the user may: who reads it is woken less often. */
int sys_wide_pipe(int *from, int *to);

/* <linux/mount.h> and <sys/mount.h> cannot both be included; these are all we need of it. */
int sys_mount(const char *src, const char *dst, const char *type, unsigned long flags, const char *data);
int sys_umount2(const char *dst, int flags);
#define SYS_MS_NOSUID  2UL
#define SYS_MS_NOEXEC  8UL
#define SYS_MS_BIND    4096UL
#define SYS_MS_REC     16384UL
#define SYS_MS_PRIVATE (1UL << 18)
#define SYS_MS_SLAVE   (1UL << 19)
#define SYS_MNT_DETACH 2

int sys_open_tree(int dir, const char *path, unsigned int flags);
/* Attaches the detached mount `mount` where the O_PATH descriptor `target` is. */
int sys_attach(int mount, int target);
int sys_attach_at(int mount, const char *path); /* the same by name */
int sys_fsopen(const char *type);
int sys_fsconfig_string(int fs, const char *key, const char *value);
int sys_fsconfig_flag(int fs, const char *key);
int sys_fsmount(int fs, unsigned int attr); /* creates the superblock as well */
int sys_mount_setattr(int fd, unsigned int flags, const struct mount_attr *attr);
int sys_pivot_root(const char *new_root, const char *put_old);
int sys_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve);
pid_t sys_clone3(struct clone_args *args);
/* fork() which gives the parent a pidfd as well, or fails as a whole. For processes of one thread. */
pid_t sys_fork(int *pidfd);
/* Of functions that end a process there: a sanitizer complains of a stack that it does not know. */
#define SYS_OTHER_STACK __attribute__((no_sanitize("address")))
/* A child that runs in our memory until it execs or ends, on a stack of its own: to copy a process and to take the copy
 * down costs more than most of what a child is for. Who does not say CLONE_VFORK runs beside it, and nothing but one
 * of the two may touch what both use, errno and the heap among it. `shared`, only with CLONE_VFORK, is for others who are in
 * that memory: 1 until the child has left, for which nobody has to be willing. pidfd: as above, or NULL. */
pid_t sys_clone_vm(int (*run)(void *), void *arg, int flags, int *pidfd, int *shared);
/* Waits until a child has left our memory; true: it has not in that time. */
bool sys_still_shared(const int *shared, int64_t ns);
int sys_pidfd_open(pid_t pid);
/* A number that no other process gets as long as the machine runs; 0 of kernels before 6.9, which count none. */
uint64_t sys_pidfd_serial(int pidfd);
int sys_pidfd_kill(int pidfd, int signo);
/* The process group that it leads; a kernel before 6.9 refuses it. */
int sys_pidfd_kill_group(int pidfd, int signo);
int sys_setns(int fd, int type);
int sys_renameat(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags);
/* Adds what is in a directory, but . and .., in no order. */
int sys_names(int dir, struct strv *out);
ssize_t sys_getdents(int dir, void *entries, size_t size); /* struct dirent, one after the other */
/* The id of the mount which `path` lies on, as mountinfo counts; false: the kernel does not tell. */
bool sys_mount_id(const char *path, uint64_t *id);
/* When the file was made or, where the file system does not know, last changed. */
int sys_birth(int fd, struct timespec *out);
/* Which file it is, links not followed, and when anything about it last changed: never from a cache of NFS. */
int sys_changed(int dir, const char *path, uint64_t *inode, struct timespec *when);
int sys_close_range(unsigned int first, unsigned int last, unsigned int flags);

/* A file of ours for writing, new or emptied. Not by O_TRUNC: a file that was truncated, even when it was empty, is written
 * to the disk by ext4 when it is closed, and its removal then waits for that. */
int sys_open_empty(int dir, const char *name, mode_t mode);

ssize_t sys_read(int fd, void *to, size_t n);
ssize_t sys_sendfile(int to, int from, size_t n); /* from where it stands */
ssize_t sys_splice(int from, int to, size_t n);
int sys_write_all(int fd, const void *from, size_t n);
/* Writes a short text to dir/path in one write. */
int sys_put(int dir, const char *path, const char *text);
/* Reads at most n - 1 bytes of dir/path into `to` and ends them with a 0; -1 or the length. */
ssize_t sys_get(int dir, const char *path, char *to, size_t n);
/* All of a text file, which may be one of /proc that has no size; of more than SYS_TEXT_MAX bytes the beginning.
 * NULL with errno; the caller frees. */
#define SYS_TEXT_MAX (4u << 20)
char *sys_text(const char *path);
/* Of a file that need not be there: NULL where it is not, or lies where we may not look. One that is there and cannot be read
 * is an error which names it: what it says is not to be passed over in silence. */
int sys_text_maybe(const char *path, char **text, struct err *e);
char *sys_text_in(int fd); /* what can still be read there, likewise */
/* Closes every descriptor but these (negative ones are passed over); sorts them. */
void sys_keep_only(int *fds, size_t n);
int64_t sys_now_ns(void);             /* monotonic */
int sys_poll_ms(int64_t deadline_ns); /* what poll() is to wait until then; 0: for ever */
/* Field 22 of /proc/PID/stat: with the number it names a process for good. 0: no such process. */
uint64_t sys_start_time(pid_t pid);
uint64_t sys_start_time_at(int proc, pid_t pid); /* in some procfs, by the number that it shows */
/* Blanks this process's command line, which main() has told, for one which others may look at in a container. */
void sys_args(int argc, char **argv);
void sys_hide_args(void);
/* As if that signal had ended us, whether it is blocked or ignored. */
void sys_die_of(int signo);
/* A process (0: the caller) is to be served soon after waking up, by kernels which know of slices (6.12); those that it forks
 * have it not. */
void sys_short_slice(pid_t pid);
/* All signals do what they do by default: those too which libc keeps to itself, and would not change. */
void sys_default_signals(void);
/* But for those that would end a process of ours which serves others: the end of a reader, of a terminal, a file
 * that may not grow. */
void sys_server_signals(void);
/* As far as this process may: RLIMIT_NOFILE for one with a descriptor for each of many things. */
void sys_raise_limit(int resource);
/* For a process with many threads of which each needs little, and which takes and gives back large blocks. */
void sys_heap_of_blocks(void);
void sys_trim_heap(void); /* what was given back goes to the kernel */
/* The pages that p to p + n touch are there from now on; -1: this kernel cannot. */
int sys_populate(void *p, size_t n);
/* Gives the pages of the program's code and constants back: of a process which will sleep for long, so that it
 * counts for what it needs. They come back from the page cache when they are touched. */
void sys_trim(void);
/* Kills all children of this process, and theirs as they become its own: it is a subreaper, and `proc` shows it
 * (AT_FDCWD: /proc). `but` stays, if that is one. */
void sys_kill_children(int proc, pid_t but);
/* A namespace of a process, by its pidfd: Linux 6.11. Else -1, and there is /proc/PID/ns, which takes four times as long. */
enum sys_ns { SYS_NS_CGROUP = 1, SYS_NS_MNT = 3 };
int sys_ns(int pidfd, enum sys_ns which);
/* The user namespace which owns the mount namespace of a process. pidfd: it, or -1. */
int sys_owner_userns(int pidfd, pid_t pid);
