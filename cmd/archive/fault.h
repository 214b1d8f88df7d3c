/* SPDX-License-Identifier: Apache-2.0 */
/* fault: what is wrong with an archive, in Go's words where it has some. */
#pragma once

#include "err.h"

#include <archive.h>

int archive_fault(struct archive *a, struct err *e);
