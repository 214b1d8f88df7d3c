/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: turns words into values. Pure: opens no file and reads no environment. A function that returns int gives 0, or -1
 * with ERR_USAGE and docker's own words, and leaves outputs untouched on failure, unless it says otherwise. The rules are
 * those of docker's client 28 and its daemon; rules of the daemon are marked so.
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
const char *parse_signal_name(size_t i); /* the i-th of all names, "TERM"; NULL: there are no more */

/* parse_rational.c: numbers with a point */
int parse_bytes(const char *s, int64_t *out,
	struct err *e); /* "512m" "1.5GiB"; too much: INT64_MIN, as docker reads it */
int parse_nano_cpus(const char *s, int64_t *out, struct err *e); /* "1.5" "1/2" "0x1p-1" */

/* parse_env.c: K=V words and files of them */
int parse_env(const char *s, struct err *e); /* checks that it is K=V or K */
int parse_label(const char *s, struct err *e);
/* Adds the "K=V" and "K" lines of an --env-file's text to out. name: for messages. */
int parse_env_file(const char *name, const char *text, size_t len, struct strv *out, struct err *e);
/* Replaces "K" by "K=value" with the value of lookup(), which is like getenv(), or drops it without one; keeps duplicates. */
void parse_env_resolve(const struct strv *words, const char *(*lookup)(const char *), struct strv *out);

/* parse_volume.c: -v and --tmpfs. cwd: what sources that begin with a dot are relative to; NULL: they stay as they are. */
int parse_volume(struct spec *s, const char *word, const char *cwd, struct err *e);
int parse_tmpfs(struct spec *s, const char *word, struct err *e);
bool parse_mode_ok(const char *mode); /* each word is known, and no two are of the same kind */
/* The same for --volumes-from, where propagation and nocopy are not allowed: these are as in the other container. */
bool parse_mode_from_ok(const char *mode);
bool parse_mode_read_only(const char *mode);
bool parse_propagation_ok(const char *s);
bool parse_ends_in_dot(const char *path); /* whether its last component is ".", with slashes behind it or none */
char *parse_clean_path(const char *path); /* Go's path.Clean: "/a//b/../c/" is "/a/c" */
char *parse_source(const char *src, size_t n, const char *cwd);
#define PAGE_NOT_FOUND "page not found" /* docker's answer to a path that leads to no object */
/* The object that docker looks up for a name: its client puts the name into a request's path, which is then cleaned, so "a/../b" is
 * "b". NULL: ERR_NOT_FOUND, the path leads to no object. */
char *parse_request_name(const char *name, struct err *e);
/* Whether nothing is left of the name, so that docker answers with the list of all objects. */
bool parse_request_lists(const char *name);
/* parse_request_name() for a container, volume or network: docker's client strips blanks around these names (a newline from a
 * pipe, say), but not around those of images. */
char *parse_object_name(const char *name, struct err *e);
char *parse_target(const char *dst, size_t n); /* cleaned when absolute */
/* The target of an anonymous volume; if it is relative, docker takes it from the root. */
char *parse_target_in(const char *word);
/* Cleans both paths of a mount, and keeps the words that were given. */
void parse_mount_paths(struct spec_mount *m);

/* parse_mount.c: --mount */
int parse_mount(struct spec *s, const char *word, const char *cwd, struct err *e);

/* parse_mount_check.c: the daemon's checks. Of each --mount and --tmpfs alone, before it looks for the image ... */
int parse_mounts_asked(const struct spec *s, struct err *e);
/* ... of all together, when it creates the container: -v, names of volumes, no target twice ... */
int parse_mounts_check(const struct spec *s, struct err *e);
/* ... and when it starts the container: options of --tmpfs, and that nothing is mounted on the root. */
int parse_mounts_start(const struct spec *s, struct err *e);

/* parse_csv.c */
int parse_csv(const char *s, struct strv *out, struct err *e); /* one line of Go's encoding/csv */

/* parse_net.c */
/* Checks "127.0.0.1:8000-8001:80-81/tcp" or "target=80,published=8080", and adds canonical words
 * to ports, and the container's ports to exposed. */
int parse_publish(const char *s, struct strv *ports, struct strv *exposed, struct err *e);
int parse_expose(const char *s, struct strv *exposed, struct err *e); /* "80-90/udp" */
int parse_port_filter(const char *s, int64_t *first, int64_t *last, char **proto, struct err *e); /* "80-90/tcp" */
int parse_link(const char *s, struct err *e); /* checks that it is NAME or NAME:ALIAS */
int parse_add_host(const char *s, struct strv *out, struct err *e); /* adds "name:ip" */
int parse_ip(const char *s, char **out, struct err *e);             /* --dns: in Go's spelling */
int parse_dns_search(const char *s, struct strv *out, struct err *e);
/* One --network word, in its short or long form (name=x,alias=y). The name may be empty, which the caller has to check. */
struct network_word {
	char *name, *ip, *ip6, *mac; /* NULL: not given; but the name is never NULL */
	struct strv aliases, link_local, driver_opts;
	int64_t gw_priority;
};
int parse_network(const char *s, struct network_word *out, struct err *e);
void network_word_done(struct network_word *w);
#define auto_network_word __attribute__((cleanup(network_word_done)))
/* Whether the name can only be that of a user-defined network: not a predefined one, and not another container's. */
bool parse_network_is_own(const char *network);
bool parse_hostname_ok(const char *s);
bool parse_mac_ok(const char *s);

/* parse_host.c: other options about namespaces, devices and limits */
int parse_ulimit(const char *s, struct spec_ulimit *out, struct err *e);
int parse_restart(const char *s, char **policy, int64_t *max, struct err *e);
int parse_pid_mode(const char *s, struct err *e);
int parse_uts_mode(const char *s, struct err *e);
int parse_userns_mode(const char *s, struct err *e);
int parse_cgroupns_mode(const char *s, struct err *e);
int parse_ipc_mode(const char *s, struct err *e); /* daemon */
int parse_device(const char *s, char **out, struct err *e); /* "/dev/a[:/dev/b][:rwm]", all three parts in *out */
bool parse_is_cdi(const char *s); /* whether a --device is a CDI name: "vendor.com/class=name" */
int parse_device_rule(const char *s, struct err *e);
int parse_sysctl(const char *s, struct err *e);
int parse_security_opt(const char *s, struct err *e);
const char *parse_arch(const char *s); /* Go's name for what uname and people call otherwise */
/* "linux/amd64": *arch is Go's name of the architecture ("amd64"), or NULL if the word names none. */
int parse_platform(const char *s, char **os, char **arch, char **variant, struct err *e);
int parse_detach_keys(const char *s, unsigned char *keys, size_t *n, size_t max, struct err *e);

/* parse_gpus.c: each adds docker's object to a list, which is made if it is NULL */
int parse_gpus(const char *s, json_t **requests, struct err *e);
int parse_throttle(const char *s, bool bytes, json_t **list, struct err *e); /* --device-read-bps, -iops */
int parse_weight_device(const char *s, json_t **list, struct err *e);
