/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etc: the three files by which a container knows its names: hosts, hostname, resolv.conf.
 * They are regular files of the container's own, never the host's, so that what it writes
 * to them stays with it.
 *
 * The generators are pure and take the host's texts (NULL: there is none); etc_write()
 * reads those and writes the files.
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
