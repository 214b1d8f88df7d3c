/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: what is to be done, as plain data.
 *
 * Planning reads a spec and `struct host`, which is all that it knows of the machine, and
 * changes nothing; launch applies the plan and decides nothing. plan_print() writes it for people
 * and for the golden tests. A step does not depend on others: the planner puts them in order,
 * and `why` tells whose wish a step is, so that an error can name it.
 */
#pragma once

#include "err.h"
#include "seccomp.h"
#include "spec.h"
#include "str.h"

#include <stdint.h>

enum step_kind {
	STEP_FS,    /* a new file system of type src, with options, at dst */
	STEP_BIND,  /* the host's src (and what is mounted below it) at dst */
	STEP_NODE,  /* the host's device src at dst */
	STEP_IMAGE, /* the files of an image, read-only, at dst */
	STEP_JOINED, /* at dst (and src, which is equal) what is there in the container whose namespaces are joined */
	STEP_LINK, /* a symbolic link dst -> src */
	STEP_DIR,  /* make the working directory */
	STEP_FILL, /* copy what the image has at dst into the host's src, which is empty; mounts nothing */
	STEP_MASK,   /* cover dst, if it exists, by something empty */
	STEP_FREEZE, /* make dst, if it exists, read-only */
	STEP_CLOSE,  /* make the mount at dst read-only, now that everything in it is made */
	STEP_KINDS
};

struct step {
	enum step_kind kind;
	char *dst, *src;
	char *sub; /* STEP_BIND, STEP_IMAGE: a path below src to take instead, symbolic links staying inside src; or NULL */
	size_t layer, n_layers; /* STEP_IMAGE: which of the leased layers, lowest first */
	char *options;          /* STEP_FS: "mode=755,size=65536k" */
	unsigned int attr;      /* MOUNT_ATTR_* of the mount */
	bool told; /* STEP_FS: `why` is docker's error message, to which errno's text is added */
	bool read_only; /* STEP_BIND: with everything mounted below */
	bool slave;     /* STEP_BIND: later mounts below src show up, too */
	bool keep_mode; /* STEP_FS: its root gets the mode of the directory at dst, if there is one */
	bool fill;      /* STEP_BIND: an empty src first gets what the image has at dst */
	bool beside;    /* the same: by a copy beside src, which is in a directory of its own */
	bool copied; /* STEP_BIND: a copy of src, a small file, in memory, so that writing to it takes no disk */
	bool asked; /* the user's own mount: dst may be anything, even a link of the image that leads to the root */
	bool of_config; /* STEP_BIND, STEP_FILL: of an anonymous volume of the image's config */
	bool optional;  /* skipped if the kernel refuses */
	char *why;      /* "--volume /data:/srv:ro", or the default's reason */
};

struct plan_rlimit {
	int resource;
	uint64_t soft, hard;
};

#define PROC_KCORE "/proc/kcore"

/* All that planning knows of the machine. */
struct host {
	bool range;            /* containers hold a range of ids, not just one */
	bool root;             /* we are the machine's root */
	bool cgroup2;          /* /sys/fs/cgroup is the unified hierarchy */
	bool kcore;            /* /proc/kcore exists */
	unsigned int hot_cpus; /* for a new container: the number of processors with MASK_OF_CPU; mostly 0 */
	unsigned int cpus; /* the number of processors that we may use; 0: not known */
	char nodename[65];
	char exe[4096];      /* this program: what --init starts */
	uint16_t rows, cols; /* of the caller's terminal; 0: none */
};

struct plan {
	uint64_t namespaces; /* CLONE_NEW* to make; of an exec: those of the container that are its own */
	uint64_t joined;    /* CLONE_NEW* of another container to join, with its user namespace */
	char *join;         /* that container: a name or an id; NULL: none */
	struct step *steps; /* in order */
	size_t n_steps;
	size_t image_layers; /* how many of the leased layers, the last ones, belong to STEP_IMAGEs */
	size_t dev, n_dev; /* which steps are those of plan_dev(); n_dev == 0: this container's /dev is another */
	bool read_only; /* make the root read-only after all steps */
	bool slaves;    /* some step is a slave */
	char *hostname, *domainname;
	bool loopback;       /* bring up lo, in a network namespace of its own */
	struct strv sysctls; /* "a.b=c"; "-a.b=c" may fail */

	struct strv argv, env; /* env without HOME: that is known when the user is looked up */
	char *workdir, *user;
	struct strv group_add;
	bool tty, stdin_open;
	bool hold_signals; /* start with signals blocked, which the program (of --init) unblocks */
	uint16_t rows, cols; /* the terminal's size from the start; 0: not known */
	bool etc_covered; /* a volume covers the image's /etc/passwd or group, where users are looked up */

	uint64_t caps;
	bool no_new_privs, fake_root;
	char *seccomp_profile; /* NULL: the default; "unconfined"; a path */
	bool privileged;
	struct plan_rlimit rlimits[16];
	size_t n_rlimits;
	int64_t oom_score_adj; /* or SPEC_UNSET */

	int64_t memory, pids; /* 0: none */
	int64_t memory_swap;  /* memory and swap together; 0: not given, -1: no limit */
	int64_t memory_reservation, cpu_quota_us, cpu_period_us, cpu_shares; /* 0: none */
	int64_t memory_swappiness;                                           /* -1: not given */
	char *cpuset_cpus, *cpuset_mems;                                     /* "0-2,4" or NULL */
	int64_t storage; /* what its writable layer may take up; 0: no limit */
	int64_t timeout_ns, kill_after_ns, cpu_time_ns, output_limit; /* 0: none */
	bool output_limit_kills;
	/* limits of an exec, in addition to those of its container */
	int64_t own_memory, own_pids; /* 0: none */
	bool own_cpuset;              /* cpuset_cpus is its own */
};

/* The error, in docker's words, that the container whose namespaces are to be joined does not run. */
int plan_join_ended(const struct plan *p, const char *id, struct err *e);
void plan_done(struct plan *p);
/* Whether a container of this spec gets all of its namespaces for itself. */
bool plan_owns_all(const struct spec *s);
#define auto_plan __attribute__((cleanup(plan_done)))

/* The plan of a container. dir: the path of its own directory (with hosts, hostname, resolv.conf). */
int plan_container(const struct spec *s, const struct host *h, const char *dir, struct plan *out,
	struct err *e);
/* The steps that put together the files of a container that does not run: volumes, and the engine's files of /etc, which exist
 * from the first start on (dir NULL: not started yet). */
void plan_files(const struct spec *s, const char *dir, struct plan *out);
/* What docker does in a new container's files: makes the working directory, and fills new volumes. */
void plan_new(const struct spec *s, struct plan *out);
/* The default /dev, which can be made before there is a container. kcore: see struct host. */
void plan_dev(bool kcore, struct plan *out);
/* The plan of an exec. s: the exec's spec; c: the container's. */
int plan_exec(const struct spec *s, const struct spec *c, const struct host *h, struct plan *out,
	struct err *e);
/* The limits of a container as a whole; also to renew them after an update of the spec. */
void plan_limits(struct plan *p, const struct spec *s);
/* The limits of a single program: the container's command, or an exec. */
void plan_own_limits(struct plan *p, const struct spec *s);
void plan_print(const struct plan *p, struct buf *out);
