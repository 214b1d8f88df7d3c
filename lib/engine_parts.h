/* SPDX-License-Identifier: Apache-2.0 */
/* engine_parts: what the files of the engine share. Nobody else includes this. */
#pragma once

#include "engine.h"

#include "ctl.h"
#include "layers.h"
#include "plan.h"
#include "seccomp.h"
#include "spec.h"
#include "state.h"

/* A container as the engine handles it. */
struct made {
	struct state st;
	struct spec spec;
	char *dir;      /* its own directory, absolute */
	bool unstarted; /* only created: its files must be made now, which a start at once would do */
	bool fresh;     /* made by this very command */
	bool refused;   /* its start was refused, and no other process has started it */
};
void made_done(struct made *m);
#define auto_made __attribute__((cleanup(made_done)))

/* engine_create.c. Completes *spec; m->spec stays empty. */
int engine_make(const struct store *s, struct spec *spec, struct made *m, struct err *e);

/* engine_join.c. At creation, engine_join_names() replaces the container names in the spec's namespace modes by ids. At each
 * start, engine_open_joined() opens a pidfd of the container whose namespaces are shared; *pidfd -1: none is. */
int engine_join_names(const struct store *s, struct spec *spec, struct err *e);
/* Where the spec shares a namespace with a container that shares it with the machine, its mode becomes "host". pid: a process in
 * the container itself; 0: there is none yet. */
void engine_join_hosts(const struct store *s, struct spec *spec, pid_t pid);
/* A container that shares another's network has its host name, too, and its hosts, hostname and resolv.conf. */
void engine_join_name(const struct store *s, struct spec *spec);
void engine_join_files(const struct store *s, const char *own, const struct spec *spec);
bool engine_joins_network(const struct spec *spec);
int engine_open_joined(
	const struct store *s, const char *own, const struct plan *p, int *pidfd, struct err *e);

/* engine_link.c. Containers of --link become "ID:alias" at creation, and must be running at each start. */
int engine_link_names(const struct store *s, struct spec *spec, struct err *e);
int engine_link_check(const struct store *s, const struct made *m, struct err *e);

/* engine_images.c. Images of --mount must exist at creation; at each start their layers are appended to the root's. */
int engine_images_check(const struct store *s, const struct spec *spec, struct err *e);
int engine_images_layers(const struct store *s, struct spec *spec, struct strv *layers, struct err *e);

/* engine_check.c. The networks, devices and figures that a start needs. */
int engine_check_start(const struct store *s, const struct spec *spec, struct err *e);

/* engine_remove.c. Removes a container whose creation or first start failed, with its anonymous volumes. */
void engine_unmake(const struct store *s, const struct made *m, const struct spec *spec);

/* engine_wait.c. True when what the pidfd or socket stands for ended in time. */
bool engine_ends_within(int fd, int64_t timeout_s);
/* Blocks until the life of which `st` tells has ended; another one may have begun by then. life: its life file, opened before
 * `st` was read; or -1. */
int engine_wait_life(
	const struct store *s, const struct state *st, int life, int *exit_code, struct err *e);

/* engine_end.c. Tells the supervisor that a user ends the container: then it is not restarted, and the result says so. */
void engine_tell_by_hand(
	const struct store *s, const struct made *m, enum ctl_kind kind, uint64_t signals);
/* After SIGKILL, waits for the end. */
int engine_kill_id(const struct store *s, const char *id, int signo, struct err *e);
/* A moment, before one looks again at a container that another process starts or ends. */
void engine_let_it_go_on(void);

/* engine.c */
int engine_load(const struct store *s, const char *id, struct made *m, struct err *e);
/* A pidfd of the container's pid 1, checked not to be another process with a reused number. */
int engine_pid1(const struct state *st, struct err *e);
/* Reads from the machine what planning an exec needs to know. range: several ids are mapped. */
void engine_read_exec_host(struct host *h, bool range);
int engine_get_filter(const struct store *s, const struct plan *p, const char *user, bool held,
	struct seccomp_filter *out, struct err *e);
