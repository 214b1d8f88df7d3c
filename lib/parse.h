/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: words into values. Pure functions on strings: no file is opened, no environment read.
 * Every one answers 0, or -1 with ERR_USAGE and docker's own words; outputs stay untouched
 * on failure. Rules are those of docker's client 28 and its daemon; a rule of the daemon is marked so.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "str.h"

#include <stdint.h>

/* parse.c: numbers */
int parse_bool(const char *s, bool *out, struct err *e);       /* Go's: 1 t true TRUE 0 f ... */
int parse_int(const char *s, int64_t *out, struct err *e);     /* Go's: 10 -1 0x10 1_000 */
int parse_decimal(const char *s, int64_t *out, struct err *e); /* Go's Atoi: 010 is ten, and +10 */
int parse_uint(const char *s, int64_t max, int64_t *out, struct err *e);
int parse_duration(const char *s, bool bare_seconds, int64_t *ns, struct err *e); /* "1m30s" */
int parse_signal(const char *s); /* "TERM" "SIGRTMIN+1" "9"; -1 unknown */
int parse_stop_signal(const char *s); /* the same of what a container is to be asked with; SIGTERM where it says nothing */
int parse_signal_word(const char *s, int *signo, struct err *e); /* NULL and "" leave it 0 */
const char *parse_signal_name(size_t i); /* the i-th that has one, "TERM"; NULL: that was all */

/* parse_rational.c: numbers with a point */
int parse_bytes(const char *s, int64_t *out,
	struct err *e); /* "512m" "1.5GiB"; too much: INT64_MIN, as docker reads it */
int parse_nano_cpus(const char *s, int64_t *out, struct err *e); /* "1.5" "1/2" "0x1p-1" */

/* parse_env.c: K=V words and files of them */
int parse_env(const char *s, struct err *e); /* is it a K=V or K? */
int parse_label(const char *s, struct err *e);
/* The text of an --env-file: "K=V" and "K" lines are added to out. `name` is for messages. */
int parse_env_file(const char *name, const char *text, size_t len, struct strv *out, struct err *e);
/* "K" becomes "K=value" by lookup (getenv's form), or goes when there is none; what comes twice stays. */
void parse_env_resolve(const struct strv *words, const char *(*lookup)(const char *), struct strv *out);

/* parse_volume.c: -v and --tmpfs. cwd: for sources which begin with a dot; NULL: they stay. */
int parse_volume(struct spec *s, const char *word, const char *cwd, struct err *e);
int parse_tmpfs(struct spec *s, const char *word, struct err *e);
bool parse_mode_ok(const char *mode); /* each word known, no two of a kind */
/* The mode of --volumes-from: how it is mounted and whether it is filled the other container has said. */
bool parse_mode_from_ok(const char *mode);
bool parse_mode_read_only(const char *mode);
bool parse_propagation_ok(const char *s);
char *parse_clean_path(const char *path); /* Go's path.Clean: "/a//b/../c/" is "/a/c" */
char *parse_source(const char *src, size_t n, const char *cwd);
/* A name as docker's client puts it into the path of a request, which it cleans: "a/../b" is "b". NULL, ERR_NOT_FOUND: it leads
 * to no object. */
#define PAGE_NOT_FOUND "page not found" /* what docker's daemon says to such a one */
char *parse_request_name(const char *name, struct err *e);
/* Nothing of the name is left: who asks for that object gets the list of all. */
bool parse_request_lists(const char *name);
/* The same for a container, a volume or a network: without the blanks around, which the client takes off these
 * names (a newline from a pipe, say), and not off those of images. */
char *parse_object_name(const char *name, struct err *e);
char *parse_target(const char *dst, size_t n); /* cleaned when absolute */
/* Of a volume without a name, which docker takes from the root where it is relative. */
char *parse_target_in(const char *word);
/* Cleans both paths of a mount, and keeps what was said of them. */
void parse_mount_paths(struct spec_mount *m);

/* parse_mount.c: --mount */
int parse_mount(struct spec *s, const char *word, const char *cwd, struct err *e);

/* parse_mount_check.c: the daemon's checks. Of --mount and --tmpfs by themselves, before it looks for an image ... */
int parse_mounts_asked(const struct spec *s, struct err *e);
/* ... and of the whole, when it makes the container: -v, names of volumes, no target twice */
int parse_mounts_check(const struct spec *s, struct err *e);
/* Words of --tmpfs, at which the daemon looks when it starts the container; and that none is to be the root. */
int parse_mounts_start(const struct spec *s, struct err *e);

/* parse_csv.c */
int parse_csv(const char *s, struct strv *out, struct err *e); /* one line of Go's encoding/csv */

/* parse_net.c */
/* "127.0.0.1:8000-8001:80-81/tcp" or "target=80,published=8080": checked; canonical words
 * are added to ports, container ports to exposed. */
int parse_publish(const char *s, struct strv *ports, struct strv *exposed, struct err *e);
int parse_expose(const char *s, struct strv *exposed, struct err *e); /* "80-90/udp" */
int parse_port_filter(const char *s, int64_t *first, int64_t *last, char **proto, struct err *e); /* "80-90/tcp" */
int parse_link(const char *s, struct err *e); /* is it a NAME or NAME:ALIAS? */
int parse_add_host(const char *s, struct strv *out, struct err *e); /* kept as "name:ip" */
int parse_ip(const char *s, char **out, struct err *e);             /* --dns: as Go spells it */
int parse_dns_search(const char *s, struct strv *out, struct err *e);
/* One --network word, the long form (name=x,alias=y) included. A name may be empty: who makes something of it looks. */
struct network_word {
	char *name, *ip, *ip6, *mac; /* but the name, NULL where the word has none */
	struct strv aliases, link_local, driver_opts;
	int64_t gw_priority;
};
int parse_network(const char *s, struct network_word *out, struct err *e);
void network_word_done(struct network_word *w);
#define auto_network_word __attribute__((cleanup(network_word_done)))
/* Whether that name can only be one that somebody made: none of docker's own and no other container's. */
bool parse_network_is_own(const char *network);
bool parse_hostname_ok(const char *s);
bool parse_mac_ok(const char *s);

/* parse_host.c: what else the machine of a container is made of */
int parse_ulimit(const char *s, struct spec_ulimit *out, struct err *e);
int parse_restart(const char *s, char **policy, int64_t *max, struct err *e);
int parse_pid_mode(const char *s, struct err *e);
int parse_uts_mode(const char *s, struct err *e);
int parse_userns_mode(const char *s, struct err *e);
int parse_cgroupns_mode(const char *s, struct err *e);
int parse_ipc_mode(const char *s, struct err *e); /* daemon */
int parse_device(const char *s, char **out, struct err *e); /* "/dev/a[:/dev/b][:rwm]", all three parts in *out */
bool parse_is_cdi(const char *s); /* a --device that only a driver knows: "vendor.com/class=name" */
int parse_device_rule(const char *s, struct err *e);
int parse_sysctl(const char *s, struct err *e);
int parse_security_opt(const char *s, struct err *e);
/* "linux/amd64": *arch is Go's architecture ("amd64") or NULL where the word names none. */
int parse_platform(const char *s, char **os, char **arch, char **variant, struct err *e);
int parse_detach_keys(const char *s, unsigned char *keys, size_t *n, size_t max, struct err *e);

/* parse_gpus.c: docker's objects, added to a list which is made when there is none */
int parse_gpus(const char *s, json_t **requests, struct err *e);
int parse_throttle(const char *s, bool bytes, json_t **list, struct err *e); /* --device-read-bps, -iops */
int parse_weight_device(const char *s, json_t **list, struct err *e);
