/* SPDX-License-Identifier: Apache-2.0 */
/* spec_log: which log drivers there are, and which options each has. */
#include "parse.h"
#include "spec.h"
#include "spec_rows.h"

#include <string.h>

bool spec_log_is_remote(const char *driver)
{
	static const char *const remote[] = {
		"awslogs", "fluentd", "gcplogs", "gelf", "journald", "splunk", "syslog"};

	for (size_t i = 0; i < ARRAY_LEN(remote); i++)
		if (str_eq(driver, remote[i]))
			return true;
	return false;
}

/* Docker has other drivers than those for files: at the start they are refused as docker does when it cannot reach
 * their destination. Docker checks for required options already at creation. */
static int check_remote_log(const struct spec *s, const char *driver, struct err *e)
{
	if (str_eq(driver, "gelf") && !strv_env(&s->log_opts, "gelf-address"))
		return err_set(e, ERR_USAGE, "gelf-address is a required parameter");
	if (str_eq(driver, "awslogs") && !strv_env(&s->log_opts, "awslogs-group"))
		return err_set(e, ERR_USAGE, "must specify a value for log opt 'awslogs-group'");
	return 0;
}

/* local keeps less with a record, and knows fewer. */
static int no_log_opt(const char *word, size_t n, const char *driver, struct err *e)
{
	if (str_eq(driver, "local"))
		return err_set(e, ERR_USAGE, "unknown log opt '%.*s' for log driver local", (int)n, word);
	return err_set(e, ERR_USAGE, "unknown log opt '%.*s' for %s log driver", (int)n, word, driver);
}

/* Of an option of the log driver; "": it is there without one. NULL: it is not. */
static const char *log_opt(const struct spec *s, const char *key)
{
	const char *kv = strv_env(&s->log_opts, key), *eq = kv ? strchr(kv, '=') : NULL;

	return eq ? eq + 1 : kv ? "" : NULL;
}

/* What docker looks at before it asks which driver there is. */
static int check_log_mode(const struct spec *s, struct err *e)
{
	const char *mode = log_opt(s, "mode"), *buffer = log_opt(s, "max-buffer-size"),
		   *no_cache = log_opt(s, "cache-disabled");
	int64_t bytes;
	bool ignored;

	if (mode && *mode && !str_eq(mode, "blocking") && !str_eq(mode, "non-blocking"))
		return err_set(e, ERR_USAGE, "logger: logging mode not supported: %s", mode);
	if (buffer && !str_eq(mode, "non-blocking"))
		return err_set(e, ERR_USAGE,
			"logger: max-buffer-size option is only supported with 'mode=non-blocking'");
	if (buffer && parse_bytes(buffer, &bytes, e) < 0)
		return err_ctx(e, "error parsing option max-buffer-size");
	if (no_cache && *no_cache && parse_bool(no_cache, &ignored, e) < 0)
		return err_set(e, ERR_USAGE, "invalid value for option cache-disabled: %s", no_cache);
	return 0;
}

int spec_check_log(const struct spec *s, struct err *e)
{
	/* cache-*: for the local copy that docker keeps of remote logs, allowed with any driver */
	static const char *const options[] = {"cache-disabled", "cache-max-size", "cache-max-file",
		"cache-compress", "max-size", "max-file", "compress", "mode", "max-buffer-size",
		"labels", "labels-regex", "env", "env-regex", "tag"};
	enum { OF_LOCAL = 9 };
	const char *driver = s->log_driver && *s->log_driver ? s->log_driver : "json-file";

	if (str_eq(driver, "none"))
		return 0;
	if (check_log_mode(s, e) < 0)
		return -1;
	if (spec_log_is_remote(driver))
		return check_remote_log(s, driver, e);
	if (!str_eq(driver, "json-file") && !str_eq(driver, "local"))
		return err_set(e, ERR_USAGE, "error looking up logging plugin %s: plugin %s not found",
			driver, QUOTED(driver));
	for (size_t i = 0; i < s->log_opts.n; i++) {
		size_t n = strcspn(s->log_opts.v[i], "=");
		bool known = false;

		for (size_t k = 0; k < (str_eq(driver, "local") ? OF_LOCAL : ARRAY_LEN(options)); k++)
			known |= strlen(options[k]) == n && memcmp(options[k], s->log_opts.v[i], n) == 0;
		if (!known)
			return no_log_opt(s->log_opts.v[i], n, driver, e);
	}
	return 0;
}
