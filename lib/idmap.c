/* SPDX-License-Identifier: Apache-2.0 */
#include "idmap.h"

#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define ENOUGH 65536u /* ids which an image may reasonably use */

struct maps {
	struct idrange uid[IDMAP_RANGES], gid[IDMAP_RANGES];
	int n_uid, n_gid;
	bool direct; /* we may write them ourselves */
};

/* ---- the files ---- */

static bool number(const char **at, char end, uint32_t *out)
{
	const char *s = *at;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (uint64_t)(*s - '0');
		if (v > UINT32_MAX)
			return false;
	}
	if (*s != end && !(end == '\n' && *s == '\0'))
		return false;
	*at = *s ? s + 1 : s;
	*out = (uint32_t)v;
	return true;
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

/* The rest of the line behind "name:" or "uid:" at its start; else NULL. */
static const char *owned(const char *line, const char *user, uint32_t uid)
{
	size_t n = user ? strlen(user) : 0;
	uint32_t v;

	if (n && strncmp(line, user, n) == 0 && line[n] == ':')
		return line + n + 1;
	return number(&line, ':', &v) && v == uid ? line : NULL;
}

int idmap_parse(const char *text, const char *user, uint32_t uid, uint32_t first,
	struct idrange *to, int max)
{
	int n = 0;

	for (const char *line = text; *line && n < max; line = next_line(line)) {
		const char *at = owned(line, user, uid);
		uint32_t start, count;

		if (!at || !number(&at, ':', &start) || !number(&at, '\n', &count) || count == 0)
			continue;
		if (count > UINT32_MAX - first || count > UINT32_MAX - start)
			continue;
		to[n++] = (struct idrange){first, start, count};
		first += count;
	}
	return n;
}

char *idmap_user(const char *passwd, uint32_t uid)
{
	for (const char *line = passwd; *line; line = next_line(line)) {
		size_t n = strcspn(line, ":\n");
		const char *at = line + n;
		uint32_t v;

		if (*at != ':')
			continue;
		at += 1 + strcspn(at + 1, ":\n");
		if (*at++ == ':' && number(&at, ':', &v) && v == uid)
			return xstrndup(line, n);
	}
	return NULL;
}

/* What is mapped in our own namespace, as a map for a nested one. */
static int own_map(const char *path, struct idrange *to)
{
	auto_free char *text = sys_text(path);
	const char *s = text ? text : "";
	int n = 0;

	while (*s && n < IDMAP_RANGES) {
		unsigned in, out, count;

		if (sscanf(s, "%u %u %u", &in, &out, &count) == 3)
			to[n++] = (struct idrange){in, in, count};
		s = next_line(s);
	}
	return n;
}

/* Ids 0 .. n-1 have no gap. */
static uint32_t reach(const struct idrange *r, int n)
{
	uint32_t top = 0;

	for (int i = 0; i < n && r[i].inside == top; i++)
		top = r[i].count > UINT32_MAX - top ? UINT32_MAX : top + r[i].count;
	return top;
}

static bool may_set_ids(void)
{
	auto_free char *status = sys_text("/proc/self/status");
	const char *s = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t caps = s ? strtoull(s + 8, NULL, 16) : 0;

	return geteuid() == 0 && (caps & 1 << 6) && (caps & 1 << 7); /* CAP_SETGID, CAP_SETUID */
}

static int find_maps(struct maps *m, struct err *e)
{
	auto_free char *passwd = sys_text("/etc/passwd"), *subuid = NULL, *subgid = NULL;
	auto_free char *user = passwd ? idmap_user(passwd, geteuid()) : NULL;
	uint32_t lo;

	if (may_set_ids()) {
		m->direct = true;
		m->n_uid = own_map("/proc/self/uid_map", m->uid);
		m->n_gid = own_map("/proc/self/gid_map", m->gid);
	} else {
		subuid = sys_text("/etc/subuid");
		subgid = sys_text("/etc/subgid");
		m->uid[0] = (struct idrange){0, geteuid(), 1};
		m->gid[0] = (struct idrange){0, getegid(), 1};
		m->n_uid = 1 + (subuid ? idmap_parse(subuid, user, geteuid(), 1, m->uid + 1,
						 IDMAP_RANGES - 1)
				       : 0);
		m->n_gid = 1 + (subgid ? idmap_parse(subgid, user, geteuid(), 1, m->gid + 1,
						 IDMAP_RANGES - 1)
				       : 0);
	}
	lo = reach(m->uid, m->n_uid) < reach(m->gid, m->n_gid) ? reach(m->uid, m->n_uid)
	                                                       : reach(m->gid, m->n_gid);
	if (lo >= ENOUGH)
		return 0;
	if (m->direct)
		return err_set(e, ERR_UNSUPPORTED,
			"this user namespace has %u of the %u ids which a "
			"range needs",
			lo, ENOUGH);
	return err_set(e, ERR_UNSUPPORTED,
		"/etc/subuid and /etc/subgid grant user %s %u of the %u ids which "
		"a range needs (root can: usermod --add-subuids 200000-265535 --add-subgids 200000-265535 %s)",
		user ? user : "", lo - 1, ENOUGH - 1, user ? user : "NAME");
}

/* ---- writing them ---- */

static int put_file(const char *path, const char *text, struct err *e)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return err_sys(e, "write %s", path);
	return 0;
}

static int put_map(pid_t pid, const char *file, const struct idrange *r, int n, struct err *e)
{
	auto_free char *path = xasprintf("/proc/%d/%s", (int)pid, file);
	auto_buf struct buf b = {0};

	for (int i = 0; i < n; i++)
		buf_printf(&b, "%u %u %u\n", r[i].inside, r[i].outside, r[i].count);
	return put_file(path, b.s, e);
}

static int run(char *const *argv, struct err *e)
{
	char path_only[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *env[] = {path_only, NULL};
	static const char *const dirs[] = {
		"/usr/bin/", "/bin/", "/usr/sbin/", "/usr/local/bin/", "/run/wrappers/bin/"};
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
			char path[64];

			(void)snprintf(path, sizeof(path), "%s%s", dirs[i], argv[0]);
			(void)execve(path, argv, env); /* the next one, then */
		}
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, ERR_UNSUPPORTED, "%s is not installed (package uidmap)", argv[0]);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return err_set(e, ERR_DENIED,
			"%s has no power here: no_new_privs is set, by what started this program",
			argv[0]);
	return err_set(e, ERR_DENIED, "%s refused the ranges of /etc/sub%.3s", argv[0], argv[0] + 3);
}

static int run_helper(const char *program, pid_t pid, const struct idrange *r, int n, struct err *e)
{
	auto_strv struct strv a = {0};

	strv_add(&a, program);
	strv_addf(&a, "%d", (int)pid);
	for (int i = 0; i < n; i++) {
		strv_addf(&a, "%u", r[i].inside);
		strv_addf(&a, "%u", r[i].outside);
		strv_addf(&a, "%u", r[i].count);
	}
	return run(a.v, e);
}

static int write_maps(pid_t pid, const struct maps *m, struct err *e)
{
	if (m->direct)
		return put_map(pid, "uid_map", m->uid, m->n_uid, e) < 0 ||
		                       put_map(pid, "gid_map", m->gid, m->n_gid, e) < 0
		               ? -1
		               : 0;
	return run_helper("newuidmap", pid, m->uid, m->n_uid, e) < 0 ||
	                       run_helper("newgidmap", pid, m->gid, m->n_gid, e) < 0
	               ? -1
	               : 0;
}

/* ---- the namespace ---- */

static void nested_text(const struct idrange *r, int n, char *out)
{
	int len = 0;

	for (int i = 0; i < n; i++)
		len += snprintf(out + len, (size_t)(IDMAP_TEXT - len), "%u %u %u\n", r[i].inside,
			r[i].inside, r[i].count);
}

static void set_result(struct idmap *out, bool range, const struct maps *m)
{
	*out = (struct idmap){range, reach(m->uid, m->n_uid), reach(m->gid, m->n_gid), "", ""};
	nested_text(m->uid, m->n_uid, out->uid_text);
	nested_text(m->gid, m->n_gid, out->gid_text);
}

static bool setting_is(const char *path, const char *value)
{
	auto_free char *text = sys_text(path);

	return text && strncmp(text, value, strlen(value)) == 0 && text[strlen(value)] == '\n';
}

/* Ubuntu's kernels (24.04 and later) let unshare() pass but take the capabilities away; others refuse it. If this
 * program has an AppArmor profile, that has to be changed instead. */
static bool by_apparmor(struct err *e)
{
	auto_free char *label = sys_text("/proc/self/attr/current");
	const char *mode = label ? strstr(label, " (") : NULL;

	if (setting_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") &&
		(!mode || str_starts(label, "unconfined") || strstr(label, "unprivileged_userns"))) {
		(void)err_set(e, ERR_DENIED,
			"AppArmor takes all powers from user namespaces of programs without a profile; root can "
			"give them back: sysctl kernel.apparmor_restrict_unprivileged_userns=0 (or a profile for this "
			"program, flags=(unconfined), with the rule userns)");
		return true;
	}
	if (!mode || !str_starts(mode, " (enforce)"))
		return false;
	(void)err_set(e, ERR_DENIED,
		"AppArmor's profile %.*s forbids what containers need (in a container of docker's: run that with "
		"--security-opt apparmor=unconfined)",
		(int)(mode - label), label);
	return true;
}

int idmap_refused(const char *what, struct err *e)
{
	int sys = errno;

	if ((sys == EPERM || sys == EACCES) && by_apparmor(e))
		return -1;
	errno = sys;
	if (sys == ENOSPC || sys == EUSERS)
		return err_sys(e, "%s: user.max_*_namespaces (sysctl) leave no room", what);
	return err_sys(e, "%s", what);
}

int idmap_not_joined(struct err *e)
{
	int sys = errno;

	if (sys == EPERM && by_apparmor(e))
		return -1;
	errno = sys;
	if (sys != EPERM)
		return err_sys(e, "join the user namespace");
	return err_set(e, ERR_DENIED,
		"the user namespace of the image server cannot be joined from this process's own");
}

#define MACHINES_OWN 0xeffffffdU /* inode of the first user namespace */

int idmap_kept_out(const char *what, struct err *e)
{
	int sys = errno;
	struct stat st = {0};

	if ((sys == EPERM || sys == EACCES) && stat("/proc/self/ns/user", &st) == 0 &&
		st.st_ino != MACHINES_OWN)
		return err_set(e, ERR_DENIED,
			"%s: the user namespace that this process is in is not the one in which the container was "
			"started, and cannot enter it",
			what);
	errno = sys;
	return err_sys(e, "%s", what);
}

bool idmap_odd_proc(struct err *e)
{
	char self[32] = "";
	struct statvfs v;

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		(void)err_set(e, ERR_UNSUPPORTED, "there is no /proc here: mount -t proc proc /proc");
	else if (atoi(self) != getpid())
		(void)err_set(e, ERR_UNSUPPORTED,
			"/proc is that of another pid namespace: mount -t proc proc /proc (unshare --mount-proc)");
	else if (statvfs("/proc/self", &v) == 0 && (v.f_flag & ST_RDONLY))
		(void)err_set(e, ERR_UNSUPPORTED, "/proc is read-only: mount -t proc proc /proc");
	else
		return false;
	return true;
}

static int forbidden(struct err *e)
{
	struct idrange own[IDMAP_RANGES];
	int sys = errno;

	if (setting_is("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		return err_set(e, ERR_DENIED,
			"this machine forbids user namespaces to ordinary users; root "
			"can allow them: sysctl kernel.unprivileged_userns_clone=1");
	if (setting_is("/proc/sys/user/max_user_namespaces", "0"))
		return err_set(e, ERR_DENIED,
			"this machine allows no user namespaces; root can allow them: "
			"sysctl user.max_user_namespaces=15000");
	if (sys == EPERM && access("/proc/self/uid_map", R_OK) == 0 &&
		own_map("/proc/self/uid_map", own) == 0)
		return err_set(e, ERR_DENIED,
			"the user namespace that this process is in has no ids (unshare -r gives it one)");
	errno = sys;
	if (sys == ENOSPC)
		return err_sys(e, "a user namespace: the limit user.max_user_namespaces is reached");
	return idmap_refused(
		"a user namespace is refused, as in a chroot or a container (of docker's: run that with "
		"--security-opt seccomp=unconfined --security-opt systempaths=unconfined)",
		e);
}

static int one_map(uid_t uid, gid_t gid, struct err *e)
{
	auto_free char *u = xasprintf("0 %u 1\n", uid), *g = xasprintf("0 %u 1\n", gid);

	/* Without capabilities in the namespace a process may not write its own map. */
	if (put_file("/proc/self/setgroups", "deny", e) < 0 ||
		put_file("/proc/self/uid_map", u, e) < 0 || put_file("/proc/self/gid_map", g, e) < 0) {
		if ((e->kind == ERR_DENIED && by_apparmor(e)) || idmap_odd_proc(e))
			return -1;
		if (uid == 0 && e->sys == EPERM) /* since Linux 5.12 */
			return err_set(e, ERR_DENIED,
				"a user namespace: root without the capability CAP_SETFCAP may make none that "
				"maps it (bwrap: --cap-add CAP_SETFCAP, or another --uid than 0)");
		return err_ctx(e, "a user namespace");
	}
	return 0;
}

/* A process in the new namespace cannot map more than one id itself; a process outside can. So this forks a child that
 * stays outside, waits for a byte, maps the ids and answers with the result. */
static pid_t outsider(const struct maps *m, int *go, int *answer, struct err *e)
{
	int a[2], b[2];
	pid_t self = getpid(), pid;

	if (pipe2(a, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	if (pipe2(b, O_CLOEXEC) < 0) {
		(void)err_sys(e, "pipe");
		(void)close(a[0]);
		(void)close(a[1]);
		return -1;
	}
	pid = fork();
	if (pid == 0) {
		struct err sub = {0};
		char c;

		(void)close(a[1]); /* else the end of the parent would not end our read */
		if (read(a[0], &c, 1) == 1) {
			(void)write_maps(self, m, &sub);
			(void)!write(b[1], &sub, sizeof(sub));
		}
		_exit(0);
	}
	if (pid < 0)
		(void)err_sys(e, "fork");
	(void)close(a[0]);
	(void)close(b[1]);
	*go = a[1];
	*answer = b[0];
	return pid;
}

static int enter_range(const struct maps *m, bool *unshared, struct err *e)
{
	auto_close int go = -1, answer = -1;
	struct err sub = {0};
	pid_t pid = outsider(m, &go, &answer, e);
	int r = 0;

	if (pid < 0)
		return -1;
	if (unshare(CLONE_NEWUSER) < 0) {
		r = forbidden(e);
	} else {
		*unshared = true;
		if (write(go, "", 1) != 1 || read(answer, &sub, sizeof(sub)) != sizeof(sub))
			r = err_set(e, ERR_SYSTEM, "the process which maps the ids died");
		else if (sub.kind != ERR_NONE) {
			*e = sub;
			r = -1;
		}
	}
	(void)close(take_fd(&go)); /* without a byte the child ends */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

/* Whether the namespace has its user ids: they are written once, and one that lacks groups is of no use. */
static bool is_mapped(void)
{
	char text[64];

	return sys_get(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) > 0;
}

int idmap_enter(enum ids_mode mode, struct idmap *out, struct err *e)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	struct maps m = {0};
	struct err no_range;
	bool unshared = false;

	if (mode != IDS_ONE && find_maps(&m, &no_range) == 0 &&
		enter_range(&m, &unshared, &no_range) == 0) {
		set_result(out, true, &m);
		return 0;
	}
	if (mode == IDS_RANGE || (unshared && is_mapped())) {
		*e = no_range;
		return err_ctx(e, mode == IDS_RANGE ? "a range of ids"
						    : "a range of ids (--ids one needs none)");
	}
	if (!unshared && unshare(CLONE_NEWUSER) < 0)
		return forbidden(e);
	if (one_map(uid, gid, e) < 0)
		return -1;
	m = (struct maps){.uid = {{0, uid, 1}}, .gid = {{0, gid, 1}}, .n_uid = 1, .n_gid = 1};
	set_result(out, false, &m);
	return 0;
}

int idmap_join(int userns, struct idmap *out, struct err *e)
{
	struct maps m = {0};

	/* EINVAL: we are in it. */
	if (setns(userns, CLONE_NEWUSER) < 0 && errno != EINVAL)
		return err_sys(e, "join the user namespace");
	m.n_uid = own_map("/proc/self/uid_map", m.uid);
	m.n_gid = own_map("/proc/self/gid_map", m.gid);
	if (m.n_uid == 0 || m.n_gid == 0)
		return err_set(e, ERR_SYSTEM, "the user namespace has no ids");
	set_result(out, reach(m.uid, m.n_uid) >= ENOUGH && reach(m.gid, m.n_gid) >= ENOUGH, &m);
	return 0;
}
