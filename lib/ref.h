/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref: image references. "debian" means docker.io/library/debian:latest and is shown as debian:latest.
 * Pure; errors are docker's words.
 */
#pragma once

#include "err.h"

struct ref {
	char *domain; /* "docker.io", "localhost:5000" */
	char *path;   /* "library/debian" */
	char *tag;    /* or NULL; "latest" where neither tag nor digest was given */
	char *digest; /* "sha256:<hex>" or NULL */
};

int ref_parse(const char *s, struct ref *out, struct err *e);
void ref_done(struct ref *r);
#define auto_ref __attribute__((cleanup(ref_done)))

/* "docker.io/library/debian:latest"; the caller frees. */
char *ref_full(const struct ref *r);
/* "debian" without tag and digest, as the REPOSITORY column has it; the caller frees. */
char *ref_repository(const struct ref *r);
/* Two words of a request as one such reference: a tag that is given takes the place of the name's own. NULL: they are none. */
char *ref_tagged(const char *repository, const char *tag, struct err *e);
/* A reference as users write it, as docker lists it: "debian:latest". NULL: it is none. */
char *ref_familiar(const char *what, struct err *e);
