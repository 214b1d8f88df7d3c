/* SPDX-License-Identifier: Apache-2.0 */
#include "propagate.h"

#include "auto.h"
#include "sys.h"

#include <stdlib.h>
#include <string.h>

/* rshared and shared: the machine is to see it, too. */
static bool asked_back(const struct spec_mount *m)
{
	return spec_propagates(m) && str_ends(m->propagation, "shared");
}

/* A path of mountinfo, where a blank is \040. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static bool lies_below(const char *path, const char *at)
{
	size_t n = str_eq(at, "/") ? 0 : strlen(at);

	return strncmp(path, at, n) == 0 && (!path[n] || path[n] == '/');
}

/* Finds the last line of mountinfo whose mount point is on the path, as later mounts are on top: its mount point and
 * optional fields. */
static bool find(char *table, const char *path, const char **where, const char **fields)
{
	char *line, *rest = table;
	size_t best = 0;

	while ((line = strsep(&rest, "\n")) != NULL) {
		char *end = strstr(line, " - "), *at = line;

		/* ID PARENT DEV ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS */
		for (int i = 0; at && i < 4; i++)
			at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
		if (!end || !at || at > end)
			continue;
		*end = '\0';
		if (!strchr(at, ' '))
			continue;
		end = strchr(at, ' ');
		*end++ = '\0';
		unescape(at);
		if (!lies_below(path, at) || strlen(at) < best)
			continue;
		best = strlen(at);
		*where = at;
		*fields = end;
	}
	return best > 0;
}

static int check(const struct spec_mount *m, struct err *e)
{
	auto_free char *table = NULL, *real = NULL;
	const char *where, *fields;
	bool back = asked_back(m);

	real = realpath(m->src, NULL);
	table = sys_text("/proc/self/mountinfo");
	if (!real || !table || !find(table, real, &where, &fields))
		return 0; /* errors of the source are reported when it is opened */
	if (strstr(fields, " shared:") || (!back && strstr(fields, " master:")))
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "path %s is mounted on %s but it is not a shared%s mount",
		m->src, where, back ? "" : " or slave");
}

int propagate_check(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++)
		if (spec_propagates(&s->mounts[i]) && check(&s->mounts[i], e) < 0)
			return -1;
	return 0;
}

bool propagate_warns(const struct spec_mount *m)
{
	struct err unused; /* reported at the start */

	return asked_back(m) && check(m, &unused) == 0;
}
