/* SPDX-License-Identifier: Apache-2.0 */
/* engine_join: sharing the namespaces of another container: which one that is, and whether it can be joined. */
#include "engine_parts.h"

#include "auto.h"
#include "state.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *other_of(const char *mode)
{
	return mode && str_starts(mode, "container:") ? mode + strlen("container:") : NULL;
}

/* From now on the id is stored, as the name may become another container's. */
static int resolve(const struct store *s, char **mode, struct err *e)
{
	const char *other = other_of(*mode);
	id_text id;

	if (!other || !*other)
		return 0;
	if (state_find_said(s, other, id, e) < 0)
		return -1;
	free(*mode);
	*mode = xasprintf("container:%s", id);
	return 0;
}

int engine_join_names(const struct store *s, struct spec *spec, struct err *e)
{
	struct err later; /* docker looks for it only at the start */

	if (resolve(s, &spec->network, &later) < 0 && later.kind != ERR_NOT_FOUND) {
		*e = later;
		return -1;
	}
	return resolve(s, &spec->ipc_mode, e) < 0 || resolve(s, &spec->pid_mode, e) < 0 ? -1 : 0;
}

/* A namespace of the machine's cannot be joined, and need not be: this process is in it. */
static void say_host(char **mode, pid_t pid, const char *ns)
{
	char path[64];
	struct stat own, its;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, ns); /* fits */
	if (stat(path, &its) < 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", ns); /* likewise */
	if (stat(path, &own) < 0 || own.st_ino != its.st_ino || own.st_dev != its.st_dev)
		return;
	free(*mode);
	*mode = xstrdup("host");
}

void engine_join_hosts(const struct store *s, struct spec *spec, pid_t pid)
{
	const struct {
		char **mode;
		const char *ns;
	} modes[] = {{&spec->network, "net"}, {&spec->ipc_mode, "ipc"}, {&spec->pid_mode, "pid"}};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		const char *other = other_of(*modes[i].mode);
		auto_state struct state st = {0};
		struct err gone; /* reported when it is joined */
		id_text id;

		if (!other)
			continue;
		if (pid)
			say_host(modes[i].mode, pid, modes[i].ns);
		else if (state_find(s, other, id, &gone) == 0 &&
			 state_load(s, id, &st, &gone) == 0 && st.pid > 0 && state_runs(&st))
			say_host(modes[i].mode, st.pid, modes[i].ns);
	}
}

/* Replaces our file by a hard link to the other container's, so that both see what is written to it. */
static void share_file(int its, int own, const char *name)
{
	struct stat a, b;

	if (fstatat(its, name, &a, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(a.st_mode) ||
		(fstatat(own, name, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_ino == b.st_ino))
		return;
	(void)unlinkat(own, "shared", 0); /* one left by a start that was killed here */
	if (linkat(its, name, own, "shared", 0) == 0)
		(void)renameat(own, "shared", own, name); /* without it there is the own one */
}

bool engine_joins_network(const struct spec *spec)
{
	return other_of(spec->network);
}

void engine_join_files(const struct store *s, const char *own, const struct spec *spec)
{
	static const char *const names[] = {"hosts", "hostname", "resolv.conf"};
	const char *other = other_of(spec->network);
	struct err gone; /* reported when it is joined */
	auto_close int to = state_dir(s, own, &gone), from = -1;
	id_text id;

	if (!other || to < 0 || state_find(s, other, id, &gone) < 0 || str_eq(id, own))
		return;
	from = state_dir(s, id, &gone);
	for (size_t i = 0; from >= 0 && i < ARRAY_LEN(names); i++)
		share_file(from, to, names[i]);
}

/* The other may share a third one's. */
#define LONGEST_CHAIN 16

void engine_join_name(const struct store *s, struct spec *spec)
{
	auto_free char *mode = spec->network ? xstrdup(spec->network) : NULL;

	for (int i = 0; i < LONGEST_CHAIN && other_of(mode); i++) {
		auto_json json_t *json = NULL;
		const json_t *config;
		struct err gone; /* as above */
		const char *domain;
		id_text id;

		if (state_find(s, other_of(mode), id, &gone) < 0)
			return;
		json = state_load_spec(s, id, &gone);
		if (!json)
			return;
		config = json_object_get(json, "Config") ? json_object_get(json, "Config") : json;
		domain = json_str(config, "Domainname", "");
		free(spec->hostname);
		spec->hostname = xstrdup(json_str(config, "Hostname", ""));
		free(spec->domainname);
		spec->domainname = *domain ? xstrdup(domain) : NULL;
		free(mode);
		mode = xstrdup(json_str(json_object_get(json, "HostConfig"), "NetworkMode", ""));
	}
}

static int check_ipc(const struct store *s, const char *id, struct err *e)
{
	auto_json json_t *spec = state_load_spec(s, id, e);
	const char *mode = json_str(json_object_get(spec, "HostConfig"), "IpcMode", "private");

	if (!spec)
		return -1;
	if (str_eq(mode, "shareable"))
		return 0;
	return err_set(e, ERR_CONFLICT,
		"can't join IPC of container %s: non-shareable IPC (hint: use IpcMode:shareable for the donor "
		"container)",
		id);
}

int engine_open_joined(
	const struct store *s, const char *own, const struct plan *p, int *pidfd, struct err *e)
{
	auto_state struct state st = {0};
	id_text id;

	if (!p->join)
		return 0;
	if (!*p->join)
		return err_set(e, ERR_SYSTEM,
			"can't join IPC of container : invalid name or ID supplied: \"\"");
	if (state_find(s, p->join, id, e) < 0 || state_load(s, id, &st, e) < 0) {
		if (e->kind == ERR_NOT_FOUND && (p->joined & CLONE_NEWIPC) && !(p->joined & CLONE_NEWNET))
			return err_ctx(e, "can't join IPC of container %s", p->join);
		if (e->kind == ERR_NOT_FOUND && !(p->joined & CLONE_NEWNET))
			return err_ctx(e, "cannot join PID of a non running container: %s", p->join);
		return -1;
	}
	if (str_eq(id, own))
		return err_set(e, ERR_CONFLICT, "cannot join own network");
	*pidfd = engine_pid1(&st, e);
	if (*pidfd < 0)
		return plan_join_ended(p, id, e);
	return (p->joined & CLONE_NEWIPC) && check_ipc(s, id, e) < 0 ? -1 : 0;
}
