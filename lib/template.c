/* SPDX-License-Identifier: Apache-2.0 */
#include "template.h"

#include "auto.h"
#include "engine.h"
#include "fdmsg.h"
#include "keeper.h"
#include "seccomp.h"
#include "sys.h"

#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* For the whole container: cells that run, that are being made and that are dying, and the processes that make
 * them. */
#define ALL_PIDS(workers, pids) (2 * ((int64_t)(workers) + KEEPER_LANES) * ((pids) + 2) + 64)

#define STOP_NS  10000000000LL /* so long a container may take to end by itself */
#define ALONE_MS 1000

/* ---- start ---------------------------------------------------------------------------- */

/* The container holds what its children are to have none of. Its /proc is not masked: beside a masked one the kernel
 * refuses to mount a fresh one. */
static int make_spec(const struct template_ask *ask, struct spec *s, struct err *e)
{
	const struct eval_place *place = ask->place;
	struct spec_mount *m;
	char exe[4096];

	if (sys_own_path(exe, sizeof(exe)) < 0)
		return err_sys(e, "find this program");
	eval_spec(place, ask->memory, s);
	s->init = 0;
	s->read_only = false;
	s->memory = SPEC_UNSET;
	s->pids_limit = ALL_PIDS(ask->workers, s->pids_limit); /* each cell has its own limit below */
	s->n_ulimits = 0;
	strv_done(&s->cap_drop);
	strv_done(&s->security_opt);
	strv_add(&s->cap_add, "ALL");
	strv_add(&s->security_opt, "seccomp=unconfined");
	strv_add(&s->security_opt, "systempaths=unconfined");
	m = spec_add_mount(s);
	m->kind = MOUNT_BIND;
	m->src = xstrdup(exe);
	m->dst = xstrdup(KEEPER_PATH);
	m->read_only = true;
	m->why = xstrdup("the keeper of a pool");
	strv_add(&s->cmd, KEEPER_PATH);
	strv_addf(&s->cmd, "%lld", (long long)ask->memory);
	strv_addf(&s->cmd, "%lld", (long long)(place->pids ? place->pids : EVAL_PIDS));
	strv_add(&s->cmd, place->python ? place->python : "python3");
	for (size_t i = 0; i < ask->preload->n; i++)
		strv_add(&s->cmd, ask->preload->v[i]);
	return 0;
}

/* What a child may call, as a file: of each part its instructions' number, then of each the instructions. */
static int make_program(const struct eval_place *place, struct err *e)
{
	struct seccomp_ask ask = {
		.caps = UINT64_C(1) << CAP_MKNOD, .fake_root = true, .part = SECCOMP_FIRST};
	auto_seccomp struct seccomp_filter first = {0}, last = {0};
	auto_close int fd = -1;
	uint32_t lens[2];

	if (seccomp_get(place->store, &ask, &first, e) < 0)
		return -1;
	ask.part = SECCOMP_LAST;
	if (seccomp_get(place->store, &ask, &last, e) < 0)
		return -1;
	lens[0] = first.len;
	lens[1] = last.len;
	fd = memfd_create("seccomp", MFD_CLOEXEC);
	if (fd < 0 || sys_write_all(fd, lens, sizeof(lens)) < 0 ||
		sys_write_all(fd, first.code, first.len * sizeof(*first.code)) < 0 ||
		sys_write_all(fd, last.code, last.len * sizeof(*last.code)) < 0)
		return err_sys(e, "a file of the filter");
	return take_fd(&fd);
}

/* To each lane's keeper and template: ours in the template, theirs two a lane. */
static int connect_lanes(struct template *t, size_t n, int *theirs, struct err *e)
{
	for (; t->n_lanes < n; t->n_lanes++, theirs += 2) {
		int keeper[2], python[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, keeper) < 0)
			return err_sys(e, "socketpair");
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, python) < 0) {
			(void)close(keeper[0]);
			(void)close(keeper[1]);
			return err_sys(e, "socketpair");
		}
		t->lanes[t->n_lanes] = (struct template_lane){.keeper = keeper[0], .python = python[0]};
		theirs[0] = keeper[1];
		theirs[1] = python[1];
	}
	return 0;
}

static int say(int keeper, const struct keeper_message *m, const int *fds, int n)
{
	return fdmsg_send(keeper, m, offsetof(struct keeper_message, text), fds, n);
}

/* theirs[0], which the container gets as its input, makes room for the program: that is what 'b' brings along. */
static int start(struct template *t, const struct template_ask *ask, int *theirs, struct err *e)
{
	auto_close int program = make_program(ask->place, e);
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC), stdin_of = -1;
	auto_spec struct spec spec;

	spec_init(&spec);
	if (program < 0 || connect_lanes(t, ask->lanes, theirs, e) < 0 || make_spec(ask, &spec, e) < 0)
		return -1;
	t->engine = engine_open(ask->place->store, &spec, (int[]){theirs[0], null, null}, t->id, e);
	if (t->engine < 0)
		return -1;
	stdin_of = theirs[0];
	theirs[0] = take_fd(&program);
	if (say(t->lanes[0].keeper, &(struct keeper_message){.what = 'b'}, theirs, 2 * (int)ask->lanes) < 0)
		return err_sys(e, "talk to the pool's container");
	return 0;
}

static void close_all(struct template *t)
{
	for (size_t i = 0; i < t->n_lanes; i++) {
		auto_close_(&t->lanes[i].keeper);
		auto_close_(&t->lanes[i].python);
	}
	auto_close_(&t->engine); /* then the container ends */
}

int template_start(struct template *t, const struct template_ask *ask, struct err *e)
{
	int theirs[2 * KEEPER_LANES], result;

	*t = TEMPLATE_NONE;
	memset(theirs, -1, sizeof(theirs));
	result = start(t, ask, theirs, e);
	for (size_t i = 0; i < ARRAY_LEN(theirs); i++)
		auto_close_(&theirs[i]);
	if (result == 0)
		return 0;
	close_all(t);
	*t = TEMPLATE_NONE;
	return -1;
}

int template_child(struct template *t, size_t lane, const struct template_child *child, const int std[3])
{
	const struct keeper_message m = {
		.what = 'c', .haste = child->haste, .cpu = (int16_t)child->cpu, .number = child->number};

	return say(t->lanes[lane].keeper, &m, std, 3);
}

/* ---- what it says --------------------------------------------------------------------- */

static bool gone(struct template_news *out, const char *why)
{
	out->what = TEMPLATE_GONE;
	(void)snprintf(out->text, sizeof(out->text), "%s", why); /* may be cut */
	return true;
}

static bool hear_keeper(const struct template_lane *l, struct template_news *out)
{
	struct keeper_message m;
	int fds[3], n = 3;
	long len = fdmsg_recv(l->keeper, &m, sizeof(m) - 1, fds, &n, MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len < (long)offsetof(struct keeper_message, text))
		return gone(out, "its container has ended");
	((char *)&m)[len] = '\0';
	out->number = m.number;
	if (m.what == 'c' && n == 3) {
		out->what = TEMPLATE_CELL;
		out->pidfd = fds[0];
		out->proc = fds[1];
		out->files = fds[2];
		return true;
	}
	for (int i = 0; i < n; i++)
		(void)close(fds[i]); /* unexpected descriptors */
	if (m.what == 'x')
		return gone(out, m.text);
	out->what = TEMPLATE_NO_CELL;
	(void)snprintf(out->text, sizeof(out->text), "%s", m.text); /* fits */
	return true;
}

static bool hear_end(const char *said, size_t n, struct template_news *out)
{
	struct keeper_end m;

	if (n != sizeof(m) || said[0] != 'e')
		return false;
	memcpy(&m, said, sizeof(m));
	out->what = TEMPLATE_ENDED;
	out->number = m.number;
	out->status = m.status;
	out->usage = (struct rusage){
		.ru_utime = {(time_t)(m.user_us / 1000000), (suseconds_t)(m.user_us % 1000000)},
		.ru_stime = {(time_t)(m.system_us / 1000000), (suseconds_t)(m.system_us % 1000000)},
		.ru_maxrss = (long)m.maxrss_kb};
	return true;
}

/* Its forks end with it, in any order: whether one ended alone is known when it has not ended a while later. */
static bool has_ended(int python)
{
	struct pollfd on = {.fd = python}; /* for its end alone */

	return python < 0 || poll(&on, 1, ALONE_MS) > 0;
}

static bool hear_python(struct template *t, size_t lane, struct template_news *out)
{
	struct template_lane *l = &t->lanes[lane];
	char said[sizeof(out->text)];
	ssize_t n = recv(l->python, said, sizeof(said) - 1, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		/* The keeper will say why, unless it has ended as well, which is noticed next. But it does not know of
		 * forks. */
		(void)close(take_fd(&l->python));
		return !has_ended(t->lanes[0].python) && gone(out, "a fork of it has ended");
	}
	if (hear_end(said, (size_t)n, out))
		return true;
	said[n] = '\0';
	(void)snprintf(out->text, sizeof(out->text), "%s", said + (n > 1 ? 2 : 1)); /* fits */
	l->ready = said[0] == 'r';
	out->what = l->ready ? TEMPLATE_READY : TEMPLATE_UNABLE;
	return true;
}

void template_hear(struct template *t, size_t lane, struct template_news *out)
{
	struct template_lane *l = &t->lanes[lane];

	*out = (struct template_news){.what = TEMPLATE_QUIET, .pidfd = -1, .proc = -1, .files = -1};
	/* First children that have ended, as their template may have ended since. */
	if (lane >= t->n_lanes)
		return; /* it was stopped meanwhile */
	if (l->python >= 0 && hear_python(t, lane, out))
		return;
	(void)hear_keeper(l, out);
}

/* A keeper that is well ends when its socket is closed, and the container with it. One that is not (it was stopped by a
 * signal, or the file system below it does not answer) is killed when the engine's is. */
static void await_end(int engine)
{
	const int64_t until = sys_now_ns() + STOP_NS;
	struct pollfd on = {.fd = engine, .events = POLLIN};
	auto_free char *outcome = NULL;
	int status, ready;

	for (;;) {
		ready = poll(&on, 1, sys_poll_ms(until));
		if (ready == 0 || (ready > 0 && engine_hear(engine, &status, &outcome)))
			return;
	}
}

void template_stop(struct template *t)
{
	int engine = take_fd(&t->engine);

	close_all(t);
	if (engine >= 0) {
		await_end(engine); /* not closed yet: its end is heard there */
		(void)close(engine);
		/* Reaps the container's supervisor, our child. Code that waits for another child still can, unless
		 * that has ended, too. */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	*t = TEMPLATE_NONE;
}
