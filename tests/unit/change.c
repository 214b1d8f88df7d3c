/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"
#include "tap.h"

/* Applies lines, separated by '|' for the table's sake, and gives the object back, or the error. */
static char *after(const char *lines)
{
	auto_json json_t *config = json_object();
	auto_strv struct strv changes = {0};
	auto_free char *text = xstrdup(lines);
	struct err e = {0};

	for (char *at = text, *line; (line = strsep(&at, "|"));)
		strv_add(&changes, line);
	if (change_config(config, &changes, &e) < 0)
		return xstrdup(e.text);
	return json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS);
}

/* As docker answered. */
static const struct {
	const char *lines, *want;
} cases[] = {
	{"ENV A B C", "{\"Env\":[\"A=B C\"]}"},
	{"ENV A=\"x y\" B=\\ z C=$A", "{\"Env\":[\"A=x y\",\"B= z\",\"C=\"]}"},
	{"ENV A=1|ENV A=2 B=$A", "{\"Env\":[\"A=2\",\"B=1\"]}"},
	{"ENV A=$B X=${HOME:-y}", "{\"Env\":[\"A=\",\"X=y\"]}"},
	{"ENV a=1 z=0|ENV a=2 b=$a c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1 n=1 o=1 p=1 q=1 b=2 b=3 a=4|ENV q=$b",
		"{\"Env\":[\"a=4\",\"z=0\",\"b=3\",\"c=1\",\"d=1\",\"e=1\",\"f=1\",\"g=1\",\"h=1\",\"i=1\",\"j=1\","
		"\"k=1\",\"l=1\",\"m=1\",\"n=1\",\"o=1\",\"p=1\",\"q=3\"]}"},
	{"ENV A", "ENV must have two arguments"},
	{"CMD [\"a\",\"b\"]", "{\"Cmd\":[\"a\",\"b\"]}"},
	{"CMD ['a']", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"['a']\"]}"},
	{"cmd x", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"x\"]}"},
	{"CMD", "{\"Cmd\":[\"/bin/sh\",\"-c\"]}"},
	{"CMD echo \"a b\" $X", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"echo \\\"a b\\\" $X\"]}"},
	{"ENTRYPOINT foo bar", "{\"Cmd\":null,\"Entrypoint\":[\"/bin/sh\",\"-c\",\"foo bar\"]}"},
	{"CMD x|ENTRYPOINT [\"foo\"]", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"x\"],\"Entrypoint\":[\"foo\"]}"},
	{"EXPOSE 80 443/udp 10-11",
		"{\"ExposedPorts\":{\"10/tcp\":{},\"11/tcp\":{},\"443/udp\":{},\"80/tcp\":{}}}"},
	{"EXPOSE x", "Invalid containerPort: x"},
	{"LABEL a=b \"c d\"=\"e f\"", "{\"Labels\":{\"a\":\"b\",\"c d\":\"e f\"}}"},
	{"LABEL a=b g", "Syntax error - can't find = in \"g\". Must be of the form: name=value"},
	{"LABEL a b", "{\"Labels\":{\"a\":\"b\"}}"},
	{"VOLUME /a /b", "{\"Volumes\":{\"/a\":{},\"/b\":{}}}"},
	{"VOLUME [\"/a b\"]", "{\"Volumes\":{\"/a b\":{}}}"},
	{"WORKDIR rel", "{\"WorkingDir\":\"/rel\"}"},
	{"WORKDIR /a|WORKDIR b/../c", "{\"WorkingDir\":\"/a/c\"}"},
	{"WORKDIR ../..", "{\"WorkingDir\":\"/\"}"},
	{"WORKDIR /a/../b//", "{\"WorkingDir\":\"/a/../b//\"}"},
	{"WORKDIR /a//x/|WORKDIR ../c", "{\"WorkingDir\":\"/a/c\"}"},
	{"WORKDIR", "WORKDIR requires exactly one argument"},
	{"USER me:grp", "{\"User\":\"me:grp\"}"},
	{"USER \xff|LABEL a=\xff|VOLUME /\xff|CMD \xff|ONBUILD \xff",
		"{\"Cmd\":[\"/bin/sh\",\"-c\",\"\xef\xbf\xbd\"],\"Labels\":{\"a\":\"\xef\xbf\xbd\"},"
		"\"OnBuild\":[\"\xef\xbf\xbd\"],\"User\":\"\xef\xbf\xbd\",\"Volumes\":{\"/\xef\xbf\xbd\":{}}}"},
	{"STOPSIGNAL 9", "stopsignal is not a valid change command"},
	{"CMD a|CMD []", "{\"Cmd\":[]}"},
	{"ENTRYPOINT [\"a\"]|ENTRYPOINT []", "{\"Cmd\":null,\"Entrypoint\":null}"},
	{"CMD a \\", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"a\"]}"},
	{"CMD []|ENTRYPOINT x", "{\"Cmd\":null,\"Entrypoint\":[\"/bin/sh\",\"-c\",\"x\"]}"},
	{"VOLUME [1]", "when using JSON array syntax, arrays must be comprised of strings only"},
	{"EXPOSE 127.0.0.1:8080:80", "{\"ExposedPorts\":{\"80/tcp\":{}}}"},
	{"HEALTHCHECK NONE []", "{\"Healthcheck\":{\"Test\":[\"NONE\"]}}"},
	{"HEALTHCHECK NONE x", "HEALTHCHECK NONE takes no arguments"},
	{"HEALTHCHECK CMD []", "Missing command after HEALTHCHECK CMD"},
	{"HEALTHCHECK CMD [1]", "when using JSON array syntax, arrays must be comprised of strings only"},
	{"RUN x", "run is not a valid change command"},
	{"HEALTHCHECK NONE", "{\"Healthcheck\":{\"Test\":[\"NONE\"]}}"},
	{"HEALTHCHECK --interval=5s --retries=2 CMD curl x",
		"{\"Healthcheck\":{\"Interval\":5000000000,\"Retries\":2,\"Test\":[\"CMD-SHELL\",\"curl x\"]}}"},
	{"HEALTHCHECK --interval=0.5s --start-period=1h1.5m --timeout= --retries= CMD x",
		"{\"Healthcheck\":{\"Interval\":500000000,\"StartPeriod\":3690000000000,"
		"\"Test\":[\"CMD-SHELL\",\"x\"]}}"},
	{"HEALTHCHECK --interval=5 CMD x", "time: missing unit in duration \"5\""},
	{"HEALTHCHECK --timeout=1x CMD x", "time: unknown unit \"x\" in duration \"1x\""},
	{"HEALTHCHECK --interval=-5s CMD x", "Interval \"interval\" cannot be less than 1ms"},
	{"HEALTHCHECK --interval=10us CMD x", "Interval \"interval\" cannot be less than 1ms"},
	{"HEALTHCHECK --retries=-1 CMD x", "--retries must be at least 1 (not -1)"},
	{"HEALTHCHECK --retries=x CMD x", "strconv.ParseInt: parsing \"x\": invalid syntax"},
	{"HEALTHCHECK --interval CMD x", "Missing a value on flag: interval"},
	{"HEALTHCHECK --foo=1 CMD x", "Unknown flag: foo"},
	{"HEALTHCHECK --interval=1s", "HEALTHCHECK requires at least one argument"},
	{"HEALTHCHECK CMD", "Missing command after HEALTHCHECK CMD"},
	{"HEALTHCHECK x", "Unknown type \"X\" in HEALTHCHECK (try CMD)"},
	{"ONBUILD RUN x", "{\"OnBuild\":[\"RUN x\"]}"},
	{"# nothing", "file with no instructions"},
	{"USER \"x", "failed to process \"\\\"x\": unexpected end of statement while looking for matching double-quote"},
	{"USER ${A:-\"q r\"}", "{\"User\":\"q r\"}"},
	{"ENV B=1 C=|USER ${A:-${B:-c}}${C:-d}x${C:+e}${B:+${B}f}",
		"{\"Env\":[\"B=1\",\"C=\"],\"User\":\"1dx1f\"}"},
	{"USER ${A:-'}'}${A:-\\}}", "{\"User\":\"}}\"}"},
	{"ENV B=1 C=|USER ${B:?x}${B?z}${C?x}y", "{\"Env\":[\"B=1\",\"C=\"],\"User\":\"11y\"}"},
	{"ENV C=|USER ${C:?x}y", "failed to process \"${C:?x}y\": C: x"},
	{"USER ${A?}", "failed to process \"${A?}\": A: is not allowed to be unset"},
	{"USER ${A:=x}", "failed to process \"${A:=x}\": unsupported modifier (=) in substitution"},
	{"USER ${A:-\"x}", "failed to process \"${A:-\\\"x}\": syntax error: missing '}'"},
	{"USER ${A", "failed to process \"${A\": missing ':' in substitution"},
	{"USER ${:x}", "failed to process \"${:x}\": syntax error: bad substitution"},
	{"USER a\\", "{\"User\":\"a\"}"},
	{"ENV P=80\\ 81|EXPOSE $P $Q \"\"",
		"{\"Env\":[\"P=80 81\"],\"ExposedPorts\":{\"80/tcp\":{},\"81/tcp\":{}}}"},
	{"EXPOSE z y", "Invalid containerPort: y"},
	{"LABEL \"\" x|LABEL \"\"=y|LABEL $A z", "{\"Labels\":{\"\":\"z\"}}"},
	{"LABEL =x", "LABEL names can not be blank"},
	{"LABEL a\\ b c", "{\"Labels\":{\"a\":\"b c\"}}"},
	{"ENV \"a b\" c",
		"failed to process \"\\\"a\": unexpected end of statement while looking for matching double-quote"},
	{"VOLUME 'a b'",
		"failed to process \"'a\": unexpected end of statement while looking for matching single-quote"},
	{"WORKDIR $A", "cannot normalize nothing"},
	{"CMD [\"a\"] x|VOLUME [\"/a\"] b", "{\"Cmd\":[\"a\"],\"Volumes\":{\"/a\":{}}}"},
	{"HEALTHCHECK CMD [\"a\"] x", "{\"Healthcheck\":{\"Test\":[\"CMD\",\"a\"]}}"},
	{"CMD a \\\\", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"a \\\\\\\\\"]}"},
	{"CMD a\\|b", "{\"Cmd\":[\"/bin/sh\",\"-c\",\"ab\"]}"},
	{"CMD -- x|USER -- y|ENV -- a=b",
		"{\"Cmd\":[\"/bin/sh\",\"-c\",\"x\"],\"Env\":[\"a=b\"],\"User\":\"y\"}"},
	{"CMD --a=b x", "Unknown flag: a"},
	{"USER --x", "USER requires exactly one argument"},
	{"USER --x y", "Unknown flag: x"},
	{"HEALTHCHECK --interval=\"5s\" -- CMD x",
		"{\"Healthcheck\":{\"Interval\":5000000000,\"Test\":[\"CMD-SHELL\",\"x\"]}}"},
	{"HEALTHCHECK --interval=0s CMD x", "Interval \"interval\" cannot be less than 1ms"},
	{"HEALTHCHECK --retries=0 CMD x", "--retries must be at least 1 (not 0)"},
	{"ENV|BOGUS", "bogus is not a valid change command"},
};

/* What a container's config, what was changed of it, and the one below make together. */
static const struct {
	const char *lines, *under, *want;
} fills[] = {
	{"CMD a|CMD []", "{\"Cmd\":[\"c\"]}", "{\"Cmd\":[\"c\"]}"},
	{"ENTRYPOINT []", "{\"Entrypoint\":[\"e\"],\"Cmd\":[\"c\"]}",
		"{\"Cmd\":[\"c\"],\"Entrypoint\":[\"e\"]}"},
	{"ENTRYPOINT x|CMD []", "{\"Cmd\":[\"c\"]}",
		"{\"Cmd\":[],\"Entrypoint\":[\"/bin/sh\",\"-c\",\"x\"]}"},
	{"USER \"\"", "{\"User\":\"5\"}", "{\"User\":\"5\"}"},
	{"HEALTHCHECK --interval=1s CMD y", "{\"Healthcheck\":{\"Interval\":9,\"Retries\":3}}",
		"{\"Healthcheck\":{\"Interval\":1000000000,\"Retries\":3,\"Test\":[\"CMD-SHELL\",\"y\"]}}"},
	{"HEALTHCHECK NONE", "{\"Healthcheck\":{\"Retries\":3,\"Test\":[\"CMD\",\"x\"]}}",
		"{\"Healthcheck\":{\"Retries\":3,\"Test\":[\"NONE\"]}}"},
};

static char *filled(const char *lines, const char *under)
{
	auto_free char *text = after(lines);
	auto_json json_t *config = json_loads(text, 0, NULL), *below = json_loads(under, 0, NULL);

	change_fill(config, below);
	return json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS);
}

int main(void)
{
	auto_free char *joined = after("CMD a \\  \n# not this\n  b\nUSER x");

	is_str(joined, "{\"Cmd\":[\"/bin/sh\",\"-c\",\"a   b\"],\"User\":\"x\"}",
		"lines that end in a backslash go on");
	for (size_t i = 0; i < ARRAY_LEN(fills); i++) {
		auto_free char *got = filled(fills[i].lines, fills[i].under);

		is_str(got, fills[i].want, fills[i].lines);
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		auto_free char *got = after(cases[i].lines);

		is_str(got, cases[i].want, cases[i].lines);
	}
	return done_testing();
}
