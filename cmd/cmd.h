/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd: what the commands share: their declarations, and how they print.
 *
 * A new command: a file cmd/NAME.c with its option rows and
 *
 *	const struct command cmd_NAME = { .name = "NAME", ... .run = NAME_main };
 *
 * a line `extern const struct command cmd_NAME;` below, and a row in the table of commands.c. Spellings like
 * "docker container NAME" come from .aliases; --help and completion need nothing else.
 * .run gets the filled target and the operands, whose number is already checked against min_args and max_args.
 */
#pragma once

#include "err.h"
#include "opt.h"
#include "version.h"

/* say.c: to standard error */

/* "Error response from daemon: No such container: x": what docker prints when its daemon refuses. */
void say_daemon_error(const struct err *e);
int say_as_daemon(struct err *e); /* prefixes "Error response from daemon", unless docker's client itself says this; -1 */
/* "docker: Error response from daemon: TEXT\n\nRun 'docker run --help' for more information":
 * the same from `run`, `create` and the like. command: "run". */
void say_run_error(const char *command, const struct err *e);
/* "docker: TEXT\n\nRun 'docker run --help' ...": what docker's client refuses before it asks the daemon. */
void say_client_error(const char *command, const struct err *e);
/* To standard output. A failed write is remembered, and reported by say_put(), say_out() or say_written(). */
void say_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_flush(void);
/* Writes b and all that was printed before it, or fails with "write /dev/stdout", which say_cut() reports. */
int say_put(const struct buf *b, struct err *e);
/* The same, but reports the error itself; returns the exit status, 0 or 1. */
int say_out(const struct buf *b);
void say_unwritten(const char *path, int why); /* path NULL: standard output */
/* From here on SIGINT and SIGTERM make this process exit with 128 + signal, as docker's client does, instead of dying of the
 * signal. For commands that wait or work but relay no program's streams. Children still die of the signal. */
void say_ended(void);
/* Prints the error's text, without a prefix, on standard error; returns status. */
int say_error(const struct err *e, int status);
/* After a loop over arguments: prints the errors of those that failed, after the output about the others. 1 if there are
 * any, else 0. */
int say_failures(const struct strv *lines);
/* Likewise, as the daemon's errors: what could not be read or done beside what was printed. 1, or `status` if there are none. */
int say_unread(const struct strv *unread, int status);
/* Flushes standard output. If something printed could not be written, says so and returns not 0; else `status`. */
int say_written(int status);
/* Reports the error `cut`, if there is one: then docker's client exits with 1, whatever the status of the command whose output it
 * could not pass on. Else `status`. */
int say_cut(const struct err *cut, int status);
/* What attach and exec print after the user has detached by keys. Returns the exit status. */
int say_detached(void);

/* The help of --format: of listings, and of inspect. */
#define FORMAT_HELP                                                                              \
	"Format output using a custom template:\n"                                               \
	"'table':            Print output in table format with column headers (default)\n"       \
	"'table TEMPLATE':   Print output in table format using the given Go template\n"         \
	"'json':             Print in JSON format\n"                                             \
	"'TEMPLATE':         Print output using the given Go template.\n"                        \
	"Refer to https://docs.docker.com/go/formatting/ for more information about formatting " \
	"output with templates"
#define INSPECT_FORMAT_HELP                                                                      \
	"Format output using a custom template:\n"                                               \
	"'json':             Print in JSON format\n"                                             \
	"'TEMPLATE':         Print output using the given Go template.\n"                        \
	"Refer to https://docs.docker.com/go/formatting/ for more information about formatting " \
	"output with templates"

/* the commands, a file each */
extern const struct command cmd_attach, cmd_create, cmd_exec, cmd_run, cmd_start;
extern const struct command cmd_kill, cmd_logs, cmd_rename, cmd_restart, cmd_rm, cmd_stop, cmd_wait;
extern const struct command cmd_import, cmd_pull, cmd_rmi, cmd_tag;
extern const struct command cmd_container_inspect, cmd_image_inspect, cmd_images, cmd_info, cmd_inspect;
extern const struct command cmd_ps, cmd_version;
extern const struct command cmd_commit, cmd_cp, cmd_diff, cmd_export, cmd_load, cmd_save;
extern const struct command cmd_events;
extern const struct command cmd_pause;
extern const struct command cmd_unpause;
extern const struct command cmd_volume_create;
extern const struct command cmd_volume_ls;
extern const struct command cmd_volume_rm;
extern const struct command cmd_volume_inspect;
extern const struct command cmd_network_create;
extern const struct command cmd_network_ls;
extern const struct command cmd_network_rm;
extern const struct command cmd_network_connect;
extern const struct command cmd_network_disconnect;
extern const struct command cmd_network_inspect;
extern const struct command cmd_container_prune;
extern const struct command cmd_image_prune;
extern const struct command cmd_volume_prune;
extern const struct command cmd_builder_prune, cmd_network_prune;
extern const struct command cmd_system_prune;
extern const struct command cmd_system_df;
extern const struct command cmd_top;
extern const struct command cmd_stats;
extern const struct command cmd_port;
extern const struct command cmd_history;
extern const struct command cmd_search;
extern const struct command cmd_login;
extern const struct command cmd_logout;
extern const struct command cmd_push;
extern const struct command cmd_build;
extern const struct command cmd_swarm;
extern const struct command cmd_node;
extern const struct command cmd_service;
extern const struct command cmd_stack;
extern const struct command cmd_secret;
extern const struct command cmd_config;
extern const struct command cmd_plugin_disable, cmd_plugin_enable, cmd_plugin_inspect, cmd_plugin_ls;
extern const struct command cmd_plugin_create, cmd_plugin_install, cmd_plugin_push, cmd_plugin_rm;
extern const struct command cmd_plugin_set, cmd_plugin_upgrade;
extern const struct command cmd_system_dial_stdio, cmd_volume_update;
extern const struct command cmd_trust;
extern const struct command cmd_manifest;
extern const struct command cmd_checkpoint;
extern const struct command cmd_context_inspect, cmd_context_ls, cmd_context_rm, cmd_context_show;
extern const struct command cmd_context_use, cmd_context_create, cmd_context_export, cmd_context_import;
extern const struct command cmd_context_update;
extern const struct command cmd_update;
extern const struct command cmd_compose;
extern const struct command cmd_serve;
extern const struct command cmd_plan;
extern const struct command cmd_eval;
extern const struct command cmd_spec, cmd_doctor;
