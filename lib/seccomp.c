/* SPDX-License-Identifier: Apache-2.0 */
#include "seccomp.h"

#include "auto.h"
#include "caps.h"
#include "seccomp_rules.h"
#include "sys.h"
#include "str.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define PROFILE_MAX (4u << 20)

/* 128 bits, by hashing the bytes twice. It only has to be a name, not resist attacks: the directory is ours. */
struct hash {
	uint64_t a, b;
};

static void hash_add(struct hash *h, const void *bytes, size_t n)
{
	const unsigned char *s = bytes;

	for (size_t i = 0; i < n; i++) {
		h->a = (h->a ^ s[i]) * 0x100000001b3ull;
		h->b = (h->b + s[i] + 1) * 0x9e3779b97f4a7c15ull;
		h->b ^= h->b >> 29;
	}
}

static const struct hash hash_start = {0xcbf29ce484222325ull, 0x243f6a8885a308d3ull};

/* What is in a cache file before the program. */
struct head {
	uint64_t magic, len;
	struct hash hash; /* of the program */
};

static const uint64_t magic = 0x31667062636573ull; /* "secbpf1" */

/* Whether dir/name contains a complete program; if not, for whatever reason, it is compiled again. */
static bool cache_read(int dir, const char *name, struct seccomp_filter *out)
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct {
		struct head head;
		struct sock_filter code[BPF_MAXINSNS];
	} file;
	struct hash h = hash_start;
	struct stat st;
	size_t bytes;
	ssize_t n;

	/* A filter is what others must not write. */
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
		st.st_mode & (S_IWGRP | S_IWOTH))
		return false;
	n = read(fd, &file, sizeof(file));
	if (n < (ssize_t)sizeof(file.head) || file.head.magic != magic || file.head.len == 0 ||
		file.head.len > BPF_MAXINSNS)
		return false;
	bytes = file.head.len * sizeof(*file.code);
	if ((size_t)n != sizeof(file.head) + bytes || st.st_size != n)
		return false;
	hash_add(&h, file.code, bytes);
	if (h.a != file.head.hash.a || h.b != file.head.hash.b)
		return false;
	out->len = (unsigned short)file.head.len;
	out->code = xcalloc(file.head.len, sizeof(*file.code));
	memcpy(out->code, file.code, bytes);
	return true;
}

/* If the cache cannot be written (a full disk, a read-only store) that only costs time. */
static void cache_write(int root, const char *name, const struct seccomp_filter *f)
{
	auto_free char *temporary = xasprintf("%s.%d", name, (int)getpid());
	size_t bytes = f->len * sizeof(*f->code);
	struct head head = {magic, f->len, hash_start};
	auto_close int fd = -1;

	hash_add(&head.hash, f->code, bytes);
	if (mkdirat(root, "cache", 0700) < 0 && errno != EEXIST)
		return;
	fd = openat(root, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (sys_write_all(fd, &head, sizeof(head)) < 0 || sys_write_all(fd, f->code, bytes) < 0 ||
		close(take_fd(&fd)) < 0 || renameat(root, temporary, root, name) < 0)
		(void)unlinkat(root, temporary, 0); /* as above */
}

enum source { SOURCE_NONE, SOURCE_DEFAULT, SOURCE_JSON };

static enum source source_of(const struct seccomp_ask *ask)
{
	if (!ask->profile || strcmp(ask->profile, "builtin") == 0)
		return ask->privileged ? SOURCE_NONE : SOURCE_DEFAULT;
	return strcmp(ask->profile, "unconfined") == 0 ? SOURCE_NONE : SOURCE_JSON;
}

/* The profile itself, or the path of a file, where containers of older versions have it. */
static int read_profile(const char *profile, struct buf *out, struct err *e)
{
	auto_close int fd = -1;
	char chunk[16384];
	ssize_t n;

	if (*profile != '/') {
		buf_puts(out, profile);
		return 0;
	}
	fd = open(profile, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return err_sys(e, "opening seccomp profile (%s) failed: open %s", profile, profile);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		if (out->len + (size_t)n > PROFILE_MAX)
			return err_set(e, ERR_USAGE, "seccomp profile %s: larger than %u bytes",
				profile, PROFILE_MAX);
		buf_add(out, chunk, (size_t)n);
	}
	if (n < 0)
		return err_sys(e, "opening seccomp profile (%s) failed: read", profile);
	return 0;
}

/* Without CAP_MKNOD a container is to see that it cannot make devices. */
static bool fakes_devices(const struct seccomp_ask *ask)
{
	return ask->fake_root && (ask->caps & UINT64_C(1) << CAP_MKNOD);
}

/* Docker's default allows making and joining namespaces only with CAP_SYS_ADMIN. */
static bool needs_hold(const struct seccomp_ask *ask)
{
	return ask->held && (source_of(ask) != SOURCE_DEFAULT || ask->caps & CAP_BIT(CAP_SYS_ADMIN));
}

static int make_rules(const struct seccomp_ask *ask, const struct buf *json,
	struct seccomp_rules *r, struct err *e)
{
	switch (source_of(ask)) {
	case SOURCE_NONE:
		seccomp_rules_unconfined(r);
		break;
	case SOURCE_DEFAULT:
		seccomp_rules_default(r, ask->caps);
		break;
	case SOURCE_JSON:
		if (seccomp_rules_json(r, json->s ? json->s : "", json->len, ask->caps, e) < 0)
			return -1;
		break;
	}
	if (ask->keyless)
		seccomp_rules_keyless(r);
	if (ask->fake_root)
		seccomp_rules_fake_root(r, fakes_devices(ask));
	if (needs_hold(ask))
		seccomp_rules_held(r);
	if (ask->part == SECCOMP_FIRST)
		seccomp_rules_first(r);
	if (ask->part == SECCOMP_LAST)
		seccomp_rules_last(r);
	return 0;
}

/* All that a program depends on. */
static char *cache_name(const struct seccomp_ask *ask, const struct buf *json)
{
	struct {
		uint64_t version, source, abis, fake_root, caps, part, keyless, held;
	} key = {SECCOMP_RULES_VERSION, source_of(ask), ABIS_NATIVE, 0, 0, ask->part, ask->keyless,
		needs_hold(ask)};
	struct hash h = hash_start;
	struct utsname kernel;

	if (ask->fake_root)
		key.fake_root = fakes_devices(ask) ? 1 : 2;
	if (key.source == SOURCE_DEFAULT)
		key.caps = ask->caps & seccomp_rules_default_caps();
	if (key.source == SOURCE_JSON) {
		key.caps = ask->caps;
		hash_add(&h, json->s, json->len);
		if (uname(&kernel) == 0) /* profiles may ask for its version */
			hash_add(&h, kernel.release, strlen(kernel.release));
	}
	hash_add(&h, &key, sizeof(key));
	return xasprintf("cache/seccomp-%016llx%016llx.bpf", (unsigned long long)h.a,
		(unsigned long long)h.b);
}

int seccomp_get(const struct store *s, const struct seccomp_ask *ask, struct seccomp_filter *out,
	struct err *e)
{
	auto_seccomp_rules struct seccomp_rules rules = {0};
	struct seccomp_filter f = {0};
	auto_free char *name = NULL;
	auto_buf struct buf json = {0};

	if (source_of(ask) == SOURCE_NONE && !ask->fake_root && !ask->keyless && !needs_hold(ask)) {
		*out = f;
		return 0;
	}
	if (source_of(ask) == SOURCE_JSON && read_profile(ask->profile, &json, e) < 0)
		return -1;
	name = cache_name(ask, &json);
	if (s && cache_read(s->root, name, out))
		return 0;
	if (make_rules(ask, &json, &rules, e) < 0)
		return -1;
	/* How docker says "no filter": no default action and no calls. */
	if (rules.otherwise == SECCOMP_RET_ALLOW && rules.n == 0) {
		*out = f;
		return 0;
	}
	if (seccomp_bpf(&rules, &f.code, &f.len, e) < 0)
		return -1;
	if (s)
		cache_write(s->root, name, &f);
	*out = f;
	return 0;
}

int seccomp_install(const struct seccomp_filter *f, struct err *e)
{
	struct sock_fprog program = {f->len, f->code};

	if (!f->code)
		return 0;
	/* Without SPEC_ALLOW, kernels before 5.16 turn on a mitigation that slows down everything in the container. It
	 * protects programs that run untrusted code in their own address space, not containers. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0)
		return 0;
	if (errno != EINVAL)
		return err_sys(e, "install the seccomp filter");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_sys(e, "install the seccomp filter");
	return 0;
}

void seccomp_done(struct seccomp_filter *f)
{
	free(f->code);
	*f = (struct seccomp_filter){0};
}
