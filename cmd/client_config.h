/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_config: the file of docker's client, config.json in --config, $DOCKER_CONFIG or ~/.docker: of it the keys that
 * take a client off ("detachKeys"), the formats of listings ("psFormat", "imagesFormat", ...), the proxies of containers
 * ("proxies") and what prune leaves ("pruneFilters").
 */
#pragma once

#include "err.h"
#include "filter.h"
#include "ref.h"
#include "str.h"

#include <stdbool.h>

/* What is wrong with the file is said now, before anything else is. */
void client_config_begin(void);
/* docker has one alias, "builder", and none for a command of its own; builtin: whether the words name one. */
int client_check_aliases(bool (*builtin)(const char *words), struct err *e);
/* The directory; the caller's. */
char *client_config_dir(void);
/* Into *value, where no option has set it. A file that cannot be read is warned of, as docker does, and says nothing. */
void client_config(const char *key, char **value);
/* What the file says of the key, else `otherwise`. */
const char *client_config_str(const char *key, const char *otherwise);
/* Adds the proxies that the file has for containers to the words of -e, where these name no other. */
void client_proxies(struct strv *env);
/* Adds the filters that the file has for prune, but not the opposite of one that is there. */
int client_prune_filters(struct filters *f, struct err *e);
/* What --disable-content-trust is where it is not given: whether DOCKER_CONTENT_TRUST asks for signatures, none of which are
 * read here. Then an image that is named by a tag is refused, not run unsigned. */
bool client_untrusted(void);
int client_check_trust(bool untrusted, const struct ref *r, struct err *e);
/* The option, else the file; refused as docker refuses them: by the daemon before an exec, else by the client. */
int client_detach_keys(char **keys, bool exec, struct err *e);
