/* SPDX-License-Identifier: Apache-2.0 */
#include "pids.h"

#include "sys.h"

#include <ctype.h>
#include <unistd.h>

/* Where they begin in a directory of procfs, behind everything else, which would not fit. */
#define FIRST 256

void pids_begin(struct pids *p, int procfs)
{
	p->dir = procfs;
	p->at = p->n = 0;
	if (lseek(procfs, FIRST, SEEK_SET) < 0)
		p->dir = -1;
}

const char *pids_next(struct pids *p)
{
	for (;;) {
		const struct dirent *d;

		if (p->at >= p->n) {
			p->n = sys_getdents(p->dir, p->entries, sizeof(p->entries));
			p->at = 0;
			if (p->n <= 0)
				return NULL;
		}
		d = (const struct dirent *)(p->entries + p->at);
		p->at += d->d_reclen;
		if (isdigit((unsigned char)d->d_name[0]))
			return d->d_name;
	}
}
