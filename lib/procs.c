/* SPDX-License-Identifier: Apache-2.0 */
#include "procs.h"

#include "auto.h"
#include "idmap.h"
#include "pids.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef char link_text[64];

bool procs_each_thread(pid_t pid, bool (*call)(pid_t thread, void *arg), void *arg)
{
	char path[40];
	bool all = true;
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid); /* fits */
	d = opendir(path);
	if (!d)
		return false;
	for (struct dirent *at; all && (at = readdir(d)) != NULL;)
		all = *at->d_name == '.' || call((pid_t)atoi(at->d_name), arg);
	(void)closedir(d); /* only read from */
	return all;
}

static bool pid_namespace(pid_t pid, link_text out)
{
	char path[40];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid); /* fits */
	n = readlink(path, out, sizeof(link_text) - 1);
	out[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

/* What a program calls itself is no command to a terminal, and no line of its own; as ps has it. How long it is then. */
static size_t tame(char *s, size_t n, bool ascii)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i], next = i + 1 < n ? (unsigned char)s[i + 1] : 0;
		bool wide = !ascii && c == 0xc2 && next >= 0x80 && next < 0xa0; /* of 8 bits */

		if (c < ' ' || c == 0x7f || wide || (ascii && c > 0x7f))
			c = '?';
		i += wide;
		s[to++] = (char)c;
	}
	return to;
}

static bool parse(char *text, struct proc *p)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')'); /* the name may hold anything */
	unsigned long long user, system, start, virtual;
	long long child_user, child_system;
	long resident, threads;

	if (!name || !end)
		return false;
	*end = '\0';
	(void)snprintf(p->comm, sizeof(p->comm), "%s", name + 1); /* the kernel's are shorter */
	(void)tame(p->comm, strlen(p->comm), true);               /* of the same length */
	if (sscanf(end + 1, " %c %d %d %d %d %d %*u %*u %*u %*u %*u %llu %llu %lld %lld %d %d %ld %*d %llu %llu %ld",
		    &p->state, &p->ppid, &p->pgrp, &p->session, &p->tty, &p->tpgid, &user, &system,
		    &child_user, &child_system, &p->priority, &p->nice, &threads, &start, &virtual,
		    &resident) != 16)
		return false;
	p->threads = threads;
	p->user = user;
	p->system = system;
	p->children = (uint64_t)(child_user + child_system);
	p->start = start;
	p->virtual = virtual;
	p->resident = resident > 0 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return true;
}

bool procs_read(pid_t pid, struct proc *out)
{
	char path[40], text[1024];

	*out = (struct proc){.pid = pid};
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	errno = ESRCH;
	return parse(text, out);
}

bool procs_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

bool procs_not_ours(int error)
{
	return procs_gone(error) || error == EACCES || error == EPERM;
}

int procs_own_namespace(pid_t pid)
{
	char path[40], text[4096], *line, *last;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid); /* fits */
	if (sys_get_status(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -1;
	if (!(line = strstr(text, "\nNSpid:")))
		return 0;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last && strcmp(last, "\t1") == 0;
}

bool procs_is_hidden(pid_t pid)
{
	link_text unused;

	return !pid_namespace(pid, unused) && errno == EACCES;
}

#define LEAVES 0x4u /* PF_EXITING among the kernel's flags */

typedef bool thread_fn(char state, unsigned int flags);

static bool stays(char state, unsigned int flags)
{
	(void)state;
	return !(flags & LEAVES);
}

static bool is_deaf(char state, unsigned int flags)
{
	(void)flags;
	return state == 'D' || state == 't'; /* t: a tracer keeps it where it was to end */
}

static bool any_thread(pid_t pid, thread_fn *is)
{
	char path[40], text[1024];
	auto_strv struct strv threads = {0};
	auto_close int dir = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid); /* fits */
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		(void)sys_names(dir, &threads); /* a process that is gone has none */
	for (size_t i = 0; i < threads.n; i++) {
		unsigned int flags;
		const char *end;
		char state;

		(void)snprintf(path, sizeof(path), "%s/stat", threads.v[i]); /* fits */
		if (sys_get(dir, path, text, sizeof(text)) > 0 && (end = strrchr(text, ')')) != NULL &&
			sscanf(end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 &&
			is(state, flags))
			return true;
	}
	return false;
}

bool procs_is_leaving(pid_t pid)
{
	return !any_thread(pid, stays);
}

bool procs_is_stuck(pid_t pid)
{
	return any_thread(pid, is_deaf);
}

struct found {
	struct proc *v; /* by their numbers */
	bool *ours;
	size_t n, room;
};

static void found_done(struct found *f)
{
	free(f->v);
	free(f->ours);
}
#define auto_found __attribute__((cleanup(found_done)))

static int scan(struct found *f, pid_t first, const char *ns, struct err *e)
{
	auto_close int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pids all;

	if (dir < 0)
		return err_sys(e, "open /proc");
	errno = 0;
	pids_begin(&all, dir);
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		pid_t pid = atoi(name);
		link_text its;
		struct proc p;

		if (!procs_read(pid, &p)) {
			if (procs_gone(errno))
				continue; /* meanwhile */
			return err_sys(e, "look at process %d", (int)pid);
		}
		if (f->n == f->room) {
			f->room = f->room ? 2 * f->room : 256;
			f->v = xrealloc(f->v, f->room, sizeof(*f->v));
			f->ours = xrealloc(f->ours, f->room, sizeof(*f->ours));
		}
		f->v[f->n] = p;
		f->ours[f->n] = pid == first;
		if (pid != first && *ns) {
			if (pid_namespace(pid, its))
				f->ours[f->n] = str_eq(its, ns);
			else if (!procs_not_ours(errno))
				return err_sys(e, "look at process %d", (int)pid);
		}
		f->n++;
	}
	return all.n < 0 ? err_sys(e, "list the processes") : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct proc *p = a, *q = b;

	if (p->start != q->start)
		return p->start < q->start ? -1 : 1;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int by_pid(const void *pid, const void *p)
{
	pid_t a = *(const pid_t *)pid, b = ((const struct proc *)p)->pid;

	return a < b ? -1 : a > b;
}

static bool has(const struct found *f, pid_t pid)
{
	const struct proc *p = f->n ? bsearch(&pid, f->v, f->n, sizeof(*f->v), by_pid) : NULL;

	return p && f->ours[p - f->v];
}

/* Children of ours are ours, in whatever namespace they made. */
static void add_children(struct found *f)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < f->n; i++)
			if (!f->ours[i] && has(f, f->v[i].ppid))
				f->ours[i] = more = true;
	}
}

static int not_running(const struct state *st, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "container %s is not running", st->id);
}

static int check_runs(const struct state *st, struct err *e)
{
	struct proc p = {0};

	if (state_is_in_reach(st, e) < 0)
		return -1;
	if (st->pid > 0 && !procs_read(st->pid, &p) && !procs_gone(errno))
		return err_sys(e, "look at process %d", (int)st->pid);
	return st->pid > 0 && p.start == st->pid_start ? 0 : not_running(st, e);
}

int procs_list(const struct state *st, struct proc **out, size_t *n, struct err *e)
{
	auto_found struct found f = {0};
	link_text ns = "";
	size_t kept = 0;
	int own;

	if (check_runs(st, e) < 0)
		return -1;
	own = procs_own_namespace(st->pid);
	if (own < 0 || (own && !pid_namespace(st->pid, ns)))
		return procs_gone(errno) ? not_running(st, e)
		                         : idmap_kept_out("look at the container's namespaces", e);
	if (scan(&f, st->pid, ns, e) < 0)
		return -1;
	/* A pid namespace's inode number may be reused: if the container's first process has ended meanwhile, some of
	 * these may be another container's. */
	if (check_runs(st, e) < 0)
		return -1;
	add_children(&f);
	for (size_t i = 0; i < f.n; i++)
		if (f.ours[i])
			f.v[kept++] = f.v[i];
	if (kept)
		qsort(f.v, kept, sizeof(*f.v), by_start);
	*n = kept;
	*out = take(f.v);
	return 0;
}

char *procs_command(const struct proc *p)
{
	char path[40], text[4096];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)p->pid); /* fits */
	n = sys_get(AT_FDCWD, path, text, sizeof(text));
	if (n < 0 && !procs_gone(errno))
		return NULL;
	while (n > 0 && (text[n - 1] == '\0' || text[n - 1] == ' '))
		n--;
	if (n <= 0)
		return xasprintf("[%s]", p->comm);
	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\0' || text[i] == '\n')
			text[i] = ' ';
	return xstrndup(text, tame(text, (size_t)n, false));
}

bool procs_are_shared(const struct store *s, const struct state *st)
{
	struct state *all = NULL;
	link_text own = "", other;
	bool shared = false;
	struct err e;
	size_t n = 0;

	if (!pid_namespace(st->pid, own) || state_list_alive(s, &all, &n, &e) < 0)
		return true; /* as far as is known */
	for (size_t i = 0; i < n && !shared; i++)
		shared = !str_eq(all[i].id, st->id) && all[i].pid > 0 && !state_is_apart(&all[i]) &&
		         pid_namespace(all[i].pid, other) && str_eq(own, other);
	state_list_free(all, n);
	return shared;
}
