/* SPDX-License-Identifier: Apache-2.0 */
/* watch_fill: who fills memory inside of one system call (a mapping that is populated, a file in memory, a read into a large
 * buffer) does not stop when he is told to, only when he is killed. */
#include "watch_parts.h"

#include <time.h>
#include <unistd.h>

/* The kernel's own numbers move by 128 KB and more, one of many processors at a time. */
#define FILLS_NS     500000
#define FILLINGS_MAX 40

/* No more than this can it be, whatever forks have in common: pages that were not there before are faulted in, one by one, and
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

/* With all of them held. */
static int64_t growth(struct watch *w)
{
	int64_t shared = watch_all_shared(), grew = 0;
	struct watch_sum sum = {0};

	watch_add_processes(w, false, &sum);
	(void)nanosleep(&(struct timespec){.tv_nsec = FILLS_NS}, NULL); /* or a part of it */
	watch_add_processes(w, false, &sum);
	for (int i = 0; i < w->n_known; i++)
		grew += w->known[i].grew > 0 ? w->known[i].grew : 0;
	shared = watch_all_shared() - shared;
	if (w->files + w->objects + w->shm.bytes <= w->memory)
		shared = 0; /* it may be anybody's */
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
	if (most <= w->memory + w->memory / 8) /* it may end soon; what is shared may grow by others */
		return w->fillings++ < FILLINGS_MAX ? WATCH_FILLING : WATCH_STILL;
	if (w->on_kill && before == 0) /* else it is known */
		w->on_kill(w->arg);
	/* That took a while, and who did not stop grew meanwhile. */
	watch_add_processes(w, false, &now);
	if (w->files + w->objects + w->shm.bytes > w->memory)
		watch_count_shm(w);
	cheap = now.bytes + w->files + w->objects + w->shm.bytes;
	watch_note_peak(w, at_most(w, cheap) + now.dying + (before ? w->shm.dying : 0), WATCH_NOTE_EXACT);
	watch_hold(w, WATCH_KILL_GROWING);
	w->killed = true;
	return w->n_victims > before ? WATCH_FILLING : WATCH_STILL;
}
