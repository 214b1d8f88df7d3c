/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include "auto.h"
#include "procs.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

enum { TEXT_MAX = 16384 };

/* Returns 0 and an empty text if the process is gone, or does not let us look at it. */
static int get(pid_t pid, const char *file, char *text, size_t size, struct err *e)
{
	char path[48];

	*text = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file); /* fits */
	if (sys_get(AT_FDCWD, path, text, size) >= 0)
		return 0;
	*text = '\0';
	/* ENXIO: net/dev of a process that is exiting */
	return procs_gone(errno) || errno == ENXIO || errno == EACCES || errno == EPERM
	               ? 0
	               : err_sys(e, "read %s", path);
}

/* The number after "Name:"; 0: none. */
static int64_t number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoll(at + strlen(name), NULL, 10) : 0;
}

static int add_memory(const struct proc *p, int64_t *sum, struct err *e)
{
	char text[2048];

	if (get(p->pid, "smaps_rollup", text, sizeof(text), e) < 0)
		return -1;
	*sum += *text ? (number(text, "\nPss:") + number(text, "\nSwapPss:")) * 1024
	              : (int64_t)p->resident;
	return 0;
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

int usage_read(const struct state *st, struct usage *out, struct err *e)
{
	auto_free struct proc *list = NULL;
	auto_free char *text = xcalloc(1, TEXT_MAX);
	double hz = (double)sysconf(_SC_CLK_TCK);
	size_t n = 0;

	*out = (struct usage){.at_ns = sys_now_ns()};
	if (procs_list(st, &list, &n, e) < 0)
		return e->kind == ERR_CONFLICT ? 0 : -1;
	for (size_t i = 0; i < n; i++) {
		const struct proc *p = &list[i];

		out->cpu += (double)(p->user + p->system + p->children) / hz;
		out->tasks += p->threads;
		if (add_memory(p, &out->memory, e) < 0 || get(p->pid, "io", text, TEXT_MAX, e) < 0)
			return -1;
		out->read += number(text, "\nread_bytes:");
		out->written += number(text, "\nwrite_bytes:");
	}
	/* On the machine's own network nobody can tell whose bytes they were; docker reports 0 as well. */
	if (str_eq(st->network, "host"))
		return 0;
	if (get(st->pid, "net/dev", text, TEXT_MAX, e) < 0)
		return -1;
	usage_parse_net(text, &out->received, &out->sent);
	return 0;
}

int usage_limit(const struct store *s, const char *id, int64_t *out, struct err *e)
{
	struct sysinfo mem = {0};
	auto_json json_t *spec = state_load_spec(s, id, e);
	int64_t limit = json_int(json_object_get(spec, "HostConfig"), "Memory", 0), all;

	/* without a spec, or if the container is gone, there is no limit */
	if (!spec && e->sys && e->kind != ERR_NOT_FOUND)
		return -1;
	(void)sysinfo(&mem); /* fails only for a bad pointer */
	all = (int64_t)mem.totalram * mem.mem_unit;
	*out = limit > 0 && limit < all ? limit : all;
	return 0;
}

double usage_cpu_percent(const struct usage *before, const struct usage *now)
{
	double seconds = (double)(now->at_ns - before->at_ns) / 1e9, used = now->cpu - before->cpu;

	return seconds > 0 && used > 0 ? used * 100 / seconds : 0;
}
