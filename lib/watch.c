/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "caps.h"
#include "sweep.h"
#include "sys.h"

#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* One processor writes to new memory no faster than this, since each page fault clears a page; all processors together no
 * faster than BYTES_PER_NS_MAX, which the memory bus of the largest machine carries. */
#define BYTES_PER_NS     4
#define BYTES_PER_NS_MAX 64
#define DOZES            64 /* idle looks in a row, after which only the times of processes are looked at */
#define PACE_MIN_NS      1000000
#define PACE_MAX_NS      250000000
#define PACE_ASLEEP_NS   1000000000 /* after WATCH_SLEEPS, for limits that take as long to fill */
#define CHURN_NS         5000000    /* where processes come and go */
#define FORK_NS          50000      /* by each processor */
#define EACH_ID_MIN_NS   50000000

/* A larger limit than any machine's memory means no limit; capped, so that sums with it cannot overflow. */
static int64_t conceivable(int64_t memory)
{
	const int64_t most = 1LL << 60;

	return memory < most ? memory : most;
}

/* The default filter lets nobody but those with this capability make a user namespace, in which he would have it. */
static bool may_mount(const struct plan *p)
{
	return p->caps & CAP_BIT(CAP_SYS_ADMIN) || p->seccomp_profile;
}

static void begin(struct watch *w)
{
	w->list = w->proc < 0 ? -1 : openat(w->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->list < 0)
		w->proc = -1;
	w->per_ns = (int64_t)get_nprocs() * BYTES_PER_NS;
	if (w->per_ns > BYTES_PER_NS_MAX)
		w->per_ns = BYTES_PER_NS_MAX;
}

void watch_begin_some(struct watch *w, const struct plan *p, int proc, const char *ns,
	const struct stat *in, char spare[2][16])
{
	*w = (struct watch){.proc = proc,
		.sysv = {-1, -1, -1},
		.turns = -1,
		.memory = conceivable(p->own_memory),
		.pids = p->own_pids,
		.wary = may_mount(p),
		.ns = ns,
		.in = *in};
	memcpy(w->spare, spare, sizeof(w->spare));
	begin(w);
	if (w->memory && w->proc >= 0)
		watch_shm_begin(w);
}

/* Those whom it has found so far. */
static void leave(struct watch *w)
{
	watch_go_on(w);
	watch_disarm(w);
	watch_forget_victims(w);
	watch_forget_known(w);
}

void watch_add_tmpfs(struct watch *w, int fd)
{
	w->tmpfs = xrealloc(w->tmpfs, w->n_tmpfs + 1, sizeof(*w->tmpfs));
	w->tmpfs[w->n_tmpfs++] = fd;
}

static void set_limits(struct watch *w, const struct plan *p, const struct watch_for *what)
{
	w->memory = what->memory ? conceivable(p->memory) : 0;
	w->cpu_ns = p->cpu_time_ns;
	w->pids = what->pids ? p->pids : 0;
	w->each_id = what->pids_each_id;
}

/* Once, before anything has run: directories above them can be renamed. */
static void find_tmpfs(struct watch *w, const struct plan *p, int root)
{
	for (size_t i = 0; root >= 0 && i < p->n_steps; i++) {
		int fd;

		if (p->steps[i].kind != STEP_JOINED &&
			(p->steps[i].kind != STEP_FS || strcmp(p->steps[i].src, "tmpfs") != 0))
			continue;
		fd = sys_openat2(root, p->steps[i].dst, O_PATH, RESOLVE_IN_ROOT);
		if (fd >= 0)
			watch_add_tmpfs(w, fd);
	}
}

void watch_begin(struct watch *w, const struct plan *p, const struct watch_for *what,
	const struct watch_where *where)
{
	*w = (struct watch){.proc = where->proc,
		.sysv = {-1, -1, -1},
		.turns = -1,
		.wary = may_mount(p),
		.ns = p->namespaces & CLONE_NEWPID ? NULL : "ns/mnt"};
	set_limits(w, p, what);
	w->sleep.first = where->first;
	for (int i = 0; where->sysv && i < WATCH_TABLES; i++)
		w->sysv[i] = where->sysv[i];
	/* Without a namespace to tell the container's processes by, none are counted rather than the whole machine's. */
	if (w->ns && fstat(where->mounts, &w->in) < 0)
		w->proc = -1;
	begin(w);
	if (what->memory && w->proc >= 0)
		find_tmpfs(w, p, where->root);
	if (!w->memory || w->proc < 0)
		return;
	watch_shm_begin(w);
}

void watch_again(struct watch *w, const struct plan *p, const struct watch_for *what)
{
	struct watch was = *w;

	leave(w);
	*w = (struct watch){.proc = was.proc,
		.list = was.list,
		.ns = was.ns,
		.in = was.in,
		.tmpfs = was.tmpfs,
		.n_tmpfs = was.n_tmpfs,
		.per_ns = was.per_ns,
		.end = was.end,
		.turns = was.turns,
		.wary = was.wary,
		.blind = was.blind,
		.sleep = {.first = was.sleep.first},
		.peak = was.peak,
		.peak_pids = was.peak_pids,
		.spent = was.spent,
		.killed = was.killed,
		.on_kill = was.on_kill,
		.arg = was.arg};
	memcpy(w->sysv, was.sysv, sizeof(w->sysv));
	set_limits(w, p, what);
	if (!w->memory || w->proc < 0)
		return;
	watch_shm_begin(w);
	if (was.memory)
		w->shm = was.shm;
	watch_count_shm(w); /* what there is already */
}

/* How long no look is needed: the time it takes to fill what is left below the limit, and a part of the limit more, lest a
 * container that lives close to its limit is looked at all the time. An idle container starts slowly: it is one process that
 * writes first, or has to start others. */
static int64_t pace(const struct watch *w, int64_t left)
{
	int64_t most = w->idle && w->idle_for >= WATCH_SLEEPS && !w->cpu_ns ? PACE_ASLEEP_NS
	                                                                    : PACE_MAX_NS,
		ns = most;

	if (w->waking.sure)
		return PACE_ASLEEP_NS;
	if (w->memory && w->idle)
		ns = (left + w->memory / 4) / BYTES_PER_NS;
	else if (w->memory)
		ns = (left + w->memory / 8) / w->per_ns;
	if (w->cpu_ns && ns > PACE_MAX_NS / 5 && !w->idle)
		ns = PACE_MAX_NS / 5;
	if (w->cpu_ns && ns > CHURN_NS && spent_churns(&w->spent))
		ns = CHURN_NS;
	if (w->pids) {
		/* With each_id only a container that uses several user ids can pass the limit, which few do. */
		int64_t least = w->each_id ? EACH_ID_MIN_NS : PACE_MIN_NS,
			more = (w->pids - w->tasks.pids) * FORK_NS / (w->per_ns / BYTES_PER_NS);

		if (more < least)
			more = least;
		ns = more < ns ? more : ns;
	}
	return ns < PACE_MIN_NS ? PACE_MIN_NS : ns > most ? most : ns;
}

/* Watches of containers that sleep look at the same moments, so that a processor wakes once for all of them. */
static int64_t until_round(int64_t pace)
{
	return pace - sys_now_ns() % pace;
}

/* All the memory in use, with pages that processes share after a fork counted once. */
static int64_t exact_use(struct watch *w, int64_t cheap, struct watch_sum *sum)
{
	int64_t used;

	watch_add_processes(w, true, sum);
	used = sum->bytes + watch_files(w) + w->shm.bytes;
	w->exact = (struct watch_exact){
		.bytes = used, .cheap = cheap, .faults = sum->faults, .at = sys_now_ns()};
	return used;
}

/* Whether the limit is certainly not passed, although the cheap sum is above it: the last exact sum plus a page for each
 * fault since, for a process that writes to a shared page faults. Servers that fork workers are above the limit by the cheap
 * sum all their life, and need not be walked over at each look. */
static bool is_bounded(struct watch *w, int64_t cheap, int64_t *used)
{
	const struct watch_exact *x = &w->exact;
	int64_t more = cheap > x->cheap ? cheap - x->cheap : 0;
	struct watch_sum now = {0};

	if (!x->at || w->n_victims > 0)
		return false;
	watch_add_faults(w, &now);
	if (now.faults < x->faults)
		return false; /* a process has ended, and its faults are gone from the sum */
	more += (int64_t)(now.faults - x->faults) * sysconf(_SC_PAGESIZE);
	*used = x->bytes + more;
	/* (A process killed since is still in the sum of faults while its parent does not wait for it.) */
	if (*used > w->memory)
		return false;
	return more == 0 || (*used <= w->memory - w->memory / 8 && sys_now_ns() - x->at < PACE_MAX_NS);
}

/* Over the limit by the exact sum: kills the largest process. */
static enum verdict kill_largest(
	struct watch *w, const struct watch_sum *sum, int64_t used, int64_t *next_ns)
{
	w->last = 0;
	/* No kill frees files or System V segments; and with so many victims, killing single processes leads nowhere. */
	if (w->files + w->objects + w->shm.sysv > w->memory || w->n_victims == WATCH_VICTIMS_MAX)
		return WATCH_OOM;
	watch_kill(w, sum->process);
	*next_ns = used - sum->largest > w->memory ? 1 : PACE_MIN_NS;
	return WATCH_FINE;
}

/* Within the limit: notes the peak, lets stopped processes go on or not, and returns the time until the next look. */
static int64_t go_on(struct watch *w, int64_t used, int64_t dying)
{
	int64_t next, walk;

	if (w->n_victims > 0)
		dying += w->shm.dying;
	w->walk.owed = false;
	watch_note_peak(w, used + dying, WATCH_NOTE_CHEAP);
	if (w->n_victims == 0 || used + dying <= w->memory)
		watch_go_on(w);
	else
		(void)watch_hold(w, used + dying > w->memory + w->memory / 4
					    ? WATCH_KILL_GROWING
					    : WATCH_HOLD_GROWING); /* a pause stops them, too */
	if (w->n_victims > 0)
		return PACE_MIN_NS;
	next = pace(w, w->memory - used);
	walk = w->walk.owed ? w->walk.not_before - sys_now_ns() : next;
	return walk > next ? next : walk < PACE_MIN_NS ? PACE_MIN_NS : walk;
}

static int64_t spent_ns(const struct spent *s)
{
	return (int64_t)(spent_ticks(s, SPENT_USER) + spent_ticks(s, SPENT_SYSTEM)) *
	       (1000000000 / sysconf(_SC_CLK_TCK));
}

/* The number of tasks or processes for the peak; 0 where this look did not count all of them. */
static int64_t most_told(const struct watch *w, const struct watch_sum *sum)
{
	if (w->cpu_ns || !w->each_id)
		return sum->tasks;
	return w->memory ? sum->processes : 0;
}

/* The cheap sum, in which shared pages count for each process, is over the limit. True: so is the exact one, or it cannot be
 * told; what is to be done was done, and *verdict is this look's. False: the exact one is not, and is *used. */
static bool is_over(struct watch *w, int64_t cheap, int64_t *used, enum verdict *verdict, int64_t *next_ns)
{
	struct watch_sum exact = {0};

	/* The walk takes milliseconds, more while pages are added to the tables, and the kernel makes whoever used a
	 * processor for so long wait for its turn afterwards. */
	if (watch_hold(w, WATCH_HOLD_ALL) && watch_kill_fillers(w, cheap) == WATCH_FILLING) {
		w->last = 0;
		*next_ns = 1;
		*verdict = w->n_victims == WATCH_VICTIMS_MAX ? WATCH_OOM : WATCH_FINE;
		return true;
	}
	*used = exact_use(w, cheap, &exact);
	if (watch_is_over(w)) {
		*next_ns = PACE_MAX_NS;
		*verdict = WATCH_FINE;
		return true;
	}
	if (w->blind) {
		*verdict = WATCH_OOM;
		return true;
	}
	if (*used <= w->memory)
		return false;
	watch_note_peak(w, *used + exact.dying + (w->n_victims ? w->shm.dying : 0), WATCH_NOTE_EXACT);
	*verdict = kill_largest(w, &exact, *used, next_ns);
	return true;
}

/* Whether all have slept since the last look, and so need none. */
static bool sleeps_on(struct watch *w, int64_t *next_ns)
{
	if (!w->idle || w->idle_for < DOZES)
		return false;
	if (!watch_slept(w)) {
		watch_note_times(w);
		return false;
	}
	w->idle_for++;
	*next_ns = until_round(pace(w, w->memory - w->last));
	return true;
}

/* all: processes were looked at. */
static void note_idleness(struct watch *w, bool idle, bool all)
{
	w->idle = idle;
	w->idle_for = idle ? w->idle_for + 1 : 0;
	if (!idle)
		watch_forget_times(w);
	else if (all && w->idle_for > DOZES)
		watch_arm(w);
}

enum verdict watch_look(struct watch *w, int64_t *next_ns)
{
	struct watch_sum sum = {.spent = w->cpu_ns ? &w->spent : NULL};
	int64_t cheap, used;
	enum verdict verdict;
	bool all, same = true;

	*next_ns = 0;
	if (w->proc < 0 || (!w->memory && !w->cpu_ns && !w->pids))
		return WATCH_FINE;
	if (w->blind || !watch_await(w))
		return WATCH_OOM;
	if (sleeps_on(w, next_ns))
		return WATCH_FINE;
	w->idle = w->n_victims == 0; /* until something new is seen */
	watch_look_at_machine(w);
	if (watch_is_over(w)) { /* what was not counted in time says nothing */
		w->last = 0;
		*next_ns = PACE_MAX_NS;
		return WATCH_FINE;
	}
	all = w->memory || w->cpu_ns || w->tasks.count_pids;
	if (all)
		watch_add_processes(w, false, &sum);
	if (w->cpu_ns)
		spent_look(&w->spent, sweep_still_there, &w->proc);
	if (most_told(w, &sum) > w->peak_pids)
		w->peak_pids = most_told(w, &sum);
	if (w->tasks.count_pids)
		w->tasks.pids = sum.tasks;
	if (w->tasks.count_pids && sum.tasks > w->pids)
		return WATCH_PIDS;
	w->own = sum.bytes;
	used = cheap = sum.bytes + w->files + w->objects + w->shm.bytes;
	if (all) {
		same = sum.ticks == w->ticks && sum.processes == w->processes;
		w->ticks = sum.ticks;
		w->processes = sum.processes;
	}
	if (w->memory && cheap > w->memory && !is_bounded(w, cheap, &used) &&
		is_over(w, cheap, &used, &verdict, next_ns))
		return verdict;
	if (w->cpu_ns && spent_ns(&w->spent) >= w->cpu_ns)
		return WATCH_CPU;
	note_idleness(w, w->idle && same && used == w->last, all);
	w->last = used;
	*next_ns = go_on(w, used, sum.dying);
	return WATCH_FINE;
}

void watch_stir(struct watch *w)
{
	w->idle_for = 0;
	w->last = -1;
}

void watch_end(struct watch *w)
{
	for (size_t i = 0; i < w->n_tmpfs; i++)
		(void)close(w->tmpfs[i]); /* only looked at */
	free(take(w->tmpfs));
	w->n_tmpfs = 0;
	leave(w);
	if (w->turns > 0)
		(void)close(w->turns); /* likewise */
	w->turns = -1;
	if (w->list > 0)
		(void)close(w->list); /* only read from */
	w->list = -1;
}
