/* SPDX-License-Identifier: Apache-2.0 */
/* spec_rows: shared by the files of spec: parts of the JSON that take more than a row of its table, and checks. */
#pragma once

#include "spec.h"

/* The value at a dotted path below an object; NULL: there is none, or it is null. */
json_t *spec_json_get(const json_t *j, const char *path);
/* Sets it, making the objects on the way; takes the value over. */
void spec_json_set(json_t *j, const char *path, json_t *value);

void spec_mounts_to_json(const struct spec *s, json_t *j);
int spec_mounts_from_json(struct spec *s, const json_t *j, struct err *e);
void spec_mounts_done(struct spec *s);
void spec_ports_to_json(const struct spec *s, json_t *j);
/* The daemon's checks, for API requests that did not come through docker's client. */
int spec_check_ports(const struct spec *s, struct err *e);
int spec_check_log(const struct spec *s, struct err *e); /* the driver, and its options */
int spec_ports_from_json(struct spec *s, const json_t *j, struct err *e);
void spec_host_to_json(const struct spec *s, json_t *j); /* ulimits, devices */
int spec_host_from_json(struct spec *s, const json_t *j, struct err *e);
