/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* argv[0] that makes this program init; the name is that of docker's init. */
#define INIT_NAME "docker-init"

int init_main(int argc, char **argv);
