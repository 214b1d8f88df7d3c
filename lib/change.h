/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change: the instructions of a Dockerfile which only touch an image's config, as `import -c` and
 * `commit -c` take them: CMD ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL ONBUILD USER VOLUME WORKDIR. Pure.
 */
#pragma once

#include "err.h"
#include "json.h"

/* Applies all, in order, to docker's Config object, or says in docker's words which one is wrong (then the
 * object is half changed). */
int change_config(json_t *config, const struct strv *changes, struct err *e);
/* What `over` (another Config, NULL: nothing) says goes over `config`; what it leaves empty stays. */
int change_merge(json_t *config, const json_t *over, struct err *e);
/* What a config that was changed has no longer it has from the one below again, as docker's commit does. */
void change_fill(json_t *config, const json_t *under);
