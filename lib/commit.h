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
	const json_t *config;         /* NULL, or docker's Config: goes over the container's own */
	struct strv changes;          /* instructions of a Dockerfile */
	bool pause;                   /* a running one is paused meanwhile */
	const char *name;             /* what the image is called, or NULL */
	struct meter *meter;          /* or NULL */
};

/* *id: "sha256:<hex>", the caller frees. */
int commit_container(const struct store *s, const struct commit_ask *ask, char **id, struct err *e);
