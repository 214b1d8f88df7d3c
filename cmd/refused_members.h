/* SPDX-License-Identifier: Apache-2.0 */
/* refused_members: the subcommands of docker's commands that sbx refuses, such as "swarm init". */
#pragma once

#include "opt.h"

/* The target of all their options; its values are not used. */
struct ignored {
	bool flag;
	int64_t number;
	char *word;
	struct strv words;
};
void ignored_done(void *target);

/* Each ends with a command without a name. */
extern const struct command swarm_members[], node_members[], service_members[], stack_members[],
	secret_members[], config_members[], trust_members[], manifest_members[], checkpoint_members[];
/* Options of refused commands in groups that sbx has. */
extern const struct opt plugin_create_opts[], plugin_install_opts[], plugin_push_opts[],
	volume_update_opts[];
