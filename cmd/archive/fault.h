/* SPDX-License-Identifier: Apache-2.0 */
/* fault: libarchive's errors about an archive, in Go's words if it has any for them. */
#pragma once

#include "err.h"

#include <archive.h>

int archive_fault(struct archive *a, struct err *e);
