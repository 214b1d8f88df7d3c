/* SPDX-License-Identifier: Apache-2.0 */
/*
 * propagate: whether what is mounted later goes on from one place to another. A container's copy of a shared mount hears of
 * mounts on the machine, as a slave; that the machine hears of the container's, no kernel grants to a user namespace.
 */
#pragma once

#include "err.h"
#include "spec.h"

/* Whether the sources lie on mounts that can do what is asked; docker looks when it starts a container. */
int propagate_check(const struct spec *s, struct err *e);
/* It may start, but the machine is not going to see what is mounted in the container, as rshared and shared ask. */
bool propagate_warns(const struct spec_mount *m);
