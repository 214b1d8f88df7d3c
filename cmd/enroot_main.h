/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

int enroot_main(int argc, char **argv);
/* False: this program's file is not a bundle. */
bool enroot_bundle_main(int argc, char **argv, int *status);
