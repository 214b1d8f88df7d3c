/* SPDX-License-Identifier: Apache-2.0 */
/* volume_local: the options of docker's local driver: checks them, and tells what to mount for them. */
#include "volume_parts.h"

#include "parse.h"

#include <errno.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* "size" alone mounts nothing: it is a quota, which docker supports at most on an xfs. */
static const struct {
	const char *word, *needs[2];
} known[] = {{"type", {"device"}}, {"device", {"type"}}, {"o", {"device", "type"}}, {"size", {0}}};

static bool is_known(const char *kv, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strlen(known[i].word) == n && memcmp(known[i].word, kv, n) == 0)
			return true;
	return false;
}

/* NULL: the option is not given. Without "=" its value is empty. */
static const char *option(const struct strv *options, const char *key)
{
	const char *kv = strv_env(options, key);

	return kv ? kv + strlen(key) + (kv[strlen(key)] == '=') : NULL;
}

static int check_size(const char *size, struct err *e)
{
	int64_t bytes;

	if (!size)
		return 0;
	if (parse_bytes(size, &bytes, e) < 0)
		return -1;
	return bytes > 0 ? err_set(e, ERR_USAGE, "quota size requested but no quota support") : 0;
}

int volume_check_options(const struct strv *options, struct err *e)
{
	for (size_t i = 0; i < options->n; i++) {
		size_t n = strcspn(options->v[i], "=");

		if (!is_known(options->v[i], n))
			return err_set(e, ERR_USAGE, "invalid option: %s", QUOTED_N(options->v[i], n));
	}
	if (check_size(option(options, "size"), e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		for (size_t k = 0; k < ARRAY_LEN(known[i].needs) && known[i].needs[k]; k++)
			if (option(options, known[i].word) && !option(options, known[i].needs[k]))
				return err_set(e, ERR_USAGE, "missing required option: \"%s\"",
					known[i].needs[k]);
	return 0;
}

/* ---- what to mount ---- */

/* The words that docker takes for flags; all others are passed to the file system. */
static const struct flag {
	const char *word;
	bool clear;
	unsigned long flag;
} flags[] = {
	{"ro", false, MS_RDONLY},
	{"rw", true, MS_RDONLY},
	{"suid", true, MS_NOSUID},
	{"nosuid", false, MS_NOSUID},
	{"dev", true, MS_NODEV},
	{"nodev", false, MS_NODEV},
	{"exec", true, MS_NOEXEC},
	{"noexec", false, MS_NOEXEC},
	{"sync", false, MS_SYNCHRONOUS},
	{"async", true, MS_SYNCHRONOUS},
	{"dirsync", false, MS_DIRSYNC},
	{"remount", false, MS_REMOUNT},
	{"mand", false, MS_MANDLOCK},
	{"nomand", true, MS_MANDLOCK},
	{"atime", true, MS_NOATIME},
	{"noatime", false, MS_NOATIME},
	{"diratime", true, MS_NODIRATIME},
	{"nodiratime", false, MS_NODIRATIME},
	{"bind", false, MS_BIND},
	{"rbind", false, MS_BIND | MS_REC},
	{"unbindable", false, MS_UNBINDABLE},
	{"runbindable", false, MS_UNBINDABLE | MS_REC},
	{"private", false, MS_PRIVATE},
	{"rprivate", false, MS_PRIVATE | MS_REC},
	{"shared", false, MS_SHARED},
	{"rshared", false, MS_SHARED | MS_REC},
	{"slave", false, MS_SLAVE},
	{"rslave", false, MS_SLAVE | MS_REC},
	{"relatime", false, MS_RELATIME},
	{"norelatime", true, MS_RELATIME},
	{"strictatime", false, MS_STRICTATIME},
	{"nostrictatime", true, MS_STRICTATIME},
};

static const struct {
	unsigned long flag;
	unsigned int attr;
} attrs[] = {
	{MS_RDONLY, MOUNT_ATTR_RDONLY},
	{MS_NOSUID, MOUNT_ATTR_NOSUID},
	{MS_NODEV, MOUNT_ATTR_NODEV},
	{MS_NOEXEC, MOUNT_ATTR_NOEXEC},
	{MS_NOATIME, MOUNT_ATTR_NOATIME},
	{MS_NODIRATIME, MOUNT_ATTR_NODIRATIME},
};

struct wish {
	const char *type, *device, *path; /* path: _data, which docker mounts it on */
	unsigned long flags;
	struct buf data;
};

static const struct flag *find_flag(const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (strlen(flags[i].word) == n && memcmp(flags[i].word, word, n) == 0)
			return &flags[i];
	return NULL;
}

static void read_words(const char *words, struct wish *w)
{
	bool more = false;

	for (;;) {
		size_t n = strcspn(words, ",");
		const struct flag *f = find_flag(words, n);

		if (!f) {
			buf_printf(&w->data, "%s%.*s", more ? "," : "", (int)n, words);
			more = true;
		} else if (f->clear) {
			w->flags &= ~f->flag;
		} else {
			w->flags |= f->flag;
		}
		if (!words[n])
			return;
		words += n + 1;
	}
}

static unsigned int attrs_of(unsigned long flag)
{
	unsigned int attr = 0;

	for (size_t i = 0; i < ARRAY_LEN(attrs); i++)
		if (flag & attrs[i].flag)
			attr |= attrs[i].attr;
	if (flag & MS_STRICTATIME)
		attr = (attr & ~(unsigned int)MOUNT_ATTR__ATIME) | MOUNT_ATTR_STRICTATIME;
	return attr;
}

/* Docker's sentence, to which the kernel's reason is added. */
static char *sentence(const struct wish *w)
{
	const unsigned long propagation = MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE;
	auto_buf struct buf b = {0};

	buf_printf(&b, "error while mounting volume '%s': failed to mount local volume: mount %s:%s",
		w->path, w->device, w->path);
	if (w->flags & ~propagation)
		buf_printf(&b, ", flags: 0x%lx", w->flags & ~propagation);
	if (w->data.len)
		buf_printf(&b, ", data: %s", w->data.s);
	return buf_take(&b);
}

static int refuse(const struct wish *w, int why, struct err *e)
{
	auto_free char *told = sentence(w);

	errno = why;
	return err_go(e, "%s", told);
}

static int bind_it(const struct wish *w, struct spec_mount *m, struct err *e)
{
	/* docker's daemon looks it up, whose working directory is the root */
	auto_free char *dir = xasprintf("%s%s", *w->device == '/' ? "" : "/", w->device);
	struct stat st;

	if (stat(dir, &st) < 0)
		return refuse(w, errno, e);
	if (!S_ISDIR(st.st_mode))
		return refuse(w, ENOTDIR, e);
	free(m->src);
	m->src = take(dir);
	/* Other flags take effect only by the remount that makes it read-only. */
	m->attr = w->flags & MS_RDONLY ? attrs_of(w->flags) : 0;
	return 0;
}

static int tmpfs(const struct wish *w, struct spec_mount *m)
{
	free(m->tmpfs_volume);
	free(m->why);
	m->tmpfs_volume = xasprintf("%s%s%s", w->data.len ? w->data.s : "",
		w->flags & MS_SYNCHRONOUS ? ",sync" : "", w->flags & MS_DIRSYNC ? ",dirsync" : "");
	m->attr = attrs_of(w->flags);
	m->why = sentence(w);
	return 0;
}

static int mount_wish(const struct wish *w, struct spec_mount *m, struct err *e)
{
	auto_free char *told = NULL;

	if (!*w->device)
		return err_set(e, ERR_USAGE,
			"error while mounting volume '%s': missing device in volume options", w->path);
	/* Docker takes these for changes of an existing mount. */
	if (((w->flags & MS_REMOUNT) || str_eq(w->device, "none")) && !w->data.len)
		return 0;
	if (w->flags & MS_REMOUNT)
		return refuse(w, EINVAL, e);
	if (w->flags & MS_BIND)
		return bind_it(w, m, e);
	if (str_eq(w->type, "tmpfs"))
		return tmpfs(w, m);
	if (!*w->type || str_eq(w->type, "none"))
		return refuse(w, ENODEV, e);
	told = sentence(w);
	return err_set(e, ERR_UNSUPPORTED,
		"%s: operation not permitted (type %s: without root a volume is a tmpfs, or a directory by o=bind)",
		told, w->type);
}

int volume_mount(const struct volume *v, struct spec_mount *m, struct err *e)
{
	const char *type = option(&v->options, "type"), *device = option(&v->options, "device"),
		   *words = option(&v->options, "o");
	struct wish w = {.type = type ? type : "", .device = device ? device : "", .path = v->path};
	int r;

	if (!*w.type && !*w.device)
		return 0;
	read_words(words ? words : "", &w);
	r = mount_wish(&w, m, e);
	buf_done(&w.data);
	return r;
}
