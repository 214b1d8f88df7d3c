/* SPDX-License-Identifier: Apache-2.0 */
/*
 * propagate: whether the mount propagation that volumes ask for is possible. As a slave of a shared mount, a container sees later
 * mounts of the machine. The other direction, the machine seeing mounts of the container, no kernel allows to a user
 * namespace.
 */
#pragma once

#include "err.h"
#include "spec.h"

/* Checks that the sources are on mounts which allow what is asked; docker does so when it starts a container. */
int propagate_check(const struct spec *s, struct err *e);
/* Whether to warn that the machine will not see the container's mounts, although the mount is rshared or shared. */
bool propagate_warns(const struct spec_mount *m);
