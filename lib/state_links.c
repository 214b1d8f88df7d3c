/* SPDX-License-Identifier: Apache-2.0 */
/* state_links: the additional names that --link gives to the linked containers, "web/db". Each container with links has an empty file
 * under root/links, so that a listing need not read the specs of all containers. */
#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void note_path(path_text out, const char *id)
{
	(void)snprintf(out, sizeof(path_text), "links/%s", id);
}

int state_note_links(const struct store *s, const char *id, struct err *e)
{
	path_text path;
	int fd = -1;

	note_path(path, id);
	for (int tries = 0; tries < 2 && fd < 0; tries++) {
		fd = openat(s->root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 && (errno != ENOENT || statedir_make(s->root, "links", e) < 0))
			return err_sys(e, "container %.12s: note its links", id);
	}
	if (fd < 0)
		return err_sys(e, "container %.12s: note its links", id);
	(void)close(fd); /* nothing was written */
	return 0;
}

void links_forget(const struct store *s, const char *id)
{
	path_text path;

	note_path(path, id);
	(void)unlinkat(s->root, path, 0); /* few containers have one; a note that stays is about no container */
}

struct gather {
	const struct store *s;
	struct strv *out;
};

static int gather_one(const struct dirent *d, void *arg, struct err *e)
{
	const struct gather *g = arg;
	auto_state struct state st = {0};
	auto_json json_t *spec = NULL;
	json_t *v;
	size_t i;

	/* a container that is gone, or cannot be read, gives no names */
	if (!str_is_hex(d->d_name, ID_LEN) || statedir_read(g->s, d->d_name, false, &st, e) < 0 ||
		!(spec = state_load_spec(g->s, d->d_name, e)))
		return 0;
	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Links"), i, v)
	{
		const char *link = json_is_string(v) ? json_string_value(v) : ""; /* "ID:alias" */

		if (strlen(link) > ID_LEN && link[ID_LEN] == ':')
			strv_addf(g->out, "%.*s%s/%s", ID_LEN, link, st.name, link + ID_LEN + 1);
	}
	return 0;
}

void state_aliases(const struct store *s, struct strv *out)
{
	struct gather g = {s, out};
	struct err unused; /* without the directory no container has links */

	(void)statedir_each(s->root, "links", gather_one, &g, &unused);
}

void state_names(const struct state *st, const struct strv *aliases, struct strv *out)
{
	strv_add(out, st->name ? st->name : "");
	for (size_t i = 0; i < aliases->n; i++)
		if (strncmp(aliases->v[i], st->id, ID_LEN) == 0)
			strv_add(out, aliases->v[i] + ID_LEN);
	strv_sort(out, 0);
}
