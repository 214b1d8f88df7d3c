/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: what will be done, as plain data.
 *
 * Planning reads a spec and `struct host` (all that it may know of the machine) and touches
 * nothing; launch applies the plan and decides nothing. plan_print() writes it for people and
 * for the golden tests. A step stands alone: the planner orders, the applier obeys, and `why`
 * says whose wish it is, so that an error can name it.
 */
#pragma once

#include "err.h"
#include "seccomp.h"
#include "spec.h"
#include "str.h"

#include <stdint.h>

enum step_kind {
	STEP_FS,     /* a new file system of type src, with options, at dst */
	STEP_BIND,   /* the host's src (and what is mounted below it) at dst */
	STEP_NODE,   /* the host's device src at dst */
	STEP_IMAGE,  /* what is in an image, read-only */
	STEP_JOINED, /* what is at dst, src too, in the container whose namespaces are joined */
	STEP_LINK,   /* a symbolic link dst -> src */
	STEP_DIR,    /* the directory where it will work */
	STEP_FILL, /* the host's src, which is empty, gets what the image has at dst; nothing is mounted */
	STEP_MASK,   /* what is at dst, if it is there, becomes empty */
	STEP_FREEZE, /* what is at dst, if it is there, becomes read-only */
	STEP_CLOSE,  /* the mount at dst becomes read-only, now that everything in it is made */
	STEP_KINDS
};

struct step {
	enum step_kind kind;
	char *dst, *src;
	char *sub; /* STEP_BIND, STEP_IMAGE: what of src, where no symbolic link leads out of it; or NULL */
	size_t layer, n_layers; /* STEP_IMAGE: which of the leased ones, lowest first */
	char *options;          /* STEP_FS: "mode=755,size=65536k" */
	unsigned int attr;      /* MOUNT_ATTR_* of the mount */
	bool told; /* STEP_FS: why is docker's sentence of its failure, but for the kernel's word */
	bool read_only; /* STEP_BIND: with everything below */
	bool slave;     /* STEP_BIND: what is mounted below src later is seen */
	bool keep_mode; /* STEP_FS: its root gets the mode of the directory at dst, if there is one */
	bool fill;      /* STEP_BIND: an empty src first gets what the image has at dst */
	bool copied; /* STEP_BIND: a copy of src, a small file, in memory: what is written there takes no disk */
	bool asked; /* by the caller: its dst is anywhere, also where a link of the image leads to the root */
	bool of_config; /* STEP_BIND, STEP_FILL: of a volume that neither -v nor --mount gives a name */
	bool optional; /* goes without where the kernel refuses */
	char *why;     /* "--volume /data:/srv:ro", or the default's reason */
};

struct plan_rlimit {
	int resource;
	uint64_t soft, hard;
};

#define PROC_KCORE "/proc/kcore"

/* All that planning may know of the machine. */
struct host {
	bool range;   /* containers hold a range of ids, not just one */
	bool root;    /* we are the machine's root */
	bool cgroup2; /* /sys/fs/cgroup is the unified hierarchy */
	bool kcore;   /* it has /proc/kcore */
	unsigned int hot_cpus; /* of a new container: how many processors tell of their heat (MASK_OF_CPU); mostly 0 */
	unsigned int cpus; /* that we may use; 0: not known */
	char nodename[65];
	char exe[4096];      /* this program: what --init starts */
	uint16_t rows, cols; /* of the terminal in front of which we are; 0: none */
};

struct plan {
	uint64_t namespaces; /* CLONE_NEW* of its own, or of an exec's container */
	uint64_t joined;     /* those of another container, its user namespace among them */
	char *join;          /* that container: a name or an id; NULL: none */
	struct step *steps;  /* in order */
	size_t n_steps;
	size_t image_layers; /* of those leased, the last ones, which are STEP_IMAGEs' */
	size_t dev, n_dev; /* the steps that are plan_dev()'s; n_dev == 0: its /dev is not everybody's */
	bool read_only; /* the root, after all steps */
	bool slaves;    /* there is a step that is one */
	char *hostname, *domainname;
	bool loopback;       /* an own network namespace: lo is to be brought up */
	struct strv sysctls; /* "a.b=c"; "-a.b=c" may fail */

	struct strv argv, env; /* env without HOME: that is known when the user is looked up */
	char *workdir, *user;
	struct strv group_add;
	bool tty, stdin_open;
	bool hold_signals;   /* the program unblocks them, when it is ready for them: --init */
	uint16_t rows, cols; /* of the terminal from the start; 0: nobody knows */
	bool etc_covered; /* a volume hides the image's /etc/passwd or group, where users are looked up */

	uint64_t caps;
	bool no_new_privs, fake_root;
	char *seccomp_profile; /* NULL: the default; "unconfined"; a path */
	bool privileged;
	struct plan_rlimit rlimits[16];
	size_t n_rlimits;
	int64_t oom_score_adj; /* or SPEC_UNSET */

	int64_t memory, pids; /* 0: none */
	int64_t memory_swap;  /* with the memory; 0: nothing said, -1: none */
	int64_t memory_reservation, cpu_quota_us, cpu_period_us, cpu_shares; /* 0: none */
	int64_t memory_swappiness;                                           /* -1: nothing said */
	char *cpuset_cpus, *cpuset_mems;                                     /* "0-2,4" or NULL */
	int64_t storage; /* what its writable layer may take up; 0: no limit */
	int64_t timeout_ns, kill_after_ns, cpu_time_ns, output_limit; /* 0: none */
	bool output_limit_kills;
	/* of an exec, beside those of its container */
	int64_t own_memory, own_pids; /* 0: none */
	bool own_cpuset;              /* cpuset_cpus is its own */
};

void plan_done(struct plan *p);
/* Whether it is going to have all namespaces for itself. */
bool plan_owns_all(const struct spec *s);
#define auto_plan __attribute__((cleanup(plan_done)))

/* The whole container. `dir` is the path of its own directory (hosts, hostname, resolv.conf). */
int plan_container(const struct spec *s, const struct host *h, const char *dir, struct plan *out,
	struct err *e);
/* Of a container that does not run, what its files are made of: volumes and the files of /etc, which are there from the
 * first start on; dir: NULL before. */
void plan_files(const struct spec *s, const char *dir, struct plan *out);
/* What docker does in its files when it makes one: the working directory, and what new volumes begin with. */
void plan_new(const struct spec *s, struct plan *out);
/* The /dev of who asks for nothing else: what can be made before there is a container; kcore as the machine has it. */
void plan_dev(bool kcore, struct plan *out);
/* A further process in it: `s` is the exec's spec, `c` that of the container. */
int plan_exec(const struct spec *s, const struct spec *c, const struct host *h, struct plan *out,
	struct err *e);
/* What a container has as a whole, however many programs run in it; again when the spec was changed. */
void plan_limits(struct plan *p, const struct spec *s);
/* What one program has: the container's first, or an exec. */
void plan_own_limits(struct plan *p, const struct spec *s);
void plan_print(const struct plan *p, struct buf *out);
