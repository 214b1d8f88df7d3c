/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sweep.h"
#include "sys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Where the processes begin in a directory of procfs, behind everything else. */
#define FIRST_PROCESS 256
/* So long takes the walk over 35 processes that share 64 GB in small pages, 50 ns for each. */
#define EXACT_MAX_NS 30000000000
/* The part of the limit that page tables may take which are not asked for. */
#define UNASKED 8

static void copy_number(char to[16], const char *process)
{
	(void)memccpy(to, process, '\0', 15); /* a number is shorter; to was empty */
}

struct watch_known *watch_known(struct watch *w, const char *process)
{
	for (int i = 0; i < w->n_known; i++)
		if (str_eq(w->known[i].process, process))
			return &w->known[i];
	return NULL;
}

static void close_known(struct watch_known *k)
{
	auto_close_(&k->statm);
	auto_close_(&k->stat);
	auto_close_(&k->status);
}

static void forget(struct watch *w, struct watch_known *k)
{
	close_known(k);
	*k = w->known[--w->n_known];
}

void watch_forget_known(struct watch *w)
{
	while (w->n_known > 0)
		forget(w, &w->known[0]);
}

static void remember(struct watch_known *k, const struct watch_quick *q)
{
	k->seen = true;
	k->grew = q->resident - k->resident;
	k->resident = q->resident;
	k->own = q->own;
	k->empty = q->mapped == 0;
}

/* Fields of /proc/PID/status: 0, where it has ended. */
static void ask_status(struct watch *w, struct watch_known *k, bool swap, bool tables)
{
	char text[4096];
	ssize_t n;

	if (k->status < 0) {
		auto_close int dir = watch_open(w, k->process);

		k->status = dir < 0 ? -1 : openat(dir, "status", O_RDONLY | O_CLOEXEC);
	}
	n = k->status < 0 ? 0 : sys_status(k->status, text, sizeof(text));
	text[n < 0 ? 0 : n] = '\0';
	if (swap)
		k->swapped = watch_field(text, "\nVmSwap:");
	if (tables)
		k->tables = watch_field(text, "\nVmPTE:");
}

/* Reading an open file takes a tenth of the time of opening it, and even idle containers are looked at. */
static int64_t memory_of(struct watch *w, const char *process)
{
	struct watch_known *k = watch_known(w, process),
			   new = {.statm = -1, .stat = -1, .status = -1, .shm = -1};
	struct watch_quick q = {0};
	bool swap = w->swap.moved, tables;

	/* A process without memory has ended, or only its first thread has; or the thread that was asked has, and others go on. */
	if (k && watch_quick(k->statm, &q) &&
		(q.mapped || (k->empty && watch_threads(w, process) == 0))) {
		remember(k, &q);
	} else {
		auto_close int dir = -1;

		if (k)
			forget(w, k); /* another one has its number now, perhaps */
		dir = watch_open(w, process);
		new.statm = dir < 0 ? -1 : openat(dir, "statm", O_RDONLY | O_CLOEXEC);
		if (!watch_quick(new.statm, &q)) {
			auto_close_(&new.statm);
			return 0; /* it has ended meanwhile */
		}
		w->idle = false;
		remember(&new, &q);
		new.grew = 1; /* by how much is not known */
		copy_number(new.process, process);
		swap = w->swap.used != 0;
		k = w->n_known < WATCH_KNOWN_MAX ? &w->known[w->n_known++] : &new;
		*k = new;
	}
	/* Asking for page tables takes five times as long as everything else; so processes whose memory is too small
	 * for many page tables are not asked. */
	k->tables = 0;
	tables = q.mapped * WATCH_TABLES_EACH > w->unasked;
	if (!tables)
		w->unasked -= q.mapped * WATCH_TABLES_EACH;
	if (swap || tables)
		ask_status(w, k, swap, tables);
	if (w->tasks.count_threads || k == &new)
		k->threads = watch_threads(w, process);
	if (k == &new)
		close_known(k);
	return k->own + k->swapped + k->tables + k->threads;
}

static void note(struct watch *w, struct watch_sum *sum, int64_t bytes, const char *process)
{
	const struct watch_known *k = watch_known(w, process);
	int64_t with_shm = bytes + (k && k->shm > 0 ? k->shm : 0);

	/* What dying processes hold is as good as free: counting it until a moment after they are forgotten would cost
	 * the next process its life. */
	if (watch_is_victim(w, process)) {
		sum->dying += bytes;
		return;
	}
	sum->bytes += bytes;
	if (with_shm < sum->largest)
		return;
	sum->largest = with_shm;
	copy_number(sum->process, process);
}

/* Those of a line of numbers that are wanted, by their places from 1 on, the least first. */
static bool numbers(const char *at, const unsigned char *places, size_t n, unsigned long long *out)
{
	int place = 0;

	for (size_t i = 0; i < n; place++) {
		char *end;
		unsigned long long value = strtoull(at, &end, 10);

		if (end == at)
			return false;
		at = end;
		if (place + 1 == places[i])
			out[i++] = value;
	}
	return true;
}

/* Returns the parent's number, or 0. */
static int add_stat(const char *text, struct watch_sum *sum)
{
	enum {
		PARENT,
		FAULTS,
		OF_CHILDREN,
		USER,
		SYSTEM,
		USER_OF_CHILDREN,
		SYSTEM_OF_CHILDREN,
		TASKS,
		ALL
	};
	static const unsigned char places[ALL] = {1, 7, 8, 11, 12, 13, 14, 17}; /* behind the state */
	unsigned long long v[ALL];
	const char *after = strrchr(text, ')'); /* the name may hold anything */

	if (!after || strlen(after) < 4 || !numbers(after + 3, places, ALL, v))
		return 0;
	sum->faults += v[FAULTS] + v[OF_CHILDREN];
	sum->ticks += v[USER] + v[SYSTEM] + v[USER_OF_CHILDREN] + v[SYSTEM_OF_CHILDREN];
	sum->tasks += (int64_t)v[TASKS];
	return (int)v[PARENT];
}

static int add_tasks(int dir, struct watch_sum *sum)
{
	struct spent_process p;
	char text[1024];

	if (sys_get(dir, "stat", text, sizeof(text)) <= 0)
		return 0;
	if (sum->spent && spent_parse(text, &p))
		spent_add(sum->spent, &p);
	return add_stat(text, sum);
}

bool watch_is_ours(const struct watch *w, int dir)
{
	return sweep_is_in(dir, w->ns, &w->in);
}

static void note_exactly(struct watch *w, const char *process, int parent, struct watch_sum *sum)
{
	struct watch_known *k = watch_known(w, process);
	char number[16];
	auto_close int dir = -1;
	int64_t bytes;

	(void)snprintf(number, sizeof(number), "%d", parent); /* fits */
	if (k && parent > 0 && watch_borrows(w, k, number))
		return;
	dir = watch_open(w, process);
	bytes = dir < 0 ? 0 : watch_exact(w, dir) + watch_threads(w, process);
	if (k)
		k->exact = bytes;
	note(w, sum, bytes, process);
}

struct adding {
	bool exact;
	struct watch_sum *sum;
};

static void add_process(struct watch *w, const char *process, void *arg)
{
	const struct adding *a = arg;
	auto_close int dir = -1;
	int parent = 0;

	if (a->exact || w->ns || w->cpu_ns || w->tasks.count_pids) {
		dir = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 || (w->ns && !watch_is_ours(w, dir)))
			return;
	}
	a->sum->processes++;
	if (a->exact || w->cpu_ns || w->tasks.count_pids)
		parent = add_tasks(dir, a->sum);
	else
		a->sum->tasks++;
	if (!w->memory)
		return;
	if (a->exact)
		note_exactly(w, process, parent, a->sum);
	else
		note(w, a->sum, memory_of(w, process), process);
}

/* Of processes that were seen with the cheap look, just now. */
static void add_faults(struct watch *w, const char *process, void *arg)
{
	struct watch_known *k = watch_known(w, process);
	char text[1024], path[32];
	ssize_t n = -1;

	(void)snprintf(path, sizeof(path), "%.15s/stat", process); /* fits */
	if (k && k->stat < 0)
		k->stat = openat(w->proc, path, O_RDONLY | O_CLOEXEC);
	if (k && k->stat >= 0)
		n = pread(k->stat, text, sizeof(text) - 1, 0);
	else if (!w->ns)
		n = sys_get(w->proc, path, text, sizeof(text));
	if (n <= 0)
		return; /* it has ended */
	text[n] = '\0';
	(void)add_stat(text, arg); /* the parent does not matter */
}

void watch_add_faults(struct watch *w, struct watch_sum *sum)
{
	if (w->n_known == WATCH_KNOWN_MAX)
		watch_each(w, add_faults, sum);
	else
		for (int i = 0; i < w->n_known; i++)
			add_faults(w, w->known[i].process, sum);
}

struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

void watch_each(struct watch *w, watch_each_fn *call, void *arg)
{
	char list[8192] __attribute__((aligned(8)));
	ssize_t n;

	if (lseek(w->list, FIRST_PROCESS, SEEK_SET) < 0)
		return;
	do {
		n = syscall(SYS_getdents64, w->list, list, sizeof(list));
		for (ssize_t at = 0; at < n;) {
			const struct entry *one = (const struct entry *)(list + at);

			if (isdigit((unsigned char)one->name[0]) &&
				!str_eq(one->name, w->spare[0]) && !str_eq(one->name, w->spare[1]))
				call(w, one->name, arg);
			at += one->len;
		}
	} while (n > (ssize_t)sizeof(list) / 2); /* else there was room for more */
}

void watch_add_processes(struct watch *w, bool exact, struct watch_sum *sum)
{
	struct adding a = {.exact = exact, .sum = sum};

	w->unasked = w->memory / UNASKED;
	if (exact)
		watch_begin_walk(w, EXACT_MAX_NS);
	for (int i = 0; i < w->n_known; i++) {
		w->known[i].seen = exact;
		w->known[i].lent = 0;
	}
	watch_each(w, add_process, &a);
	for (int i = w->n_known; i-- > 0;)
		if (!w->known[i].seen)
			forget(w, &w->known[i]);
}
