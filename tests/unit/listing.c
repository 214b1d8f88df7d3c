/* SPDX-License-Identifier: Apache-2.0 */
/* Listings, filters and the words about a container, against what docker's client 28.2.2 printed. */
#include "filter.h"
#include "listing.h"
#include "status.h"
#include "tap.h"

static void col_name(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, self);
}

static void col_label(void *self, const char *const *argv, struct buf *out)
{
	buf_printf(out, "%s of %s", argv[0], (const char *)self);
}

static const struct tmpl_method columns[] = {
	{"ID", col_name, 0, "CONTAINER ID"},
	{"Names", col_name, 0, "NAMES"},
	{"Label", col_label, 1, NULL},
	{0},
};
static const struct listing_kind kind = {
	"*formatter.ContainerContext", columns, "table {{.ID}}\t{{.Names}}", "names: {{.Names}}\n"};

static void is_listed(const char *format, int rows, const char *want, const char *sentence)
{
	char *const names[] = {
		(char[]){"web"}, (char[]){"a-much-longer-name-here"}, (char[]){"a\033[2Jb\177c"}};
	auto_listing struct listing l = {0};
	auto_buf struct buf out = {0};
	struct err e;
	int rc = 0;

	listing_begin(&l, &kind, format);
	for (int i = 0; i < rows && rc == 0; i++)
		rc = listing_row(&l, names[i], &e);
	if (rc == 0)
		rc = listing_end(&l, &out, &e);
	buf_puts(&out, "");
	is_str(rc < 0 ? e.text : out.s, want, sentence);
}

static void listings(void)
{
	is_listed(NULL, 0, "CONTAINER ID   NAMES\n", "a table without rows");
	is_listed("table", 1, "CONTAINER ID   NAMES\nweb            web\n", "the word table");
	is_listed("table {{.Label \"com.foo-bar_baz\"}}\\t{{upper .ID}}\\t{{json .Names}}|{{truncate .Names 3}}",
		1,
		"foo bar baz              CONTAINER ID   NAMES|NAMES\n"
		"com.foo-bar_baz of web   WEB            \"web\"|web\n",
		"headings go through the functions unchanged");
	is_listed("table {{.Names}}", 2, "NAMES\nweb\na-much-longer-name-here\n", "one column");
	is_listed("table", 3,
		"CONTAINER ID              NAMES\nweb                       web\n"
		"a-much-longer-name-here   a-much-longer-name-here\na?[2Jb?c                  a?[2Jb?c\n",
		"a name that is commands to a terminal");
	is_listed("{{.Names}}", 3, "web\na-much-longer-name-here\na\033[2Jb\177c\n",
		"but to who asks for it");
	is_listed("{{.Names}}", 2, "web\na-much-longer-name-here\n", "a template");
	is_listed("{{.Names}}", 0, "", "a template without rows");
	is_listed("x\\ty{{.Names}}\\n", 1, "x\tyweb\n\n", "escapes outside of actions");
	is_listed("json", 1, "{\"ID\":\"web\",\"Names\":\"web\"}\n", "json");
	is_listed("raw", 1, "names: web\n\n", "raw");
	is_listed("pretty", 2, "pretty\npretty\n", "a word is a template too");
	is_listed("table {{.Nope}}\\t{{.ID}}", 0, "<no value>   CONTAINER ID\n", "a heading nobody has");
	is_listed("{{bad", 0, "template parsing error: template: :1: function \"bad\" not defined",
		"a broken template");
	is_listed("a{{.ID}}{{.Nope}}", 1,
		"template parsing error: template: :1:10: executing \"\" at <.Nope>: can't evaluate field "
		"Nope in type *formatter.ContainerContext",
		"an unknown column");
}

static void filters(void)
{
	static const char *const known[] = {"name", "label", "dangling", NULL};
	auto_filters struct filters f = {0};
	auto_strv struct strv labels = {0};
	struct err e;
	bool yes;

	ok(filter_add(&f, "bogus", &e) < 0, "a filter without = is refused");
	is_str(e.text, "bad format of filter (expected name=value)", "in docker's words");
	ok(filter_match(&f, "name", "x"), "no filter lets all pass");
	ok(filter_add(&f, " Name = ^we ", &e) == 0 && filter_add(&f, "name=b.s", &e) == 0,
		"keys are trimmed and of any case");
	ok(filter_match(&f, "name", "web") && filter_match(&f, "name", "a-base"), "either may match");
	ok(!filter_match(&f, "name", "awe"), "expressions are expressions");
	ok(!filter_equal(&f, "name", "web") && filter_equal(&f, "name", "b.s"), "whole values");
	ok(filter_add(&f, "name=[", &e) == 0 && !filter_match(&f, "name", "x"),
		"a broken expression matches nothing");
	ok(filter_check(&f, known, &e) == 0, "known keys");
	ok(filter_add(&f, "label=a", &e) == 0 && filter_add(&f, "label=k=1", &e) == 0, "labels");
	strv_add(&labels, "a=");
	strv_add(&labels, "k=2");
	ok(!filter_labels(&f, &labels), "all labels must be there");
	strv_env_set(&labels, "k=1");
	ok(filter_labels(&f, &labels), "with their values");
	ok(filter_add(&f, "dangling=x", &e) == 0 && filter_bool(&f, "dangling", false, &yes, &e) < 0,
		"neither true nor false");
	is_str(e.text, "invalid filter 'dangling=[x]'", "in docker's words");
	ok(filter_add(&f, "nosuch=1", &e) == 0 && filter_check(&f, known, &e) < 0, "an unknown key");
	is_str(e.text, "invalid filter 'nosuch'", "in docker's words");
}

static void is_status(
	enum status status, int64_t started_ago, int64_t finished_ago, int code, const char *want)
{
	struct state st = {.status = status, .exit_code = code};
	struct timespec now;
	auto_free char *words = NULL;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (started_ago >= 0)
		st.started = (struct timespec){now.tv_sec - started_ago, 0};
	if (finished_ago >= 0)
		st.finished = (struct timespec){now.tv_sec - finished_ago, 0};
	words = status_words(&st);
	is_str(words, want, want);
}

static void is_ports(const char *json, const char *want, const char *sentence)
{
	auto_json json_t *j = json_loads(json, 0, NULL);
	auto_free char *words = status_ports_words(j);

	is_str(words, want, sentence);
}

static void containers(void)
{
	is_status(ST_CREATED, -1, -1, 0, "Created");
	is_status(ST_RUNNING, 3, -1, 0, "Up 3 seconds");
	is_status(ST_PAUSED, 100, -1, 0, "Up About a minute (Paused)");
	is_status(ST_EXITED, 7000, 5000, 137, "Exited (137) About an hour ago");
	is_status(ST_RESTARTING, 70, 10, 1, "Restarting (1) 10 seconds ago");
	is_ports("{}", "", "no ports");
	is_ports("{\"80/tcp\":[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"8080\"}],\"443/tcp\":null,"
		 "\"81/tcp\":[{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"8081\"}]}",
		"443/tcp, 127.0.0.1:8080->80/tcp, 0.0.0.0:8081->81/tcp", "as ps shows them");
	is_ports("{\"80/tcp\":[{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"80\"}],"
		 "\"81/tcp\":[{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"81\"}],\"5/udp\":null,\"6/udp\":null}",
		"5-6/udp, 0.0.0.0:80-81->80-81/tcp", "ranges");
}

int main(void)
{
	listings();
	filters();
	containers();
	return done_testing();
}
