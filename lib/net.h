/* SPDX-License-Identifier: Apache-2.0 */
/* net: sets up a new network namespace: its loopback interface. */
#pragma once

#include "err.h"

/* Brings up `lo` in the caller's network namespace; needs CAP_NET_ADMIN in it. */
int net_lo_up(struct err *e);
