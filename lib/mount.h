/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount: the appliers of a plan's steps. Every path of the container is resolved below its root by
 * descriptor (openat2 RESOLVE_IN_ROOT), so that no link of a hostile image leads outside, and every
 * host path was turned into a detached mount before the first step ran.
 */
#pragma once

#include "err.h"
#include "layers.h"
#include "plan.h"

/* Layers, lowest first: the detached mounts of a lease, or directories. */
struct mount_layers {
	struct lease *lease;
	const struct strv *lower; /* n == 0 or NULL: the lease's */
	size_t behind;            /* so many of them, the last ones, are not the root's */
	bool one_id;              /* apt is told, where there is one */
};

size_t mount_own_layers(const struct mount_layers *l); /* the root's */
/* A detached copy of each source, by index of its step; -1 where the step needs none, and of the `ready` ones. Behind these, by
 * index again, the directory that src is in, where the step fills it by a copy beside it. The working directory is the stage. */
size_t mount_n_sources(const struct plan *p);
int mount_gather(const struct plan *p, const struct mount_layers *layers, bool ready, int *sources,
	struct err *e);
/* The root, detached: overlay of its layers and upper/upper (NULL: read-only, without one), or `rootfs` as it is. The
 * working directory is the stage. */
int mount_make_root(
	const char *upper, const struct mount_layers *layers, const char *rootfs, struct err *e);
/* Attaches it in the stage; an O_PATH descriptor of it. */
int mount_put_root(int mount, struct err *e);
/* Both; or `quota`, a detached mount that stays the caller's, or -1. */
int mount_root(const char *upper, int quota, const struct mount_layers *layers, const char *rootfs,
	struct err *e);
/* Makes a stage of one's own, to put the root in and to make masks of, and enters it. alone: in a mount namespace of the
 * caller's, which loses everything else of the machine but /proc and /sys: without these the kernel allows no new ones. */
int mount_stage(bool alone, struct err *e);
struct mount_proc {
	int root;
	int sys; /* as it was before it became read-only */
};
/* dev: what mount_dev() made, in place of the plan's own steps for it, or -1. */
int mount_steps(const struct plan *p, int root, int dev, const int *sources,
	struct mount_proc *proc, struct err *e);
/* All of a plan_dev() as one detached mount; in a mount namespace of the caller's, whose own /dev it covers. */
int mount_dev(struct err *e);
/* Where / is the kernel's own initramfs, which cannot be pivoted away from: a copy of it over it, in a mount
 * namespace of the user namespace that the caller has just joined. It is to make the container's below that
 * one: then the new root, which takes the copy's place, is locked, and no power inside uncovers the initramfs.
 * Everywhere else it does nothing. */
int mount_ground(struct err *e);
int mount_pivot(int root, bool read_only, struct err *e);
/* Binds the terminal at /dev/console of the root we are in. */
int mount_console(int slave, struct err *e);
/* Makes path and its parents below root where they are missing; a descriptor of it (O_PATH). */
int mount_point(int root, const char *path, bool directory, struct err *e);
/* In the words of docker, which has such a container not even made, why there can be no directory: ERR_UNMADE; 0: there can. */
int mount_no_directory(int root, const char *path, struct err *e);
/* The error of a new /proc that shows more than the present ones, which the kernel refuses with EPERM. */
int mount_proc_refused(struct err *e);
