/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change: the Dockerfile instructions that change nothing but an image's config, as `import -c` and
 * `commit -c` take them: CMD ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL ONBUILD USER VOLUME WORKDIR. Pure.
 */
#pragma once

#include "err.h"
#include "json.h"

/* Applies the instructions in order to docker's Config object. On an error, in docker's words, the object is left half
 * changed. */
int change_config(json_t *config, const struct strv *changes, struct err *e);
/* Overrides members of `config` by those of `over` (another Config, or NULL) that are not empty. */
int change_merge(json_t *config, const json_t *over, struct err *e);
/* Fills what is empty in a changed config from the parent image's, as docker's commit does. */
void change_fill(json_t *config, const json_t *under);
