/* SPDX-License-Identifier: Apache-2.0 */
/* What values of Go's types say of themselves that their JSON does not: texts of their own, and members left out. */
#include "tmpl_node.h"

#include <string.h>

static void put_fraction(uint64_t n, uint64_t unit, const char *name, struct buf *out)
{
	uint64_t rest = n % unit;

	buf_printf(out, "%llu", (unsigned long long)(n / unit));
	for (uint64_t one = unit / 10; rest; rest %= one, one /= 10)
		buf_printf(out, "%s%llu", one == unit / 10 ? "." : "", (unsigned long long)(rest / one));
	buf_puts(out, name);
}

/* "1h0m1.5s", "250ms": time.Duration's. */
static void put_duration(int64_t ns, struct buf *out)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, minutes = n / 60000000000ULL;

	buf_puts(out, ns < 0 ? "-" : "");
	if (n < 1000000000 && n) {
		if (n < 1000)
			put_fraction(n, 1, "ns", out);
		else if (n < 1000000)
			put_fraction(n, 1000, "\xc2\xb5s", out);
		else
			put_fraction(n, 1000000, "ms", out);
		return;
	}
	if (minutes >= 60)
		buf_printf(out, "%lluh", (unsigned long long)(minutes / 60));
	if (minutes)
		buf_printf(out, "%llum", (unsigned long long)(minutes % 60));
	put_fraction(n % 60000000000ULL, 1000000000, "s", out);
}

/* "2025-01-02T03:04:05.6Z", as JSON has it, in the form of Go's String(). */
static void put_time(const struct val *v, struct buf *out)
{
	bool utc = v->len && v->s[v->len - 1] == 'Z';

	for (size_t i = 0; i < v->len - utc; i++)
		buf_putc(out, utc && v->s[i] == 'T' ? ' ' : v->s[i]);
	buf_puts(out, utc ? " +0000 UTC" : "");
}

bool val_own_text(const struct val *v, struct buf *out)
{
	if (!v->type)
		return false;
	if (v->kind == V_INT && strcmp(v->type, GO_DURATION) == 0) {
		put_duration(v->i, out);
		return true;
	}
	if (v->kind == V_STRING && strcmp(v->type, GO_TIME) == 0) {
		put_time(v, out);
		return true;
	}
	if (v->kind != V_OBJECT || !v->is_struct || strcmp(v->type, GO_ULIMIT) != 0)
		return false;
	buf_printf(out, "%s=%lld:%lld", json_str(v->j, "Name", ""),
		(long long)json_integer_value(json_object_get(v->j, "Soft")),
		(long long)json_integer_value(json_object_get(v->j, "Hard")));
	return true;
}

/* Names of fields in docker's structs which their JSON spells in another way; `back`: whether it is such a spelling. */
const char *go_spelling(const char *name, bool back)
{
	static const char *const names[][2] = {{"ID", "Id"}, {"NanoCPUs", "NanoCpus"},
		{"CPUShares", "CpuShares"}, {"CPUPeriod", "CpuPeriod"}, {"CPUQuota", "CpuQuota"},
		{"CPURealtimePeriod", "CpuRealtimePeriod"}, {"CPURealtimeRuntime", "CpuRealtimeRuntime"},
		{"CPUCount", "CpuCount"}, {"CPUPercent", "CpuPercent"}, {"DNS", "Dns"},
		{"DNSOptions", "DnsOptions"}, {"DNSSearch", "DnsSearch"},
		{"CPUCfsPeriod", "CpuCfsPeriod"}, {"CPUCfsQuota", "CpuCfsQuota"},
		{"APIVersion", "ApiVersion"}, {"HostIP", "HostIp"}, {"Path", "path"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(names[i][back], name))
			return names[i][!back];
	return NULL;
}

/* Whether each key of the object is one of `order`. */
static bool is_of(const struct val *v, const char *const *order)
{
	size_t known = 0;

	for (; *order; order++)
		known += json_object_get(v->j, *order) != NULL;
	return known == json_object_size(v->j);
}

const char *const *val_order(const struct tmpl_data *d, const struct val *v)
{
	const char *name = v->from ? v->from : v->type;

	for (const struct tmpl_field *f = d->fields; v->is_struct && name && f && f->name; f++)
		if (f->order && strcmp(f->name, name) == 0 && is_of(v, f->order))
			return f->order;
	return NULL;
}

bool val_is_pointer(const struct val *v)
{
	return v->kind > V_NIL && (v->is_pointer || (v->type && *v->type == '*'));
}
