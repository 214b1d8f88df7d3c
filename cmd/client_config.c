/* SPDX-License-Identifier: Apache-2.0 */
#include "client_config.h"

#include "auto.h"
#include "context.h"
#include "detach.h"
#include "json.h"
#include "opt.h"
#include "parse.h"
#include "settings.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONFIG_MAX ((size_t)4 << 20)
#define OUR_HOST \
	"unix:///var/run/docker.sock" /* docker's default daemon: "proxies" may have an entry for it */

char *client_config_dir(void)
{
	const char *asked = context_asked()->config, *set = getenv("DOCKER_CONFIG"),
		   *home = setting_home();

	if (asked && *asked)
		return xstrdup(asked);
	return set && *set ? xstrdup(set) : xasprintf("%s/.docker", home ? home : "");
}

/* ---- the types in docker's struct ConfigFile ---- */

enum go_kind { GO_STRING, GO_LIST, GO_MAP, GO_STRUCT };

struct go_type {
	enum go_kind kind;
	const char *name;          /* in Go's error messages */
	const struct go_type *of;  /* GO_LIST, GO_MAP: the type of its elements */
	const char *const *fields; /* GO_STRUCT: names, ended by NULL; all are strings */
};

static const struct go_type a_string = {GO_STRING, "string", NULL, NULL};
static const struct go_type a_list = {GO_LIST, "[]string", &a_string, NULL};
static const struct go_type a_map = {GO_MAP, "map[string]string", &a_string, NULL};
static const struct go_type of_maps = {GO_MAP, "map[string]map[string]string", &a_map, NULL};

static const char *const auth_fields[] = {"username", "password", "auth", "email", "serveraddress",
	"identitytoken", "registrytoken", NULL};
static const char *const proxy_fields[] = {
	"httpProxy", "httpsProxy", "noProxy", "ftpProxy", "allProxy", NULL};
static const struct go_type an_auth = {GO_STRUCT, "types.AuthConfig", NULL, auth_fields};
static const struct go_type a_proxy = {GO_STRUCT, "configfile.ProxyConfig", NULL, proxy_fields};
static const struct go_type auths = {GO_MAP, "map[string]types.AuthConfig", &an_auth, NULL};
static const struct go_type proxies = {GO_MAP, "map[string]configfile.ProxyConfig", &a_proxy, NULL};

/* clang-format off */
static const struct member {
	const char *key;
	const struct go_type *type;
} members[] = {
	{ "auths",                &auths },
	{ "HttpHeaders",          &a_map },
	{ "psFormat",             &a_string },
	{ "imagesFormat",         &a_string },
	{ "networksFormat",       &a_string },
	{ "pluginsFormat",        &a_string },
	{ "volumesFormat",        &a_string },
	{ "statsFormat",          &a_string },
	{ "detachKeys",           &a_string },
	{ "credsStore",           &a_string },
	{ "credHelpers",          &a_map },
	{ "serviceInspectFormat", &a_string },
	{ "servicesFormat",       &a_string },
	{ "tasksFormat",          &a_string },
	{ "secretFormat",         &a_string },
	{ "configFormat",         &a_string },
	{ "nodesFormat",          &a_string },
	{ "pruneFilters",         &a_list },
	{ "proxies",              &proxies },
	{ "experimental",         &a_string },
	{ "currentContext",       &a_string },
	{ "cliPluginsExtraDirs",  &a_list },
	{ "plugins",              &of_maps },
	{ "aliases",              &a_map },
	{ "features",             &a_map },
};
/* clang-format on */

/* Go ignores the case of a member's name. */
static const struct member *member_of(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (strcasecmp(members[i].key, key) == 0)
			return &members[i];
	return NULL;
}

static const char *field_of(const struct go_type *t, const char *key)
{
	for (size_t i = 0; t->fields[i]; i++)
		if (strcasecmp(t->fields[i], key) == 0)
			return t->fields[i];
	return NULL;
}

static char *field_fault(const json_t *v, const struct go_type *t, const char *member, const char *key)
{
	const char *field = field_of(t, key);

	if (!field || json_is_string(v) || json_is_null(v))
		return NULL;
	return xasprintf("json: cannot unmarshal %s into Go struct field %s.%s.%s of type string",
		json_kind(v), strchr(t->name, '.') + 1, member, field);
}

/* Go's error about the first value that does not fit the type; NULL: all fit. */
static char *type_fault(const json_t *v, const struct go_type *t, const char *member)
{
	static const json_type kinds[] = {
		[GO_STRING] = JSON_STRING, [GO_LIST] = JSON_ARRAY, [GO_MAP] = JSON_OBJECT, [GO_STRUCT] = JSON_OBJECT};
	json_t *all = (json_t *)(uintptr_t)v, *one; /* only read */
	char *fault = NULL;
	const char *key;
	size_t i;

	if (json_is_null(v))
		return NULL;
	if (json_typeof(v) != kinds[t->kind])
		return xasprintf("json: cannot unmarshal %s into Go struct field ConfigFile.%s of type %s",
			json_kind(v), member, t->name);
	if (t->kind == GO_LIST)
		json_array_foreach(all, i, one) if (!fault) fault = type_fault(one, t->of, member);
	if (t->kind == GO_MAP || t->kind == GO_STRUCT)
		json_object_foreach(all, key, one) if (!fault) fault =
			t->kind == GO_MAP ? type_fault(one, t->of, member)
					  : field_fault(one, t, member, key);
	return fault;
}

/* The same for the whole file. As in Go, one value that does not fit leaves the others in force. */
static char *wrong_type(const json_t *file)
{
	char *fault = NULL;
	const char *key;
	json_t *v;

	if (json_is_null(file))
		return NULL;
	if (!json_is_object(file))
		return xasprintf("json: cannot unmarshal %s into Go value of type configfile.ConfigFile",
			json_kind(file));
	json_object_foreach((json_t *)(uintptr_t)file, key, v)
	{
		const struct member *m = member_of(key);

		if (m && !fault)
			fault = type_fault(v, m->type, m->key);
	}
	return fault;
}

/* The file with its members' names in our spelling; of two that differ in case only, the last one counts. */
static json_t *spelled(json_t *file)
{
	json_t *out = json_object(), *v;
	const char *key;

	if (!json_is_object(file)) {
		json_decref(out);
		return file;
	}
	json_object_foreach(file, key, v)
	{
		const struct member *m = member_of(key);

		(void)json_object_set(out, m ? m->key : key, v); /* memory */
	}
	json_decref(file);
	return out;
}

/* ---- logins: sbx uses none, but docker complains about malformed ones ---- */

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

static bool is_newline(char c)
{
	return c == '\n' || c == '\r';
}

/* Decodes one group of four letters, ignoring newlines, as Go does. Returns the offset of Go's error, or -1. */
static long group_fault(const char *s, size_t n, size_t *at, size_t *letters)
{
	for (*letters = 0; *letters < 4;) {
		if (*at == n)
			return *letters ? (long)(*at - *letters) : -1;
		char c = s[(*at)++];
		if (is_newline(c))
			continue;
		if (is_base64(c)) {
			++*letters;
			continue;
		}
		if (c != '=' || *letters < 2)
			return (long)*at - 1;
		if (*letters == 2) { /* "==" */
			while (*at < n && is_newline(s[*at]))
				++*at;
			if (*at == n)
				return (long)n;
			if (s[*at] != '=')
				return (long)*at - 1;
			++*at;
		}
		while (*at < n && is_newline(s[*at]))
			++*at;
		return *at < n ? (long)*at : -1;
	}
	return -1;
}

/* Decodes base64 that is already checked. As in Go, unused bits after the last byte may have any value. */
static void base64_loose(struct buf *to, const char *s)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, n = 0;

	for (; *s; s++) {
		if (!is_base64(*s))
			continue;
		bits = bits << 6 | (unsigned)(strchr(letters, *s) - letters);
		n += 6;
		if (n >= 8) {
			n -= 8;
			buf_putc(to, (char)(bits >> n & 0xff));
		}
	}
}

static char *auth_fault(const char *s)
{
	size_t n = strlen(s), at = 0, letters;
	auto_buf struct buf plain = {0};
	const char *colon;

	while (at < n) {
		long fault = group_fault(s, n, &at, &letters);

		if (fault >= 0)
			return xasprintf("illegal base64 data at input byte %ld", fault);
	}
	base64_loose(&plain, s);
	colon = plain.len ? memchr(plain.s, ':', plain.len) : NULL;
	return colon && colon != plain.s ? NULL : xstrdup("Invalid auth configuration file");
}

static char *auths_fault(const json_t *file)
{
	json_t *all = json_object_get(file, "auths"), *one, *v;
	const char *server, *key;
	char *fault = NULL;

	json_object_foreach(all, server, one)
	{
		const char *auth = "";

		json_object_foreach(one, key, v) if (strcasecmp(key, "auth") == 0 && json_is_string(v))
			auth = json_string_value(v);
		if (*auth && !fault)
			fault = auth_fault(auth);
	}
	return fault;
}

static void not_parsed(const char *path, const char *why)
{
	(void)fprintf(stderr, "WARNING: Error parsing config file (%s): %s\n", path, why);
}

static json_t *read_text(const char *text, size_t n, const char *path)
{
	static const char daemons[] =
		"invalid JSON: "; /* a prefix in the daemon's messages, but not in the client's */
	json_error_t why;
	json_t *file = json_loadb(text, n, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &why);
	auto_free char *words = file ? wrong_type(file) : json_stream_fault(text, n, &why);

	file = spelled(file);
	if (!words)
		words = auths_fault(file);
	if (words)
		not_parsed(path, words + (str_starts(words, daemons) ? strlen(daemons) : 0));
	return file;
}

/* NULL: there is no file, or it cannot be used, of which the user is warned. Read only once, so that one command sees one
 * version of the file. */
static const json_t *read_file(void)
{
	static json_t *kept;
	static bool done;
	auto_free char *dir = client_config_dir(), *path = xasprintf("%s/config.json", dir);
	auto_buf struct buf text = {0};
	auto_close int fd = -1;
	char chunk[4096];
	ssize_t n = 0;
	struct err e;

	if (done)
		return kept;
	done = true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT) {
		(void)err_go(&e, "open %s", path);
		(void)fprintf(stderr, "WARNING: Error loading config file: %s\n", e.text);
	}
	while (fd >= 0 && text.len < CONFIG_MAX && (n = sys_read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(&text, chunk, (size_t)n);
	if (n < 0) {
		(void)err_go(&e, "read %s", path);
		not_parsed(path, e.text);
	} else if (text.len)
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

int client_check_aliases(bool (*builtin)(const char *words), struct err *e)
{
	json_t *all = json_object_get(read_file(), "aliases"), *v;
	auto_buf struct buf quoted = {0};
	const char *key;

	json_object_foreach(all, key, v)
	{
		const char *words = json_is_string(v) ? json_string_value(v) : "";

		if (strcmp(key, "builder") != 0) {
			buf_quote(&quoted, key);
			return err_set(e, ERR_USAGE,
				"not allowed to alias %s (allowed: map[string]struct {}{\"builder\":struct {}{}})",
				quoted.s);
		}
		if (builtin(words)) {
			buf_quote(&quoted, words);
			return err_set(e, ERR_USAGE,
				"not allowed to alias with builtin %s as target", quoted.s);
		}
	}
	return 0;
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

/* Docker's client has a bug that is not copied: it ignores "label!=keep" in the file unless the command line has a label
 * filter, too, and so removes what should be kept. */
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
	return parse_bool(word, &trusted, &unused) == 0 && !trusted; /* what is no boolean counts as true */
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
