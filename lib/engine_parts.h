/* SPDX-License-Identifier: Apache-2.0 */
/* engine_parts: what the parts of the engine have of each other. Nobody else includes this. */
#pragma once

#include "engine.h"

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
	bool unstarted; /* it is not started at once, which would do all that its files need */
	bool fresh;     /* it was made by this very command */
	bool refused;   /* it was not started, and nobody else has started it either */
};
void made_done(struct made *m);
#define auto_made __attribute__((cleanup(made_done)))

/* engine_create.c. The spec is completed; m's own stays empty. */
int engine_make(const struct store *s, struct spec *spec, struct made *m, struct err *e);

/* engine_join.c. Names of containers in the modes become ids: at the creation; and at the start a pidfd of
 * the container whose namespaces are shared, or -1 and no error: there is none. */
int engine_join_names(const struct store *s, struct spec *spec, struct err *e);
/* What another container shares with the machine is "host" for who shares it with that one. pid: of a process in the
 * container itself; 0: it has none yet. */
void engine_join_hosts(const struct store *s, struct spec *spec, pid_t pid);
/* Who shares another's network has that one's host name, too, and the files that tell of it. */
void engine_join_name(const struct store *s, struct spec *spec);
void engine_join_files(const struct store *s, const char *own, const struct spec *spec);
bool engine_joins_network(const struct spec *spec);
int engine_open_joined(
	const struct store *s, const char *own, const struct plan *p, int *pidfd, struct err *e);

/* engine_link.c. Containers of --link become "ID:alias" at the creation, and must run at the start. */
int engine_link_names(const struct store *s, struct spec *spec, struct err *e);
int engine_link_check(const struct store *s, const struct made *m, struct err *e);

/* engine_images.c. Images of --mount must be there at the creation; at the start their layers come behind the root's. */
int engine_images_check(const struct store *s, const struct spec *spec, struct err *e);
int engine_images_layers(const struct store *s, struct spec *spec, struct strv *layers, struct err *e);

/* engine_end.c. What was made by halves goes, with its volumes that nobody named. */
void engine_unmake(const struct store *s, const struct made *m, const struct spec *spec);

/* engine.c */
int engine_load(const struct store *s, const char *id, struct made *m, struct err *e);
/* A pidfd of the container's pid 1, which is known to be that very process. */
int engine_pid1(const struct state *st, struct err *e);
/* What the plan of an exec may know of the machine; range: several ids are mapped. */
void engine_read_exec_host(struct host *h, bool range);
int engine_get_filter(const struct store *s, const struct plan *p, const char *user, bool held,
	struct seccomp_filter *out, struct err *e);
