/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar_parts: what reading (tar.c) and writing (tar_write.c) share: where the fields of a header are. Nobody else
 * includes this.
 */
#pragma once

#include "tar.h"

/* A header by place, as POSIX has it. */
struct field {
	unsigned at, size;
};
static const struct field NAME = {0, 100}, MODE = {100, 8}, UID = {108, 8}, GID = {116, 8},
			  SIZE = {124, 12}, MTIME = {136, 12}, SUM = {148, 8}, LINK = {157, 100},
			  UNAME = {265, 32}, GNAME = {297, 32}, MAJOR = {329, 8}, MINOR = {337, 8},
			  PREFIX = {345, 155};
#define TYPE_AT  156
#define MAGIC_AT 257

#define XATTR "SCHILY.xattr." /* and the name: the key of a pax record */
