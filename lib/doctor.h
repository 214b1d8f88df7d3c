/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what this machine allows, found out by trying it, and which way each thing is done here. */
#pragma once

#include "err.h"
#include "store.h"

enum doctor_level {
	DOCTOR_FINE,
	DOCTOR_LESS, /* it goes another way, or something is not had */
	DOCTOR_BAD,  /* containers cannot run */
};

struct doctor_line {
	enum doctor_level level;
	const char *what; /* "overlay" */
	char text[1000];  /* how it is done here */
	char fix[1000];   /* what would help; empty: nothing is missing */
};

/* Calls tell() for each line. Everything that is made for a trial is gone afterwards. */
void doctor_look(const struct store *s, void (*tell)(const struct doctor_line *, void *arg), void *arg);
