/* SPDX-License-Identifier: Apache-2.0 */
/* events: prints past and future events, one a line. */
#include "cmd.h"
#include "event.h"
#include "event_filter.h"
#include "parse.h"
#include "stamp.h"
#include "tmpl.h"

#include <string.h>
#include <unistd.h>

struct events {
	char *since, *until, *format;
	struct filters filters;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct events *)target)->filters, value, e);
}

/* clang-format off */
static const struct opt events_opts[] = {
	{ 'f', "filter", "filter", "Filter output based on conditions provided", OPT_CALL(add_filter) },
	{ 0,   "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct events, format) },
	{ 0,   "since",  "string", "Show all events created since timestamp", OPT_STR(struct events, since) },
	{ 0,   "until",  "string", "Stream events until this timestamp", OPT_STR(struct events, until) },
	{ 0 },
};
static const struct tmpl_field fields[] = {
	{ "Attributes", TMPL_MAP, TMPL_STRING },
	{ "Status",     TMPL_STRING },
	{ "ID",         TMPL_STRING },
	{ "From",       TMPL_STRING },
	{ "Type",       TMPL_STRUCT, .type = "events.Type" },
	{ "Action",     TMPL_STRUCT, .type = "events.Action" },
	{ "Actor",      TMPL_STRUCT, .type = "events.Actor" },
	{ "Time",       TMPL_STRUCT, .type = "int64" },
	{ "TimeNano",   TMPL_STRUCT, .type = "int64" },
	{ 0 },
};
/* clang-format on */

static void events_done(void *target)
{
	struct events *p = target;

	free(p->since);
	free(p->until);
	free(p->format);
	filter_done(&p->filters);
}

/* ---- a line ---- */

static json_t *sorted(const json_t *attributes)
{
	auto_free char *text = json_dumps(attributes, JSON_SORT_KEYS);
	json_t *j = text ? json_loads(text, 0, NULL) : NULL;

	return j ? j : json_object();
}

static void in_words(const json_t *event, struct buf *out)
{
	const json_t *actor = json_object_get(event, "Actor");
	struct timespec t = event_time(event);
	char stamp[STAMP_SIZE];
	bool first = true;
	const char *key;
	json_t *v;

	stamp_print_fixed(&t, stamp);
	buf_printf(out, "%s %s %s %s", stamp, json_str(event, "Type", ""),
		json_str(event, "Action", ""), json_str(actor, "ID", ""));
	json_object_foreach(json_object_get(actor, "Attributes"), key, v)
	{
		const char *value = json_string_value(v);

		buf_printf(out, "%s%s=%s", first ? " (" : ", ", key, value ? value : "");
		first = false;
	}
	buf_puts(out, first ? "\n" : ")\n");
}

/* The event with its members under their Go names, for templates. */
static json_t *as_struct(const json_t *event)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:I, s:I}", "Status",
		json_str(event, "status", ""), "ID", json_str(event, "id", ""), "From",
		json_str(event, "from", ""), "Type", json_str(event, "Type", ""), "Action",
		json_str(event, "Action", ""), "Actor", json_object_get(event, "Actor"), "Scope",
		json_str(event, "scope", ""), "Time", json_int(event, "time", 0), "TimeNano",
		json_int(event, "timeNano", 0));
}

static int through(
	const struct tmpl *t, const json_t *event, const char *type, struct buf *out, struct err *e)
{
	auto_json json_t *j = as_struct(event);
	struct tmpl_data d = {.json = j, .fields = fields, .type = type};

	if (tmpl_exec(t, &d, out, e) < 0)
		return -1;
	buf_putc(out, '\n');
	return 0;
}

/* ---- the command ---- */

static bool wants_json(const char *format)
{
	return str_eq(format, "json") || str_eq(format, "{{json .}}") || str_eq(format, "{{ json . }}");
}

static int show(const struct events *p, const struct tmpl *t, json_t *event, struct err *e)
{
	json_t *actor = json_object_get(event, "Actor");
	auto_buf struct buf out = {0};

	(void)json_object_set_new(actor, "Attributes", sorted(json_object_get(actor, "Attributes"))); /* memory */
	if (t && through(t, event, "events.Message", &out, e) < 0)
		return -1;
	if (!t && p->format && *p->format) {
		auto_free char *text = json_dumps(event, JSON_COMPACT);

		json_go(text, false, &out);
		buf_putc(&out, '\n');
	} else if (!t) {
		in_words(event, &out);
		if (isatty(STDOUT_FILENO))
			str_tame(out.s, out.len); /* labels are an image's */
	}
	return say_put(&out, e);
}

static int follow(
	const struct events *p, const struct tmpl *t, const struct event_span *span, struct err *e)
{
	auto_event_reader struct event_reader r = {.fd = -1, .old = -1, .inotify = -1};
	auto_store struct store s = {.root = -1, .runtime = -1};
	json_t *next;

	if (store_open(&s, e) < 0 || event_open(&r, &s, e) < 0)
		return -1;
	while (event_next_of(&r, span, &p->filters, &next)) {
		auto_json json_t *event = next;

		if (show(p, t, event, e) < 0)
			return -1;
	}
	if (r.failed.kind == ERR_NONE)
		return 0;
	*e = r.failed;
	return -1;
}

/* Like docker, executes the template once with an empty event, so that mistakes are reported at once. */
static struct tmpl *parse_format(const char *format, struct err *e)
{
	auto_json json_t *nothing =
		json_pack("{s:s, s:{s:s, s:{}}}", "Type", "", "Actor", "ID", "", "Attributes");
	auto_buf struct buf unused = {0};
	struct tmpl *t = tmpl_parse(format, e);

	if (t && through(t, nothing, "*events.Message", &unused, e) == 0)
		return t;
	tmpl_free(t);
	return NULL;
}

/* A time as docker's client sends it: a date with its fraction, a duration as a time in whole seconds, a number as it is. NULL:
 * not a time. The caller frees. */
static char *as_sent(const char *word, struct err *e)
{
	struct timespec now, t;
	struct err not_one;
	int64_t ns;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
	if (!word || !*word)
		return xstrdup("");
	if (stamp_parse(word, &now, &t, e) < 0)
		return NULL;
	if (word[strspn(word, "0123456789.")] == '\0')
		return xstrdup(word);
	if (parse_duration(word, false, &ns, &not_one) == 0)
		return xasprintf("%lld", (long long)t.tv_sec);
	return xasprintf("%lld.%09ld", (long long)t.tv_sec, t.tv_nsec);
}

static int events_main(void *target, int argc, char **argv)
{
	struct events *p = target;
	auto_free char *since = NULL, *until = NULL;
	auto_tmpl struct tmpl *t = NULL;
	struct event_span span;
	struct err e;

	(void)argc, (void)argv;
	say_ended();
	if (p->format && *p->format && !wants_json(p->format)) {
		t = parse_format(p->format, &e);
		if (!t) {
			(void)err_ctx(&e, "Error parsing format");
			return say_error(&e, 64);
		}
	}
	if (!(since = as_sent(p->since, &e)) || !(until = as_sent(p->until, &e)))
		return say_error(&e, 1);
	if (event_span_read(since, until, &span, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	return follow(p, t, &span, &e) < 0 ? say_cut(&e, 1) : 0;
}

const struct command cmd_events = {
	.name = "events",
	.args = "[OPTIONS]",
	.about = "Get real time events from the server",
	.aliases = "docker system events, docker events",
	.opts = events_opts,
	.target_size = sizeof(struct events),
	.run = events_main,
	.done = events_done,
};
