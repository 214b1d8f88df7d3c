/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

int plugin_check_filters(const struct filters *f, struct err *e)
{
	static const char *const known[] = {"enabled", "capability", NULL};
	bool enabled;

	return filter_check(f, known, e) < 0 ? -1 : filter_bool(f, "enabled", false, &enabled, e);
}

int plugin_find(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "plugin %s not found", QUOTED(name));
}
