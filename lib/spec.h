/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec: what was asked. Plain data; every front door makes one and nothing else.
 *
 * Written as JSON it has the shape of docker's create request (Config fields at the top,
 * "HostConfig" below, our own under "Sbx"), so that one wish in four spellings is one
 * spec, `inspect` prints it as it is stored, and the Engine API reads it as it comes.
 *
 * Unset and set stay apart: strings are NULL, vectors carry .set, numbers are SPEC_UNSET.
 * spec_apply_image() puts the image's settings where the user set none; spec_complete()
 * then adds the defaults of docker (and of the settings). After both, the spec is stored and
 * never changes. Order: parse -> spec_check_asked -> spec_apply_image -> spec_complete -> plan.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <stdint.h>

#define SPEC_UNSET (INT64_MIN + 1) /* the least itself is what too large sizes are read as */

enum mount_kind { MOUNT_BIND, MOUNT_VOLUME, MOUNT_TMPFS, MOUNT_IMAGE, MOUNT_KINDS };

struct spec_mount {
	enum mount_kind kind;
	char *src; /* absolute host path, cleaned likewise (bind), volume name or "" for anonymous (volume),
		      * an image's name */
	char *dst;                 /* absolute path inside, cleaned of . and .. */
	char *said_src, *said_dst; /* as they were given, where that is not so: shown */
	char *volume;              /* its name, where src has become its path */
	char *tmpfs_volume; /* likewise; its options where the volume is a tmpfs, else NULL */
	unsigned int attr;  /* likewise: MOUNT_ATTR_* that the volume's own options ask for */
	bool read_only;
	bool create_src;        /* -v makes a missing source directory, --mount refuses */
	bool nocopy;            /* volume: do not fill from the image */
	bool said_options;      /* --mount names bind-* or volume-*, if only what holds anyway */
	char *subpath;          /* volume, image: what of it, or NULL */
	size_t layer, n_layers; /* image, when it starts: which of the leased ones are its own */
	char *propagation;      /* rprivate, rslave, ... or NULL */
	bool non_recursive;     /* bind: without what is mounted below the source */
	bool ro_top, ro_all; /* bind: bind-recursive=writable and =readonly, as asked; it is read-only with all below it */
	char *consistency; /* as given, or NULL: a word for other systems */
	char *mode; /* of -v: its mode words as given ("ro,z"), "" when none; of --mount: NULL */
	int64_t tmpfs_size;  /* bytes or SPEC_UNSET */
	int64_t tmpfs_mode;  /* or SPEC_UNSET */
	struct strv labels;  /* volume: K=V, of one that is made for it */
	struct strv options; /* volume: likewise, the driver's */
	char *driver;        /* volume: as given, or NULL */
	bool unnamed;        /* volume: src was made up; it ends with the container */
	bool of_volumes;     /* likewise, for what spec->volumes asks for */
	bool taken_over;     /* from another container, by --volumes-from */
	char *tmpfs_options; /* --tmpfs's words as given, or NULL */
	char *why;           /* the user's own words: "--volume /data:/srv:ro" */
};

struct spec_ulimit {
	char name[16];      /* "nofile" */
	int64_t soft, hard; /* -1 is unlimited */
};

struct spec_health {
	struct strv test; /* .set; {"NONE"}, {"CMD", ...}, {"CMD-SHELL", "..."} */
	int64_t interval_ns, timeout_ns, start_period_ns, start_interval_ns, retries;
};

struct spec {
	/* names */
	char *name;          /* --name, without a slash, or NULL: one is made up */
	char *image;         /* as the user wrote it */
	char *image_id;      /* "sha256:..." or NULL for a file given by path; set at create */
	char *image_warning; /* spec_platform_warning() of it; set at create, and not stored */
	char *platform;

	/* the process */
	struct strv entrypoint; /* one empty word: --entrypoint ""; .set with n == 0: a client's empty list */
	struct strv cmd;
	struct strv on_build, shell; /* a client's, for images that are made of it */
	struct strv env; /* K=V, or K alone: remove it; -e K was resolved by the front door */
	char *workdir, *user, *stop_signal;
	int64_t stop_timeout; /* seconds */
	bool tty, stdin_open, stdin_once;
	bool attach_stdin, attach_stdout, attach_stderr;
	struct strv labels;  /* K=V */
	struct strv exposed; /* "80/tcp" */
	struct strv volumes; /* image's VOLUMEs and -v /path: anonymous */
	struct spec_health health;

	/* names and network of the machine it sees */
	char *hostname, *domainname, *mac_address;
	char *network; /* none, host, bridge, default, container:X, or a network's name */
	json_t *endpoints; /* docker's EndpointSettings by network, or NULL: kept as they came, and shown */
	struct strv links; /* "container:alias"; "ID:alias" when it was made */
	struct strv extra_hosts, dns, dns_search, dns_options, sysctls /* K=V */;
	struct strv ports; /* as given to -p: "127.0.0.1:80:8080/tcp" */
	bool publish_all;

	/* files */
	struct spec_mount *mounts;
	size_t n_mounts;
	struct strv volumes_from, devices;
	char *volume_driver;     /* "local" or NULL */
	bool read_only;          /* --read-only: the root file system */
	struct strv storage_opt; /* K=V */

	/* limits; SPEC_UNSET where nothing was said, docker's 0 and -1 kept as given */
	int64_t memory, memory_swap, memory_reservation, memory_swappiness;
	int64_t nano_cpus, cpu_shares, cpu_period, cpu_quota, cpu_rt_period, cpu_rt_runtime;
	char *cpuset_cpus, *cpuset_mems;
	int64_t pids_limit, shm_size, oom_score_adj, blkio_weight;
	bool oom_kill_disable;
	/* docker's objects, arrays of them or NULL: kept as they came, and shown */
	json_t *weight_devices, *read_bps, *write_bps, *read_iops, *write_iops, *device_requests;
	struct spec_ulimit *ulimits;
	size_t n_ulimits;

	/* rights */
	bool privileged;
	struct strv cap_add, cap_drop, security_opt, group_add, device_cgroup_rules;
	char *pid_mode, *ipc_mode, *uts_mode, *userns_mode, *cgroupns_mode, *cgroup_parent,
		*runtime, *isolation;

	/* life */
	bool auto_remove;
	int64_t init;  /* 1, 0 when it was refused, SPEC_UNSET */
	char *cidfile; /* where the client writes the id: shown, no more */
	char *restart; /* "no", "always", "on-failure", "unless-stopped" */
	int64_t restart_max;
	char *log_driver;
	struct strv log_opts;    /* K=V */
	struct strv annotations; /* K=V */

	/* ours */
	int64_t timeout_ns, kill_after_ns, cpu_time_ns, output_limit;
	char *output_limit_action; /* drop, kill */
	bool any_pids;             /* what docker forgets of a limit of -1: it was asked for */
	char *ids;                 /* auto, one, range */
	bool bare_env;             /* of the image's environment only what programs are found by */
};

void spec_init(struct spec *s); /* everything unset */
void spec_done(struct spec *s);
#define auto_spec __attribute__((cleanup(spec_done)))

struct spec_mount *spec_add_mount(struct spec *s);      /* a zeroed one, numbers unset */
const char *spec_mount_dst(const struct spec_mount *m); /* as it was said */
void spec_mount_done(struct spec_mount *m);
/* rslave and the like: the container is to see what is mounted later. */
bool spec_propagates(const struct spec_mount *m);
/* Adds it, or replaces the one of that name. */
struct spec_ulimit *spec_set_ulimit(struct spec *s, const struct spec_ulimit *u);

/* Never NULL. With everything that is set. */
json_t *spec_to_json(const struct spec *s);
/* Strict about types, tolerant of unknown keys: it reads API requests too. */
int spec_from_json(struct spec *s, const json_t *j, struct err *e);

struct image_config; /* image.h */
void spec_apply_image(struct spec *s, const struct image_config *c);
/* What was asked, checked before anybody looks for the image, as docker's daemon does, and before the image's settings join
 * it: an image may expose ports of which a user could not ask with another container's network. */
int spec_check_asked(const struct spec *s, struct err *e);
/* Docker's defaults, and once more what was asked, now that the image has said its part; the addresses in its networks. */
int spec_complete(struct spec *s, struct err *e);
/* What docker's daemon looks at next: is there a command, the log driver and its options, the name, which loses the slash
 * of docker's own names. */
int spec_check_command(struct spec *s, struct err *e);
/* And when the name is known to be free: --security-opt, --storage-opt, and last what -v and --volumes-from say. */
int spec_check_named(const struct spec *s, struct err *e);
/* A log driver of docker's that hands the output on to somebody else: nothing here does. */
bool spec_log_is_remote(const char *driver);
/* A part of it, which an update passes by and the next start does not. */
int spec_check_memory(const struct spec *s, struct err *e);
/* The part of these checks that is about limits: of an exec. */
int spec_check_limits(const struct spec *s, struct err *e);
/* --storage-opt size in bytes, of a spec that was checked; 0: no limit. */
int64_t spec_storage(const struct spec *s);
/* "linux/arm64/v8": whole, of whatever words name a platform. NULL: they name none. The caller frees. */
char *spec_platform_text(const char *platform, struct err *e);
/* --platform of whoever names an image; NULL, "": any. of: the architecture that the image is for; NULL, "": this
 * machine's. name NULL: whether it is one at all. */
int spec_check_platform(const char *platform, const char *name, const char *of, struct err *e);
/* What docker says of an image for other processors, where nobody asked for these; NULL: nothing. The caller frees. */
char *spec_platform_warning(const struct spec *s, const char *of);
