/* SPDX-License-Identifier: Apache-2.0 */
/* fault: libarchive's errors about an archive, in Go's words if it has any for them. */
#pragma once

#include "err.h"

#include <archive.h>

/* What it says about its last error; never NULL. */
const char *archive_why(struct archive *a);
int archive_fault(struct archive *a, struct err *e);
