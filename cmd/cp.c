/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cp: copies files into and out of containers. The name at the destination is decided here, by docker's rules (cp_path.h); paths
 * in the container are looked up by a process inside of it (archive.h).
 */
#include "archive.h"
#include "cmd.h"
#include "cp_path.h"
#include "human.h"
#include "output.h"
#include "parse.h"
#include "progress.h"
#include "sys.h"
#include "tarfd.h"
#include "tarpack.h"
#include "untar.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

struct cp_args {
	bool archive, follow, quiet, said; /* said: --quiet was given, true or false */
};

static int set_quiet(void *target, const char *value, struct err *e)
{
	struct cp_args *a = target;

	a->said = true;
	return parse_bool(value, &a->quiet, e);
}

/* clang-format off */
static const struct opt rows[] = {
	{ 'a', "archive",     NULL, "Archive mode (copy all uid/gid information)", OPT_FLAG(struct cp_args, archive) },
	{ 'L', "follow-link", NULL, "Always follow symbol link in SRC_PATH", OPT_FLAG(struct cp_args, follow) },
	{ 'q', "quiet",       NULL, "Suppress progress output during copy. Progress\noutput is automatically suppressed if no terminal\nis attached", OPT_CALL(set_quiet) },
	{ 0 },
};
/* clang-format on */

/* One end of the copy. */
struct end {
	char *container; /* NULL: the path is on this machine */
	const char *path;
};

/* Prints an error, as the daemon's or as the client's; returns the exit status. */
static int refuse(const struct err *e, bool daemon)
{
	if (daemon)
		say_daemon_error(e);
	else
		(void)fprintf(stderr, "%s\n", e->text);
	return 1;
}

static int complain(const char *text)
{
	(void)fprintf(stderr, "%s\n", text);
	return 1;
}

static struct end split(const char *arg)
{
	const char *colon = strchr(arg, ':');

	if (arg[0] == '/' || arg[0] == '.' || !colon)
		return (struct end){NULL, arg};
	if (colon == arg) /* ":path" is a path on this machine */
		return (struct end){NULL, arg + 1};
	return (struct end){xstrndup(arg, (size_t)(colon - arg)), colon + 1};
}

/* ---- out of a container ---------------------------------------------------------------- */

static const char *unfit(mode_t mode)
{
	if (S_ISDIR(mode) || S_ISREG(mode) || S_ISLNK(mode))
		return NULL;
	return S_ISCHR(mode) || S_ISBLK(mode) ? "got a device" : "got an irregular file";
}

static int check_output(const char *path, struct err *e)
{
	auto_free char *clean = parse_clean_path(path), *dir = NULL, *base = NULL;
	struct stat st;

	cp_part(clean, &dir, &base);
	if (stat(dir, &st) < 0 && errno == ENOENT)
		return err_set(e, ERR_USAGE, "invalid output path: directory %s does not exist",
			QUOTED(dir));
	if (stat(path, &st) == 0 && unfit(st.st_mode))
		return err_set(e, ERR_USAGE,
			"invalid output path: %s must be a directory or a regular file: %s",
			QUOTED(path), unfit(st.st_mode));
	return 0;
}

/* Follows links at the destination, even one to a file that does not exist. */
static int local_target(const char *path, struct cp_target *out, struct err *e)
{
	auto_free char *at = xstrdup(path);
	struct stat st;
	int gone = lstat(at, &st);

	for (int i = 0; gone == 0 && S_ISLNK(st.st_mode); i++) {
		auto_free char *dir = NULL, *base = NULL, *next = NULL;
		char link[PATH_MAX];
		ssize_t n = readlink(at, link, sizeof(link) - 1);

		if (n < 0 || i == 40)
			return err_set(e, ERR_USAGE, "too many symlinks in %s", path);
		link[n] = '\0';
		cp_part(at, &dir, &base);
		next = link[0] == '/' ? xstrdup(link) : xasprintf("%s/%s", dir, link);
		free(at);
		at = take(next);
		gone = lstat(at, &st);
	}
	if (gone < 0 && errno != ENOENT)
		return errno == ENOTDIR ? err_set(e, ERR_USAGE, "stat %s: not a directory", at)
		                        : err_go(e, "lstat %s", at);
	*out = (struct cp_target){take(at), gone == 0, gone == 0 && S_ISDIR(st.st_mode)};
	return 0;
}

static int extract(int from, const char *source, const char *rename, const struct cp_target *t,
	bool is_dir, struct meter *meter, uint64_t *size, struct err *e)
{
	auto_free char *dir = NULL, *base = NULL, *to_dir = NULL, *to_name = NULL, *clean = NULL;
	auto_tarfd struct tarfd in = tarfd_open(from);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .give = tarfd_give, .context = &in};
	struct cp_placing p = {NULL, NULL};
	auto_close int at = -1;
	struct untar u = {.beneath = true, .uid = -1, .gid = -1, .keep_kind = true, .nameless = true};

	if (cp_place(t, is_dir, (char *)rename, &p, e) < 0)
		return -1;
	to_dir = p.dir;
	u.where = clean = parse_clean_path(to_dir);
	to_name = p.name;
	at = open(to_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return err_sys(e, "%s", to_dir);
	cp_part(source, &dir, &base);
	u.dir = at;
	u.from = to_name ? (str_eq(base, "/") ? "" : base) : NULL;
	u.to = to_name;
	in.meter = meter;
	if (untar(&r, &u, e) < 0 || tar_drain(&r, e) < 0)
		return -1;
	*size = in.total;
	return 0;
}

/* --quiet turns off both the bar and the last line; a standard output that is no terminal, only the last line. */
static bool wants_bar(const struct cp_args *a)
{
	return !(a->said && a->quiet);
}

static void tell_copied(uint64_t size, const char *container, const char *path)
{
	auto_free char *text = human_size((double)size, 3);

	(void)fprintf(stderr, "Successfully copied %s to %s%s%s\n", text,
		container ? container : "", container ? ":" : "", path);
}

/* -L: if the source is a link in the container, the path to which it leads. */
static int follow_source(
	const struct store *s, const struct end *from, char **path, char **name, struct err *e)
{
	auto_archive_stat struct archive_stat st = {0};

	*path = xstrdup(from->path);
	if (archive_stat(s, from->container, from->path, &st, e) < 0) {
		err_clear(e); /* the copy will report it */
		return 0;
	}
	if (S_ISLNK(st.mode)) {
		free(*path);
		*path = cp_rebased(from->path, st.link_target, name);
	}
	return 0;
}

/* The process in the container inherits our standard output and writes the archive itself. */
static int to_stdout(
	const struct store *s, const struct cp_args *a, const char *container, const char *path)
{
	auto_archive_stat struct archive_stat st = {0};
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_progress struct progress bar = {0};
	struct meter *meter = progress_begin(&bar, "Copying", wants_bar(a));
	struct err e = {0};
	int result;

	output_widen(STDOUT_FILENO);
	result = archive_get(s, container, path, STDOUT_FILENO, meter, &st, &work, &e);
	if (result == 0) {
		meter_expect(meter, S_ISREG(st.mode) ? (uint64_t)st.size : 0);
		result = archive_end(&work, &e);
	}
	progress_end(&bar);
	if (result == 0)
		return 0;
	output_check_reader(&e);
	output_say(NULL, &e);
	return 1;
}

static int to_files(const struct store *s, const struct cp_args *a, const struct end *from,
	const char *src, const char *name, const char *dst)
{
	auto_archive_stat struct archive_stat st = {0};
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_close int in = -1, out = -1;
	auto_progress struct progress bar = {0};
	auto_free char *target_path = NULL;
	struct cp_target t = {0};
	struct err e = {0}, why = {0};
	struct meter *meter;
	uint64_t size = 0;
	int result, ended;

	if (sys_wide_pipe(&in, &out) < 0)
		return complain(errno_text(errno));
	if (archive_get(s, from->container, src, out, NULL, &st, &work, &e) < 0)
		return refuse(&e, true);
	(void)close(take_fd(&out)); /* the other process has it */
	meter = progress_begin(&bar, "Copying", wants_bar(a));
	meter_expect(meter, S_ISREG(st.mode) ? (uint64_t)st.size : 0);
	result = local_target(dst, &t, &e);
	target_path = t.path;
	if (result == 0)
		result = extract(in, src, name, &t, S_ISDIR(st.mode), meter, &size, &e);
	(void)close(take_fd(&in)); /* so that the writing process gets EPIPE if it is not done */
	ended = archive_end(&work, &why);
	progress_end(&bar);
	if (ended < 0 && (result == 0 || why.sys != EPIPE))
		return refuse(&why, true);
	if (result < 0)
		return refuse(&e, false);
	if (!a->quiet)
		tell_copied(size, NULL, dst);
	return 0;
}

static int from_container(
	const struct store *s, const struct cp_args *a, const struct end *from, const char *to)
{
	bool stdout_wanted = str_eq(to, "-");
	auto_free char *dst = NULL, *src = NULL, *name = NULL;
	struct err e = {0};

	if (!stdout_wanted && (cp_local_path(to, &dst, &e) < 0 || check_output(dst, &e) < 0))
		return refuse(&e, false);
	if (!*from->path)
		return complain("Error response from daemon: bad parameter: path cannot be empty");
	if (a->follow ? follow_source(s, from, &src, &name, &e) < 0 : !(src = xstrdup(from->path)))
		return refuse(&e, true);
	return stdout_wanted ? to_stdout(s, a, from->container, src)
	                     : to_files(s, a, from, src, name, dst);
}

/* ---- into a container ------------------------------------------------------------------ */

struct source {
	char *dir, *base, *name; /* name: for the copy, if other than base; or NULL */
	bool is_dir;
};

static void source_done(struct source *s)
{
	free(s->dir);
	free(s->base);
	free(s->name);
}
#define auto_source __attribute__((cleanup(source_done)))

static int lstat_err(const char *path, struct err *e)
{
	if (errno == ENOTDIR)
		return err_set(e, ERR_NOT_FOUND, "not a directory");
	return err_go(e, "lstat %s", path);
}

/* The error for a path that does not exist. As in docker, it names the first missing part, with links before it resolved. */
static int no_source(const char *given, struct err *e)
{
	auto_free char *path = xstrdup(given);

	for (int links = 0; links < 40; links++) {
		auto_free char *dir = NULL, *base = NULL, *whole = NULL, *at = NULL;
		const char *name = path;
		char link[PATH_MAX];
		ssize_t n;

		do { /* find the shortest beginning of the path that cannot be resolved */
			name += strspn(name, "/");
			name += strcspn(name, "/");
			free(take(whole));
			free(take(at));
			at = xstrndup(path, (size_t)(name - path));
			whole = realpath(at, NULL);
		} while (whole && *name);
		if (whole || errno != ENOENT)
			break;
		n = readlink(at, link, sizeof(link) - 1);
		cp_part(at, &dir, &base);
		free(take(whole));
		whole = realpath(dir, NULL);
		errno = ENOENT;
		if (n <= 0) {
			auto_free char *missing =
				xasprintf("%s/%s", str_eq(whole, "/") ? "" : whole, base);

			errno = ENOENT;
			return lstat_err(missing, e);
		}
		link[n] = '\0';
		free(path);
		path = link[0] == '/' ? xstrdup(link) : xasprintf("%s/%s", whole ? whole : "", link);
	}
	return lstat_err(path, e);
}

/* docker joins the resolved directory and the name with a slash, even if the directory is "/". */
static int no_file(const char *path, struct err *e)
{
	auto_free char *dir = NULL, *base = NULL, *resolved = NULL, *whole = NULL;

	if (errno != ENOENT || cp_wants_dir(path))
		return no_source(path, e);
	cp_part(path, &dir, &base);
	resolved = realpath(dir, NULL);
	if (!resolved)
		return no_source(path, e);
	errno = ENOENT;
	whole = xasprintf("%s/%s", resolved, base);
	return lstat_err(whole, e);
}

static int find_source(const char *given, bool follow, struct source *out, struct err *e)
{
	auto_free char *path = NULL, *real = NULL;
	struct stat st;

	if (cp_local_path(given, &path, e) < 0)
		return -1;
	/* a link with a trailing slash means the directory to which it leads, which the copy gives the link's name */
	if (follow || (str_ends(path, "/") && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
		auto_free char *resolved = realpath(path, NULL);

		if (!resolved)
			return no_source(path, e);
		real = cp_rebased(path, resolved, &out->name);
	} else {
		real = xstrdup(path);
	}
	if (lstat(real, &st) < 0)
		return no_file(real, e);
	out->is_dir = S_ISDIR(st.st_mode);
	cp_part(real, &out->dir, &out->base);
	return 0;
}

/* What the destination in the container is. A link is followed here: archive_stat() tells where it leads. */
static int container_target(
	const struct store *s, const struct end *to, struct cp_target *out, struct err *e)
{
	auto_archive_stat struct archive_stat st = {0}, linked = {0};
	const struct archive_stat *is = &st;

	out->path = xstrdup(to->path);
	if (!*to->path) /* docker's daemon knows no such place: what is in a directory lands in the root */
		return 0;
	if (archive_stat(s, to->container, to->path, &st, e) < 0) {
		err_clear(e); /* the path need not exist; a missing container is reported by the copy */
		return 0;
	}
	if (S_ISLNK(st.mode)) {
		free(out->path);
		out->path = xstrdup(st.link_target);
		is = &linked;
		if (archive_stat(s, to->container, st.link_target, &linked, e) < 0) {
			err_clear(e); /* a dangling link: the copy creates its target */
			return 0;
		}
	}
	if (unfit(is->mode))
		return err_set(e, ERR_USAGE,
			"destination \"%s:%s\" must be a directory or a regular file: %s",
			to->container, to->path, unfit(is->mode));
	out->exists = true;
	out->is_dir = S_ISDIR(is->mode);
	return 0;
}

static int pack_into(int fd, const struct source *src, const char *as, struct meter *meter,
	uint64_t *size, struct err *e)
{
	auto_close int dir = open(src->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_tarfd struct tarfd out = tarfd_open(fd);
	struct tar_writer w = {.sink = tarfd_write, .pass = tarfd_pass, .context = &out};
	/* Files that the caller owns become root's in the container. */
	struct tarpack p = {.dir = dir,
		.name = str_eq(src->base, "/") ? "." : src->base,
		.as = as,
		.uid = geteuid(),
		.gid = getegid()};

	out.meter = meter;
	if (dir < 0)
		return err_sys(e, "open %s", src->dir);
	if (tarpack(&w, &p, e) < 0 || tar_finish(&w, e) < 0 || tarfd_flush(&out, e) < 0)
		return -1;
	*size = out.total;
	return 0;
}

static int send_stream(const struct store *s, const struct cp_args *a, const struct end *to,
	const char *dir, struct meter *meter, struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_expand struct expand in = EXPAND_NONE;
	unsigned flags = ARCHIVE_KEEP_KIND | (a->archive ? ARCHIVE_OWNER : 0);

	if (expand_open(s, STDIN_FILENO, &in, e) < 0 ||
		archive_put(s, to->container, dir, &in, flags, meter, &work, e) < 0)
		return -1;
	return expand_end(&in, archive_end(&work, e), e);
}

static int send_files(const struct store *s, const struct cp_args *a, const struct source *src,
	const struct end *to, const struct cp_placing *p, struct meter *meter, uint64_t *size,
	struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	unsigned flags = ARCHIVE_KEEP_KIND | (a->archive ? ARCHIVE_OWNER : 0);
	const char *as = p->name ? p->name : src->name ? src->name : src->base;
	auto_close int in = -1, out = -1;
	struct expand plain = EXPAND_NONE;
	struct err why = {0};
	int result;

	if (sys_wide_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	plain.fd = in;
	if (archive_put(s, to->container, p->dir, &plain, flags, NULL, &work, e) < 0)
		return -1;
	(void)close(take_fd(&in)); /* the other process has it */
	result = pack_into(out, src, as, meter, size, e);
	(void)close(take_fd(&out)); /* the reader sees the end of the archive */
	if (archive_end(&work, &why) < 0 && (result == 0 || e->sys == EPIPE)) {
		*e = why;
		return -1;
	}
	return result;
}

static int to_container(
	const struct store *s, const struct cp_args *a, const char *from, const struct end *to)
{
	auto_source struct source src = {0};
	auto_free char *target_path = NULL, *dir = NULL, *name = NULL;
	auto_progress struct progress bar = {0};
	struct cp_target t = {0};
	struct cp_placing p = {0};
	struct err e = {0};
	uint64_t size = 0;
	int result = container_target(s, to, &t, &e);

	target_path = t.path;
	if (result < 0)
		return refuse(&e, false);
	if (str_eq(from, "-")) {
		if (!t.is_dir) {
			(void)fprintf(stderr, "destination \"%s:%s\" must be a directory\n",
				to->container, to->path);
			return 1;
		}
		result = send_stream(
			s, a, to, t.path, progress_begin(&bar, "Copying", wants_bar(a)), &e);
		progress_end(&bar);
		return result < 0 ? refuse(&e, true) : 0;
	}
	if (find_source(from, a->follow, &src, &e) < 0)
		return refuse(&e, false);
	if (!*t.path && !src.is_dir)
		return complain("no such directory");
	result = cp_place(&t, src.is_dir, src.name, &p, &e);
	dir = p.dir;
	name = p.name;
	if (result < 0)
		return refuse(&e, false);
	result = send_files(
		s, a, &src, to, &p, progress_begin(&bar, "Copying", wants_bar(a)), &size, &e);
	progress_end(&bar);
	if (result < 0)
		return refuse(&e, true);
	if (!a->quiet)
		tell_copied(size, to->container, t.path);
	return 0;
}

static int cp_main(void *target, int argc, char **argv)
{
	struct cp_args *a = target;
	auto_free char *from_name = NULL, *to_name = NULL;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct end from, to;
	struct err e = {0};

	(void)argc;
	if (!argv[0][0] || !argv[1][0])
		return complain(argv[0][0] ? "destination can not be empty" : "source can not be empty");
	if (!a->said)
		a->quiet = !isatty(STDOUT_FILENO);
	from = split(argv[0]);
	to = split(argv[1]);
	from_name = from.container;
	to_name = to.container;
	if (from.container && to.container)
		return complain("copying between containers is not supported");
	if (!from.container && !to.container)
		return complain("must specify at least one container source");
	say_ended();
	(void)signal(SIGPIPE, SIG_IGN); /* a write fails with EPIPE instead */
	if (store_open(&s, &e) < 0)
		return refuse(&e, true);
	return from.container ? from_container(&s, a, &from, to.path)
	                      : to_container(&s, a, from.path, &to);
}

const struct command cmd_cp = {
	.name = "cp",
	.args = "[OPTIONS] CONTAINER:SRC_PATH DEST_PATH|-\n\tdocker cp [OPTIONS] SRC_PATH|- CONTAINER:DEST_PATH",
	.about = "Copy files/folders between a container and the local filesystem",
	.more = "Use '-' as the source to read a tar archive from stdin\n"
		"and extract it to a directory destination in a container.\n"
		"Use '-' as the destination to stream a tar archive of a\n"
		"container source to stdout.\n",
	.aliases = "docker container cp, docker cp",
	.opts = rows,
	.target_size = sizeof(struct cp_args),
	.run = cp_main,
	.min_args = 2,
	.max_args = 2,
};
