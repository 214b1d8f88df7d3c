/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* How much the machine's sums must have changed before processes are examined. */
#define CHANGE (1 << 20)
/* Of the time, at most one in so many is spent with counting small changes. */
#define SHARE 100
/* A pause waits twice as long for the watch to let go of whom it has stopped. */
#define COUNT_MAX_NS 5000000000
/* Enough for the table of segments, which with the kernel's default of 4096 takes half of it. */
#define SEGMENTS_MAX (1 << 20)

#define DONT_ASK 0x4000 /* AT_STATX_DONT_SYNC, which fstatat() has as well, and musl no name for */

struct found {
	const struct watch *w;
	ino_t *inodes; /* that are counted already */
	size_t n;
	int64_t bytes;
	bool by_key; /* segments with a key are counted, as the table has all of them, attached or not */
	bool in_flight; /* a socket holds descriptors that no process has received yet */
	bool victims;   /* whether to count the victims, or all other processes */
};

/* Descriptors in a socket's queue can be examined only by processes that receive them. */
static bool holds_files(int dir, const char *number)
{
	char path[32], text[1024];
	const char *at;

	(void)snprintf(path, sizeof(path), "fdinfo/%.15s", number); /* fits */
	at = sys_get(dir, path, text, sizeof(text)) > 0 ? strstr(text, "scm_fds:") : NULL;
	return at && strtol(at + strlen("scm_fds:"), NULL, 10) > 0;
}

/* Files of memfd_create() need not be mapped, so that no process's counters include them. This cannot block: the text
 * of a link in /proc needs no file system, and a file on FUSE, whose server may be a snare or ours to restart, can be in a
 * directory of such a name, but its server is not asked. */
static int64_t add_files(struct watch *w, int dir, struct found *f)
{
	int fds = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fds < 0 ? NULL : fdopendir(fds);
	int64_t bytes = 0;

	if (!d) {
		auto_close_(&fds);
		return 0;
	}
	for (struct dirent *at; !watch_is_late(w) && (at = readdir(d)) != NULL;) {
		char to[16];
		struct stat st;
		size_t i = 0;

		if (*at->d_name == '.' ||
			readlinkat(fds, at->d_name, to, sizeof(to)) < (ssize_t)sizeof("/memfd:"))
			continue;
		if (strncmp(to, "socket:", strlen("socket:")) == 0 && holds_files(dir, at->d_name))
			f->in_flight = true;
		if (strncmp(to, "/memfd:", strlen("/memfd:")) != 0 ||
			fstatat(fds, at->d_name, &st, DONT_ASK) < 0 || st.st_dev != f->w->shm.dev)
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

/* Segments that are not attached are in no process's counters, and live until somebody removes them. */
static void add_segments(struct found *f)
{
	auto_free char *text = f->w->sysv[WATCH_SHM] < 0 ? NULL : xcalloc(1, SEGMENTS_MAX);
	ssize_t n, len = 0;

	if (!text)
		return;
	while (len < SEGMENTS_MAX - 1 &&
		(n = pread(f->w->sysv[WATCH_SHM], text + len, SEGMENTS_MAX - 1 - (size_t)len, len)) > 0)
		len += n;
	f->by_key = true;
	for (char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		unsigned long long resident, swapped;

		if (sscanf(line + 1, " %*d %*d %*o %*u %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %llu %llu",
			    &resident, &swapped) == 2)
			f->bytes += (int64_t)(resident + swapped);
	}
}

/* Shared mappings without a file, and those whose memfd is closed: the proportional share of each. shared: of all of them. */
static int64_t add_mappings(struct watch *w, int dir, int64_t shared, struct found *f)
{
	FILE *maps = watch_walk_over(w, dir, "smaps");
	auto_free char *line = NULL;
	size_t size = 0;
	int64_t bytes = 0, keyed = 0;
	bool told = false, ours = false, by_key = false;

	while (maps && !w->late && getline(&line, &size, maps) > 0) {
		unsigned long long from, to, inode;
		unsigned int major, minor;
		int name = 0;

		told = true;
		if (sscanf(line, "%llx-%llx %*s %*x %x:%x %llu %n", &from, &to, &major, &minor,
			    &inode, &name) == 5) {
			ours = makedev(major, minor) == f->w->shm.dev && !is_counted(f, inode);
			by_key = f->by_key && str_starts(line + name, "/SYSV"); /* a memfd's begins with /memfd: */
			(void)watch_is_late(w);
		} else if (ours && (str_starts(line, "Pss:") || str_starts(line, "SwapPss:")))
			*(by_key ? &keyed : &bytes) += watch_field(line, "ss:");
	}
	/* A program that may not be read; or that has too many of them: what it has at most. */
	if (w->late || (!told && !w->blind && watch_mapped(dir) > 0))
		bytes = shared;
	if (maps)
		(void)fclose(maps); /* only read from */
	if (!w->late)               /* else all that is new in the machine counts */
		f->bytes += bytes;
	return bytes + keyed;
}

static void add_process(struct watch *w, const char *process, void *arg)
{
	struct watch_known *k = watch_known(w, process);
	struct found *f = arg;
	auto_close int dir = -1;
	char text[4096];
	int64_t bytes, shared;

	if (watch_is_late(w) || watch_is_victim(w, process) != f->victims)
		return;
	dir = watch_open(w, process);
	if (dir < 0 || (w->ns && !watch_is_ours(w, dir)))
		return;
	bytes = add_files(w, dir, arg);
	if (sys_get_status(dir, "status", text, sizeof(text)) > 0 &&
		(shared = watch_field(text, "\nRssShmem:")) > 0)
		bytes += add_mappings(w, dir, shared, arg);
	if (!k)
		return;
	if (k->shm >= 0)
		k->grew += bytes - k->shm;
	k->shm = bytes;
}

/* A thread may have descriptors of its own (CLOSE_RANGE_UNSHARE). */
static void add_threads(struct watch *w, const char *process, void *arg)
{
	struct watch_known *k = watch_known(w, process);
	struct found *f = arg;
	auto_strv struct strv threads = {0};
	auto_close int all = -1, task = -1;
	int64_t before = f->bytes;

	if (w->late || watch_is_victim(w, process) || watch_threads(w, process) == 0)
		return;
	all = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (all < 0 || (w->ns && !watch_is_ours(w, all)))
		return;
	task = openat(all, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (task < 0 || sys_names(task, &threads) < 0)
		return;
	for (size_t i = 0; i < threads.n && !watch_is_late(w); i++) {
		auto_close int dir = openat(task, threads.v[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0)
			(void)add_files(w, dir, f);
	}
	if (k && k->shm >= 0)
		k->shm += f->bytes - before;
}

static bool changed(int64_t now, int64_t then)
{
	return now - then >= CHANGE || then - now >= CHANGE;
}

/* A line of one of the kernel's tables is shorter than that: there are more when less room was left. */
#define LINE_ROOM 512

/* The sum of column `column` of a table, times `bytes`, and `each` for a line. */
static int64_t add_table(int table, int column, int64_t bytes, int64_t each)
{
	char text[4096];
	int64_t sum = 0, value = 0;
	off_t at = 0;
	ssize_t n;
	int line = 0, in = 0;
	bool digit = false;

	do {
		n = table < 0 ? -1 : pread(table, text, sizeof(text), at);
		for (ssize_t i = 0; i < n; i++) {
			bool is = text[i] >= '0' && text[i] <= '9';

			in += is && !digit;
			if (is && line > 0 && in == column)
				value = value * 10 + (text[i] - '0');
			digit = is;
			if (text[i] != '\n')
				continue;
			sum += line > 0 ? value * bytes + each : 0;
			value = in = 0;
			line++;
		}
		at += n;
	} while (n > (ssize_t)sizeof(text) - LINE_ROOM);
	return sum;
}

/* What the kernel takes for a file in memory and for each of its attributes, by its own count; for a semaphore; for a queue
 * or set. */
#define FILE_BYTES      1024
#define SEMAPHORE_BYTES 64
#define QUEUE_BYTES     256

int64_t watch_files(struct watch *w)
{
	int64_t sum = 0, objects = 0;

	for (size_t i = 0; i < w->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(w->tmpfs[i], &st) < 0)
			continue;
		sum += (int64_t)(st.f_blocks - st.f_bfree) * st.f_bsize;
		objects += (int64_t)(st.f_files - st.f_ffree) * FILE_BYTES;
	}
	objects += add_table(w->sysv[WATCH_MSG], 4, 1, QUEUE_BYTES);
	objects += add_table(w->sysv[WATCH_SEM], 4, SEMAPHORE_BYTES, QUEUE_BYTES);
	w->files = sum;
	w->objects = objects;
	return sum + objects;
}

/* How long counting may take until the limit could be passed by what is new in the machine, whoever it belongs to. */
static int64_t time_left(const struct watch *w, int64_t machine)
{
	int64_t more = machine - w->shm.machine - (w->files - w->shm.files);
	int64_t left =
		w->memory - w->own - w->files - w->objects - w->shm.bytes - (more > 0 ? more : 0);

	return left > 0 ? left / w->per_ns : 0;
}

/* Each thread is asked only where the machine has more that was not found. False: it took too long, and not all was found. */
static bool count(struct watch *w, struct found *f, int64_t machine, int64_t most_ns)
{
	free(take(f->inodes));
	*f = (struct found){.w = w};
	watch_begin_walk(w, most_ns);
	add_segments(f);
	w->shm.sysv = f->bytes;
	watch_each(w, add_process, f);
	if (machine - w->files - f->bytes > w->shm.base)
		watch_each(w, add_threads, f);
	return !w->late;
}

static void count_victims(struct watch *w, struct found *f)
{
	f->victims = true;
	watch_begin_walk(w, COUNT_MAX_NS);
	if (w->n_victims > 0)
		watch_each(w, add_process, f);
}

/* What was not found because it took too long, and descriptors in flight, cannot be examined. So everything new since the last
 * count in which all was counts as the container's, even if it may be another's; that only affects a container that leaves
 * them in flight for long, or has so many mappings. */
static void add_unseen(struct watch *w, int64_t machine, bool all, struct found *f)
{
	int64_t others = machine - w->files - f->bytes;

	if (all && !f->in_flight)
		w->shm.base = others;
	else if (others > w->shm.base)
		f->bytes += others - w->shm.base;
}

static void count_shm(struct watch *w, int64_t machine)
{
	struct watch_shm *s = &w->shm;
	struct found f = {0};
	int64_t began = sys_now_ns(), time = s->stale ? 0 : time_left(w, machine), living;
	bool all;

	if (!s->stale && began < s->not_before && machine - s->machine < w->memory / 8 &&
		s->machine - machine < w->memory / 8)
		return;
	/* All are stopped until it is known, as many processes might allocate faster than we count. */
	all = time > 0 && count(w, &f, machine, time);
	if (!all) {
		(void)watch_hold(w, WATCH_HOLD_ALL); /* a pause stops them, too */
		all = count(w, &f, machine, COUNT_MAX_NS);
	}
	living = f.bytes;
	count_victims(w, &f);
	s->dying = f.bytes - living;
	add_unseen(w, machine, all, &f);
	living = f.bytes - s->dying;
	free(f.inodes);
	if (living != s->bytes)
		w->idle = false;
	s->bytes = living;
	s->stale = false;
	s->machine = machine;
	s->files = w->files;
	s->not_before = began + SHARE * (sys_now_ns() - began);
}

int64_t watch_all_shared(void)
{
	struct sysinfo m;

	return sysinfo(&m) < 0 ? 0 : (int64_t)(m.sharedram * m.mem_unit);
}

void watch_count_shm(struct watch *w)
{
	(void)watch_files(w);
	w->shm.stale = true;
	count_shm(w, watch_all_shared());
}

/* Threads are not counted while the machine has about as many tasks as before; except now and then, as others' tasks
 * may end while ours begin. */
#define TASKS_MORE 32
#define LOOKS_MOST 64

static void look_at_tasks(struct watch *w, unsigned short tasks)
{
	int more = (int16_t)(unsigned short)(tasks - w->tasks.at_threads);

	w->tasks.count_threads =
		more >= TASKS_MORE || more <= -TASKS_MORE || w->tasks.looks++ % LOOKS_MOST == 0;
	if (w->tasks.count_threads)
		w->tasks.at_threads = tasks;
	more = (int16_t)(unsigned short)(tasks - w->tasks.at_pids);
	w->tasks.count_pids =
		w->pids && (!w->each_id || w->tasks.pids + more > w->pids || w->tasks.count_threads);
	if (w->tasks.count_pids)
		w->tasks.at_pids = tasks;
}

void watch_look_at_machine(struct watch *w)
{
	struct watch_shm *s = &w->shm;
	struct sysinfo m;
	int64_t shared, swap;

	w->swap.moved = false;
	if (sysinfo(&m) < 0)
		return;
	look_at_tasks(w, m.procs);
	swap = (int64_t)((m.totalswap - m.freeswap) * m.mem_unit);
	w->swap.moved = changed(swap, w->swap.used);
	if (w->swap.moved)
		w->swap.used = swap;
	shared = (int64_t)(m.sharedram * m.mem_unit);
	(void)watch_files(w);
	if (shared == s->seen && w->idle_for > 0 && !s->stale)
		return; /* nothing was written anywhere */
	s->seen = shared;
	/* What changed may all be in its own file systems, which are counted anyway. */
	if (s->dev && ((s->stale && s->bytes > 0) ||
			      (changed(shared, s->machine) &&
				      changed(shared - s->machine, w->files - s->files))))
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
	(void)watch_files(w);
	w->shm.files = w->files;
	w->shm.base = w->shm.machine - w->files;
}
