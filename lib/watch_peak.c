/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_peak: the most memory that all processes held at one moment. A look reads one process after the other, so its sum need
 * not have been true at any moment: one process may be killed and free what the next one takes. So a new peak is read twice:
 * between the end of the first reading and the beginning of the second one each process held at least the smaller of its two
 * numbers.
 *
 * Sums of one reading were up to twice what a control group counted (205 MB of 135); with two, twenty runs of eight processes
 * that fill mappings were told 0 to 20 MB less, never more. What forks share would count for each of them (968 MB of 107): if a
 * process has more than it ever touched, page tables are walked, at most a third of the time, only while some process
 * touches more, and not while memory is taken fast (in_haste).
 *
 * Tried against eight processes that fill 64 MB beside four other busy ones, and left out; medians of 30 and 36 runs:
 *
 *	looking at idle ones as often as all processors could fill what is left    103 MB, 105 without
 *	not sleeping between the two looks that tell which process grows           118 and 120 MB, 110 with the sleep
 *	walking only when all are stopped, also those still waiting for a          101 to 115 MB; 85 of 120 runs
 *	processor to stop on                                                       below 128, 41 of 60 without
 */
#include "watch_parts.h"

#include "sys.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* At most one in SHARE parts of the time is spent with walks over page tables for the peak; and a process that
 * inherited less shares too little. */
#define SHARE     2
#define INHERITED (1 << 20)
#define HASTE     32 /* of the limit, since the last look */
/* If nothing else changes, only at every so many looks it is asked whether a process has touched new memory. */
#define IDLE_LONG  32
#define IDLE_LOOKS 8

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What dying processes hold of it was counted once, and is being freed: the machine's sum tells how much at most is
 * left. */
static int64_t shared(const struct watch *w)
{
	int64_t now = w->shm.dying ? watch_all_shared() : 0, gone = w->shm.machine - now;

	if (w->n_victims == 0 || w->shm.dying <= gone)
		return w->shm.bytes;
	return w->shm.bytes + (gone > 0 ? w->shm.dying - gone : w->shm.dying);
}

static int64_t files(struct watch *w)
{
	int64_t before = w->files + w->objects;

	return least(before, watch_files(w));
}

/* A process with more memory than it ever faulted in has it from its parent, which may still share it. (Or its faults
 * give 2 MB each; then the walk is merely needless.) */
static bool inherits(const struct watch *w, const struct watch_known *k)
{
	unsigned long long touched[2];
	char path[32], text[1024];
	const char *after = NULL;

	(void)snprintf(path, sizeof(path), "%.15s/stat", k->process); /* fits */
	if (k->own > INHERITED && sys_get(w->proc, path, text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	return after &&
	       sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &touched[0],
		       &touched[1]) == 2 &&
	       (int64_t)(touched[0] + touched[1]) * sysconf(_SC_PAGESIZE) < k->own - INHERITED;
}

static bool have_in_common(const struct watch *w)
{
	for (int i = 0; w->n_known > 1 && i < w->n_known; i++)
		if (inherits(w, &w->known[i]))
			return true;
	return false;
}

/* Counts what forks share only once. Only for processes that were there before and still are: a process just
 * forked would count with a part of what its parent counted for completely, and one that ends leaves its part to
 * the others. */
static int64_t walk(struct watch *w)
{
	struct watch_sum sum = {0};
	int64_t held = w->files + w->objects + w->shm.bytes;

	for (int i = 0; i < w->n_known; i++)
		w->known[i].exact = 0;
	watch_add_processes(w, true, &sum);
	for (int i = 0; i < w->n_known; i++) {
		struct watch_quick q = {0};

		sum.bytes -= w->known[i].exact;
		if (watch_quick(w->known[i].statm, &q) && q.mapped)
			held += w->known[i].exact;
	}
	return w->n_known < WATCH_KNOWN_MAX ? held : held + sum.bytes; /* and the others */
}

/* Who takes much at this moment may take all that is left while page tables are walked, and has more at the next look. */
static bool in_haste(const struct watch *w)
{
	int64_t grew = 0;

	for (int i = 0; i < w->n_known; i++)
		grew += w->known[i].grew > 0 ? w->known[i].grew : 0;
	return grew > w->memory / HASTE;
}

/* 0: no more than is known, or it is too early to ask for that again. */
static int64_t once_each(struct watch *w, int64_t held)
{
	int64_t began = sys_now_ns();
	struct watch_sum now = {0};

	/* A process that copies shared pages does not grow in the cheap sum. But checking for that each time would
	 * double the cost of watching idle containers. */
	if (w->idle_for > IDLE_LONG && held <= w->walk.held && w->idle_for % IDLE_LOOKS)
		return 0;
	if (in_haste(w))
		return 0;
	watch_add_faults(w, &now);
	if (held <= w->walk.held && now.faults == w->walk.faults)
		return 0; /* no process has grown or touched anything since */
	if (!have_in_common(w))
		return held;
	w->walk.owed = began < w->walk.not_before;
	if (w->walk.owed)
		return 0;
	w->walk.held = held;
	w->walk.faults = now.faults;
	held = least(held, walk(w));
	if (w->late)
		held = 0; /* it is not known */
	w->walk.not_before = began + (1 + SHARE) * (sys_now_ns() - began);
	return held;
}

void watch_note_peak(struct watch *w, int64_t bytes, enum watch_note how)
{
	int64_t once = 0, held = 0;

	if (bytes <= w->peak)
		return;
	for (int i = 0; i < w->n_known; i++) {
		const struct watch_known *k = &w->known[i];
		struct watch_quick q = {0};

		once += k->own + k->swapped + k->tables + k->threads;
		if (watch_quick(k->statm, &q) && q.mapped)
			held += least(k->own, q.own) + k->swapped + k->tables + k->threads;
	}
	held += shared(w);
	once += w->files + w->objects + w->shm.bytes + (w->n_victims ? w->shm.dying : 0);
	held += files(w);
	/* Processes beyond those that are known only count as a sum, which holds as long as nobody frees memory. */
	if (w->n_known == WATCH_KNOWN_MAX && w->n_victims == 0 && bytes > once)
		held += bytes - once;
	held = least(held, bytes);
	if (how == WATCH_NOTE_CHEAP && w->n_victims == 0 && held > w->peak)
		held = once_each(w, held);
	w->peak = held > w->peak ? held : w->peak;
}
