/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_parts: what the files of enroot share. Nobody else includes this. */
#pragma once

#include "enroot.h"
#include "enroot_script.h"
#include "layers.h"
#include "seccomp.h"

/* ---- enroot_conf.c ---- */

const char *enroot_setting(const char *name); /* "" when it is not set */
/* The paths of a directory's files that end in suffix, sorted; none if there is no such directory, or it may not be looked into
 * because it is for others. */
int enroot_files(const char *dir, const char *suffix, struct strv *out, struct err *e);
/* Expands one word as `eval echo` does: removes quotes, replaces ~ and variables. False: it takes a shell to expand it. */
bool enroot_expand(const char *word, struct buf *out);

/* ---- enroot_bash.c ---- */

const char *enroot_find_bash(void); /* NULL: there is none */
/* Runs bash -c SCRIPT with arguments $1... in cwd (NULL: here); its output goes to `out` (NULL: to standard error). */
int enroot_bash(const char *script, const char *const *args, const char *cwd, struct buf *out,
	struct err *e);

/* ---- enroot_shell.c ---- */

/* Starts a bash that sources the script with these words as its arguments; then waits for calls. It writes to the scratch
 * tmpfs, so that has to be there. */
int enroot_shell_begin(struct enroot_shell *s, const char *script, const struct strv *words,
	const char *cwd, struct err *e);
/* Calls a function, if it is defined, and takes over what is exported after it. "rc" is not called: its text is the output.
 * out NULL: what it prints is not used. */
int enroot_shell_call(struct enroot_shell *s, const char *name, struct buf *out, struct err *e);
/* Lets it come to its end; the environment is what it was before. Nothing where none was begun. */
int enroot_shell_end(struct enroot_shell *s, struct err *e);
void enroot_shell_done(struct enroot_shell *s);

/* ---- enroot_box.c ---- */

#define ENROOT_REFERENCE ".sbx-image" /* tells its image */
#define ENROOT_OWN_IMAGE "image.sqsh" /* of a container: its image, by a name that is its own */

struct enroot_box {
	char *path;  /* of the container's directory; NULL: started from an image */
	char *image; /* the squashfs file; NULL: the directory is the root */
};
/* The container of that name or, if there is none, the image file of that path. */
int enroot_find(const char *target, struct enroot_box *out, struct err *e);
int enroot_find_container(const char *name, struct enroot_box *out, struct err *e);
void enroot_box_done(struct enroot_box *b);
#define auto_enroot_box __attribute__((cleanup(enroot_box_done)))
bool enroot_is_image(const char *path);
/* A directory beside the containers in which to make a container's image. The process that made it removes it or, if that was
 * killed, a later one. The caller frees the path. */
char *enroot_scratch(const char *name, struct err *e);
/* enroot_create() of a file in such a directory, which becomes the container's own. */
int enroot_create_own(const char *image, const char *name, bool force, struct err *e);

/* ---- enroot_root.c ---- */

/* What begins a container's process. */
struct enroot_begun {
	struct lease lease; /* only the mounts are left in it */
	struct strv lower;
	int said; /* the pipe on which enroot_keep() tells the keeper the mount namespace */
	int root; /* a mount of the root that another start writes to; -1: there is none */
};
/* Leases the image and leaves the lease to a keeper, which also clears up after a writable start. To be called before any
 * namespace is entered. */
int enroot_lease(const struct store *s, const struct enroot_box *b, bool writable,
	struct enroot_begun *out, struct err *e);
void enroot_begun_done(struct enroot_begun *b);
#define auto_enroot_begun __attribute__((cleanup(enroot_begun_done)))
/* Enters the user namespace of the lease and makes one below it, in which this process is `uid`; unshares `flags` as well. */
int enroot_unshare(const struct enroot_begun *b, uint64_t flags, uid_t uid, gid_t gid, struct err *e);
/* This process's number as the machine's /proc has it, also where it is number 1 of a namespace. */
pid_t enroot_pid(void);
/* Called in the container's mount namespace: tells the keeper that it lives as long as that. */
void enroot_keep(struct enroot_begun *b);
/* A start that writes to a container has its root to itself until the command begins: all of them make the same mount points
 * and files. The descriptor holds the lock. */
int enroot_lock(const struct enroot_box *b, struct err *e);
/* Mounts the root at "root" in the stage, the working directory; "t" in there is a scratch tmpfs then. */
int enroot_root(const struct store *s, const struct enroot_box *b, struct enroot_begun *lease,
	bool writable, struct err *e);

/* ---- enroot_share.c ---- */

/* A mount of the root of the process whose directory in /proc this is, if that is an overlay; -1. */
int enroot_root_of(int proc);

/* ---- enroot_fstab.c ---- */

struct enroot_mount {
	char *src, *dst, *type, *data; /* data: options of the file system */
	uint64_t attr;                 /* MOUNT_ATTR_* */
	uint64_t propagation;          /* MS_SLAVE and its like, or 0 */
	enum { X_CREATE_NO, X_CREATE_DIR, X_CREATE_FILE, X_CREATE_AUTO } create;
	bool bind, recursive, detach, move, remount, nofail, silent;
	int pass; /* -1: mounted before the hooks; 0: after them; others: never */
};
/* Parses one line; false: it is empty. Pure. */
bool enroot_mount_parse(const char *line, char separator, struct enroot_mount *out);
void enroot_mount_done(struct enroot_mount *m);
/* As a field of a line: blanks, colons and backslashes in octal. Pure. */
void enroot_mount_word(struct buf *line, const char *path);
/* Mounts the lines of the text that have this pass, or ENROOT_ALL. cwd: the directory that relative sources start from. */
#define ENROOT_ALL 1000
int enroot_mount_all(
	const char *text, char separator, int pass, int root, const char *cwd, struct err *e);

/* ---- enroot_env.c ---- */

/* A regular file of moderate size below root, or NULL. The caller frees. */
char *enroot_read_in(int root, const char *path);
/* Replaces what was in the file; makes missing directories. */
int enroot_write_in(int root, const char *path, const char *text, struct err *e);
/* The text with each ${NAME} replaced by the environment's value. The caller frees. */
char *enroot_with_variables(const char *text);
/* Lines of K=V, as a script or hook says them: variables in them are not replaced. */
void enroot_env_text(const char *text, struct strv *env);
int enroot_env(int root, struct enroot_script *script, const struct strv *words, struct strv *env,
	struct err *e);
/* Sets HOME, USER, LOGNAME, SHELL and, where there is none, PATH; a user whom the image does not know is added to it with a
 * name and a home. */
void enroot_home(int root, uid_t uid, gid_t gid, struct strv *env);

/* ---- enroot_start.c ---- */

/* A start in the making. */
struct enroot_run {
	const struct store *store;
	const struct enroot_start *ask;
	struct enroot_box box;
	struct enroot_script script;
	struct enroot_begun begun;
	struct seccomp_filter filter;
	struct strv env;
	uid_t uid; /* inside */
	gid_t gid;
	mode_t umask;
	char *cwd;
	char *cgroups; /* enroot_cgroup_lines(), made before a control group namespace hides what they need */
	int root;      /* of the container; -1 */
	int lock;      /* enroot_lock(), or -1 */
	int report;    /* where errors are told, which stays open until the exec; or -1 */
	char *rc;      /* the text of a command script that is not the image's; NULL */
	char *workdir; /* of the image's config; NULL */
	struct strv entrypoint, cmd; /* likewise */
	bool writable, own_rc;
};

/* ---- enroot_mounts.c ---- */

int enroot_mount_system(struct enroot_run *s, struct err *e);
/* /proc and /sys of the container's own namespaces, over those that a 10-system.fstab of the machine's mounts. */
void enroot_mount_own(struct enroot_run *s);
/* The lines of all files, with the variables that are set when this is called. */
int enroot_fstab(const struct enroot_run *s, struct buf *out, struct err *e);
int enroot_mount_files(struct enroot_run *s, const char *lines, int pass, struct err *e); /* those of this pass */
int enroot_mount_words(struct enroot_run *s, struct err *e); /* --mount */
int enroot_open_root(struct enroot_run *s, struct err *e); /* enroot_start.c. What is mounted at "root" by now */
int enroot_mount_home(struct enroot_run *s, struct err *e);
int enroot_mount_cgroups(struct enroot_run *s, struct err *e); /* the caller's own, in place of the machine's */
/* The lines for that, from the texts of /proc/self/cgroup and mountinfo. step: of the job above a job step. Pure. */
char *enroot_cgroup_lines(const char *cgroup, const char *mountinfo, bool step);

/* enroot_procs.c. What the root of a container, or of an image, at this path is called as the source of a mount in the mount
 * namespace of that number. */
char *enroot_source(const struct store *s, const char *path, uint64_t ns);
/* Whether a start of the container put the process there, and not the process itself. */
bool enroot_was_put(const struct store *s, pid_t pid, const char *container);
/* The directory in /proc of a process of the caller's whose root is that container's, by a start that writes to it; -1: there is
 * none. */
#define ENROOT_WRITTEN "c" /* its directory, where the overlay is mounted */
int enroot_writer(const char *path);

/* ---- enroot_hooks.c ---- */

/* Sets ENROOT_PID, _ROOTFS, _ENVIRON and _MOUNTS, which files, scripts and hooks refer to. */
void enroot_tell_places(const struct enroot_run *s);
int enroot_run_hooks(struct enroot_run *s, struct err *e);
void enroot_tell_apt(const struct enroot_run *s);
void enroot_localtime(const struct enroot_run *s); /* the machine's */

/* ---- enroot_exec.c ---- */

/* Runs work() in a child, the first process of its pid namespace, where it is to become a command; waits, and passes signals
 * on. If work() returns, its error is the caller's, by `report`, which it must not close. *its: a descriptor that is the child's alone, from then on; or NULL.
 * *status: that of wait(). */
int enroot_child(int (*work)(void *arg, int report, struct err *e), void *arg, int *its,
	int *status, struct err *e);

/* ---- enroot_image.c ---- */

/* A new file in the making. Until it is complete it has no name (O_TMPFILE), so that a killed process leaves nothing behind;
 * or a temporary one, where the file system cannot do that. */
struct enroot_made {
	char *path, *part;
	int fd;
	bool nameless;
};
/* What a new file is called until it is complete: beside it, and short enough. The caller frees. */
char *enroot_part(const char *path);
int enroot_made_begin(const char *path, bool force, struct enroot_made *m, struct err *e);
int enroot_made_end(struct enroot_made *m, bool force, struct err *e);
void enroot_made_done(struct enroot_made *m);
#define auto_enroot_made __attribute__((cleanup(enroot_made_done)))
/* Write a squashfs file of the archive that comes from `in`, or of the files below dir, to `out`. */
int enroot_of_archive(int in, int out, struct meter *meter, struct err *e);
int enroot_of_directory(int dir, int out, struct meter *meter, struct err *e);
/* Begins to write a tar of the files below dir, to be read from *from; the end returns `result`, which is the reader's, unless
 * the tar could not be made: then that is the error. */
pid_t enroot_tar_begin(int dir, int *from, struct err *e);
int enroot_tar_end(pid_t pid, int result, struct err *e);
/* Runs work() in a child. A signal that would end this process ends the child instead and is left in *caught, so that the
 * caller can clear up. */
int enroot_work(int (*work)(void *arg, struct err *e), void *arg, int *caught, struct err *e);

/* ---- enroot_engines.c ---- */

struct image;
/* Whether `in` is an archive as docker save writes it. Rewinds. */
bool enroot_is_engines(int in);
/* Docker's name of an architecture that is given by uname's name or docker's; NULL: this machine's. The caller frees. */
char *enroot_architecture(const char *asked);
/* Loads an engine's archive into the store. *out: its only image, or the one for `arch`. */
int enroot_take_image(const struct store *s, int in, const char *arch, struct image *out,
	struct meter *meter, struct err *e);
/* Writes a squashfs file of an image. For this it makes a container of that name, which the caller removes by
 * enroot_flatten_undo() in any case. */
int enroot_flatten(const struct store *s, const struct image *image, const char *container,
	const char *uri, int out, struct meter *meter, struct err *e);
void enroot_flatten_undo(const struct store *s, const char *container);

/* ---- enroot_programs.c ---- */

/* Another engine's program in PATH. NULL: there is none, or it is a link to this program. The caller frees. */
char *enroot_program(const char *name);
bool enroot_program_has(const char *program, const char *image);
int enroot_program_pull(const char *program, const char *image, struct err *e);
char *enroot_program_says(const char *program, const char *const *words); /* NULL: it failed; the caller frees */
/* Starts the engine's `save` of an image, to be read from *from; its pid, or -1. */
pid_t enroot_save_begin(const char *program, const char *image, int *from, struct err *e);
int enroot_save_end(pid_t pid, const char *program, struct err *e);
