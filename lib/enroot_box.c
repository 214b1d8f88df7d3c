/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_box: containers: the directories below $ENROOT_DATA_PATH. */
#include "enroot_parts.h"

#include "sha256.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

#define HALF   ".sbx-half" /* directories being made or removed, as NAME.WHAT-HERE-PID */
#define HERE   8           /* letters of whose numbers PID is one */
#define HALF_S 86400       /* after which processes of others are done as well */
#define TMPFS  0x01021994

void enroot_box_done(struct enroot_box *b)
{
	free(b->path);
	free(b->image);
	*b = (struct enroot_box){0};
}

/* ---- names ---- */

static int check_name(const char *name, struct err *e)
{
	if (!*name)
		return err_set(e, ERR_USAGE, "Invalid argument");
	if (strchr(name, '/') || str_eq(name, ".") || str_eq(name, ".."))
		return err_set(e, ERR_USAGE, "Invalid argument: %s", name);
	return 0;
}

static char *path_of(const char *name)
{
	auto_free char *data = realpath(enroot_setting("ENROOT_DATA_PATH"), NULL);

	return xasprintf("%s/%s", data ? data : enroot_setting("ENROOT_DATA_PATH"), name);
}

static int open_data(struct err *e)
{
	const char *path = enroot_setting("ENROOT_DATA_PATH");
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "No such file or directory: %s", path) : fd;
}

char *enroot_path(const char *name, struct err *e)
{
	auto_free char *path = NULL;
	struct stat st;

	if (check_name(name, e) < 0)
		return NULL;
	path = path_of(name);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		(void)err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", path);
		return NULL;
	}
	return take(path);
}

int enroot_names(struct strv *out, struct err *e)
{
	auto_close int data = open_data(e);
	auto_strv struct strv all = {0};

	if (data < 0)
		return -1;
	if (sys_names(data, &all) < 0)
		return err_sys(e, "read %s", enroot_setting("ENROOT_DATA_PATH"));
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i][0] != '.')
			strv_add(out, all.v[i]);
	strv_sort(out, 0);
	return 0;
}

/* ---- images ---- */

bool enroot_is_image(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	unsigned char head[32];
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, "hsqs", 4) == 0 && head[28] == 4 &&
	       head[29] == 0; /* the version of the format */
}

char *enroot_absolute(const char *path)
{
	auto_free char *dir = xstrdup(path), *real = NULL;
	char *slash = strrchr(dir, '/');

	if (path[0] == '/')
		return xstrdup(path);
	if (slash)
		*slash++ = '\0';
	real = realpath(slash ? dir : ".", NULL);
	return real ? xasprintf("%s/%s", real, slash ? slash : path) : xstrdup(path);
}

#define SUPERBLOCK 96

/* How long the image in the file says that it is. */
static uint64_t length_told(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	unsigned char eight[8];
	uint64_t n = 0;

	if (fd < 0 || pread(fd, eight, sizeof(eight), 40) != (ssize_t)sizeof(eight))
		return SUPERBLOCK;
	for (int i = 7; i >= 0; i--)
		n = n << 8 | eight[i];
	return n;
}

static int find_image(const char *image, char **path, struct stat *st, struct err *e)
{
	auto_free char *real = realpath(image, NULL), *guess = NULL;

	if (!*image)
		return err_set(e, ERR_USAGE, "Invalid argument");
	if (!real && errno == EACCES)
		return err_sys(e, "%s", image);
	if (!real || stat(real, st) < 0 || !S_ISREG(st->st_mode)) {
		guess = enroot_absolute(image);
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", guess);
	}
	if (access(real, R_OK) < 0)
		return err_sys(e, "%s", real);
	if (!enroot_is_image(real))
		return err_set(e, ERR_USAGE, "Invalid image format: %s", real);
	if (length_told(real) > (uint64_t)st->st_size)
		return err_set(e, ERR_CORRUPT, "Invalid image format: %s: truncated: %lld bytes of %llu",
			real, (long long)st->st_size, (unsigned long long)length_told(real));
	*path = take(real);
	return 0;
}

char *enroot_image_path(const char *image, struct err *e)
{
	char *path = NULL;
	struct stat st;

	return find_image(image, &path, &st, e) < 0 ? NULL : path;
}

/* ---- create ---- */

static int copy_file(const char *from, int dir, struct err *e)
{
	auto_close int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	ssize_t n;

	if (in < 0)
		return err_sys(e, "%s", from);
	out = openat(dir, ENROOT_OWN_IMAGE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return err_sys(e, "copy %s", from);
	while ((n = sendfile(out, in, NULL, 1 << 30)) > 0)
		;
	return n < 0 ? err_sys(e, "copy %s", from) : 0;
}

/* A file which is only in memory is what a caller deletes as soon as it was used. */
static int keep_image(const char *image, int dir, struct err *e)
{
	struct statfs fs;

	if (linkat(AT_FDCWD, image, dir, ENROOT_OWN_IMAGE, 0) == 0)
		return 0;
	if (statfs(image, &fs) == 0 && fs.f_type == TMPFS)
		return copy_file(image, dir, e);
	return 0;
}

/* own: the file becomes the container's, whatever it was called. */
static int fill(int dir, const char *image, const struct stat *st, bool own, struct err *e)
{
	auto_free char *text = xasprintf("1\n%s\n%llu %llu %lld %lld.%09ld\n", image,
		(unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
		(long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	auto_close int fd = -1;

	if (mkdirat(dir, "upper", 0755) < 0 || fchmodat(dir, "upper", 0755, 0) < 0)
		return err_sys(e, "mkdir upper");
	if (own && renameat(AT_FDCWD, image, dir, ENROOT_OWN_IMAGE) < 0)
		return err_sys(e, "move %s", image);
	if (!own && keep_image(image, dir, e) < 0)
		return -1;
	fd = openat(dir, ENROOT_REFERENCE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || sys_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, "write " ENROOT_REFERENCE);
	return 0;
}

/* Tells this machine, since it started, and this pid namespace from others that have the same ENROOT_DATA_PATH: their
 * processes have the same numbers, and cannot be asked whether they live. */
static void name_here(char out[SHA256_HEX + 1])
{
	struct utsname u = {0};
	auto_free char *all = NULL;
	char boot[64];

	if (sys_get(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) < 0)
		boot[0] = '\0';
	(void)uname(&u); /* fails on a bad pointer only */
	all = xasprintf("%s %s %llu", boot, *boot ? "" : u.nodename,
		(unsigned long long)sys_pid_namespace());
	sha256_hex(all, strlen(all), out);
	out[HERE] = '\0';
}

/* What is made or removed of `name` by this process. */
static char *half_of(const char *name, const char *what)
{
	char here[SHA256_HEX + 1];

	name_here(here);
	return xasprintf("%.200s.%s-%s-%d", name, what, here, (int)getpid());
}

/* Whether who made it is known to be gone, or ought to be. */
static bool is_left(int half, const char *name, const char *here)
{
	const char *dash = strrchr(name, '-');
	struct stat st;

	if (!dash)
		return false;
	if (dash - name > HERE && dash[-HERE - 1] == '-' && memcmp(dash - HERE, here, HERE) == 0)
		return kill(atoi(dash + 1), 0) < 0 && errno == ESRCH;
	return fstatat(half, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_ctime > HALF_S;
}

/* What killed processes left half made or half removed. */
static void sweep(int half)
{
	auto_strv struct strv names = {0};
	char here[SHA256_HEX + 1];
	struct err e;

	(void)sys_names(half, &names); /* with as many names as could be read */
	if (names.n)
		name_here(here);
	for (size_t i = 0; i < names.n; i++)
		if (is_left(half, names.v[i], here))
			(void)state_remove_tree(half, names.v[i], &e); /* the next one tries again */
}

static int open_half(int data, struct err *e)
{
	int fd;

	if (mkdirat(data, HALF, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir " HALF);
	fd = openat(data, HALF, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_sys(e, "open " HALF);
	sweep(fd);
	return fd;
}

char *enroot_scratch(const char *name, struct err *e)
{
	auto_close int data = open_data(e), half = data < 0 ? -1 : open_half(data, e);
	auto_free char *own = half_of(name, "load"), *path = NULL;
	struct err unused;

	if (half < 0)
		return NULL;
	(void)state_remove_tree(half, own, &unused); /* of a dead process which had our number */
	if (mkdirat(half, own, 0700) < 0) {
		(void)err_sys(e, "mkdir %s", own);
		return NULL;
	}
	path = path_of(HALF);
	return xasprintf("%s/%s", path, own);
}

/* Renamed out of sight first, so that others see all of it or nothing. */
static int remove_at(int data, int half, const char *name, struct err *e)
{
	auto_free char *away = half_of(name, "rm");

	if (renameat(data, name, half, away) < 0)
		return err_sys(e, "remove %s", name);
	return state_remove_tree(half, away, e);
}

/* What lies ready in `half` becomes the container: at once, also in the place of another one, which lies there then, as
 * `part` or `away`. */
static int give_name(int half, const char *part, int data, const char *name, const char *away)
{
	if (sys_renameat(half, part, data, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EINVAL) { /* a file system that has only the plain one */
		if (faccessat(data, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return renameat(half, part, data, name);
		errno = EEXIST;
	}
	if (!away || errno != EEXIST)
		return -1;
	if (sys_renameat(half, part, data, name, RENAME_EXCHANGE) == 0)
		return 0;
	/* Undone below on failure; it is left behind only if this process is killed here. */
	if (errno != EINVAL || renameat(data, name, half, away) < 0)
		return -1;
	if (renameat(half, part, data, name) == 0)
		return 0;
	(void)renameat(half, away, data, name); /* the first error is the one to tell */
	return -1;
}

static int create(const char *image, const char *name, bool force, bool own_image, struct err *e)
{
	auto_close int data = -1, half = -1, dir = -1;
	auto_free char *real = NULL, *own = NULL, *part = NULL, *path = NULL, *away = NULL;
	struct stat st;
	struct err other;

	if (find_image(image, &real, &st, e) < 0)
		return -1;
	own = xstrdup(name ? name : strrchr(real, '/') + 1);
	if (!name && str_ends(own, ".sqsh"))
		own[strlen(own) - 5] = '\0';
	data = check_name(own, e) < 0 ? -1 : open_data(e);
	if (data < 0)
		return -1;
	path = path_of(own);
	if (!force && access(path, F_OK) == 0)
		return err_set(e, ERR_CONFLICT, "File already exists: %s", path);
	half = open_half(data, e);
	if (half < 0)
		return -1;
	part = half_of(own, "new");
	(void)state_remove_tree(half, part, &other); /* of a dead process which had our number */
	if (mkdirat(half, part, 0755) < 0)
		return err_sys(e, "mkdir %s", path);
	dir = openat(half, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0 || fill(dir, real, &st, own_image, e) < 0) {
		(void)state_remove_tree(half, part, &other); /* the first error is the one to tell */
		return dir < 0 ? err_sys(e, "open %s", path) : -1;
	}
	away = force ? half_of(own, "rm") : NULL;
	if (give_name(half, part, data, own, away) == 0) {
		/* The old one is out of sight; what cannot be removed now is removed by a later create. */
		(void)state_remove_tree(half, part, &other);
		if (force)
			(void)state_remove_tree(half, away, &other);
		return 0;
	}
	if (errno == EEXIST)
		(void)err_set(e, ERR_CONFLICT, "File already exists: %s", path);
	else
		(void)err_sys(e, "%s", path);
	(void)state_remove_tree(half, part, &other); /* as above */
	return -1;
}

int enroot_create(const char *image, const char *name, bool force, struct err *e)
{
	return create(image, name, force, false, e);
}

int enroot_create_own(const char *image, const char *name, bool force, struct err *e)
{
	return create(image, name, force, true, e);
}

int enroot_remove(const char *name, struct err *e)
{
	auto_free char *path = enroot_path(name, e);
	auto_close int data = path ? open_data(e) : -1;
	auto_close int half = data < 0 ? -1 : open_half(data, e);

	return half < 0 ? -1 : remove_at(data, half, name, e);
}

/* ---- find ---- */

/* The file where it was, unchanged, or the container's own. */
static int image_of(const char *path, const char *reference, char **image, struct err *e)
{
	auto_free char *own = xasprintf("%s/" ENROOT_OWN_IMAGE, path), *where = NULL;
	const char *line = strchr(reference, '\n'), *numbers;
	unsigned long long dev, ino;
	long long size, sec;
	long nsec;
	struct stat st;

	if (!line || !str_starts(reference, "1\n"))
		return err_set(e, ERR_CORRUPT,
			"%s/" ENROOT_REFERENCE ": not in a form that is known", path);
	/* The last line: a path may have several. */
	numbers = reference + strlen(reference) - 1;
	while (numbers > line && numbers[-1] != '\n')
		numbers--;
	if (numbers - line < 2 ||
		sscanf(numbers, "%llu %llu %lld %lld.%ld", &dev, &ino, &size, &sec, &nsec) != 5)
		return err_set(e, ERR_CORRUPT,
			"%s/" ENROOT_REFERENCE ": not in a form that is known", path);
	where = xstrndup(line + 1, (size_t)(numbers - line - 2));
	if (stat(own, &st) == 0) {
		*image = take(own);
	} else if (stat(where, &st) == 0) {
		*image = xstrdup(where);
	} else {
		return err_set(e, ERR_NOT_FOUND,
			"No such file or directory: %s (the image of %s; it is needed as long as the container is)",
			where, strrchr(path, '/') + 1);
	}
	if (st.st_size != size || st.st_mtim.tv_sec != sec || st.st_mtim.tv_nsec != nsec) {
		if (st.st_nlink > 1 || !str_ends(*image, "/" ENROOT_OWN_IMAGE)) {
			free(take(*image));
			return err_set(e, ERR_CONFLICT,
				"%s was written to since %s was created of it: remove "
				"and create the container again",
				where, strrchr(path, '/') + 1);
		}
	}
	return 0;
}

int enroot_find_container(const char *name, struct enroot_box *out, struct err *e)
{
	auto_free char *path = enroot_path(name, e), *file = NULL, *reference = NULL, *image = NULL;

	if (!path)
		return -1;
	file = xasprintf("%s/" ENROOT_REFERENCE, path);
	errno = 0;
	reference = sys_text(file);
	/* without one the directory itself is the root: not for want of a look */
	if (!reference && errno != ENOENT)
		return err_sys(e, "%s", file);
	if (reference && image_of(path, reference, &image, e) < 0)
		return -1;
	*out = (struct enroot_box){take(path), take(image)};
	return 0;
}

int enroot_find(const char *target, struct enroot_box *out, struct err *e)
{
	auto_free char *image = NULL;

	if (*target && enroot_is_image(target)) {
		image = realpath(target, NULL);
		if (!image)
			return err_sys(e, "%s", target);
		*out = (struct enroot_box){NULL, take(image)};
		return 0;
	}
	return enroot_find_container(target, out, e);
}
