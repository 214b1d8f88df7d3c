/* SPDX-License-Identifier: Apache-2.0 */
/* api_bundle: import, which shares its path with pull. */
#pragma once

struct api;
struct err;

int api_import(struct api *a, struct err *e);
