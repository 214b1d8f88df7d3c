/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"
#include "tap.h"

struct target {
	bool flag, other, init;
	char *name;
	int64_t count, size, wait, weight;
	struct strv list;
	int calls;
};

static int call(void *target, const char *value, struct err *e)
{
	struct target *t = target;

	if (strcmp(value, "bad") == 0)
		return err_set(e, ERR_USAGE, "it is bad");
	t->calls++;
	return 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{ 'f', "flag",   NULL,       "A flag",                 OPT_FLAG(struct target, flag) },
	{ 'o', "other",  NULL,       "Another flag",           OPT_FLAG(struct target, other) },
	{ 'n', "name",   "string",   "A name",                 OPT_STR(struct target, name) },
	{ 0,   "count",  "int",      "A number",               OPT_INT(struct target, count) },
	{ 'w', "weight", "uint16",   "A weight",               OPT_UINT16(struct target, weight) },
	{ 'm', "size",   "bytes",    "A size",                 OPT_BYTES(struct target, size) },
	{ 0,   "wait",   "duration", "A time",                 OPT_DURATION(struct target, wait), OPT_SECONDS | OPT_OURS },
	{ 'l', "list",   "list",     "Words",                  OPT_LIST(struct target, list) },
	{ 0,   "call",   "word",     "A call",                 OPT_CALL(call) },
	{ 0,   "idle",   "word",     "Nothing happens",        OPT_NOTHING(), OPT_NO_EFFECT },
	{ 'i', "void",   NULL,       "Nothing happens either", OPT_NOTHING(), OPT_NO_EFFECT | OPT_HIDDEN },
	{ 0,   "panes",  "int",      "Of another system",      OPT_NOTHING(), OPT_WINDOWS },
	{ 0,   "old",    NULL,       "use --flag instead",     OPT_FLAG(struct target, flag), OPT_DEPRECATED },
	{ 0 },
};
/* clang-format on */

static const struct command stopping = {.name = "run",
	.args = "[OPTIONS] IMAGE [ARG...]",
	.about = "Run it",
	.opts = rows,
	.aliases = "docker container run, docker run",
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true};
static const struct command plain = {
	.name = "ps", .args = "[OPTIONS]", .about = "List", .opts = rows, .max_args = 0};

/* Splits at blanks: no word of these tests holds one. */
static int split(const char *line, char *copy, char **argv)
{
	int n = 0;

	strcpy(copy, line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[n++] = w;
	argv[n] = NULL;
	return n;
}

static void target_done(struct target *t)
{
	free(t->name);
	strv_done(&t->list);
}

/* What the target and the operands are after a line, in one string. */
static char *read_line(const struct command *c, const char *line, struct strv *warnings)
{
	struct target t = {0};
	struct parsed p = {0};
	struct err e = {0};
	struct buf b = {0};
	char copy[500], *argv[50];
	int argc = split(line, copy, argv);

	if (opt_parse(c, argc, argv, &t, &p, &e) < 0) {
		buf_puts(&b, e.text);
	} else {
		buf_printf(&b, "%s%s%s", p.help ? "help " : "", t.flag ? "f" : "", t.other ? "o" : "");
		if (t.name)
			buf_printf(&b, " n=%s", t.name);
		if (t.count || t.size || t.wait || t.weight || t.calls)
			buf_printf(&b, " %d/%d/%d/%d/%d", (int)t.count, (int)t.size,
				(int)(t.wait / 1000000), (int)t.weight, t.calls);
		for (size_t i = 0; i < t.list.n; i++)
			buf_printf(&b, " l=%s", t.list.v[i]);
		for (int i = 0; i < p.n; i++)
			buf_printf(&b, " [%s]", p.operands[i]);
	}
	if (warnings)
		strv_copy(warnings, &p.warnings);
	parsed_done(&p);
	target_done(&t);
	return buf_take(&b);
}

static const struct {
	const struct command *command;
	const char *line, *want;
} lines[] = {
	{&plain, "", ""},
	{&plain, "-f", "f"},
	{&plain, "-fo", "fo"},
	{&plain, "--flag --other", "fo"},
	{&plain, "--flag=false -o=true", "o"},
	{&plain, "--flag=T --other=0", "f"},
	{&plain, "-n x", " n=x"},
	{&plain, "-nx", " n=x"},
	{&plain, "-n=x", " n=x"},
	{&plain, "-n=", " n=="},
	{&plain, "-fnx", "f n=x"},
	{&plain, "-fn x", "f n=x"},
	{&plain, "--name x --name y", " n=y"},
	{&plain, "--name=x=y", " n=x=y"},
	{&plain, "--name --flag", " n=--flag"},
	{&plain, "--name=", " n="},
	{&plain, "-l a --list b -lc", " l=a l=b l=c"},
	{&plain, "--count 0x10 --size 1k --wait 5 -w 7 --call x", " 16/1024/5000/7/1"},
	{&plain, "--wait 1m", " 0/0/60000/0/0"},
	{&plain, "a -f b", "f [a] [b]"},
	{&plain, "a -- -f", " [a] [-f]"},
	{&plain, "- -f", "f [-]"},
	{&stopping, "-f a -o --nosuch", "f [a] [-o] [--nosuch]"},
	{&stopping, "-f -- a -- b", "f [a] [--] [b]"},
	{&stopping, "-- -f", " [-f]"},
	{&stopping, "--help", "help "},
	{&stopping, "-f --help --nosuch", "unknown flag: --nosuch"},
	{&stopping, "a --help", " [a] [--help]"},
	{&plain, "-h", "help "},
	{&plain, "--nosuch", "unknown flag: --nosuch"},
	{&plain, "--nosuch=x", "unknown flag: --nosuch"},
	{&plain, "-z", "unknown shorthand flag: 'z' in -z"},
	{&plain, "-fzo", "unknown shorthand flag: 'z' in -zo"},
	{&plain, "--name", "flag needs an argument: --name"},
	{&plain, "-n", "flag needs an argument: 'n' in -n"},
	{&plain, "-fn", "flag needs an argument: 'n' in -n"},
	{&plain, "---x", "bad flag syntax: ---x"},
	{&plain, "--=x", "bad flag syntax: --=x"},
	{&plain, "--size 12xyz",
		"invalid argument \"12xyz\" for \"-m, --size\" flag: invalid suffix: 'xyz'"},
	{&plain, "--count x",
		"invalid argument \"x\" for \"--count\" flag: strconv.ParseInt: parsing \"x\": invalid syntax"},
	{&plain, "--weight 65536",
		"invalid argument \"65536\" for \"-w, --weight\" flag: strconv.ParseUint: parsing "
		"\"65536\": value out of range"},
	{&plain, "-f=maybe",
		"invalid argument \"maybe\" for \"-f, --flag\" flag: strconv.ParseBool: parsing "
		"\"maybe\": invalid syntax"},
	{&plain, "--call bad", "invalid argument \"bad\" for \"--call\" flag: it is bad"},
	{&plain, "--call=a\"b", " 0/0/0/0/1"},
	{&plain, "--void=x",
		"invalid argument \"x\" for \"-i, --void\" flag: strconv.ParseBool: parsing \"x\": "
		"invalid syntax"},
};

static void test_lines(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		auto_free char *got = read_line(lines[i].command, lines[i].line, NULL);
		char sentence[200];

		(void)snprintf(
			sentence, sizeof(sentence), "%s %s", lines[i].command->name, lines[i].line);
		is_str(got, lines[i].want, sentence);
	}
}

static void test_warnings(void)
{
	auto_strv struct strv w = {0};
	auto_free char *got = read_line(&plain, "--idle a --idle b -i --old", &w);

	is_str(got, "f", "options without effect and old spellings are taken");
	is_int((int64_t)w.n, 3, "each is warned of, once");
	ok(w.n == 3 && strstr(w.v[0], "WARNING: --idle has no effect here"), "by name");
	is_str(w.n == 3 ? w.v[2] : NULL, "Flag --old has been deprecated, use --flag instead",
		"in docker's words");
}

static void test_held(void)
{
	static const struct command c = {
		.name = "make", .opts = rows, .held = offsetof(struct target, list), .max_args = 0};
	char copy[200], *argv[20];
	int n = split("--idle=x --idle=0 --void=false --panes=0 --old --panes 7", copy, argv);
	struct target t = {0};
	struct parsed p = {0};
	struct err e;

	is_int(opt_parse(&c, n, argv, &t, &p, &e), 0, "a command may hold warnings back");
	ok(t.list.n == 1 && strstr(t.list.v[0], "--idle has no effect here"),
		"of what has no effect, unless nothing was asked for");
	is_int((int64_t)p.warnings.n, 1, "an old spelling is said at once");
	ok(p.refused.n == 1 && strstr(p.refused.v[0], "\"--panes\" is only supported on"),
		"what is for another system is refused, whatever its value");
	target_done(&t);
	parsed_done(&p);
}

static void test_api(void)
{
	static const struct opt dated[] = {{0, "new", NULL, "Young", OPT_NOTHING(), OPT_SINCE(40)},
		{0, "old", NULL, "Aged", OPT_NOTHING()}, {0}};
	static const struct command c = {
		.name = "make", .opts = dated, .args = "", .about = "", .max_args = 0};
	char copy[200], *argv[20];
	int n = split("--new=false --old --new", copy, argv);
	struct parsed p = {.api = "1.39"};
	auto_buf struct buf help = {0};
	struct target t = {0};
	struct err e;

	is_int(opt_parse(&c, n, argv, &t, &p, &e), 0, "options are read whatever the API has");
	ok(p.refused.n == 1 && strstr(p.refused.v[0], "\"--new\" requires API version 1.40, but the Docker daemon API "
						      "version is 1.39"),
		"one that the API lacks is refused once, even with false");
	opt_help(&c, "make", "1.39", 80, &help);
	ok(strstr(help.s, "--old") && !strstr(help.s, "--new"), "and the help does not show it");
	ok(!opt_api_lacks("1.40", 40) && !opt_api_lacks("1.100", 40) && !opt_api_lacks("2", 40) &&
			!opt_api_lacks(NULL, 40) && !opt_api_lacks("x", 0),
		"newer ones have it");
	ok(opt_api_lacks("1.4", 40) && opt_api_lacks("1", 40) && opt_api_lacks("1. 41", 40) &&
			opt_api_lacks("x", 1),
		"older ones lack it, and what is no number");
	parsed_done(&p);
}

static void test_arity(void)
{
	static const struct {
		int min, max, n;
		const char *want;
	} cases[] = {{0, 0, 0, NULL}, {0, 0, 1, "accepts no arguments"}, {1, 1, 1, NULL},
		{1, 1, 0, "requires 1 argument"}, {2, 2, 3, "requires 2 arguments"},
		{1, -1, 0, "requires at least 1 argument"}, {2, -1, 1, "requires at least 2 arguments"},
		{1, -1, 9, NULL}, {0, 1, 2, "requires at most 1 argument"},
		{1, 2, 3, "requires at least 1 and at most 2 arguments"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command c = {.min_args = cases[i].min, .max_args = cases[i].max};
		struct err e = {0};
		int r = opt_arity(&c, cases[i].n, &e);

		is_str(r < 0 ? e.text : NULL, cases[i].want, cases[i].want ? cases[i].want : "enough");
	}
}

static void test_help(void)
{
	static const struct opt wide[] = {
		{'a', "all", NULL, "Show all containers, whether they run or have ended some time ago",
			OPT_NOTHING()},
		{0, "b", "word", "One\ntwo", OPT_NOTHING()},
		{0},
	};
	auto_buf struct buf out = {0}, block = {0}, dump = {0}, quoted = {0};

	opt_help(&stopping, "docker run", NULL, 80, &out);
	ok(str_starts(out.s, "Usage:  docker run [OPTIONS] IMAGE [ARG...]\n\nRun it\n\nAliases:\n"
			     "  docker container run, docker run\n\nOptions:\n"
			     "      --call word"),
		"help begins with usage, purpose, aliases, and options by name");
	ok(!strstr(out.s, "--void") && !strstr(out.s, "--old"), "hidden and old options are not shown");
	ok(strstr(out.s, "Options that docker does not have:\n      --wait duration   A time\n"),
		"our own stand apart");
	opt_help_rows(wide, &(struct opt_rows){0}, 50, &block);
	is_str(block.s,
		"  -a, --all      Show all containers,\n"
		"                 whether they run or have\n"
		"                 ended some time ago\n"
		"      --b word   One\n"
		"                 two\n",
		"text is wrapped beside its option");
	opt_dump("x", wide, &dump);
	ok(strstr(dump.s, "x\ta\tall\t\t\tShow all") && strstr(dump.s, "x\t\tb\tword\t\tOne two\n"),
		"the dump has a line for each row");
	buf_quote(&quoted, "a\"b\\\n\x01");
	is_str(quoted.s, "\"a\\\"b\\\\\\n\\x01\"", "quotes are Go's");
}

int main(void)
{
	test_lines();
	test_warnings();
	test_held();
	test_api();
	test_arity();
	test_help();
	return done_testing();
}
