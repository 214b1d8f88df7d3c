/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_go: what the JSON of docker's structs does not show: Go's names of members, and which members it leaves out. */
#include "tmpl_node.h"

#include <string.h>

/* Names of fields in docker's structs which their JSON spells in another way; `back`: whether it is such a spelling. */
const char *go_spelling(const char *name, bool back)
{
	static const char *const names[][2] = {{"ID", "Id"}, {"NanoCPUs", "NanoCpus"},
		{"CPUShares", "CpuShares"}, {"CPUPeriod", "CpuPeriod"}, {"CPUQuota", "CpuQuota"},
		{"CPURealtimePeriod", "CpuRealtimePeriod"},
		{"CPURealtimeRuntime", "CpuRealtimeRuntime"}, {"CPUCount", "CpuCount"},
		{"CPUPercent", "CpuPercent"}, {"DNS", "Dns"}, {"DNSOptions", "DnsOptions"},
		{"DNSSearch", "DnsSearch"}, {"CPUCfsPeriod", "CpuCfsPeriod"},
		{"CPUCfsQuota", "CpuCfsQuota"}, {"APIVersion", "ApiVersion"}, {"HTTPProxy", "HttpProxy"},
		{"HTTPSProxy", "HttpsProxy"}, {"HostIP", "HostIp"}, {"Path", "path"}};

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

	if (v->part)
		return v->part;
	for (const struct tmpl_field *f = d->fields; v->is_struct && name && f && f->name; f++)
		if (f->order && strcmp(f->name, name) == 0 && is_of(v, f->order))
			return f->order;
	return NULL;
}

static bool ends(const char *row)
{
	return *row == '}' || *row == ')';
}

static bool begins(const char *row)
{
	return *row == '{' || *row == '(';
}

static const char *pointer_to(struct run *r, const char *type)
{
	char *s = xasprintf("*%s", type);

	return run_keep(r, s, strlen(s)).s;
}

bool val_is_beside(const struct val *v, const char *key)
{
	const char *const *row = v->part;

	while (row && !ends(*row) && !str_eq(*row, key))
		row++;
	return row && ends(*row);
}

const char *val_embedded(struct run *r, const struct val *v, const char *name, struct val *out)
{
	const char *const *row = val_order(r->d, v);
	const char *type, *dot = NULL;
	json_t *j;

	for (; row && *row && !ends(*row); row++) {
		if (!begins(*row))
			continue;
		dot = strrchr(*row, '.');
		if (dot && str_eq(dot + 1, name))
			break;
		while (!ends(*row))
			row++;
	}
	if (!row || !*row || ends(*row))
		return NULL;
	if (name[0] >= 'a' && name[0] <= 'z')
		return "";
	type = **row == '(' ? pointer_to(r, *row + 1) : *row + 1;
	j = run_pool(r, json_object());
	*out = (struct val){.kind = V_OBJECT,
		.j = j,
		.is_struct = true,
		.is_pointer = **row == '(',
		.from = v->from,
		.type = type,
		.part = row + 1};
	for (row++; !ends(*row); row++)
		if (json_object_get(v->j, *row))
			(void)json_object_set(j, *row, json_object_get(v->j, *row)); /* memory */
	return type;
}

bool tmpl_is_of_row(const struct tmpl_data *d, const char *name)
{
	const struct tmpl_object *o = d->object;

	for (const struct tmpl_field *f = o->fields; f && f->name; f++)
		for (const char *const *row = f->order; row && *row && str_eq(f->name, o->type); row++)
			if (str_eq(*row, name) && name[0] >= 'a' && name[0] <= 'z')
				return true;
	return false;
}

bool val_is_pointer(const struct val *v)
{
	return v->kind > V_NIL && (v->is_pointer || (v->type && *v->type == '*'));
}
