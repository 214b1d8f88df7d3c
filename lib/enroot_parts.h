/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_parts: what the parts of enroot have of each other. Nobody else includes this. */
#pragma once

#include "enroot.h"
#include "enroot_script.h"
#include "layers.h"
#include "seccomp.h"

/* ---- enroot_conf.c ---- */

const char *enroot_setting(const char *name); /* "" when it is not set */
/* The files of a directory that end so, sorted, as paths. None when there is no such directory. */
void enroot_files(const char *dir, const char *suffix, struct strv *out);
/* One word as `eval echo` has it: quotes off, ~ and variables replaced. False: only a shell can tell. */
bool enroot_expand(const char *word, struct buf *out);
/* bash -c SCRIPT with $1... in a directory (NULL: here): its output to `out` or, NULL, to standard error. */
int enroot_bash(const char *script, const char *const *args, const char *cwd, struct buf *out,
	struct err *e);

/* ---- enroot_box.c ---- */

#define ENROOT_OWN_IMAGE "image.sqsh" /* of a container: its image, by a name that is its own */

struct enroot_box {
	char *path;  /* of the container's directory; NULL: started from an image */
	char *image; /* the squashfs file; NULL: the directory is the root */
};
/* A container, or (what is no name of one) an image file. */
int enroot_find(const char *target, struct enroot_box *out, struct err *e);
int enroot_find_container(const char *name, struct enroot_box *out, struct err *e);
void enroot_box_done(struct enroot_box *b);
#define auto_enroot_box __attribute__((cleanup(enroot_box_done)))
bool enroot_is_image(const char *path);
/* A directory beside the containers for what is to be the image of one: removed by its maker, or by who comes after he
 * was killed. The caller frees the path. */
char *enroot_scratch(const char *name, struct err *e);
/* As enroot_create(), of a file there, which becomes the container's own. */
int enroot_create_own(const char *image, const char *name, bool force, struct err *e);

/* ---- enroot_root.c ---- */

/* What begins a container's process. */
struct enroot_begun {
	struct lease lease; /* only the mounts are left in it */
	struct strv lower;
	int said; /* who tells the keeper which mount namespace: enroot_keep() */
};
/* Leases the image and leaves it to a keeper, who also clears up after a writable start. Before any namespace is entered. */
int enroot_lease(const struct store *s, const struct enroot_box *b, bool writable,
	struct enroot_begun *out, struct err *e);
void enroot_begun_done(struct enroot_begun *b);
#define auto_enroot_begun __attribute__((cleanup(enroot_begun_done)))
/* Enters the user namespace of the lease and one below it, where we are `uid`; unshares `flags` as well. */
int enroot_unshare(const struct enroot_begun *b, uint64_t flags, uid_t uid, gid_t gid, struct err *e);
/* Tells the keeper, when the mount namespace is the container's. */
void enroot_keep(struct enroot_begun *b);
/* Mounts the root at "root" of the stage, the working directory, in which "t" is a scratch tmpfs then. */
int enroot_root(const struct store *s, const struct enroot_box *b, struct enroot_begun *lease,
	bool writable, struct err *e);

/* ---- enroot_fstab.c ---- */

struct enroot_mount {
	char *src, *dst, *type, *data; /* data: options of the file system */
	uint64_t attr;                 /* MOUNT_ATTR_* */
	uint64_t propagation;          /* MS_SLAVE and its like, or 0 */
	enum { X_CREATE_NO, X_CREATE_DIR, X_CREATE_FILE, X_CREATE_AUTO } create;
	bool bind, recursive, detach, move, remount, nofail, silent;
	int pass; /* -1: before the hooks; 0: after them; no other is mounted */
};
/* One line; false: there is nothing in it. Pure. */
bool enroot_mount_parse(const char *line, char separator, struct enroot_mount *out);
void enroot_mount_done(struct enroot_mount *m);
/* Those lines of the text which have this pass. cwd: what relative sources are below. */
#define ENROOT_ALL 1000
int enroot_mount_all(
	const char *text, char separator, int pass, int root, const char *cwd, struct err *e);

/* ---- enroot_env.c ---- */

/* A regular file of moderate size below root, or NULL. The caller frees. */
char *enroot_read_in(int root, const char *path);
/* In place of what was in it; directories which are missing are made. */
int enroot_write_in(int root, const char *path, const char *text, struct err *e);
/* ${NAME} replaced by the caller's. The caller frees. */
char *enroot_with_variables(const char *text);
void enroot_env_text(const char *text, struct strv *env); /* lines of K=V */
int enroot_env(int root, const struct enroot_script *script, const struct strv *words,
	struct strv *env, struct err *e);
/* HOME, USER, LOGNAME, SHELL; a caller whom the image does not know gets a name and a home in it. */
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
	char *cgroups; /* lines; read before a control group namespace hides what they are */
	int root;      /* of the container; -1 */
	char *rc;      /* the text of a command script that is not the image's; NULL */
	char *workdir; /* of the image's config; NULL */
	struct strv entrypoint, cmd; /* likewise */
	bool writable, own_rc;
};

/* ---- enroot_mounts.c ---- */

int enroot_mount_system(struct enroot_run *s, struct err *e);
/* Lines of this pass: of files, and what the script said. */
int enroot_mount_files(struct enroot_run *s, const char *said, int pass, struct err *e);
int enroot_mount_words(struct enroot_run *s, struct err *e); /* --mount */
int enroot_mount_home(struct enroot_run *s, struct err *e);
int enroot_mount_cgroups(struct enroot_run *s, struct err *e); /* the caller's own, in place of the machine's */
/* Pure: the lines for that, of the texts of /proc/self/cgroup and mountinfo; step: of the job above a step. */
char *enroot_cgroup_lines(const char *cgroup, const char *mountinfo, bool step);

/* ---- enroot_hooks.c ---- */

/* ENROOT_PID, _ROOTFS, _ENVIRON and _MOUNTS: for files, scripts and hooks which name them. */
void enroot_tell_places(const struct enroot_run *s);
int enroot_run_hooks(struct enroot_run *s, struct err *e);
void enroot_tell_apt(const struct enroot_run *s);
void enroot_localtime(const struct enroot_run *s); /* the machine's */

/* ---- enroot_exec.c ---- */

/* work in a child, the first of its pid namespace, which becomes a command; the caller passes signals on and waits.
 * What work says when it comes back is the error. *status: as wait() has it. */
int enroot_child(int (*work)(void *arg, struct err *e), void *arg, int *status, struct err *e);

/* ---- enroot_image.c ---- */

/* A new file: until it is whole without a name where the file system can do that, so that who is killed leaves nothing, else
 * under another one. */
struct enroot_made {
	char *path, *part;
	int fd;
	bool nameless;
};
int enroot_made_begin(const char *path, bool force, struct enroot_made *m, struct err *e);
int enroot_made_end(struct enroot_made *m, bool force, struct err *e);
void enroot_made_done(struct enroot_made *m);
#define auto_enroot_made __attribute__((cleanup(enroot_made_done)))
/* A squashfs file of what comes from `in`, or lies below dir. */
int enroot_of_archive(int in, int out, struct meter *meter, struct err *e);
int enroot_of_directory(int dir, int out, struct meter *meter, struct err *e);
/* A tar of what lies below dir; and how that went: the result of what read it, or why it could not be made. */
pid_t enroot_tar_begin(int dir, int *from, struct err *e);
int enroot_tar_end(pid_t pid, int result, struct err *e);
/* work in a child. A signal which would have ended us ends the child, and is in *caught: the caller clears up first. */
int enroot_work(int (*work)(void *arg, struct err *e), void *arg, int *caught, struct err *e);

/* ---- enroot_engines.c ---- */

struct image;
/* Whether it is what docker save and its like write; afterwards it is read from its beginning. */
bool enroot_is_engines(int in);
/* Docker's name of the architecture (as uname has it, or docker); NULL: this machine's. The caller frees. */
char *enroot_architecture(const char *asked);
/* The image of an engine's archive, which comes into the store: the only one, or that for `arch`. */
int enroot_take_image(const struct store *s, int in, const char *arch, struct image *out,
	struct meter *meter, struct err *e);
/* A squashfs file of an image, by a container of that name, which enroot_flatten_undo() removes, whatever came of it. */
int enroot_flatten(const struct store *s, const struct image *image, const char *container,
	const char *uri, int out, struct meter *meter, struct err *e);
void enroot_flatten_undo(const struct store *s, const char *container);

/* ---- enroot_programs.c ---- */

/* Another engine's program in PATH. NULL: there is none, or it is ourselves by that name. The caller frees. */
char *enroot_program(const char *name);
bool enroot_program_has(const char *program, const char *image);
int enroot_program_pull(const char *program, const char *image, struct err *e);
/* Has it write an image to *from. Its pid, or -1. */
pid_t enroot_save_begin(const char *program, const char *image, int *from, struct err *e);
int enroot_save_end(pid_t pid, const char *program, struct err *e);
