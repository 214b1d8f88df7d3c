/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_build: a container's root, made by its first process in two steps.
 *
 * What opens files of the machine is in the first; the second needs none of them. Where another container's namespaces are
 * joined, its root has power over all mount namespaces that are made there, and can enter them. So the first step is done
 * before, in one which it has no power over, and the second in one in which there is nothing of the machine.
 */
#pragma once

#include "launch.h"
#include "mount.h"

/* Detached mounts. */
struct parts {
	int *sources; /* of mount_gather() */
	int root;
};

struct mount_layers launch_layers(const struct launch *l);
/* The working directory is the stage. */
int launch_gather(const struct launch *l, struct parts *out, struct err *e);
/* The same, and what is left to this process of the machine is its /proc and /sys. */
int launch_gather_alone(const struct launch *l, struct parts *out, struct err *e);
/* Ends in the new root, with the parts used up. */
int launch_build(const struct launch *l, struct parts *parts, struct mount_proc *proc, struct err *e);
