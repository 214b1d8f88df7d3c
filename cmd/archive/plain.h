/* SPDX-License-Identifier: Apache-2.0 */
/* plain: takes the compression off a stream. */
#pragma once

#include "err.h"

int plain_copy(int in, int out, struct err *e);
