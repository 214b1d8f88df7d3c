/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipam: what `network create` says of addresses, as docker's client puts it together: each range, gateway and auxiliary
 * address belongs to the subnet that it lies in. Pure; errors are docker's words.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

struct ipam {
	struct strv subnets, ranges, gateways, aux; /* aux: "name=address" */
};

void ipam_done(struct ipam *p);
/* The list which IPAM.Config is. NULL: what the client refuses. */
json_t *ipam_config(const struct ipam *p, struct err *e);
