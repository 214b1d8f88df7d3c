/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include "event.h"
#include "parse.h"
#include "passwd.h"
#include "state.h"
#include "stage.h"
#include "sys.h"
#include "tarfd.h"
#include "tarpack.h"
#include "untar.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

/* What the process inside has to do; it gets a copy of all this. */
struct job {
	const char *what, *path;
	int fd;
	const struct expand *in; /* the source */
	unsigned flags;
	struct meter *meter;
};

/* Of a struct archive_stat, with the texts behind it. */
struct told {
	int64_t size;
	mode_t mode;
	struct timespec mtime;
	size_t name_size;
	char texts[]; /* name, link target; a 0 after each */
};

void archive_stat_done(struct archive_stat *st)
{
	free(st->name);
	free(st->link_target);
	*st = (struct archive_stat){0};
}

/* ---- inside: paths --------------------------------------------------------------------- */

/* The path from the root on, without "..", but with a slash or dot at its end, which asks for a directory. */
static char *absolute(const char *path)
{
	auto_free char *rooted = xasprintf("/%s", path), *clean = parse_clean_path(rooted);
	const char *slash = str_ends(clean, "/") ? "" : "/";

	if (parse_ends_in_dot(path))
		return xasprintf("%s%s.", clean, slash);
	return xasprintf("%s%s", clean, str_ends(path, "/") ? slash : "");
}

/* "s" of "/s" and "/s/", "." of "/s/.", "/" of "/". */
static char *base_name(const char *path)
{
	size_t n = strlen(path);
	const char *at;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 1)
		return xstrdup("/");
	for (at = path + n; at > path && at[-1] != '/'; at--)
		;
	return xstrndup(at, (size_t)(path + n - at));
}

static char *dir_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash > path ? xstrndup(path, (size_t)(slash - path)) : xstrdup("/");
}

/* Where a link leads, as far as that exists; our root is the container's. */
static char *follow(const char *path)
{
	char *real = realpath(path, NULL);
	auto_free char *at = xstrdup(path);

	for (int i = 0; !real && i < 40; i++) {
		auto_free char *dir = dir_name(at), *real_dir = realpath(dir, NULL), *next = NULL;
		char target[PATH_MAX];
		ssize_t n = readlink(at, target, sizeof(target) - 1);

		if (n < 0 || !real_dir)
			break;
		target[n] = '\0';
		next = target[0] == '/' ? xstrdup(target) : xasprintf("%s/%s", real_dir, target);
		free(at);
		at = parse_clean_path(next);
		real = realpath(at, NULL);
	}
	return real ? real : take(at);
}

static int path_err(const struct job *j, struct err *e)
{
	if (errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "Could not find the file %s in container %s",
			j->path, j->what);
	if (errno == ENOTDIR)
		return err_set(e, ERR_SYSTEM, "lstat %s%s: not a directory",
			*j->path == '/' ? "" : "/", j->path);
	return err_sys(e, "%s", j->path);
}

/* Whether the directory is of /proc or /sys, which docker does not mount to look into a container: there they are empty. What
 * the caller has mounted himself is a volume. */
static bool is_kernels(const struct inside_view *v, const char *dir)
{
	auto_free char *real = NULL;
	struct statfs fs;

	if (statfs(dir, &fs) < 0 || (fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC))
		return false;
	real = realpath(dir, NULL);
	for (size_t i = 0; real && i < v->spec->n_mounts; i++) {
		const char *dst = v->spec->mounts[i].dst;
		size_t n = strlen(dst);

		if (strncmp(real, dst, n) == 0 && (!real[n] || real[n] == '/'))
			return false;
	}
	return true;
}

/* Of the directory's root itself. */
#define KERNELS_ROOT_INO 1

static bool is_hidden(const struct inside_view *v, const char *path, const struct stat *st)
{
	auto_free char *clean = parse_clean_path(path), *parent = dir_name(clean);

	if (S_ISDIR(st->st_mode) && st->st_ino == KERNELS_ROOT_INO)
		return false;
	return is_kernels(v, parent) || (S_ISDIR(st->st_mode) && is_kernels(v, path));
}

static int tell_stat(const struct inside_view *v, const struct job *j, struct stat *st, struct err *e)
{
	auto_free char *path = absolute(j->path), *name = base_name(path), *link = NULL;
	auto_free struct told *t = NULL;
	size_t n;

	if (lstat(path, st) < 0)
		return path_err(j, e);
	if (is_hidden(v, path, st)) {
		errno = ENOENT;
		return path_err(j, e);
	}
	link = S_ISLNK(st->st_mode) ? follow(path) : xstrdup("");
	n = sizeof(*t) + strlen(name) + strlen(link) + 2;
	t = xcalloc(1, n);
	t->size = st->st_size;
	t->mode = st->st_mode;
	t->mtime = st->st_mtim;
	t->name_size = strlen(name) + 1;
	memcpy(t->texts, name, t->name_size);
	memcpy(t->texts + t->name_size, link, strlen(link) + 1);
	return inside_answer(v, t, n, e);
}

/* ---- inside: the work ------------------------------------------------------------------ */

/* The directory that is packed, by its path in the container. */
struct from {
	const struct inside_view *view;
	char path[PATH_MAX];
};

static void below(const struct from *f, const char *path, char out[2 * PATH_MAX])
{
	size_t n;

	(void)snprintf(out, 2 * PATH_MAX, "%s/%s", f->path[1] ? f->path : "", path); /* cut: no mount's */
	n = strlen(out);
	if (n > 1 && out[n - 1] == '/')
		out[n - 1] = '\0';
}

/* Other file systems are volumes or the kernel's own, and not the container's files. */
static bool is_volume(void *context, const char *path)
{
	const struct from *f = context;
	char full[2 * PATH_MAX];

	below(f, path, full);
	for (size_t i = 0; i < f->view->spec->n_mounts; i++)
		if (str_eq(f->view->spec->mounts[i].dst, full))
			return true;
	return false;
}

static bool never(void *context, const char *path)
{
	(void)context;
	(void)path;
	return false;
}

/* What is there for apt. */
static bool is_ours(void *context, const char *path)
{
	const struct from *f = context;
	char full[2 * PATH_MAX];

	if (!str_ends(path, STAGE_APT_NAME))
		return false;
	below(f, path, full);
	return str_eq(full, "/" STAGE_APT_FILE);
}

static bool always(void *context, const char *path)
{
	(void)context;
	(void)path;
	return true;
}

static int pack_to(const struct job *j, const struct tarpack *p, struct err *e)
{
	auto_tarfd struct tarfd out = tarfd_open(j->fd);
	struct tar_writer w = {.sink = tarfd_write, .pass = tarfd_pass, .context = &out};

	out.meter = j->meter;
	if (tarpack(&w, p, e) < 0 || tar_finish(&w, e) < 0)
		return -1;
	return tarfd_flush(&out, e);
}

static int do_stat(const struct inside_view *v, void *arg, struct err *e)
{
	struct stat st;

	return tell_stat(v, arg, &st, e);
}

static int do_get(const struct inside_view *v, void *arg, struct err *e)
{
	const struct job *j = arg;
	auto_free char *path = absolute(j->path), *name = base_name(path), *parent = NULL;
	struct from from = {.view = v};
	struct tarpack p = {.name = name,
		.as = name,
		.one_id = v->one_id,
		.types = true,
		.uid = -1,
		.gid = -1,
		.enter = is_volume,
		.omit = is_ours,
		.context = &from};
	auto_close int dir = -1;
	struct stat st;

	if (tell_stat(v, j, &st, e) < 0)
		return -1;
	parent = S_ISDIR(st.st_mode) ? xstrdup(path) : dir_name(path);
	dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fchdir(dir) < 0 || !getcwd(from.path, sizeof(from.path)))
		return path_err(j, e);
	if (S_ISDIR(st.st_mode))
		p.name = ".";
	if (is_kernels(v, parent))
		p.omit = always;
	p.dir = dir;
	return pack_to(j, &p, e);
}

/* Opens the root without what is mounted on it. If that fails, as the namespace is another's, what is mounted stays
 * visible, but is left out, and mount points are empty. */
static int open_root_alone(void)
{
	auto_close int root = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE);

	if (root >= 0)
		return openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (errno == EPERM || errno == EINVAL || errno == ENOSYS)
		return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return -1;
}

static int do_export(const struct inside_view *v, void *arg, struct err *e)
{
	const struct job *j = arg;
	struct from from = {.view = v, .path = "/"};
	auto_close int dir = open_root_alone();
	struct tarpack p = {.dir = dir,
		.name = ".",
		.as = "",
		.one_id = v->one_id,
		.types = true,
		.uid = -1,
		.gid = -1,
		.enter = never,
		.omit = is_ours,
		.context = &from};

	if (dir < 0)
		return err_sys(e, "open the root");
	if (inside_answer(v, "", 1, e) < 0)
		return -1;
	return pack_to(j, &p, e);
}

#define ETC_MAX (1 << 20)

/* Reads a file of the image, which may be a device or FIFO: only regular files are read. */
static char *read_etc(const char *path)
{
	auto_close int fd =
		sys_openat2(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_NO_MAGICLINKS);
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > ETC_MAX)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	n = sys_read(fd, text, (size_t)st.st_size);
	return n < 0 ? NULL : take(text);
}

static int find_owner(const struct inside_view *v, struct untar *u, struct err *e)
{
	auto_free char *passwd = NULL, *group = NULL;
	struct identity who;

	if (!v->spec->user || !*v->spec->user)
		return 0;
	passwd = read_etc("/etc/passwd");
	group = read_etc("/etc/group");
	if (identity_find(v->spec->user, NULL, 0, passwd, group, &who, e) < 0)
		return -1;
	u->uid = who.uid;
	u->gid = who.gid;
	return 0;
}

static int check_writable(int dir, struct err *e)
{
	struct stat st, root;
	struct statvfs fs;

	if (fstatvfs(dir, &fs) < 0 || fstat(dir, &st) < 0 || stat("/", &root) < 0)
		return err_sys(e, "stat");
	if (!(fs.f_flag & ST_RDONLY))
		return 0;
	return err_set(e, ERR_DENIED, "%s is marked read-only",
		st.st_dev == root.st_dev ? "container rootfs" : "mounted volume");
}

static int do_put(const struct inside_view *v, void *arg, struct err *e)
{
	const struct job *j = arg;
	auto_free char *path = absolute(j->path);
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char where[PATH_MAX];
	auto_tarfd struct tarfd in = tarfd_open(j->fd);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .give = tarfd_give, .context = &in};
	struct untar u = {.dir = dir,
		.owners = !v->one_id,
		.uid = -1,
		.gid = -1,
		.keep_kind = j->flags & ARCHIVE_KEEP_KIND,
		.where = where};
	struct stat st;

	if (dir < 0 && errno == ENOTDIR && stat(path, &st) == 0)
		return err_set(e, ERR_USAGE, "extraction point is not a directory");
	if (dir < 0)
		return path_err(j, e);
	if (check_writable(dir, e) < 0)
		return -1;
	if (fchdir(dir) < 0 || !getcwd(where, sizeof(where)))
		return path_err(j, e);
	if ((j->flags & ARCHIVE_OWNER) && find_owner(v, &u, e) < 0)
		return -1;
	if (inside_answer(v, "", 1, e) < 0)
		return -1;
	in.meter = j->meter;
	tarfd_unread(&in, j->in->head, j->in->n_head);
	if (untar(&r, &u, e) < 0)
		return -1;
	return tar_drain(&r, e);
}

/* ---- the caller ------------------------------------------------------------------------ */

static int no_answer(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "the process inside of the container died");
}

/* Starts the work and hears its first answer. */
static int begin(const struct store *s, struct job *j, enum inside_mode mode,
	int (*work)(const struct inside_view *, void *, struct err *), struct buf *answer,
	struct archive *out, struct err *e)
{
	struct inside_ask ask = {.work = work, .arg = j, .keep = {j->fd, -1}, .mode = mode};
	auto_archive struct archive a = ARCHIVE_NONE;
	id_text id;
	int more;

	if (state_find(s, j->what, id, e) < 0 || inside_begin(s, id, &ask, &a.inside, e) < 0)
		return -1;
	more = inside_hear(&a.inside, answer, e);
	if (more <= 0)
		return more < 0 ? -1 : no_answer(e);
	memcpy(a.id, id, sizeof(id));
	*out = a;
	a = ARCHIVE_NONE;
	return 0;
}

static void tell_event(const struct store *s, const char *what, const char *action)
{
	auto_state struct state st = {0};
	struct err unused; /* events fail nothing */
	id_text id;

	if (state_find(s, what, id, &unused) == 0 && state_load(s, id, &st, &unused) == 0)
		event_container(s, &st, action, NULL, NULL);
}

static int hear_stat(const struct buf *answer, struct archive_stat *st, struct err *e)
{
	const struct told *t = (const void *)answer->s;

	/* The answer comes from our own process, but that has looked at untrusted things. */
	if (answer->len < sizeof(*t) + 2 || answer->s[answer->len - 1] != '\0' ||
		t->name_size > answer->len - sizeof(*t) - 1)
		return no_answer(e);
	*st = (struct archive_stat){.name = xstrdup(t->texts),
		.link_target = xstrdup(t->texts + t->name_size),
		.size = t->size,
		.mode = t->mode,
		.mtime = t->mtime};
	return 0;
}

int archive_stat(const struct store *s, const char *what, const char *path, struct archive_stat *st,
	struct err *e)
{
	auto_archive struct archive a = ARCHIVE_NONE;
	struct job j = {.what = what, .path = path, .fd = -1};
	auto_buf struct buf answer = {0};

	if (begin(s, &j, INSIDE_FILES, do_stat, &answer, &a, e) < 0 || archive_end(&a, e) < 0)
		return -1;
	return hear_stat(&answer, st, e);
}

int archive_get(const struct store *s, const char *what, const char *path, int out,
	struct meter *meter, struct archive_stat *st, struct archive *work, struct err *e)
{
	auto_archive struct archive a = ARCHIVE_NONE;
	struct job j = {.what = what, .path = path, .fd = out, .meter = meter};
	auto_buf struct buf answer = {0};

	if (begin(s, &j, INSIDE_FILES, do_get, &answer, &a, e) < 0 || hear_stat(&answer, st, e) < 0)
		return -1;
	tell_event(s, what, "archive-path");
	*work = a;
	a = ARCHIVE_NONE;
	return 0;
}

int archive_put(const struct store *s, const char *what, const char *path, struct expand *in,
	unsigned flags, struct meter *meter, struct archive *work, struct err *e)
{
	struct job j = {
		.what = what, .path = path, .fd = in->fd, .in = in, .flags = flags, .meter = meter};
	auto_buf struct buf answer = {0};

	if (begin(s, &j, INSIDE_FILES, do_put, &answer, work, e) < 0)
		return -1;
	expand_handed(in);
	work->told = s;
	return 0;
}

int archive_export(const struct store *s, const char *what, int out, struct meter *meter,
	struct archive *work, struct err *e)
{
	struct job j = {.what = what, .path = "/", .fd = out, .meter = meter};
	auto_buf struct buf answer = {0};

	if (begin(s, &j, INSIDE_ROOT, do_export, &answer, work, e) < 0)
		return -1;
	tell_event(s, what, "export");
	return 0;
}

int archive_end(struct archive *work, struct err *e)
{
	if (inside_end(&work->inside, e) < 0)
		return -1;
	if (work->told)
		tell_event(work->told, work->id, "extract-to-dir");
	return 0;
}

void archive_abort(struct archive *work)
{
	inside_abort(&work->inside);
}
