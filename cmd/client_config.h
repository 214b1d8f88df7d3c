/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_config: the configuration file of docker's client, config.json in --config, $DOCKER_CONFIG or ~/.docker. Used from
 * it are the keys that detach a client ("detachKeys"), the formats of listings ("psFormat", "imagesFormat", ...), the
 * proxies of containers ("proxies") and filters of prune ("pruneFilters"); the rest is only checked, as docker does.
 */
#pragma once

#include "err.h"
#include "filter.h"
#include "ref.h"
#include "str.h"

#include <stdbool.h>

/* Reads the file, so that warnings about it come before any other output, as docker's do. */
void client_config_begin(void);
/* Refuses the "aliases" that docker refuses: any but "builder", and one whose target is a builtin command. */
int client_check_aliases(bool (*builtin)(const char *words), struct err *e);
/* The file's directory; the caller frees. */
char *client_config_dir(void);
/* Sets *value to what the file has for the key, unless an option has set it already. An unreadable file has nothing. */
void client_config(const char *key, char **value);
/* What the file has for the key, else `otherwise`. */
const char *client_config_str(const char *key, const char *otherwise);
/* Adds the file's proxies to the variables of -e, which win. */
void client_proxies(struct strv *env);
/* Adds the file's filters for prune, except those that are the opposite of one in f. */
int client_prune_filters(struct filters *f, struct err *e);
/* The default of --disable-content-trust: false if DOCKER_CONTENT_TRUST asks for signatures. As sbx verifies none,
 * client_check_trust() then refuses an image that is named by a tag, rather than run it unsigned. */
bool client_untrusted(void);
int client_check_trust(bool untrusted, const struct ref *r, struct err *e);
/* Sets *keys from the file if the option was not given, and checks them; the error is the one docker gives for an exec or else
 * for an attach. */
int client_detach_keys(char **keys, bool exec, struct err *e);
