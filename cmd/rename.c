/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "event.h"
#include "state.h"

#include <string.h>

static int rename_it(const char *from, const char *to, struct err *e)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_state struct state st = {0};
	auto_free char *old = NULL;
	id_text id;

	if (store_open(&s, e) < 0 || state_find(&s, from, id, e) < 0 || state_load(&s, id, &st, e) < 0)
		return -1;
	old = xasprintf("/%s", st.name);
	if (state_rename(&s, &st, to, e) < 0)
		return -1;
	event_container(&s, &st, "rename", "oldName", old);
	return 0;
}

static int rename_main(void *target, int argc, char **argv)
{
	auto_free char *from = str_trim(argv[0]), *to = str_trim(argv[1]);
	struct err e;

	(void)target, (void)argc;
	if (!*from || !*to) {
		(void)fprintf(stderr, "Error: Neither old nor new names may be empty\n");
		return 1;
	}
	if (rename_it(from, to, &e) == 0)
		return 0;
	say_daemon_error(&e);
	(void)fprintf(stderr, "Error: failed to rename container named %s\n", from);
	return 1;
}

const struct command cmd_rename = {
	.name = "rename",
	.args = "CONTAINER NEW_NAME",
	.about = "Rename a container",
	.aliases = "docker container rename, docker rename",
	.run = rename_main,
	.min_args = 2,
	.max_args = 2,
};
