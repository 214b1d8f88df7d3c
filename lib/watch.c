/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

/* Memory is written no faster than this by all processors together: a page fault clears its page. From
 * nothing on it begins more slowly: there must be processes to do it. */
#define BYTES_PER_NS      8
#define IDLE_BYTES_PER_NS 4
#define IDLE_DOUBLINGS    3 /* of the time between two looks, where nothing goes on for long */
#define PACE_MIN_NS       1000000
#define PACE_MAX_NS       250000000

/* A victim may take this long to give its memory back before all of them have to go. It takes no more meanwhile, but
 * on a busy machine it may not even get a processor to die on. */
#define VICTIM_NS 5000000000

/* Where the processes begin in a directory of procfs, behind everything else. */
#define FIRST_PROCESS 256

struct sum {
	int64_t bytes;
	uint64_t ticks;
	int64_t tasks;
	int64_t dying;    /* bytes of those that were killed */
	int64_t largest;  /* of one process */
	char process[16]; /* that one's number, as the container has it */
};

/* The number after "Name:" in a file of /proc, in bytes. */
static int64_t field_kb(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoll(at + strlen(name), NULL, 10) * 1024 : 0;
}

/* Pages which several processes share after a fork count once: by their proportional share. It costs a
 * walk over the page tables, so it is only asked for when the cheap sum is over the limit. */
static int64_t exact_memory(int dir)
{
	char text[2048];

	if (sys_get(dir, "smaps_rollup", text, sizeof(text)) <= 0)
		return 0; /* it has ended */
	return field_kb(text, "Pss_Anon:") + field_kb(text, "SwapPss:");
}

/* -1: it has ended. */
static int64_t quick_memory(int statm)
{
	char text[128];
	long size, resident, shared;
	ssize_t n = pread(statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	if (sscanf(text, "%ld %ld %ld", &size, &resident, &shared) != 3)
		return 0;
	return (int64_t)(resident - shared) * sysconf(_SC_PAGESIZE);
}

static bool is_victim(const struct watch *w, const char *process)
{
	for (int i = 0; i < w->n_victims; i++)
		if (str_eq(w->victims[i].process, process))
			return true;
	return false;
}

static void note_largest(const struct watch *w, struct sum *sum, int64_t bytes, const char *process)
{
	/* What the dying hold is as good as given back: to count it until a moment after they are
	 * forgotten would cost the next one his life. */
	if (is_victim(w, process)) {
		sum->dying += bytes;
		return;
	}
	sum->bytes += bytes;
	if (bytes < sum->largest)
		return;
	sum->largest = bytes;
	(void)snprintf(sum->process, sizeof(sum->process), "%.15s", process); /* a number fits */
}

static void add_tasks(int dir, struct sum *sum)
{
	char text[1024];
	unsigned long long user, system, child_user, child_system;
	const char *after;
	long tasks;

	if (sys_get(dir, "stat", text, sizeof(text)) < 0)
		return;
	after = strrchr(text, ')'); /* the name may hold anything */
	if (after && sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %ld",
			     &user, &system, &child_user, &child_system, &tasks) == 5) {
		sum->ticks += user + system + child_user + child_system;
		sum->tasks += tasks;
	}
}

static bool is_inside(const struct watch *w, int dir)
{
	struct stat st;

	return fstatat(dir, "ns/mnt", &st, 0) == 0 && st.st_ino == w->mounts.st_ino &&
	       st.st_dev == w->mounts.st_dev;
}

static void forget(struct watch *w, int i)
{
	(void)close(w->known[i].statm); /* only read from */
	w->known[i] = w->known[--w->n_known];
}

/* A file that stays open is read in a tenth of the time which finding it takes, and idle containers are
 * looked at, too. */
static int64_t memory_of(struct watch *w, const char *process)
{
	auto_free char *path = NULL;
	int64_t bytes;
	int fd;

	for (int i = 0; i < w->n_known; i++) {
		if (!str_eq(w->known[i].process, process))
			continue;
		bytes = quick_memory(w->known[i].statm);
		w->known[i].seen = true;
		if (bytes >= 0)
			return bytes;
		forget(w, i); /* another one has its number now, perhaps */
		break;
	}
	path = xasprintf("%s/statm", process);
	fd = openat(w->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* it has ended meanwhile */
	w->idle = false;
	bytes = quick_memory(fd);
	if (w->n_known == WATCH_KNOWN_MAX) {
		(void)close(fd); /* only read from */
	} else {
		struct watch_known *k = &w->known[w->n_known++];

		*k = (struct watch_known){.statm = fd, .seen = true};
		(void)snprintf(k->process, sizeof(k->process), "%.15s", process); /* a number fits */
	}
	return bytes < 0 ? 0 : bytes;
}

static void add_process(struct watch *w, const char *process, bool exact, struct sum *sum)
{
	auto_close int dir = -1;

	if (exact || w->shares_pids || w->cpu_ns || w->pids) {
		dir = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 || (w->shares_pids && !is_inside(w, dir)))
			return;
	}
	if (w->memory)
		note_largest(w, sum, exact ? exact_memory(dir) : memory_of(w, process), process);
	if (w->cpu_ns || w->pids)
		add_tasks(dir, sum);
	else
		sum->tasks++;
}

struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static void add_processes(struct watch *w, bool exact, struct sum *sum)
{
	char list[8192] __attribute__((aligned(8)));
	ssize_t n;

	for (int i = 0; i < w->n_known; i++)
		w->known[i].seen = exact;
	if (lseek(w->list, FIRST_PROCESS, SEEK_SET) < 0)
		return;
	while ((n = syscall(SYS_getdents64, w->list, list, sizeof(list))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct entry *one = (const struct entry *)(list + at);

			if (isdigit((unsigned char)one->name[0]))
				add_process(w, one->name, exact, sum);
			at += one->len;
		}
	for (int i = w->n_known; i-- > 0;)
		if (!w->known[i].seen)
			forget(w, i);
}

static int64_t tmpfs_bytes(const struct watch *w)
{
	int64_t sum = 0;

	for (int i = 0; i < w->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(w->tmpfs[i], &st) == 0)
			sum += (int64_t)(st.f_blocks - st.f_bfree) * st.f_bsize;
	}
	return sum;
}

void watch_begin(struct watch *w, const struct plan *p, const struct watch_for *what, int proc, pid_t pid)
{
	auto_free char *path = xasprintf("/proc/%d/root", (int)pid);
	auto_free char *mounts = xasprintf("/proc/%d/ns/mnt", (int)pid);
	auto_close int root = -1;

	*w = (struct watch){.proc = proc,
		.memory = what->memory ? p->memory : 0,
		.cpu_ns = p->cpu_time_ns,
		.pids = what->pids ? p->pids : 0,
		.shares_pids = !(p->namespaces & CLONE_NEWPID)};
	/* Nobody's are counted before those of everybody are. */
	if (w->shares_pids && stat(mounts, &w->mounts) < 0)
		w->proc = proc = -1;
	w->list = proc < 0 ? -1 : openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->list < 0)
		w->proc = -1;
	if (!w->memory || w->proc < 0)
		return;
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; root >= 0 && i < p->n_steps && w->n_tmpfs < WATCH_TMPFS_MAX; i++) {
		int fd;

		if (p->steps[i].kind != STEP_FS || strcmp(p->steps[i].src, "tmpfs") != 0)
			continue;
		fd = sys_openat2(root, p->steps[i].dst, O_PATH, RESOLVE_IN_ROOT);
		if (fd >= 0)
			w->tmpfs[w->n_tmpfs++] = fd;
	}
}

/* How long nothing can happen: the time it takes to fill what is left, and a part of the limit more, lest one who
 * lives close to it is looked at all the time. */
static int64_t pace(struct watch *w, int64_t left)
{
	int64_t ns = PACE_MAX_NS;

	w->idle_for = w->idle ? w->idle_for + (w->idle_for < IDLE_DOUBLINGS) : 0;
	if (w->memory)
		ns = w->idle ? ((left + w->memory / 4) / IDLE_BYTES_PER_NS) << w->idle_for
		             : (left + w->memory / 8) / BYTES_PER_NS;
	if (w->cpu_ns && ns > PACE_MAX_NS / 5 && !w->idle)
		ns = PACE_MAX_NS / 5;
	/* A fork takes some 50 us, and each of the new ones forks, too. */
	if (w->pids)
		ns = PACE_MIN_NS;
	return ns < PACE_MIN_NS ? PACE_MIN_NS : ns > PACE_MAX_NS ? PACE_MAX_NS : ns;
}

static void forget_victim(struct watch *w, int i)
{
	(void)close(w->victims[i].dir); /* only looked at */
	w->victims[i] = w->victims[--w->n_victims];
}

/* Forgets victims which have given their memory back; false when one takes too long. */
static bool await_victims(struct watch *w)
{
	char text[64];

	for (int i = w->n_victims; i-- > 0;) {
		const struct watch_victim *v = &w->victims[i];

		if (sys_get(v->dir, "statm", text, sizeof(text)) <= 0 || str_starts(text, "0 "))
			forget_victim(w, i);
		else if (sys_now_ns() - v->since > VICTIM_NS)
			return false;
	}
	return true;
}

/* A descriptor of a process's directory in /proc is as good as a pidfd, and the only one which
 * names a process of the container's pid namespace by the number that it has there. */
static void kill_process(struct watch *w, const struct sum *sum)
{
	struct watch_victim *v = &w->victims[w->n_victims];
	int dir = openat(w->proc, sum->process, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	w->killed = true;
	if (dir < 0)
		return; /* it has ended by itself */
	if (w->on_kill)
		w->on_kill(w->arg);
	(void)sys_pidfd_kill(dir, SIGKILL); /* likewise */
	*v = (struct watch_victim){.dir = dir, .since = sys_now_ns()};
	memcpy(v->process, sum->process, sizeof(v->process));
	w->n_victims++;
}

static enum verdict over(struct watch *w, const struct sum *sum, int64_t *next_ns)
{
	/* So many: single processes are not what it takes. */
	if (w->n_victims == WATCH_VICTIMS_MAX)
		return WATCH_OOM;
	kill_process(w, sum);
	*next_ns = sum->bytes - sum->largest > w->memory ? 1 : PACE_MIN_NS;
	return WATCH_FINE;
}

enum verdict watch_look(struct watch *w, int64_t *next_ns)
{
	struct sum sum = {0};
	int64_t used;

	*next_ns = 0;
	if (w->proc < 0 || (!w->memory && !w->cpu_ns && !w->pids))
		return WATCH_FINE;
	if (!await_victims(w))
		return WATCH_OOM;
	w->idle = w->n_victims == 0; /* until something new is seen */
	add_processes(w, false, &sum);
	if (sum.tasks > w->peak_pids)
		w->peak_pids = sum.tasks;
	if (w->pids && sum.tasks > w->pids)
		return WATCH_PIDS;
	used = sum.bytes + tmpfs_bytes(w);
	if (w->memory && used > w->memory) {
		struct sum exact = {0};

		add_processes(w, true, &exact);
		used = exact.bytes + tmpfs_bytes(w);
		if (used + exact.dying > w->peak)
			w->peak = used + exact.dying;
		if (used > w->memory) {
			w->ticks = sum.ticks;
			w->last = 0;
			return over(w, &exact, next_ns);
		}
	}
	if (used + sum.dying > w->peak)
		w->peak = used + sum.dying;
	if (w->cpu_ns && (int64_t)sum.ticks * (1000000000 / sysconf(_SC_CLK_TCK)) >= w->cpu_ns)
		return WATCH_CPU;
	w->idle = w->idle && sum.ticks == w->ticks && used == w->last;
	w->ticks = sum.ticks;
	w->last = used;
	*next_ns = w->n_victims ? PACE_MIN_NS : pace(w, w->memory - used);
	return WATCH_FINE;
}

void watch_end(struct watch *w)
{
	for (int i = 0; i < w->n_tmpfs; i++)
		(void)close(w->tmpfs[i]); /* only looked at */
	w->n_tmpfs = 0;
	while (w->n_victims > 0)
		forget_victim(w, 0);
	while (w->n_known > 0)
		forget(w, 0);
	if (w->list > 0)
		(void)close(w->list); /* only read from */
	w->list = -1;
}
