/* SPDX-License-Identifier: Apache-2.0 */
#include "client_config.h"

#include "auto.h"
#include "context.h"
#include "detach.h"
#include "json.h"
#include "parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *client_config_dir(void)
{
	const char *asked = context_asked()->config, *set = getenv("DOCKER_CONFIG"),
		   *home = getenv("HOME");

	if (asked && *asked)
		return xstrdup(asked);
	return set && *set ? xstrdup(set) : xasprintf("%s/.docker", home ? home : "");
}

void client_config(const char *key, char **value)
{
	auto_free char *dir = client_config_dir(), *path = xasprintf("%s/config.json", dir);
	auto_json json_t *file = NULL;
	json_error_t why;
	const json_t *v;

	if (*value || access(path, R_OK) < 0)
		return;
	file = json_load_file(path, 0, &why);
	v = json_object_get(file, key);
	if (!file)
		(void)fprintf(stderr, "WARNING: Error parsing config file (%s): %s\n", path, why.text);
	else if (v && !json_is_string(v))
		(void)fprintf(stderr, "WARNING: Error parsing config file (%s): %s is no string\n",
			path, key);
	else if (v && *json_string_value(v))
		*value = xstrdup(json_string_value(v));
}

int client_detach_keys(char **keys, bool exec, struct err *e)
{
	struct detach unused;
	struct err why;

	client_config("detachKeys", keys);
	if (!*keys || detach_init(&unused, *keys, &why) == 0)
		return 0;
	return exec ? err_set(e, ERR_DENIED, "Invalid escape keys (%s) provided", *keys)
	            : err_set(e, ERR_CONFLICT, "unable to upgrade to tcp, received 400");
}
