/* SPDX-License-Identifier: Apache-2.0 */
/* watch_fill: processes that fill memory inside of one system call: MAP_POPULATE, a write to a memory file system, a read
 * into a large buffer. SIGSTOP takes effect only after that call; SIGKILL ends it. */
#include "watch_parts.h"

#include <time.h>
#include <unistd.h>

/* How long to wait for growth. The kernel's counters are updated in steps of 128 KB or more, per processor. */
#define FILLS_NS     500000
#define FILLINGS_MAX 40

/* An upper bound of the exact sum, however much processes share: each page that is new was faulted in, and faults are
 * counted. */
static int64_t at_most(struct watch *w, int64_t cheap)
{
	const struct watch_exact *x = &w->exact;
	struct watch_sum now = {0};
	int64_t faults, since;

	watch_add_faults(w, &now);
	faults = (int64_t)now.faults * sysconf(_SC_PAGESIZE) + w->files + w->objects + w->shm.bytes;
	if (!x->at)
		return cheap < faults ? cheap : faults;
	since = cheap > x->cheap ? x->bytes + cheap - x->cheap : x->bytes;
	return since < cheap ? since : cheap;
}

/* How much memory grew within a moment, although all processes are stopped. */
static int64_t growth(struct watch *w)
{
	int64_t shared = watch_all_shared(), grew = 0;
	struct watch_sum sum = {0};

	watch_add_processes(w, false, &sum);
	(void)nanosleep(&(struct timespec){.tv_nsec = FILLS_NS}, NULL); /* or a part of it */
	watch_add_processes(w, false, &sum);
	for (int i = 0; i < w->n_known; i++) {
		struct watch_known *k = &w->known[i];

		k->filled = k->grew > 0 ? k->grew : 0;
		grew += k->filled;
	}
	shared = watch_all_shared() - shared;
	if (w->files + w->objects + w->shm.bytes <= w->memory)
		shared = 0; /* another container's, as far as we know */
	return grew + (shared > 0 ? shared : 0);
}

enum watch_filling watch_kill_fillers(struct watch *w, int64_t cheap)
{
	struct watch_sum now = {0};
	int before = w->n_victims;
	int64_t most;

	if (growth(w) < WATCH_FILLS)
		return WATCH_STILL;
	most = at_most(w, cheap);
	if (most <= w->memory + w->memory / 8) /* the call may end soon, or another container has written */
		return w->fillings++ < FILLINGS_MAX ? WATCH_FILLING : WATCH_STILL;
	if (w->on_kill && before == 0) /* else the caller knows already */
		w->on_kill(w->arg);
	/* on_kill() took a while, in which memory went on growing. */
	watch_add_processes(w, false, &now);
	for (int i = 0; i < w->n_known; i++)
		w->known[i].grew += w->known[i].filled;
	if (w->files + w->objects + w->shm.bytes > w->memory)
		watch_count_shm(w);
	cheap = now.bytes + w->files + w->objects + w->shm.bytes;
	watch_note_peak(w, at_most(w, cheap) + now.dying + (before ? w->shm.dying : 0), WATCH_NOTE_EXACT);
	(void)watch_hold(w, WATCH_KILL_GROWING); /* kills even during a pause */
	w->killed = true;
	return w->n_victims > before ? WATCH_FILLING : WATCH_STILL;
}
