/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_parts.h"

#include "auto.h"
#include "eval_wire.h"
#include "keeper.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Memory is not written faster (watch.c has the same): there is nothing to see before. */
#define BYTES_PER_NS 8

/* As eval.c gives a container of its own. */
#define DATA_ROOM (128LL << 20)

void worker_clear(struct pool *p, struct worker *w)
{
	if ((w->state == WORKER_BUSY || w->state == WORKER_ENDED) && --p->busy == 0)
		p->free_since = sys_now_ns();
	auto_close_(&w->pidfd);
	auto_close_(&w->proc);
	auto_close_(&w->files);
	auto_close_(&w->holder);
	auto_close_(&w->answer);
	eval_io_done(&w->io);
	if (w->watched)
		watch_end(&w->watch);
	buf_done(&w->text);
	*w = (struct worker){.state = WORKER_EMPTY,
		.lane = w->lane,
		.pidfd = -1,
		.proc = -1,
		.files = -1,
		.holder = -1,
		.answer = -1,
		.io = EVAL_IO_NONE};
}

#define HOLDER_NS 200000LL /* until the next look whether it has ended */

#define CELL_NS 60000000000LL /* may take so long to be made, on a busy machine */
#define END_NS  15000000000LL /* and so long to be reaped when it was killed */

bool worker_is_lost(const struct worker *w, int64_t now)
{
	return w->lost && now >= w->lost && (w->state == WORKER_MAKING || w->state == WORKER_BUSY);
}

void worker_kill(struct worker *w, const char *reason)
{
	if (!w->killed && w->pid <= 0)
		w->lost = sys_now_ns() + END_NS;
	if (!w->killed)
		w->killed = reason;
	if (w->pid > 0)
		(void)kill(w->pid, SIGKILL); /* not waited for yet; its container ends with it */
	else if (w->pidfd >= 0)
		(void)sys_pidfd_kill(w->pidfd, SIGKILL); /* may have ended */
}

/* ---- in a container of its own -------------------------------------------------------- */

static void __attribute__((noreturn))
run_fresh(const struct pool *p, const struct job *j, int out, pid_t manager)
{
	const struct eval_place *place = p->ask->place;
	struct eval_result r;
	struct buf line = {0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != manager)
		_exit(1); /* it died before it could take us along */
	sys_keep_only((int[]){STDERR_FILENO, out, place->store->root, place->store->runtime}, 4);
	for (int i = 0; i < 2; i++) /* not closed, so that its number is not given to a descriptor that is opened next */
		(void)open("/dev/null", O_RDWR);
	eval_fresh(place, &j->request, &r);
	eval_result_line(&r, j->request.id, &line);
	_exit(sys_write_all(out, line.s, line.len) < 0);
}

static int start_fresh(struct pool *p, struct worker *w, struct err *e)
{
	pid_t self = getpid();
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	w->answer = pair[0];
	w->pid = fork();
	if (w->pid == 0)
		run_fresh(p, w->job, pair[1], self);
	(void)close(pair[1]); /* the other one's */
	if (w->pid < 0)
		return err_sys(e, "fork");
	(void)fcntl(w->answer, F_SETFL, O_NONBLOCK); /* of our end alone */
	return 0;
}

static void step_fresh(struct pool *p, struct worker *w)
{
	struct job *j = w->job;
	char data[65536];
	ssize_t n = sys_read(w->answer, data, sizeof(data));
	struct err e;

	if (n > 0) {
		buf_add(&w->text, data, (size_t)n);
		return;
	}
	if (n < 0 && errno == EAGAIN)
		return;
	(void)waitpid(w->pid, NULL, 0); /* our child, and only we wait for it */
	j->answer = w->text;
	w->text = (struct buf){0};
	worker_clear(p, w);
	if (j->answer.len && j->answer.s[j->answer.len - 1] == '\n') {
		job_answered(p, j);
		return;
	}
	(void)err_set(&e, ERR_SYSTEM, "what looked after the container was killed");
	job_refuse(p, j, "SetupError", &e);
}

/* ---- in the template's container ------------------------------------------------------ */

int worker_make(struct pool *p, struct worker *w, struct err *e)
{
	const struct template_child child = {
		.number = ++p->numbers, .cpu = homes_of(&p->homes, w->lane), .haste = p->first != NULL};
	int std[3], result;

	if (eval_io_open(&w->io, 0, std) < 0)
		result = err_sys(e, "streams of a snippet");
	else if (template_child(&p->template, w->lane, &child, std) < 0)
		result = err_sys(e, "ask for a cell");
	else
		result = 0;
	for (int i = 0; i < 3; i++)
		auto_close_(&std[i]);
	if (result < 0) {
		worker_clear(p, w);
		return -1;
	}
	w->number = child.number;
	w->state = WORKER_MAKING;
	w->lost = sys_now_ns() + CELL_NS;
	return 0;
}

static void start_warm(struct pool *p, struct worker *w)
{
	const struct eval_request *r = &w->job->request;
	uint64_t room = (uint64_t)r->memory + DATA_ROOM;

	w->io.keep = eval_keep(r);
	buf_add(&w->io.to, &room, sizeof(room));
	eval_wire_request(r, &w->io.to);
	eval_io_tell(&w->io); /* it is waited for: before anything is made for the next one */
	if (r->timeout_ns > 0)
		w->deadline = w->began + r->timeout_ns;
	w->next_look = w->began + r->memory / BYTES_PER_NS;
	if (geteuid() != 0)
		return;
	/* No resource limit counts the machine's root's processes. */
	w->pids = p->ask->place->pids ? p->ask->place->pids : EVAL_PIDS;
	w->next_look = w->began;
}

static void add_seconds(double *to, const struct timeval *t)
{
	*to = (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void make_result(struct pool *p, struct worker *w, struct eval_result *r)
{
	int signo = WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;
	const char *reason = w->killed;

	eval_take_io(p->ask->place, &w->job->request, &w->io, r);
	/* Of several processes the largest is killed, and the others may go on to a good end: of what does not fit. */
	if (!reason)
		reason = w->watch.killed && (!signo || signo == SIGKILL) ? "oom"
		         : signo                                         ? "signalled"
		                                                         : "exited";
	(void)snprintf(r->reason, sizeof(r->reason), "%s", reason); /* fits */
	r->signal = signo;
	r->exit_code = str_eq(reason, "timeout") ? 124
	               : signo                   ? 128 + signo
	                                         : WEXITSTATUS(w->status);
	r->wall = (double)w->wall_ns / 1e9;
	add_seconds(&r->user, &w->usage.ru_utime);
	add_seconds(&r->system, &w->usage.ru_stime);
	r->peak_memory = w->usage.ru_maxrss * 1024;
	if (w->watch.peak > r->peak_memory)
		r->peak_memory = w->watch.peak;
	memcpy(r->container, p->template.id, sizeof(p->template.id));
}

static void finish_warm(struct pool *p, struct worker *w)
{
	auto_result struct eval_result r = {0};
	struct job *j = w->job;

	make_result(p, w, &r);
	worker_clear(p, w);
	job_answer(p, j, &r);
}

static bool is_heard(const struct worker *w)
{
	return w->io.out[0] < 0 && w->io.out[1] < 0;
}

/* The snippet's process has ended. What it left behind is killed, and only then is all of the output there. If no
 * process is left that could write, the request is answered first, as ending a cell takes longer. */
static void end_warm(struct pool *p, struct worker *w, const struct template_news *news, bool refused)
{
	auto_close int cell = -1;

	p->failures = 0;
	p->isolated = p->isolated || !refused;
	w->status = refused ? SIGKILL : news->status;
	w->usage = news->usage;
	w->wall_ns = sys_now_ns() - w->began;
	w->state = WORKER_ENDED;
	eval_io_drain(&w->io);
	if (is_heard(w)) {
		cell = take_fd(&w->pidfd);
		finish_warm(p, w);
	}
	(void)sys_pidfd_kill(cell >= 0 ? cell : w->pidfd, SIGKILL); /* may have ended */
}

/* A child that could not be isolated sends this and nothing else; others begin with another word. */
static bool is_refusal(const struct buf *said)
{
	return said->len > 5 && said->s[0] == KEEPER_REFUSED;
}

void worker_hear(struct pool *p, struct worker *w, const struct template_news *news)
{
	bool refused;

	if (news->what == TEMPLATE_CELL) {
		w->pidfd = news->pidfd;
		w->proc = news->proc;
		w->files = news->files;
		w->state = WORKER_READY;
		w->lost = 0;
		return;
	}
	eval_io_drain(&w->io);
	refused = is_refusal(&w->io.from);
	/* A limit that was reached before it was isolated looks like a refusal: its pid 1 was killed meanwhile. */
	if (news->what == TEMPLATE_ENDED && w->state == WORKER_BUSY &&
		(w->killed || w->watch.killed || !refused)) {
		end_warm(p, w, news, refused);
		return;
	}
	/* It has run nothing. */
	(void)snprintf(p->failure, sizeof(p->failure), "%.250s",
		refused ? w->io.from.s + 5 : news->text); /* may be cut */
	worker_kill(w, "setup-error");
	if (w->job && w->job->client) {
		w->job->tries--;
		pool_queue_again(p, w->job);
	} else if (w->job) {
		job_answered(p, w->job);
	}
	worker_clear(p, w);
	p->failures++;
}

/* ---- both ----------------------------------------------------------------------------- */

void worker_start(struct pool *p, struct worker *w, struct job *j)
{
	struct err e;

	w->job = j;
	w->began = sys_now_ns();
	w->state = WORKER_BUSY;
	p->rested = p->busy == 0 && w->began >= p->free_since + WORKER_BRIEF_NS;
	p->busy++;
	j->tries++;
	if (!p->fresh) {
		start_warm(p, w);
	} else if (start_fresh(p, w, &e) < 0) {
		worker_clear(p, w);
		job_refuse(p, j, "SetupError", &e);
	}
}

/* The output of most snippets fits into the pipes: it is read when the snippet has ended, so that not every write
 * wakes us. A snippet that writes more waits for that long, once. */
bool worker_is_brief(const struct worker *w, int64_t now)
{
	return w->state == WORKER_BUSY && now < w->began + WORKER_BRIEF_NS;
}

static bool is_unheard(const struct worker *w, int64_t now)
{
	return worker_is_brief(w, now) && w->pid <= 0 && !w->io.to.len && !w->killed;
}

void worker_poll(const struct worker *w, int64_t now, struct pollfd fds[WORKER_FDS])
{
	for (int i = 0; i < WORKER_FDS; i++)
		fds[i] = (struct pollfd){.fd = -1};
	if ((w->state != WORKER_BUSY && w->state != WORKER_ENDED) || is_unheard(w, now))
		return;
	eval_io_poll(&w->io, fds);
	if (w->answer >= 0)
		fds[EVAL_IO_FDS] = (struct pollfd){.fd = w->answer, .events = POLLIN};
	else if (w->state == WORKER_ENDED)
		fds[EVAL_IO_FDS] = (struct pollfd){.fd = w->pidfd, .events = POLLIN};
}

void worker_step(struct pool *p, struct worker *w, const struct pollfd fds[WORKER_FDS])
{
	if (w->answer >= 0) {
		if (fds[EVAL_IO_FDS].revents)
			step_fresh(p, w);
		return;
	}
	eval_io_step(&w->io, fds);
	if (w->state != WORKER_ENDED)
		return;
	/* The cell's pid 1 ends as the last one. */
	if (fds[EVAL_IO_FDS].revents)
		eval_io_drain(&w->io);
	if (fds[EVAL_IO_FDS].revents || is_heard(w))
		finish_warm(p, w);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a && (!b || a < b) ? a : b;
}

int64_t worker_wakes(const struct worker *w, int64_t now)
{
	if (w->state == WORKER_MAKING || (w->state == WORKER_BUSY && w->killed))
		return w->lost;
	if (w->state != WORKER_BUSY)
		return 0;
	return earlier(worker_is_brief(w, now) ? w->began + WORKER_BRIEF_NS : 0,
		earlier(w->deadline, w->next_look));
}

/* A process with the same memory as the snippet would count as well; but only brief snippets need it, which this one
 * is not. */
static void kill_holder(struct worker *w)
{
	struct pollfd fds[EVAL_IO_FDS] = {[2] = {.revents = POLLIN}};

	if (!w->io.from.len)
		eval_io_step(&w->io, fds); /* the first word may not have been wanted before */
	if (!w->io.from.len || w->io.from.s[0] != KEEPER_HELD)
		return;
	w->holder = openat(w->proc, KEEPER_HOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->holder >= 0)
		(void)sys_pidfd_kill(w->holder, SIGKILL); /* may have ended */
}

static bool holder_is_gone(struct worker *w)
{
	char text[64];

	if (w->holder >= 0 && sys_get(w->holder, "statm", text, sizeof(text)) > 0 &&
		!str_starts(text, "0 "))
		return false;
	auto_close_(&w->holder);
	w->holder = -1;
	return true;
}

static void begin_watch(struct worker *w)
{
	/* and pid 1 */
	struct plan plan = {
		.namespaces = CLONE_NEWPID, .memory = w->job->request.memory, .pids = w->pids + 1};
	struct watch_for what = {.memory = true, .pids = w->pids > 0};

	watch_begin(&w->watch, &plan, &what, &(struct watch_where){w->proc, 0, -1, -1, NULL});
	watch_add_tmpfs(&w->watch, take_fd(&w->files));
	w->watched = true;
	kill_holder(w);
}

void worker_look(struct worker *w, int64_t now)
{
	int64_t next = 0;

	if (w->state != WORKER_BUSY || w->killed)
		return;
	if (w->deadline && now >= w->deadline) {
		worker_kill(w, "timeout");
		return;
	}
	if (!w->next_look || now < w->next_look)
		return;
	if (!w->watched)
		begin_watch(w);
	if (!holder_is_gone(w)) {
		w->next_look = now + HOLDER_NS;
		return;
	}
	switch (watch_look(&w->watch, &next)) {
	case WATCH_OOM:
		worker_kill(w, "oom");
		break;
	case WATCH_PIDS:
		worker_kill(w, "pids");
		break;
	default:
		break;
	}
	w->next_look = next ? now + next : 0;
}
