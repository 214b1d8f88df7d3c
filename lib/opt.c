/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"

#include "parse.h"

#include <ctype.h>
#include <string.h>

/* The rest of argv that is being parsed, and the struct for the values. */
struct reader {
	const struct command *command;
	char *const *argv;
	int argc, at;
	void *target;
	struct parsed *out;
};

static const struct opt *find_name(const struct opt *o, const char *name, size_t n)
{
	for (; o && o->name; o++)
		if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			return o;
	return NULL;
}

static const struct opt *find_letter(const struct opt *o, char letter)
{
	for (; o && o->name; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

/* "--memory" or "-m, --memory", as messages have it. */
static char *opt_spelling(const struct opt *o)
{
	if (o->letter)
		return xasprintf("-%c, --%s", o->letter, o->name);
	return xasprintf("--%s", o->name);
}

static int store_number(const struct opt *o, int64_t *place, const char *value, struct err *e)
{
	switch (o->type) {
	case OPT_IS_INT:
		return parse_int(value, place, e);
	case OPT_IS_UINT16:
		return parse_uint(value, UINT16_MAX, place, e);
	case OPT_IS_BYTES:
		return parse_bytes(value, place, e);
	default:
		return parse_duration(value, o->flags & OPT_SECONDS, place, e);
	}
}

static int store(const struct opt *o, void *target, const char *value, struct err *e)
{
	void *place = (char *)target + o->offset;
	bool ignored;

	switch (o->type) {
	case OPT_IS_FLAG:
		return parse_bool(value, place, e);
	case OPT_IS_STR:
		free(*(char **)place);
		*(char **)place = xstrdup(value);
		return 0;
	case OPT_IS_LIST:
		strv_add(place, value);
		return 0;
	case OPT_IS_CALL:
		return o->call(target, value, e);
	case OPT_IS_NOTHING:
		return o->arg ? 0 : parse_bool(value, &ignored, e);
	default:
		return store_number(o, place, value, e);
	}
}

/* The next number of "1.30", behind its dot; 0 if there is none. */
static int64_t next_number(const char **at)
{
	auto_free char *word = xstrndup(*at, strcspn(*at, "."));
	char *end;
	long long n = strtoll(word, &end, 10);

	*at += strlen(word) + ((*at)[strlen(word)] == '.');
	return *end || isspace((unsigned char)*word) ? 0 : n;
}

bool opt_api_lacks(const char *api, unsigned since)
{
	int64_t major;

	if (!api || !since)
		return false;
	major = next_number(&api);
	return major < 1 || (major == 1 && next_number(&api) < since);
}

static char *why_refused(const struct opt *o, const char *api)
{
	unsigned since = o->flags >> 8;

	if (opt_api_lacks(api, since))
		return xasprintf("\"--%s\" requires API version 1.%u, but the Docker daemon API version is %s",
			o->name, since, api);
	if (o->flags & OPT_WINDOWS)
		return xasprintf("\"--%s\" is only supported on a Docker daemon running on windows, but the "
				 "Docker daemon is running on linux",
			o->name);
	if (o->flags & OPT_EXPERIMENTAL)
		return xasprintf("\"--%s\" is only supported on a Docker daemon with experimental features enabled",
			o->name);
	return NULL;
}

static void warn(const struct opt *o, const char *value, const struct reader *r)
{
	auto_free char *line = why_refused(o, r->out->api);
	struct strv *lines = line ? &r->out->refused : &r->out->warnings;
	bool nothing = !*value || str_eq(value, "0") ||
	               str_eq(value, "false"); /* false: as if the option was not given */

	if (line) {
		; /* nothing will be done */
	} else if (o->flags & OPT_DEPRECATED) {
		line = xasprintf("Flag --%s has been deprecated, %s", o->name, o->help);
	} else if ((o->flags & OPT_NO_EFFECT) && !nothing) {
		line = xasprintf("WARNING: --%s has no effect here: it needs privileges on the "
				 "host, or a feature which containers of this kind lack",
			o->name);
		if (r->command->held)
			lines = (struct strv *)((char *)r->target + r->command->held);
	} else {
		return;
	}
	/* pflag prints the warning of a deprecated option each time it is used */
	for (size_t i = 0; i < lines->n && !(o->flags & OPT_DEPRECATED); i++)
		if (str_eq(lines->v[i], line))
			return;
	strv_take(lines, take(line));
}

static int set(struct reader *r, const struct opt *o, const char *value, struct err *e)
{
	auto_buf struct buf quoted = {0};
	auto_free char *spelling = NULL;

	if (store(o, r->target, value, e) == 0) {
		warn(o, value, r);
		return 0;
	}
	spelling = opt_spelling(o);
	buf_quote(&quoted, value);
	e->kind = ERR_USAGE;
	(void)err_ctx(e, "invalid argument %s for \"%s\" flag", quoted.s, spelling);
	return -1;
}

static int set_help(struct reader *r, const char *value, struct err *e)
{
	auto_buf struct buf quoted = {0};

	if (parse_bool(value, &r->out->help, e) == 0)
		return 0;
	buf_quote(&quoted, value);
	return err_ctx(e, "invalid argument %s for \"--help\" flag", quoted.s);
}

static int read_long(struct reader *r, const char *word, struct err *e)
{
	const char *name = word + 2, *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct opt *o;

	if (*name == '-' || *name == '=')
		return err_set(e, ERR_USAGE, "bad flag syntax: %s", word);
	o = find_name(r->command->opts, name, n);
	if (n == 4 && memcmp(name, "help", 4) == 0)
		return set_help(r, value ? value + 1 : "true", e);
	if (!o)
		return err_set(e, ERR_USAGE, "unknown flag: --%.*s", (int)n, name);
	if (value)
		return set(r, o, value + 1, e);
	if (!o->arg)
		return set(r, o, "true", e);
	if (r->at == r->argc)
		return err_set(e, ERR_USAGE, "flag needs an argument: --%s", name);
	return set(r, o, r->argv[r->at++], e);
}

/* "-abc", "-eVALUE", "-e=VALUE", "-e VALUE" */
static int read_letters(struct reader *r, const char *letters, struct err *e)
{
	for (; *letters; letters++) {
		const struct opt *o = find_letter(r->command->opts, *letters);

		if (!o && *letters == 'h') {
			strv_add(&r->out->warnings, "Flag shorthand -h has been deprecated, use --help");
			r->out->help = true;
			continue;
		}
		if (!o)
			return err_set(e, ERR_USAGE, "unknown shorthand flag: '%c' in -%s",
				*letters, letters);
		/* "-e=" alone gives e the value "=", as in docker. */
		if (letters[1] == '=' && letters[2])
			return set(r, o, letters + 2, e);
		if (!o->arg) {
			if (set(r, o, "true", e) < 0)
				return -1;
			continue;
		}
		if (letters[1])
			return set(r, o, letters + 1, e);
		if (r->at == r->argc)
			return err_set(e, ERR_USAGE, "flag needs an argument: '%c' in -%s",
				*letters, letters);
		return set(r, o, r->argv[r->at++], e);
	}
	return 0;
}

static void rest_are_operands(struct reader *r)
{
	while (r->at < r->argc)
		r->out->operands[r->out->n++] = r->argv[r->at++];
}

int opt_parse(const struct command *c, int argc, char *const *argv, void *target,
	struct parsed *out, struct err *e)
{
	struct reader r = {c, argv, argc, 0, target, out};

	*out = (struct parsed){.api = out->api};
	out->operands = xcalloc((size_t)argc + 1, sizeof(*out->operands));
	while (r.at < argc) { /* options behind --help are parsed as well, for their errors */
		char *word = argv[r.at++];

		if (word[0] != '-' || !word[1]) {
			out->operands[out->n++] = word;
			if (c->stop_at_operand)
				rest_are_operands(&r);
		} else if (str_eq(word, "--")) {
			rest_are_operands(&r);
		} else if (word[1] == '-') {
			if (read_long(&r, word, e) < 0)
				return -1;
		} else if (read_letters(&r, word + 1, e) < 0) {
			return -1;
		}
	}
	return 0;
}

void parsed_done(struct parsed *p)
{
	free(p->operands);
	strv_done(&p->warnings);
	strv_done(&p->refused);
	*p = (struct parsed){0};
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

int opt_arity(const struct command *c, int n, struct err *e)
{
	int min = c->min_args, max = c->max_args;

	if (n >= min && (max < 0 || n <= max))
		return 0;
	if (max == 0)
		return err_set(e, ERR_USAGE, "accepts no arguments");
	if (min == max)
		return err_set(e, ERR_USAGE, "requires %d argument%s", min, plural(min));
	if (max < 0)
		return err_set(e, ERR_USAGE, "requires at least %d argument%s", min, plural(min));
	if (min == 0)
		return err_set(e, ERR_USAGE, "requires at most %d argument%s", max, plural(max));
	return err_set(e, ERR_USAGE, "requires at least %d and at most %d arguments", min, max);
}
