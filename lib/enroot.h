/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot: what the program called `enroot` can do. Another tool's manners, the same images and mounts:
 *
 *   $ENROOT_DATA_PATH/NAME/.sbx-image   which squashfs file it is made of: "1\nPATH\nDEV INO SIZE MTIME\n"
 *   $ENROOT_DATA_PATH/NAME/image.sqsh   the file itself where a hard link (or a copy of one in memory) could be
 *   $ENROOT_DATA_PATH/NAME/upper        what was written with --rw
 *   $ENROOT_DATA_PATH/NAME/work-*       overlay's, one a running --rw start
 *   $ENROOT_DATA_PATH/NAME/rootfs       all files unpacked, where the kernel has no overlay for us
 *   $ENROOT_DATA_PATH/.sbx-half/        what is being made or removed
 *   $ENROOT_DATA_PATH/NAME              without .sbx-image: a root directory, as enroot makes them
 *
 * So nothing is unpacked, and creating and removing take the same time for all images. A started container has
 * no supervisor: the process which calls enroot_start() becomes its command. Behind it a keeper holds
 * the lease of the image until the last process in the container's mount namespace has ended.
 *
 * Settings are environment variables; enroot_conf_load() adds those of the files, so that hooks and scripts
 * get them all.
 */
#pragma once

#include "err.h"
#include "store.h"
#include "str.h"

#include <sys/types.h>

#define ENROOT_VERSION "4.1.2" /* whose words and options these are */

/* ---- settings (enroot_conf.c) ---- */

/* Reads the files, sets the defaults, makes the directories. */
int enroot_conf_load(struct err *e);
char *enroot_conf_file(void); /* the path of enroot.conf; the caller frees */
/* Takes over settings from the "#ENROOT_X=y" lines of a script; a file that cannot be read has none. */
int enroot_conf_script(const char *path, struct err *e);
/* Whether the setting is set to anything but n, no, f, false (0 and off are true, too, as in enroot). */
bool enroot_true(const char *name);

/* ---- containers (enroot_box.c) ---- */

int enroot_create(
	const char *image, const char *name /* NULL: the image's */, bool force, struct err *e);
/* The resolved path of a squashfs file, or NULL. The caller frees. */
char *enroot_image_path(const char *image, struct err *e);
/* The absolute path by which messages name a file that does not exist. The caller frees. */
char *enroot_absolute(const char *path);
/* The path of the container `name`, for the question of `remove`. NULL: no such container. The caller frees. */
char *enroot_path(const char *name, struct err *e);
int enroot_remove(const char *name, struct err *e);
int enroot_names(struct strv *out, struct err *e); /* sorted */

/* ---- processes (enroot_procs.c) ---- */

struct enroot_proc {
	pid_t pid;
	char *container; /* its name, or "<unknown>" */
	char *comm, *state, *started, *time, *mntns, *userns, *command;
	uint64_t began; /* in ticks */
};
/* The processes of all containers, ordered by name and age. */
int enroot_procs(struct enroot_proc **out, size_t *n, struct err *e);
void enroot_procs_free(struct enroot_proc *list, size_t n); /* NULL too */

/* ---- start (enroot_start.c) and exec (enroot_exec.c) ---- */

struct enroot_start {
	const char *target; /* a container's name or a squashfs file */
	const char *conf, *rc;
	struct strv env, mounts, command;
	const char *scratch; /* a directory to remove as soon as it is not needed any more; NULL */
};
/* The calling process becomes the command and does not return, except with --pid: then it waits for the command, and
 * *status is that of wait(). */
int enroot_start(const struct store *s, const struct enroot_start *a, int *status, struct err *e);

struct enroot_exec {
	const char *target; /* a process number, or a container's name */
	struct strv env, command;
};
int enroot_exec(const struct store *s, const struct enroot_exec *a, int *status, struct err *e);

/* ---- files (enroot_import.c, enroot_image.c) ---- */

struct meter;
struct enroot_import {
	const char *uri;    /* a path, file://PATH, dockerd://IMAGE or podman://IMAGE */
	const char *output; /* NULL: named after it */
	const char *arch;   /* of an image of many; NULL: this machine's */
	struct meter *meter;
	void (*warn)(const char *text);
};
/* Makes a squashfs file of a tar archive, docker's or OCI's image archive, a directory, a squashfs file, or another engine's
 * image. *caught: the signal that interrupted it (nothing is left behind then), or 0. */
int enroot_import(const struct store *s, const struct enroot_import *a, int *caught, struct err *e);
/* Makes a container of the same sources, called `name` (NULL: named after its source), with an image file of its own. */
int enroot_load(const struct store *s, const struct enroot_import *a, const char *name, bool force,
	int *caught, struct err *e);
int enroot_export(const struct store *s, const char *name, const char *out, bool force,
	struct meter *meter, int *caught, struct err *e);
