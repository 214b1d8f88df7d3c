/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume_fill: an empty volume gets what the image has in its place, whole or not at all, whoever is killed. The copy is made
 * beside the volume's data, where no container sees it, and moved into them name by name. Who begins meanwhile waits for that;
 * what a killed one left is finished, or taken away, by the next.
 */
#pragma once

#include "err.h"

/* image: the image's directory, or -1: it has none. data: the volume's. home: the directory that holds data as `name`; -1: it
 * is not ours, and is filled in place. */
int volume_fill(int image, int data, int home, const char *name, struct err *e);
