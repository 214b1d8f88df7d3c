/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_val: values of a running template, with the Go types that JSON does not tell. */
#include "tmpl_node.h"
#include "tmpl_verb.h"

#include <string.h>

struct val val_string(const char *s, size_t len)
{
	return (struct val){.kind = V_STRING, .s = s, .len = len};
}

struct val val_int(int64_t i)
{
	return (struct val){.kind = V_INT, .i = i};
}

struct val val_bool(bool b)
{
	return (struct val){.kind = V_BOOL, .b = b};
}

static bool is_name(const char *name, const char *s, size_t n)
{
	return name && strlen(name) == n && memcmp(name, s, n) == 0;
}

static const struct tmpl_field *row_of(
	const struct tmpl_data *d, const struct val *parent, const char *key)
{
	const char *of = parent->from ? parent->from : parent->type;
	const char *type = parent->type ? parent->type + (*parent->type == '*') : NULL;

	if (!d->fields || !key || !parent->is_struct)
		return NULL;
	for (const struct tmpl_field *f = d->fields; f->name; f++) {
		const char *dot = strrchr(f->name, '.');
		size_t n = dot ? (size_t)(dot - f->name) : 0;

		if (strcmp(dot ? dot + 1 : f->name, key) != 0)
			continue;
		if (!dot || is_name(of, f->name, n) || is_name(type, f->name, n))
			return f;
	}
	return NULL;
}

static struct val zero(const struct tmpl_field *row, const char *key)
{
	static const enum val_kind kinds[] = {[TMPL_PTR] = V_NIL,
		[TMPL_STRING] = V_STRING,
		[TMPL_INT] = V_INT,
		[TMPL_BOOL] = V_BOOL,
		[TMPL_SLICE] = V_ARRAY,
		[TMPL_MAP] = V_OBJECT,
		[TMPL_DURATION] = V_INT,
		[TMPL_STRUCT] = V_NONE};

	if (row->type && str_eq(row->type, GO_TIME))
		return (struct val){.kind = V_TIME, .s = "", .from = key, .type = row->type};
	return (struct val){
		.kind = kinds[row->kind], .s = "", .elem = row->elem, .from = key, .type = row->type};
}

struct val val_key(const struct val *map, const char *key)
{
	struct val v = val_string(key, strlen(key));

	v.type = map->type && str_starts(map->type, GO_PORT) ? GO_PORT : NULL;
	return v;
}

/* A row of that name may speak of a member of another kind of object. */
static bool may_miss(const struct tmpl_data *d, const struct val *parent, const char *key)
{
	if (!d->optional || parent->from)
		return true;
	for (const char *const *name = d->optional; *name; name++)
		if (strcmp(*name, key) == 0)
			return true;
	return false;
}

/* "[]*units.Ulimit" and "map[string]*network.EndpointSettings" hold pointers. */
static const char *elem_type(const struct val *parent)
{
	static const char slice[] = "[]", map[] = "map[string]";

	if (!parent->type || parent->is_struct)
		return NULL;
	if (strcmp(parent->type, "nat.PortSet") == 0)
		return "struct {}";
	if (strcmp(parent->type, "nat.PortMap") == 0)
		return "[]nat.PortBinding";
	if (str_starts(parent->type, slice))
		return parent->type + strlen(slice);
	return str_starts(parent->type, map) ? parent->type + strlen(map) : NULL;
}

static json_t *number_text(const json_t *texts, const json_t *number)
{
	char key[2 * sizeof(void *) + 3];

	(void)snprintf(key, sizeof(key), "%p", (const void *)number);
	return json_object_get(texts, key);
}

void val_number_texts(const json_t *j, json_t *texts)
{
	const json_t *child;
	json_t *object = (json_t *)(uintptr_t)j; /* as in val_keys() */
	char key[2 * sizeof(void *) + 3];
	auto_buf struct buf text = {0};
	size_t i;

	json_array_foreach(j, i, child) val_number_texts(child, texts);
	for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it))
		val_number_texts(json_object_iter_value(it), texts);
	if (!json_is_number(j))
		return;
	if (json_is_integer(j))
		buf_printf(&text, "%lld", (long long)json_integer_value(j));
	else
		verb_json_real(json_real_value(j), &text);
	(void)snprintf(key, sizeof(key), "%p", (const void *)j);
	json_set_text(texts, key, text.s);
}

struct val val_child(
	const struct tmpl_data *d, const struct val *parent, const char *key, const json_t *child)
{
	const struct tmpl_field *row = row_of(d, parent, key);
	struct val v = {.j = child,
		.loose = !d->fields,
		.from = key ? key : parent->from,
		.type = row ? row->type : elem_type(parent)};

	if (key && !child && val_is_beside(parent, key))
		return (struct val){.kind = V_NONE};
	if (row && (child ? json_is_null(child) : may_miss(d, parent, key)))
		return zero(row, key);
	if (!child)
		return (struct val){.kind = V_NONE};
	if (d->texts && json_is_number(child)) {
		v.kind = V_STRING;
		v.s = json_string_value(number_text(d->texts, child));
		v.len = strlen(v.s);
		v.type = GO_NUMBER;
		return v;
	}
	switch (json_typeof(child)) {
	case JSON_NULL:
		v.kind = V_NIL;
		if (v.type && str_starts(v.type, "[]")) {
			v.kind = V_ARRAY;
			v.j = NULL;
		}
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		v.kind = V_BOOL;
		v.b = json_is_true(child);
		break;
	case JSON_INTEGER:
		v.kind = V_INT;
		v.i = json_integer_value(child);
		break;
	case JSON_REAL:
		v.kind = V_REAL;
		v.r = json_real_value(child);
		break;
	case JSON_STRING:
		v.kind = v.type && str_eq(v.type, GO_TIME) ? V_TIME : V_STRING;
		v.s = json_string_value(child);
		v.len = json_string_length(child);
		break;
	case JSON_ARRAY:
		v.kind = V_ARRAY;
		break;
	case JSON_OBJECT:
		v.kind = V_OBJECT;
		v.is_struct = d->fields && !(row && row->kind == TMPL_MAP);
		v.is_pointer = v.is_struct && row && row->kind == TMPL_PTR;
		v.elem = row ? row->elem : TMPL_PTR;
		break;
	}
	return v;
}

size_t val_len(const struct val *v)
{
	if (v->kind == V_STRING)
		return v->len;
	return v->kind == V_ARRAY ? json_array_size(v->j) : json_object_size(v->j);
}

bool val_truth(const struct val *v)
{
	switch (v->kind) {
	case V_NONE:
	case V_NIL:
		return false;
	case V_BOOL:
		return v->b;
	case V_INT:
		return v->i != 0;
	case V_REAL:
		return v->r != 0;
	case V_OBJECT:
		return v->is_struct || val_len(v) > 0;
	case V_COMPLEX:
		return v->r != 0 || v->im != 0;
	case V_TIME:
	case V_ROW:
		return true;
	default:
		return val_len(v) > 0;
	}
}

static bool all_strings(const struct val *v)
{
	const json_t *item;
	size_t i;

	if (v->loose)
		return false;
	json_array_foreach(v->j, i, item) if (!json_is_string(item)) return false;
	return true;
}

const char *val_type(const struct val *v)
{
	if (v->type)
		return v->type;
	switch (v->kind) {
	case V_NONE:
	case V_NIL:
		return "nil";
	case V_BOOL:
		return "bool";
	case V_INT:
		return "int";
	case V_REAL:
		return "float64";
	case V_COMPLEX:
		return "complex128";
	case V_STRING:
		return "string";
	case V_ARRAY:
		if (!v->loose && v->from &&
			(strcmp(v->from, "Cmd") == 0 || strcmp(v->from, "Entrypoint") == 0))
			return "strslice.StrSlice";
		return all_strings(v) ? "[]string" : "[]interface {}";
	case V_OBJECT:
		return v->is_struct             ? "struct"
		       : v->elem == TMPL_STRING ? "map[string]string"
		                                : "map[string]interface {}";
	default:
		return "struct";
	}
}

bool val_is_bytes(const struct val *v)
{
	return v->kind == V_ARRAY && v->type && str_eq(v->type, "[]uint8");
}

void val_add_bytes(const struct val *v, struct buf *out)
{
	for (size_t i = 0; i < json_array_size(v->j); i++)
		buf_putc(out, (char)json_integer_value(json_array_get(v->j, i)));
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **val_keys(const struct val *v, bool sorted, size_t *n)
{
	const char **keys = xcalloc(json_object_size(v->j) + 1, sizeof(*keys));
	json_t *object = (json_t *)(uintptr_t)v->j; /* jansson's iterators take no const, but do not change the object */
	size_t i = 0;

	for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it))
		keys[i++] = json_object_iter_key(it);
	*n = i;
	if (sorted)
		qsort(keys, i, sizeof(*keys), by_bytes);
	return keys;
}
