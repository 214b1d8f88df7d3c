/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "cgroup.h"
#include "plan.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *said(int dir, const char *name)
{
	static char text[64];

	return sys_get(dir, name, text, sizeof(text)) < 0 ? "?" : text;
}

/* Two updates: half a processor, then as many as there are. */
static void test_quota(enum cgroup_way way, const char *file, const char *limited, const char *free_)
{
	char path[] = "/tmp/sbx-unit.XXXXXX";
	int dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct cgroup c = {.way = way, .n = 1, .dirs = {{.fd = dir, .controllers = CG_CPU}}};
	struct plan p = {.cpu_quota_us = 50000, .memory_swappiness = -1};

	(void)close(openat(dir, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	cgroup_set(&c, &p);
	is_str(said(dir, file), limited, "a limit of processors is written");
	is_int(c.holds, HOLDS_CPUS, "and holds");
	p.cpu_quota_us = 0;
	(void)close(openat(dir, file, O_WRONLY | O_TRUNC | O_CLOEXEC)); /* as a group's file is written: whole */
	cgroup_set(&c, &p);
	is_str(said(dir, file), free_, "an update to none is written as well");
	is_int(c.holds, 0, "and none holds");
	(void)unlinkat(dir, file, 0);
	(void)rmdir(path);
	(void)close(dir);
}

static void test_shares(int64_t shares, const char *weight)
{
	char path[] = "/tmp/sbx-unit.XXXXXX";
	auto_close int dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct cgroup c = {.way = CGROUP_V2, .n = 1, .dirs = {{.fd = dir, .controllers = CG_CPU}}};
	struct plan p = {.cpu_shares = shares, .memory_swappiness = -1};

	(void)close(openat(dir, "cpu.weight", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	cgroup_set(&c, &p);
	is_str(said(dir, "cpu.weight"), weight, "shares become a weight that the kernel takes");
	(void)unlinkat(dir, "cpu.weight", 0);
	(void)rmdir(path);
}

int main(void)
{
	test_shares(1, "1");
	test_shares(2, "1");
	test_shares(1024, "39");
	test_shares(262144, "10000");
	test_shares(262145, "10000");
	test_shares(INT64_MAX, "10000");
	test_quota(CGROUP_V1, "cpu.cfs_quota_us", "50000", "-1");
	test_quota(CGROUP_V2, "cpu.max", "50000 100000", "max");
	return done_testing();
}
