/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include "auto.h"
#include "plan.h"
#include "stamp.h"
#include "sys.h"

#include <string.h>
#include <sys/wait.h>

#define SECOND        1000000000LL
#define LOG_MAX       5
#define FAILED_TO_RUN (-1)

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value == SPEC_UNSET || value == 0 ? otherwise : value;
}

static int64_t interval(const struct health *h, int64_t now)
{
	const struct spec_health *s = &h->spec->health;
	bool starting = strcmp(h->status, "starting") == 0 &&
	                now - h->began < or_default(s->start_period_ns, 0);

	return starting ? or_default(s->start_interval_ns, 5 * SECOND)
	                : or_default(s->interval_ns, 30 * SECOND);
}

void health_begin(struct health *h, const struct spec *s, const struct host *host,
	const struct seccomp_filter *filter, int pidfd, pid_t pid, const json_t *before)
{
	const struct strv *test = &s->health.test;
	json_t *log = json_object_get(before, "Log");

	*h = (struct health){.out = -1, .userns = -1, .sock = -1, .check = LAUNCHED_NONE};
	if (test->n < 2 || strcmp(test->v[0], "NONE") == 0)
		return;
	h->spec = s;
	h->host = host;
	h->filter = filter;
	h->pidfd = pidfd;
	h->userns = sys_owner_userns(pidfd, pid);
	h->began = sys_now_ns();
	h->status = "starting";
	h->log = json_is_array(log) ? json_deep_copy(log) : json_array();
	h->next = sys_after(h->began, interval(h, h->began));
}

bool health_is_due(const struct health *h, int64_t now)
{
	return h->spec && !h->deadline && h->next && now >= h->next;
}

void health_put_off(struct health *h, int64_t now)
{
	h->next = sys_after(now, interval(h, now));
}

void health_poll(const struct health *h, struct pollfd *p)
{
	p[0] = (struct pollfd){.fd = h->spec ? h->check.pidfd : -1, .events = POLLIN};
	p[1] = (struct pollfd){.fd = h->spec ? h->out : -1, .events = POLLIN};
	p[2] = (struct pollfd){.fd = h->spec ? h->sock : -1, .events = POLLIN};
}

int64_t health_wakes(const struct health *h)
{
	return h->deadline ? h->deadline : h->next;
}

/* Output beyond what is kept is read and discarded, so that the program does not block. */
static void take_output(struct health *h)
{
	char data[4096];
	ssize_t n = -1;

	/* A limited number of reads, so that a program that writes fast does not hold up the supervisor: the rest is
	 * read next time. */
	for (int i = 0; i < 16 && (n = sys_read(h->out, data, sizeof(data))) > 0; i++) {
		size_t room = sizeof(h->output) - h->len;
		size_t take = (size_t)n < room ? (size_t)n : room;

		memcpy(h->output + h->len, data, take);
		h->len += take;
		h->more |= take < (size_t)n;
	}
	if (n == 0)
		(void)close(take_fd(&h->out)); /* only read from */
}

static json_t *stamp(const struct timespec *t)
{
	char text[STAMP_SIZE];

	stamp_print(t, text);
	return json_string(text);
}

void health_note(struct health *h, int code, const char *output, size_t n)
{
	const struct spec_health *s = &h->spec->health;
	auto_free char *text = json_utf8(output, n);
	struct timespec now;
	json_t *one = json_object();

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
	/* Only memory can fail here. */
	(void)json_object_set_new(one, "Start", stamp(&h->started));
	(void)json_object_set_new(one, "End", stamp(&now));
	(void)json_object_set_new(one, "ExitCode", json_integer(code));
	(void)json_object_set_new(one, "Output", json_string(text));
	(void)json_array_append_new(h->log, one);
	if (json_array_size(h->log) > LOG_MAX)
		(void)json_array_remove(h->log, 0);
	if (code == 0) {
		h->failing = 0;
		h->status = "healthy";
		return;
	}
	/* While it starts, failing is not yet ill; as docker has it, a check is of the time at which it began. */
	if (strcmp(h->status, "starting") == 0 && h->asked - h->began < or_default(s->start_period_ns, 0))
		return;
	if (++h->failing >= or_default(s->retries, 3))
		h->status = "unhealthy";
}

/* What it printed, as docker keeps it. Behind `before`, if anything was printed. */
static void put_output(struct health *h, const char *before, struct buf *out)
{
	if (h->out >= 0)
		take_output(h);
	if (h->len)
		buf_puts(out, before);
	buf_add(out, h->output, h->len);
	if (h->more)
		buf_puts(out, "...");
}

static void end_check(struct health *h, int64_t now)
{
	if (h->out >= 0)
		(void)close(take_fd(&h->out)); /* only read from */
	if (h->check.pidfd >= 0)
		(void)close(take_fd(&h->check.pidfd)); /* likewise */
	if (h->sock >= 0)
		(void)close(take_fd(&h->sock)); /* likewise */
	plan_done(&h->plan);
	h->check.pid = -1;
	h->deadline = 0;
	h->next = sys_after(now, interval(h, now));
}

static int start_check(struct health *h, struct err *e)
{
	auto_close int to = -1;
	struct launch_exec l = {.plan = &h->plan,
		.pidfd = h->pidfd,
		.userns = h->userns,
		.cgroup = h->cgroup,
		.filter = h->filter,
		.std = {-1, -1, -1},
		.lifeline = -1,
		.turns = -1};
	const struct strv *test = &h->spec->health.test;
	struct spec s;
	int pair[2], result;

	spec_init(&s);
	if (strcmp(test->v[0], "CMD-SHELL") == 0 && h->spec->shell.n) {
		strv_copy(&s.cmd, &h->spec->shell);
	} else if (strcmp(test->v[0], "CMD-SHELL") == 0) {
		strv_add(&s.cmd, "/bin/sh");
		strv_add(&s.cmd, "-c");
	}
	for (size_t i = 1; i < test->n; i++)
		strv_add(&s.cmd, test->v[i]);
	result = plan_exec(&s, h->spec, h->host, &h->plan, e);
	spec_done(&s);
	if (result < 0)
		return -1;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	h->out = pair[0];
	to = pair[1];
	(void)fcntl(h->out, F_SETFL, O_NONBLOCK); /* of our end alone */
	l.std[1] = l.std[2] = to;
	return launch_exec_begin(&l, &h->check, &h->sock, e);
}

static bool begin_check(struct health *h, int64_t now)
{
	struct err e = {0};

	h->len = 0;
	h->failed = h->more = false;
	(void)clock_gettime(CLOCK_REALTIME, &h->started); /* cannot fail */
	h->asked = now;
	if (start_check(h, &e) == 0) {
		h->deadline = sys_after(now, or_default(h->spec->health.timeout_ns, 30 * SECOND));
		h->next = 0;
		return false;
	}
	health_note(h, FAILED_TO_RUN, e.text, strlen(e.text));
	end_check(h, now);
	return true;
}

static bool finish_check(struct health *h, int64_t now)
{
	auto_buf struct buf said = {0};
	int status = 0;

	put_output(h, "", &said);
	(void)waitpid(h->check.pid, &status, 0); /* our child, and it has ended */
	health_note(h,
		h->failed             ? FAILED_TO_RUN
		: WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				      : WEXITSTATUS(status),
		said.s, said.len);
	end_check(h, now);
	return true;
}

static bool give_up(struct health *h, int64_t now)
{
	char limit[STAMP_DURATION_SIZE];
	auto_buf struct buf text = {0};

	stamp_duration(or_default(h->spec->health.timeout_ns, 30 * SECOND), limit);
	buf_printf(&text, "Health check exceeded timeout (%s)", limit);

	(void)sys_pidfd_kill(h->check.pidfd, SIGKILL); /* the guard; the check's own death signal follows */
	(void)waitpid(h->check.pid, NULL, 0);
	put_output(h, ": ", &text);
	health_note(h, FAILED_TO_RUN, text.s, text.len);
	end_check(h, now);
	return true;
}

/* Hears whether the check could be exec'ed. If not, its process ends by itself, unless a process inside prevents that. */
static void hear(struct health *h)
{
	struct err e = {0};

	h->failed = launch_exec_end(h->sock, &(struct launch_exec){.plan = &h->plan}, &h->check, &e) < 0;
	(void)close(take_fd(&h->sock)); /* only read from */
	if (!h->failed)
		return;
	if (h->out >= 0)
		(void)close(take_fd(&h->out)); /* likewise */
	static_assert(sizeof(e.text) <= sizeof(h->output), "an error is kept whole");
	h->len = strlen(e.text);
	memcpy(h->output, e.text, h->len);
}

bool health_run(struct health *h, const struct pollfd *p, int64_t now)
{
	if (!h->spec)
		return false;
	if (p[1].revents)
		take_output(h);
	if (p[2].revents)
		hear(h);
	if (p[0].revents)
		return finish_check(h, now);
	if (h->deadline && now >= h->deadline)
		return give_up(h, now);
	return h->next && now >= h->next && begin_check(h, now);
}

json_t *health_json(const struct health *h)
{
	json_t *j;

	if (!h->spec)
		return NULL;
	j = json_object();
	/* Only memory can fail here. */
	(void)json_object_set_new(j, "Status", json_string(h->status));
	(void)json_object_set_new(j, "FailingStreak", json_integer(h->failing));
	(void)json_object_set_new(j, "Log", json_deep_copy(h->log));
	return j;
}

void health_end(struct health *h)
{
	if (!h->spec)
		return;
	end_check(h, 0);
	auto_close_(&h->userns);
	json_decref(take(h->log));
	h->spec = NULL;
}
