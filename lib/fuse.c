/* SPDX-License-Identifier: Apache-2.0 */
#include "fuse_parts.h"

#include "auto.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define THREADS       4
#define SLOT          8192u /* the least that the kernel accepts for reading; max_write makes requests fit */
#define AHEAD_FILES   8
#define JOURNAL_MAGIC 0x316c6e72756f6a73ull

struct journal_head {
	uint64_t magic, id;
};

/* How many servers may die of a request before it is answered by an error: an image made to kill servers must not do
 * so for ever, but a user who kills servers by hand must not cause errors inside. */
#define DEATHS_MAX 3

struct journal {
	struct journal_head head;
	unsigned char deaths[THREADS]; /* how often a slot's request was taken up again */
	char pad[4096 - sizeof(struct journal_head) - THREADS];
	unsigned char slot[THREADS][SLOT];
};

struct fuse_serving {
	struct squash *sq;
	int dev, journal_fd;
	struct journal *journal;
	struct fuse_ids ids;
	void (*ended)(void *);
	void *arg;
	pthread_mutex_t lock;
	int started, live, max;
	uint64_t ahead[AHEAD_FILES]; /* nodes to be read ahead, by one thread */
	int n_ahead;
	bool reading_ahead;
};

struct worker {
	struct fuse_serving *s;
	unsigned char *slot;
	bool first;
};

static void refuse(const struct worker *w)
{
	const struct fuse_in_header *h = (const void *)w->slot;
	const struct fuse_out_header o = {.len = sizeof(o), .error = -EIO, .unique = h->unique};

	(void)!write(w->s->dev, &o, sizeof(o)); /* as in put_answer() */
}

static void put_answer(
	const struct worker *w, const struct request *q, ssize_t n, struct iovec *at, int n_at)
{
	struct fuse_out_header head = {.unique = q->h->unique,
		.error = n < 0 ? (int32_t)n : 0,
		.len = (uint32_t)(sizeof(head) + (n < 0 ? 0 : (size_t)n))};

	at[0] = (struct iovec){&head, sizeof(head)};
	/* ENOENT: the requesting process was killed, or (journal) the request was answered already. If no answer is
	 * written, that process waits and cannot be killed. */
	if (writev(w->s->dev, at, n < 0 ? 1 : n_at) < 0 && errno != ENOENT)
		refuse(w);
}

/* Answers a read with pieces of decoded blocks. False: the answer must be copied together. */
static bool answer_in_place(struct worker *w, const struct request *q, uint64_t *ahead)
{
	struct iovec at[1 + SQUASH_PIECES];
	struct squash_pieces p;
	ssize_t n = fuse_answer_in_place(q, &p);

	if (n == -EOVERFLOW)
		return false;
	memcpy(at + 1, p.at, (size_t)p.n * sizeof(*at));
	put_answer(w, q, n, at, 1 + p.n);
	*ahead = fuse_began_program(q, &p) ? q->h->nodeid : 0;
	squash_pieces_done(&p);
	return true;
}

static void answer_put_together(struct worker *w, struct request *q)
{
	uint64_t small[SMALL_REPLY / 8];
	size_t room = fuse_room(q->h);
	/* From the heap and not a buffer of the thread: there are threads for every layer, and most of them sleep. */
	auto_free void *large = room > SMALL_REPLY ? malloc(room) : NULL;
	struct iovec at[2];
	ssize_t n;

	q->to = large ? large : small;
	q->room = large ? room : SMALL_REPLY;
	n = fuse_answer(q);
	at[1] = (struct iovec){q->to, n > 0 ? (size_t)n : 0};
	put_answer(w, q, n, at, 2);
}

/* Answers the request in the slot; returns the node of a program that it began to read, or 0. */
static uint64_t answer(struct worker *w)
{
	const struct fuse_in_header *h = (const void *)w->slot;
	struct request q = {
		.sq = w->s->sq, .ids = &w->s->ids, .h = h, .arg = h + 1, .arg_len = h->len - sizeof(*h)};
	uint64_t ahead = 0;

	if (h->opcode == FUSE_FORGET || h->opcode == FUSE_BATCH_FORGET)
		return 0; /* needs no answer, and no state is kept */
	if (h->opcode != FUSE_READ || !answer_in_place(w, &q, &ahead))
		answer_put_together(w, &q);
	return ahead;
}

static bool whole_request(const unsigned char *slot, size_t n)
{
	const struct fuse_in_header *h = (const void *)slot;

	return n >= sizeof(*h) && h->len >= sizeof(*h) && h->len <= n && n <= SLOT;
}

static void clear(unsigned char *slot)
{
	/* volatile: the kernel writes the slot unseen by the compiler, and the process may die after any instruction,
	 * so this store must happen, and here. */
	*(volatile uint32_t *)slot = 0;
}

static void answer_journal(struct worker *w)
{
	unsigned char *own = w->slot;

	for (int i = 0; i < THREADS; i++) {
		volatile unsigned char *deaths = &w->s->journal->deaths[i];

		w->slot = w->s->journal->slot[i];
		if (whole_request(w->slot, SLOT)) {
			if (*deaths >= DEATHS_MAX) {
				refuse(w);
			} else {
				++*deaths; /* before: we may not come back */
				(void)answer(w);
			}
		}
		clear(w->slot);
		*deaths = 0;
	}
	w->slot = own;
}

static void serving_free(struct fuse_serving *s)
{
	if (s->journal)
		(void)munmap(s->journal, sizeof(*s->journal)); /* cannot fail for what was mapped */
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* A thread has done. */
static void leave(struct fuse_serving *s)
{
	bool last;

	pthread_mutex_lock(&s->lock);
	last = --s->live == 0;
	pthread_mutex_unlock(&s->lock);
	if (!last)
		return;
	squash_free(s->sq);
	(void)close(s->dev);
	(void)close(s->journal_fd);
	s->ended(s->arg);
	serving_free(s);
}

static bool start_thread(struct fuse_serving *s, bool first);

/* A single thread serves until a request has waited while it was busy with another. */
static void help_wanted(struct fuse_serving *s)
{
	struct pollfd p = {.fd = s->dev, .events = POLLIN};

	/* Read without the lock: at worst one look too many. */
	if (__atomic_load_n(&s->started, __ATOMIC_RELAXED) < s->max && poll(&p, 1, 0) > 0 &&
		(p.revents & POLLIN))
		(void)start_thread(s, false); /* without it, slower */
}

/* Programs and libraries are read in random places by a process that waits for each page. So after the beginning of
 * one was read, the rest is decoded meanwhile, on a processor that would be idle: by at most one thread, while another
 * one is left to answer. */
static void read_ahead(struct fuse_serving *s, uint64_t node)
{
	bool mine;

	pthread_mutex_lock(&s->lock);
	if (s->n_ahead < AHEAD_FILES)
		s->ahead[s->n_ahead++] = node;
	mine = !s->reading_ahead;
	s->reading_ahead = true;
	pthread_mutex_unlock(&s->lock);
	while (mine) {
		pthread_mutex_lock(&s->lock);
		mine = s->reading_ahead = s->n_ahead > 0;
		if (mine) {
			node = s->ahead[0];
			memmove(s->ahead, s->ahead + 1, (size_t)--s->n_ahead * sizeof(node));
		}
		pthread_mutex_unlock(&s->lock);
		if (mine)
			fuse_read_ahead(s->sq, node);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct fuse_serving *s = w->s;
	uint64_t ahead;

	if (w->first)
		answer_journal(w);
	/* Touches both pages of the slot, so that no page fault and signal can interrupt the kernel while it copies a
	 * request, which would be lost. */
	*(volatile char *)(w->slot + SLOT / 2) = 0;
	for (;;) {
		ssize_t n;

		clear(w->slot);
		n = read(s->dev, w->slot, SLOT);

		if (n < 0 && (errno == ENODEV || errno == ECONNABORTED || errno == EBADF))
			break;
		if (n < 0 && errno == ENOMEM)
			(void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		if (n < 0) /* ENOENT: the requesting process is gone; or EINTR, EAGAIN */
			continue;
		ahead = whole_request(w->slot, (size_t)n) ? answer(w) : 0;
		clear(w->slot);
		help_wanted(s);
		if (ahead && s->max > 2 && (s->started > 1 || start_thread(s, false)))
			read_ahead(s, ahead);
	}
	free(w);
	leave(s);
	return NULL;
}

/* 0, or why there is none. */
static int new_thread(void *(*function)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t id;
	int why;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	why = pthread_create(&id, &attr, function, arg);
	pthread_attr_destroy(&attr);
	return why;
}

static bool start_thread(struct fuse_serving *s, bool first)
{
	struct worker *w;
	int slot, why;

	pthread_mutex_lock(&s->lock);
	slot = s->started < s->max ? s->started++ : -1;
	s->live += slot >= 0;
	pthread_mutex_unlock(&s->lock);
	if (slot < 0)
		return false;
	w = xcalloc(1, sizeof(*w));
	*w = (struct worker){.s = s, .slot = s->journal->slot[slot], .first = first};
	why = new_thread(work, w);
	if (!why)
		return true;
	free(w);
	pthread_mutex_lock(&s->lock);
	s->live--; /* the slot stays lost: there may be later ones in use */
	pthread_mutex_unlock(&s->lock);
	errno = why;
	return false;
}

struct program {
	struct fuse_serving *s;
	size_t len;
	enum squash_part part;
	char paths[];
};

static void *foresee(void *arg)
{
	struct program *p = arg;
	struct fuse_serving *s = p->s;

	squash_foresee(s->sq, p->paths, p->len, p->part);
	free(p);
	leave(s);
	return NULL;
}

bool fuse_hold(struct fuse_serving *s)
{
	bool live;

	pthread_mutex_lock(&s->lock);
	live = s->live > 0;
	s->live += live;
	pthread_mutex_unlock(&s->lock);
	return live;
}

static void foresee_part(struct fuse_serving *s, const char *paths, size_t len, enum squash_part part)
{
	struct program *p = xcalloc(1, sizeof(*p) + len);

	p->s = s;
	p->len = len;
	p->part = part;
	memcpy(p->paths, paths, len);
	if (new_thread(foresee, p) == 0)
		return;
	free(p);
	leave(s);
}

void fuse_foresee(struct fuse_serving *s, const char *paths, size_t len)
{
	if (fuse_hold(s))
		foresee_part(s, paths, len, SQUASH_BESIDE);
	foresee_part(s, paths, len, SQUASH_PROGRAM);
}

int fuse_journal_new(struct err *e)
{
	struct journal_head head = {.magic = JOURNAL_MAGIC};
	auto_close int fd = -1;

#ifdef MFD_NOEXEC_SEAL
	fd = memfd_create("sbx-journal", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
#endif
	if (fd < 0)
		fd = memfd_create("sbx-journal", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, sizeof(struct journal)) < 0)
		return err_sys(e, "memory for a journal");
	if (getrandom(&head.id, sizeof(head.id), 0) != sizeof(head.id))
		return err_sys(e, "getrandom");
	head.id |= 1;
	if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head))
		return err_sys(e, "memory for a journal");
	return take_fd(&fd);
}

uint64_t fuse_journal_id(int journal)
{
	struct journal_head head;
	struct stat st;

	if (fstat(journal, &st) < 0 || st.st_size != sizeof(struct journal) ||
		pread(journal, &head, sizeof(head), 0) != sizeof(head))
		return 0;
	return head.magic == JOURNAL_MAGIC ? head.id : 0;
}

static int threads_useful(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) + 1 : THREADS;

	return n < THREADS ? n : THREADS;
}

int fuse_serve(struct squash *sq, int dev, int journal, struct fuse_ids ids, void (*ended)(void *),
	void *arg, struct fuse_serving **out, struct err *e)
{
	struct fuse_serving *s = xcalloc(1, sizeof(*s));

	static_assert(sizeof(struct journal) == 4096 + THREADS * SLOT, "slots begin at a page");
	static_assert(SLOT >= sizeof(struct fuse_in_header) + sizeof(struct fuse_write_in) + MAX_WRITE,
		"the kernel wants room for the largest write");
	*s = (struct fuse_serving){.sq = sq,
		.dev = dev,
		.journal_fd = journal,
		.ids = ids,
		.ended = ended,
		.arg = arg,
		.max = threads_useful()};
	pthread_mutex_init(&s->lock, NULL);
	*out = s;
	s->journal = mmap(NULL, sizeof(*s->journal), PROT_READ | PROT_WRITE, MAP_SHARED, journal, 0);
	if (s->journal == MAP_FAILED) {
		s->journal = NULL;
		(void)err_sys(e, "the journal");
	} else if (start_thread(s, true)) {
		return 0;
	} else {
		(void)err_sys(e, "start a thread");
	}
	serving_free(s);
	return -1;
}
