/* SPDX-License-Identifier: Apache-2.0 */
/* commit: a container's writable layer becomes the uppermost layer of a new image. */
#pragma once

#include "err.h"
#include "json.h"
#include "meter.h"
#include "store.h"
#include "str.h"

struct commit_ask {
	const char *what;             /* the container as the user named it */
	const char *author, *message; /* or NULL */
	const json_t *config; /* docker's Config, which overrides the container's; or NULL */
	struct strv changes;  /* instructions of a Dockerfile */
	bool pause;           /* pause a running container meanwhile */
	const char *name;     /* of the new image, or NULL */
	struct meter *meter;  /* or NULL */
};

/* *id: "sha256:<hex>", the caller frees. */
int commit_container(const struct store *s, const struct commit_ask *ask, char **id, struct err *e);
