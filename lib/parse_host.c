/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool in(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s, words[i]))
			return true;
	return false;
}

int parse_ulimit(const char *s, struct spec_ulimit *out, struct err *e)
{
	static const char *const names[] = {"core", "cpu", "data", "fsize", "locks", "memlock",
		"msgqueue", "nice", "nofile", "nproc", "rss", "rtprio", "rttime", "sigpending", "stack"};
	const char *value = strchr(s, '='), *colon;
	auto_free char *name = NULL, *soft = NULL;
	struct spec_ulimit u = {0};

	if (!value)
		return err_set(e, ERR_USAGE, "invalid ulimit argument: %s", s);
	name = xstrndup(s, (size_t)(value - s));
	value++;
	if (!in(name, names, ARRAY_LEN(names)))
		return err_set(e, ERR_USAGE, "invalid ulimit type: %s", name);
	colon = strchr(value, ':');
	if (colon && strchr(colon + 1, ':'))
		return err_set(e, ERR_USAGE,
			"too many limit value arguments - %s, can only have up to two, `soft[:hard]`",
			value);
	soft = xstrndup(value, colon ? (size_t)(colon - value) : strlen(value));
	if (parse_decimal(colon ? colon + 1 : soft, &u.hard, e) < 0 ||
		parse_decimal(soft, &u.soft, e) < 0)
		return -1;
	if (u.hard != -1 && u.soft == -1)
		return err_set(e, ERR_USAGE,
			"ulimit soft limit must be less than or equal to hard limit: soft: -1 "
			"(unlimited), hard: %lld",
			(long long)u.hard);
	if (u.hard != -1 && u.soft > u.hard)
		return err_set(e, ERR_USAGE,
			"ulimit soft limit must be less than or equal to hard limit: %lld > %lld",
			(long long)u.soft, (long long)u.hard);
	(void)snprintf(u.name, sizeof(u.name), "%s", name); /* one of the names above */
	*out = u;
	return 0;
}

int parse_restart(const char *s, char **policy, int64_t *max, struct err *e)
{
	const char *colon = strchr(s, ':');
	int64_t n = 0;

	if (colon == s)
		return err_set(e, ERR_USAGE,
			"invalid restart policy format: no policy provided before colon");
	if (colon && colon[1] && parse_decimal(colon + 1, &n, e) < 0)
		return err_set(e, ERR_USAGE,
			"invalid restart policy format: maximum retry count must be an integer");
	free(*policy);
	*policy = xstrndup(s, colon ? (size_t)(colon - s) : strlen(s));
	*max = n;
	return 0;
}

static bool names_container(const char *s)
{
	return str_starts(s, "container:") && s[strlen("container:")];
}

int parse_pid_mode(const char *s, struct err *e)
{
	if (*s && !str_eq(s, "host") && !names_container(s))
		return err_set(e, ERR_USAGE, "--pid: invalid PID mode");
	return 0;
}

int parse_uts_mode(const char *s, struct err *e)
{
	if (*s && !str_eq(s, "host"))
		return err_set(e, ERR_USAGE, "--uts: invalid UTS mode");
	return 0;
}

int parse_userns_mode(const char *s, struct err *e)
{
	if (*s && !str_eq(s, "host"))
		return err_set(e, ERR_USAGE, "--userns: invalid USER mode");
	return 0;
}

int parse_cgroupns_mode(const char *s, struct err *e)
{
	if (*s && !str_eq(s, "host") && !str_eq(s, "private"))
		return err_set(e, ERR_USAGE, "--cgroupns: invalid CGROUP mode");
	return 0;
}

int parse_ipc_mode(const char *s, struct err *e)
{
	static const char *const modes[] = {"", "none", "private", "shareable", "host"};

	/* docker looks for the container later, even if no name follows */
	if (!in(s, modes, ARRAY_LEN(modes)) && !str_starts(s, "container:"))
		return err_set(e, ERR_USAGE, "invalid IPC mode: %s", s);
	return 0;
}

static bool is_device_mode(const char *s)
{
	bool once = strcspn(s, "r") == (size_t)((strrchr(s, 'r') ? strrchr(s, 'r') : s + strlen(s)) - s);

	once = once && (!strchr(s, 'w') || strchr(s, 'w') == strrchr(s, 'w'));
	once = once && (!strchr(s, 'm') || strchr(s, 'm') == strrchr(s, 'm'));
	return *s && once && strspn(s, "rwm") == strlen(s);
}

/* The length of the prefix of s that is a letter (or with `digit` a digit), then letters, digits and `inner`. */
static size_t qualified(const char *s, bool digit, const char *inner)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*s) && !(digit && isdigit((unsigned char)*s)))
		return 0;
	while (isalnum((unsigned char)s[n]) || (s[n] && strchr(inner, s[n])))
		n++;
	return isalnum((unsigned char)s[n - 1]) ? n : 0;
}

bool parse_is_cdi(const char *s)
{
	size_t n = qualified(s, false, "_-.");

	if (!n || s[n] != '/')
		return false;
	s += n + 1;
	n = qualified(s, false, "_-");
	if (!n || s[n] != '=')
		return false;
	s += n + 1;
	n = qualified(s, true, "_-.:");
	return n && !s[n];
}

int parse_device(const char *s, char **out, struct err *e)
{
	const char *second = strchr(s, ':'), *third = second ? strchr(second + 1, ':') : NULL;
	auto_free char *host = xstrndup(s, strcspn(s, ":")), *container = NULL, *clean = NULL;
	const char *mode = third ? third + 1 : "rwm";

	if (!*host || (third && strchr(third + 1, ':')))
		return err_set(e, ERR_USAGE, "bad format for path: %s", s);
	if (third && !is_device_mode(mode))
		return err_set(e, ERR_USAGE, "bad mode specified: %s", mode);
	if (second && !third && is_device_mode(second + 1)) {
		mode = second + 1;
		second = NULL;
	}
	container = second ? xstrndup(second + 1, strcspn(second + 1, ":")) : xstrdup(host);
	if (*container != '/') /* a path on the host may be anything: it is looked for when the container starts */
		return err_set(e, ERR_USAGE, "%s is not an absolute path", container);
	clean = third ? xstrdup(container) : parse_clean_path(container);
	*out = xasprintf("%s:%s:%s", second ? host : clean, clean, mode);
	return 0;
}

static size_t number_or_star(const char *s)
{
	return *s == '*' ? 1 : strspn(s, "0123456789");
}

int parse_device_rule(const char *s, struct err *e)
{
	const char *at = s;
	bool good = *at && strchr("abc", *at) && at[1] == ' ';
	size_t n;

	at += good ? 2 : 0;
	n = number_or_star(at);
	good = good && n && at[n] == ':';
	at += good ? n + 1 : 0;
	n = number_or_star(at);
	good = good && n && at[n] == ' ' && is_device_mode(at + n + 1);
	return good ? 0 : err_set(e, ERR_USAGE, "invalid device cgroup format '%s'", s);
}

int parse_sysctl(const char *s, struct err *e)
{
	static const char *const ipc[] = {"kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.sem",
		"kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced"};
	const char *equals = strchr(s, '=');
	auto_free char *name = xstrndup(s, strcspn(s, "="));

	/* The name becomes a path below /proc/sys. */
	if (!equals || strstr(name, "..") || strchr(name, '/') ||
		(!in(name, ipc, ARRAY_LEN(ipc)) && !str_starts(name, "net.") &&
			!str_starts(name, "fs.mqueue.")))
		return err_set(e, ERR_USAGE, "sysctl '%s' is not allowed", s);
	return 0;
}

int parse_security_opt(const char *s, struct err *e)
{
	static const char *const keys[] = {"label", "apparmor", "seccomp", "no-new-privileges",
		"systempaths", "writable-cgroups"};
	const char *sep = strchr(s, '=') ? strchr(s, '=') : strchr(s, ':');
	auto_free char *key = xstrndup(s, sep ? (size_t)(sep - s) : strlen(s));
	const char *value = sep ? sep + 1 : "";
	bool ignored;

	if (!sep && !str_eq(key, "no-new-privileges"))
		return err_set(e, ERR_USAGE, "Invalid --security-opt: %s", QUOTED(s));
	if (str_eq(key, "seccomp") && !*value)
		return err_set(e, ERR_USAGE, "Invalid --security-opt: %s", QUOTED(s));
	if (!in(key, keys, ARRAY_LEN(keys)) ||
		(str_eq(key, "systempaths") && !str_eq(s, "systempaths=unconfined")))
		return err_set(e, ERR_USAGE, "invalid --security-opt 2: %s", QUOTED(s));
	if ((str_eq(key, "no-new-privileges") || str_eq(key, "writable-cgroups")) && sep &&
		parse_bool(value, &ignored, e) < 0)
		return err_set(e, ERR_USAGE, "invalid --security-opt 2: %s", QUOTED(s));
	return 0;
}

const char *parse_arch(const char *s)
{
	static const char *const same[][2] = {{"x86_64", "amd64"}, {"x86-64", "amd64"},
		{"aarch64", "arm64"}, {"i386", "386"}, {"armhf", "arm"}, {"armel", "arm"}};

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (strcasecmp(s, same[i][0]) == 0)
			return same[i][1];
	return s;
}

#define PLATFORM_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

/* "linux", "windows(10.0)" */
static bool is_system(const char *s, size_t n)
{
	size_t name = strspn(s, PLATFORM_CHARS);

	if (!name || name >= n)
		return name > 0;
	return s[name] == '(' && name + 1 + strspn(s + name + 1, PLATFORM_CHARS ".") == n - 1 &&
	       s[n - 1] == ')';
}

/* Checks the parts up to the third slash; what follows is one part. */
static int platform_parts_ok(const char *s, struct err *e)
{
	size_t parts = 1;

	if (strchr(s, '*'))
		return err_set(e, ERR_USAGE, "%s: wildcards not yet supported: invalid argument",
			QUOTED(s));
	for (const char *at = s;; parts++) {
		size_t n = parts < 4 ? strcspn(at, "/") : strlen(at);

		if (parts == 1 && !is_system(at, n))
			return err_set(e, ERR_USAGE,
				"%s is an invalid OS component of %s: OSAndVersion specifier "
				"component must match \"^([A-Za-z0-9_-]+)(?:\\\\(([A-Za-z0-9_.-]*)\\\\))?$\": "
				"invalid argument",
				QUOTED_N(at, n), QUOTED(s));
		if (parts > 1 && (!n || strspn(at, PLATFORM_CHARS ".") < n))
			return err_set(e, ERR_USAGE,
				"%s is an invalid component of %s: platform specifier component "
				"must match \"^[A-Za-z0-9_.-]+$\": invalid argument",
				QUOTED_N(at, n), QUOTED(s));
		if (!at[n])
			break;
		at += n + 1;
	}
	if (parts > 3)
		return err_set(e, ERR_USAGE,
			"%s: cannot parse platform specifier: invalid argument", QUOTED(s));
	return 0;
}

int parse_platform(const char *s, char **os, char **arch, char **variant, struct err *e)
{
	static const char *const systems[] = {"linux", "windows", "darwin", "freebsd"};
	static const char *const arches[] = {"386", "amd64", "arm", "arm64", "loong64", "mips64",
		"mips64le", "ppc64", "ppc64le", "riscv64", "s390x"};
	size_t n = strcspn(s, "/"), m = s[n] ? strcspn(s + n + 1, "/") : 0;
	const char *rest = s[n] && s[n + 1 + m] ? s + n + 2 + m : "";
	auto_free char *first = xstrndup(s, n), *second = m ? xstrndup(s + n + 1, m) : NULL;
	const char *component = parse_arch(first);

	if (platform_parts_ok(s, e) < 0)
		return -1;
	for (char *c = first; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (char *c = second; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!second && !in(first, systems, ARRAY_LEN(systems)) &&
		!in(component, arches, ARRAY_LEN(arches)))
		return err_set(e, ERR_USAGE,
			"%s: unknown operating system or architecture: invalid argument", QUOTED(s));
	if (!second && in(component, arches, ARRAY_LEN(arches))) {
		second = xstrdup(component);
		free(first);
		first = xstrdup("linux");
	}
	*os = take(first);
	*arch = second ? xstrdup(parse_arch(second)) : NULL;
	*variant = *rest ? xstrdup(rest) : NULL;
	return 0;
}

/* One of "a", "ctrl-a", "ctrl-[", "DEL" ... as the byte a terminal sends; -1 when it is none. */
static int detach_key(const char *s, size_t n)
{
	static const char control[] = "@abcdefghijklmnopqrstuvwxyz[\\]^_";
	const char *at;

	if (n == 1)
		return (unsigned char)*s;
	if (n == strlen("DEL") && strncmp(s, "DEL", n) == 0)
		return 0x7f;
	if (n != strlen("ctrl-x") || strncmp(s, "ctrl-", 5) != 0)
		return -1;
	at = strchr(control, s[5]);
	return at && s[5] ? (int)(at - control) : -1;
}

int parse_detach_keys(const char *s, unsigned char *keys, size_t *n, size_t max, struct err *e)
{
	size_t count = 0;

	for (const char *at = s; *at;) {
		size_t len = strcspn(at, ",");
		int key = detach_key(at, len);

		if (key < 0 || count == max || (at[len] && !at[len + 1]))
			return err_set(e, ERR_USAGE, "invalid detach keys (%s) provided", s);
		keys[count++] = (unsigned char)key;
		at += len + (at[len] == ',');
	}
	*n = count;
	return 0;
}
