/* SPDX-License-Identifier: Apache-2.0 */
#include "size.h"

#include "deck.h"
#include "deck_file.h"
#include "stage.h"
#include "statedir.h"
#include "sys.h"
#include "weigh.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#define NAME "sizes"
#define FORM 0x73627873697a6531ULL

enum { MANY = 64 };

/* Of many containers nothing was ever written: that is seen for the third of what walking costs. */
static bool is_empty(int at, const char *path)
{
	auto_close int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	char room[1024] __attribute__((aligned(8)));
	size_t names = 0;
	ssize_t n = 0;

	while (dir >= 0 && names <= 2 && (n = sys_getdents(dir, room, sizeof(room))) > 0)
		for (ssize_t i = 0; i < n; i += ((struct dirent *)(void *)(room + i))->d_reclen)
			names++; /* itself and the one above are always there */
	return dir >= 0 && n == 0 && names <= 2;
}

int64_t container_size(const struct store *s, const char *id)
{
	char name[sizeof("containers//upper") + ID_LEN];
	auto_free char *upper = NULL, *ours = NULL;
	int64_t all, own;

	(void)snprintf(name, sizeof(name), "containers/%s/upper", id); /* fits */
	if (is_empty(s->root, name))
		return 0;
	upper = xasprintf("%s/%s", s->root_path, name);
	ours = xasprintf("%s/" STAGE_APT_FILE, upper); /* launch puts it there */
	all = weigh(upper);
	own = all < 0 ? -1 : weigh(ours);
	return own < 0 ? -1 : all - own;
}

/* ---- many ---- */

struct record {
	uint64_t inode;
	int64_t sec, nsec, bytes;
};

/* One to be weighed, and whether its size may be kept. */
struct job {
	struct sized *of;
	bool stands;
};

struct jobs {
	const struct store *s;
	struct job *v;
	size_t n;
};

/* Nobody is at work in it. Who begins after this question changes the sign of its directory. */
static bool stands(const struct store *s, const struct state *st)
{
	auto_close int dir = -1;

	if (state_runs(st) || !st->sign.inode)
		return false;
	dir = statedir_open(s, "", st->id);
	return dir >= 0 && statedir_flock(dir, LOCK_SH | LOCK_NB) == 0;
}

static void *work(void *arg)
{
	const struct jobs *j = arg;

	for (size_t i = 0; i < j->n; i++) {
		struct sized *of = j->v[i].of;

		j->v[i].stands = stands(j->s, of->st);
		of->bytes = container_size(j->s, of->st->id);
		j->v[i].stands &= of->bytes >= 0;
	}
	return NULL;
}

/* By two threads if there are many: nearly all the time is spent in the kernel, looking into directories. */
static void weigh_all(const struct jobs *j)
{
	struct jobs first = *j, second = *j;
	pthread_t other;
	bool helped;

	first.n = j->n > MANY ? j->n / 2 : j->n;
	second.v += first.n;
	second.n -= first.n;
	helped = second.n && pthread_create(&other, NULL, work, &second) == 0;
	(void)work(&first);
	if (helped)
		(void)pthread_join(other, NULL); /* it was made just now */
	else
		(void)work(&second);
}

static int by_inode(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static struct record record_of(const struct sized *of)
{
	const struct sign *sign = &of->st->sign;

	return (struct record){sign->inode, sign->changed.tv_sec, sign->changed.tv_nsec, of->bytes};
}

static bool known(const struct record *all, size_t n, struct sized *of)
{
	struct record want = record_of(of);
	const struct record *is = n && want.inode ? bsearch(&want, all, n, sizeof(*all), by_inode) : NULL;

	if (!is || is->sec != want.sec || is->nsec != want.nsec)
		return false;
	of->bytes = is->bytes;
	return true;
}

/* How many will most likely be kept: the clock is this machine's, and not the file system's. */
static size_t to_keep(const struct jobs *fresh)
{
	struct timespec now;
	size_t n = 0;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	for (size_t i = 0; i < fresh->n; i++)
		n += fresh->v[i].stands && deck_settled(&fresh->v[i].of->st->sign, &now);
	return n;
}

static void keep(const struct store *s, struct record *all, size_t n, const struct jobs *fresh,
	int64_t began_ns)
{
	struct timespec now;
	auto_close int fd = deck_file_begin(s, NAME, began_ns, &now);
	struct buf body = {0};

	if (fd < 0)
		return;
	for (size_t i = 0; i < fresh->n; i++)
		if (fresh->v[i].stands && deck_settled(&fresh->v[i].of->st->sign, &now))
			all[n++] = record_of(fresh->v[i].of);
	if (n)
		qsort(all, n, sizeof(*all), by_inode);
	body.s = (char *)all;
	body.len = n * sizeof(*all);
	deck_file_end(s, NAME, FORM, fd, &body);
}

void container_sizes(const struct store *s, struct sized *list, size_t n, int64_t began_ns)
{
	auto_free struct record *all = xcalloc(n + 1, sizeof(*all));
	auto_free struct job *v = xcalloc(n + 1, sizeof(*v));
	struct jobs fresh = {s, v, 0};
	size_t len = 0, drawn = 0, useful;
	auto_free char *text = n > MANY ? deck_file_read(s, NAME, FORM, &len) : NULL;

	for (size_t i = 0; i < n; i++) {
		if (known((const struct record *)(const void *)text, len / sizeof(*all), &list[i]))
			all[drawn++] = record_of(&list[i]);
		else
			v[fresh.n++] = (struct job){.of = &list[i]};
	}
	weigh_all(&fresh);
	useful = to_keep(&fresh);
	if (useful > MANY && useful >= n / 16)
		keep(s, all, drawn, &fresh, began_ns);
}

void container_sizes_forget(const struct store *s)
{
	(void)unlinkat(s->root, NAME, 0); /* nearly always there is none */
}
