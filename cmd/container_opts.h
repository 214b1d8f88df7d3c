/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_opts: the options of run, create and exec, and how they become a spec.
 *
 *	static const struct command cmd_run = { .opts = run_opts, .target_size = sizeof(struct run_args),
 *		.init = run_args_init, .done = run_args_done, ... };
 *
 * The parser fills run_args; run_args_finish() then reads files, resolves what depends on
 * something else and puts all of it into `spec`. Its errors are those of docker's client
 * (say_client_error, 125); but ERR_DENIED, and any error of spec_complete(), is one of docker's
 * daemon (say_run_error, 125).
 */
#pragma once

#include "opt.h"
#include "spec.h"

struct run_args {
	struct spec spec; /* complete but for spec_apply_image() and spec_complete() */

	/* for the client, not part of the spec */
	bool detach, quiet, sig_proxy, untrusted;
	char *detach_keys; /* checked; NULL: the default */
	char *pull;        /* "missing", "always" or "never" */
	char *result;      /* "FILE" or "fd:N", checked; NULL */

	/* kept as words until run_args_finish() */
	struct strv attach, env, env_file, label, label_file, volume, tmpfs, publish, expose,
		network, network_alias, link, link_local, device;
	struct strv warnings; /* printed once the container is made; a refusal is printed without them */
	bool no_healthcheck;
	char *health_cmd, *restart, *entrypoint, *ip, *ip6, *denied;
};

extern const struct opt run_opts[];
#define RUN_ONLY_ROWS \
	5 /* the first rows are only for run: about an attached client, or worded otherwise for create */
void run_args_init(void *target);
void run_args_done(void *target);
/* argv: IMAGE [COMMAND] [ARG...]. run: the command is `run`, whose -d means that no stream is attached. */
int run_args_finish(struct run_args *a, int argc, char *const *argv, bool run, struct err *e);

struct exec_args {
	struct spec spec; /* only what concerns the process: cmd env workdir user tty stdin_open attach_* privileged, our limits */
	bool detach;
	char *detach_keys, *result;
	struct strv env, env_file;
};

extern const struct opt exec_opts[];
void exec_args_init(void *target);
void exec_args_done(void *target);
/* argv: COMMAND [ARG...], without the container. */
int exec_args_finish(struct exec_args *a, int argc, char *const *argv, struct err *e);

/* Opens what --result names: a duplicate of N for "fd:N", else the file, created or emptied. The caller closes. */
int result_open(const char *result, struct err *e);

/* container_network.c: --network and the options that belong to it, and ports */
int port_words(struct run_args *a, struct err *e);
int network_words(struct run_args *a, struct err *e);

/* container_words.c */
int result_check(const char *result, struct err *e);
