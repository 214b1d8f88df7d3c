/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_build.h"

#include "auto.h"
#include "caps.h"
#include "str.h"
#include "sys.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_propagation(unsigned long how, struct err *e)
{
	return sys_mount(NULL, "/", NULL, SYS_MS_REC | how, NULL) < 0
	               ? err_sys(e, "make the mounts %s", how == SYS_MS_SLAVE ? "slaves" : "private")
	               : 0;
}

/* In a new user namespace, a copy of a shared mount is its slave, and so is a copy of that copy unless it is made
 * private. All are made private but those that are to show later mounts. */
static int gather(const struct plan *p, const struct mount_layers *layers, bool ready, int *sources,
	struct err *e)
{
	const struct mount_attr attr = {.propagation = SYS_MS_PRIVATE};

	if (set_propagation(p->slaves ? SYS_MS_SLAVE : SYS_MS_PRIVATE, e) < 0 ||
		mount_gather(p, layers, ready, sources, e) < 0)
		return -1;
	if (!p->slaves)
		return 0;
	for (size_t i = 0; i < p->n_steps; i++)
		if (sources[i] >= 0 && !p->steps[i].slave &&
			(p->steps[i].kind == STEP_BIND || p->steps[i].kind == STEP_NODE) &&
			sys_mount_setattr(sources[i], AT_RECURSIVE, &attr) < 0)
			return err_sys(e, "make the mount of %s private", p->steps[i].src);
	return set_propagation(SYS_MS_PRIVATE, e);
}

/* What is made of /dev ahead, or -1. */
static int dev_of(const struct launch *l)
{
	return l->plan->n_dev ? l->seed[SEED_DEV] : -1;
}

struct mount_layers launch_layers(const struct launch *l)
{
	return (struct mount_layers){l->lease, l->lower, l->plan->image_layers, l->plan->fake_root};
}

int launch_gather(const struct launch *l, struct parts *out, struct err *e)
{
	const struct plan *p = l->plan;
	const struct mount_layers layers = launch_layers(l);

	out->sources = xcalloc(mount_n_sources(p), sizeof(*out->sources));
	if (gather(p, &layers, dev_of(l) >= 0, out->sources, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].kind == STEP_JOINED)
			out->sources[i] = l->shm;
	out->root = l->quota >= 0 ? l->quota : mount_make_root(l->upper, &layers, l->rootfs, e);
	return out->root < 0 ? -1 : 0;
}

int launch_gather_alone(const struct launch *l, struct parts *out, struct err *e)
{
	if (syscall(SYS_unshare, CLONE_NEWNS) < 0)
		return err_sys(e, "a mount namespace");
	return launch_gather(l, out, e) < 0 ? -1 : mount_stage(true, e);
}

/* Whoever may mount can make writable again what is only mounted read-only: such as the empty files that hide others, of which
 * there is one for all containers. Who joins another container has one of its own already. */
static bool needs_own_stage(const struct launch *l)
{
	return l->join < 0 && l->plan->caps & CAP_BIT(CAP_SYS_ADMIN);
}

int launch_build(const struct launch *l, struct parts *parts, struct mount_proc *proc, struct err *e)
{
	const struct plan *p = l->plan;
	auto_close int mount = parts->root, root = -1;

	if (needs_own_stage(l) && mount_stage(false, e) < 0)
		return -1;
	root = mount_put_root(mount, e);
	if (root < 0 || mount_steps(p, root, dev_of(l), parts->sources, proc, e) < 0)
		return -1;
	for (size_t i = 0; i < mount_n_sources(p); i++)
		if (parts->sources[i] >= 0)
			(void)close(parts->sources[i]); /* attached: the mount lives on */
	free(parts->sources);
	parts->sources = NULL;
	return mount_pivot(root, p->read_only, e);
}
