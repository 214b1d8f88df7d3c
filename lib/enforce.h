/* SPDX-License-Identifier: Apache-2.0 */
/* enforce: what this machine makes of the limits in a spec. */
#pragma once

#include "err.h"
#include "spec.h"

/* Limits that are beyond the machine, in docker's words. */
int enforce_check(const struct spec *s, struct err *e);
int enforce_check_storage(const struct spec *s, struct err *e); /* likewise: of what the container writes */
/* Adds a sentence for each limit which nothing will hold here, or only something weaker than docker's. Looks at the
 * machine only where such a limit is set. */
void enforce_warnings(const struct spec *s, struct strv *out);
