/* SPDX-License-Identifier: Apache-2.0 */
/* plan_mounts: the steps that make a container's file system: what every container has, /etc, devices, volumes, masks. */
#include "plan_parts.h"

#include "masks.h"

#include <linux/mount.h>
#include <sched.h>
#include <string.h>

#define NO_SUID MOUNT_ATTR_NOSUID
#define NO_DEV  MOUNT_ATTR_NODEV
#define NO_EXEC MOUNT_ATTR_NOEXEC
#define RO      MOUNT_ATTR_RDONLY

struct fixed {
	enum step_kind kind;
	const char *dst, *src, *options;
	unsigned int attr;
	const char *why;
};

/* What every container has, in the order in which it is mounted. Terminals: by the kernel's default all containers of
 * a machine together may have 3072. The nodes are the machine's: on a read-only mount they can be written, but root cannot change their
 * mode and owner. */
/* clang-format off */
static const struct fixed before_volumes[] = {
	{ STEP_FS,   "/dev",         "tmpfs",          "mode=755,size=65536k", NO_SUID, "devices by name only" },
	{ STEP_NODE, "/dev/null",    "/dev/null",      NULL, MOUNT_ATTR_RDONLY, "every shell needs it" },
	{ STEP_NODE, "/dev/zero",    "/dev/zero",      NULL, MOUNT_ATTR_RDONLY, "a device of every container" },
	{ STEP_NODE, "/dev/full",    "/dev/full",      NULL, MOUNT_ATTR_RDONLY, "a device of every container" },
	{ STEP_NODE, "/dev/random",  "/dev/random",    NULL, MOUNT_ATTR_RDONLY, "a device of every container" },
	{ STEP_NODE, "/dev/urandom", "/dev/urandom",   NULL, MOUNT_ATTR_RDONLY, "a device of every container" },
	{ STEP_NODE, "/dev/tty",     "/dev/tty",       NULL, MOUNT_ATTR_RDONLY, "a device of every container" },
	{ STEP_LINK, "/dev/fd",      "/proc/self/fd",  NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stdin",   "/proc/self/fd/0", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stdout",  "/proc/self/fd/1", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/stderr",  "/proc/self/fd/2", NULL, 0, "a link of every container" },
	{ STEP_LINK, "/dev/ptmx",    "pts/ptmx",       NULL, 0, "terminals of its own" },
	{ STEP_FS,   "/dev/pts",     "devpts",         "newinstance,ptmxmode=0666,mode=0620,max=512", NO_SUID | NO_EXEC, "terminals of its own" },
};

/* Where the machine has it. */
static const struct fixed core_link = { STEP_LINK, "/dev/core", PROC_KCORE, NULL, 0, "a link of every container" };

static const struct fixed etc_files[] = {
	{ STEP_BIND, "/etc/resolv.conf", "resolv.conf", NULL, 0, "name service" },
	{ STEP_BIND, "/etc/hostname",    "hostname",    NULL, 0, "its name" },
	{ STEP_BIND, "/etc/hosts",       "hosts",       NULL, 0, "its name" },
};
/* clang-format on */

struct step *plan_add(
	struct plan *p, enum step_kind kind, const char *dst, const char *src, const char *why)
{
	struct step *s;

	p->steps = xrealloc(p->steps, p->n_steps + 1, sizeof(*p->steps));
	s = &p->steps[p->n_steps++];
	*s = (struct step){.kind = kind, .dst = xstrdup(dst), .why = xstrdup(why)};
	s->src = src ? xstrdup(src) : NULL;
	return s;
}

bool plan_mounts_at(const struct spec *s, const char *dst)
{
	for (size_t i = 0; i < s->n_mounts; i++)
		if (strcmp(s->mounts[i].dst, dst) == 0)
			return true;
	return false;
}

static bool mounts_below(const struct spec *s, const char *dst)
{
	size_t n = strlen(dst);

	for (size_t i = 0; i < s->n_mounts; i++)
		if (str_starts(s->mounts[i].dst, dst) && s->mounts[i].dst[n] == '/')
			return true;
	return false;
}

/* docker makes these links last: if something is mounted below one, it is a directory instead. */
static void add_fixed(struct plan *p, const struct spec *s, const struct fixed *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct step *step;

		if (plan_mounts_at(s, f[i].dst) || (f[i].kind == STEP_LINK && mounts_below(s, f[i].dst)))
			continue;
		step = plan_add(p, f[i].kind, f[i].dst, f[i].src, f[i].why);
		step->options = f[i].options ? xstrdup(f[i].options) : NULL;
		step->attr = f[i].attr;
	}
}

static void add_devices(struct plan *p, const struct spec *s, bool kcore)
{
	add_fixed(p, s, before_volumes, ARRAY_LEN(before_volumes));
	add_fixed(p, s, &core_link, kcore);
}

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value == SPEC_UNSET ? otherwise : value;
}

static void plan_own_shm(struct plan *p, int64_t size)
{
	struct step *step = plan_add(p, STEP_FS, "/dev/shm", "tmpfs", "--shm-size");

	step->options = xasprintf("mode=1777,size=%lld", (long long)size);
	step->attr = NO_SUID | NO_DEV | NO_EXEC;
}

static void plan_mqueue(struct plan *p)
{
	struct step *step = plan_add(p, STEP_FS, "/dev/mqueue", "mqueue", "message queues of its own");

	step->attr = NO_SUID | NO_DEV | NO_EXEC;
	step->optional = true;
}

static void plan_shm(struct plan *p, const struct spec *s)
{
	int64_t size = or_default(s->shm_size, SPEC_SHM_SIZE);

	if (str_eq(s->ipc_mode, "host")) {
		if (!plan_mounts_at(s, "/dev/shm"))
			(void)plan_add(p, STEP_BIND, "/dev/shm", "/dev/shm", "--ipc host");
		if (!plan_mounts_at(s, "/dev/mqueue"))
			plan_add(p, STEP_BIND, "/dev/mqueue", "/dev/mqueue", "--ipc host")->optional =
				true;
		return;
	}
	/* POSIX shared memory is not part of the ipc namespace, but a container that joins one expects to find it. */
	if ((p->joined & CLONE_NEWIPC) && !plan_mounts_at(s, "/dev/shm"))
		(void)plan_add(p, STEP_JOINED, "/dev/shm", "/dev/shm", "shared by --ipc container:");
	else if (!plan_mounts_at(s, "/dev/shm") && !str_eq(s->ipc_mode, "none")) {
		/* Shared memory is never larger than the container's memory. */
		if (plan_limit_of(s->memory) && size > s->memory)
			size = s->memory;
		plan_own_shm(p, size);
	}
	if (!plan_mounts_at(s, "/dev/mqueue"))
		plan_mqueue(p);
}

void plan_dev(bool kcore, struct plan *out)
{
	static const struct spec nobodys = {0};

	*out = (struct plan){0};
	add_devices(out, &nobodys, kcore);
	plan_own_shm(out, SPEC_SHM_SIZE);
	plan_mqueue(out);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_step(const struct step *a, const struct step *b)
{
	return a->kind == b->kind && same_text(a->dst, b->dst) && same_text(a->src, b->src) &&
	       same_text(a->sub, b->sub) && same_text(a->options, b->options) &&
	       a->attr == b->attr && a->read_only == b->read_only && a->keep_mode == b->keep_mode &&
	       a->fill == b->fill && a->copied == b->copied;
}

/* Finds the steps of plan_dev() among those from `first` on: all of them or none. */
static void find_dev(struct plan *p, size_t first, bool kcore)
{
	auto_plan struct plan dev;
	size_t i = 0;

	plan_dev(kcore, &dev);
	while (i < dev.n_steps && first + i < p->n_steps &&
		same_step(&dev.steps[i], &p->steps[first + i]))
		i++;
	p->dev = first;
	p->n_dev = i == dev.n_steps && first + i == p->n_steps ? i : 0;
}

static void plan_kernel(struct plan *p, const struct spec *s, const struct host *h)
{
	struct step *step;

	if (str_eq(s->pid_mode, "host")) {
		(void)plan_add(p, STEP_BIND, "/proc", "/proc", "--pid host");
	} else {
		step = plan_add(p, STEP_FS, "/proc", "proc", "its own processes");
		step->attr = NO_SUID | NO_DEV | NO_EXEC;
	}
	/* A sysfs shows the devices of the network namespace in which it is mounted, and only the owner of that may
	 * mount it. */
	if ((p->namespaces | p->joined) & CLONE_NEWNET) {
		step = plan_add(p, STEP_FS, "/sys", "sysfs", "its own devices");
		step->attr = NO_SUID | NO_DEV | NO_EXEC | (s->privileged ? 0 : RO);
	} else {
		step = plan_add(p, STEP_BIND, "/sys", "/sys", "the machine's devices");
		step->read_only = true;
	}
	step->optional = true;
	if (h->cgroup2 && (p->namespaces | p->joined) & CLONE_NEWNET) {
		step = plan_add(p, STEP_FS, "/sys/fs/cgroup", "cgroup2", "its own control group");
		step->attr = NO_SUID | NO_DEV | NO_EXEC | (s->privileged ? 0 : RO);
		step->optional = true;
	}
}

static bool is_tmpfs_word(const char *w, size_t n)
{
	static const char *const words[] = {
		"size=", "mode=", "uid=", "gid=", "nr_inodes=", "nr_blocks=", "mpol="};

	static const char *const flags[] = {"sync", "dirsync", "remount"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (n >= strlen(words[i]) && memcmp(w, words[i], strlen(words[i])) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (n == strlen(flags[i]) && memcmp(w, flags[i], n) == 0)
			return true;
	return false;
}

static unsigned int heed_tmpfs_word(unsigned int attr, const char *w, size_t n)
{
	static const struct {
		const char *name;
		unsigned int set, clear;
	} words[] = {{"exec", 0, NO_EXEC}, {"noexec", NO_EXEC, 0}, {"dev", 0, NO_DEV},
		{"nodev", NO_DEV, 0}, {"suid", 0, NO_SUID}, {"nosuid", NO_SUID, 0}, {"ro", RO, 0},
		{"rw", 0, RO}, {"noatime", MOUNT_ATTR_NOATIME, MOUNT_ATTR__ATIME},
		{"atime", 0, MOUNT_ATTR_NOATIME}, {"nodiratime", MOUNT_ATTR_NODIRATIME, 0},
		{"diratime", 0, MOUNT_ATTR_NODIRATIME},
		{"strictatime", MOUNT_ATTR_STRICTATIME, MOUNT_ATTR__ATIME},
		{"nostrictatime", 0, MOUNT_ATTR_STRICTATIME}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].name) == n && memcmp(w, words[i].name, n) == 0)
			attr = (attr & ~words[i].clear) | words[i].set;
	return attr;
}

static unsigned int tmpfs_attr(const struct spec_mount *m)
{
	unsigned int attr = NO_SUID | NO_DEV | NO_EXEC | (m->read_only ? RO : 0);

	for (const char *w = m->tmpfs_options; w && *w;) {
		size_t n = strcspn(w, ",");

		attr = heed_tmpfs_word(attr, w, n);
		w += n + (w[n] == ',');
	}
	for (size_t i = 0; i < m->tmpfs_words.n; i++)
		attr = heed_tmpfs_word(attr, m->tmpfs_words.v[i], strlen(m->tmpfs_words.v[i]));
	return attr;
}

static void plan_bind(struct plan *p, const struct spec_mount *m, enum step_kind kind)
{
	struct step *step = plan_add(p, kind, m->dst, m->src, m->why ? m->why : "a volume");

	step->of_config = m->of_volumes;
	step->asked = true;
	step->read_only = m->read_only;
	step->attr = m->attr;
	step->slave = spec_propagates(m);
	p->slaves |= step->slave;
	step->fill = m->kind == MOUNT_VOLUME && !m->nocopy;
	step->beside = step->fill && m->own_data && !m->subpath;
	step->sub = m->subpath ? xstrdup(m->subpath) : NULL;
}

static void plan_image(struct plan *p, const struct spec_mount *m)
{
	struct step *step = plan_add(p, STEP_IMAGE, m->dst, m->src, m->why ? m->why : "an image");

	step->asked = true;
	step->read_only = true;
	step->sub = m->subpath ? xstrdup(m->subpath) : NULL;
	step->layer = m->layer;
	step->n_layers = m->n_layers;
	p->image_layers += m->n_layers;
}

static void plan_tmpfs_volume(struct plan *p, const struct spec_mount *m)
{
	struct step *step = plan_add(p, STEP_FS, m->dst, "tmpfs", m->why);

	step->asked = true;
	step->options = xstrdup(m->tmpfs_volume);
	step->attr = m->attr | (m->read_only ? RO : 0);
	step->told = true;
}

/* Whether it is to be closed in the end. */
static bool plan_tmpfs(struct plan *p, const struct spec_mount *m)
{
	struct step *step;
	struct buf o = {0};
	bool closed, has_mode = m->tmpfs_mode != SPEC_UNSET && m->tmpfs_mode;

	step = plan_add(p, STEP_FS, m->dst, "tmpfs", m->why ? m->why : "--tmpfs");
	step->asked = true;
	step->attr = tmpfs_attr(m);
	step->keep_mode = !has_mode;
	if (has_mode) /* else it is the kernel's, 1777 */
		buf_printf(&o, "mode=%llo", (unsigned long long)m->tmpfs_mode & 07777);
	if (m->tmpfs_size != SPEC_UNSET && m->tmpfs_size)
		buf_printf(&o, "%ssize=%lld", o.len ? "," : "", (long long)m->tmpfs_size);
	for (const char *w = m->tmpfs_options; w && *w;) {
		size_t n = strcspn(w, ",");

		if (is_tmpfs_word(w, n)) { /* the later word wins */
			buf_printf(&o, "%s%.*s", o.len ? "," : "", (int)n, w);
			step->keep_mode &= !str_starts(w, "mode=");
		}
		w += n + (w[n] == ',');
	}
	step->options = o.len ? buf_take(&o) : NULL;
	closed = step->attr & RO;
	step->attr &= ~(unsigned int)RO; /* mount points in it have to be made first */
	return closed;
}

/* A --tmpfs replaces a volume or bind of --mount. */
static bool hidden(const struct spec *s, const struct spec_mount *m)
{
	for (size_t i = 0; i < s->n_mounts; i++)
		if (s->mounts[i].tmpfs_options && m->kind != MOUNT_TMPFS &&
			strcmp(s->mounts[i].dst, m->dst) == 0)
			return true;
	return false;
}

static size_t depth(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* The host's device node itself: a container cannot open a device that its caller may not open. */
static void plan_devices(struct plan *p, const struct spec *s)
{
	for (size_t i = 0; i < s->devices.n; i++) {
		const char *word = s->devices.v[i], *inside = strchr(word, ':'); /* always: parse_device() */
		size_t outside = inside ? (size_t)(inside - word) : strlen(word);
		auto_free char *src = xstrndup(word, outside);
		auto_free char *dst =
			inside ? xstrndup(inside + 1, strcspn(inside + 1, ":")) : xstrdup(src);

		plan_add(p, STEP_NODE, dst, src, "--device")->attr = MOUNT_ATTR_RDONLY; /* see above */
	}
}

static void plan_etc(struct plan *p, const struct spec *s, const char *dir)
{
	for (size_t i = 0; i < ARRAY_LEN(etc_files); i++) {
		auto_free char *src = xasprintf("%s/%s", dir, etc_files[i].src);
		struct step *step;

		if (plan_mounts_at(s, etc_files[i].dst))
			continue;
		step = plan_add(p, STEP_BIND, etc_files[i].dst, src, etc_files[i].why);
		step->read_only = s->read_only;
		step->copied = spec_storage(s) > 0; /* else they were a way past it */
	}
}

#define ETC_DEPTH 2

/* Parents before what is in them, otherwise in the order given; our own files of /etc come into what is mounted at
 * /etc, too. */
static void plan_user_mounts(struct plan *p, const struct spec *s, const char *dir)
{
	size_t deepest = ETC_DEPTH;
	auto_free bool *closed = xcalloc(s->n_mounts + 1, sizeof(*closed));

	for (size_t i = 0; i < s->n_mounts; i++)
		if (depth(s->mounts[i].dst) > deepest)
			deepest = depth(s->mounts[i].dst);
	for (size_t d = 0; d <= deepest; d++) {
		if (d == ETC_DEPTH && dir)
			plan_etc(p, s, dir);
		for (size_t i = 0; i < s->n_mounts; i++) {
			if (depth(s->mounts[i].dst) != d || hidden(s, &s->mounts[i]))
				continue;
			if (s->mounts[i].tmpfs_volume)
				plan_tmpfs_volume(p, &s->mounts[i]);
			else if (s->mounts[i].kind == MOUNT_TMPFS)
				closed[i] = plan_tmpfs(p, &s->mounts[i]);
			else if (s->mounts[i].kind == MOUNT_IMAGE)
				plan_image(p, &s->mounts[i]);
			else
				plan_bind(p, &s->mounts[i], STEP_BIND);
		}
	}
	for (size_t i = 0; i < s->n_mounts; i++)
		if (closed[i])
			(void)plan_add(p, STEP_CLOSE, s->mounts[i].dst, NULL, "a read-only tmpfs");
}

static void plan_masks(struct plan *p, const struct spec *s, const struct host *h)
{
	static const char *const hidden = "says too much about the machine";

	if (s->privileged || str_eq(plan_security(s, "systempaths"), "unconfined"))
		return;
	for (const struct mask_path *m = mask_paths; m->path; m++) {
		/* The machine's own /proc is mounted with its submounts; freezing it twice gains nothing. */
		struct step *step = plan_add(p, m->freeze ? STEP_FREEZE : STEP_MASK, m->path, NULL,
			m->freeze ? "the kernel's settings are not the container's" : hidden);
		step->optional = true;
	}
	for (unsigned int i = 0; i < h->hot_cpus; i++) {
		auto_free char *path = xasprintf(MASK_OF_CPU, i);

		plan_add(p, STEP_MASK, path, NULL, hidden)->optional = true;
	}
}

static void plan_workdir(struct plan *p, const struct spec *s)
{
	if (s->workdir && *s->workdir)
		(void)plan_add(p, STEP_DIR, s->workdir, NULL, "--workdir");
}

void plan_mounts(struct plan *p, const struct spec *s, const struct host *h, const char *dir)
{
	size_t dev;

	/* Who makes it otherwise, last of all, has a root then in which nothing can be made. */
	if (s->read_only)
		plan_workdir(p, s);
	plan_kernel(p, s, h);
	dev = p->n_steps;
	add_devices(p, s, h->kcore);
	plan_shm(p, s);
	find_dev(p, dev, h->kcore);
	plan_devices(p, s);
	plan_user_mounts(p, s, dir);
	plan_masks(p, s, h);
}

void plan_files(const struct spec *s, const char *dir, struct plan *out)
{
	struct spec files = *s;
	size_t n = 0;

	files.mounts = xcalloc(s->n_mounts, sizeof(*files.mounts));
	for (size_t i = 0; i < s->n_mounts; i++)
		if (s->mounts[i].kind != MOUNT_TMPFS && s->mounts[i].kind != MOUNT_IMAGE)
			files.mounts[n++] = s->mounts[i];
	files.n_mounts = n;
	*out = (struct plan){.read_only = s->read_only};
	plan_user_mounts(out, &files, dir);
	free(files.mounts);
}

void plan_new(const struct spec *s, struct plan *out)
{
	*out = (struct plan){0};
	plan_workdir(out, s);
	for (size_t i = 0; i < s->n_mounts; i++)
		plan_bind(out, &s->mounts[i], STEP_FILL);
}
