/* SPDX-License-Identifier: Apache-2.0 */
#include "caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* clang-format off */
static const char *const names[] = {
	[CAP_CHOWN]            = "CAP_CHOWN",
	[CAP_DAC_OVERRIDE]     = "CAP_DAC_OVERRIDE",
	[CAP_DAC_READ_SEARCH]  = "CAP_DAC_READ_SEARCH",
	[CAP_FOWNER]           = "CAP_FOWNER",
	[CAP_FSETID]           = "CAP_FSETID",
	[CAP_KILL]             = "CAP_KILL",
	[CAP_SETGID]           = "CAP_SETGID",
	[CAP_SETUID]           = "CAP_SETUID",
	[CAP_SETPCAP]          = "CAP_SETPCAP",
	[CAP_LINUX_IMMUTABLE]  = "CAP_LINUX_IMMUTABLE",
	[CAP_NET_BIND_SERVICE] = "CAP_NET_BIND_SERVICE",
	[CAP_NET_BROADCAST]    = "CAP_NET_BROADCAST",
	[CAP_NET_ADMIN]        = "CAP_NET_ADMIN",
	[CAP_NET_RAW]          = "CAP_NET_RAW",
	[CAP_IPC_LOCK]         = "CAP_IPC_LOCK",
	[CAP_IPC_OWNER]        = "CAP_IPC_OWNER",
	[CAP_SYS_MODULE]       = "CAP_SYS_MODULE",
	[CAP_SYS_RAWIO]        = "CAP_SYS_RAWIO",
	[CAP_SYS_CHROOT]       = "CAP_SYS_CHROOT",
	[CAP_SYS_PTRACE]       = "CAP_SYS_PTRACE",
	[CAP_SYS_PACCT]        = "CAP_SYS_PACCT",
	[CAP_SYS_ADMIN]        = "CAP_SYS_ADMIN",
	[CAP_SYS_BOOT]         = "CAP_SYS_BOOT",
	[CAP_SYS_NICE]         = "CAP_SYS_NICE",
	[CAP_SYS_RESOURCE]     = "CAP_SYS_RESOURCE",
	[CAP_SYS_TIME]         = "CAP_SYS_TIME",
	[CAP_SYS_TTY_CONFIG]   = "CAP_SYS_TTY_CONFIG",
	[CAP_MKNOD]            = "CAP_MKNOD",
	[CAP_LEASE]            = "CAP_LEASE",
	[CAP_AUDIT_WRITE]      = "CAP_AUDIT_WRITE",
	[CAP_AUDIT_CONTROL]    = "CAP_AUDIT_CONTROL",
	[CAP_SETFCAP]          = "CAP_SETFCAP",
	[CAP_MAC_OVERRIDE]     = "CAP_MAC_OVERRIDE",
	[CAP_MAC_ADMIN]        = "CAP_MAC_ADMIN",
	[CAP_SYSLOG]           = "CAP_SYSLOG",
	[CAP_WAKE_ALARM]       = "CAP_WAKE_ALARM",
	[CAP_BLOCK_SUSPEND]    = "CAP_BLOCK_SUSPEND",
	[CAP_AUDIT_READ]       = "CAP_AUDIT_READ",
	[CAP_PERFMON]          = "CAP_PERFMON",
	[CAP_BPF]              = "CAP_BPF",
	[CAP_CHECKPOINT_RESTORE] = "CAP_CHECKPOINT_RESTORE",
};
/* clang-format on */

/* A kernel may have capabilities that the table does not know; they are removed from the bounding set as well. */
#define CAPS_CONCEIVABLE 64

int cap_from_name(const char *name)
{
	static const size_t prefix = sizeof("CAP_") - 1;
	const char *bare = strncasecmp(name, "CAP_", prefix) == 0 ? name + prefix : name;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(names[i] + prefix, bare) == 0)
			return (int)i;
	return -1;
}

const char *cap_name(int cap)
{
	return cap >= 0 && (size_t)cap < ARRAY_LEN(names) ? names[cap] : NULL;
}

/* The kernel's capabilities are numbered without gaps: a binary search finds the last one. */
uint64_t caps_all(void)
{
	int known = 0, unknown = CAPS_CONCEIVABLE;

	while (known < unknown) {
		int cap = (known + unknown) / 2;

		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0)
			known = cap + 1;
		else
			unknown = cap;
	}
	return known == CAPS_CONCEIVABLE ? ~UINT64_C(0) : CAP_BIT(known) - 1;
}

struct wish {
	uint64_t caps;
	bool all; /* the word ALL was there */
};

static int read_wish(const struct strv *words, const char *field, uint64_t known, struct wish *out,
	struct err *e)
{
	struct wish w = {0};

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i];
		int cap = cap_from_name(word);

		if (strcasecmp(word, "ALL") == 0) {
			w.all = true;
			continue;
		}
		if (cap < 0) {
			auto_free char *upper = xstrdup(word), *full = NULL;

			for (char *c = upper; *c; c++)
				if (*c >= 'a' && *c <= 'z')
					*c = (char)(*c - 'a' + 'A');
			full = xasprintf("%s%s", str_starts(upper, "CAP_") ? "" : "CAP_", upper);
			return err_set(e, ERR_USAGE, "invalid %s: unknown capability: %s", field,
				QUOTED(full));
		}
		if (!(known & CAP_BIT(cap)))
			return err_set(e, ERR_USAGE,
				"invalid %s: capability not supported by your kernel or not "
				"available in the current environment: \"%s\"",
				field, names[cap]);
		w.caps |= CAP_BIT(cap);
	}
	*out = w;
	return 0;
}

int caps_resolve(const struct strv *add, const struct strv *drop, bool privileged, uint64_t *out,
	struct err *e)
{
	uint64_t known = caps_all();
	struct wish more, less;

	if (read_wish(add, "CapAdd", known, &more, e) < 0 ||
		read_wish(drop, "CapDrop", known, &less, e) < 0)
		return -1;
	if (privileged)
		*out = known;
	else if (more.all) /* wins over --cap-drop ALL */
		*out = known & ~less.caps;
	else if (less.all)
		*out = more.caps;
	else /* a capability that is both dropped and added is kept */
		*out = (CAPS_DOCKER_DEFAULT & ~less.caps) | more.caps;
	return 0;
}

static void split(uint64_t caps, struct __user_cap_data_struct set[2], uint64_t permitted)
{
	for (int i = 0; i < 2; i++) {
		set[i].effective = (uint32_t)(caps >> (32 * i));
		set[i].permitted = (uint32_t)(permitted >> (32 * i));
		set[i].inheritable = 0;
	}
}

static int apply_bounding(uint64_t bounding, struct err *e)
{
	for (int cap = 0; cap < CAPS_CONCEIVABLE; cap++) {
		if (bounding & CAP_BIT(cap) || prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL) /* the kernel's last one was before */
			break;
		/* Even dropping a capability that is not there needs CAP_SETPCAP. */
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) > 0)
			return errno = EPERM,
			       err_sys(e, "drop capability %d from the bounding set", cap);
	}
	return 0;
}

int caps_apply(uint64_t bounding, uint64_t effective, struct err *e)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct set[2];
	uint64_t permitted;

	if (syscall(SYS_capget, &head, set) < 0)
		return err_sys(e, "read capabilities");
	/* A setresuid() with PR_SET_KEEPCAPS leaves the permitted set and empties the
	 * effective one. */
	permitted = (uint64_t)set[1].permitted << 32 | set[0].permitted;
	split(permitted, set, permitted);
	if (syscall(SYS_capset, &head, set) < 0)
		return err_sys(e, "raise capabilities");
	if (apply_bounding(bounding, e) < 0)
		return -1;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return err_sys(e, "clear ambient capabilities");
	split(effective, set, effective);
	if (syscall(SYS_capset, &head, set) < 0)
		return err_sys(e, "set capabilities");
	return 0;
}

void caps_pass_on(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct set[2];

	if (syscall(SYS_capget, &head, set) < 0)
		return;
	for (size_t i = 0; i < 2; i++)
		set[i].inheritable = set[i].permitted;
	if (syscall(SYS_capset, &head, set) < 0)
		return;
	for (int cap = 0; cap < CAPS_CONCEIVABLE; cap++)
		if (set[cap / 32].inheritable >> (cap % 32) & 1)
			(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0); /* that one not, then */
}

int caps_hold_none(struct err *e)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	const struct __user_cap_data_struct none[2] = {{0}};

	return syscall(SYS_capset, &head, none) < 0 ? err_sys(e, "drop capabilities") : 0;
}
