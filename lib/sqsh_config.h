/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqsh_config: the image config of a squashfs file that was never imported, from the first of these that the file has:
 *
 *   /.sbx/config.json   an image config as docker has it, or its Config object alone
 *   /etc/rc             if enroot made it of a docker image, working directory, entrypoint and command
 *                       are read from it; any other script is the entrypoint itself
 *   neither             the command is /bin/sh
 *
 * Environment: the K=V lines of /etc/environment, unless there is a config.json.
 *
 * The file is not trusted: its blocks are decompressed by a child that can do nothing but read that file and
 * write its answer.
 */
#pragma once

#include "err.h"
#include "json.h"

#include <stdint.h>

struct squash;

/* An image config {"architecture", "os", "config": {...}}; fd is the .sqsh file. NULL on failure. */
json_t *sqsh_config_read(int fd, struct err *e);

#define SQSH_CONFIG_TEXT_MAX (1u << 20) /* bytes of each text */
/* What the child does: reads one of the texts, without following links. Returns its length, or one of two negative numbers. */
enum sqsh_config_text {
	SQSH_CONFIG_JSON,
	SQSH_CONFIG_ENVIRONMENT,
	SQSH_CONFIG_RC,
	SQSH_CONFIG_RC_LOCAL,
	SQSH_CONFIG_TEXTS
};
enum { SQSH_CONFIG_ABSENT = -1, SQSH_CONFIG_DAMAGED = -2 };
int32_t sqsh_config_text(struct squash *sq, enum sqsh_config_text which, char *text);

/* The config from the texts, each of which may be NULL: the file does not exist. NULL: ERR_CORRUPT, config.json is not a
 * config. Pure. */
json_t *sqsh_config_from(const char *config_json, const char *environment, const char *rc,
	const char *rc_local, struct err *e);
