/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context: which daemon docker's client would talk to. sbx has none, and one context, "default". Options that name
 * another context are accepted if docker's client would find it (in ~/.docker), else refused as docker does.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <jansson.h>

/* The global options that name a context or daemon. context_remember() keeps the pointer. */
struct context_ask {
	const char *config, *context;
	const struct strv *hosts;
};

void context_remember(const struct context_ask *ask);
const struct context_ask *context_asked(void);
/* What docker's client checks before it asks its daemon for anything. The error is ready to be printed. */
int context_check(struct err *e);
/* context_named(): is the name one that docker allows? context_find(): does the context exist ("default", or in ~/.docker)? */
int context_named(const char *name, struct err *e);
int context_find(const char *name, struct err *e);
/* A context's metadata, as docker stores it. */
json_t *context_describe(const char *name, struct err *e);
/* $DOCKER_API_VERSION, or the newest that sbx has. */
const char *context_api_version(void);
