/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etc: the three files by which a container knows its names: hosts, hostname, resolv.conf.
 * They are regular files of the container's own, never the host's, so that what it writes
 * to them stays with it, until it starts the next time.
 *
 * The generators are pure and take the host's texts (NULL: there is none); the others
 * read those and write the files.
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

/* The same before another start. Each keeps its inode, which other containers may share, its mode and its owner, and is
 * not written to where nobody has changed it. */
int etc_renew(int dir, const struct spec *s, struct err *e);
