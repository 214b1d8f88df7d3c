/* SPDX-License-Identifier: Apache-2.0 */
#include "cp_path.h"

#include "auto.h"
#include "parse.h"
#include "str.h"

#include <string.h>
#include <unistd.h>

bool cp_wants_dir(const char *path)
{
	return str_ends(path, "/") || parse_ends_in_dot(path);
}

/* Gives a cleaned path the end back that it had in `given`, since "/" and "/." mean a directory. */
static char *keep_end(const char *clean, const char *given)
{
	const char *slash = str_ends(clean, "/") ? "" : "/";

	if (parse_ends_in_dot(given) && !parse_ends_in_dot(clean))
		return xasprintf("%s%s.", clean, slash);
	return xasprintf("%s%s", clean, str_ends(given, "/") ? slash : "");
}

int cp_local_path(const char *path, char **out, struct err *e)
{
	auto_free char *cwd = path[0] == '/' ? xstrdup("") : getcwd(NULL, 0), *whole = NULL,
		       *clean = NULL;

	if (!cwd)
		return err_go(e, "getwd");
	whole = xasprintf("%s/%s", cwd, path);
	clean = parse_clean_path(whole);
	*out = keep_end(clean, path);
	return 0;
}

void cp_part(const char *path, char **dir, char **base)
{
	auto_free char *clean = parse_clean_path(path);
	const char *slash;

	if (parse_ends_in_dot(path) && !str_eq(path, ".")) {
		*dir = xstrdup(clean);
		*base = xstrdup(".");
		return;
	}
	slash = strrchr(clean, '/');
	*dir = !slash           ? xstrdup(".")
	       : slash == clean ? xstrdup("/")
	                        : xstrndup(clean, (size_t)(slash - clean));
	*base = xstrdup(slash && slash[1] ? slash + 1 : slash ? "/" : clean);
}

char *cp_rebased(const char *given, const char *resolved, char **name)
{
	char *path = keep_end(resolved, given);
	auto_free char *dir = NULL, *was = NULL, *dir2 = NULL, *is = NULL;

	cp_part(given, &dir, &was);
	cp_part(path, &dir2, &is);
	*name = str_eq(was, is) ? NULL : take(was);
	return path;
}

int cp_place(const struct cp_target *t, bool source_is_dir, char *source_name,
	struct cp_placing *out, struct err *e)
{
	if (t->exists && t->is_dir) {
		out->dir = xstrdup(t->path);
		out->name = source_name ? xstrdup(source_name) : NULL;
		return 0;
	}
	if (t->exists && source_is_dir)
		return err_set(e, ERR_USAGE, "cannot copy directory");
	if (!t->exists && !source_is_dir && cp_wants_dir(t->path))
		return err_set(e, ERR_USAGE, "no such directory");
	cp_part(t->path, &out->dir, &out->name);
	return 0;
}
