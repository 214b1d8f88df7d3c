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
/* "debian", without tag and digest, as the REPOSITORY column shows it; the caller frees. */
char *ref_repository(const struct ref *r);
/* The reference of a request's two words: a tag that is given replaces that of the name. NULL: not a reference. */
char *ref_tagged(const char *repository, const char *tag, struct err *e);
/* A reference that a user wrote, in the form in which docker lists it: "debian:latest". NULL: not a reference. */
char *ref_familiar(const char *what, struct err *e);
