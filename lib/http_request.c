/* SPDX-License-Identifier: Apache-2.0 */
/* http_request: the parts of a request: path, query, headers. Pure. */
#include "http_parts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

void http_request_done(struct http_request *r)
{
	free(r->path);
	free(r->asked);
	strv_done(&r->query);
	strv_done(&r->headers);
	*r = (struct http_request){0};
}

static const char *value_of(const struct strv *v, const char *key)
{
	const char *kv = strv_env(v, key);

	return kv && strchr(kv, '=') ? strchr(kv, '=') + 1 : NULL;
}

const char *http_query(const struct http_request *r, const char *key)
{
	return value_of(&r->query, key);
}

const char *http_header(const struct http_request *r, const char *name)
{
	return value_of(&r->headers, name);
}

bool http_query_bool(const struct http_request *r, const char *key)
{
	static const char *const no[] = {"", "0", "no", "false", "none"};
	const char *v = http_query(r, key);

	for (size_t i = 0; v && i < ARRAY_LEN(no); i++)
		if (strcasecmp(v, no[i]) == 0)
			return false;
	return v != NULL;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "%2F" and so on, in place. False: a 0 byte, or not hex. */
static bool decode(char *s, bool plus)
{
	char *to = s;

	for (; *s; s++) {
		char c = *s == '+' && plus ? ' ' : *s;

		if (*s == '%') {
			int high = hex(s[1]), low = high < 0 ? -1 : hex(s[2]);

			if (low < 0 || high * 16 + low == 0)
				return false;
			c = (char)(high * 16 + low);
			s += 2;
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* What stands behind "http://HOST", which a proxy's client sends as well. */
static const char *path_of(const char *url)
{
	size_t n = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (!n || !str_starts(url + n, "://"))
		return url;
	url += n + strlen("://");
	url += strcspn(url, "/?");
	return *url ? url : "/";
}

bool http_add_query(struct strv *query, const char *text)
{
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "&");
		auto_free char *kv = xstrndup(at, n);

		if (!decode(kv, true))
			return false;
		if (*kv)
			strv_take(query, strchr(kv, '=') ? xstrdup(kv) : xasprintf("%s=", kv));
		at += n + (at[n] == '&');
	}
	return true;
}

bool http_split_url(struct http_request *r, const char *url)
{
	const char *question;

	url = path_of(url);
	question = strchr(url, '?');

	r->path = question ? xstrndup(url, (size_t)(question - url)) : xstrdup(url);
	r->asked = xstrdup(question ? question : "");
	return decode(r->path, false) && http_add_query(&r->query, question ? question + 1 : "");
}

bool http_is_here(const char *host, const char *machine)
{
	bool bracket = *host == '[';
	size_t n = bracket ? strcspn(host, "]") : strcspn(host, ":");
	auto_free char *name = xstrndup(host + bracket, n - bracket);
	unsigned char address[sizeof(struct in6_addr)];

	if (bracket)
		return inet_pton(AF_INET6, name, address) == 1;
	if (n && name[n - 1] == '.')
		name[--n] = '\0';
	return n == 0 || inet_pton(AF_INET, name, address) == 1 ||
	       strcasecmp(name, "localhost") == 0 || strcasecmp(name, machine) == 0 ||
	       (n > strlen(".localhost") &&
		       strcasecmp(name + n - strlen(".localhost"), ".localhost") == 0);
}
