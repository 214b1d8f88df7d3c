/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_opts: the options of run, create and exec, and what they come to.
 *
 *	static const struct command cmd_run = { .opts = run_opts, .target_size = sizeof(struct run_args),
 *		.init = run_args_init, .done = run_args_done, ... };
 *
 * The parser fills run_args; run_args_finish() then reads files, resolves what depends on
 * something else and puts all of it into `spec`. What it refuses is the client's refusal
 * (say_client_error, 125), or, as ERR_DENIED, docker's daemon's, as is what spec_complete() refuses
 * (say_run_error, 125).
 */
#pragma once

#include "opt.h"
#include "spec.h"

struct run_args {
	struct spec spec; /* complete but for spec_apply_image() and spec_complete() */

	/* the client's own wishes */
	bool detach, quiet, sig_proxy, untrusted;
	char *detach_keys; /* checked; NULL: the default */
	char *pull;        /* "missing", "always" or "never" */
	char *result;      /* "FILE" or "fd:N", checked; NULL */

	/* words which wait for run_args_finish() */
	struct strv attach, env, env_file, label, label_file, volume, tmpfs, publish, expose,
		network, network_alias, link, link_local, device;
	struct strv warnings; /* what was made is told of them; a refusal comes alone */
	bool no_healthcheck;
	char *health_cmd, *restart, *entrypoint, *ip, *ip6, *denied;
};

extern const struct opt run_opts[];
#define RUN_ONLY_ROWS \
	5 /* what only an attached client can do, and run's words, stand first; create begins behind */
void run_args_init(void *target);
void run_args_done(void *target);
/* argv: IMAGE [COMMAND] [ARG...]. run: this is `run`, whose -d means no stream is attached. */
int run_args_finish(struct run_args *a, int argc, char *const *argv, bool run, struct err *e);

struct exec_args {
	struct spec spec; /* the process alone: cmd env workdir user tty stdin_open attach_* privileged, limits of ours */
	bool detach;
	char *detach_keys, *result;
	struct strv env, env_file;
};

extern const struct opt exec_opts[];
void exec_args_init(void *target);
void exec_args_done(void *target);
/* argv: COMMAND [ARG...], without the container. */
int exec_args_finish(struct exec_args *a, int argc, char *const *argv, struct err *e);

/* Where --result writes: the descriptor N of "fd:N", duplicated, or the file, made anew. Caller closes. */
int result_open(const char *result, struct err *e);

/* container_network.c: what becomes of --network and all that goes with it, and of ports */
int port_words(struct run_args *a, struct err *e);
int network_words(struct run_args *a, struct err *e);

/* container_words.c */
int result_check(const char *result, struct err *e);
