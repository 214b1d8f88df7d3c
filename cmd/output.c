/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "auto.h"
#include "cmd.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static void done(struct output *o)
{
	free(o->path);
	free(o->part);
	*o = (struct output){.fd = -1};
}

static int check_path(const char *path, struct err *e)
{
	static const struct {
		mode_t mode;
		const char *name;
	} kinds[] = {{S_IFDIR, "directory"}, {S_IFLNK, "symbolic link directly"},
		{S_IFIFO, "named pipe (FIFO)"}, {S_IFSOCK, "socket"},
		{S_IFCHR, "character device file"}, {S_IFBLK, "block device file"}};
	const char *slash = strrchr(path, '/');
	auto_free char *asked = xstrndup(path, slash ? (size_t)(slash - path) + 1 : 0),
		       *dir = parse_clean_path(asked);
	struct stat st;

	if (slash && stat(dir, &st) < 0)
		return err_go(e, "invalid output path: stat %s", dir);
	/* lstat(): the file will replace whatever has the name, even a link */
	if (lstat(path, &st) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((st.st_mode & S_IFMT) == kinds[i].mode)
			return err_set(e, ERR_USAGE, "cannot write to a %s", kinds[i].name);
	return 0;
}

/* If the file system allows, the file has no name until it is complete, so that nothing is left if we are killed. */
static int open_part(struct output *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *dir = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	o->nameless = fd >= 0;
	return fd >= 0 ? fd : open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int give_name(struct output *o)
{
	auto_free char *here = xasprintf("/proc/self/fd/%d", o->fd);

	if (o->nameless && linkat(AT_FDCWD, here, AT_FDCWD, o->part, AT_SYMLINK_FOLLOW) < 0)
		return -1;
	return rename(o->part, o->path);
}

void output_widen(int fd)
{
	(void)fcntl(fd, F_SETPIPE_SZ, 1 << 20); /* best effort: an improvement only */
}

void output_check_reader(const struct err *e)
{
	if (e->sys != EPIPE)
		return;
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE); /* returns if it is blocked; then the caller reports the error */
}

void output_say(const char *path, const struct err *e)
{
	if (e->sys && str_starts(e->text, "write the archive: "))
		say_unwritten(path, e->sys);
	else
		say_daemon_error(e);
}

int output_open(struct output *o, const char *path, struct err *e)
{
	const char *slash, *base;

	*o = (struct output){.fd = STDOUT_FILENO};
	if (!path && isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE,
			"cowardly refusing to save to a terminal. Use the -o flag or redirect");
	output_widen(o->fd);
	if (!path)
		return 0;
	if (check_path(path, e) < 0)
		return -1;
	o->path = xstrdup(path);
	o->part = xasprintf("%s.tmp-%d", path, (int)getpid());
	o->fd = open_part(o, path);
	if (o->fd >= 0)
		return 0;
	slash = strrchr(path, '/');
	base = slash ? slash + 1 : path;
	(void)err_go(e, "open %.*s.tmp-%s%d", (int)(base - path), path, base, (int)getpid());
	done(o);
	return -1;
}

int output_close(struct output *o, struct err *e)
{
	int result = 0;

	if (o->part && (fchmod(o->fd, 0600) < 0 || give_name(o) < 0)) {
		result = err_sys(e, "write %s", o->path);
		(void)unlink(o->part); /* the first error is reported */
	}
	if (o->path && close(o->fd) < 0 && result == 0)
		result = err_sys(e, "write %s", o->path);
	done(o);
	return result;
}

void output_drop(struct output *o)
{
	if (o->part && !o->nameless)
		(void)unlink(o->part); /* best effort */
	if (o->path)
		(void)close(o->fd); /* given up */
	done(o);
}
