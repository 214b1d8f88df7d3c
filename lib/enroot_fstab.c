/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_fstab: parses lines of enroot's fstab dialect, and mounts what they ask for. */
#include "enroot_parts.h"

#include "mount.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

/* ---- words: pure ---- */

static const struct {
	const char *word, *undone;
	uint64_t attr;
} attrs[] = {
	{"ro", "rw", MOUNT_ATTR_RDONLY},
	{"nosuid", "suid", MOUNT_ATTR_NOSUID},
	{"nodev", "dev", MOUNT_ATTR_NODEV},
	{"noexec", "exec", MOUNT_ATTR_NOEXEC},
	{"noatime", "atime", MOUNT_ATTR_NOATIME},
	{"nodiratime", "diratime", MOUNT_ATTR_NODIRATIME},
};

static const struct {
	const char *word;
	uint64_t flag;
} propagations[] = {
	{"private", SYS_MS_PRIVATE},
	{"slave", SYS_MS_SLAVE},
	{"shared", 1UL << 20},
	{"unbindable", 1UL << 17},
};

/* Nothing to do: the default here, what a mount(2) of today has no use for, or what only programs read. */
static const char *const passed[] = {"async", "auto", "defaults", "dirsync", "group", "iversion",
	"lazytime", "loud", "mand", "noauto", "nogroup", "noiversion", "nolazytime", "nomand",
	"noowner", "norelatime", "nostrictatime", "nouser", "nousers", "owner", "relatime",
	"strictatime", "sync", "user", "users", "x-create=no"};

static bool one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(word, list[i]))
			return true;
	return false;
}

static bool flag_option(const char *word, struct enroot_mount *m)
{
	for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
		if (!str_eq(word, attrs[i].word) && !str_eq(word, attrs[i].undone))
			continue;
		m->attr &= ~attrs[i].attr;
		if (str_eq(word, attrs[i].word))
			m->attr |= attrs[i].attr;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(propagations); i++)
		if (str_eq(word + (*word == 'r'), propagations[i].word)) {
			m->propagation = propagations[i].flag;
			return true;
		}
	if (str_eq(word, "bind") || str_eq(word, "rbind")) {
		m->bind = true;
		m->recursive = *word == 'r';
	} else if (str_eq(word, "nofail")) {
		m->nofail = true;
	} else if (str_eq(word, "silent")) {
		m->silent = true;
	} else if (str_eq(word, "x-detach")) {
		m->detach = true;
	} else if (str_eq(word, "x-move")) {
		m->move = true;
	} else if (str_eq(word, "remount")) {
		m->remount = true;
	} else if (str_eq(word, "x-create=dir")) {
		m->create = X_CREATE_DIR;
	} else if (str_eq(word, "x-create=file")) {
		m->create = X_CREATE_FILE;
	} else if (str_eq(word, "x-create=auto") || str_eq(word, "x-create")) {
		m->create = X_CREATE_AUTO;
	} else {
		return one_of(word, passed, ARRAY_LEN(passed));
	}
	return true;
}

static void parse_options(const char *text, struct enroot_mount *m)
{
	auto_free char *all = xstrdup(text);
	auto_buf struct buf data = {0};
	char *rest = all;

	for (char *word; (word = strsep(&rest, ",")) != NULL;)
		if (*word && !flag_option(word, m))
			buf_printf(&data, "%s%s", data.len ? "," : "", word);
	if (data.len)
		m->data = buf_take(&data);
}

/* A third field may be a type or, as the type may be left out, options. */
static bool is_options(const char *word)
{
	struct enroot_mount scratch = {0};

	return strpbrk(word, ",=") || flag_option(word, &scratch);
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
			s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

void enroot_mount_word(struct buf *line, const char *path)
{
	for (; *path; path++)
		if (strchr(" \t\r\n:\\#", *path))
			buf_printf(line, "\\%03o", (unsigned char)*path);
		else
			buf_putc(line, *path);
}

/* Nothing new is mounted. */
static bool changes_only(const struct enroot_mount *m)
{
	return m->detach || m->move || m->remount;
}

bool enroot_mount_parse(const char *line, char separator, struct enroot_mount *out)
{
	const char *stops = separator == ':' ? ":" : " \t\r";
	char *field[6] = {NULL};
	auto_free char *text = xstrndup(line, strcspn(line, "\n"));
	char *rest = text + strspn(text, " \t");
	struct enroot_mount m = {0};
	int n = 0, at = 2;

	if (!*rest || (*rest == '#' && separator != ':'))
		return false;
	for (char *word; n < 6 && (word = strsep(&rest, stops)) != NULL;)
		if (*word) {
			unescape(word);
			field[n++] = word;
		}
	if (n == 0)
		return false;
	m.src = xstrdup(field[0]);
	if (n == 2 && is_options(field[1])) /* "/src bind" */
		at = 1;
	m.dst = xstrdup(field[at > 1 && n > 1 ? 1 : 0]);
	if (at < n && !is_options(field[at]))
		m.type = xstrdup(field[at++]);
	if (str_eq(m.type, "none"))
		free(take(m.type));
	if (at < n)
		parse_options(field[at++], &m);
	else
		m.create = X_CREATE_AUTO;
	for (; at < n && m.pass == 0; at++) /* dump's, and the pass; the former where there is no other */
		m.pass = atoi(field[at]);
	if (m.bind) /* the kernel does not look at it, either */
		free(take(m.type));
	if (!m.type && str_eq(m.src, "tmpfs") && !changes_only(&m))
		m.type = xstrdup("tmpfs");
	if (!m.type && !m.bind && !changes_only(&m) && !(str_eq(m.src, "none") && m.propagation))
		m.bind = m.recursive = true;
	*out = m;
	return true;
}

void enroot_mount_done(struct enroot_mount *m)
{
	free(m->src);
	free(m->dst);
	free(m->type);
	free(m->data);
	*m = (struct enroot_mount){0};
}
#define auto_mount __attribute__((cleanup(enroot_mount_done)))

/* ---- the mounts ---- */

/* A link which leads nowhere, as /etc/resolv.conf is where systemd made it, makes room. */
static void drop_dangling(int root, const char *path)
{
	auto_free char *dir = xstrdup(path);
	char *name = strrchr(dir, '/');
	auto_close int parent = -1;
	struct stat st;

	if (!name || !name[1])
		return;
	*name++ = '\0';
	parent = sys_openat2(root, *dir ? dir : "/", O_PATH | O_DIRECTORY, IN_ROOT);
	if (parent >= 0 && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		(void)unlinkat(parent, name, 0); /* if it fails, the next call does, too */
}

static int target(const struct enroot_mount *m, int root, bool directory, struct err *e)
{
	auto_free char *path = m->dst[0] == '/' ? xstrdup(m->dst) : xasprintf("/%s", m->dst);
	int at = sys_openat2(root, path, O_PATH, IN_ROOT);

	while (*path && path[1] && str_ends(path, "/"))
		path[strlen(path) - 1] = '\0';
	if (at >= 0)
		return at;
	if (m->create == X_CREATE_NO || errno != ENOENT)
		return err_sys(e, "%s", m->dst);
	if (m->create != X_CREATE_AUTO)
		directory = m->create == X_CREATE_DIR;
	drop_dangling(root, path);
	return mount_point(root, path, directory, e);
}

static int set_attr(int mount, const struct enroot_mount *m, struct err *e)
{
	struct mount_attr attr = {
		.attr_set = m->attr & ~(uint64_t)MOUNT_ATTR_NOATIME, .propagation = m->propagation};

	if (m->attr & MOUNT_ATTR_NOATIME) {
		attr.attr_clr = MOUNT_ATTR__ATIME;
		attr.attr_set |= MOUNT_ATTR_NOATIME;
	}
	if (!attr.attr_set && !attr.propagation)
		return 0;
	if (sys_mount_setattr(mount, m->recursive ? AT_RECURSIVE : 0, &attr) == 0)
		return 0;
	/* The times of a mount of the machine's are locked; they are no reason to fail. */
	attr.attr_clr = 0;
	attr.attr_set &= ~(uint64_t)(MOUNT_ATTR_NOATIME | MOUNT_ATTR_NODIRATIME);
	if (sys_mount_setattr(mount, m->recursive ? AT_RECURSIVE : 0, &attr) < 0)
		return err_sys(e, "options");
	return 0;
}

static int open_source(const struct enroot_mount *m, const char *cwd, struct err *e)
{
	auto_free char *path = m->src[0] == '/' ? xstrdup(m->src) : xasprintf("%s/%s", cwd, m->src);
	unsigned int flags = m->move ? 0 : OPEN_TREE_CLONE | (m->recursive ? AT_RECURSIVE : 0);
	int fd = sys_open_tree(AT_FDCWD, path, flags);

	return fd < 0 ? err_sys(e, "%s", m->src) : fd;
}

static int new_fs(const struct enroot_mount *m, struct err *e)
{
	auto_close int fs = sys_fsopen(m->type);
	auto_free char *all = xstrdup(m->data ? m->data : "");
	char *rest = all;
	int mount;

	if (fs < 0)
		return err_sys(e, "%s", m->type);
	for (char *word; (word = strsep(&rest, ",")) != NULL;) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (*word && (value ? sys_fsconfig_string(fs, word, value)
				    : sys_fsconfig_flag(fs, word)) < 0)
			return err_sys(e, "%s", word);
	}
	mount = sys_fsmount(fs, (unsigned int)m->attr);
	return mount < 0 ? err_sys(e, "%s", m->type) : mount;
}

static int detach(const struct enroot_mount *m, int root, struct err *e)
{
	auto_close int at = target(m, root, true, e);
	char path[32];

	if (at < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", at); /* fits */
	if (sys_umount2(path, SYS_MNT_DETACH) < 0)
		return err_sys(e, "%s", m->dst);
	return 0;
}

/* What is mounted there already. */
static int change(const struct enroot_mount *m, int root, struct err *e)
{
	auto_close int at = target(m, root, true, e);

	return at < 0 ? -1 : set_attr(at, m, e);
}

/* As mount() has it, move_mount() is less clear. */
static bool same_kind(int mount, int at, struct stat *st)
{
	struct stat there;

	if (fstat(mount, st) < 0 || fstat(at, &there) < 0)
		return false;
	if (S_ISDIR(st->st_mode) == S_ISDIR(there.st_mode))
		return true;
	errno = ENOTDIR;
	return false;
}

/* Out of the root, as its words say; where links lead is below the root in any case. */
static bool leads_out(const char *path)
{
	int depth = 0;

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.')
			depth--;
		else if (n && !(n == 1 && *path == '.'))
			depth++;
		if (depth < 0)
			return true;
		path += n + (path[n] == '/');
	}
	return false;
}

static int apply(const struct enroot_mount *m, int root, const char *cwd, struct err *e)
{
	auto_close int mount = -1, at = -1;
	struct stat st;

	if (leads_out(m->dst)) {
		errno = EXDEV;
		return err_sys(e, "%s", m->dst);
	}
	if (m->detach)
		return detach(m, root, e);
	if (m->remount || (!m->bind && !m->move && !m->type))
		return change(m, root, e);
	/* Made before the source is looked for, which may be the same directory, or one below it. */
	if (m->create == X_CREATE_DIR || m->create == X_CREATE_FILE) {
		at = target(m, root, true, e);
		if (at < 0)
			return -1;
	}
	mount = m->type ? new_fs(m, e) : open_source(m, cwd, e);
	if (mount < 0)
		return -1;
	if (fstat(mount, &st) < 0)
		return err_sys(e, "%s", m->src);
	if (m->bind && set_attr(mount, m, e) < 0)
		return -1;
	if (at < 0)
		at = target(m, root, S_ISDIR(st.st_mode), e);
	if (at < 0)
		return -1;
	if (!same_kind(mount, at, &st) || sys_attach(mount, at) < 0)
		return err_sys(e, "%s", m->dst);
	return 0;
}

/* Its mount program's own words. */
static int failed(const struct enroot_mount *m, struct err *e)
{
	int sys = e->sys;

	if (leads_out(m->dst))
		return err_set(e, ERR_SYSTEM, "enroot-mount: failed to resolve path: %s%s: %s",
			m->dst[0] == '/' ? "" : "/", m->dst, errno_text(sys));
	return err_set(e, ERR_SYSTEM, "enroot-mount: failed to %s: %s at %s%s: %s",
		m->detach ? "unmount" : "mount", m->src, m->dst[0] == '/' ? "" : "/", m->dst,
		sys ? errno_text(sys) : e->text);
}

static void warn(const struct err *e)
{
	auto_free char *line = xasprintf("%s\n", e->text);

	(void)sys_write_all(STDERR_FILENO, line, strlen(line)); /* the start goes on in any case */
}

int enroot_mount_all(const char *text, char separator, int pass, int root, const char *cwd, struct err *e)
{
	while (*text) {
		auto_mount struct enroot_mount m = {0};
		bool any = enroot_mount_parse(text, separator, &m);

		text += strcspn(text, "\n");
		text += *text == '\n';
		if (!any || (pass != ENROOT_ALL && m.pass != pass))
			continue;
		if (apply(&m, root, cwd, e) == 0)
			continue;
		(void)failed(&m, e);
		if (!m.nofail)
			return -1;
		if (!m.silent)
			warn(e);
		err_clear(e);
	}
	return 0;
}
