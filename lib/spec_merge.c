/* SPDX-License-Identifier: Apache-2.0 */
/* spec_merge: adds the image's settings where the user set none, by docker's rules. */
#include "image.h"
#include "spec.h"

#include <string.h>

static void default_str(char **place, const char *from)
{
	if ((!*place || !**place) && from && *from) {
		free(*place);
		*place = xstrdup(from);
	}
}

/* The image's first, the user's over them: one entry a key. */
static void merge_keys(struct strv *mine, const struct strv *image)
{
	auto_strv struct strv merged = {0};
	bool set = mine->set || image->set;

	strv_copy(&merged, image);
	for (size_t i = 0; i < mine->n; i++)
		strv_add(&merged, mine->v[i]);
	strv_env_settle(&merged);
	strv_copy(mine, &merged);
	mine->set = set;
}

/* In docker's order: the user's as they came, with duplicates, then what else the image has. */
static void merge_env(struct strv *mine, const struct strv *image)
{
	strv_env_fill(mine, image);
	mine->set = mine->set || image->set;
}

/* Nothing asked for and nothing in the image is nothing: docker shows null, whatever its client sent. */
static void merge_set(struct strv *mine, const struct strv *image)
{
	merge_keys(mine, image);
	mine->set = mine->n > 0;
}

static void merge_health(struct spec_health *h, const json_t *image)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{"Interval", MEMBER_AT(struct spec_health, interval_ns, int64_t)},
		{"Timeout", MEMBER_AT(struct spec_health, timeout_ns, int64_t)},
		{"StartPeriod", MEMBER_AT(struct spec_health, start_period_ns, int64_t)},
		{"StartInterval", MEMBER_AT(struct spec_health, start_interval_ns, int64_t)},
		{"Retries", MEMBER_AT(struct spec_health, retries, int64_t)},
	};

	if (!h->test.n)
		json_strv(json_object_get(image, "Test"), &h->test);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		int64_t *mine = (int64_t *)((char *)h + numbers[i].offset);
		const json_t *v = json_object_get(image, numbers[i].key);

		if ((*mine == SPEC_UNSET || *mine == 0) && json_is_integer(v))
			*mine = json_integer_value(v);
	}
}

/* Without these the image's programs, or their libraries, might not be found. */
static void needed_env(const struct strv *env, struct strv *out)
{
	static const char *const names[] = {"PATH", "LD_LIBRARY_PATH"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *kv = strv_env(env, names[i]);

		if (kv)
			strv_add(out, kv);
	}
}

/* A user's entrypoint makes the image's command void, as that was meant for another program. An empty list is not an
 * entrypoint, nor the image's. A single empty word, from `--entrypoint ""`, counts as an entrypoint here, and becomes
 * none in the end. */
static void merge_command(struct spec *s, const struct image_config *c)
{
	if (!s->entrypoint.n && !s->cmd.n)
		strv_copy(&s->cmd, &c->cmd);
	if (!s->entrypoint.set)
		strv_copy(&s->entrypoint, &c->entrypoint);
	if (s->entrypoint.n == 1 && !*s->entrypoint.v[0])
		strv_done(&s->entrypoint);
}

void spec_apply_image(struct spec *s, const struct image_config *c)
{
	auto_strv struct strv needed = {0};

	needed_env(&c->env, &needed);
	merge_command(s, c);
	s->env.set = s->env.n > 0; /* an empty list asks for nothing */
	merge_env(&s->env, s->bare_env ? &needed : &c->env);
	merge_keys(&s->labels, &c->labels);
	merge_set(&s->volumes, &c->volumes);
	merge_set(&s->exposed, &c->exposed);
	default_str(&s->workdir, c->workdir);
	default_str(&s->user, c->user);
	default_str(&s->stop_signal, c->stop_signal);
	if (json_is_object(c->health))
		merge_health(&s->health, c->health);
}
