/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipam: the address options of `network create` as one object, made as docker's client does: each range, gateway and
 * auxiliary address goes to the subnet that contains it. Pure; errors are in docker's words.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

struct ipam {
	struct strv subnets, ranges, gateways, aux; /* aux: "name=address" */
};

void ipam_done(struct ipam *p);
/* The list for IPAM.Config. NULL: docker's client refuses this. */
json_t *ipam_config(const struct ipam *p, struct err *e);
