/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"

#include "opt.h"
#include "str.h"

#include <ctype.h>
#include <string.h>

#define DEFAULT_SOCKET "/var/run/docker.sock"
#define DEFAULT_PIPE   "//./pipe/docker_engine"
#define DEFAULT_PORT   "2375"

static int bad_address(const char *word, struct err *e)
{
	return err_set(e, ERR_USAGE, "invalid bind address format: %s", word);
}

/* The error of Go's url.Parse about "tcp://ADDRESS"; `before` is followed by a part of it in quotes. */
static int bad_url(const char *address, const char *before, const char *part, size_t n,
	const char *after, struct err *e)
{
	auto_free char *whole = xasprintf("tcp://%s", address), *cut = xstrndup(part, n);
	auto_buf struct buf url = {0}, quoted = {0};

	buf_quote(&url, whole);
	if (n)
		buf_quote(&quoted, cut);
	return err_set(e, ERR_USAGE, "parse %s: %s%s%s", url.s, before, n ? quoted.s : "", after);
}

static bool is_port(const char *s, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return n == 0 || *s == ':';
}

/* Characters that a URL's host may have without being escaped. */
static bool is_host_char(char c)
{
	return (c & 0x80) || isalnum((unsigned char)c) || strchr("!$&'()*+,;=:[]<>\"-_.~", c);
}

/* Checks the host with its port, n bytes; *port: the position of the ":" before the port, or n. */
static int check_authority(const char *address, const char *host, size_t n, size_t *port, struct err *e)
{
	const char *end = host + n, *colon = memrchr(host, ':', n), *bracket = NULL;

	if (n && *host == '[') {
		bracket = memrchr(host, ']', n);
		if (!bracket)
			return bad_url(address, "missing ']' in host", "", 0, "", e);
		colon = bracket + 1 < end ? bracket + 1 : NULL;
	}
	if (colon && !is_port(colon, (size_t)(end - colon)))
		return bad_url(address, "invalid port ", colon, (size_t)(end - colon), " after host", e);
	for (const char *c = host; c < end; c++) {
		if (*c == '%')
			return bad_url(address, "invalid URL escape ", c,
				end - c < 3 ? (size_t)(end - c) : 3, "", e);
		if (!is_host_char(*c))
			return bad_url(address, "invalid character ", c, 1, " in host name", e);
	}
	*port = colon ? (size_t)(colon - host) : n;
	return 0;
}

static int parse_tcp(const char *word, const char *address, char **out, struct err *e)
{
	const char *host, *path, *user;
	size_t n, port = 0, rest;

	if (!*address) {
		*out = xstrdup("tcp://localhost:" DEFAULT_PORT);
		return 0;
	}
	address += str_starts(address, "tcp://") ? strlen("tcp://") : 0;
	host = address;
	if (!*address || strstr(address, "://"))
		return bad_address(word, e);
	for (const char *c = address; *c; c++)
		if (iscntrl((unsigned char)*c))
			return bad_url(
				address, "net/url: invalid control character in URL", "", 0, "", e);
	n = strcspn(address, "/?#");
	path = address + n;
	user = memrchr(address, '@', n);
	if (user) {
		n -= (size_t)(user + 1 - address);
		host = user + 1;
	}
	if (check_authority(address, host, n, &port, e) < 0)
		return -1;
	rest = strcspn(path, "?#");
	n -= port + 1 == n; /* a ":" alone */
	/* several colons and no brackets: an IPv6 address without a port */
	if (*host != '[' && memchr(host, ':', port))
		*out = xasprintf("tcp://[%.*s]:" DEFAULT_PORT "%.*s", (int)n, host, (int)rest, path);
	else if (port == n && *host == '[' && path[-1] != ':')
		return bad_address(word, e);
	else
		*out = xasprintf("tcp://%.*s%s%.*s%.*s", (int)port, host, port ? "" : "localhost",
			port < n ? (int)(n - port) : (int)strlen(":" DEFAULT_PORT),
			port < n ? host + port : ":" DEFAULT_PORT, (int)rest, path);
	return 0;
}

static int parse_simple(
	const char *proto, const char *address, const char *other, char **out, struct err *e)
{
	auto_free char *head = xasprintf("%s://", proto);

	address += str_starts(address, head) ? strlen(head) : 0;
	if (strstr(address, "://"))
		return err_set(e, ERR_USAGE, "invalid %s address: %s", proto, address);
	*out = xasprintf("%s://%s", proto, *address ? address : other);
	return 0;
}

int endpoint_parse(const char *word, char **out, struct err *e)
{
	const char *from = word + strspn(word, " \t\r\n\v\f"), *address;
	size_t n = strlen(from);
	auto_free char *all = NULL, *proto = NULL;

	while (n && isspace((unsigned char)from[n - 1]))
		n--;
	all = xstrndup(from, n);
	address = strstr(all, "://");
	proto = address ? xstrndup(all, (size_t)(address - all)) : xstrdup(*all ? "tcp" : "unix");
	address = address ? address + strlen("://") : all;
	if (str_eq(proto, "unix"))
		return parse_simple(proto, address, DEFAULT_SOCKET, out, e);
	if (str_eq(proto, "npipe"))
		return parse_simple(proto, address, DEFAULT_PIPE, out, e);
	if (str_eq(proto, "tcp"))
		return parse_tcp(all, address, out, e);
	if (!str_eq(proto, "fd") && !str_eq(proto, "ssh"))
		return bad_address(all, e);
	*out = take(all);
	return 0;
}

/* ssh://[USER@]HOST[:PORT][/SOCKET] */
static int usable_ssh(const char *address, struct err *e)
{
	static const char head[] = "ssh host connection is not valid: invalid SSH URL:";
	size_t n = strcspn(address, "/?#");
	const char *user = memrchr(address, '@', n), *host = user ? user + 1 : address,
		   *rest = address + n;

	if (user && memchr(address, ':', (size_t)(user - address)))
		return err_set(e, ERR_USAGE, "%s plain-text password is not supported", head);
	if (host == rest || *host == ':')
		return err_set(e, ERR_USAGE, "%s hostname is empty", head);
	rest = strpbrk(rest, "?#");
	if (!rest)
		return 0;
	n = strcspn(rest + 1, "#");
	if (*rest == '?' && n)
		return err_set(e, ERR_USAGE, "%s query parameters are not allowed: \"%.*s\"", head,
			(int)n, rest + 1);
	rest = strchr(rest, '#');
	return rest && rest[1]
	               ? err_set(e, ERR_USAGE, "%s fragments are not allowed: \"%s\"", head, rest + 1)
	               : 0;
}

int endpoint_usable(const char *host, struct err *e)
{
	if (str_starts(host, "npipe://"))
		return err_set(e, ERR_USAGE, "protocol not available");
	if (str_eq(host, "fd://"))
		return err_set(e, ERR_USAGE, "unable to parse docker host `%s`", host);
	return str_starts(host, "ssh://") ? usable_ssh(host + strlen("ssh://"), e) : 0;
}
