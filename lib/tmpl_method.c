/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_method: methods of Go's types that templates can call: {{.HostConfig.NetworkMode.IsHost}}. */
#include "stamp.h"
#include "tmpl_node.h"

#include <ctype.h>
#include <string.h>

/* ---- what they give ---- */

static int give_bool(const struct method_call *c, bool b)
{
	*c->out = val_bool(b);
	return 0;
}

static int give_int(const struct method_call *c, int64_t i, const char *type)
{
	*c->out = val_int(i);
	c->out->type = type;
	return 0;
}

static int give_text(const struct method_call *c, const char *s, size_t len)
{
	*c->out = run_keep_copy(c->r, s, len);
	return 0;
}

static int give_buf(const struct method_call *c, struct buf *b)
{
	return give_text(c, b->s ? b->s : "", b->len);
}

struct val val_bytes(struct run *r, const char *s, size_t len)
{
	json_t *list = run_pool(r, json_array());

	for (size_t i = 0; i < len; i++)
		(void)json_array_append_new(list, json_integer((unsigned char)s[i])); /* memory */
	r->spent += 64 * len;
	return (struct val){.kind = V_ARRAY, .j = list, .type = "[]uint8"};
}

/* ---- words that stand for something: modes, names of policies ---- */

/* "host|container:*": one of these, with anything behind a "*", something behind a "+". */
static bool is_one_of(const char *s, const char *words, bool any_case)
{
	for (const char *at = words;; at++) {
		size_t n = strcspn(at, "|");
		char end = n ? at[n - 1] : '\0';
		bool open = end == '*' || end == '+';
		size_t same = open ? n - 1 : n;
		bool fits = open ? strlen(s) >= same + (end == '+') : strlen(s) == same;

		if (fits && (any_case ? strncasecmp(s, at, same) : strncmp(s, at, same)) == 0)
			return true;
		at += n;
		if (!*at)
			return false;
	}
}

static int is(const struct method_call *c)
{
	return give_bool(c, is_one_of(c->self->s, c->m->word, false));
}

static int is_not(const struct method_call *c)
{
	return give_bool(c, !is_one_of(c->self->s, c->m->word, false));
}

static int is_in_any_case(const struct method_call *c)
{
	return give_bool(c, is_one_of(c->self->s, c->m->word, true));
}

/* The rest of s behind `beginning`, or NULL. */
static const char *after(const char *s, const char *beginning)
{
	return str_starts(s, beginning) ? s + strlen(beginning) : NULL;
}

static int behind(const struct method_call *c)
{
	const char *rest = after(c->self->s, c->m->word);

	return give_text(c, rest ? rest : "", rest ? strlen(rest) : 0);
}

static int unless(const struct method_call *c)
{
	return give_text(c, c->self->s, is_one_of(c->self->s, c->m->word, false) ? 0 : c->self->len);
}

static int network_name(const struct method_call *c)
{
	const char *name = after(c->self->s, "container:") ? "container" : c->self->s;

	return give_text(c, name, strlen(name));
}

static const char *policy(const struct val *v)
{
	return json_str(v->j, "Name", "");
}

static int policy_is(const struct method_call *c)
{
	return give_bool(c, is_one_of(policy(c->self), c->m->word, false));
}

static int policy_is_same(const struct method_call *c)
{
	const struct val *other = &c->args[0];

	if (other->kind != V_OBJECT)
		return buf_puts(c->why,
			       "runtime error: invalid memory address or nil pointer dereference"),
		       -1;
	return give_bool(c, str_eq(policy(c->self), policy(other)) &&
				    json_int(c->self->j, "MaximumRetryCount", 0) ==
					    json_int(other->j, "MaximumRetryCount", 0));
}

/* ---- "80/tcp" ---- */

static size_t port_length(const struct val *v)
{
	return strcspn(v->s, "/");
}

static int port(const struct method_call *c)
{
	return give_text(c, c->self->s, port_length(c->self));
}

static int port_proto(const struct method_call *c)
{
	size_t n = port_length(c->self);
	const char *proto = c->self->s[n] && c->self->s[n + 1] && c->self->s[n + 1] != '/'
	                            ? c->self->s + n + 1
	                            : "tcp";

	return give_text(c, proto, n ? strcspn(proto, "/") : 0);
}

static int port_int(const struct method_call *c)
{
	int64_t n = 0;

	for (const char *at = c->self->s; isdigit((unsigned char)*at) && n < 65536; at++)
		n = n * 10 + (*at - '0');
	return give_int(c, n > 65535 ? 0 : n, NULL);
}

/* ---- time.Duration ---- */

static int duration_string(const struct method_call *c)
{
	int64_t n = c->self->i;
	char text[1 + STAMP_DURATION_SIZE] = "-";

	stamp_duration(n == INT64_MIN ? INT64_MAX : n < 0 ? -n : n, text + (n < 0));
	return give_text(c, text, strlen(text));
}

/* n: the unit, in nanoseconds. */
static int duration_whole(const struct method_call *c)
{
	return give_int(c, c->self->i / c->m->n, "int64");
}

static int duration_real(const struct method_call *c)
{
	int64_t unit = c->m->n;

	*c->out = (struct val){.kind = V_REAL,
		.r = (double)(c->self->i / unit) + (double)(c->self->i % unit) / (double)unit};
	return 0;
}

static int duration_abs(const struct method_call *c)
{
	int64_t n = c->self->i;

	return give_int(c, n == INT64_MIN ? INT64_MAX : n < 0 ? -n : n, GO_DURATION);
}

static int duration_truncate(const struct method_call *c)
{
	int64_t n = c->self->i, unit = c->args[0].i;

	return give_int(c, unit <= 0 ? n : n - n % unit, GO_DURATION);
}

static int duration_round(const struct method_call *c)
{
	int64_t n = c->self->i, unit = c->args[0].i, rest, to;

	if (unit <= 0)
		return give_int(c, n, GO_DURATION);
	rest = n % unit;
	rest = rest < 0 ? -rest : rest;
	if ((uint64_t)rest * 2 < (uint64_t)unit)
		to = n < 0 ? n + rest : n - rest;
	else if (n < 0)
		to = __builtin_sub_overflow(n, unit - rest, &to) ? INT64_MIN : to;
	else
		to = __builtin_add_overflow(n, unit - rest, &to) ? INT64_MAX : to;
	return give_int(c, to, GO_DURATION);
}

/* ---- fs.FileMode ---- */

#define MODE_DIR  0x80000000LL
#define MODE_TYPE 0x8f280000LL /* Go's bits: directory, link, pipe, socket, device, irregular */
#define MODE_PERM 0777LL

static int mode_string(const struct method_call *c)
{
	static const char types[] = "dalTLDpSugct?", bits[] = "rwxrwxrwx";
	auto_buf struct buf b = {0};

	for (int i = 0; types[i]; i++)
		if (c->self->i & (1LL << (31 - i)))
			buf_putc(&b, types[i]);
	if (b.len == 0)
		buf_putc(&b, '-');
	for (int i = 0; bits[i]; i++)
		buf_putc(&b, c->self->i & (1LL << (8 - i)) ? bits[i] : '-');
	return give_buf(c, &b);
}

static int mode_perm(const struct method_call *c)
{
	return give_int(c, c->self->i & MODE_PERM, "fs.FileMode");
}

static int mode_type(const struct method_call *c)
{
	return give_int(c, c->self->i & MODE_TYPE, "fs.FileMode");
}

static int mode_is_dir(const struct method_call *c)
{
	return give_bool(c, c->self->i & MODE_DIR);
}

static int mode_is_regular(const struct method_call *c)
{
	return give_bool(c, !(c->self->i & MODE_TYPE));
}

/* ---- json.Number ---- */

static int same_text(const struct method_call *c)
{
	return give_text(c, c->self->s, c->self->len);
}

static int number_whole(const struct method_call *c)
{
	char *end;
	int64_t i = strtoll(c->self->s, &end, 10);

	if (*end)
		return buf_printf(c->why, "strconv.ParseInt: parsing \"%s\": invalid syntax",
			       c->self->s),
		       -1;
	return give_int(c, i, "int64");
}

static int number_real(const struct method_call *c)
{
	*c->out = (struct val){.kind = V_REAL, .r = strtod(c->self->s, NULL)};
	return 0;
}

/* ---- structs ---- */

static int itself(const struct method_call *c)
{
	*c->out = *c->self;
	return 0;
}

/* word: the member behind the colon. */
static int device_string(const struct method_call *c)
{
	auto_buf struct buf b = {0};

	buf_printf(&b, "%s:%lld", json_str(c->self->j, "Path", json_str(c->self->j, "path", "")),
		(long long)json_int(c->self->j, c->m->word, 0));
	return give_buf(c, &b);
}

static int ulimit_string(const struct method_call *c)
{
	auto_buf struct buf b = {0};

	buf_printf(&b, "%s=%lld:%lld", json_str(c->self->j, "Name", ""),
		(long long)json_int(c->self->j, "Soft", 0), (long long)json_int(c->self->j, "Hard", 0));
	return give_buf(c, &b);
}

static int ulimit_rlimit(const struct method_call *c)
{
	static const char *const names[] = {"cpu", "fsize", "data", "stack", "core", "rss", "nproc",
		"nofile", "memlock", "as", "locks", "sigpending", "msgqueue", "nice", "rtprio",
		"rttime"}; /* by the kernel's numbers; "as" has none with docker */
	const char *name = json_str(c->self->j, "Name", "");
	size_t i = 0;
	json_t *j;

	while (i < ARRAY_LEN(names) && (i == 9 || !str_eq(names[i], name)))
		i++;
	if (i == ARRAY_LEN(names))
		return buf_printf(c->why, "invalid ulimit name %s", name), -1;
	j = json_pack("{s:i, s:I, s:I}", "Type", (int)i, "Hard",
		(json_int_t)json_int(c->self->j, "Hard", 0), "Soft",
		(json_int_t)json_int(c->self->j, "Soft", 0));
	*c->out = (struct val){.kind = V_OBJECT,
		.j = run_pool(c->r, j),
		.is_struct = true,
		.is_pointer = true,
		.type = "*units.Rlimit"};
	return 0;
}

/* The heading of {{.Label "com.example.build-id"}} in a table: "build id". */
static int header_label(const struct method_call *c)
{
	const char *dot = strrchr(c->args[0].s, '.');
	auto_free char *s = xstrdup(dot ? dot + 1 : c->args[0].s);

	for (char *at = s; *at; at++)
		if (*at == '-' || *at == '_')
			*at = ' ';
	return give_text(c, s, strlen(s));
}

/* "a=1,b=2" is what a row that was shown already has of them. */
static int row_label(const struct method_call *c)
{
	const char *at = json_str(c->self->j, "Labels", ""), *name = c->args[0].s;
	size_t n = strlen(name);

	for (; *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return give_text(c, at + n + 1, strcspn(at + n + 1, ","));
	return give_text(c, "", 0);
}

static int full_header(const struct method_call *c)
{
	*c->out = (struct val){.kind = V_NIL, .loose = true};
	return 0;
}

/* ---- the table ---- */

#define NETWORK "container.NetworkMode"
#define IPC     "container.IpcMode"
#define PID     "container.PidMode"
#define UTS     "container.UTSMode"
#define USERNS  "container.UsernsMode"
#define CGROUP  "container.CgroupnsMode"
#define SPEC    "container.CgroupSpec"
#define RESTART "*container.RestartPolicy"
#define ISOLATE "container.Isolation"
#define KNOWN   "default|bridge|host|none|container:*"

static const struct go_method methods[] = {
	/* clang-format off */
	{ NETWORK, "ConnectedContainer", behind, "", "container:" },
	{ NETWORK, "IsBridge",      is,     "", "bridge" },
	{ NETWORK, "IsContainer",   is,     "", "container:*" },
	{ NETWORK, "IsDefault",     is,     "", "default" },
	{ NETWORK, "IsHost",        is,     "", "host" },
	{ NETWORK, "IsNone",        is,     "", "none" },
	{ NETWORK, "IsPrivate",     is_not, "", "host|container:*" },
	{ NETWORK, "IsUserDefined", is_not, "", KNOWN },
	{ NETWORK, "NetworkName",   network_name, "" },
	{ NETWORK, "UserDefined",   unless, "", KNOWN },
	{ IPC, "Container",   behind, "", "container:" },
	{ IPC, "IsContainer", is,     "", "container:*" },
	{ IPC, "IsEmpty",     is,     "", "" },
	{ IPC, "IsHost",      is,     "", "host" },
	{ IPC, "IsNone",      is,     "", "none" },
	{ IPC, "IsPrivate",   is,     "", "private" },
	{ IPC, "IsShareable", is,     "", "shareable" },
	{ IPC, "Valid",       is,     "", "|none|private|host|shareable|container:*" },
	{ PID, "Container",   behind, "", "container:" },
	{ PID, "IsContainer", is,     "", "container:*" },
	{ PID, "IsHost",      is,     "", "host" },
	{ PID, "IsPrivate",   is_not, "", "host|container:*" },
	{ PID, "Valid",       is,     "", "|host|container:+" },
	{ UTS, "IsHost",      is,     "", "host" },
	{ UTS, "IsPrivate",   is_not, "", "host" },
	{ UTS, "Valid",       is,     "", "|host" },
	{ USERNS, "IsHost",    is,     "", "host" },
	{ USERNS, "IsPrivate", is_not, "", "host" },
	{ USERNS, "Valid",     is,     "", "|host" },
	{ CGROUP, "IsEmpty",   is, "", "" },
	{ CGROUP, "IsHost",    is, "", "host" },
	{ CGROUP, "IsPrivate", is, "", "private" },
	{ CGROUP, "Valid",     is, "", "|private|host" },
	{ SPEC, "Container",   behind, "", "container:" },
	{ SPEC, "IsContainer", is,     "", "container:*" },
	{ SPEC, "Valid",       is,     "", "|container:*" },
	{ ISOLATE, "IsDefault", is_in_any_case, "", "|default" },
	{ ISOLATE, "IsHyperV",  is_in_any_case, "", "hyperv" },
	{ ISOLATE, "IsProcess", is_in_any_case, "", "process" },
	{ ISOLATE, "IsValid",   is_in_any_case, "", "|default" },
	{ RESTART, "IsAlways",        policy_is, "", "always" },
	{ RESTART, "IsNone",          policy_is, "", "|no" },
	{ RESTART, "IsOnFailure",     policy_is, "", "on-failure" },
	{ RESTART, "IsSame",          policy_is_same, "r" },
	{ RESTART, "IsUnlessStopped", policy_is, "", "unless-stopped" },
	{ GO_PORT, "Int",   port_int,   "" },
	{ GO_PORT, "Port",  port,       "" },
	{ GO_PORT, "Proto", port_proto, "" },
	{ GO_DURATION, "Abs",          duration_abs,   "" },
	{ GO_DURATION, "Hours",        duration_real,  "", .n = 3600000000000 },
	{ GO_DURATION, "Microseconds", duration_whole, "", .n = 1000 },
	{ GO_DURATION, "Milliseconds", duration_whole, "", .n = 1000000 },
	{ GO_DURATION, "Minutes",      duration_real,  "", .n = 60000000000 },
	{ GO_DURATION, "Nanoseconds",  duration_whole, "", .n = 1 },
	{ GO_DURATION, "Round",        duration_round, "d" },
	{ GO_DURATION, "Seconds",      duration_real,  "", .n = 1000000000 },
	{ GO_DURATION, "String",       duration_string, "" },
	{ GO_DURATION, "Truncate",     duration_truncate, "d" },
	{ "fs.FileMode", "IsDir",     mode_is_dir,     "" },
	{ "fs.FileMode", "IsRegular", mode_is_regular, "" },
	{ "fs.FileMode", "Perm",      mode_perm,       "" },
	{ "fs.FileMode", "String",    mode_string,     "" },
	{ "fs.FileMode", "Type",      mode_type,       "" },
	{ GO_NUMBER, "Float64", number_real,   "" },
	{ GO_NUMBER, "Int64",   number_whole,  "" },
	{ GO_NUMBER, "String",  same_text, "" },
	{ "*blkiodev.ThrottleDevice",    "String", device_string, "", "Rate" },
	{ "*blkiodev.WeightDevice",      "String", device_string, "", "Weight" },
	{ "*network.EndpointIPAMConfig", "Copy",   itself, "" },
	{ "*network.EndpointSettings",   "Copy",   itself, "" },
	{ "*" GO_HEADERS, "FullHeader", full_header, "" },
	{ "*formatter.ContainerContext", "FullHeader", full_header, "" },
	{ "*formatter.ContainerContext", "Label",      row_label, "s" },
	{ "*formatter.imageContext",     "FullHeader", full_header, "" },
	{ "*formatter.volumeContext",    "FullHeader", full_header, "" },
	{ "*formatter.volumeContext",    "Label",      row_label, "s" },
	{ "registry.NetIPNet",           "String",     same_text, "" },
	{ GO_HEADER, "Label", header_label, "s" },
	{ "*units.Ulimit", "GetRlimit", ulimit_rlimit, "" },
	{ "*units.Ulimit", "String",    ulimit_string, "" },
	{ 0 },
	/* clang-format on */
};

static const struct go_method *find(const struct go_method *m, const char *type, const char *name)
{
	for (; m->type; m++)
		if (str_eq(m->type + (*m->type == '*'), type) && str_eq(m->name, name))
			return m;
	return NULL;
}

/* The kind by which values of a method's type are represented; other kinds only have the type's name. */
static enum val_kind kept_as(const char *type)
{
	static const struct {
		const char *type;
		enum val_kind kind;
	} kinds[] = {{GO_TIME, V_TIME}, {GO_DURATION, V_INT}, {"fs.FileMode", V_INT},
		{"time.Month", V_INT}, {"time.Weekday", V_INT}, {GO_HEADER, V_OBJECT}};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eq(kinds[i].type, type))
			return kinds[i].kind;
	return *type == '*' ? V_OBJECT : V_STRING;
}

const struct go_method *go_method(const struct val *v, const char *name)
{
	const struct go_method *m;
	const char *type;

	if (!v->type || v->kind <= V_NIL)
		return NULL;
	type = v->type + (*v->type == '*');
	m = find(methods, type, name);
	m = m ? m : find(go_time_methods, type, name);
	return m && kept_as(m->type) == v->kind ? m : NULL;
}

bool val_text(const struct val *v, const char *method, struct buf *out)
{
	const struct go_method *m = go_method(v, method);
	struct run keeper = {0};
	struct val text;

	if (!m || (*m->type == '*' && !val_is_pointer(v)))
		return false;
	if (m->call(&(struct method_call){.r = &keeper, .m = m, .self = v, .out = &text}) == 0)
		buf_add(out, text.s, text.len);
	strv_done(&keeper.kept);
	return true;
}
