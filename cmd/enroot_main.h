/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

int enroot_main(int argc, char **argv);
