/* SPDX-License-Identifier: Apache-2.0 */
#include "etc.h"

#include "sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static bool own_network(const struct spec *s)
{
	return !str_eq(s->network, "host");
}

/* ---- hosts
 * ---------------------------------------------------------------------------- */

static const char always[] = "127.0.0.1\tlocalhost\n"
			     "::1\tlocalhost ip6-localhost ip6-loopback\n"
			     "fe00::0\tip6-localnet\n"
			     "ff00::0\tip6-mcastprefix\n"
			     "ff02::1\tip6-allnodes\n"
			     "ff02::2\tip6-allrouters\n";

/* "name:address"; the address "host-gateway" means the machine outside: with its network, 127.0.0.1; without, there is
 * no way to it: then the address of docker's machines is used, which fails at once (unreachable), while on the
 * loopback address the container itself would answer. */
static void extra_host(struct buf *out, const char *entry, bool own)
{
	size_t n = strcspn(entry, ":=");
	const char *address = entry + n + 1;

	if (!entry[n])
		return; /* the front door has refused it already */
	if (strcmp(address, "host-gateway") == 0)
		address = own ? "172.17.0.1" : "127.0.0.1";
	if (*address == '[')
		buf_printf(out, "%.*s\t%.*s\n", (int)strcspn(address + 1, "]"), address + 1, (int)n,
			entry);
	else
		buf_printf(out, "%s\t%.*s\n", address, (int)n, entry);
}

/* In docker's networks a container can look itself up by name, so it can here: by an address that maps back to this
 * name and not to localhost. With "none" docker has no such line. */
static void own_name(struct buf *out, const struct spec *s)
{
	bool domain = s->domainname && *s->domainname;
	const char *dot;

	if (!own_network(s) || !s->hostname || !*s->hostname || str_eq(s->network, "none"))
		return;
	dot = strchr(s->hostname, '.');
	buf_printf(out, "127.0.1.1\t%s%s%s", s->hostname, domain ? "." : "", domain ? s->domainname : "");
	if (dot || domain)
		buf_printf(out, " %.*s", dot ? (int)(dot - s->hostname) : (int)strlen(s->hostname),
			s->hostname);
	buf_putc(out, '\n');
}

void etc_hosts(struct buf *out, const struct spec *s, const char *host_text)
{
	/* With the host's network the host's file is used as it is, unless the user adds names. */
	if (!own_network(s) && s->extra_hosts.n == 0 && host_text) {
		buf_puts(out, host_text);
		return;
	}
	buf_puts(out, always);
	for (size_t i = 0; i < s->extra_hosts.n; i++)
		extra_host(out, s->extra_hosts.v[i], own_network(s));
	own_name(out, s);
}

void etc_hostname(struct buf *out, const struct spec *s)
{
	buf_printf(out, "%s\n", s->hostname ? s->hostname : "");
}

/* ---- resolv.conf
 * ---------------------------------------------------------------------- */

struct resolv {
	struct strv servers, search, options, other;
};

static void resolv_done(struct resolv *r)
{
	strv_done(&r->servers);
	strv_done(&r->search);
	strv_done(&r->options);
	strv_done(&r->other);
}

/* Whether a name server can be reached: not one on the host's loopback from another network, nor one of IPv6. */
static bool reachable(const char *server, bool own)
{
	struct in_addr v4;

	if (!own)
		return true;
	return inet_pton(AF_INET, server, &v4) == 1 && ntohl(v4.s_addr) >> 24 != IN_LOOPBACKNET;
}

static void add_words(struct strv *to, const char *rest)
{
	static const char blank[] = " \t\r";

	for (rest += strspn(rest, blank); *rest; rest += strspn(rest, blank)) {
		size_t n = strcspn(rest, blank);

		strv_take(to, xstrndup(rest, n));
		rest += n;
	}
}

static void line_of(struct buf *out, const char *key, const struct strv *words)
{
	if (words->n == 0)
		return;
	buf_puts(out, key);
	for (size_t i = 0; i < words->n; i++)
		buf_printf(out, " %s", words->v[i]);
	buf_putc(out, '\n');
}

static void parse_line(struct resolv *r, char *line, bool own)
{
	char *word = line + strspn(line, " \t\r");
	size_t n = strcspn(word, " \t\r");
	struct strv words = {0};

	if (n == 0 || *word == '#' || *word == ';')
		return;
	add_words(&words, word + n);
	word[n] = '\0';
	if (strcmp(word, "nameserver") == 0) {
		if (words.n > 0 && reachable(words.v[0], own))
			strv_add(&r->servers, words.v[0]);
	} else if (strcmp(word, "search") == 0 || strcmp(word, "domain") == 0) {
		if (words.n > 0) /* the last one counts */
			strv_copy(&r->search, &words);
	} else if (strcmp(word, "options") == 0) {
		for (size_t i = 0; i < words.n; i++)
			strv_add(&r->options, words.v[i]);
	} else {
		auto_buf struct buf whole = {0};

		line_of(&whole, word, &words);
		if (whole.len) /* as other lines it gets its newline when it is written */
			whole.s[whole.len - 1] = '\0';
		strv_add(&r->other, whole.len ? whole.s : word);
	}
	strv_done(&words);
}

/* --dns-search . is how to say "none". */
static void override_search(struct strv *search, const struct strv *given)
{
	strv_done(search);
	for (size_t i = 0; i < given->n; i++)
		if (strcmp(given->v[i], ".") != 0)
			strv_add(search, given->v[i]);
}

void etc_resolv(struct buf *out, const struct spec *s, const char *host_text)
{
	__attribute__((cleanup(resolv_done))) struct resolv r = {0};
	auto_free char *text = xstrdup(host_text ? host_text : "");
	bool own = own_network(s);
	char *rest = text, *line;

	if (!own && host_text && s->dns.n + s->dns_search.n + s->dns_options.n == 0) {
		buf_puts(out, host_text);
		return;
	}
	while ((line = strsep(&rest, "\n")))
		parse_line(&r, line, own);
	if (s->dns.n)
		strv_copy(&r.servers, &s->dns);
	if (s->dns_search.n)
		override_search(&r.search, &s->dns_search);
	if (s->dns_options.n)
		strv_copy(&r.options, &s->dns_options);
	if (r.servers.n == 0 && own) { /* docker's choice */
		strv_add(&r.servers, "8.8.8.8");
		strv_add(&r.servers, "8.8.4.4");
	}
	for (size_t i = 0; i < r.servers.n; i++)
		buf_printf(out, "nameserver %s\n", r.servers.v[i]);
	line_of(out, "search", &r.search);
	line_of(out, "options", &r.options);
	for (size_t i = 0; i < r.other.n; i++)
		buf_printf(out, "%s\n", r.other.v[i]);
}

/* ---- files
 * ---------------------------------------------------------------------------- */

#define HOST_FILE_MAX (16u << 20) /* lists of what not to reach have some megabytes */

/* A file that cannot be read counts as missing: a host may do without these files. */
static char *read_host(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	auto_buf struct buf text = {0};
	char chunk[8192];
	ssize_t n;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && text.len + (size_t)n <= HOST_FILE_MAX)
		buf_add(&text, chunk, (size_t)n);
	return n == 0 ? buf_take(&text) : NULL;
}

static int put(int fd, const char *name, const struct buf *text, struct err *e)
{
	for (size_t at = 0; at < text->len;) {
		ssize_t n = write(fd, text->s + at, text->len - at);

		if (n < 0 && errno != EINTR)
			return err_sys(e, "write %s", name);
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int write_file(int dir, const char *name, const struct buf *text, struct err *e)
{
	auto_close int fd = sys_open_empty(dir, name, 0644);

	if (fd < 0)
		return err_sys(e, "create %s", name);
	/* All users in the container may read it, whatever the caller's umask. */
	if (fchmod(fd, 0644) < 0)
		return err_sys(e, "chmod %s", name);
	return put(fd, name, text, e);
}

static bool holds(int fd, const struct buf *text)
{
	auto_free char *now = xcalloc(text->len + 1, 1);

	return pread(fd, now, text->len + 1, 0) == (ssize_t)text->len &&
	       memcmp(now, text->len ? text->s : now, text->len) == 0;
}

static int renew_file(int dir, const char *name, const struct buf *text, struct err *e)
{
	auto_close int fd = sys_openat2(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);

	/* Somebody who shares our network has a lease of it, and may keep the file. */
	if (fd < 0 && errno == EWOULDBLOCK && unlinkat(dir, name, 0) == 0)
		errno = ENOENT;
	if (fd < 0 && errno == ENOENT)
		return write_file(dir, name, text, e);
	if (fd < 0)
		return err_sys(e, "open %s", name);
	if (holds(fd, text))
		return 0;
	return ftruncate(fd, 0) < 0 ? err_sys(e, "truncate %s", name) : put(fd, name, text, e);
}

static int each_file(int dir, const struct spec *s,
	int (*file)(int dir, const char *name, const struct buf *text, struct err *e), struct err *e)
{
	auto_free char *hosts = own_network(s) ? NULL : read_host("/etc/hosts");
	auto_free char *resolv = read_host("/etc/resolv.conf");
	auto_buf struct buf a = {0}, b = {0}, c = {0};

	etc_hosts(&a, s, hosts);
	etc_hostname(&b, s);
	etc_resolv(&c, s, resolv);
	if (file(dir, "hosts", &a, e) < 0 || file(dir, "hostname", &b, e) < 0 ||
		file(dir, "resolv.conf", &c, e) < 0)
		return -1;
	return 0;
}

int etc_write(int dir, const struct spec *s, struct err *e)
{
	return each_file(dir, s, write_file, e);
}

int etc_renew(int dir, const struct spec *s, struct err *e)
{
	return each_file(dir, s, renew_file, e);
}
