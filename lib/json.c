/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static void *allocate(size_t n)
{
	return xrealloc(NULL, 1, n);
}

void json_begin(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *json_read_at(int dir, const char *name, size_t max, struct err *e)
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		(void)err_sys(e, "open %s", name);
		return NULL;
	}
	return json_read_fd(fd, name, max, e);
}

static const char *spelled(const char *const *names, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(names[i], key) == 0)
			return names[i];
	return key;
}

void json_spell(json_t *object, const char *const *names, size_t n)
{
	auto_json json_t *was = json_is_object(object) ? json_copy(object) : NULL;
	const char *key;
	json_t *v;

	if (!was)
		return;
	(void)json_object_clear(object); /* it is one */
	json_object_foreach(was, key, v)(void) json_object_set(object, spelled(names, n, key), v); /* memory */
}

json_t *json_read_fd(int fd, const char *name, size_t max, struct err *e)
{
	auto_buf struct buf text = {0};
	char chunk[16384];
	json_error_t why;
	json_t *value;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		if (text.len + (size_t)n > max) {
			(void)err_set(e, ERR_CORRUPT, "%s: larger than %zu bytes", name, max);
			return NULL;
		}
		buf_add(&text, chunk, (size_t)n);
	}
	if (n < 0) {
		(void)err_sys(e, "read %s", name);
		return NULL;
	}
	value = json_loadb(text.s ? text.s : "", text.len, 0, &why);
	if (!value)
		(void)err_set(e, ERR_CORRUPT, "%s: not JSON: line %d: %s", name, why.line, why.text);
	return value;
}

static int give_name(int dir, const char *temporary, const char *name, bool fresh)
{
	int result;

	if (!fresh)
		return renameat(dir, temporary, dir, name);
	result = linkat(dir, temporary, dir, name, 0);
	if (result == 0)
		(void)unlinkat(dir, temporary, 0); /* the temporary name, which is not needed any more */
	return result;
}

static int write_whole(int dir, const char *name, const json_t *value, bool fresh, struct err *e)
{
	auto_free char *temporary = xasprintf(".%s.%d", name, (int)getpid());
	auto_free char *text = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER);
	int fd;

	if (!text)
		return err_set(e, ERR_SYSTEM, "%s: cannot be written as JSON", name);
	if (strlen(text) > JSON_STORED_MAX)
		return err_set(e, ERR_USAGE, "%s: larger than %u bytes", name, JSON_STORED_MAX);
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_sys(e, "create %s", name);
	/* close() is where a full disk or a quota may speak up last. */
	if (sys_write_all(fd, text, strlen(text)) < 0 || close(take_fd(&fd)) < 0 ||
		give_name(dir, temporary, name, fresh) < 0) {
		(void)err_sys(e, "write %s", name);
		if (fd >= 0)
			(void)close(fd);           /* the write has failed already */
		(void)unlinkat(dir, temporary, 0); /* likewise */
		return -1;
	}
	return 0;
}

int json_write_at(int dir, const char *name, const json_t *value, struct err *e)
{
	return write_whole(dir, name, value, false, e);
}

int json_create_at(int dir, const char *name, const json_t *value, struct err *e)
{
	return write_whole(dir, name, value, true, e);
}

const char *json_str(const json_t *object, const char *key, const char *otherwise)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : otherwise;
}

int64_t json_int(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

bool json_bool(const json_t *object, const char *key, bool otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_boolean(v) ? json_is_true(v) : otherwise;
}

void json_strv(const json_t *array, struct strv *out)
{
	size_t i;
	json_t *v;

	if (json_is_array(array))
		out->set = true;
	json_array_foreach(array, i, v) if (json_is_string(v)) strv_add(out, json_string_value(v));
}

char *json_utf8(const char *s, size_t n)
{
	auto_buf struct buf text = {0};

	while (n > 0) {
		size_t len = str_rune(s, n, NULL);

		buf_add(&text, len ? s : "\xef\xbf\xbd", len ? len : 3);
		s += len ? len : 1;
		n -= len ? len : 1;
	}
	return buf_take(&text);
}

/* The number in "\\u1234"; -1: it is no such escape. The text ends with a NUL. */
static long escaped(const char *at)
{
	char digits[5] = "";

	if (at[0] != '\\' || at[1] != 'u' || strspn(at + 2, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, at + 2, 4);
	return strtol(digits, NULL, 16);
}

char *json_forgiven(const char *s, size_t n)
{
	auto_free char *text = json_utf8(s, n);
	auto_buf struct buf out = {0};

	if (memchr(s, 0, n))
		return NULL;
	for (const char *at = text; *at;) {
		long unit = escaped(at), next = unit >= 0xd800 && unit < 0xdc00 ? escaped(at + 6) : -1;
		bool pair = next >= 0xdc00 && next < 0xe000,
		     half = unit >= 0xd800 && unit < 0xe000 && !pair;
		size_t len = pair ? 12 : unit >= 0 ? 6 : *at == '\\' && at[1] ? 2 : 1;

		buf_add(&out, half ? "\\ufffd" : at, half ? 6 : len);
		at += len;
	}
	return buf_take(&out);
}

json_t *json_text(const char *s)
{
	json_t *text = json_string(s);
	auto_free char *mended = text ? NULL : json_utf8(s, strlen(s));

	return text ? text : json_string(mended);
}

void json_set(json_t *object, const char *key, json_t *value)
{
	(void)json_object_set_new(object, key, value ? value : json_null()); /* only memory can fail */
}

void json_set_text(json_t *object, const char *key, const char *value)
{
	json_set(object, key, json_text(value ? value : ""));
}

/* How many bytes of the text stand as they are. */
static size_t same_in_go(const char *text, bool html)
{
	size_t n = strcspn(text, html ? "\\\xe2<>&" : "\\\xe2");

	while (text[n] == '\xe2' && strncmp(text + n, "\xe2\x80\xa8", 3) != 0 &&
		strncmp(text + n, "\xe2\x80\xa9", 3) != 0)
		n += 1 + strcspn(text + n + 1, html ? "\\\xe2<>&" : "\\\xe2");
	return n;
}

void json_go(const char *text, bool html, struct buf *out)
{
	const char *c = text ? text : "";

	for (;;) {
		size_t n = same_in_go(c, html);

		buf_add(out, c, n);
		c += n;
		if (!*c)
			return;
		if (*c == '\xe2') {
			buf_printf(out, "\\u202%c", c[2] == '\xa8' ? '8' : '9');
			c += 3;
		} else if (*c != '\\') {
			buf_printf(out, "\\u%04x", (unsigned int)(unsigned char)*c++);
		} else if (c[1] != 'u') {
			buf_add(out, c, 2);
			c += 2;
		} else {
			for (int i = 0; i < 6; i++, c++)
				buf_putc(out, *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c);
		}
	}
}

json_t *json_own(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	assert(j);
	return j;
}

json_t *json_from_strv(const struct strv *a)
{
	json_t *array = json_array();

	for (size_t i = 0; i < a->n; i++)
		(void)json_array_append_new(array, json_text(a->v[i])); /* only memory can fail */
	return array;
}

void json_map_strv(const json_t *object, struct strv *out)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		strv_addf(out, "%s=%s", key, json_is_string(value) ? json_string_value(value) : "");
}

/* Takes it. */
static json_t *sorted(json_t *map)
{
	auto_strv struct strv keys = {0};
	json_t *out, *value;
	const char *key;

	if (json_object_size(map) < 2)
		return map;
	out = json_object();
	json_object_foreach(map, key, value) strv_add(&keys, key);
	strv_sort(&keys, 0);
	for (size_t i = 0; i < keys.n; i++)
		(void)json_object_set(out, keys.v[i], json_object_get(map, keys.v[i])); /* memory */
	json_decref(map);
	return out;
}

json_t *json_from_map(const struct strv *words)
{
	json_t *map = json_object();

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i];
		size_t n = strcspn(word, "=");
		auto_free char *key = json_utf8(word, n);

		(void)json_object_set_new(map, key, json_text(word + n + (word[n] == '='))); /* memory */
	}
	return sorted(map);
}

const char *json_kind(const json_t *j)
{
	return json_is_object(j)    ? "object"
	       : json_is_array(j)   ? "array"
	       : json_is_string(j)  ? "string"
	       : json_is_number(j)  ? "number"
	       : json_is_boolean(j) ? "bool"
	                            : "null";
}
