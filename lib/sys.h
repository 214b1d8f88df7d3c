/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys: system calls that not every libc we build with wraps (glibc 2.35 and later, musl), reads and writes
 * that are repeated after EINTR, and small functions around these. Unless they say otherwise they return
 * -1 and errno on failure.
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
struct perf_event_attr;

struct strv;

int sys_pipe(int *from, int *to); /* close-on-exec */
/* The same with a capacity of 1 MB, if the user may: its reader is woken less often. */
int sys_wide_pipe(int *from, int *to);

/* <linux/mount.h> and <sys/mount.h> cannot both be included; these are all we need of the latter. */
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
/* chdir(), but not through links of /proc, and only to what is below the root (else EXDEV, and we are in it). */
int sys_enter(const char *path);
pid_t sys_clone3(struct clone_args *args);
/* fork() that gives the parent a pidfd as well, or fails as a whole. For processes with one thread. */
pid_t sys_fork(int *pidfd);
/* For functions that end a process on another stack, which the sanitizer does not know and would complain of. */
#define SYS_OTHER_STACK __attribute__((no_sanitize("address")))
/* A child that runs in our memory, on a stack of its own, until it execs or ends: copying a process and destroying the copy takes
 * longer than most children do. Without CLONE_VFORK the caller runs beside the child, and only one of them may touch what
 * both use, such as errno and the heap. shared, only with CLONE_VFORK: is 1 until the child has left our memory, for which
 * the kernel sees, for other threads to look at; or NULL. pidfd: as above, or NULL. */
pid_t sys_clone_vm(int (*run)(void *), void *arg, int flags, int *pidfd, int *shared);
/* Waits until a child has left our memory; true: it has not, within ns. */
bool sys_still_shared(const int *shared, int64_t ns);
int sys_pidfd_open(pid_t pid);
int sys_pidfd_open_thread(pid_t tid); /* EINVAL: kernels before 6.9 have none */
/* A number that no other process gets until the next boot; 0: kernels before 6.9 have none. */
uint64_t sys_pidfd_serial(int pidfd);
/* On whatever processor that thread runs. Whether an ordinary user may depends on the sysctl kernel.perf_event_paranoid. */
int sys_perf_event(const struct perf_event_attr *what, pid_t thread);
/* What tells our pid namespace from others that are there; 0: /proc does not say. */
uint64_t sys_pid_namespace(void);
int sys_pidfd_kill(int pidfd, int signo);
/* Signals the process group that the process leads; fails before Linux 6.9. */
int sys_pidfd_kill_group(int pidfd, int signo);
int sys_setns(int fd, int type);
int sys_renameat(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags);
/* Adds the names in a directory, except . and .., in no particular order. */
int sys_names(int dir, struct strv *out);
ssize_t sys_getdents(int dir, void *entries, size_t size); /* struct dirent, one after the other */
/* The id of the mount that `path` is on, as in mountinfo; false: the kernel does not tell. */
bool sys_mount_id(const char *path, uint64_t *id);
/* When the file was created or, if the file system does not tell, last changed. */
int sys_birth(int fd, struct timespec *out);
/* The inode and ctime of a file, without following links, and never from a cache of NFS. */
int sys_changed(int dir, const char *path, uint64_t *inode, struct timespec *when);
int sys_close_range(unsigned int first, unsigned int last, unsigned int flags);

/* Opens a file for writing, new or emptied. Without O_TRUNC: ext4 writes a file that was truncated, even an empty one, to the disk
 * when it is closed, and removing it then waits for that. */
int sys_open_empty(int dir, const char *name, mode_t mode);

ssize_t sys_read(int fd, void *to, size_t n);
/* Waits where there is nothing yet, also if others have made the pipe so that it does not. */
ssize_t sys_read_wait(int fd, void *to, size_t n);
ssize_t sys_sendfile(int to, int from, size_t n); /* at the current position of from */
ssize_t sys_splice(int from, int to, size_t n);
/* Waits where there is no room, as for others who share a pipe that was made not to. */
int sys_write_all(int fd, const void *from, size_t n);
/* Writes a short text to dir/path in one write. */
int sys_put(int dir, const char *path, const char *text);
/* Reads at most n - 1 bytes of dir/path into `to` and ends them with a 0; -1 or the length. */
ssize_t sys_get(int dir, const char *path, char *to, size_t n);
/* The same of a list of numbers: without the last one if that may not have come whole. */
ssize_t sys_get_numbers(int dir, const char *path, char *to, size_t n);
/* What /proc/PID/status says, open at `fd`, or at dir/path, without the numbers of groups: these can be 65536, and stand before
 * most of what is asked for. Without them it is shorter than 4096 bytes, save for the lists of processors behind all that. From
 * the beginning, at most n - 1 bytes and a 0, wherever `fd` is; -1 or the length. */
ssize_t sys_status(int fd, char *to, size_t n);
ssize_t sys_get_status(int dir, const char *path, char *to, size_t n);
/* The path of this program, or of what has taken its place since it began, as after an update; -1 with errno. */
int sys_own_path(char *to, size_t n);
/* The content of a text file, also of one in /proc, which has no size; at most the first SYS_TEXT_MAX bytes. NULL with errno; the
 * caller frees. */
#define SYS_TEXT_MAX (4u << 20)
char *sys_text(const char *path);
/* The same of a file that need not exist: *text is NULL if it does not, or is where we may not look. If it exists but cannot be
 * read that is an error, lest its content be silently ignored. */
int sys_text_maybe(const char *path, char **text, struct err *e);
char *sys_text_in(int fd); /* likewise, what can still be read from fd */
/* Closes every descriptor but these, of which it ignores negative ones; sorts fds. */
void sys_keep_only(int *fds, size_t n);
int64_t sys_now_ns(void);                  /* monotonic */
int64_t sys_after(int64_t at, int64_t ns); /* so much later; the last moment there is, if that is beyond it */
int sys_poll_ms(int64_t deadline_ns); /* the timeout for poll() to wait until then; 0: no deadline */
/* Field 22 of /proc/PID/stat, which together with the pid identifies a process. 0: no such process. */
uint64_t sys_start_time(pid_t pid);
uint64_t sys_start_time_at(int proc, pid_t pid); /* the same in another procfs, with the pid that it shows */
/* sys_hide_args() blanks this process's command line, which main() must have passed to sys_args(), for a process that others can
 * see in a container. */
void sys_args(int argc, char **argv);
void sys_hide_args(void);
/* Ends this process by that signal, even if it is blocked or ignored. */
void sys_die_of(int signo);
/* Has the scheduler run a process (0: the caller) soon after it wakes up, on kernels with slices (6.12). Its children do not inherit
 * it. */
void sys_short_slice(pid_t pid);
/* Resets all signals to their default action, even those that libc reserves and would not change. */
void sys_default_signals(void);
/* The same, but ignores those that would end a process that serves others: SIGPIPE, SIGHUP and SIGXFSZ. */
void sys_server_signals(void);
/* Raises the soft limit to the hard one: RLIMIT_NOFILE, for a process with many descriptors. */
void sys_raise_limit(int resource);
/* Tunes malloc() for a process with many threads that each need little, and with large blocks that come and go. */
void sys_heap_of_blocks(void);
void sys_trim_heap(void); /* gives free memory back to the kernel */
/* Makes the pages of p to p + n present; -1: this kernel cannot. */
int sys_populate(void *p, size_t n);
/* Drops the pages of the program's code and constants from this process, which will sleep for long, so that they do not count as
 * its memory. They come back from the page cache when they are touched. */
void sys_trim(void);
/* Kills all children of this process, which must be a subreaper, so that it also gets their children; except `but`. proc: a procfs
 * that shows them (AT_FDCWD: /proc). One that does not end is left after a while; soon, where it is held. */
void sys_kill_children(int proc, pid_t but);
/* Whether a process that was killed is held by who traces it: on its way out, or until he waits for it. path: to its directory
 * in a procfs, from dir. */
bool sys_is_held(int dir, const char *path);
/* How long a tracer has for that. What is lost then is how much memory it had at most. */
#define SYS_HELD_NS 100000000
/* How a process ended for which its parent cannot wait, as somebody traces it; as waitpid() tells it. Not known: a SIGKILL. */
int sys_exit_status(pid_t pid);
/* The user namespace that owns a namespace, and the one above a user namespace; to close. -1: errno, EPERM if it is not ours to
 * know. */
int sys_userns_of(int ns);
int sys_userns_above(int userns);
pid_t sys_first_child(int proc, pid_t pid); /* proc: a procfs, or AT_FDCWD; 0: none */
/* Opens a namespace of a process by its pidfd; -1 before Linux 6.11, where /proc/PID/ns has it, which takes four times as long. */
enum sys_ns { SYS_NS_CGROUP = 1, SYS_NS_MNT = 3 };
int sys_ns(int pidfd, enum sys_ns which);
/* A mount namespace's number, which no other gets until the next boot; 0: kernels before 6.11 have none. */
uint64_t sys_mounts_number(int ns);
/* The user namespace that owns the mount namespace of a process; -1 with ESRCH: it ends. pidfd: of the process, or -1. */
int sys_owner_userns(int pidfd, pid_t pid);
