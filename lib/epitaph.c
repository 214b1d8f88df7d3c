/* SPDX-License-Identifier: Apache-2.0 */
#include "epitaph.h"

#include "auto.h"
#include "state.h"
#include "statedir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define KEEP_S 300

static int open_gone(const struct store *s)
{
	return openat(s->runtime, "gone", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int forget_old(const struct dirent *d, void *arg, struct err *e)
{
	int dir = *(int *)arg;
	struct stat st;

	(void)e;
	if (fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_mtime > KEEP_S)
		(void)unlinkat(dir, d->d_name, 0); /* or another process has removed it */
	return 0;
}

static void sweep(const struct store *s, int dir)
{
	struct err ignored; /* what cannot be removed now is removed another time */

	(void)statedir_each(s->runtime, "gone", forget_old, &dir, &ignored);
}

void epitaph_begin(const struct store *s)
{
	auto_close int dir = -1;
	struct err ignored; /* then it is not known, as before */

	if (statedir_make(s->runtime, "gone", &ignored) == 0 && (dir = open_gone(s)) >= 0)
		sweep(s, dir);
}

void epitaph_write(const struct store *s, const char *id, int exit_code)
{
	auto_close int dir = open_gone(s);
	char code[16];

	if (dir < 0)
		return;
	(void)snprintf(code, sizeof(code), "%d", exit_code); /* fits */
	(void)symlinkat(code, dir, id);                      /* is there: it cannot end twice */
	if (str_starts(id, "00"))
		sweep(s, dir); /* one of 256 does it for all */
}

bool epitaph_read(const struct store *s, const char *id, int *exit_code)
{
	auto_close int dir = open_gone(s);
	char code[16], *end;
	ssize_t n;

	if (dir < 0 || !str_is_hex(id, ID_LEN))
		return false;
	n = readlinkat(dir, id, code, sizeof(code) - 1);
	if (n <= 0)
		return false;
	code[n] = '\0';
	*exit_code = (int)strtol(code, &end, 10);
	return !*end;
}
