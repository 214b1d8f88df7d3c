/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etc: a container's /etc/hosts, /etc/hostname and /etc/resolv.conf. They are regular files of its
 * own, never the host's, so that it may write to them; its next start replaces what it wrote.
 *
 * etc_hosts(), etc_hostname() and etc_resolv() are pure and take the host's texts (NULL: the host
 * has none); the other functions read these texts and write the files.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "str.h"

void etc_hosts(struct buf *out, const struct spec *s, const char *host_text);
void etc_hostname(struct buf *out, const struct spec *s);
void etc_resolv(struct buf *out, const struct spec *s, const char *host_text);

/* Writes dir/hosts, dir/hostname and dir/resolv.conf, replacing what is there. The spec
 * is complete, hostname included. */
int etc_write(int dir, const struct spec *s, struct err *e);

/* The same before a later start. Each file keeps its inode, which other containers may share, its mode and owner, and is only
 * written if its content differs. */
int etc_renew(int dir, const struct spec *s, struct err *e);
