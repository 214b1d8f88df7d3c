/* SPDX-License-Identifier: Apache-2.0 */
/* parse_gpus: options that become docker's objects about devices: --gpus, --device-read-bps and the like, --blkio-weight-device. */
#include "parse.h"

#include <string.h>

static json_t *text_of(const char *s, size_t n)
{
	auto_free char *text = xstrndup(s, n);

	return json_text(text);
}

static json_t *split(const char *s)
{
	json_t *list = json_array();

	for (;; s++) {
		size_t n = strcspn(s, ",");

		(void)json_array_append_new(list, text_of(s, n)); /* memory */
		s += n;
		if (!*s)
			return list;
	}
}

static int parse_count(const char *s, int64_t *out, struct err *e)
{
	struct err why;

	if (str_eq(s, "all")) {
		*out = -1;
		return 0;
	}
	if (parse_decimal(s, out, &why) < 0)
		return err_set(e, ERR_USAGE,
			"invalid count (%s): value must be either \"all\" or an integer: %s", s,
			str_ends(why.text, "value out of range") ? "value out of range"
								 : "invalid syntax");
	return 0;
}

static int parse_options(const char *s, json_t *request, struct err *e)
{
	auto_strv struct strv words = {0};

	if (parse_csv(s, &words, e) < 0)
		return -1;
	for (size_t i = 0; i < words.n; i++) {
		size_t n = strcspn(words.v[i], "=");
		auto_free char *key = xstrndup(words.v[i], n);

		json_set(json_object_get(request, "Options"), key,
			json_text(words.v[i] + n + (words.v[i][n] == '=')));
	}
	return 0;
}

static int gpu_field(
	const char *field, const char *key, const char *value, json_t *request, struct err *e)
{
	int64_t count;

	if (str_eq(key, "count")) {
		if (parse_count(value, &count, e) < 0)
			return -1;
		json_set(request, "Count", json_integer(count));
	} else if (str_eq(key, "driver")) {
		json_set(request, "Driver", json_text(value));
	} else if (str_eq(key, "device")) {
		json_set(request, "DeviceIDs", split(value));
	} else if (str_eq(key, "capabilities")) {
		json_t *all = split(value);

		(void)json_array_append_new(all, json_string("gpu")); /* memory */
		json_set(request, "Capabilities", json_pack("[o]", all));
	} else if (str_eq(key, "options")) {
		return parse_options(value, request, e);
	} else {
		return err_set(e, ERR_USAGE, "unexpected key '%s' in '%s'", key, field);
	}
	return 0;
}

int parse_gpus(const char *s, json_t **requests, struct err *e)
{
	auto_json json_t *request = json_pack("{s:s, s:n, s:n, s:[[s]], s:{}}", "Driver", "",
		"Count", "DeviceIDs", "Capabilities", "gpu", "Options");
	auto_strv struct strv fields = {0}, seen = {0};

	if (parse_csv(s, &fields, e) < 0)
		return -1;
	for (size_t i = 0; i < fields.n; i++) {
		const char *equals = strchr(fields.v[i], '=');
		auto_free char *key = xstrndup(fields.v[i], strcspn(fields.v[i], "="));

		for (size_t k = 0; k < seen.n; k++)
			if (str_eq(seen.v[k], key))
				return err_set(e, ERR_USAGE,
					"gpu request key '%s' can be specified only once", key);
		strv_add(&seen, key);
		if (!equals)
			strv_add(&seen, "count");
		if (gpu_field(fields.v[i], equals ? key : "count",
			    equals ? equals + 1 : fields.v[i], request, e) < 0)
			return -1;
	}
	/* 1, if neither a count nor ids are given */
	if (json_is_null(json_object_get(request, "Count")))
		json_set(request, "Count",
			json_integer(json_is_null(json_object_get(request, "DeviceIDs")) ? 1 : 0));
	if (!*requests)
		*requests = json_array();
	(void)json_array_append(*requests, request); /* memory */
	return 0;
}

/* "/dev/sda:VALUE": where VALUE begins */
static const char *device_value(const char *s, struct err *e)
{
	const char *colon = strchr(s, ':');

	if (!colon || colon == s) {
		(void)err_set(e, ERR_USAGE, "bad format: %s", s);
		return NULL;
	}
	if (!str_starts(s, "/dev/")) {
		(void)err_set(e, ERR_USAGE, "bad format for device path: %s", s);
		return NULL;
	}
	return colon + 1;
}

static void add(json_t **list, const char *word, const char *key, int64_t n)
{
	json_t *one = json_object();

	json_set(one, "Path", text_of(word, strcspn(word, ":")));
	json_set(one, key, json_integer(n));
	if (!*list)
		*list = json_array();
	(void)json_array_append_new(*list, one); /* memory */
}

int parse_throttle(const char *s, bool bytes, json_t **list, struct err *e)
{
	const char *value = device_value(s, e);
	int64_t n;

	if (!value)
		return -1;
	if (bytes && (parse_bytes(value, &n, e) < 0 || n < 0))
		return err_set(e, ERR_USAGE,
			"invalid rate for device: %s. The correct format is "
			"<device-path>:<number>[<unit>]. Number must be a positive integer. Unit is "
			"optional and can be kb, mb, or gb",
			s);
	if (!bytes && parse_uint(value, INT64_MAX, &n, e) < 0)
		return err_set(e, ERR_USAGE,
			"invalid rate for device: %s. The correct format is <device-path>:<number>. "
			"Number must be a positive integer",
			s);
	add(list, s, "Rate", n);
	return 0;
}

int parse_weight_device(const char *s, json_t **list, struct err *e)
{
	const char *value = device_value(s, e);
	int64_t n;

	if (!value)
		return -1;
	if (parse_uint(value, UINT16_MAX, &n, e) < 0 || (n != 0 && (n < 10 || n > 1000)))
		return err_set(e, ERR_USAGE, "invalid weight for device: %s", s);
	add(list, s, "Weight", n);
	return 0;
}
