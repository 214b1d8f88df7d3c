/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_procs: finds the processes in containers. Nothing is recorded: the source of a process's root mount names the
 * container (enroot_root.c), or is its directory. A process in a container can mount what bears another one's name and make it
 * its root. So that nobody is led there, the source also has a mark of its mount namespace, which only who can read the key in
 * the runtime directory can make; and a start that takes another one's mount leaves its namespace's number in the container's
 * directory.
 */
#include "enroot_parts.h"

#include "procs.h"
#include "sha256.h"
#include "sys.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void enroot_procs_free(struct enroot_proc *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++) {
		struct enroot_proc *p = &list[i];

		free(p->container);
		free(p->comm);
		free(p->state);
		free(p->started);
		free(p->time);
		free(p->mntns);
		free(p->userns);
		free(p->command);
	}
	free(list);
}

/* ---- columns ---- */

static char *state_of(const struct proc *p)
{
	return xasprintf("%c%s%s%s", p->state, p->session == p->pid ? "s" : "",
		p->threads > 1 ? "l" : "", p->tpgid == p->pgrp ? "+" : "");
}

/* Seconds since it began. */
static time_t age_of(const struct proc *p)
{
	struct timespec up;
	time_t s;

	(void)clock_gettime(CLOCK_BOOTTIME, &up); /* this clock is there */
	s = up.tv_sec - (time_t)(p->start / (uint64_t)sysconf(_SC_CLK_TCK));
	return s > 0 ? s : 0;
}

/* As ps has it: the minute of today, or the day of this year, or the year. */
static char *started_of(const struct proc *p)
{
	time_t now = time(NULL), t = now - age_of(p);
	struct tm its, today;
	char text[32];

	if (!localtime_r(&t, &its) || !localtime_r(&now, &today))
		return xstrdup("-");
	(void)strftime(text, sizeof(text),
		its.tm_year != today.tm_year   ? "%Y"
		: its.tm_yday != today.tm_yday ? "%b%d"
					       : "%H:%M",
		&its);
	return xstrdup(text);
}

/* How long it has run, as ps has it: [[days-]hours:]minutes:seconds. */
static char *time_of(const struct proc *p)
{
	int s = (int)age_of(p), days = s / 86400, hours = s / 3600 % 24;
	auto_free char *before = days    ? xasprintf("%d-%02d:", days, hours)
	                         : hours ? xasprintf("%02d:", hours)
	                                 : xstrdup("");

	return xasprintf("%s%02d:%02d", before, s / 60 % 60, s % 60);
}

static char *space_of(pid_t pid, const char *name)
{
	auto_free char *path = xasprintf("/proc/%d/ns/%s", (int)pid, name);
	struct stat st;

	return stat(path, &st) < 0 ? xstrdup("-") : xasprintf("%llu", (unsigned long long)st.st_ino);
}

/* ---- which container ---- */

#define PREFIX "enroot:"
#define WORK   ",workdir=" ENROOT_WRITTEN "/"

/* The kernel takes no more than 255 bytes. */
static char *source_of(const char *path)
{
	char hex[SHA256_HEX + 1];

	if (strlen(path) <= 200)
		return xasprintf(PREFIX "%s", path);
	sha256_hex(path, strlen(path), hex);
	return xasprintf(PREFIX "%s", hex);
}

#define KEY      "enroot.key"
#define KEY_SIZE 32
#define MARK     16 /* digits, behind a '@' at the end of a source */

static int read_key(const struct store *s, unsigned char key[KEY_SIZE])
{
	auto_close int fd = openat(s->runtime, KEY, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 || sys_read(fd, key, KEY_SIZE) != KEY_SIZE ? -1 : 0;
}

/* Whole, or not at all. */
static void make_key(const struct store *s)
{
	auto_free char *part = xasprintf(KEY ".%d", (int)getpid());
	unsigned char key[KEY_SIZE];
	auto_close int fd = -1;
	struct stat st;

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return;
	(void)unlinkat(s->runtime, part, 0); /* of a dead process which had our number */
	fd = openat(s->runtime, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && sys_write_all(fd, key, sizeof(key)) == 0) {
		/* Or another process has just made it. One of another size is what a crash of the machine left. */
		if (linkat(s->runtime, part, s->runtime, KEY, 0) < 0 && errno == EEXIST &&
			fstatat(s->runtime, KEY, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size != KEY_SIZE)
			(void)renameat(s->runtime, part, s->runtime, KEY);
	}
	(void)unlinkat(s->runtime, part, 0);
}

/* False: there is no key. */
static bool mark_of(const struct store *s, const char *path, uint64_t ns, char out[SHA256_HEX + 1])
{
	unsigned char key[KEY_SIZE];
	struct sha256 sum;

	if (read_key(s, key) < 0)
		return false;
	sha256_init(&sum);
	sha256_add(&sum, key, sizeof(key));
	sha256_add(&sum, &ns, sizeof(ns));
	sha256_add(&sum, path, strlen(path));
	sha256_end_hex(&sum, out);
	out[MARK] = '\0';
	return true;
}

char *enroot_source(const struct store *s, const char *path, uint64_t ns)
{
	auto_free char *plain = source_of(path);
	char mark[SHA256_HEX + 1];
	bool marked = mark_of(s, path, ns, mark);

	if (!marked) {
		make_key(s);
		marked = mark_of(s, path, ns, mark);
	}
	return marked ? xasprintf("%s@%s", plain, mark) : take(plain);
}

/* What is mounted at / of a process, from mountinfo: "ID PARENT DEV ROOT / OPTIONS ... - TYPE SOURCE ...". Nothing
 * below it is looked up, as that would block for ever if a file system has lost its server. */
struct root {
	char *path;          /* in its file system */
	char *source;        /* source_of(), escaped; or NULL */
	char mark[MARK + 1]; /* or "" */
	char device[24];
	char *work; /* of an overlay whose files are kept: where it works, in the container's directory; or NULL */
};

static void root_done(struct root *r)
{
	free(r->path);
	free(r->source);
	free(r->work);
}
#define auto_root __attribute__((cleanup(root_done)))

/* Takes the mark off the source. */
static void take_mark(char *source, char mark[MARK + 1])
{
	size_t n = strlen(source);
	char *at = n > MARK ? source + n - MARK - 1 : NULL;

	mark[0] = '\0';
	if (!at || *at != '@' || !str_is_hex(at + 1, MARK))
		return;
	memcpy(mark, at + 1, MARK + 1);
	*at = '\0';
}

static bool root_of(pid_t pid, struct root *out)
{
	auto_free char *path = xasprintf("/proc/%d/mountinfo", (int)pid), *text = sys_text(path);

	for (char *line = text; line && *line;) {
		char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end, *dash;
		char point[8], root[4200], type[64], source[4200];
		const char *at;
		int options = 0;

		*end = '\0';
		dash = strstr(line, " - ");
		if (dash && sscanf(line, "%*s %*s %23s %4199s %7s", out->device, root, point) == 3 &&
			str_eq(point, "/") &&
			sscanf(dash + 3, "%63s %4199s%n", type, source, &options) == 2) {
			take_mark(source, out->mark);
			out->path = xstrdup(root);
			out->source = str_starts(source, PREFIX) ? xstrdup(source) : NULL;
			at = strstr(dash + 3 + options, WORK);
			out->work = at ? xstrndup(at + strlen(WORK), strcspn(at + strlen(WORK), ","))
			               : NULL;
			return true;
		}
		line = next;
	}
	return false;
}

/* As the kernel writes blanks of names. */
static char *escaped(const char *path)
{
	auto_buf struct buf b = {0};

	for (; *path; path++) {
		if (strchr(" \t\n\\#", *path))
			buf_printf(&b, "\\%03o", (unsigned char)*path);
		else
			buf_putc(&b, *path);
	}
	return buf_take(&b);
}

/* The directory as mountinfo shows it if it is the root of a mount: its path within its file system, which differs if
 * the directory is below a bind mount (in a pod, a chroot), and the file system's device. NULL: it cannot be found out. */
static char *in_its_fs(const char *dir, char device[24])
{
	auto_free char *text = sys_text("/proc/self/mountinfo"), *name = escaped(dir);
	uint64_t mount;

	if (!sys_mount_id(dir, &mount))
		return NULL;
	for (char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long id;
		char root[4200], point[4200];
		size_t n;

		if (sscanf(line, "%llu %*s %23s %4199s %4199s", &id, device, root, point) != 4 ||
			id != mount || !str_starts(name, point))
			continue;
		n = str_eq(point, "/") ? 0 : strlen(point);
		return xasprintf("%s%s", str_eq(root, "/") ? "" : root, name + n);
	}
	return NULL;
}

struct known {
	struct strv names;
	uid_t *owners;       /* of their directories */
	struct strv sources; /* of their mounts, escaped */
	struct strv roots;   /* as mountinfo shows them as roots of mounts */
	struct strv paths;
	char device[24]; /* "": not known */
};

static void known_done(struct known *k)
{
	strv_done(&k->names);
	free(k->owners);
	strv_done(&k->sources);
	strv_done(&k->roots);
	strv_done(&k->paths);
}
#define auto_known __attribute__((cleanup(known_done)))

static int learn(struct known *k, struct err *e)
{
	auto_free char *real = realpath(enroot_setting("ENROOT_DATA_PATH"), NULL);
	auto_free char *data = escaped(real ? real : "");
	auto_free char *root = real ? in_its_fs(real, k->device) : NULL;

	if (enroot_names(&k->names, e) < 0)
		return -1;
	k->owners = xcalloc(k->names.n + 1, sizeof(*k->owners));
	for (size_t i = 0; i < k->names.n; i++) {
		auto_free char *name = escaped(k->names.v[i]);
		auto_free char *path = xasprintf("%s/%s", real ? real : "", k->names.v[i]);
		auto_free char *source = source_of(path);
		struct stat st;

		k->owners[i] = stat(path, &st) == 0 ? st.st_uid : geteuid();
		strv_take(&k->sources, escaped(source));
		strv_take(&k->roots, xasprintf("%s/%s", root ? root : data, name));
		strv_take(&k->paths, take(path));
	}
	if (!root)
		k->device[0] = '\0';
	return 0;
}

/* Whether `root`, in a file system, is the directory `path`, or its "rootfs": the file system may be mounted
 * anywhere above that. */
static bool is_root(const char *root, const char *path)
{
	size_t n = strlen(root);
	auto_free char *dir = str_ends(root, "/rootfs") ? xstrndup(root, n - 7) : NULL;

	return (n > 1 && str_ends(path, root)) || (dir && *dir && str_ends(path, dir));
}

static bool user_of(pid_t pid, uid_t *uid)
{
	auto_free char *path = xasprintf("/proc/%d/status", (int)pid), *text = sys_text(path);
	const char *at = text ? strstr(text, "\nUid:") : NULL;

	return at && sscanf(at + 5, "%u", uid) == 1;
}

/* Whether the process's root bears the name of container i. Whoever has a user namespace can call a mount as they like: to root,
 * which sees everybody's processes, a stranger's are in no container of a name. */
static bool bears_name(const struct known *k, size_t i, const struct root *r, uid_t uid)
{
	return (r->source ? str_eq(r->source, k->sources.v[i]) : is_root(r->path, k->roots.v[i])) &&
	       (uid == geteuid() || uid == k->owners[i]);
}

/* Its name, "<unknown>" for an image, NULL: in none of ours. */
static char *container_of(const struct known *k, pid_t pid)
{
	auto_root struct root r = {0};
	uid_t uid;

	if (!root_of(pid, &r) || !user_of(pid, &uid))
		return NULL;
	for (size_t i = 0; i < k->names.n; i++)
		if (bears_name(k, i, &r, uid))
			return xstrdup(k->names.v[i]);
	return r.source ? xstrdup("<unknown>") : NULL;
}

static uint64_t namespace_of(pid_t pid)
{
	auto_free char *path = xasprintf("/proc/%d/ns/mnt", (int)pid);
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

/* Whether a start that writes to the container has this mount namespace. */
static bool has_work(const char *path, uint64_t ns)
{
	auto_strv struct strv names = {0};
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		(void)sys_names(dir, &names); /* with as many as could be read */
	for (size_t i = 0; i < names.n; i++) {
		unsigned long long its;

		if (sscanf(names.v[i], "work-%*d-%*u-%llu", &its) == 1 && its == ns)
			return true;
	}
	return false;
}

bool enroot_was_put(const struct store *s, pid_t pid, const char *container)
{
	auto_known struct known k = {0};
	auto_root struct root r = {0};
	char mark[SHA256_HEX + 1];
	struct err unused;
	uint64_t ns = namespace_of(pid);
	uid_t uid;

	if (!ns || learn(&k, &unused) < 0 || !root_of(pid, &r) || !user_of(pid, &uid))
		return false;
	for (size_t i = 0; i < k.names.n; i++) {
		if (!str_eq(k.names.v[i], container) || !bears_name(&k, i, &r, uid))
			continue;
		if (!r.source)
			return !*k.device || str_eq(k.device, r.device);
		return has_work(k.paths.v[i], ns) ||
		       (mark_of(s, k.paths.v[i], ns, mark) && str_eq(mark, r.mark));
	}
	return false;
}

/* ---- all ---- */

static int by_name(const void *a, const void *b)
{
	const struct enroot_proc *p = a, *q = b;

	int order = strcmp(p->container, q->container);

	if (order == 0 && p->began != q->began)
		return p->began < q->began ? -1 : 1;
	return order ? order : p->pid < q->pid ? -1 : p->pid > q->pid;
}

/* Processes of another mount namespace than ours. */
static int candidates(struct proc **out, size_t *n, struct err *e)
{
	auto_free char *mine = space_of(getpid(), "mnt");
	DIR *d = opendir("/proc");
	size_t room = 0;

	if (!d)
		return err_sys(e, "open /proc");
	for (struct dirent *at; (at = readdir(d)) != NULL;) {
		pid_t pid = isdigit((unsigned char)at->d_name[0]) ? atoi(at->d_name) : 0;
		auto_free char *its = pid ? space_of(pid, "mnt") : NULL;
		struct proc p;

		if (!its || str_eq(its, "-") || str_eq(its, mine) || !procs_read(pid, &p) || p.state == 'Z')
			continue;
		if (*n == room) {
			room = room ? 2 * room : 64;
			*out = xrealloc(*out, room, sizeof(**out));
		}
		(*out)[(*n)++] = p;
	}
	(void)closedir(d); /* only read from */
	return 0;
}

int enroot_procs(struct enroot_proc **out, size_t *n, struct err *e)
{
	auto_known struct known k = {0};
	auto_free struct proc *all = NULL;
	struct enroot_proc *list;
	size_t total = 0, kept = 0;

	if (learn(&k, e) < 0 || candidates(&all, &total, e) < 0)
		return -1;
	list = xcalloc(total + 1, sizeof(*list));
	for (size_t i = 0; i < total; i++) {
		const struct proc *p = &all[i];
		char *container = container_of(&k, p->pid), *command;

		if (!container)
			continue;
		command = procs_command(p);
		list[kept++] = (struct enroot_proc){p->pid, container, xstrdup(p->comm), state_of(p),
			started_of(p), time_of(p), space_of(p->pid, "mnt"), space_of(p->pid, "user"),
			command ? command : xasprintf("[%s]", p->comm), p->start};
	}
	if (kept)
		qsort(list, kept, sizeof(*list), by_name);
	*out = list;
	*n = kept;
	return 0;
}

/* Not one that `create -f` has put aside meanwhile, which works elsewhere; nor one that has made a directory of it its root. */
static bool writes(const struct root *r, const char *source, const char *path)
{
	auto_free char *work = r->work ? xasprintf("%s/%s", path, r->work) : NULL;

	return work && str_eq(r->source, source) && str_eq(r->path, "/") && access(work, F_OK) == 0;
}

/* sure: whose namespace is noted there. A process in a namespace of its own within that is not. */
static int find_writer(const struct proc *all, size_t n, const char *source, const char *path, bool sure)
{
	for (size_t i = 0; i < n; i++) {
		auto_free char *name = xasprintf("/proc/%d", (int)all[i].pid);
		/* Opened first: what is found there is of the process that the number was of while it was asked. */
		auto_close int proc = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		auto_root struct root r = {0};
		uid_t uid;

		if (proc >= 0 && root_of(all[i].pid, &r) && writes(&r, source, path) &&
			user_of(all[i].pid, &uid) && uid == geteuid() &&
			(!sure || has_work(path, namespace_of(all[i].pid))))
			return take_fd(&proc);
	}
	return -1;
}

int enroot_writer(const char *path)
{
	auto_free char *plain = source_of(path), *source = escaped(plain);
	auto_free struct proc *all = NULL;
	size_t n = 0;
	struct err unused;
	int proc;

	if (candidates(&all, &n, &unused) < 0)
		return -1;
	proc = find_writer(all, n, source, path, true);
	return proc < 0 ? find_writer(all, n, source, path, false) : proc;
}
