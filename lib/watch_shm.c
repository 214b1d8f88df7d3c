/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* The machine's sums must have changed by so much before anybody is asked for his part. */
#define CHANGE (1 << 20)
/* Of the time, at most one in so many is spent with counting small changes. */
#define SHARE 100
/* Of the table of segments: 4096 of them, the kernel's default, are half of it. */
#define SEGMENTS_MAX (1 << 20)

struct found {
	const struct watch *w;
	ino_t *inodes; /* that are counted already */
	size_t n;
	int64_t bytes;
	bool by_key; /* so is what has a key: the table has all of it, attached or not */
};

/* Files of memfd_create() need not be mapped, so no process's numbers have them. Who is asked answers from memory: a
 * link's text needs no file system, and these are none of FUSE, whose server may be what we are to start again. */
static int64_t add_files(int dir, struct found *f)
{
	int fds = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fds < 0 ? NULL : fdopendir(fds);
	int64_t bytes = 0;

	if (!d) {
		auto_close_(&fds);
		return 0;
	}
	for (struct dirent *at; (at = readdir(d)) != NULL;) {
		char to[16];
		struct stat st;
		size_t i = 0;

		if (*at->d_name == '.' ||
			readlinkat(fds, at->d_name, to, sizeof(to)) < (ssize_t)sizeof("/memfd:") ||
			strncmp(to, "/memfd:", strlen("/memfd:")) != 0 ||
			fstatat(fds, at->d_name, &st, 0) < 0 || st.st_dev != f->w->shm.dev)
			continue;
		bytes += (int64_t)st.st_blocks * 512;
		while (i < f->n && f->inodes[i] != st.st_ino)
			i++;
		if (i < f->n)
			continue; /* of another descriptor or process, which has it too */
		f->inodes = xrealloc(f->inodes, f->n + 1, sizeof(*f->inodes));
		f->inodes[f->n++] = st.st_ino;
		f->bytes += (int64_t)st.st_blocks * 512;
	}
	(void)closedir(d); /* only read from */
	return bytes;
}

static bool is_counted(const struct found *f, ino_t inode)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->inodes[i] == inode)
			return true;
	return false;
}

/* Segments that are attached nowhere are in no process's numbers, and live until somebody removes them. */
static void add_segments(struct found *f)
{
	auto_free char *text = f->w->sysv < 0 ? NULL : xcalloc(1, SEGMENTS_MAX);
	ssize_t n, len = 0;

	if (!text)
		return;
	while (len < SEGMENTS_MAX - 1 &&
		(n = pread(f->w->sysv, text + len, SEGMENTS_MAX - 1 - (size_t)len, len)) > 0)
		len += n;
	f->by_key = true;
	for (char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		unsigned long long resident, swapped;

		if (sscanf(line + 1, " %*d %*d %*o %*u %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %llu %llu",
			    &resident, &swapped) == 2)
			f->bytes += (int64_t)(resident + swapped);
	}
}

/* Shared mappings without a file, and those whose memfd is closed: the proportional set of each. */
static int64_t add_mappings(int dir, struct found *f)
{
	int fd = openat(dir, "smaps", O_RDONLY | O_CLOEXEC);
	FILE *maps = fd < 0 ? NULL : fdopen(fd, "re");
	auto_free char *line = NULL;
	size_t size = 0;
	int64_t bytes = 0, keyed = 0;
	bool ours = false, by_key = false;

	if (!maps) {
		auto_close_(&fd);
		return 0;
	}
	while (getline(&line, &size, maps) > 0) {
		unsigned long long from, to, inode;
		unsigned int major, minor;

		if (sscanf(line, "%llx-%llx %*s %*x %x:%x %llu", &from, &to, &major, &minor, &inode) == 5) {
			ours = makedev(major, minor) == f->w->shm.dev && !is_counted(f, inode);
			by_key = f->by_key && strstr(line, " /SYSV");
		} else if (ours && (str_starts(line, "Pss:") || str_starts(line, "SwapPss:")))
			*(by_key ? &keyed : &bytes) += watch_field(line, "ss:");
	}
	(void)fclose(maps); /* only read from */
	f->bytes += bytes;
	return bytes + keyed;
}

static void add_process(struct watch *w, const char *process, void *arg)
{
	auto_close int dir = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct watch_known *k = watch_known(w, process);
	char text[4096];
	int64_t bytes;

	if (dir < 0 || (w->ns && !watch_is_ours(w, dir)))
		return;
	bytes = add_files(dir, arg);
	if (sys_get(dir, "status", text, sizeof(text)) > 0 && watch_field(text, "\nRssShmem:") > 0)
		bytes += add_mappings(dir, arg);
	if (k)
		k->shm = bytes;
}

static bool changed(int64_t now, int64_t then)
{
	return now - then >= CHANGE || then - now >= CHANGE;
}

int64_t watch_files(struct watch *w)
{
	int64_t sum = 0;

	for (int i = 0; i < w->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(w->tmpfs[i], &st) == 0)
			sum += (int64_t)(st.f_blocks - st.f_bfree) * st.f_bsize;
	}
	w->files = sum;
	return sum;
}

static void count_shm(struct watch *w, int64_t machine)
{
	struct watch_shm *s = &w->shm;
	struct found f = {.w = w};
	int64_t began = sys_now_ns();

	if (began < s->not_before && machine - s->machine < w->memory / 8)
		return;
	add_segments(&f);
	s->sysv = f.bytes;
	watch_each(w, add_process, &f);
	free(f.inodes);
	if (f.bytes != s->bytes)
		w->idle = false;
	s->bytes = f.bytes;
	s->machine = machine;
	s->files = w->files;
	s->not_before = began + SHARE * (sys_now_ns() - began);
}

void watch_look_at_machine(struct watch *w)
{
	struct watch_shm *s = &w->shm;
	struct sysinfo m;
	int64_t shared, swap;

	w->swap_moved = false;
	if (sysinfo(&m) < 0)
		return;
	swap = (int64_t)((m.totalswap - m.freeswap) * m.mem_unit);
	w->swap_moved = changed(swap, w->swap);
	if (w->swap_moved)
		w->swap = swap;
	shared = (int64_t)(m.sharedram * m.mem_unit);
	if (shared == s->seen && w->idle_for > 0)
		return; /* nothing was written anywhere */
	s->seen = shared;
	(void)watch_files(w);
	/* What changed may all be in its own file systems, which are counted anyway. */
	if (s->dev && changed(shared, s->machine) && changed(shared - s->machine, w->files - s->files))
		count_shm(w, shared);
}

void watch_shm_begin(struct watch *w)
{
	auto_close int fd = memfd_create("sbx", MFD_CLOEXEC);
	struct sysinfo m;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || sysinfo(&m) < 0)
		return; /* without it shared memory is what tmpfs has */
	w->shm.dev = st.st_dev;
	w->shm.machine = (int64_t)(m.sharedram * m.mem_unit);
	w->shm.files = watch_files(w);
}
