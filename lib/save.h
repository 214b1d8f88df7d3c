/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save: images as one tar, an OCI layout which is docker's archive as well, as docker has written it since 25.
 * Layers are the very tars that they came as, so that whoever loads them finds the same ids; those that came as
 * none, or cannot be written so again, a tar of their files.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "store.h"

#include <stddef.h>

/* Fails where one of them, names as below, is there and is for another platform than is asked for (NULL, "": none is). */
int save_check_platform(
	const struct store *s, const char *platform, char *const *names, size_t n, struct err *e);
/* names: references or ids. Nothing is written before all of them are known to be savable. */
int save_images(const struct store *s, char *const *names, size_t n, int out, struct meter *meter,
	struct err *e);
