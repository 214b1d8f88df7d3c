/* SPDX-License-Identifier: Apache-2.0 */
#include "meter.h"

#include "auto.h"

#include <sys/mman.h>
#include <sys/stat.h>

struct meter *meter_open(int fd)
{
	struct stat st;
	void *m;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != sizeof(struct meter))
		return NULL;
	m = mmap(NULL, sizeof(struct meter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return m == MAP_FAILED ? NULL : m;
}

struct meter *meter_new(struct err *e)
{
	auto_close int fd = memfd_create("sbx-meter", MFD_CLOEXEC);
	struct meter *m = NULL;

	if (fd >= 0 && ftruncate(fd, sizeof(*m)) == 0)
		m = meter_open(fd);
	if (!m) {
		(void)err_sys(e, "shared memory");
		return NULL;
	}
	m->fd = take_fd(&fd);
	return m;
}

void meter_free(struct meter *m)
{
	if (!m)
		return;
	(void)close(m->fd);
	(void)munmap(m, sizeof(*m)); /* it was mapped */
}
