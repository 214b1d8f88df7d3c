/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_list: lists containers. Nearly all the time goes into opening a small file for each, in the kernel: with hundreds of
 * containers two threads read, which share nothing but the list, and the result is cached in a deck.
 */
#include "deck.h"
#include "size.h"
#include "statedir.h"
#include "sys.h"

#include <pthread.h>
#include <string.h>

enum { MANY = 512 };

struct gather {
	const struct store *s;
	struct state *list;
	size_t n, room;
	bool blind; /* one that runs cannot be read */
};

static void push(struct gather *g, const struct state *st)
{
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 64;
		g->list = xrealloc(g->list, g->room, sizeof(*g->list));
	}
	g->list[g->n++] = *st;
}

/* Shown as dead, so that its id can be seen and it can be removed. */
static void unreadable(const char *id, const struct err *why, struct state *out)
{
	*out = (struct state){.status = ST_DEAD};
	memcpy(out->id, id, ID_LEN + 1);
	out->name = xstrndup(id, 12);
	out->image = xstrdup("");
	out->command = xstrdup("");
	out->error = xstrdup(why->text);
}

/* ---- running containers: only they have a life file ---- */

/* The container that a life file is about. */
static bool entry_id(const char *entry, id_text id)
{
	if (strlen(entry) < ID_LEN || strcmp(entry + ID_LEN, ".life") != 0)
		return false;
	memcpy(id, entry, ID_LEN);
	id[ID_LEN] = '\0';
	return str_is_hex(id, ID_LEN);
}

static int gather_running(const struct dirent *d, void *arg, struct err *e)
{
	struct gather *g = arg;
	struct state st = {0};
	struct err why;
	id_text id;

	(void)e; /* one bad container does not hide the others */
	if (!entry_id(d->d_name, id))
		return 0;
	if (statedir_load(g->s, id, false, &st, &why) < 0) {
		if (why.kind == ERR_NOT_FOUND) {
			life_clean(g->s, id);
		} else if (!life_is_stale(g->s, id)) {
			unreadable(id, &why, &st);
			push(g, &st);
			g->blind = true;
		}
		return 0;
	}
	if (state_runs(&st)) {
		push(g, &st);
		return 0;
	}
	life_clean(g->s, st.id);
	state_done(&st);
	return 0;
}

/* ---- all ---- */

struct card {
	id_text id;
	struct sign sign;
	bool read;
	bool drawn; /* read from the deck */
};

struct cards {
	const struct store *s;
	struct strv *orphans; /* ids, see life_repair(); NULL: the caller does not remove orphans */
	struct card *v;
	struct state *states; /* of each */
	size_t n, room;
};

static int gather_id(const struct dirent *d, void *arg, struct err *e)
{
	struct cards *c = arg;

	(void)e; /* as above */
	if (!str_is_hex(d->d_name, ID_LEN)) {
		if (d->d_name[0] == '.')
			remove_leftover(c->s, d->d_name, c->orphans);
		return 0;
	}
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->v = xrealloc(c->v, c->room, sizeof(*c->v));
	}
	c->v[c->n] = (struct card){0};
	memcpy(c->v[c->n++].id, d->d_name, ID_LEN + 1);
	return 0;
}

/* Parts of the list. */

static void *ask_signs(void *arg)
{
	const struct cards *c = arg;
	auto_close int dir = statedir_all(
		c->s); /* opened for each thread, as sharing a descriptor is slower; -1: then no card has a sign */

	for (size_t i = 0; i < c->n; i++)
		deck_sign(dir, c->v[i].id, &c->v[i].sign);
	return NULL;
}

/* A card that cannot be read is read again later by the thread that may repair it. */
static void *read_cards(void *arg)
{
	const struct cards *c = arg;
	struct err unused;

	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].read)
			c->v[i].read =
				statedir_read(c->s, c->v[i].id, false, &c->states[i], &unused) == 0;
	return NULL;
}

static void by_two(const struct cards *c, void *(*work)(void *arg))
{
	struct cards first = *c, second = *c;
	pthread_t other;

	first.n = c->n / 2;
	second.v += first.n;
	second.states += first.n;
	second.n -= first.n;
	if (pthread_create(&other, NULL, work, &second) == 0) {
		(void)work(&first);
		(void)pthread_join(other, NULL); /* it was made just now */
	} else {
		(void)work(&first);
		(void)work(&second);
	}
}

/* Draws those whose signs match from the deck; returns how many. By one thread, as allocating memory needs no lock
 * while there is only one. */
static size_t draw_cards(const struct cards *c, struct deck *d)
{
	size_t drawn = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct card *card = &c->v[i];

		card->read = card->drawn = deck_draw(d, card->id, &card->sign, &c->states[i]);
		drawn += card->drawn;
	}
	return drawn;
}

/* Writes a new deck, if many cards are missing in the present one, or many in it are useless. */
static void keep_cards(const struct cards *c, size_t useless, int64_t began_ns)
{
	auto_free struct deck_card *all = xcalloc(c->n, sizeof(*all));
	struct timespec now;
	size_t n = 0;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	for (size_t i = 0; i < c->n; i++) {
		const struct card *card = &c->v[i];

		useless += card->read && !card->drawn && deck_settled(&card->sign, &now);
		if (card->read)
			all[n++] = (struct deck_card){&c->states[i], &card->sign};
	}
	if (useless >= MANY / 8 && useless >= c->n / 16)
		deck_write(c->s, all, n, began_ns);
}

static void read_all(const struct cards *c)
{
	auto_deck struct deck d = {0};
	int64_t began_ns = sys_now_ns();
	size_t drawn;

	if (c->n < MANY) {
		deck_remove(c->s);
		container_sizes_forget(c->s);
		(void)read_cards((void *)(uintptr_t)c);
		return;
	}
	deck_open(c->s, &d);
	by_two(c, ask_signs);
	drawn = draw_cards(c, &d);
	if (c->n - drawn < MANY)
		(void)read_cards((void *)(uintptr_t)c);
	else
		by_two(c, read_cards);
	keep_cards(c, d.n - drawn, began_ns);
}

/* False: it was removed meanwhile. */
static bool look_again(const struct store *s, const struct card *c, struct state *st, struct strv *orphans)
{
	struct err why;

	if (c->read && life_repair(s, st, orphans, &why) == 0)
		return true;
	state_done(st);
	if (statedir_load(s, c->id, false, st, &why) == 0)
		return true;
	if (why.kind != ERR_NOT_FOUND)
		unreadable(c->id, &why, st);
	return why.kind != ERR_NOT_FOUND;
}

static void gather_all(struct cards *c, struct gather *g)
{
	c->states = xcalloc(c->n, sizeof(*c->states));
	read_all(c);
	for (size_t i = 0; i < c->n; i++)
		if (look_again(c->s, &c->v[i], &c->states[i], c->orphans)) {
			c->states[g->n] = c->states[i];
			c->states[g->n++].sign = c->v[i].sign;
		}
	g->list = c->states;
	orphans_remove(c->s, c->orphans);
}

struct place {
	struct timespec created;
	struct state *st;
};

static int newest_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->created.tv_sec != y->created.tv_sec)
		return x->created.tv_sec < y->created.tv_sec ? 1 : -1;
	if (x->created.tv_nsec != y->created.tv_nsec)
		return x->created.tv_nsec < y->created.tv_nsec ? 1 : -1;
	return strcmp(x->st->id, y->st->id);
}

/* Sorts the places of the structs, as a struct has 400 bytes and sorting moves each a dozen times. Then each one is
 * moved to its place, cycle by cycle: a second list would take megabytes of new pages. */
static void sort(struct gather *g)
{
	auto_free struct place *order = xcalloc(g->n, sizeof(*order));

	for (size_t i = 0; i < g->n; i++)
		order[i] = (struct place){g->list[i].created, &g->list[i]};
	qsort(order, g->n, sizeof(*order), newest_first);
	for (size_t first = 0; first < g->n; first++) {
		struct state hand = g->list[first];
		size_t to = first;

		while (order[to].st != &g->list[first]) {
			size_t from = (size_t)(order[to].st - g->list);

			g->list[to] = g->list[from];
			order[to].st = &g->list[to];
			to = from;
		}
		g->list[to] = hand;
		order[to].st = &g->list[to];
	}
}

static int gather_ids(const struct store *s, struct cards *c, struct err *e)
{
	return statedir_each(s->root, "containers", gather_id, c, e) < 0 ? store_ctx(s, e) : 0;
}

static int gather_lives(const struct store *s, struct gather *g, struct err *e)
{
	struct cards unused = {.s = s};
	int result = 0;

	if (statedir_each(s->runtime, "c", gather_running, g, e) < 0)
		return err_ctx(e, "%s (SBX_RUNTIME can name another place)", s->runtime_path);
	if (g->blind) { /* is it this life file, or all of them? */
		result = gather_ids(s, &unused, e);
		free(unused.v);
	}
	return result;
}

int state_list(const struct store *s, bool running_only, struct state **out, size_t *n, struct err *e)
{
	struct gather g = {.s = s};
	auto_strv struct strv orphans = {0};
	struct cards c = {.s = s, .orphans = &orphans};

	if ((running_only ? gather_lives(s, &g, e) : gather_ids(s, &c, e)) < 0) {
		state_list_free(g.list, g.n);
		free(c.v);
		return -1;
	}
	if (!running_only)
		gather_all(&c, &g);
	free(c.v);
	if (g.n)
		sort(&g);
	*out = g.list;
	*n = g.n;
	return 0;
}

static bool is_alive(const struct store *s, const struct state *st)
{
	return st->status == ST_DEAD ? !life_is_over(s, st->id) : state_runs(st);
}

int state_list_alive(const struct store *s, struct state **out, size_t *n, struct err *e)
{
	struct state *all = NULL;
	size_t many = 0, kept = 0;

	if (state_list(s, false, &all, &many, e) < 0)
		return -1;
	for (size_t i = 0; i < many; i++) {
		if (is_alive(s, &all[i]))
			all[kept++] = all[i];
		else
			state_done(&all[i]);
	}
	*out = all;
	*n = kept;
	return 0;
}

static int add_id(const struct dirent *d, void *arg, struct err *e)
{
	(void)e; /* nothing fails */
	if (str_is_hex(d->d_name, ID_LEN))
		strv_add(arg, d->d_name);
	return 0;
}

int state_ids(const struct store *s, struct strv *out, struct err *e)
{
	return statedir_each(s->root, "containers", add_id, out, e) < 0 ? store_ctx(s, e) : 0;
}

void state_list_free(struct state *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		state_done(&list[i]);
	free(list);
}
