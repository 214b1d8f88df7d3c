/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include "auto.h"
#include "procs.h"
#include "str.h"
#include "sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 16384 };

static bool get(pid_t pid, const char *file, char *text, size_t size)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file); /* fits */
	return sys_get(AT_FDCWD, path, text, size) > 0;
}

/* The number after "Name:"; 0: none. */
static int64_t number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoll(at + strlen(name), NULL, 10) : 0;
}

static int64_t memory_of(const struct proc *p)
{
	char text[2048];

	if (get(p->pid, "smaps_rollup", text, sizeof(text)))
		return (number(text, "\nPss:") + number(text, "\nSwapPss:")) * 1024;
	return (int64_t)p->resident;
}

void usage_parse_net(const char *text, int64_t *received, int64_t *sent)
{
	*received = *sent = 0;
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		const char *name = line + 1 + strspn(line + 1, " "),
			   *colon = name + strcspn(name, ":\n");
		long long in, out;

		if (*colon != ':' || str_starts(name, "lo:"))
			continue;
		if (sscanf(colon + 1, "%lld %*d %*d %*d %*d %*d %*d %*d %lld", &in, &out) != 2)
			continue; /* a heading */
		*received += in;
		*sent += out;
	}
}

void usage_read(const struct state *st, struct usage *out)
{
	auto_free struct proc *list = NULL;
	auto_free char *text = xcalloc(1, TEXT_MAX);
	double hz = (double)sysconf(_SC_CLK_TCK);
	struct err unused;
	size_t n = 0;

	*out = (struct usage){.at_ns = sys_now_ns()};
	if (procs_list(st, &list, &n, &unused) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct proc *p = &list[i];

		out->cpu += (double)(p->user + p->system + p->children) / hz;
		out->memory += memory_of(p);
		out->tasks += p->threads;
		if (!get(p->pid, "io", text, TEXT_MAX))
			continue;
		out->read += number(text, "\nread_bytes:");
		out->written += number(text, "\nwrite_bytes:");
	}
	/* On the machine's own network nobody can tell whose bytes they were: docker says 0 as well. */
	if (!str_eq(st->network, "host") && get(st->pid, "net/dev", text, TEXT_MAX))
		usage_parse_net(text, &out->received, &out->sent);
}

double usage_cpu_percent(const struct usage *before, const struct usage *now)
{
	double seconds = (double)(now->at_ns - before->at_ns) / 1e9, used = now->cpu - before->cpu;

	return seconds > 0 && used > 0 ? used * 100 / seconds : 0;
}
