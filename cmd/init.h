/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define INIT_NAME "docker-init" /* argv[0] of it, as docker calls its own */

int init_main(int argc, char **argv);
