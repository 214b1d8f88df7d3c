/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What docker's own client (28.2.2) printed for these templates over this object: first it looks at the
 * object as a typed struct, which does not have "Extra", and where that fails as maps.
 */
#include "tap.h"
#include "tmpl.h"

static const char document[] =
	"{\"Id\":\"abababababababababababababababababababababababababababababababab\",\"Cr"
	"eated\":\"2024-01-02T03:04:05.123456789Z\",\"Path\":\"sleep\",\"Args\":[\"60\"],\"State\""
	":{\"Status\":\"running\",\"Running\":true,\"Paused\":false,\"Restarting\":false,\"OOMKi"
	"lled\":false,\"Dead\":false,\"Pid\":77,\"ExitCode\":0,\"Error\":\"\",\"StartedAt\":\"2024-"
	"01-02T03:04:05.5Z\",\"FinishedAt\":\"0001-01-01T00:00:00Z\"},\"Image\":\"sha256:cdcd"
	"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd\",\"Name\":\"/web\","
	"\"RestartCount\":0,\"Mounts\":[{\"Type\":\"bind\",\"Source\":\"/a\",\"Destination\":\"/b\",\""
	"Mode\":\"\",\"RW\":true,\"Propagation\":\"rprivate\"}],\"HostConfig\":{\"Memory\":1048576"
	",\"NanoCpus\":1500000000,\"PortBindings\":{\"80/tcp\":[{\"HostIp\":\"\",\"HostPort\":\"80"
	"80\"}]},\"Binds\":[\"/a:/b\"],\"Links\":null,\"Devices\":[],\"Init\":true},\"Config\":{\"H"
	"ostname\":\"h\",\"Env\":[\"A=1\",\"B=2\"],\"Cmd\":[\"sleep\",\"60\"],\"Image\":\"python:3\",\"La"
	"bels\":{\"x\":\"1\",\"a.b\":\"2\"},\"Entrypoint\":null},\"NetworkSettings\":{\"Ports\":{\"80"
	"/tcp\":[{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"8080\"}],\"81/tcp\":null},\"Networks\":{\"b"
	"ridge\":{\"IPAddress\":\"172.17.0.2\",\"Gateway\":\"172.17.0.1\"}},\"IPAddress\":\"172.1"
	"7.0.2\"},\"Extra\":{\"z\":1,\"a\":null,\"f\":1.5,\"s\":[\"q\",2,null,{\"k\":true}],\"big\":12"
	"345678901}}";

static const struct tmpl_field fields[] = {
	{"Labels", TMPL_MAP, TMPL_STRING},
	{"PortBindings", TMPL_MAP, TMPL_SLICE},
	{"Ports", TMPL_MAP, TMPL_SLICE},
	{"Networks", TMPL_MAP, TMPL_PTR},
	{"Links", TMPL_SLICE},
	{"Entrypoint", TMPL_SLICE},
	{"Cmd", TMPL_SLICE},
	{"Health", TMPL_PTR},
	{0},
};

enum outcome { OK, BAD };

static const struct row {
	enum outcome outcome;
	const char *text, *want;
} rows[] = {
	/* clang-format off */
	{ OK , "{{.State.Pid | }}", "77" },
	{ BAD, "{{ | .Name}}", "template: :1: unexpected \"|\" in command" },
	{ OK , "{{.Extra.a}}", "<no value>" },
	{ BAD, "{{.Extra.a.b}}", "template: :1:8: executing \"\" at <.Extra.a.b>: nil pointer evaluating interface {}.b" },
	{ OK , "{{.Extra}}", "map[a:<nil> big:12345678901 f:1.5 s:[q 2 <nil> map[k:true]] z:1]" },
	{ OK , "{{json .Extra}}", "{\"a\":null,\"big\":12345678901,\"f\":1.5,\"s\":[\"q\",2,null,{\"k\":true}],\"z\":1}" },
	{ BAD, "{{.Extra.nope}}", "template: :1:8: executing \"\" at <.Extra.nope>: map has no entry for key \"nope\"" },
	{ OK , "{{index .Extra \"nope\"}}", "<no value>" },
	{ OK , "{{index .Config.Labels \"nope\"}}|", "|" },
	{ OK , "{{.Config.Labels.nope}}", "<no value>" },
	{ OK , "{{.Config.Labels}} {{.Config.Env}} {{.HostConfig.Links}} {{.Config.Entrypoint}} {{.HostConfig.Init}} {{.State.Health}}", "map[a.b:2 x:1] [A=1 B=2] [] [] true <nil>" },
	{ OK , "{{if .State.Health}}{{.State.Health.Status}}{{else}}none{{end}}", "none" },
	{ BAD, "{{.State.Health.Status}}", "template: :1:8: executing \"\" at <.State.Health.Status>: map has no entry for key \"Health\"" },
	{ OK , "{{(index (index .NetworkSettings.Ports \"80/tcp\") 0).HostPort}}", "8080" },
	{ BAD, "{{(index (index .NetworkSettings.Ports \"90/tcp\") 0).HostPort}}", "template: :1:3: executing \"\" at <index (index .NetworkSettings.Ports \"90/tcp\") 0>: error calling index: index of untyped nil" },
	{ OK , "{{range $k, $v := .NetworkSettings.Networks}}{{$k}}={{$v.IPAddress}}{{end}}", "bridge=172.17.0.2" },
	{ OK , "{{range .Mounts}}{{.Source}}{{println}}{{end}}", "/a\n" },
	{ OK , "{{.HostConfig.NanoCpus}} {{.Extra.f}} {{.Extra.big}}", "1500000000 1.5 12345678901" },
	{ OK , "{{printf \"%d|%5s|%-5s|%q|%v|%x|%05d\" 3 \"a\" \"b\" \"c\" .Config.Env \"hi\" 42}}", "3|    a|b    |\"c\"|[A=1 B=2]|6869|00042" },
	{ OK , "{{printf \"%d %s\" \"x\" 3}}", "%!d(string=x) %!s(int=3)" },
	{ OK , "{{printf \"%.2x|%.0X|%.0x\" -.5 1.5 0.0}}", "-0x1.00p-01|0X1P+01|0x0p+00" },
	{ OK , "{{len (printf \"%.500x\" 0.5)}}", "508" },
	{ OK , "{{printf \"%d\"}}", "%!d(MISSING)" },
	{ OK , "{{printf \"a\" 1 \"b\"}}", "a%!(EXTRA int=1, string=b)" },
	{ OK , "{{len .Config.Env}} {{len .Name}}", "2 4" },
	{ BAD, "{{call .Config.Env}}", "template: :1:2: executing \"\" at <call .Config.Env>: error calling call: non-function .Config.Env of type []interface {}" },
	{ BAD, "{{len 3}}", "template: :1:2: executing \"\" at <len 3>: error calling len: len of type int" },
	{ BAD, "{{.Name.Foo}}", "template: :1:7: executing \"\" at <.Name.Foo>: can't evaluate field Foo in type interface {}" },
	{ OK , "{{.Name | upper | printf \"%s-%s\" \"x\"}}", "x-/WEB" },
	{ OK , "{{eq .State.Status \"running\"}} {{eq 1 2 1}} {{ne 1 2}} {{lt 1 2}}", "true true true true" },
	{ BAD, "{{eq 1 \"a\"}}", "template: :1:2: executing \"\" at <eq 1 \"a\">: error calling eq: incompatible types for comparison" },
	{ OK , "{{with .Name}}{{.}}{{end}} {{with \"\"}}x{{else}}y{{end}}", "/web y" },
	{ BAD, "{{end}}", "template: :1: unexpected {{end}}" },
	{ BAD, "{{if .A}}x", "template: :1: unexpected EOF" },
	{ BAD, "{{\"abc}}", "template: :1: unterminated quoted string" },
	{ BAD, "{{(.A}}", "template: :1: unclosed left paren" },
	{ BAD, "{{.A)}}", "template: :1: unexpected right paren" },
	{ BAD, "{{$x}}", "template: :1: undefined variable \"$x\"" },
	{ BAD, "{{if}}{{end}}", "template: :1: missing value for if" },
	{ BAD, "{{.A b}}", "template: :1: function \"b\" not defined" },
	{ BAD, "{{@}}", "template: :1: unexpected \"@\" in command" },
	{ BAD, "{{.A\"x\"}}", "template: :1: bad character U+0022 '\"'" },
	{ BAD, "{{template \"x\"}}", "template: :1:11: executing \"\" at <{{template \"x\"}}>: template \"x\" not defined" },
	{ OK , "{{define \"x\"}}[{{.}}]{{end}}{{template \"x\" .Name}}", "[/web]" },
	{ OK , "{{range 3}}{{.}}{{end}}", "012" },
	{ BAD, "{{range .Name}}x{{end}}", "template: :1:8: executing \"\" at <.Name>: range can't iterate over /web" },
	{ BAD, "{{1 | 2}}", "template: :1: non executable command in pipeline stage 2" },
	{ BAD, "{{nil}}", "template: :1:2: executing \"\" at <nil>: nil is not a command" },
	{ OK , "{{print nil}}", "<nil>" },
	{ OK , "{{print 1 2 \"a\" \"b\" 3 4}}", "1 2ab3 4" },
	{ OK , "{{println 1 \"a\"}}|", "1 a\n|" },
	{ OK , "{{slice .Name 1 3}} {{slice .Config.Env 1}}", "we [B=2]" },
	{ BAD, "{{index .Config.Env 5}}", "template: :1:2: executing \"\" at <index .Config.Env 5>: error calling index: index out of range: 5" },
	{ BAD, "{{index .Config.Env \"a\"}}", "template: :1:2: executing \"\" at <index .Config.Env \"a\">: error calling index: cannot index slice/array with type string" },
	{ OK , "{{join .Config.Env \",\"}} {{split \"a,b\" \",\"}} {{pad \"x\" 1 2}}| {{truncate \"abcdef\" 3}} {{title \"abc def\"}}", "A=1,B=2 [a b]  x  | abc Abc Def" },
	{ OK , "{{html \"<a&\\\">\"}} {{js \"a'<\"}} {{urlquery \"a b&c\"}}", "&lt;a&amp;&#34;&gt; a\\'\\u003C a+b%26c" },
	{ BAD, "{{.State.Status", "template: :1: unclosed action" },
	{ OK , "{{/* c */}}x{{- 3 -}} y", "x3y" },
	{ BAD, "{{and 1 0}} {{or 0 \"x\"}} {{not 0}} {{and}}", "template: :1:37: executing \"\" at <and>: wrong number of args for and: want at least 1 got 0" },
	{ BAD, "{{.Name 1}}", "template: :1:2: executing \"\" at <.Name>: Name is not a method but has arguments" },
	{ BAD, "{{upper 3}}", "template: :1:8: executing \"\" at <3>: expected string; found 3" },
	{ BAD, "{{join 3 4}}", "template: :1:7: executing \"\" at <3>: can't handle 3 for arg of type []string" },
	{ BAD, "{{call 3}}", "template: :1:2: executing \"\" at <call 3>: error calling call: non-function 3 of type int" },
	{ OK , "{{$x := 1}}{{$x = 2}}{{$x}}", "2" },
	{ OK , "{{1.5}} {{1e3}} {{0x10}} {{'a'}} {{1e30}} {{true}} {{\"q\\n\"}}", "1.5 1000 16 97 1e+30 true q\n" },
	{ OK , "{{printf \"%T %T %T %T\" 1 \"a\" 1.5 .Config.Env}}", "int string float64 []string" },
	{ OK , "{{printf \"%6.2f|%t|%c|%U|%e|%g\" 3.14159 true 65 65 1234.5 0.0001}}", "  3.14|true|A|U+0041|1.234500e+03|0.0001" },
	{ OK , "{{printf \"%s\" nil}} {{printf \"%!\"}} {{printf \"%z\" 1}}", "%!s(<nil>) %!!(MISSING) %!z(int=1)" },
	{ OK , "{{range $i, $e := .Config.Env}}{{$i}}{{$e}}{{if eq $i 0}}{{continue}}{{end}},{{end}}", "0A=11B=2," },
	{ BAD, "{{break}}", "template: :1: {{break}} outside {{range}}" },
	{ BAD, "{{else}}", "template: :1: unexpected {{else}}" },
	{ OK , "{{if 1}}a{{else if 2}}b{{else}}c{{end}}", "a" },
	{ OK , "{{.State.FinishedAt}}", "0001-01-01T00:00:00Z" },
	{ OK , "{{.Created}}", "2024-01-02T03:04:05.123456789Z" },
	{ OK , "{{json .Config.Labels}} {{json .Mounts}} {{json \"a<b>&\\u2028\"}}", "{\"a.b\":\"2\",\"x\":\"1\"} [{\"Type\":\"bind\",\"Source\":\"/a\",\"Destination\":\"/b\",\"Mode\":\"\",\"RW\":true,\"Propagation\":\"rprivate\"}] \"a<b>&\\u2028\"" },
	{ OK , "{{block \"q\" .}}z{{end}}", "z" },
	{ OK , "{{- \"a\" -}}", "a" },
	{ BAD, "{{template \"q\" .}}", "template: :1:11: executing \"\" at <{{template \"q\" .}}>: template \"q\" not defined" },
	{ OK , "{{range $x := .Config.Cmd}}{{$x}} {{else}}none{{end}}", "sleep 60 " },
	{ BAD, "{{.State.}}", "template: :1: unexpected <.> in operand" },
	{ BAD, "{{...}}", "template: :1: unexpected <.> in operand" },
	{ OK , "{{$.Name}}", "/web" },
	{ OK , "{{(.State).Pid}}", "77" },
	{ BAD, "{{\"a\".B}}", "template: :1: unexpected . after term \"\\\"a\\\"\"" },
	{ OK , "{{len (index .Mounts 0).Source}}", "2" },
	{ BAD, "{{eq .Config.Env .Config.Env}}", "template: :1:2: executing \"\" at <eq .Config.Env .Config.Env>: error calling eq: non-comparable type [A=1 B=2]: []interface {}" },
	{ BAD, "{{not}}", "template: :1:2: executing \"\" at <not>: wrong number of args for not: want 1 got 0" },
	{ OK , "{{lt \"a\" \"b\"}} {{le 1.5 1.5}} {{gt 1 2}} {{ge \"b\" \"a\"}}", "true true false true" },
	{ BAD, "{{lt 1 1.5}}", "template: :1:2: executing \"\" at <lt 1 1.5>: error calling lt: incompatible types for comparison" },
	{ OK , "{{eq .HostConfig.Init true}}", "true" },
	{ OK , "{{range .Config.Labels}}{{.}}{{end}}", "21" },
	{ BAD, "{{len nil}}", "template: :1:2: executing \"\" at <len nil>: error calling len: reflect: call of reflect.Value.Type on zero Value" },
	{ BAD, "{{index nil 1}}", "template: :1:2: executing \"\" at <index nil 1>: error calling index: index of untyped nil" },
	{ BAD, "{{.Foo.Bar}}", "template: :1:6: executing \"\" at <.Foo.Bar>: map has no entry for key \"Foo\"" },
	{ BAD, "{{define \"a\"}}", "template: :1: unexpected EOF" },
	{ BAD, "{{$x :=$x}}", "template: :1:7: executing \"\" at <$x>: undefined variable: $x" },
	{ OK , "{{'\\u00e9'}} {{printf \"%T %T\" 'e' 'p'}}", "233 int int" },
	{ OK , "{{-9223372036854775808}} {{5e-324}} {{1e-400}} {{printf \"%.1f\" -0.0}}", "-9223372036854775808 5e-324 0 -0.0" },
	{ OK , "{{printf \"%T %T\" -0x1E 0x1E}}", "float64 int" },
	{ OK , "{{printf \"%s %d %x\" .State.Health nil nil}}", "%!s(<nil>) %!d(<nil>) %!x(<nil>)" },
	{ BAD, "{{len .Extra.a}}", "template: :1:2: executing \"\" at <len .Extra.a>: error calling len: len of nil pointer" },
	{ OK , "{{html nil}} {{urlquery 1 nil nil 2}} {{html .State.Health}} {{urlquery .State.Health 1}}", "&lt;no value&gt; 1%3Cno+value%3E%3Cno+value%3E2 &lt;nil&gt; %3Cnil%3E+1" },
	{ OK , "{{urlquery 1 2}} {{html 1 2 \"a\" 3}} {{js 1 true}}", "1+2 1 2a3 1 true" },
	{ OK , "{{js \"\\u00ad\\u2028\\u00e9\\xff=\"}}", "\\u00AD\\u2028\303\251\377\\u003D" },
	{ OK , "{{printf \"%.3T|%6.2T|\" \"a\" 1}}", "str|    in|" },
	{ BAD, "{{le true \"a\"}}", "template: :1:2: executing \"\" at <le true \"a\">: error calling le: incompatible types for comparison" },
	{ BAD, "{{lt true false}}", "template: :1:2: executing \"\" at <lt true false>: error calling lt: invalid type for comparison" },
	{ BAD, "{{json.Name}}", "template: :1:2: executing \"\" at <json>: wrong number of args for json: want 1 got 0" },
	{ BAD, "{{print.Name}}", "template: :1:2: executing \"\" at <print>: can't evaluate field Name in type string" },
	{ OK , "{{if false}}{{$x = 1}}{{$x}}{{end}}ok", "ok" },
	{ BAD, "{{$x = 1}}", "template: :1:7: executing \"\" at <1>: undefined variable: $x" },
	{ BAD, "{{1__0}}", "template: :1: illegal number syntax: \"1__0\"" },
	{ BAD, "{{1_}}", "template: :1: illegal number syntax: \"1_\"" },
	{ OK , "{{1_0}} {{0x_F}} {{1_0.5}}", "10 15 10.5" },
	{ BAD, "{{0x1.8}}", "template: :1: illegal number syntax: \"0x1.8\"" },
	{ BAD, "{{0b2}}", "template: :1: bad number syntax: \"0b2\"" },
	{ BAD, "{{'\\q'}}", "template: :1: invalid syntax" },
	{ BAD, "{{''}}", "template: :1: invalid syntax" },
	{ BAD, "{{'ab'}}", "template: :1: malformed character constant: 'ab'" },
	{ BAD, "{{-}}", "template: :1: illegal number syntax: \"-\"" },
	{ BAD, "{{.A\x01" "}}", "template: :1: bad character U+0001" },
	{ BAD, "{{9223372036854775808}}", "template: :1:2: executing \"\" at <9223372036854775808>: 9223372036854775808 overflows int" },
	{ BAD, "{{-9223372036854775809}}", "template: :1: integer overflow: \"-9223372036854775809\"" },
	{ BAD, "{{1e400}}", "template: :1: illegal number syntax: \"1e400\"" },
	{ BAD, "{{ne \"a\" (split \"a\" \",\")}}", "template: :1:2: executing \"\" at <ne \"a\" (split \"a\" \",\")>: error calling ne: incompatible types for comparison" },
	/* clang-format on */
};

static enum outcome render(
	const char *text, const json_t *typed, const json_t *raw, struct buf *out, struct err *e)
{
	struct tmpl_data structs = {.json = typed, .fields = fields};
	struct tmpl_data maps = {.json = raw, .missing_is_error = true};
	auto_tmpl struct tmpl *t = tmpl_parse(text, e);

	if (!t)
		return BAD;
	if (tmpl_exec(t, &structs, out, e) == 0)
		return OK;
	buf_done(out);
	return tmpl_exec(t, &maps, out, e) == 0 ? OK : BAD;
}

static void docker_rows(void)
{
	auto_json json_t *raw = json_loads(document, 0, NULL);
	auto_json json_t *typed = json_deep_copy(raw);

	(void)json_object_del(typed, "Extra");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf out = {0};
		struct err e = {0};
		enum outcome got = render(rows[i].text, typed, raw, &out, &e);

		buf_puts(&out, "");
		is_str(got == BAD ? e.text : out.s, rows[i].want, rows[i].text);
		if (got != rows[i].outcome)
			ok(false, "its outcome");
	}
}

static void is_rendered(const char *text, const char *json, const char *want, const char *sentence)
{
	auto_json json_t *j = json_loads(json, JSON_DECODE_ANY, NULL);
	auto_buf struct buf out = {0};
	struct err e = {0};

	buf_puts(&out, "");
	if (tmpl_render(text, j, &out, &e) < 0)
		is_str(e.text, want, sentence);
	else
		is_str(out.s, want, sentence);
}

static void maps(void)
{
	is_rendered("{{.a}}|{{.a.b}}", "{}", "<no value>|<no value>", "a missing key of a map");
	is_rendered("{{.x}} {{.y}} {{.z}}", "{\"x\":1.5,\"y\":1e21,\"z\":-0.00001}",
		"1.5 1e+21 -1e-05", "floats as Go writes them");
	is_rendered("{{range $k, $v := .}}{{$k}}{{$v}} {{end}}", "{\"b\":1,\"a\":2}", "a2 b1 ",
		"maps in the order of their keys");
	is_rendered("{{printf \"%-5d|%+d|%x|%08.3f\" 3 4 255 3.14159}}", "{}",
		"3    |+4|ff|0003.142", "widths and flags");
	is_rendered("{{if and .a (not .b)}}yes{{end}}", "{\"a\":1,\"b\":[]}", "yes", "truth");
	is_rendered("{{with $x := .a}}{{$x}}{{else}}no{{end}}", "{\"a\":\"v\"}", "v", "with declares");
	is_rendered("a{{/* c */ -}}  b", "{}", "ab", "a comment trims");
	is_rendered("{{range .}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}", "[1,2,3]", "1", "break");
}

static void name_of(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, self);
}

static void label_of(void *self, const char *const *argv, struct buf *out)
{
	(void)self;
	buf_printf(out, "<%s>", argv[0]);
}

/* Not UTF-8. */
static void torn(void *self, const char *const *argv, struct buf *out)
{
	(void)self;
	(void)argv;
	buf_puts(out, "a\xc3z \xc3\xa9");
}

static json_t *truth(void *self, const char *const *argv)
{
	(void)self;
	(void)argv;
	return json_true();
}

static json_t *nil(void *self, const char *const *argv)
{
	(void)self;
	(void)argv;
	return json_null();
}

static const struct tmpl_method odd[] = {
	{"Torn", torn, 0, "TORN"},
	{"Truth", NULL, 0, "TRUTH", truth},
	{"Nil", NULL, 0, "NIL", nil},
	{0},
};

static const struct tmpl_method methods[] = {
	{"Names", name_of, 0, "NAMES"},
	{"Label", label_of, 1, NULL},
	{"Arrow", name_of, 0, "ARROW"},
	{0},
};

static void is_row_of(const struct tmpl_method *m, const char *text, const char *want, const char *sentence)
{
	char self[] = "a->b";
	struct tmpl_object o = {"*formatter.ContainerContext", m, self};
	struct tmpl_data d = {.object = &o};
	auto_buf struct buf out = {0};
	struct err e = {0};
	auto_tmpl struct tmpl *t = tmpl_parse(text, &e);

	buf_puts(&out, "");
	is_str(t && tmpl_exec(t, &d, &out, &e) == 0 ? out.s : e.text, want, sentence);
}

static void is_row(const char *text, const char *want, const char *sentence)
{
	is_row_of(methods, text, want, sentence);
}

static void objects(void)
{
	is_row("{{.Names}} {{.Label \"x\"}}", "a->b <x>", "fields and methods");
	is_row("{{\"x\" | .Label}}", "<x>", "a method at the end of a pipe");
	is_row("{{json .}}", "{\"Arrow\":\"a-\\u003eb\",\"Names\":\"a-\\u003eb\"}", "a row as JSON");
	is_row("{{json .Names}}", "\"a->b\"", "a field as JSON");
	is_row("{{.Nope}}",
		"template: :1:2: executing \"\" at <.Nope>: can't evaluate field Nope in type "
		"*formatter.ContainerContext",
		"an unknown field");
	is_row("{{.Label}}",
		"template: :1:2: executing \"\" at <.Label>: wrong number of args for Label: want 1 got 0",
		"a method without its argument");
	is_row("{{$n := .Names}}{{$n}}{{with .}}{{.Names}}{{end}}{{if .Names}}{{len .Names}}{{end}}",
		"a->ba->b4", "a text that is not printed at once");
	is_row("{{.Names}}{{.Names.X}}",
		"template: :1:18: executing \"\" at <.Names.X>: can't evaluate field X in type string",
		"a text has no members");
	is_row_of(odd, "{{.Torn}}|{{len .Torn}}|{{json .Torn}}",
		"a\xef\xbf\xbdz \xc3\xa9|8|\"a\xef\xbf\xbdz \xc3\xa9\"",
		"a text is UTF-8, whatever it was");
	is_row_of(odd, "{{.Truth}} {{not .Truth}} {{.Nil}} {{json .}}",
		"true false <nil> {\"Nil\":null,\"Torn\":\"a\xef\xbf\xbdz \xc3\xa9\",\"Truth\":true}",
		"what is no text");
}

/* What docker's own client prints of two moments, where it knows that they are some. */
static const struct {
	const char *text, *utc, *east;
} moments[] = {
	/* clang-format off */
	{ "{{.Created}}|{{json .Created}}|{{printf \"%#v\" .Created}}",
	  "2024-02-29 13:04:05.0607 +0000 UTC|\"2024-02-29T13:04:05.0607Z\"|time.Date(2024, time.February, 29, 13, 4, 5, 60700000, time.UTC)",
	  "2023-12-31 23:59:59.999999999 +0530 +0530|\"2023-12-31T23:59:59.999999999+05:30\"|time.Date(2023, time.December, 31, 23, 59, 59, 999999999, time.Location(\"\"))" },
	{ "{{.Created.Year}} {{.Created.Month}} {{.Created.Day}} {{.Created.Hour}} {{.Created.Minute}} {{.Created.Second}} {{.Created.Nanosecond}} {{.Created.Weekday}} {{.Created.YearDay}}",
	  "2024 February 29 13 4 5 60700000 Thursday 60",
	  "2023 December 31 23 59 59 999999999 Sunday 365" },
	{ "{{.Created.Unix}} {{.Created.UnixMilli}} {{.Created.UnixMicro}} {{.Created.UnixNano}}",
	  "1709211845 1709211845060 1709211845060700 1709211845060700000",
	  "1704047399 1704047399999 1704047399999999 1704047399999999999" },
	{ "{{.Created.Format \"Mon Monday Jan January 1 01 2 02 _2 __2 002 06 2006 _2006\"}}",
	  "Thu Thursday Feb February 2 02 29 29 29  60 060 24 2024 _2024",
	  "Sun Sunday Dec December 12 12 31 31 31 365 365 23 2023 _2023" },
	{ "{{.Created.Format \"15 3 03 4 04 5 05 PM pm MST -0700 -07:00 -07 -070000 -07:00:00 Z0700 Z07:00 Z07 Z070000 Z07:00:00\"}}",
	  "13 1 01 4 04 5 05 PM pm UTC +0000 +00:00 +00 +000000 +00:00:00 Z Z Z Z Z",
	  "23 11 11 59 59 59 59 PM pm +0530 +0530 +05:30 +05 +053000 +05:30:00 +0530 +05:30 +05 +053000 +05:30:00" },
	{ "{{.Created.Format \"05.000 05.00 05,000000 05.999999999 05.9 05.0000x .00 ,99 .001 05.0a\"}}",
	  "05.060 05.06 05,060700 05.0607 05 05.0607x .06 ,06 .002 05.0a",
	  "59.999 59.99 59,999999 59.999999999 59.9 59.9999x .99 ,99 .012 59.9a" },
	{ "{{.Created.Format \"Janus Monx Month Febr 20061 0022 0 1504 jan JAN 2nd\"}}",
	  "Janus Monx Month Febr 20242 06029 0 1304 jan JAN 29nd",
	  "Janus Monx Month Febr 202312 36531 0 2359 jan JAN 31nd" },
	{ "{{.Created.UTC}} {{.Created.UTC.Location}}|{{.Created.Location}}|{{printf \"%#v\" .Created.UTC}}",
	  "2024-02-29 13:04:05.0607 +0000 UTC UTC|UTC|time.Date(2024, time.February, 29, 13, 4, 5, 60700000, time.UTC)",
	  "2023-12-31 18:29:59.999999999 +0000 UTC UTC||time.Date(2023, time.December, 31, 18, 29, 59, 999999999, time.UTC)" },
	{ "{{.Created.Add 90000000000}} {{.Created.AddDate 0 1 1}} {{.Created.AddDate -3 -14 400}}",
	  "2024-02-29 13:05:35.0607 +0000 UTC 2024-03-30 13:04:05.0607 +0000 UTC 2021-02-01 13:04:05.0607 +0000 UTC",
	  "2024-01-01 00:01:29.999999999 +0530 +0530 2024-02-01 23:59:59.999999999 +0530 +0530 2020-12-04 23:59:59.999999999 +0530 +0530" },
	{ "{{.Created.Truncate 3600000000000}} {{.Created.Round 3600000000000}} {{.Created.Round 1000000}} {{.Created.Truncate 0}}",
	  "2024-02-29 13:00:00 +0000 UTC 2024-02-29 13:00:00 +0000 UTC 2024-02-29 13:04:05.061 +0000 UTC 2024-02-29 13:04:05.0607 +0000 UTC",
	  "2023-12-31 23:30:00 +0530 +0530 2023-12-31 23:30:00 +0530 +0530 2024-01-01 00:00:00 +0530 +0530 2023-12-31 23:59:59.999999999 +0530 +0530" },
	{ "{{.Created.Sub (.Created.AddDate 0 0 1)}} {{(.Created.Sub .Created).Seconds}} {{.Created.Compare (.Created.Add 1)}} {{.Created.Equal .Created.UTC}} {{eq .Created .Created.UTC}}",
	  "-24h0m0s 0 -1 true true",
	  "-24h0m0s 0 -1 true false" },
	{ "{{printf \"%s\" .Created.MarshalJSON}} {{printf \"%s\" .Created.MarshalText}} {{.Created.IsZero}} {{.Created.IsDST}}",
	  "\"2024-02-29T13:04:05.0607Z\" 2024-02-29T13:04:05.0607Z false false",
	  "\"2023-12-31T23:59:59.999999999+05:30\" 2023-12-31T23:59:59.999999999+05:30 false false" },
	{ "{{printf \"%d %v %q %s\" .Created.Month .Created.Month .Created.Month .Created.Weekday}}",
	  "2 February \"February\" Thursday",
	  "12 December \"December\" Sunday" },
	{ "{{printf \"%T %T %T %T\" .Created .Created.Month .Created.Weekday .Created.Location}}",
	  "time.Time time.Month time.Weekday *time.Location",
	  "time.Time time.Month time.Weekday *time.Location" },
	{ "{{printf \"%q|%10.4s|%x\" .Created .Created .Created.Month}}",
	  "\"2024-02-29 13:04:05.0607 +0000 UTC\"|      2024|4665627275617279",
	  "\"2023-12-31 23:59:59.999999999 +0530 +0530\"|      2023|446563656d626572" },
	/* clang-format on */
};

static void is_moment(const char *created, const char *text, const char *want)
{
	static const struct tmpl_field of_network[] = {
		{"network.Inspect.Created", TMPL_STRING, .type = "time.Time"}, {0}};
	auto_json json_t *j = json_pack("{s:s}", "Created", created);
	struct tmpl_data d = {.json = j, .fields = of_network, .type = "network.Inspect"};
	auto_buf struct buf out = {0};
	struct err e = {0};
	auto_tmpl struct tmpl *t = tmpl_parse(text, &e);

	if (t)
		(void)tmpl_exec(t, &d, &out, &e); /* what it says of it is no text that is wanted */
	is_str(out.s ? out.s : "", want, text);
}

static void times(void)
{
	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
		is_moment("2024-02-29T13:04:05.0607Z", moments[i].text, moments[i].utc);
		is_moment("2023-12-31T23:59:59.999999999+05:30", moments[i].text, moments[i].east);
	}
	is_moment("", "{{.Created.IsZero}} {{.Created}}", "true 0001-01-01 00:00:00 +0000 UTC");
	is_moment("2024-02-29T13:04:05Z",
		"{{.Created.AddDate 1000000 -1000000 1000000 | printf \"%T\"}}", "time.Time");
}

/* Whatever the text is, there is an end. */
static void bounds(void)
{
	auto_buf struct buf deep = {0}, out = {0};
	struct err e = {0};

	for (int i = 0; i < 5000; i++)
		buf_puts(&deep, "{{if 1}}");
	ok(!tmpl_parse(deep.s, &e), "too many nested controls are refused");
	buf_done(&deep);
	buf_puts(&deep, "{{");
	for (int i = 0; i < 5000; i++)
		buf_putc(&deep, '(');
	ok(!tmpl_parse(deep.s, &e), "too many nested parentheses are refused");
	ok(tmpl_render("{{define \"x\"}}{{template \"x\"}}{{end}}{{template \"x\"}}", NULL, &out, &e) < 0,
		"endless recursion ends");
	ok(tmpl_render("{{range 1000000000}}{{end}}", NULL, &out, &e) < 0, "an endless loop ends");
	buf_done(&out);
	ok(tmpl_render("{{range 1000000000}}{{printf \"%900000d\" 1}}{{end}}", NULL, &out, &e) < 0 &&
			out.len < 200000000,
		"endless output ends");
}

/* Each would write more in one step than a run may write at all. */
static void one_step(void)
{
	auto_buf struct buf wide = {0};
	static const char x[] =
		"{{$x := printf \"%1000000d\" 1}}{{$many := split (printf \"%100d\" 1) \" \"}}";
	const struct {
		const char *sentence, *before, *again, *after;
	} cases[] = {
		{"a format of many wide verbs", "{{$format := \"", "%1000000[1]d",
			"\"}}{{len (printf $format 1)}}"},
		{"many long arguments of print", "{{len (print", " $x", ")}}"},
		{"and of html", "{{len (html", " $x", ")}}"},
		{"many long arguments that a format leaves over", "{{len (printf \"\"", " $x", ")}}"},
		{"a list that is joined by something long", "{{len (join $many $x)}}", "", ""},
		{"a list whose elements are wide", "{{len (printf \"%1000000s\" $many)}}", "", ""},
		{"a text that is split into its characters",
			"{{len (split (printf \"%1000000[1]d%1000000[1]d\" 1) \"\")}}", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		auto_buf struct buf text = {0}, out = {0};
		struct err e = {0};

		buf_printf(&text, "%s%s", x, cases[i].before);
		for (int n = 0; n < 80; n++)
			buf_puts(&text, cases[i].again);
		buf_puts(&text, cases[i].after);
		if (!ok(tmpl_render(text.s, NULL, &out, &e) < 0 && strstr(e.text, "too much output"),
			    cases[i].sentence))
			printf("# %s%s\n", out.s ? out.s : "", e.text);
	}
}

/* A zero byte ends no string of Go's. */
static void zeros(void)
{
	static const struct {
		const char *text, *want;
		size_t len;
	} cases[] = {
		{"{{slice \"a\\x00bcdefgh\" 0 6}}", "a\0bcde", 6},
		{"{{truncate \"\\x00bcdefgh\" 3}}", "\0bc", 3},
		{"{{range split \"a\\x00b,c\" \",\"}}<{{.}}>{{end}}", "<a\0b><c>", 8},
		{"{{range split \"a\\x00b\" \"\\x00\"}}<{{.}}>{{end}}", "<a><b>", 6},
		{"{{range split \"aéb\" \"\"}}<{{.}}>{{end}}", "<a><é><b>", 10},
		{"{{range split \"\" \"\"}}<{{.}}>{{end}}{{range split \"a,\" \",\"}}<{{.}}>{{end}}",
			"<a><>", 5},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		auto_buf struct buf out = {0};
		struct err e = {0};

		ok(tmpl_render(cases[i].text, NULL, &out, &e) == 0 && out.len == cases[i].len &&
				memcmp(out.s, cases[i].want, out.len) == 0,
			cases[i].text);
	}
}

int main(void)
{
	docker_rows();
	maps();
	objects();
	times();
	bounds();
	one_step();
	zeros();
	return done_testing();
}
