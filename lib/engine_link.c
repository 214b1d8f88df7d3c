/* SPDX-License-Identifier: Apache-2.0 */
/* engine_link: --link. No network connects the containers here, but as with docker the linked ones must exist, and be
 * running before the container starts. */
#include "engine_parts.h"

#include "auto.h"
#include "parse.h"
#include "state.h"

#include <string.h>

/* "web", "/web", "web:alias", and "/web:/other/alias", as inspect shows it. */
static void split(const char *word, char **name, char **alias)
{
	size_t n = strcspn(word, ":"), shown = word[n] && *word == '/';
	const char *rest = word[n] ? word + n + 1 : word;
	const char *slash = shown ? strrchr(rest, '/') : NULL;

	*name = xstrndup(word + shown, n - shown);
	*alias = xstrdup(slash ? slash + 1 : rest + (rest == word && *word == '/'));
}

static bool has(const struct strv *list, const char *word)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i], word))
			return true;
	return false;
}

/* From now on the id is stored, as the name may become another container's. */
int engine_link_names(const struct store *s, struct spec *spec, struct err *e)
{
	auto_strv struct strv found = {0};

	if (parse_network_is_own(spec->network))
		return 0;
	for (size_t i = 0; i < spec->links.n; i++) {
		auto_free char *name = NULL, *alias = NULL, *link = NULL;
		id_text id;

		split(spec->links.v[i], &name, &alias);
		if (!*name)
			return err_set(e, ERR_USAGE,
				"could not get container for : invalid name or ID supplied: \"\"");
		if (state_find_said(s, name, id, e) < 0) {
			if (e->kind == ERR_NOT_FOUND)
				e->kind = ERR_USAGE; /* a missing linked container is not "not found", which would be about the new one */
			return err_ctx(e, "could not get container for %s", name);
		}
		link = xasprintf("%s:%s", id, alias);
		if (*alias && !has(&found, link))
			strv_add(&found, link);
	}
	strv_done(&spec->links);
	spec->links = found;
	found = (struct strv){0};
	return 0;
}

int engine_link_check(const struct store *s, const struct made *m, struct err *e)
{
	const struct strv *links = &m->spec.links;

	/* in other networks docker does not look */
	if (!str_eq(m->spec.network, "default") && !str_eq(m->spec.network, "bridge"))
		return 0;
	for (size_t i = 0; i < links->n; i++) {
		auto_free char *name = NULL, *alias = NULL;
		auto_state struct state other = {0};
		struct err gone; /* then nothing leads there any more */

		split(links->v[i], &name, &alias);
		if (state_load(s, name, &other, &gone) == 0 && !state_runs(&other))
			return err_set(e, ERR_CONFLICT,
				"Cannot link to a non running container: /%s AS /%s/%s", other.name,
				m->st.name, alias);
	}
	return 0;
}

int engine_remove_link(const struct store *s, const char *what, struct err *e)
{
	auto_free char *name = parse_object_name(what, e);
	char *slash = name ? strchr(name, '/') : NULL;
	auto_json json_t *spec = NULL, *left = json_array();
	json_t *v;
	id_text id;
	size_t i;

	if (!name)
		return -1;
	if (!slash)
		return err_set(e, ERR_CONFLICT,
			"Conflict, cannot remove the default link name of the container");
	*slash = '\0';
	if (state_find(s, name, id, e) < 0 || !(spec = state_load_spec(s, id, e)))
		return -1;
	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Links"), i, v)
	{
		const char *link = json_string_value(v), *alias = link ? strchr(link, ':') : NULL;

		if (!alias || !str_eq(alias + 1, slash + 1))
			(void)json_array_append(left, v); /* memory */
	}
	json_decref(spec);
	spec = json_pack("{s:O}", "Links", left);
	return state_change_spec(s, id, spec, e);
}
