/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

struct range {
	int64_t first, last;
};

static bool is_ip(const char *s)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, s, address) == 1 || inet_pton(AF_INET6, s, address) == 1;
}

static char *trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	for (; n && isspace((unsigned char)*s); n--)
		s++;
	return xstrndup(s, n);
}

static int parse_port(const char *s, int64_t *out, struct err *e)
{
	/* No base prefixes and underscores: these are Go's decimal numbers. */
	if (strspn(s, "0123456789") != strlen(s))
		return err_set(e, ERR_USAGE, "strconv.ParseUint: parsing %s: invalid syntax", QUOTED(s));
	while (*s == '0' && s[1])
		s++;
	return parse_uint(s, UINT16_MAX, out, e);
}

/* "80", "80-90" */
static int parse_range(const char *s, struct range *out, struct err *e)
{
	const char *dash = strchr(s, '-');
	auto_free char *first = xstrndup(s, dash ? (size_t)(dash - s) : strlen(s));
	auto_free char *last = dash ? xstrndup(dash + 1, strcspn(dash + 1, "-")) : xstrdup(first);
	struct range r;

	if (!*s)
		return err_set(e, ERR_USAGE, "empty string specified for ports");
	if (parse_port(first, &r.first, e) < 0 || parse_port(last, &r.last, e) < 0)
		return -1;
	if (r.last < r.first)
		return err_set(e, ERR_USAGE, "invalid range specified for port: %s", s);
	*out = r;
	return 0;
}

/* "80/udp": proto is tcp where there is none. */
static void split_proto(const char *s, char **port, char **proto)
{
	size_t n = strcspn(s, "/"), m = s[n] ? strcspn(s + n + 1, "/") : 0;

	*port = xstrndup(s, n);
	*proto = m ? xstrndup(s + n + 1, m) : xstrdup("tcp");
}

static void to_lower(char *s)
{
	for (; *s; s++)
		*s = (char)tolower((unsigned char)*s);
}

/* The parts of one -p word. */
struct publish {
	char *ip, *host, *port, *proto;
	struct range inside, outside;
};

static void publish_done(struct publish *p)
{
	free(p->ip);
	free(p->host);
	free(p->port);
	free(p->proto);
}
#define auto_publish __attribute__((cleanup(publish_done)))

static void split_publish(const char *s, struct publish *p)
{
	const char *last = strrchr(s, ':'), *middle = NULL;

	for (const char *c = s; last && c < last; c++)
		if (*c == ':')
			middle = c;
	split_proto(last ? last + 1 : s, &p->port, &p->proto);
	to_lower(p->proto);
	p->host = !last    ? xstrdup("")
	          : middle ? xstrndup(middle + 1, (size_t)(last - middle - 1))
	                   : xstrndup(s, (size_t)(last - s));
	p->ip = middle ? xstrndup(s, (size_t)(middle - s)) : xstrdup("");
	if (*p->ip == '[' && p->ip[strlen(p->ip) - 1] == ']') {
		p->ip[strlen(p->ip) - 1] = '\0';
		memmove(p->ip, p->ip + 1, strlen(p->ip));
	}
}

static int check_publish(struct publish *p, const char *word, struct err *e)
{
	struct err ignored;

	if (*p->ip == '[')
		return err_set(e, ERR_USAGE,
			"invalid IP address %s: address %s:: missing ']' in address", p->ip, p->ip);
	if (*p->ip && !is_ip(p->ip))
		return err_set(e, ERR_USAGE, "invalid IP address: %s", p->ip);
	if (!*p->port)
		return err_set(e, ERR_USAGE, "no port specified: %s<empty>", word);
	if (parse_range(p->port, &p->inside, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid containerPort: %s", p->port);
	if (*p->host && parse_range(p->host, &p->outside, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid hostPort: %s", p->host);
	if (*p->host && p->inside.first != p->inside.last &&
		p->inside.last - p->inside.first != p->outside.last - p->outside.first)
		return err_set(e, ERR_USAGE,
			"invalid ranges specified for container and host Ports: %s and %s", p->port,
			p->host);
	if (!str_eq(p->proto, "tcp") && !str_eq(p->proto, "udp") && !str_eq(p->proto, "sctp"))
		return err_set(e, ERR_USAGE, "invalid proto: %s", p->proto);
	return 0;
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The words from before a range, sorted. Those of the range differ from each other; comparing each with all others
 * would take half a minute for 65535 ports. */
static char **sorted(const struct strv *list)
{
	char **v = xcalloc(list->n + 1, sizeof(char *));

	if (list->n)
		memcpy(v, list->v, list->n * sizeof(char *));
	qsort(v, list->n, sizeof(char *), by_word);
	return v;
}

static void add_port(struct strv *list, char *const *had, size_t n_had, const char *word)
{
	if (!bsearch(&word, had, n_had, sizeof(char *), by_word))
		strv_add(list, word);
}

static void add_publish(const struct publish *p, struct strv *ports, struct strv *exposed)
{
	const char *open = strchr(p->ip, ':') ? "[" : "", *close = *open ? "]" : "";
	bool single = p->inside.first == p->inside.last;
	auto_free char **had = sorted(exposed);
	size_t n_had = exposed->n;

	for (int64_t i = p->inside.first; i <= p->inside.last; i++) {
		auto_buf struct buf word = {0};
		auto_free char *inside = xasprintf("%d/%s", (int)i, p->proto);

		if (*p->ip)
			buf_printf(&word, "%s%s%s:", open, p->ip, close);
		if (*p->host)
			buf_printf(&word, "%d", (int)(p->outside.first + i - p->inside.first));
		if (*p->host && single && p->outside.first != p->outside.last)
			buf_printf(&word, "-%d", (int)p->outside.last);
		if (*p->host || *p->ip)
			buf_putc(&word, ':');
		buf_puts(&word, inside);
		strv_add(ports, word.s); /* the same twice is what docker takes, and refuses at the start */
		add_port(exposed, had, n_had, inside);
	}
}

/* "target=80,published=8080,protocol=udp" into the short form. Docker looks at no other keys. */
static int long_publish(const char *s, char **out, struct err *e)
{
	auto_strv struct strv known = {0};
	const char *target, *published, *proto;

	for (;; s++) {
		size_t n = strcspn(s, ",");
		auto_free char *field = xstrndup(s, n);

		if (!strchr(field, '=') || *field == '=')
			return err_set(e, ERR_USAGE,
				"invalid publish opts format (should be name=value but got '%s')",
				field);
		strv_env_set(&known, field);
		s += n;
		if (!*s)
			break;
	}
	target = strv_env(&known, "target");
	published = strv_env(&known, "published");
	proto = strv_env(&known, "protocol");
	*out = xasprintf("%s:%s/%s", published ? published + strlen("published=") : "",
		target ? target + strlen("target=") : "", proto ? proto + strlen("protocol=") : "tcp");
	return 0;
}

int parse_publish(const char *s, struct strv *ports, struct strv *exposed, struct err *e)
{
	auto_publish struct publish p = {0};
	auto_free char *short_form = NULL;

	if (strchr(s, '=') && long_publish(s, &short_form, e) < 0)
		return -1;
	split_publish(short_form ? short_form : s, &p);
	if (check_publish(&p, short_form ? short_form : s, e) < 0)
		return -1;
	add_publish(&p, ports, exposed);
	return 0;
}

int parse_port_filter(const char *s, int64_t *first, int64_t *last, char **proto, struct err *e)
{
	auto_free char *port = NULL, *p = NULL;
	struct range r;

	split_proto(s, &port, &p);
	to_lower(p);
	if (parse_range(port, &r, e) < 0)
		return -1;
	*first = r.first;
	*last = r.last;
	*proto = take(p);
	return 0;
}

int parse_expose(const char *s, struct strv *exposed, struct err *e)
{
	auto_free char *port = NULL, *proto = NULL;
	auto_free char **had = sorted(exposed);
	size_t n_had = exposed->n;
	struct range r;

	if (strchr(s, ':'))
		return err_set(e, ERR_USAGE, "invalid port format for --expose: %s", s);
	split_proto(s, &port, &proto);
	if (parse_range(port, &r, e) < 0) {
		struct err why = *e;

		return err_set(e, ERR_USAGE, "invalid range format for --expose: %s, error: %.200s",
			s, why.text);
	}
	for (int64_t i = r.first; i <= r.last; i++) {
		auto_free char *word = xasprintf("%d/%s", (int)i, proto);

		add_port(exposed, had, n_had, word);
	}
	return 0;
}

int parse_link(const char *s, struct err *e)
{
	if (!*s)
		return err_set(e, ERR_USAGE, "empty string specified for links");
	if (strchr(s, ':') != strrchr(s, ':'))
		return err_set(e, ERR_USAGE, "bad format for links: %s", s);
	return 0;
}

int parse_add_host(const char *s, struct strv *out, struct err *e)
{
	const char *sep = strchr(s, '=') ? strchr(s, '=') : strchr(s, ':');
	auto_free char *ip = sep ? xstrdup(sep + 1) : NULL, *address = NULL;

	if (!sep || sep == s || strcspn(s, ":") < (size_t)(sep - s))
		return err_set(e, ERR_USAGE, "bad format for add-host: %s", QUOTED(s));
	if (*ip == '[' && ip[strlen(ip) - 1] == ']') {
		ip[strlen(ip) - 1] = '\0';
		memmove(ip, ip + 1, strlen(ip));
	}
	address = trimmed(ip, strlen(ip)); /* so it is checked without them, and kept as it is */
	if (!str_eq(ip, "host-gateway") && !is_ip(address))
		return err_set(e, ERR_USAGE, "invalid IP address in add-host: %s", QUOTED(sep + 1));
	strv_addf(out, "%.*s:%s", (int)(sep - s), s, ip);
	return 0;
}

/* Go's spelling: in small letters, the longest run of zeros left out, and an IPv4 address in IPv6 is the former. */
int parse_ip(const char *s, char **out, struct err *e)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	auto_free char *word = trimmed(s, strlen(s));
	unsigned char address[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];
	bool v4 = inet_pton(AF_INET, word, address) == 1;

	if (!v4 && inet_pton(AF_INET6, word, address) != 1)
		return err_set(e, ERR_USAGE, "IP address is not correctly formatted: %s", s);
	if (!v4 && memcmp(address, mapped, sizeof(mapped)) == 0) {
		memmove(address, address + sizeof(mapped), sizeof(struct in_addr));
		v4 = true;
	}
	*out = xstrdup(inet_ntop(v4 ? AF_INET : AF_INET6, address, text, sizeof(text)));
	return 0;
}

/* Labels of letters, digits and inner dashes with dots between; one dot may follow. */
static bool is_domain(const char *s)
{
	bool alpha = false;

	if (strlen(s) >= 255)
		return false;
	while (*s) {
		size_t n = strcspn(s, ".");

		if (n == 0 || *s == '-' || s[n - 1] == '-')
			return false;
		for (size_t i = 0; i < n; i++) {
			alpha |= isalpha((unsigned char)s[i]) != 0;
			if (!isalnum((unsigned char)s[i]) && s[i] != '-')
				return false;
		}
		s += n + (s[n] == '.');
	}
	return alpha;
}

int parse_dns_search(const char *s, struct strv *out, struct err *e)
{
	auto_free char *word = xstrdup(s + strspn(s, " "));

	while (*word && word[strlen(word) - 1] == ' ')
		word[strlen(word) - 1] = '\0';
	if (!str_eq(word, ".") && !is_domain(word))
		return err_set(e, ERR_USAGE, "%s is not a valid domain", word);
	/* the dot which ends a full name is not kept */
	if (word[0] && word[1] && word[strlen(word) - 1] == '.')
		word[strlen(word) - 1] = '\0';
	strv_add(out, word);
	return 0;
}

bool parse_network_is_own(const char *network)
{
	static const char *const others[] = {"none", "host", "bridge", "default"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (str_eq(others[i], network))
			return false;
	return network && *network && !str_starts(network, "container:");
}

/* docker's client takes "key=value" anywhere in the word for the long form: "name=" is a network's name. */
static bool is_long_form(const char *s)
{
	for (const char *c = strchr(s, '='); c; c = strchr(c + 1, '='))
		if (c > s && (isalnum((unsigned char)c[-1]) || c[-1] == '_') &&
			(isalnum((unsigned char)c[1]) || c[1] == '_'))
			return true;
	return false;
}

static void set_word(char **place, const char *value)
{
	free(*place);
	*place = xstrdup(value);
}

static int driver_option(const char *s, struct network_word *w, struct err *e)
{
	const char *equals = strchr(s, '=');
	auto_free char *key = equals ? trimmed(s, (size_t)(equals - s)) : NULL;
	auto_free char *value = equals ? trimmed(equals + 1, strlen(equals + 1)) : NULL;
	auto_free char *kv = NULL;

	if (!equals || equals == s)
		return err_set(e, ERR_USAGE, "invalid key value pair format in driver options");
	kv = xasprintf("%s=%s", key, value);
	strv_env_set(&w->driver_opts, kv);
	return 0;
}

static int gw_priority(const char *s, int64_t *out, struct err *e)
{
	const char *digits = s + (*s == '-' || *s == '+');
	struct err ignored;

	if (!*digits || strspn(digits, "0123456789") != strlen(digits))
		return err_set(e, ERR_USAGE, "invalid gw-priority (%s): invalid syntax", s);
	while (*digits == '0' && digits[1])
		digits++;
	if (parse_uint(digits, INT64_MAX, out, &ignored) < 0)
		return err_set(e, ERR_USAGE, "invalid gw-priority (%s): value out of range", s);
	*out = *s == '-' ? -*out : *out;
	return 0;
}

/* One "key=value", all in small letters by now. */
static int network_field(const char *key, const char *value, struct network_word *w, struct err *e)
{
	if (str_eq(key, "name"))
		set_word(&w->name, value);
	else if (str_eq(key, "alias"))
		strv_add(&w->aliases, value);
	else if (str_eq(key, "ip"))
		set_word(&w->ip, value);
	else if (str_eq(key, "ip6"))
		set_word(&w->ip6, value);
	else if (str_eq(key, "mac-address"))
		set_word(&w->mac, value);
	else if (str_eq(key, "link-local-ip"))
		strv_add(&w->link_local, value);
	else if (str_eq(key, "driver-opt"))
		return driver_option(value, w, e);
	else if (str_eq(key, "gw-priority"))
		return gw_priority(value, &w->gw_priority, e);
	else
		return err_set(e, ERR_USAGE, "invalid field key %s", key);
	return 0;
}

static int network_fields(const char *s, struct network_word *w, struct err *e)
{
	auto_strv struct strv fields = {0};

	if (parse_csv(s, &fields, e) < 0)
		return -1;
	for (size_t i = 0; i < fields.n; i++) {
		auto_free char *low = xstrdup(fields.v[i]), *key = NULL, *value = NULL;
		size_t n = strcspn(low, "=");

		if (n == 0 || !low[n])
			return err_set(e, ERR_USAGE, "invalid field %s", fields.v[i]);
		for (char *c = low; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		key = trimmed(low, n);
		value = trimmed(low + n + 1, strlen(low + n + 1));
		if (network_field(key, value, w, e) < 0)
			return -1;
	}
	return w->name && *w->name ? 0 : err_set(e, ERR_USAGE, "network name/id is not specified");
}

int parse_network(const char *s, struct network_word *out, struct err *e)
{
	struct network_word w = {0};

	if (!is_long_form(s)) {
		w.name = xstrdup(s);
	} else if (network_fields(s, &w, e) < 0) {
		network_word_done(&w);
		return -1;
	}
	*out = w;
	return 0;
}

void network_word_done(struct network_word *w)
{
	free(w->name);
	free(w->ip);
	free(w->ip6);
	free(w->mac);
	strv_done(&w->aliases);
	strv_done(&w->link_local);
	strv_done(&w->driver_opts);
}

bool parse_hostname_ok(const char *s)
{
	/* Nothing that would begin another line in /etc/hosts. The kernel checks the length, at the start. */
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

/* Groups of so many hexadecimal digits, and how many groups; 0: something else is there as well. */
static int hex_groups(const char *s, int digits, char separator)
{
	for (int n = 1;; n++, s++) {
		for (int i = 0; i < digits; i++, s++)
			if (!isxdigit((unsigned char)*s))
				return 0;
		if (!*s)
			return n;
		if (*s != separator)
			return 0;
	}
}

/* What Go's net.ParseMAC takes: 6, 8 or 20 bytes, each by itself or two and two with points between. */
bool parse_mac_ok(const char *s)
{
	bool pairs = strchr(s, '.');
	int n = pairs ? 2 * hex_groups(s, 4, '.') : hex_groups(s, 2, strchr(s, '-') ? '-' : ':');

	return n == 6 || n == 8 || n == 20;
}
