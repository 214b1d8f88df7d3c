/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_net.h"

#include "auto.h"

#include <fcntl.h>
#include <string.h>

static void net_done(struct cell_net *n)
{
	auto_close_(&n->ns);
	auto_close_(&n->dev);
	auto_close_(&n->sockets);
	*n = (struct cell_net){-1, -1, -1};
}

struct cell_net cell_net_take(struct cell_nets *nets)
{
	return nets->n > 0 ? nets->free[--nets->n] : (struct cell_net){-1, -1, -1};
}

int cell_net_open(pid_t pid, struct cell_net *out, struct err *e)
{
	struct cell_net n = {-1, -1, -1};
	const struct {
		const char *name;
		int *fd;
	} files[] = {{"ns/net", &n.ns}, {"net/dev", &n.dev}, {"net/unix", &n.sockets}};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		auto_free char *path = xasprintf("/proc/%d/%s", (int)pid, files[i].name);

		*files[i].fd = open(path, O_RDONLY | O_CLOEXEC);
		if (*files[i].fd < 0) {
			(void)err_sys(e, "open %s", path);
			net_done(&n);
			return -1;
		}
	}
	*out = n;
	return 0;
}

static bool read_text(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n <= 0 || n == (ssize_t)size - 1)
		return false;
	text[n] = '\0';
	return true;
}

/* Two lines of headings, then "name: counters" for each device. */
static bool is_silent(int dev)
{
	char text[4096];
	char *line;

	if (!read_text(dev, text, sizeof(text)))
		return false;
	line = strchr(text, '\n');
	line = line ? strchr(line + 1, '\n') : NULL;
	for (; line && line[1]; line = strchr(line + 1, '\n')) {
		const char *counters = strchr(line + 1, ':');

		if (!counters || counters[strspn(counters, ": 0")] != '\n')
			return false;
	}
	return line != NULL;
}

/* Nothing but the titles: no name in it is taken. */
static bool is_empty(int sockets)
{
	char text[512];
	const char *end;

	if (!read_text(sockets, text, sizeof(text)))
		return false;
	end = strchr(text, '\n');
	return end && !end[1];
}

void cell_net_give(struct cell_nets *nets, struct cell_net *net, size_t enough)
{
	if (nets->n < enough && nets->n < CELL_NETS && is_silent(net->dev) && is_empty(net->sockets)) {
		nets->free[nets->n++] = *net;
		*net = (struct cell_net){-1, -1, -1};
	}
	net_done(net);
}
