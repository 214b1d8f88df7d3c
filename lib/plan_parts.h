/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_parts: shared by the files of plan: processes and privileges (plan.c), the file system (plan_mounts.c). Nobody
 * else includes this.
 */
#pragma once

#include "plan.h"

/* Adds all steps of a container, in order. */
void plan_mounts(struct plan *p, const struct spec *s, const struct host *h, const char *dir);
/* Appends a step. */
struct step *plan_add(
	struct plan *p, enum step_kind kind, const char *dst, const char *src, const char *why);
bool plan_mounts_at(const struct spec *s, const char *dst); /* whether the user mounts something there */

/* -1 and 0 both mean "no limit" in docker's words. */
int64_t plan_limit_of(int64_t value);
/* The value of the last --security-opt `word`, "true" of the word alone; NULL: there is none. */
const char *plan_security(const struct spec *s, const char *word);
