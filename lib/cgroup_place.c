/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place: finds our own place in each hierarchy, from /proc, and makes a group there. */
#include "cgroup_place.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
static const struct {
	const char *name;
	unsigned int bit;
} controllers[] = {
	{ "memory", CG_MEMORY },
	{ "pids",   CG_PIDS },
	{ "cpu",    CG_CPU },
	{ "cpuset", CG_CPUSET },
};
/* clang-format on */

/* The controllers named in a list that ends with its line. */
static unsigned int parse_list(const char *list, char separator)
{
	unsigned int all = 0;

	for (const char *at = list; *at && *at != '\n';) {
		size_t n = 0;

		while (at[n] && at[n] != separator && at[n] != '\n')
			n++;
		for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
			if (strlen(controllers[i].name) == n && strncmp(controllers[i].name, at, n) == 0)
				all |= controllers[i].bit;
		at += n + (at[n] == separator);
	}
	return all;
}

static unsigned int read_list(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	char text[512];

	return sys_get(AT_FDCWD, path, text, sizeof(text)) > 0 ? parse_list(text, ' ') : 0;
}

/* ---- our own place -------------------------------------------------------------------- */

/* Mountinfo writes blanks in paths in octal. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned int c;

		if (s[0] == '\\' && sscanf(s + 1, "%3o", &c) == 1) {
			*to++ = (char)c;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Where the directory `path` of a hierarchy can be seen: below its mount point, which shows only what is below the
 * mount's root. NULL: it is outside of that. */
static char *join_mount(char *root, char *point, const char *path)
{
	size_t n = strlen(root);

	unescape(root);
	unescape(point);
	if (n == 1)
		n = 0; /* "/" */
	if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/') || str_starts(path, "/.."))
		return NULL;
	path += n;
	return xasprintf("%s%s", point, *path && path[1] ? path : "");
}

/* The mount of the hierarchy with the controller `bit` (v1), or of the unified one (0). */
static char *find_mount(const char *path, unsigned int bit)
{
	auto_free char *mounts = sys_text("/proc/self/mountinfo");
	char *save = NULL;

	for (char *line = mounts ? strtok_r(mounts, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save)) {
		char root[4096], point[4096], type[64], options[512];
		char *rest = strstr(line, " - ");
		char *found;

		if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
			sscanf(rest, " - %63s %*s %511s", type, options) != 2)
			continue;
		if (bit ? strcmp(type, "cgroup") != 0 || !(parse_list(options, ',') & bit)
			: strcmp(type, "cgroup2") != 0)
			continue;
		found = join_mount(root, point, path);
		if (found)
			return found;
	}
	return NULL;
}

/* Our own directory in the unified hierarchy, or NULL. */
static char *own_v2(void)
{
	auto_free char *text = sys_text("/proc/self/cgroup");
	char *line = text ? strstr(text, "0::/") : NULL;

	if (!line || (line != text && line[-1] != '\n'))
		return NULL;
	line += 3;
	line[strcspn(line, "\n")] = '\0';
	return find_mount(line, 0);
}

/* ---- v2 ------------------------------------------------------------------------------- */

/* Enables controllers for the children of `base`, one by one, so that a refused one does not affect others; returns
 * those of `wants` that are enabled then. */
static unsigned int enable(const char *base, unsigned int wants)
{
	auto_free char *path = xasprintf("%s/cgroup.subtree_control", base);
	unsigned int lacks = wants & ~read_list(base, "cgroup.subtree_control");
	auto_buf struct buf all = {0};

	for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
		if (lacks & controllers[i].bit)
			buf_printf(&all, "%s+%s", all.len ? " " : "", controllers[i].name);
	if (!all.len || sys_put(AT_FDCWD, path, all.s) == 0)
		return wants;
	for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
		auto_free char *one = xasprintf("+%s", controllers[i].name);

		if (lacks & controllers[i].bit)
			(void)sys_put(AT_FDCWD, path, one); /* the list is read below */
	}
	return wants & read_list(base, "cgroup.subtree_control");
}

/* Whether there are processes in the group itself, not in its children; only the root group may have them. (A group
 * with processes and with only threaded controllers can have children, but no process can be put into these: "domain
 * invalid".) */
static bool is_crowded(const char *base)
{
	auto_free char *type = xasprintf("%s/cgroup.type", base),
		       *procs = xasprintf("%s/cgroup.procs", base);
	char text[64];

	return access(type, F_OK) == 0 && sys_get(AT_FDCWD, procs, text, sizeof(text)) > 0;
}

/* A group that gives its children controllers may have no processes itself: so moves those of `base` to a child. Only
 * if we may write `base`, which means that it is delegated to us with everything in it. */
static unsigned int make_room(const char *base, unsigned int wants)
{
	auto_free char *host = xasprintf("%s/" CGROUP_HOST, base);
	auto_free char *from = xasprintf("%s/cgroup.procs", base);
	auto_free char *to = xasprintf("%s/cgroup.procs", host);
	unsigned int has = 0;

	if (mkdir(host, 0755) < 0 && errno != EEXIST)
		return 0;
	/* Others may be forking meanwhile. */
	for (int tries = 0; tries < 8 && !has; tries++) {
		auto_free char *pids = sys_text(from);
		char *save = NULL;

		for (char *pid = pids ? strtok_r(pids, "\n", &save) : NULL; pid;
			pid = strtok_r(NULL, "\n", &save))
			if (sys_put(AT_FDCWD, to, pid) < 0 && errno != ESRCH)
				return 0; /* not ours */
		has = is_crowded(base) ? 0 : enable(base, wants);
	}
	return has;
}

static int make_dir(struct cgroup *c, const char *base, const char *name, unsigned int has)
{
	auto_free char *path = xasprintf("%s/%s", base, name);
	int fd;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		(void)rmdir(path); /* just made */
		return -1;
	}
	c->dirs[c->n++] = (struct cgroup_dir){take(path), fd, has};
	return 0;
}

static bool may_move_within(const char *base)
{
	auto_free char *procs = xasprintf("%s/cgroup.procs", base);

	return faccessat(AT_FDCWD, procs, W_OK, AT_EACCESS) == 0;
}

static int try_v2(struct cgroup *c, const char *base, const char *name, unsigned int wants, bool room)
{
	unsigned int has = wants & read_list(base, "cgroup.controllers");

	if (!has || !may_move_within(base))
		return -1;
	if (is_crowded(base))
		has = room ? make_room(base, has) : 0;
	else
		has = enable(base, has);
	return has ? make_dir(c, base, name, has) : -1;
}

static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash != path ? xstrndup(path, (size_t)(slash - path)) : NULL;
}

int place_v2(struct cgroup *c, const char *name, unsigned int wants, enum place where)
{
	auto_free char *own = own_v2(), *parent = own ? parent_of(own) : NULL;

	if (!own)
		return -1;
	/* First below us without moving processes; then beside us; last below us after making room. */
	if (where == PLACE_ANYWHERE && (try_v2(c, own, name, wants, false) == 0 ||
					       (parent && try_v2(c, parent, name, wants, false) == 0)))
		return 0;
	return try_v2(c, own, name, wants, true);
}

void place_v2_more(struct cgroup_dir *d, unsigned int wants)
{
	auto_free char *base = parent_of(d->path);

	if (base)
		d->controllers |= enable(base, wants);
}

bool place_v2_wanted(void)
{
	return place_v2_has(false) != 0;
}

unsigned int place_v2_has(bool writable)
{
	auto_free char *own = own_v2(), *parent = own ? parent_of(own) : NULL;
	unsigned int here;

	if (!own)
		return 0;
	here = read_list(own, "cgroup.controllers");
	if (!writable)
		return here;
	if (here && may_move_within(own) && access(own, W_OK) == 0)
		return here;
	return parent && may_move_within(parent) && access(parent, W_OK) == 0
	               ? read_list(parent, "cgroup.subtree_control")
	               : 0;
}

/* ---- v1 ------------------------------------------------------------------------------- */

/* Calls call() for each old hierarchy with a controller of `wants`, with our own directory in it. */
static unsigned int each_v1(
	unsigned int wants, bool (*call)(const char *own, unsigned int has, void *arg), void *arg)
{
	auto_free char *text = sys_text("/proc/self/cgroup");
	unsigned int done = 0;
	char *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		auto_free char *own = NULL;
		unsigned int has;

		if (!path)
			continue;
		*path++ = '\0';
		has = wants & parse_list(list + 1, ',');
		if (has)
			own = find_mount(path, has & -has);
		if (own && call(own, has, arg))
			done |= has;
	}
	return done;
}

struct v1 {
	struct cgroup *c;
	const char *name;
};

/* In the cpuset hierarchy a new directory takes no processes before it has processors and memory nodes. */
static void copy_cpuset(const char *own, const struct cgroup_dir *d)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		auto_free char *from = xasprintf("%s/%s", own, files[i]);
		char text[4096];

		if (sys_get(AT_FDCWD, from, text, sizeof(text)) > 0)
			(void)sys_put(d->fd, files[i], text); /* seen when the limit is set */
	}
}

/* A hierarchy may have several controllers, of which another one was wanted before. */
static bool has_v1(struct v1 *v, const char *own, unsigned int has)
{
	auto_free char *path = xasprintf("%s/%s", own, v->name);

	for (int i = 0; i < v->c->n; i++) {
		if (!str_eq(v->c->dirs[i].path, path))
			continue;
		v->c->dirs[i].controllers |= has;
		return true;
	}
	return false;
}

static bool make_v1(const char *own, unsigned int has, void *arg)
{
	struct v1 *v = arg;

	if (has_v1(v, own, has))
		return true;
	if (v->c->n == CGROUP_DIRS || make_dir(v->c, own, v->name, has) < 0)
		return false;
	if (has & CG_CPUSET)
		copy_cpuset(own, &v->c->dirs[v->c->n - 1]);
	return true;
}

static bool may_make(const char *own, unsigned int has, void *arg)
{
	(void)has;
	(void)arg;
	return faccessat(AT_FDCWD, own, W_OK, AT_EACCESS) == 0;
}

int place_v1(struct cgroup *c, const char *name, unsigned int wants)
{
	struct v1 v = {c, name};

	return each_v1(wants, make_v1, &v) ? 0 : -1;
}

unsigned int place_v1_has(void)
{
	return each_v1(CG_MEMORY | CG_PIDS | CG_CPU | CG_CPUSET, may_make, NULL);
}

bool place_v1_swappiness(void)
{
	return each_v1(CG_MEMORY, may_make, NULL) != 0;
}
