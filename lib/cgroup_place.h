/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place: inside of cgroup: where a group can be made. */
#pragma once

#include "cgroup.h"

#define CGROUP_PREFIX "sbx-"
/* Where the processes go which a control group must not hold beside its children. */
#define CGROUP_HOST "sbx.host"

enum place { PLACE_ANYWHERE, PLACE_BELOW_US };

/* Makes the directory (v1: several) and adds it to c; -1: not here. wants: controllers. */
int place_v2(struct cgroup *c, const char *name, unsigned int wants, enum place where);
int place_v1(struct cgroup *c, const char *name, unsigned int wants);
/* The controllers of the unified hierarchy, or those of it which place_v2() would find. */
unsigned int place_v2_has(bool writable);
bool place_v2_wanted(void); /* there is a unified hierarchy with controllers at all */
unsigned int place_v1_has(void);
bool place_v1_swappiness(void);
