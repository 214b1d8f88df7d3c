/* SPDX-License-Identifier: Apache-2.0 */
/* enforce: which limits of a spec this machine can hold. */
#pragma once

#include "err.h"
#include "spec.h"

/* Refuses limits beyond what the machine has, in docker's words. */
int enforce_check(const struct spec *s, struct err *e);
int enforce_check_storage(const struct spec *s, struct err *e); /* likewise, for --storage-opt size */
/* Adds a sentence for each limit that nothing will hold here, or only in a weaker way than docker's. Looks at the machine only
 * if such a limit is set. */
void enforce_warnings(const struct spec *s, struct strv *out);
/* Likewise for what was asked of a running container, whose control group holds `held`: of what one of a new start would. */
void enforce_warn_of_late(const struct spec *s, unsigned int held, struct strv *out);
/* Likewise for options of ours that only say how another one's limit ends a program. The former calls it. */
void enforce_warn_of_lone(const struct spec *s, struct strv *out);
