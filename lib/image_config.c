/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <string.h>

void image_config_done(struct image_config *c)
{
	strv_done(&c->env);
	strv_done(&c->cmd);
	strv_done(&c->entrypoint);
	strv_done(&c->labels);
	strv_done(&c->volumes);
	strv_done(&c->exposed);
	strv_done(&c->shell);
	free(c->workdir);
	free(c->user);
	free(c->stop_signal);
	json_decref(c->health);
	*c = (struct image_config){0};
}

void image_config_spell(json_t *config)
{
	static const char *const whole[] = {"architecture", "variant", "os", "os.version",
		"os.features", "created", "author", "config", "history", "rootfs", "type",
		"diff_ids", "created_by", "comment", "empty_layer"};
	static const char *const settings[] = {"User", "ExposedPorts", "Env", "Cmd", "Healthcheck",
		"Test", "Interval", "Timeout", "StartPeriod", "StartInterval", "Retries", "Volumes",
		"WorkingDir", "Entrypoint", "OnBuild", "Labels", "StopSignal", "Shell", "ArgsEscaped"};
	json_t *of, *step;
	size_t i;

	json_spell(config, whole, ARRAY_LEN(whole));
	json_spell(json_object_get(config, "rootfs"), whole, ARRAY_LEN(whole));
	json_array_foreach(json_object_get(config, "history"), i, step)
		json_spell(step, whole, ARRAY_LEN(whole));
	of = json_object_get(config, "config");
	json_spell(of, settings, ARRAY_LEN(settings));
	json_spell(json_object_get(of, "Healthcheck"), settings, ARRAY_LEN(settings));
}

json_t *image_config_load(const char *text, size_t n, json_error_t *why)
{
	json_t *j = json_loadb(text, n, JSON_DECODE_ANY, why);

	image_config_spell(j);
	return j;
}

static bool absent(const json_t *v)
{
	return !v || json_is_null(v);
}

static int few(size_t n, const char *key, struct err *e)
{
	if (n <= IMAGE_WORDS_MAX)
		return 0;
	return err_set(e, ERR_CORRUPT, "image config: %s holds more than %d words", key, IMAGE_WORDS_MAX);
}

/* Images made by early versions of docker have a plain string where there is a list now. */
static int get_words(const json_t *config, const char *key, struct strv *out, struct err *e)
{
	const json_t *v = json_object_get(config, key);
	size_t i;
	json_t *word;

	if (absent(v))
		return 0;
	if (json_is_string(v)) {
		strv_add(out, json_string_value(v));
		return 0;
	}
	if (!json_is_array(v))
		return err_set(e, ERR_CORRUPT, "image config: %s is no list", key);
	if (few(json_array_size(v), key, e) < 0)
		return -1;
	out->set = true;
	json_array_foreach(v, i, word)
	{
		/* a word with a zero byte cannot be passed to the kernel */
		if (!json_is_string(word) || strlen(json_string_value(word)) != json_string_length(word))
			return err_set(e, ERR_CORRUPT, "image config: %s holds what is no word", key);
		strv_add(out, json_string_value(word));
	}
	return 0;
}

/* {"80/tcp": {}}: a set, in JSON. */
static int get_keys(const json_t *config, const char *key, struct strv *out, struct err *e)
{
	json_t *set = json_object_get(config, key), *unused;
	const char *name;

	if (absent(set))
		return 0;
	if (!json_is_object(set))
		return err_set(e, ERR_CORRUPT, "image config: %s is no object", key);
	if (few(json_object_size(set), key, e) < 0)
		return -1;
	json_object_foreach(set, name, unused) strv_add(out, name);
	return 0;
}

static int get_labels(const json_t *config, struct strv *out, struct err *e)
{
	json_t *labels = json_object_get(config, "Labels"), *value;
	const char *name;

	if (absent(labels))
		return 0;
	if (!json_is_object(labels))
		return err_set(e, ERR_CORRUPT, "image config: Labels is no object");
	if (few(json_object_size(labels), "Labels", e) < 0)
		return -1;
	json_object_foreach(labels, name, value)
	{
		if (!json_is_string(value))
			return err_set(e, ERR_CORRUPT, "image config: label %s is no string", name);
		strv_addf(out, "%s=%s", name, json_string_value(value));
	}
	return 0;
}

static int get_string(const json_t *config, const char *key, char **out, struct err *e)
{
	const json_t *v = json_object_get(config, key);

	if (absent(v) || (json_is_string(v) && !*json_string_value(v)))
		return 0;
	if (!json_is_string(v))
		return err_set(e, ERR_CORRUPT, "image config: %s is no string", key);
	*out = xstrdup(json_string_value(v));
	return 0;
}

static int get_health(const json_t *config, json_t **out, struct err *e)
{
	json_t *v = json_object_get(config, "Healthcheck");

	if (absent(v))
		return 0;
	if (!json_is_object(v))
		return err_set(e, ERR_CORRUPT, "image config: Healthcheck is no object");
	*out = json_incref(v);
	return 0;
}

int image_config_parse(const json_t *config, struct image_config *out, struct err *e)
{
	auto_image_config struct image_config c = {0};

	if (absent(config)) {
		*out = c;
		return 0;
	}
	if (!json_is_object(config))
		return err_set(e, ERR_CORRUPT, "image config: no object");
	if (get_words(config, "Env", &c.env, e) < 0 || get_words(config, "Cmd", &c.cmd, e) < 0 ||
		get_words(config, "Entrypoint", &c.entrypoint, e) < 0 ||
		get_words(config, "Shell", &c.shell, e) < 0 || get_labels(config, &c.labels, e) < 0 ||
		get_keys(config, "Volumes", &c.volumes, e) < 0 ||
		get_keys(config, "ExposedPorts", &c.exposed, e) < 0 ||
		get_string(config, "WorkingDir", &c.workdir, e) < 0 ||
		get_string(config, "User", &c.user, e) < 0 ||
		get_string(config, "StopSignal", &c.stop_signal, e) < 0 ||
		get_health(config, &c.health, e) < 0)
		return -1;
	*out = c;
	c = (struct image_config){0};
	return 0;
}

static json_t *words(const struct strv *a)
{
	return a->n || a->set ? json_from_strv(a) : json_null();
}

static json_t *keys(const struct strv *a)
{
	json_t *set = json_object();

	for (size_t i = 0; i < a->n; i++)
		(void)json_object_set_new(set, a->v[i], json_object()); /* only memory can fail */
	return set;
}

static json_t *labels_json(const struct strv *a)
{
	json_t *labels = json_object();

	for (size_t i = 0; i < a->n; i++) {
		size_t n = strcspn(a->v[i], "=");
		auto_free char *key = xstrndup(a->v[i], n);
		const char *value = a->v[i][n] ? a->v[i] + n + 1 : "";

		(void)json_object_set_new(labels, key, json_string(value)); /* as above */
	}
	return labels;
}

json_t *image_config_json(const struct image_config *c)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:b, s:b}", "Hostname", "", "Domainname", "",
		"User", c->user ? c->user : "", "AttachStdin", 0, "AttachStdout", 0, "AttachStderr", 0);

	/* Setting fails only for lack of memory, or for text that is not UTF-8: then the value is NULL and the member
	 * is left out. */
	if (c->exposed.n)
		(void)json_object_set_new(j, "ExposedPorts", keys(&c->exposed));
	(void)json_object_update_new(
		j, json_pack("{s:b, s:b, s:b}", "Tty", 0, "OpenStdin", 0, "StdinOnce", 0));
	(void)json_object_set_new(j, "Env", words(&c->env));
	(void)json_object_set_new(j, "Cmd", words(&c->cmd));
	if (c->health)
		(void)json_object_set(j, "Healthcheck", c->health);
	(void)json_object_set_new(j, "Image", json_string(""));
	(void)json_object_set_new(j, "Volumes", c->volumes.n ? keys(&c->volumes) : json_null());
	(void)json_object_set_new(j, "WorkingDir", json_string(c->workdir ? c->workdir : ""));
	(void)json_object_set_new(j, "Entrypoint", words(&c->entrypoint));
	(void)json_object_set_new(j, "OnBuild", json_null());
	(void)json_object_set_new(j, "Labels", c->labels.n ? labels_json(&c->labels) : json_null());
	if (c->stop_signal)
		(void)json_object_set_new(j, "StopSignal", json_string(c->stop_signal));
	if (c->shell.n)
		(void)json_object_set_new(j, "Shell", words(&c->shell));
	return j;
}

void image_config_compact(json_t *config)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(config, next, key,
		value) if (json_is_null(value) || json_is_false(value) ||
			   (json_is_string(value) && json_string_length(value) == 0))(void)
		json_object_del(config, key); /* it is there */
}
