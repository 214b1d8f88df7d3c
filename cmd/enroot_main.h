/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

int enroot_main(int argc, char **argv);
/* False: this program is no bundle. */
bool enroot_bundle_main(int argc, char **argv, int *status);
