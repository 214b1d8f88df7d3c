/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place: where a control group can be made; part of cgroup. */
#pragma once

#include "cgroup.h"

#define CGROUP_PREFIX "sbx-"
/* v2 allows no processes in a group whose children have controllers: those that are in ours are moved to this child. */
#define CGROUP_HOST "sbx.host"

enum place { PLACE_ANYWHERE, PLACE_BELOW_US };

/* Make the directory (v1: several) and add it to c; -1: not possible here. wants: controllers. */
int place_v2(struct cgroup *c, const char *name, unsigned int wants, enum place where);
int place_v1(struct cgroup *c, const char *name, unsigned int wants);
/* Gives a directory of place_v2()'s more controllers, as far as it is allowed. */
void place_v2_more(struct cgroup_dir *d, unsigned int wants);
/* The controllers of the unified hierarchy; writable: only those that place_v2() could use. */
unsigned int place_v2_has(bool writable);
bool place_v2_wanted(void); /* whether there is a unified hierarchy with controllers at all */
unsigned int place_v1_has(void);
bool place_v1_swappiness(void);
