/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec: what was asked for, as plain data. Every front door makes a spec and nothing else.
 *
 * As JSON it has the form of docker's create request (Config members at the top, "HostConfig" below,
 * our own members under "Sbx"): so the same wish gives the same spec from every front door, `inspect`
 * prints it as it is stored, and the Engine API reads requests as they come.
 *
 * Unset is not the same as empty: unset strings are NULL, vectors have .set, numbers are SPEC_UNSET.
 * spec_apply_image() puts in the image's settings where the user gave none; then spec_complete()
 * adds the defaults of docker (and of the settings). After both, the spec is stored and never
 * changes. Order: parse -> spec_check_asked -> spec_apply_image -> spec_complete -> plan.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <stdint.h>

#define SPEC_UNSET (INT64_MIN + 1) /* INT64_MIN itself is parse_bytes()'s of a size too large */

enum mount_kind { MOUNT_BIND, MOUNT_VOLUME, MOUNT_TMPFS, MOUNT_IMAGE, MOUNT_KINDS };

struct spec_mount {
	enum mount_kind kind;
	char *src; /* bind: an absolute host path, without . and ..; volume: its name, "" for an anonymous one; image: its
		      * name */
	char *dst; /* absolute path inside, without . and .. */
	char *said_src, *said_dst; /* the paths as they were given, if they differ; for inspect */
	char *volume; /* the volume's name, after volume_resolve() has made src its path */
	bool own_data; /* after volume_resolve(): src is the volume's own directory, and not one that its options name */
	char *tmpfs_volume; /* after volume_resolve(): mount options, if the volume is a tmpfs; else NULL */
	unsigned int attr; /* after volume_resolve(): MOUNT_ATTR_* from the volume's own options */
	bool read_only;
	bool create_src;  /* -v makes a missing source directory, --mount refuses */
	bool nocopy;      /* volume: do not fill from the image */
	bool said_driver; /* volume: with VolumeOptions.DriverConfig, be it empty */
	bool said_options; /* --mount gave bind-* or volume-* options, even if only with default values */
	char *subpath;          /* volume, image: the path in it to mount; or NULL */
	size_t layer, n_layers; /* image, at the start: which of the leased layers are its own */
	char *propagation;      /* rprivate, rslave, ... or NULL */
	bool non_recursive;     /* bind: without what is mounted below the source */
	bool ro_top, ro_all; /* bind: bind-recursive=writable and =readonly were asked for; either way it is read-only with all below */
	char *consistency;   /* as given, or NULL; has no effect on Linux */
	char *mode; /* of -v: its mode words as given ("ro,z"), "" when none; of --mount: NULL */
	int64_t tmpfs_size; /* bytes or SPEC_UNSET */
	int64_t tmpfs_mode; /* or SPEC_UNSET */
	struct strv tmpfs_words; /* "exec", "noexec": of a tmpfs of the API's, which has no tmpfs_options */
	struct strv labels;  /* volume: K=V, for a new volume */
	struct strv options; /* volume: K=V, driver options for a new volume */
	char *driver;        /* volume: as given, or NULL */
	bool unnamed; /* volume: anonymous, with a random name in src; removed with the container */
	bool of_binds;   /* such a volume, whose target stands alone in Binds; of the API only */
	bool of_volumes; /* such a volume for an entry of spec->volumes */
	bool taken_over; /* from another container, by --volumes-from */
	char *tmpfs_options; /* the options of --tmpfs as given, or NULL */
	char *why;           /* the user's own words: "--volume /data:/srv:ro" */
};

#define SPEC_SHM_SIZE (64 << 20) /* docker's default */

struct spec_ulimit {
	char name[16];      /* "nofile" */
	int64_t soft, hard; /* -1 is unlimited */
};

struct spec_health {
	bool given;       /* be it with nothing in it */
	struct strv test; /* .set; {"NONE"}, {"CMD", ...}, {"CMD-SHELL", "..."} */
	int64_t interval_ns, timeout_ns, start_period_ns, start_interval_ns, retries;
};

struct spec_size {
	uint16_t rows, cols;
};

struct spec {
	/* names */
	char *name;          /* --name, without a slash; NULL: a random one */
	char *image;         /* as the user wrote it */
	char *image_id;      /* "sha256:..." or NULL for a file given by path; set at create */
	char *image_warning; /* spec_platform_warning(); set at create, and not stored */
	char *platform;

	/* the process */
	struct strv entrypoint; /* one empty word: --entrypoint ""; .set with n == 0: a client's empty list */
	struct strv cmd;
	struct strv on_build; /* from API clients; only for images committed from the container */
	struct strv shell;    /* likewise; health checks run in it, too */
	struct strv env; /* K=V; K alone removes it (-e K of the command line was resolved by the front door) */
	char *workdir, *user, *stop_signal;
	int64_t stop_timeout; /* seconds */
	bool tty, stdin_open, stdin_once;
	struct spec_size console; /* of its terminal, until a client says another; 0: not known */
	bool network_disabled;    /* said beside a network mode "none" */
	bool attach_stdin, attach_stdout, attach_stderr;
	struct strv labels;  /* K=V */
	struct strv exposed; /* "80/tcp" */
	struct strv volumes; /* anonymous ones: the image's VOLUMEs and -v /path */
	struct spec_health health;

	/* host name and network */
	char *hostname, *domainname, *mac_address;
	char *network; /* none, host, bridge, default, container:X, or a network's name */
	json_t *endpoints; /* docker's EndpointSettings by network, kept as they came, for inspect; or NULL */
	struct strv links; /* "container:alias"; after create "ID:alias" */
	struct strv extra_hosts, dns, dns_search, dns_options, sysctls /* K=V */;
	struct strv ports; /* as given to -p: "127.0.0.1:80:8080/tcp" */
	bool publish_all;

	/* files */
	struct spec_mount *mounts;
	size_t n_mounts;
	bool binds_set; /* given, but maybe empty */
	struct strv volumes_from, devices;
	char *volume_driver;     /* "local" or NULL */
	bool read_only;          /* --read-only: the root file system */
	struct strv storage_opt; /* K=V */

	/* limits; SPEC_UNSET if not given; docker's 0 and -1 are kept as given */
	int64_t memory, memory_swap, memory_reservation, memory_swappiness;
	int64_t nano_cpus, cpu_shares, cpu_period, cpu_quota, cpu_rt_period, cpu_rt_runtime;
	char *cpuset_cpus, *cpuset_mems;
	int64_t pids_limit, shm_size, oom_score_adj, blkio_weight;
	bool oom_kill_disable;
	/* docker's objects, arrays of them or NULL: kept as they came, for inspect */
	json_t *weight_devices, *read_bps, *write_bps, *read_iops, *write_iops, *device_requests;
	struct spec_ulimit *ulimits;
	size_t n_ulimits;
	bool ulimits_set; /* given, but maybe empty, as `set` of a strv */

	/* privileges */
	bool privileged;
	struct strv cap_add, cap_drop, security_opt, group_add, device_cgroup_rules;
	char *pid_mode, *ipc_mode, *uts_mode, *userns_mode, *cgroupns_mode, *cgroup_parent,
		*runtime, *isolation;

	/* life */
	bool auto_remove;
	int64_t init;  /* 1, 0 (--init=false) or SPEC_UNSET */
	char *cidfile; /* where the client has written the id; only for inspect */
	char *restart; /* "no", "always", "on-failure", "unless-stopped" */
	int64_t restart_max;
	char *log_driver;
	struct strv log_opts;    /* K=V */
	struct strv annotations; /* K=V */

	/* ours */
	int64_t timeout_ns, kill_after_ns, cpu_time_ns, output_limit;
	char *output_limit_action; /* drop, kill */
	bool any_pids; /* --pids-limit -1 was given, which docker's form does not tell from no limit given */
	char *ids;     /* auto, one, range */
	bool bare_env; /* of the image's environment only what programs are found by */
};

void spec_init(struct spec *s); /* everything unset */
void spec_done(struct spec *s);
#define auto_spec __attribute__((cleanup(spec_done)))

struct spec_mount *spec_add_mount(struct spec *s);      /* zeroed, with numbers unset */
const char *spec_mount_dst(const struct spec_mount *m); /* the target as it was given */
void spec_mount_done(struct spec_mount *m);
/* Whether the container is to see later mounts of the machine: rslave and the like. */
bool spec_propagates(const struct spec_mount *m);
/* Adds a ulimit, or replaces the one of that name. */
struct spec_ulimit *spec_set_ulimit(struct spec *s, const struct spec_ulimit *u);

/* All members that are set. Never NULL. */
json_t *spec_to_json(const struct spec *s);
/* Strict about types, but ignores unknown keys, as it also reads API requests. */
int spec_from_json(struct spec *s, const json_t *j, struct err *e);

struct image_config; /* image.h */
void spec_apply_image(struct spec *s, const struct image_config *c);
/* The checks that docker's daemon makes before it looks for the image, so before the image's settings are applied: an image may
 * expose ports even where a user may not, with another container's network. */
int spec_check_asked(const struct spec *s, struct err *e);
/* Adds docker's defaults; checks once more, with the image's settings; and checks the addresses in networks. */
int spec_complete(struct spec *s, struct err *e);
/* The checks that docker's daemon makes next: that there is a command, the log driver and its options, and the name, from which a
 * leading slash is removed. */
int spec_check_command(struct spec *s, struct err *e);
/* The checks after the name was found to be free: --security-opt, --storage-opt, and finally -v and --volumes-from. */
int spec_check_named(const struct spec *s, struct err *e);
/* Whether docker's log driver of this name sends output elsewhere, which sbx does not. */
bool spec_log_is_remote(const char *driver);
/* The checks of memory limits, which docker does not make at an update, but at the next start. */
int spec_check_memory(const struct spec *s, struct err *e);
/* The checks of limits of our own, which an exec may have, too. */
int spec_check_limits(const struct spec *s, struct err *e);
/* --storage-opt size in bytes; the spec must have been checked. 0: no limit. */
int64_t spec_storage(const struct spec *s);
/* The whole name of a platform, "linux/arm64/v8", from any way to write it. NULL: not a platform. The caller frees. */
char *spec_platform_text(const char *platform, struct err *e);
/* Checks an image against --platform (NULL or "": any will do). of: the image's architecture; NULL or "": this machine's. name: the
 * image's, for the error; NULL: only checks that `platform` is one. */
int spec_check_platform(const char *platform, const char *name, const char *of, struct err *e);
/* This machine's architecture, as docker calls it. */
const char *spec_own_arch(void);
/* Whether an image is for other processors, and no platform was asked for. */
bool spec_platform_differs(const struct spec *s, const char *of);
/* docker's warning about such an image. The caller frees. */
char *spec_platform_warning(const char *of, const char *variant);
