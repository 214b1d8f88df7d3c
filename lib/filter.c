/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include "auto.h"
#include "re.h"
#include "stamp.h"

#include <ctype.h>
#include <string.h>

static char *trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return xstrndup(s, n);
}

static void put(struct filters *f, const char *key, const char *value, bool off)
{
	struct filter *new;
	struct err broken;

	f->v = xrealloc(f->v, f->n + 1, sizeof(*f->v));
	new = &f->v[f->n++];
	*new = (struct filter){.key = xstrdup(key), .value = value ? xstrdup(value) : NULL, .off = off};
	new->plain = value && !strpbrk(value, "\\.[]{}()*+?^$|");
	if (value && !new->plain)
		new->re = re_parse(value, &broken); /* one that is broken matches nothing, as with docker */
}

void filter_put(struct filters *f, const char *key, const char *value)
{
	put(f, key, value, false);
}

void filter_put_off(struct filters *f, const char *key, const char *value)
{
	put(f, key, value, true);
}

int filter_add(struct filters *f, const char *word, struct err *e)
{
	const char *equals = strchr(word, '=');
	auto_free char *key = NULL, *value = NULL;

	if (!*word)
		return 0;
	if (!equals)
		return err_set(e, ERR_USAGE, "bad format of filter (expected name=value)");
	key = trimmed(word, (size_t)(equals - word));
	value = trimmed(equals + 1, strlen(equals + 1));
	for (char *c = key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	filter_put(f, key, value);
	return 0;
}

int filter_check(const struct filters *f, const char *const *known, struct err *e)
{
	for (size_t i = 0; i < f->n; i++) {
		const char *const *k = known;

		while (*k && strcmp(*k, f->v[i].key) != 0)
			k++;
		if (!*k)
			return err_set(e, ERR_USAGE, "invalid filter '%s'", f->v[i].key);
	}
	return 0;
}

const char *filter_next(const struct filters *f, const char *key, size_t *i)
{
	while (*i < f->n) {
		const struct filter *at = &f->v[(*i)++];

		if (at->value && strcmp(at->key, key) == 0)
			return at->value;
	}
	return NULL;
}

bool filter_has(const struct filters *f, const char *key)
{
	size_t i = 0;

	return filter_next(f, key, &i) != NULL;
}

bool filter_asked(const struct filters *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].key, key) == 0)
			return true;
	return false;
}

bool filter_has_several(const struct filters *f, const char *key)
{
	size_t i = 0;
	const char *first = filter_next(f, key, &i), *other = first;

	while (other && strcmp(other, first) == 0)
		other = filter_next(f, key, &i);
	return other != NULL;
}

static bool found_in(const struct filter *f, const char *value)
{
	if (!f->off && strcmp(f->value, value) == 0)
		return true;
	if (f->plain)
		return strstr(value, f->value) != NULL;
	return f->re && re_finds(f->re, value, strlen(value));
}

bool filter_match(const struct filters *f, const char *key, const char *value)
{
	bool none = true;

	for (size_t i = 0; i < f->n; i++) {
		if (!f->v[i].value || strcmp(f->v[i].key, key) != 0)
			continue;
		if (found_in(&f->v[i], value))
			return true;
		none = false;
	}
	return none;
}

bool filter_equal(const struct filters *f, const char *key, const char *value)
{
	bool none = true;

	for (size_t i = 0; i < f->n; i++) {
		if (!f->v[i].value || strcmp(f->v[i].key, key) != 0)
			continue;
		if (!f->v[i].off && strcmp(f->v[i].value, value) == 0)
			return true;
		none = false;
	}
	return none;
}

bool filter_lists(const struct filters *f, const char *key, const char *value)
{
	const char *want;

	for (size_t i = 0; (want = filter_next(f, key, &i));)
		if (strcmp(want, value) == 0)
			return true;
	return false;
}

static bool has_all(const struct filters *f, const char *key, const struct strv *labels)
{
	const char *want;

	for (size_t i = 0; (want = filter_next(f, key, &i));) {
		const char *have = strv_env(labels, want);

		if (!have)
			return false;
		if (strchr(want, '=') && strcmp(have, want) != 0)
			return false;
	}
	return true;
}

bool filter_labels(const struct filters *f, const struct strv *labels)
{
	return has_all(f, "label", labels);
}

int filter_invalid(const struct filters *f, const char *key, struct err *e)
{
	auto_strv struct strv values = {0};
	auto_buf struct buf list = {0};
	const char *value;

	for (size_t i = 0; (value = filter_next(f, key, &i));)
		strv_add(&values, value);
	if (!values.n)
		return err_set(e, ERR_USAGE, "invalid filter '%s'", key);
	strv_join(&values, " ", &list);
	return err_set(e, ERR_USAGE, "invalid filter '%s=[%.500s]'", key, list.s);
}

int filter_bool(const struct filters *f, const char *key, bool otherwise, bool *out, struct err *e)
{
	bool yes = false, no = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct filter *at = &f->v[i];

		if (!at->value || at->off || strcmp(at->key, key) != 0)
			continue;
		yes |= str_eq(at->value, "1") || str_eq(at->value, "true");
		no |= str_eq(at->value, "0") || str_eq(at->value, "false");
	}
	if (yes == no && filter_asked(f, key))
		return filter_invalid(f, key, e);
	*out = yes || (!no && otherwise);
	return 0;
}

void filter_done(struct filters *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].key);
		free(f->v[i].value);
		re_free(f->v[i].re);
	}
	free(f->v);
	*f = (struct filters){0};
}

int filter_prune(const struct filters *f, const char *const *known, struct timespec *until, struct err *e)
{
	struct timespec now;
	const char *word;
	size_t i = 0;

	if (filter_check(f, known, e) < 0)
		return -1;
	word = filter_next(f, "until", &i);
	if (!word) /* docker breaks down over one without a value, and removes nothing */
		return filter_asked(f, "until") ? filter_invalid(f, "until", e) : 0;
	if (filter_has_several(f, "until"))
		return err_set(e, ERR_USAGE, "more than one until filter specified");
	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	return stamp_parse(word, &now, until, e);
}

bool filter_prunes(const struct filters *f, const struct timespec *until, const struct strv *labels,
	const struct timespec *created)
{
	if (created && filter_has(f, "until") && stamp_cmp(created, until) >= 0)
		return false;
	if (filter_asked(f, "label!") && has_all(f, "label!", labels))
		return false;
	return filter_labels(f, labels);
}
