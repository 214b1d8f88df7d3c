/* SPDX-License-Identifier: Apache-2.0 */
/* life_dir: in which runtime directory a container's life file and socket are: ours, or the one that its supervisor had. */
#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const int dir_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

int state_runtime_dir(const struct store *s, struct err *e)
{
	int fd = openat(s->runtime, "c", dir_flags);

	if (fd < 0 && errno == ENOENT) {
		if (statedir_make(s->runtime, "c", e) < 0)
			return -1;
		fd = openat(s->runtime, "c", dir_flags);
	}
	return fd < 0 ? err_sys(e, "open %s/c", s->runtime_path) : fd;
}

/* As store.h has it of our own. */
static bool is_ours(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077);
}

void state_note_runtime(const struct store *s, struct state *st)
{
	if (!st->extra)
		st->extra = json_object();
	(void)json_object_set_new(st->extra, "runtime", json_string(s->runtime_path)); /* memory */
}

int state_runtime_elsewhere(const struct store *s, const char *id)
{
	auto_state struct state st = {0};
	auto_close int runtime = -1;
	const char *path = NULL;
	struct err gone;

	if (str_is_hex(id, ID_LEN) && statedir_read(s, id, true, &st, &gone) == 0)
		path = json_str(st.extra, "runtime", NULL);
	if (!path || *path != '/' || str_eq(path, s->runtime_path))
		return -1;
	if (!state_runs(&st) || state_is_here(&st, &gone) < 0)
		return -1;
	runtime = open(path, dir_flags | O_NONBLOCK);
	return runtime >= 0 && is_ours(runtime) ? openat(runtime, "c", dir_flags) : -1;
}
