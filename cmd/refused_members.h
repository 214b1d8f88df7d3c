/* SPDX-License-Identifier: Apache-2.0 */
/* refused_members: docker's commands behind those which there are not here. */
#pragma once

#include "opt.h"

/* The target of all of their options: nothing is read from it. */
struct ignored {
	bool flag;
	int64_t number;
	char *word;
	struct strv words;
};
void ignored_done(void *target);

/* The last has no name. */
extern const struct command swarm_members[], node_members[], service_members[], stack_members[],
	secret_members[], config_members[], trust_members[], manifest_members[], checkpoint_members[];
/* Options of those without a group of their own here. */
extern const struct opt plugin_create_opts[], plugin_install_opts[], plugin_push_opts[],
	volume_update_opts[];
