/* SPDX-License-Identifier: Apache-2.0 */
/* image_store: the lock of the image store, and references: writing them, `image tag`. */
#include "image_files.h"
#include "ref.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

int image_lock(const struct store *s, struct err *e)
{
	auto_close int fd = store_dir(s, "images", e);

	if (fd < 0)
		return -1;
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_sys(e, "lock %s/images", s->root_path);
	return take_fd(&fd);
}

int image_ref_write(const struct store *s, const char *familiar, const char *hex, struct err *e)
{
	auto_free char *name = image_ref_file(familiar), *text = xasprintf("sha256:%s\n", hex);
	auto_free char *temporary = xasprintf(".new.%d", (int)getpid());
	auto_close int dir = store_dir(s, "refs", e), fd = -1;
	ssize_t n = (ssize_t)strlen(text);

	if (dir < 0)
		return -1;
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		(void)err_sys(e, "create the reference %s", familiar);
		return store_ctx(s, e);
	}
	/* Images are on the disk when they have a name. After a power cut an empty reference would hide the one before. */
	if (write(fd, text, (size_t)n) != n || fsync(fd) < 0 ||
		renameat(dir, temporary, dir, name) < 0 || fsync(dir) < 0) {
		(void)err_sys(e, "write the reference %s", familiar);
		(void)unlinkat(dir, temporary, 0); /* the writing has failed already */
		return store_ctx(s, e);
	}
	return 0;
}

int image_tag(const struct store *s, const char *id, const char *ref, struct err *e)
{
	auto_free char *familiar = ref_familiar(ref, e), *doomed = NULL;
	auto_image struct image i = {0};
	auto_close int lock = -1;

	if (!familiar)
		return -1;
	lock = image_lock(s, e);
	if (lock < 0 || image_load(s, str_starts(id, "sha256:") ? id + 7 : id, &i, e) < 0)
		return -1;
	doomed = xasprintf("images/%s/doomed", i.id + 7);
	if (unlinkat(s->root, doomed, 0) < 0 && errno != ENOENT)
		return err_sys(e, "image %.12s", i.id + 7);
	return image_ref_write(s, familiar, i.id + 7, e);
}

bool image_is_called(const struct store *s, const char *name, const char *id)
{
	struct err unused;
	auto_free char *familiar = ref_familiar(name, &unused);
	char hex[SHA256_HEX + 1];

	return familiar && str_starts(id, "sha256:") && image_by_ref(s, familiar, hex) &&
	       str_eq(hex, id + strlen("sha256:"));
}
