/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save: writes images as one tar, which is an OCI layout and docker's archive at once, as docker has written it since 25.
 * A layer is written as the very tar that it came from, so that loading gives the same ids; if it did not come as a tar, or
 * that cannot be reproduced, as a tar of its files.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "store.h"

#include <stddef.h>

/* An error if one of the images exists and is for another platform (NULL or "": any will do). names: as below. */
int save_check_platform(
	const struct store *s, const char *platform, char *const *names, size_t n, struct err *e);
/* names: references or ids. Writes nothing before all of them were found and checked. */
int save_images(const struct store *s, char *const *names, size_t n, int out, struct meter *meter,
	struct err *e);
