/* SPDX-License-Identifier: Apache-2.0 */
/* tarfd: the callbacks of tar.h for descriptors, buffered. */
#pragma once

#include "meter.h"
#include "tar.h"

#include <stdint.h>

struct tarfd {
	int fd;
	uint64_t total; /* bytes read or written so far */
	size_t at, n;   /* the part of the buffer that is in use */
	char *buf;
	struct meter *meter; /* counts the bytes, too; or NULL */
};

struct tarfd tarfd_open(int fd);
/* Puts back up to TAR_BLOCK bytes that were read before, to be read first. */
void tarfd_unread(struct tarfd *f, const void *bytes, size_t n);
void tarfd_done(struct tarfd *f);
#define auto_tarfd __attribute__((cleanup(tarfd_done)))
ssize_t tarfd_read(void *tarfd, void *to, size_t n);       /* a tar_source */
ssize_t tarfd_give(void *tarfd, int fd, size_t n);         /* a tar_give */
int tarfd_write(void *tarfd, const void *bytes, size_t n); /* a tar_sink */
ssize_t tarfd_pass(void *tarfd, int fd, size_t n);         /* a tar_pass */
int tarfd_flush(struct tarfd *f, struct err *e);
