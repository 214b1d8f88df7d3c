/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_clients: attached clients and their messages. */
#include "supervise_parts.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define CLIENTS_ROOM 4
#define DEAF_NS      100000000

static void drop_client(struct sup *s, size_t i)
{
	struct client *c = &s->clients[i];

	(void)close(c->sock); /* the other side is gone */
	while (c->pending) {
		struct frame *f = c->pending;

		c->pending = f->next;
		free(f);
	}
	*c = s->clients[--s->n_clients];
}

/* Sends a message, or keeps it until the client can take it. Meanwhile no output is read from the container, so that
 * it is slowed down to its reader's pace, as with docker. */
static bool tell_client(struct client *c, enum ctl_kind kind, const void *data, size_t n)
{
	struct frame **end = &c->pending, *f;

	if (!c->pending && ctl_send(c->sock, kind, data, n) == 0)
		return true;
	if (!c->pending && errno != EAGAIN)
		return false;
	f = xcalloc(1, sizeof(*f) + n);
	f->kind = kind;
	f->n = n;
	memcpy(f->data, data, n);
	while (*end)
		end = &(*end)->next;
	*end = f;
	return true;
}

bool sup_any_pending(const struct sup *s)
{
	for (size_t i = 0; i < s->n_clients; i++)
		if (s->clients[i].pending && !s->clients[i].over)
			return true;
	return false;
}

static bool ends(const struct client *c)
{
	char kind = 0;
	ssize_t n = recv(c->sock, &kind, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 ? c->wants.die_with_me
	              : n > 0 && (kind == CTL_STOP || kind == CTL_SIGNAL || kind == CTL_TOLD);
}

bool sup_any_ends(const struct sup *s)
{
	for (size_t i = 0; i < s->n_clients; i++)
		if (ends(&s->clients[i]))
			return true;
	return false;
}

static void flush_client(struct client *c)
{
	while (c->pending) {
		struct frame *f = c->pending;

		if (ctl_send(c->sock, f->kind, f->data, f->n) < 0 && errno == EAGAIN)
			return;
		c->pending = f->next; /* nothing can be sent to a client that is gone, as its hang-up tells */
		free(f);
	}
}

void sup_tell_last(struct sup *s, enum ctl_kind kind, const void *data, size_t n)
{
	for (size_t i = s->n_clients; i-- > 0;) {
		struct client *c = &s->clients[i];

		if (c->over)
			continue;
		c->over = true;
		c->wants = (struct ctl_attach){0};
		if (!tell_client(c, kind, data, n) || !c->pending)
			drop_client(s, i);
	}
}

void sup_let_clients_go(struct sup *s)
{
	struct pollfd *p = s->polls = xrealloc(s->polls, s->n_clients + 1, sizeof(*s->polls));

	while (s->n_clients > 0) {
		for (size_t i = 0; i < s->n_clients; i++)
			p[i] = (struct pollfd){.fd = s->clients[i].sock, .events = POLLOUT};
		if (poll(p, s->n_clients, -1) < 0 && errno != EINTR)
			return;
		sup_on_clients(s, p);
	}
}

/* There is no limit on their number, as any of them may be about to stop the container. */
void sup_add_client(struct sup *s, int sock)
{
	if (s->n_clients == s->room) {
		s->room = s->room ? 2 * s->room : CLIENTS_ROOM;
		s->clients = xrealloc(s->clients, s->room, sizeof(*s->clients));
	}
	s->clients[s->n_clients++] = (struct client){.sock = sock};
}

/* Adds a client that has waited for the start. */
void sup_join_client(int sock, const struct ctl_attach *wants, void *arg)
{
	struct sup *s = arg;

	sup_add_client(s, sock);
	s->clients[s->n_clients - 1].wants = *wants;
}

void sup_lose_client(struct sup *s, size_t i)
{
	struct ctl_attach wants = s->clients[i].wants;

	drop_client(s, i);
	if (wants.die_with_me)
		sup_end_container(s, END_CLIENT);
	else if (wants.in && s->ask->spec->stdin_once) {
		/* docker closes the input of "run -i" when its client is gone */
		s->stdin_eof = true;
		sup_feed(s);
	}
}

void sup_tell_clients(struct sup *s, int stream, const char *data, size_t n)
{
	for (size_t i = s->n_clients; i-- > 0;) {
		struct client *c = &s->clients[i];

		if (stream == 0 ? !c->wants.out : !c->wants.err)
			continue;
		if (!tell_client(c, stream == 0 ? CTL_OUT : CTL_ERR, data, n))
			sup_lose_client(s, i); /* the loop would not find it any more */
	}
}

static void resize(struct sup *s, const char *data)
{
	struct ctl_size size;
	struct winsize w = {0};

	memcpy(&size, data, sizeof(size)); /* the payload is one byte off alignment */
	w.ws_row = size.rows;
	w.ws_col = size.cols;
	if (s->c.pty >= 0)
		(void)ioctl(s->c.pty, TIOCSWINSZ, &w); /* the terminal may be gone */
}

static void pass_signal(struct sup *s, const char *data)
{
	int32_t signo;

	memcpy(&signo, data, sizeof(signo)); /* likewise */
	s->sent |= 1ULL << (unsigned int)signo % 64;
	if (signo == SIGKILL)
		sup_kill(s);
	else
		(void)sys_pidfd_kill(s->c.pidfd, signo); /* it may have ended */
}

/* ---- signals: clients that have another runtime directory do not find the socket (ctl.h) ---- */

static volatile sig_atomic_t told_to_end, told_to_keep;

static void on_signal(int signo)
{
	if (signo == CTL_STOP_SIGNAL)
		told_to_end = 1;
	else
		told_to_keep = 1;
}

void sup_begin_signals(void)
{
	sigset_t set;

	(void)signal(CTL_STOP_SIGNAL, on_signal);
	(void)signal(CTL_KEEP_SIGNAL, on_signal);
	(void)sigemptyset(&set); /* these cannot fail */
	(void)sigaddset(&set, CTL_STOP_SIGNAL);
	(void)sigaddset(&set, CTL_KEEP_SIGNAL);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL); /* the client may have blocked them */
}

void sup_heed_signals(struct sup *s)
{
	s->by_hand |= told_to_end != 0;
	if (told_to_keep)
		s->ask->state->auto_remove = false;
}

static void note_by_hand(struct sup *s, const struct ctl_frame *f, ssize_t n)
{
	uint64_t signals = 0;

	if (n == sizeof(signals))
		memcpy(&signals, f->data, sizeof(signals)); /* likewise */
	s->sent |= signals;
	s->by_hand |= f->kind == CTL_STOP;
}

static void update(struct sup *s, struct client *c)
{
	sup_update(s);
	(void)tell_client(c, CTL_UPDATED, "", 0); /* the client may be gone */
}

static void keep(struct sup *s, struct client *c)
{
	s->ask->state->auto_remove = false;
	(void)tell_client(c, CTL_UPDATED, "", 0); /* as above */
}

static void tell_whether_it_goes_on(const struct sup *s, struct client *c)
{
	if (s->end == END_EXITED)
		(void)tell_client(c, CTL_UPDATED, "", 0); /* as above */
}

/* Handles one message of client i; false: the client is gone. */
static bool hear_client(struct sup *s, size_t i)
{
	struct ctl_frame *f = xcalloc(1, sizeof(*f));
	struct client *c = &s->clients[i];
	ssize_t n = ctl_recv(c->sock, f);
	bool alive = n >= 0 || errno == EAGAIN;

	if (n < 0)
		f->kind = 0;
	if (f->kind == CTL_ATTACH && n == sizeof(struct ctl_attach))
		memcpy(&c->wants, f->data, sizeof(c->wants));
	else if (f->kind == CTL_STDIN && c->wants.in)
		sup_take_input(s, f->data, (size_t)n);
	else if (f->kind == CTL_EOF && c->wants.in)
		s->stdin_eof = true;
	else if (f->kind == CTL_RESIZE && n == sizeof(struct ctl_size))
		resize(s, f->data);
	else if (f->kind == CTL_UPDATE)
		update(s, c);
	else if (f->kind == CTL_STOP || f->kind == CTL_KILLED)
		note_by_hand(s, f, n);
	else if (f->kind == CTL_KEEP)
		keep(s, c);
	else if (f->kind == CTL_ASK)
		tell_whether_it_goes_on(s, c);
	else if (f->kind == CTL_SIGNAL && n == sizeof(int32_t))
		pass_signal(s, f->data);
	if (f->kind == CTL_EOF)
		sup_feed(s);
	free(f);
	return alive;
}

void sup_on_clients(struct sup *s, const struct pollfd *p)
{
	/* Backwards, as a client that leaves is replaced by the last one. */
	for (size_t i = s->n_clients; i-- > 0;) {
		short got = p[i].revents;

		if (got & POLLOUT)
			flush_client(&s->clients[i]);
		if (s->clients[i].over) {
			if (!s->clients[i].pending || (got & (POLLHUP | POLLERR)))
				drop_client(s, i);
		} else if ((got & POLLIN) ? !hear_client(s, i) : (got & (POLLHUP | POLLERR)) != 0)
			sup_lose_client(s, i);
	}
}

bool sup_accept(struct sup *s)
{
	int sock = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (sock >= 0)
		sup_add_client(s, sock);
	/* The client is still waiting, and nothing tells when a descriptor becomes free. */
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		s->deaf_until = sys_now_ns() + DEAF_NS;
	return sock >= 0;
}

void sup_on_listener(struct sup *s)
{
	(void)sup_accept(s); /* the client may be gone again */
	sup_look_soon(s);
	sup_set_timer(s);
}
