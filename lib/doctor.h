/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: finds out by trying what this machine allows, and tells which way each thing is done here. */
#pragma once

#include "err.h"
#include "store.h"

enum doctor_level {
	DOCTOR_FINE,
	DOCTOR_LESS, /* done in another way, or not available */
	DOCTOR_BAD,  /* containers cannot run */
};

struct doctor_line {
	enum doctor_level level;
	const char *what; /* "overlay" */
	char text[1000];  /* how it is done here */
	char fix[1000];   /* what the user can do; empty: nothing is missing */
};

/* Calls tell() for each line. Removes everything that it made for its trials. */
void doctor_look(const struct store *s, void (*tell)(const struct doctor_line *, void *arg), void *arg);
