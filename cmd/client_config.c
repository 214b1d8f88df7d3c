/* SPDX-License-Identifier: Apache-2.0 */
#include "client_config.h"

#include "auto.h"
#include "context.h"
#include "detach.h"
#include "json.h"
#include "parse.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIG_MAX ((size_t)4 << 20)
#define OUR_HOST   "unix:///var/run/docker.sock" /* as docker's client names its daemon by default */

char *client_config_dir(void)
{
	const char *asked = context_asked()->config, *set = getenv("DOCKER_CONFIG"),
		   *home = getenv("HOME");

	if (asked && *asked)
		return xstrdup(asked);
	return set && *set ? xstrdup(set) : xasprintf("%s/.docker", home ? home : "");
}

static bool is_text(const char *key)
{
	static const char *const more[] = {"credsStore", "currentContext", "detachKeys",
		"experimental", "serviceInspectFormat"};

	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (str_eq(key, more[i]))
			return true;
	return str_ends(key, "Format"); /* psFormat and its kin */
}

/* The first that docker's struct cannot hold; the rest holds all the same. NULL: it can hold all. */
static char *wrong_type(const json_t *file)
{
	const char *key;
	const json_t *v;

	if (!json_is_object(file))
		return xasprintf("json: cannot unmarshal %s into Go value of type configfile.ConfigFile",
			json_kind(file));
	json_object_foreach((json_t *)(uintptr_t)file, key,
		v) if (is_text(key) && !json_is_string(v) &&
		       !json_is_null(v)) return xasprintf("json: cannot unmarshal %s into Go struct field ConfigFile.%s of type string",
		json_kind(v), key);
	return NULL;
}

static json_t *read_text(const char *text, size_t n, const char *path)
{
	static const char daemons[] = "invalid JSON: "; /* its client says no such thing before it */
	json_error_t why;
	json_t *file = json_loadb(text, n, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &why);
	auto_free char *words = file ? wrong_type(file) : json_stream_fault(text, n, &why);

	if (words)
		(void)fprintf(stderr, "WARNING: Error parsing config file (%s): %s\n", path,
			words + (str_starts(words, daemons) ? strlen(daemons) : 0));
	return file;
}

/* NULL: there is none, or it is none, which is said. Read once; the text of another moment would be another wish. */
static const json_t *read_file(void)
{
	static json_t *kept;
	static bool done;
	auto_free char *dir = client_config_dir(), *path = xasprintf("%s/config.json", dir);
	auto_buf struct buf text = {0};
	auto_close int fd = -1;
	char chunk[4096];
	ssize_t n;

	if (done)
		return kept;
	done = true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	while (fd >= 0 && text.len < CONFIG_MAX && (n = sys_read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(&text, chunk, (size_t)n);
	if (text.len)
		kept = read_text(text.s, text.len, path);
	return kept;
}

void client_config_begin(void)
{
	(void)read_file();
}

const char *client_config_str(const char *key, const char *otherwise)
{
	const char *word = json_str(read_file(), key, "");

	return *word ? word : otherwise;
}

void client_config(const char *key, char **value)
{
	const json_t *file = *value ? NULL : read_file(), *v = json_object_get(file, key);

	if (json_is_string(v) && *json_string_value(v))
		*value = xstrdup(json_string_value(v));
}

void client_proxies(struct strv *env)
{
	static const struct {
		const char *key, *upper, *lower;
	} known[] = {
		{"httpProxy", "HTTP_PROXY", "http_proxy"},
		{"httpsProxy", "HTTPS_PROXY", "https_proxy"},
		{"noProxy", "NO_PROXY", "no_proxy"},
		{"ftpProxy", "FTP_PROXY", "ftp_proxy"},
		{"allProxy", "ALL_PROXY", "all_proxy"},
	};
	const json_t *all = json_object_get(read_file(), "proxies"),
		     *of = json_object_get(all, OUR_HOST);

	if (!of)
		of = json_object_get(all, "default");
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		const char *value = json_str(of, known[i].key, "");

		if (*value && !strv_env(env, known[i].upper))
			strv_addf(env, "%s=%s", known[i].upper, value);
		if (*value && !strv_env(env, known[i].lower))
			strv_addf(env, "%s=%s", known[i].lower, value);
	}
}

static bool has_exactly(const struct filters *f, const char *key, const char *value)
{
	const char *v;

	for (size_t i = 0; (v = filter_next(f, key, &i));)
		if (str_eq(v, value))
			return true;
	return false;
}

/* Docker's client itself forgets "label!=keep" where no other label was asked for, by mistake, and removes what
 * should stay. */
int client_prune_filters(struct filters *f, struct err *e)
{
	const json_t *all = json_object_get(read_file(), "pruneFilters"), *v;
	size_t i;

	json_array_foreach(all, i, v)
	{
		const char *word = json_string_value(v), *value = word ? strchr(word, '=') : NULL;

		if (!value || (str_starts(word, "label=") && has_exactly(f, "label!", value + 1)) ||
			(str_starts(word, "label!=") && has_exactly(f, "label", value + 1)))
			continue;
		if (filter_add(f, word, e) < 0)
			return -1;
	}
	return 0;
}

bool client_untrusted(void)
{
	const char *word = getenv("DOCKER_CONTENT_TRUST");
	struct err unused;
	bool trusted;

	if (!word || !*word)
		return true;
	return parse_bool(word, &trusted, &unused) == 0 && !trusted; /* any other word is a yes */
}

int client_check_trust(bool untrusted, const struct ref *r, struct err *e)
{
	if (untrusted || !r->tag || r->digest)
		return 0;
	return err_set(e, ERR_CONFLICT,
		"Error: error contacting notary server: sbx reads no signatures; --disable-content-trust takes "
		"an image without");
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
