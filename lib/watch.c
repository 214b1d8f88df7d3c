/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/vfs.h>

/* Memory is written no faster than this by all processors together: a page fault clears its page. */
#define BYTES_PER_NS 6
#define PACE_MIN_NS  1000000
#define PACE_MAX_NS  250000000

/* A victim may take this long to give its memory back before all of them have to go. */
#define VICTIM_NS 100000000

struct sum {
	int64_t bytes;
	uint64_t ticks;
	int64_t tasks;
	int64_t largest;  /* of one process */
	char process[16]; /* that one's number, as the container has it */
};

/* The number after "Name:" in a file of /proc, in bytes. */
static int64_t field_kb(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoll(at + strlen(name), NULL, 10) * 1024 : 0;
}

static int64_t add_memory(int dir, bool exact)
{
	char text[2048];
	long size, resident, shared;

	/* Pages which several processes share after a fork count once: by their proportional share. It costs
	 * a walk over the page tables, so it is only asked for when the cheap sum is over the limit. */
	if (exact && sys_get(dir, "smaps_rollup", text, sizeof(text)) > 0)
		return field_kb(text, "Pss_Anon:") + field_kb(text, "SwapPss:");
	if (sys_get(dir, "statm", text, sizeof(text)) > 0 &&
			sscanf(text, "%ld %ld %ld", &size, &resident, &shared) == 3)
		return (int64_t)(resident - shared) * sysconf(_SC_PAGESIZE);
	return 0;
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
	sum->bytes += bytes;
	if (bytes < sum->largest || is_victim(w, process))
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
	if (after && sscanf(after + 1,
				" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %ld",
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

static void add_processes(const struct watch *w, bool exact, struct sum *sum)
{
	int fd = openat(w->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		if (fd >= 0)
			(void)close(fd); /* only read from */
		return;
	}
	for (struct dirent *at; (at = readdir(d)) != NULL;) {
		auto_close int dir = -1;

		if (!isdigit((unsigned char)at->d_name[0]))
			continue;
		dir = openat(w->proc, at->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			continue; /* it has ended meanwhile */
		if (w->shares_pids && !is_inside(w, dir))
			continue;
		if (w->memory)
			note_largest(w, sum, add_memory(dir, exact), at->d_name);
		add_tasks(dir, sum);
	}
	(void)closedir(d); /* only read from */
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

	*w = (struct watch){ .proc = proc, .memory = what->memory ? p->memory : 0, .cpu_ns = p->cpu_time_ns,
		.pids = what->pids ? p->pids : 0, .shares_pids = !(p->namespaces & CLONE_NEWPID),
		.pace_ns = PACE_MIN_NS };
	/* Nobody's are counted before those of everybody are. */
	if (w->shares_pids && stat(mounts, &w->mounts) < 0)
		w->proc = proc = -1;
	if (!w->memory || proc < 0)
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

/* How long nothing can happen: the time it takes to fill what is left, and longer and longer while no
 * processor time was used at all. */
static int64_t pace(struct watch *w, int64_t left, bool idle)
{
	int64_t soonest = w->memory ? left / BYTES_PER_NS : PACE_MAX_NS / 5;

	/* A fork takes some 50 us, and each of the new ones forks, too. */
	if (w->pids)
		soonest = PACE_MIN_NS;

	w->pace_ns = idle ? 2 * w->pace_ns : soonest;
	if (w->pace_ns < PACE_MIN_NS)
		w->pace_ns = PACE_MIN_NS;
	if (w->pace_ns > PACE_MAX_NS)
		w->pace_ns = PACE_MAX_NS;
	return w->pace_ns;
}

static void forget_victim(struct watch *w, int i)
{
	(void)close(w->victims[i].dir); /* only looked at */
	w->victims[i] = w->victims[--w->n_victims];
}

/* What those who were killed are still giving back; -1 when one takes too long. */
static int64_t lingering(struct watch *w)
{
	int64_t sum = 0;
	char text[64];

	for (int i = w->n_victims; i-- > 0;) {
		const struct watch_victim *v = &w->victims[i];

		if (sys_get(v->dir, "statm", text, sizeof(text)) <= 0 || str_starts(text, "0 "))
			forget_victim(w, i);
		else if (sys_now_ns() - v->since > VICTIM_NS + v->bytes / 4)
			return -1;
		else
			sum += v->bytes;
	}
	return sum;
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
	(void)sys_pidfd_kill(dir, SIGKILL); /* likewise */
	*v = (struct watch_victim){ .dir = dir, .bytes = sum->largest, .since = sys_now_ns() };
	memcpy(v->process, sum->process, sizeof(v->process));
	w->n_victims++;
}

static enum verdict over(struct watch *w, const struct sum *sum, int64_t used, int64_t *next_ns)
{
	int64_t coming = lingering(w);

	/* So many, or one that does not go: single processes are not what it takes. */
	if (coming < 0 || w->n_victims == WATCH_VICTIMS_MAX)
		return WATCH_OOM;
	if (used - coming > w->memory)
		kill_process(w, sum);
	*next_ns = w->pace_ns = PACE_MIN_NS;
	return WATCH_FINE;
}

enum verdict watch_look(struct watch *w, int64_t *next_ns)
{
	struct sum sum = {0};
	int64_t used;
	bool idle;

	*next_ns = 0;
	if (w->proc < 0 || (!w->memory && !w->cpu_ns && !w->pids))
		return WATCH_FINE;
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
		if (used > w->peak)
			w->peak = used;
		if (used > w->memory) {
			w->ticks = sum.ticks;
			return over(w, &exact, used, next_ns);
		}
	}
	if (used > w->peak)
		w->peak = used;
	if (w->cpu_ns && (int64_t)sum.ticks * (1000000000 / sysconf(_SC_CLK_TCK)) >= w->cpu_ns)
		return WATCH_CPU;
	idle = sum.ticks == w->ticks;
	w->ticks = sum.ticks;
	*next_ns = pace(w, w->memory - used, idle);
	return WATCH_FINE;
}

void watch_end(struct watch *w)
{
	for (int i = 0; i < w->n_tmpfs; i++)
		(void)close(w->tmpfs[i]); /* only looked at */
	w->n_tmpfs = 0;
	while (w->n_victims > 0)
		forget_victim(w, 0);
}
