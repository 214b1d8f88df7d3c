/* SPDX-License-Identifier: Apache-2.0 */
/* parse_mount_check: the checks of mounts that docker's daemon makes, from the command line or the API. */
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* "[a-zA-Z0-9][a-zA-Z0-9_.-]", two of them at least */
static int check_volume_name(const char *name, struct err *e)
{
	size_t n = strlen(name);

	if (n == 1)
		return err_set(e, ERR_USAGE,
			"create %s: volume name is too short, names should be at least two "
			"alphanumeric characters",
			name);
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && (i == 0 || !strchr("_.-", name[i])))
			return err_set(e, ERR_USAGE,
				"create %s: %s includes invalid characters for a local volume "
				"name, only \"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you "
				"intended to pass a host directory, use absolute path",
				name, QUOTED(name));
	return 0;
}

/* In this error message docker's daemon has both kinds of slashes. */
static int check_absolute(const char *path, struct err *e)
{
	auto_free char *slashed = xstrdup(path);

	for (char *c = slashed; *c; c++)
		if (*c == '\\')
			*c = '/';
	if (*path == '/')
		return 0;
	/* one that begins with a backslash docker mounts at a file of that name: seldom what was meant */
	return err_set(e, ERR_USAGE, "invalid mount path: '%s' mount path must be absolute",
		*slashed == '/' ? path : slashed);
}

static int check_target(const char *dst, struct err *e)
{
	if (check_absolute(dst, e) < 0)
		return -1;
	if (str_eq(dst, "/"))
		return err_set(e, ERR_USAGE, "invalid specification: destination can't be '/'");
	return 0;
}

/* As Go's filepath.IsLocal: no ".." leads out of the volume on its way. Symbolic links are seen to when it is mounted. */
static int check_subpath(const struct spec_mount *m, struct err *e)
{
	const char *p = m->subpath ? m->subpath : "";
	int deep = 0;

	if (m->subpath && !*m->src)
		return err_set(e, ERR_USAGE, "must specify Source when using VolumeOptions.Subpath");
	while (*p && *p != '/' && deep >= 0) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			deep--;
		else if (n && !(n == 1 && *p == '.'))
			deep++;
		p += n;
		p += strspn(p, "/");
	}
	if (!*p && deep >= 0)
		return 0;
	return err_set(e, ERR_USAGE, "subpath must be a relative path within the %s",
		m->kind == MOUNT_IMAGE ? "image" : "volume");
}

static int check_fields(const struct spec_mount *m, struct err *e)
{
	if (check_target(m->dst, e) < 0)
		return -1;
	switch (m->kind) {
	case MOUNT_BIND:
		if (!m->src || !*m->src)
			return err_set(e, ERR_USAGE, "field Source must not be empty");
		if (check_absolute(m->src, e) < 0)
			return -1;
		if (m->nocopy || m->subpath)
			return err_set(e, ERR_USAGE, "field VolumeOptions must not be specified");
		if (m->propagation && !parse_propagation_ok(m->propagation))
			return err_set(e, ERR_USAGE, "invalid propagation mode: %s", m->propagation);
		return 0;
	case MOUNT_VOLUME:
		if (m->propagation)
			return err_set(e, ERR_USAGE, "field BindOptions must not be specified");
		if (check_subpath(m, e) < 0)
			return -1;
		if (m->read_only && !*m->src)
			return err_set(e, ERR_USAGE,
				"must not set ReadOnly mode when using anonymous volumes");
		return 0;
	case MOUNT_IMAGE:
		if (!m->src || !*m->src)
			return err_set(e, ERR_USAGE, "field Source must not be empty");
		if (m->propagation)
			return err_set(e, ERR_USAGE, "field BindOptions must not be specified");
		return check_subpath(m, e);
	default:
		if (m->src && *m->src)
			return err_set(e, ERR_USAGE, "field Source must not be specified");
		return 0;
	}
}

static bool is_bind(const struct spec_mount *m)
{
	return m->mode && !m->tmpfs_options;
}

static int check_config(const struct spec_mount *m, struct err *e)
{
	static const char *const types[MOUNT_KINDS] = {
		[MOUNT_BIND] = "bind", [MOUNT_VOLUME] = "volume", [MOUNT_TMPFS] = "tmpfs", [MOUNT_IMAGE] = "image"};

	if (check_fields(m, e) < 0)
		return err_ctx(e, "invalid mount config for type \"%s\"", types[m->kind]);
	return 0;
}

static int check_bind(const struct spec_mount *m, struct err *e)
{
	if (!parse_mode_ok(m->mode))
		return err_set(e, ERR_USAGE, "invalid mode: %s", m->mode);
	if (check_config(m, e) < 0)
		return err_ctx(e, "invalid volume specification: '%s:%s%s%s'",
			m->said_src ? m->said_src : m->src, m->said_dst ? m->said_dst : m->dst,
			*m->mode ? ":" : "", m->mode);
	return 0;
}

int parse_mounts_asked(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct spec_mount *m = &s->mounts[i];

		if (!is_bind(m) && (m->tmpfs_options ? check_target(m->dst, e) : check_config(m, e)) < 0)
			return -1;
	}
	return 0;
}

/* Docker's daemon checks those of --mount last, and its error quotes what was given. */
static int duplicate(const struct spec_mount *a, const struct spec_mount *b, struct err *e)
{
	const struct spec_mount *m = b->mode || b->tmpfs_options ? a : b;
	bool last = !m->mode && !m->tmpfs_options;

	return err_set(e, ERR_USAGE, "Duplicate mount point: %s",
		last && m->said_dst ? m->said_dst : m->dst);
}

/* Docker lets --tmpfs and --mount have one place, and --tmpfs and what else there is where their targets are not spelled
 * alike; which of the two is seen there is plan's. */
static bool covers(const struct spec_mount *a, const struct spec_mount *b)
{
	const struct spec_mount *tmpfs = a->tmpfs_options ? a : b, *other = tmpfs == a ? b : a;

	return tmpfs->tmpfs_options && (other->tmpfs_options || !other->mode || tmpfs->said_dst);
}

/* Checks one mount against those that docker's daemon has made before it: those of -v, and then those before it in the
 * list. */
static int check_made(const struct spec *s, size_t at, struct err *e)
{
	const struct spec_mount *m = &s->mounts[at];

	if (is_bind(m) && check_bind(m, e) < 0)
		return -1;
	for (size_t k = 0; k < s->n_mounts; k++) {
		const struct spec_mount *other = &s->mounts[k];
		bool before = is_bind(other) == is_bind(m) ? k < at : is_bind(other);

		if (before && str_eq(m->dst, other->dst) && !covers(other, m))
			return duplicate(other, m, e);
	}
	return m->kind == MOUNT_VOLUME && *m->src ? check_volume_name(m->src, e) : 0;
}

int parse_mounts_check(const struct spec *s, struct err *e)
{
	for (int binds = 1; binds >= 0; binds--)
		for (size_t i = 0; i < s->n_mounts; i++)
			if (is_bind(&s->mounts[i]) == binds && check_made(s, i, e) < 0)
				return -1;
	return 0;
}

static bool among(const char *const *words, size_t n_words, const char *at, size_t n)
{
	for (size_t i = 0; i < n_words; i++)
		if (strlen(words[i]) == n && memcmp(words[i], at, n) == 0)
			return true;
	return false;
}

static int wrong_option(const char *word, size_t n, struct err *e)
{
	const char *equals = memchr(word, '=', n);
	size_t key = equals ? (size_t)(equals - word) : n;

	if (equals)
		return err_set(e, ERR_USAGE, "invalid tmpfs option [%s %s]", QUOTED_N(word, key),
			QUOTED_N(equals + 1, n - key - 1));
	return err_set(e, ERR_USAGE, "invalid tmpfs option [%s]", QUOTED_N(word, key));
}

/* Docker checks the last word first; and what is left of a "bind" becomes a bind mount of a directory that does not
 * exist, for its runtime. */
static int check_tmpfs_options(const char *options, const char *dst, struct err *e)
{
	static const char *const flags[] = {"ro", "rw", "suid", "nosuid", "dev", "nodev", "exec",
		"noexec", "sync", "async", "dirsync", "remount", "mand", "nomand", "atime",
		"noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime",
		"nostrictatime", "defaults"};
	static const char *const binds[] = {"bind", "rbind"};
	static const char *const propagations[] = {"unbindable", "runbindable", "private",
		"rprivate", "shared", "rshared", "slave", "rslave"};
	static const char *const keys[] = {"size", "mode", "uid", "gid", "nr_inodes", "nr_blocks", "mpol"};
	bool bind = false;
	int r = 0;

	for (const char *at = options; *options; at++) {
		size_t n = strcspn(at, ","), key = strcspn(at, ",=");

		if (among(binds, ARRAY_LEN(binds), at, n))
			bind = true;
		else if (among(propagations, ARRAY_LEN(propagations), at, n))
			bind = false;
		else if (!among(flags, ARRAY_LEN(flags), at, n) &&
			 (key == n || !among(keys, ARRAY_LEN(keys), at, key)))
			r = wrong_option(at, n, e);
		at += n;
		if (!*at)
			break;
	}
	if (r == 0 && bind) {
		errno = ENOENT;
		r = err_go(e, "error mounting \"tmpfs\" to rootfs at \"%s\": stat tmpfs", dst);
		e->kind = ERR_RUNTIME;
	}
	return r;
}

/* Only a volume without a name comes this far: docker's runtime then looks in it for what it has mounted in the root. */
static int check_root(const struct spec_mount *m, struct err *e)
{
	if (!str_eq(m->dst, "/"))
		return 0;
	return err_set(e, ERR_RUNTIME,
		"error mounting \"%s\" to rootfs at \"/\": open /proc/sys: no such file or directory",
		m->src);
}

/* The runtime makes a link there after all mounts, unless something is mounted on the whole of /dev. */
static int check_ptmx(const struct spec *s, const struct spec_mount *m, struct err *e)
{
	bool below = str_starts(m->dst, "/dev/ptmx/");

	if (!below && !str_eq(m->dst, "/dev/ptmx"))
		return 0;
	for (size_t i = 0; i < s->n_mounts; i++)
		if (str_eq(s->mounts[i].dst, "/dev") && s->mounts[i].kind != MOUNT_TMPFS)
			return 0;
	return err_set(e, ERR_RUNTIME, "error setting up ptmx: remove /dev/ptmx: %s",
		below ? "directory not empty" : "device or resource busy");
}

int parse_mounts_start(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct spec_mount *m = &s->mounts[i];

		if (check_root(m, e) < 0 || check_ptmx(s, m, e) < 0 ||
			(m->tmpfs_options && check_tmpfs_options(m->tmpfs_options, m->dst, e) < 0))
			return -1;
	}
	return 0;
}
