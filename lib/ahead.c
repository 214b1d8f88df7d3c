/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include "auto.h"
#include "str.h"

#include <pthread.h>

#define RING  256u
#define BATCH 64u /* less is not worth waking the other thread for */

struct ahead {
	struct found ring[RING];
	unsigned first; /* the next to be used */
	unsigned next;  /* where the next file that is found goes */
	ahead_use *use;
	void *context;
	bool helped, alone; /* there is another thread; there can be none */
	pthread_t helper;
	/* What both look at. */
	pthread_mutex_t lock;
	pthread_cond_t more, room;
	unsigned n;
	bool hurry; /* however few they are, they are to be used */
	bool ended; /* no more come */
	bool failed;
	struct err why;
};

static void found_done(struct found *f)
{
	tar_entry_done(&f->entry);
	auto_close_(&f->fd);
}

/* The oldest; it stays where it is until it is used. */
static int use_one(struct ahead *a, struct err *e)
{
	struct found *f = &a->ring[a->first % RING];
	int result = a->use(f, a->context, e);

	found_done(f);
	return result;
}

/* ---- the thread that uses --------------------------------------------------------------- */

/* How many there are to be used; 0: no more will come. */
static unsigned wait_for_some(struct ahead *a)
{
	unsigned n;

	(void)pthread_mutex_lock(&a->lock); /* never fails */
	while (a->n < BATCH && !(a->hurry && a->n > 0) && !a->ended)
		(void)pthread_cond_wait(&a->more, &a->lock); /* neither */
	n = a->n;
	(void)pthread_mutex_unlock(&a->lock);
	return n;
}

static void *run(void *ahead)
{
	struct ahead *a = ahead;
	struct err e = {0};
	unsigned n, done;
	int result = 0;

	while (result == 0 && (n = wait_for_some(a)) > 0) {
		n = n < BATCH ? n : BATCH;
		for (done = 0; done < n && result == 0; done++, a->first++)
			result = use_one(a, &e);
		(void)pthread_mutex_lock(&a->lock);
		a->n -= done;
		a->failed = result < 0;
		if (a->failed)
			a->why = e;
		(void)pthread_cond_signal(&a->room);
		(void)pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

/* ---- the thread that finds -------------------------------------------------------------- */

static int use_all(struct ahead *a)
{
	struct err e = {0};
	int result = 0;

	for (; a->n > 0 && result == 0; a->n--, a->first++)
		result = use_one(a, &e);
	a->failed = result < 0;
	if (a->failed)
		a->why = e;
	return result;
}

static int failed(const struct ahead *a, struct err *e)
{
	if (!a->failed)
		return 0;
	*e = a->why;
	return -1;
}

/* Until no more than `most` are left to be used. */
static int wait_until(struct ahead *a, unsigned most, struct err *e)
{
	int result;

	(void)pthread_mutex_lock(&a->lock); /* as above */
	a->hurry = most == 0;
	(void)pthread_cond_signal(&a->more);
	while (a->n > most && !a->failed)
		(void)pthread_cond_wait(&a->room, &a->lock); /* as above */
	a->hurry = false;
	result = failed(a, e);
	(void)pthread_mutex_unlock(&a->lock);
	return result;
}

int ahead_give(struct ahead *a, struct found *f, struct err *e)
{
	unsigned n;

	a->ring[a->next++ % RING] = *f;
	*f = (struct found){.fd = -1};
	(void)pthread_mutex_lock(&a->lock); /* as above */
	n = ++a->n;
	if (n == BATCH)
		(void)pthread_cond_signal(&a->more);
	(void)pthread_mutex_unlock(&a->lock);
	if (n >= BATCH && !a->helped && !a->alone) {
		a->helped = pthread_create(&a->helper, NULL, run, a) == 0;
		a->alone = !a->helped;
	}
	if (n < BATCH || (a->helped && n < RING))
		return 0; /* a failure is reported by the next call */
	return a->helped ? wait_until(a, RING - BATCH, e) : use_all(a) < 0 ? failed(a, e) : 0;
}

int ahead_settle(struct ahead *a, struct err *e)
{
	if (a->helped)
		return wait_until(a, 0, e);
	return use_all(a) < 0 ? failed(a, e) : 0;
}

static void end(struct ahead *a)
{
	(void)pthread_mutex_lock(&a->lock); /* as above */
	a->ended = true;
	(void)pthread_cond_signal(&a->more);
	(void)pthread_mutex_unlock(&a->lock);
	if (a->helped)
		(void)pthread_join(a->helper, NULL); /* it is there */
	else if (!a->failed)
		(void)use_all(a); /* notes it itself */
}

int ahead(ahead_find *find, ahead_use *use, void *context, struct err *e)
{
	auto_free struct ahead *a = xcalloc(1, sizeof(*a));
	struct err why = {0};
	int result;

	a->use = use;
	a->context = context;
	(void)pthread_mutex_init(&a->lock, NULL); /* never fail */
	(void)pthread_cond_init(&a->more, NULL);
	(void)pthread_cond_init(&a->room, NULL);
	result = find(a, context, &why);
	end(a);
	/* What was given came before. */
	if (a->failed)
		result = failed(a, e);
	else if (result < 0)
		*e = why;
	for (; a->first != a->next; a->first++)
		found_done(&a->ring[a->first % RING]);
	return result;
}
