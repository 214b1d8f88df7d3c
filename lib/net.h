/* SPDX-License-Identifier: Apache-2.0 */
/* net: what a fresh network namespace needs before a program feels at home: its loopback
 * up. */
#pragma once

#include "err.h"

/* Brings `lo` of the calling process's network namespace up; wants CAP_NET_ADMIN in it. */
int net_lo_up(struct err *e);
