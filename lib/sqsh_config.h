/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqsh_config: the config of a squashfs file that was never imported. The first of these that is in the file:
 *
 *   /.sbx/config.json   an image config as docker has it, or its Config object alone
 *   /etc/rc             as enroot makes it of a docker image: working directory, entrypoint and
 *                       command are read out of it; any other is itself the entrypoint
 *   neither             the command is /bin/sh
 *
 * Environment: the K=V lines of /etc/environment, unless there is a config.json.
 *
 * The file may be hostile: its blocks are decompressed by a child which can do nothing but read that file and
 * write its answer.
 */
#pragma once

#include "err.h"
#include "json.h"

#include <stdint.h>

struct squash;

/* An image config {"architecture", "os", "config": {...}}; fd is the .sqsh file. NULL on failure. */
json_t *sqsh_config_read(int fd, struct err *e);

/* What the child does: one of the texts, its length or one of two negative numbers. Links are not followed. */
#define SQSH_CONFIG_TEXT_MAX (1u << 20) /* bytes which are read of each */
enum sqsh_config_text {
	SQSH_CONFIG_JSON,
	SQSH_CONFIG_ENVIRONMENT,
	SQSH_CONFIG_RC,
	SQSH_CONFIG_RC_LOCAL,
	SQSH_CONFIG_TEXTS
};
enum { SQSH_CONFIG_ABSENT = -1, SQSH_CONFIG_DAMAGED = -2 };
int32_t sqsh_config_text(struct squash *sq, enum sqsh_config_text which, char *text);

/* The pure half: what the texts say. Each may be NULL (no such file). Never NULL, save for a
 * config.json which is none: ERR_CORRUPT. */
json_t *sqsh_config_from(const char *config_json, const char *environment, const char *rc,
	const char *rc_local, struct err *e);
