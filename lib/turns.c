/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { HOLDING, PAUSING }; /* bytes of the file, which is empty */

#define NAPS \
	10000 /* of a millisecond: to look at much memory takes long, and the watch gives way only afterwards */

static struct flock lock_on(short type, off_t byte)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

/* As many as want to have the same byte at a time. */
static void take_byte(int turns, off_t byte)
{
	struct flock shared = lock_on(F_RDLCK, byte);

	(void)fcntl(turns, F_SETLK, &shared); /* where there are no locks everybody has his turn at once */
}

/* Whether another process has it. */
static bool is_taken(int turns, off_t byte)
{
	struct flock other = lock_on(F_WRLCK, byte);

	return fcntl(turns, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
}

int turns_open(const struct store *s)
{
	return openat(s->runtime, "turns", O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool turns_hold(int turns)
{
	if (turns < 0)
		return true;
	take_byte(turns, HOLDING);
	return !is_taken(turns, PAUSING);
}

void turns_let_go(int turns)
{
	struct flock none = lock_on(F_UNLCK, HOLDING);

	if (turns >= 0)
		(void)fcntl(turns, F_SETLK, &none); /* of one's own lock: cannot fail */
}

int turns_pause(int turns, struct err *e)
{
	if (turns < 0)
		return 0;
	take_byte(turns, PAUSING);
	for (int i = 0; i < NAPS; i++) {
		if (!is_taken(turns, HOLDING))
			return 0;
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* a shorter one is as good */
	}
	return err_set(e, ERR_SYSTEM, "the watch over memory does not let its processes go on");
}
