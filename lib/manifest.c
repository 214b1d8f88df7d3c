/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest.h"

#include <string.h>

#define ITEM "struct field manifestItem."

static int wrong(const json_t *j, const char *into, const char *type, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "json: cannot unmarshal %s into Go %s of type %s",
		json_kind(j), into, type);
}

static bool may_be(const json_t *j, int type)
{
	return !j || json_is_null(j) || json_typeof(j) == (json_type)type;
}

static int check_words(const json_t *list, const char *field, struct err *e)
{
	const json_t *v;
	size_t i;

	if (!may_be(list, JSON_ARRAY))
		return wrong(list, field, "[]string", e);
	json_array_foreach(list, i, v)
	{
		if (!may_be(v, JSON_STRING))
			return wrong(v, field, "string", e);
	}
	return 0;
}

static int check_item(const json_t *item, struct err *e)
{
	const json_t *config = json_object_get(item, "Config");
	const json_t *parent = json_object_get(item, "Parent");

	if (!may_be(item, JSON_OBJECT))
		return err_set(e, ERR_CORRUPT,
			"json: cannot unmarshal %s into Go value of type tarexport.manifestItem",
			json_kind(item));
	if (!may_be(config, JSON_STRING))
		return wrong(config, ITEM "Config", "string", e);
	if (!may_be(parent, JSON_STRING))
		return wrong(parent, ITEM "Parent", "image.ID", e);
	if (check_words(json_object_get(item, "RepoTags"), ITEM "RepoTags", e) < 0)
		return -1;
	return check_words(json_object_get(item, "Layers"), ITEM "Layers", e);
}

/* What follows the value is ignored. */
static json_t *decode(const char *text, size_t n, struct err *e)
{
	json_error_t why;
	json_t *j = json_loadb(text, n, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &why);
	auto_free char *words = j ? NULL : json_fault(text, strlen(text), &why);

	if (j)
		return j;
	if (!str_eq(words, "unexpected end of JSON input"))
		(void)err_set(e, ERR_CORRUPT, "%s", words);
	else if (text[strspn(text, " \t\r\n")])
		(void)err_set(e, ERR_CORRUPT, "unexpected EOF");
	else
		(void)err_set(e, ERR_CORRUPT, "EOF");
	return NULL;
}

static int check(const json_t *j, struct err *e)
{
	if (json_is_null(j))
		return err_set(e, ERR_CORRUPT,
			"invalid manifest, manifest cannot be null (but can be [])");
	if (!json_is_array(j))
		return err_set(e, ERR_CORRUPT,
			"json: cannot unmarshal %s into Go value of type []tarexport.manifestItem",
			json_kind(j));
	for (size_t i = 0; i < json_array_size(j); i++)
		if (check_item(json_array_get(j, i), e) < 0)
			return -1;
	return 0;
}

json_t *manifest_read(const char *text, size_t n, struct err *e)
{
	auto_json json_t *j = decode(text, n, e);

	return j && check(j, e) == 0 ? take(j) : NULL;
}
