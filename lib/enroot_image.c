/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_image: squashfs files are made of archives, directories and containers. */
#include "enroot_parts.h"

#include "helper.h"
#include "meter.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- a new file ------------------------------------------------------------------------- */

struct made {
	char *path, *part;
	int fd;
};

static void made_done(struct made *m)
{
	if (m->fd >= 0)
		(void)close(take_fd(&m->fd)); /* given up, or finished */
	if (m->part)
		(void)unlink(m->part);
	free(m->part);
	free(m->path);
}
#define auto_made __attribute__((cleanup(made_done)))

static int exists(const char *path, struct err *e)
{
	char cwd[4096];

	if (access(path, F_OK) < 0)
		return 0;
	if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return err_set(e, ERR_CONFLICT, "File already exists: %s", path);
	return err_set(e, ERR_CONFLICT, "File already exists: %s/%s", cwd, path);
}

/* Under another name until it is whole. */
static int begin(const char *path, bool force, struct made *m, struct err *e)
{
	m->path = xstrdup(path);
	if (!force && exists(path, e) < 0)
		return -1;
	m->part = xasprintf("%s.%d.part", path, (int)getpid());
	m->fd = open(m->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (m->fd < 0) {
		if (errno == ENOENT)
			(void)err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", path);
		else
			(void)err_sys(e, "%s", path);
		free(take(m->part));
		return -1;
	}
	return 0;
}

static int finish(struct made *m, bool force, struct err *e)
{
	if (!force && link(m->part, m->path) == 0)
		return 0; /* the other name goes */
	if (!force && errno == EEXIST)
		return exists(m->path, e);
	if (rename(m->part, m->path) < 0)
		return err_sys(e, "%s", m->path);
	free(take(m->part));
	return 0;
}

/* ---- what goes in ----------------------------------------------------------------------- */

static int of_archive(int in, int out, struct meter *meter, struct err *e)
{
	const char *words[] = {"layer", "base", meter ? "meter" : NULL, NULL};
	auto_json json_t *answer = helper_ask(words, in, out, meter, e);

	return answer ? 0 : -1;
}

static int of_directory(int dir, int out, struct meter *meter, struct err *e)
{
	const char *words[] = {"tar", NULL};
	auto_close int from = -1, to = -1;
	struct err unused;
	int p[2], result;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = p[0];
	to = p[1];
	pid = helper_start(words, -1, to, dir, NULL, e);
	if (pid < 0)
		return -1;
	(void)close(take_fd(&to)); /* its end is the end of the tar */
	result = of_archive(from, out, meter, e);
	(void)close(take_fd(&from)); /* so that the first one ends when the second gave up */
	if (helper_end(pid, NULL, result < 0 ? &unused : e) < 0 && result == 0)
		return err_ctx(e, "the directory cannot be read whole");
	return result;
}

static int of_squashfs(int in, int out, struct err *e)
{
	ssize_t n;

	while ((n = sendfile(out, in, NULL, 1 << 30)) > 0)
		;
	return n < 0 ? err_sys(e, "copy") : 0;
}

/* ---- import ----------------------------------------------------------------------------- */

/* dir/name.tar.gz -> name.sqsh */
static char *name_for(const char *from)
{
	static const char *const ends[] = {
		".gz", ".xz", ".zst", ".bz2", ".lz4", ".tgz", ".txz", ".tar", ".sqsh", ".squashfs"};
	const char *slash;
	auto_free char *name = xstrdup(from);

	while (name[0] && name[1] && str_ends(name, "/"))
		name[strlen(name) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(name, ends[i]))
			name[strlen(name) - strlen(ends[i])] = '\0';
	slash = strrchr(name, '/');
	return xasprintf("%s.sqsh", slash ? slash + 1 : name);
}

int enroot_import(const char *from, const char *out, struct meter *meter, struct err *e)
{
	auto_free char *name = out ? xstrdup(out) : name_for(from);
	auto_close int in = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	auto_made struct made m = {.fd = -1};
	struct stat st;
	int result;

	if (in < 0 || fstat(in, &st) < 0)
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", from);
	if (begin(name, false, &m, e) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		result = of_directory(in, m.fd, meter, e);
	else if (enroot_is_image(from))
		result = of_squashfs(in, m.fd, e);
	else
		result = of_archive(in, m.fd, meter, e);
	return result < 0 ? err_ctx(e, "%s", from) : finish(&m, false, e);
}

/* ---- export ----------------------------------------------------------------------------- */

/* In a child: it enters the namespaces in which the container's files can be seen. */
static int export_here(const struct store *s, const struct enroot_box *b, int out,
	struct meter *meter, struct err *e)
{
	auto_enroot_begun struct enroot_begun begun = {.lease = {.conn = -1, .userns = -1}, .said = -1};
	auto_close int root = -1;

	if (enroot_lease(s, b, false, &begun, e) < 0 || enroot_unshare(&begun, CLONE_NEWNS, 0, 0, e) < 0)
		return -1;
	enroot_keep(&begun);
	if (enroot_root(s, b, &begun, false, e) < 0)
		return -1;
	root = open("root", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? err_sys(e, "open the root") : of_directory(root, out, meter, e);
}

static int in_child(const struct store *s, const struct enroot_box *b, int out, struct meter *meter,
	struct err *e)
{
	auto_close int from = -1;
	struct err sub;
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = p[0];
	pid = fork();
	if (pid == 0) {
		sub = (struct err){0};
		(void)export_here(s, b, out, meter, &sub);
		(void)sys_write_all(p[1], &sub, sizeof(sub)); /* the status tells as well */
		_exit(sub.kind != ERR_NONE);                  /* the child */
	}
	(void)close(p[1]); /* the child's */
	if (pid < 0)
		return err_sys(e, "fork");
	if (sys_read(from, &sub, sizeof(sub)) != (ssize_t)sizeof(sub))
		(void)err_set(&sub, ERR_SYSTEM, "the process which exports died");
	(void)waitpid(pid, NULL, 0); /* our child, ending */
	if (sub.kind == ERR_NONE)
		return 0;
	*e = sub;
	return -1;
}

int enroot_export(const struct store *s, const char *name, const char *out, bool force,
	struct meter *meter, struct err *e)
{
	auto_free char *file = out ? xstrdup(out) : xasprintf("%s.sqsh", name);
	auto_enroot_box struct enroot_box b = {0};
	auto_made struct made m = {.fd = -1};

	if (enroot_find_container(name, &b, e) < 0 || begin(file, force, &m, e) < 0)
		return -1;
	return in_child(s, &b, m.fd, meter, e) < 0 ? -1 : finish(&m, force, e);
}
