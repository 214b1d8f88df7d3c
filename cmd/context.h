/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context: which daemon docker's client would speak to. There is none here, and one context, "default"; what names
 * another is accepted where docker could find it (its own contexts lie in ~/.docker), else refused as docker does.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <jansson.h>

/* The global options which name it. context_remember() keeps a pointer. */
struct context_ask {
	const char *config, *context;
	const struct strv *hosts;
};

void context_remember(const struct context_ask *ask);
const struct context_ask *context_asked(void);
/* What docker's client checks before it asks its daemon for anything; the sentence as it is to be printed. */
int context_check(struct err *e);
/* Whether docker would make one of that name; whether it has one, as "default" is one. */
int context_named(const char *name, struct err *e);
int context_find(const char *name, struct err *e);
/* What docker writes down of one. */
json_t *context_describe(const char *name, struct err *e);
/* $DOCKER_API_VERSION, or the newest. */
const char *context_api_version(void);
