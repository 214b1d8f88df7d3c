/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"
#include "tap.h"

#include "str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct job {
	long files, find_fails, use_fails, settles; /* how many; the number of one, or -1 */
	long used, found, late;
	bool in_order;
};

static int find(struct ahead *a, void *context, struct err *e)
{
	struct job *j = context;

	for (j->found = 0; j->found < j->files; j->found++) {
		struct found f = {.entry = {.type = TAR_FILE, .size = j->found, .path = xstrdup("f")},
			.fd = open("/dev/null", O_RDONLY | O_CLOEXEC)};

		if (j->found == j->find_fails)
			tar_entry_done(&f.entry);
		if (j->found == j->find_fails)
			return close(f.fd), err_set(e, ERR_SYSTEM, "not found");
		if (j->found == j->settles && ahead_settle(a, e) < 0)
			return tar_entry_done(&f.entry), close(f.fd), -1;
		if (j->found == j->settles)
			j->late = j->found - j->used;
		if (ahead_give(a, &f, e) < 0)
			return -1;
	}
	return 0;
}

static int use(struct found *f, void *context, struct err *e)
{
	struct job *j = context;

	if (f->entry.size != j->used || f->fd < 0)
		j->in_order = false;
	if (j->used == j->use_fails)
		return err_set(e, ERR_SYSTEM, "of no use");
	j->used++;
	return 0;
}

static long open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	long n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static struct job run(long files, long find_fails, long use_fails, long settles, const char *why)
{
	struct job j = {files, find_fails, use_fails, settles, .in_order = true};
	long before = open_files();
	struct err e = {0};
	int result = ahead(find, use, &j, &e);

	ok(result == (*why ? -1 : 0), *why ? "it fails" : "it succeeds");
	is_str(e.text, why, "for that reason");
	ok(j.in_order, "in order");
	is_int(open_files(), before, "nothing stays open");
	return j;
}

int main(void)
{
	static const long sizes[] = {0, 1, 63, 64, 65, 255, 256, 257, 5000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		is_int(run(sizes[i], -1, -1, -1, "").used, sizes[i], "all are used");
	for (size_t i = 1; i < sizeof(sizes) / sizeof(*sizes); i++) {
		long last = sizes[i] - 1;
		struct job j;

		is_int(run(sizes[i], last, -1, -1, "not found").used, last, "what was found is used");
		is_int(run(sizes[i], -1, last, -1, "of no use").used, last, "no more is used");
		is_int(run(sizes[i], -1, -1, last, "").late, 0, "all were used when it settled");
		j = run(sizes[i], last, last / 2, -1, last ? "of no use" : "not found");
		is_int(j.used, last / 2, "the first failure is the one that is told");
	}
	is_int(run(5000, -1, 0, -1, "of no use").used, 0, "nothing is used");
	ok(run(1000000, -1, 10, -1, "of no use").found < 1000, "and soon nothing is looked for");
	return done_testing();
}
