/* SPDX-License-Identifier: Apache-2.0 */
#include "ref.h"

#include "str.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 255
#define TAG_MAX_BYTES  128

static bool is_lower_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool has_upper(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isupper((unsigned char)s[i]))
			return true;
	return false;
}

/* One component of a path: letters and digits, between them ".", "_", "__" or dashes. */
static bool is_component(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && is_lower_alnum(s[i])) {
		while (i < n && is_lower_alnum(s[i]))
			i++;
		if (i == n)
			return true;
		if (s[i] == '-')
			while (i < n && s[i] == '-')
				i++;
		else if (s[i] == '.')
			i++;
		else
			for (int k = 0; k < 2 && i < n && s[i] == '_'; k++)
				i++;
	}
	return false;
}

static bool is_path(const char *s)
{
	for (;; s++) {
		size_t n = strcspn(s, "/");

		if (!is_component(s, n))
			return false;
		s += n;
		if (!*s)
			return true;
	}
}

/* Labels with dots between, or an IPv6 address in brackets; a port may follow. */
static bool is_domain(const char *s)
{
	size_t n;

	if (*s == '[') {
		n = strspn(s + 1, "0123456789abcdefABCDEF:");
		if (!n || s[1 + n] != ']')
			return false;
		s += n + 2;
	} else {
		for (;; s++) {
			n = 0;
			while (isalnum((unsigned char)s[n]) || s[n] == '-')
				n++;
			if (!n || *s == '-' || s[n - 1] == '-')
				return false;
			s += n;
			if (*s != '.')
				break;
		}
	}
	if (*s == ':')
		return s[1] && strspn(s + 1, "0123456789") == strlen(s + 1);
	return !*s;
}

static bool is_tag(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > TAG_MAX_BYTES || *s == '.' || *s == '-')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_.-", *s))
			return false;
	return true;
}

static int check_digest(const char *s, struct err *e)
{
	static const struct {
		const char *name;
		size_t digits;
	} algorithms[] = {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
	size_t n = strcspn(s, ":"), digits = s[n] ? strspn(s + n + 1, "0123456789abcdefABCDEF") : 0;

	if (!n || digits < 32 || s[n + 1 + digits])
		return err_set(e, ERR_USAGE, "invalid reference format");
	for (size_t i = 0; i < ARRAY_LEN(algorithms); i++) {
		if (strlen(algorithms[i].name) != n || memcmp(algorithms[i].name, s, n) != 0)
			continue;
		if (digits != algorithms[i].digits)
			return err_set(e, ERR_USAGE, "invalid checksum digest length");
		if (has_upper(s + n + 1, digits))
			return err_set(e, ERR_USAGE, "invalid checksum digest format");
		return 0;
	}
	return err_set(e, ERR_USAGE, "unsupported digest algorithm");
}

/* What comes before the first slash is a host if it looks like one. */
static size_t domain_len(const char *s)
{
	const char *slash = strchr(s, '/');
	size_t n = slash ? (size_t)(slash - s) : 0;

	if (!slash)
		return 0;
	if (memchr(s, '.', n) || memchr(s, ':', n) || has_upper(s, n) ||
		(n == strlen("localhost") && memcmp(s, "localhost", n) == 0))
		return n;
	return 0;
}

static void split(const char *s, struct ref *r)
{
	size_t n = domain_len(s);
	const char *rest = n ? s + n + 1 : s, *at = strchr(rest, '@');
	size_t name = at ? (size_t)(at - rest) : strlen(rest);
	const char *colon = memchr(rest, ':', name);

	r->domain = n ? xstrndup(s, n) : xstrdup("docker.io");
	if (str_eq(r->domain, "index.docker.io")) {
		free(r->domain);
		r->domain = xstrdup("docker.io");
	}
	if (colon) {
		r->tag = xstrndup(colon + 1, name - (size_t)(colon + 1 - rest));
		name = (size_t)(colon - rest);
	}
	if (at)
		r->digest = xstrdup(at + 1);
	r->path = xasprintf("%s%.*s",
		str_eq(r->domain, "docker.io") && !memchr(rest, '/', name) ? "library/" : "",
		(int)name, rest);
}

static int check(const struct ref *r, struct err *e)
{
	if (has_upper(r->path, strlen(r->path)))
		return err_set(e, ERR_USAGE,
			"invalid reference format: repository name (%s) must be lowercase", r->path);
	if (!is_domain(r->domain) || !is_path(r->path) || (r->tag && !is_tag(r->tag)))
		return err_set(e, ERR_USAGE, "invalid reference format");
	if (strlen(r->path) > NAME_MAX_BYTES)
		return err_set(e, ERR_USAGE, "repository name must not be more than 255 characters");
	return r->digest ? check_digest(r->digest, e) : 0;
}

int ref_parse(const char *s, struct ref *out, struct err *e)
{
	auto_ref struct ref r = {0};

	if (str_is_hex(s, 64))
		return err_set(e, ERR_USAGE,
			"invalid repository name (%s), cannot specify 64-byte hexadecimal strings", s);
	/* Bounded: sizes in the formats below are ints. */
	if (strlen(s) > 4096)
		return err_set(e, ERR_USAGE, "invalid reference format");
	split(s, &r);
	if (check(&r, e) < 0)
		return -1;
	if (!r.tag && !r.digest)
		r.tag = xstrdup("latest");
	*out = r;
	r = (struct ref){0};
	return 0;
}

void ref_done(struct ref *r)
{
	free(r->domain);
	free(r->path);
	free(r->tag);
	free(r->digest);
	*r = (struct ref){0};
}

static char *with_tag(const struct ref *r, const char *domain, const char *path)
{
	return xasprintf("%s%s%s%s%s%s%s", domain, *domain ? "/" : "", path, r->tag ? ":" : "",
		r->tag ? r->tag : "", r->digest ? "@" : "", r->digest ? r->digest : "");
}

char *ref_full(const struct ref *r)
{
	return with_tag(r, r->domain, r->path);
}

/* Leaves out docker.io, and also library/ if a single component follows. */
static const char *familiar_path(const struct ref *r)
{
	const char *rest = r->path + strlen("library/");

	return str_starts(r->path, "library/") && !strchr(rest, '/') ? rest : r->path;
}

char *ref_repository(const struct ref *r)
{
	if (!str_eq(r->domain, "docker.io"))
		return xasprintf("%s/%s", r->domain, r->path);
	return xstrdup(familiar_path(r));
}

static char *familiar(const struct ref *r)
{
	if (!str_eq(r->domain, "docker.io"))
		return ref_full(r);
	return with_tag(r, "", familiar_path(r));
}

char *ref_familiar(const char *what, struct err *e)
{
	auto_ref struct ref r = {0};

	return ref_parse(what, &r, e) < 0 ? NULL : familiar(&r);
}

char *ref_tagged(const char *repository, const char *tag, struct err *e)
{
	auto_ref struct ref r = {0};

	if (ref_parse(repository, &r, e) < 0)
		return NULL;
	if (r.digest) {
		(void)err_set(e, ERR_USAGE, "cannot import digest reference");
		return NULL;
	}
	if (tag && *tag && !is_tag(tag)) {
		(void)err_set(e, ERR_USAGE, "invalid tag format");
		return NULL;
	}
	if (tag && *tag) {
		free(r.tag);
		r.tag = xstrdup(tag);
	}
	return familiar(&r);
}
