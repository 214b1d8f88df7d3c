/* SPDX-License-Identifier: Apache-2.0 */
/* engine_check: what docker looks for when it starts a container, and not before. */
#include "engine_parts.h"

#include "auto.h"
#include "network.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A node, or a directory which has one. */
static bool has_device(const char *path)
{
	auto_free char *root = xstrdup(path);
	char *const paths[] = {root, NULL};
	FTS *walk = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	bool found = false;
	FTSENT *at;

	while (!found && walk && (at = fts_read(walk)))
		found = at->fts_info == FTS_DEFAULT &&
		        (S_ISCHR(at->fts_statp->st_mode) || S_ISBLK(at->fts_statp->st_mode));
	if (walk)
		(void)fts_close(walk); /* only read from */
	return found;
}

/* Docker looks for devices when it starts a container. */
static int find_devices(const struct spec *s, struct err *e)
{
	for (size_t i = 0; i < s->devices.n; i++) {
		auto_free char *path = xstrndup(s->devices.v[i], strcspn(s->devices.v[i], ":"));

		if (*path != '/' || access(path, F_OK) < 0)
			return err_set(e, ERR_SYSTEM,
				"error gathering device information while adding custom device %s: "
				"no such file or directory",
				QUOTED(path));
		if (!has_device(path))
			return err_set(e, ERR_SYSTEM,
				"error gathering device information while adding custom device %s: "
				"not a device node",
				QUOTED(path));
	}
	return 0;
}

/* There is no driver for GPUs: docker without one refuses the start with this error. */
static int find_requested(const struct spec *s, struct err *e)
{
	const json_t *one = json_array_get(s->device_requests, 0);
	const json_t *names = json_array_get(json_object_get(one, "Capabilities"), 0), *name;
	auto_buf struct buf words = {0};
	size_t i;

	if (!one)
		return 0;
	json_array_foreach(names, i, name) buf_printf(
		&words, "%s%s", i ? " " : "", json_is_string(name) ? json_string_value(name) : "");
	return err_set(e, ERR_SYSTEM,
		names ? "could not select device driver %s with capabilities: [[%s]]"
		      : "could not select device driver %s with capabilities: []",
		QUOTED(json_str(one, "Driver", "")), words.s ? words.s : "");
}

/* Each network that was named must exist by now. */
static int check_networks(const struct store *s, const struct spec *spec, struct err *e)
{
	const char *name;
	const json_t *ask;

	json_object_foreach(spec->endpoints, name, ask)
	{
		auto_json json_t *j = NULL;

		if (network_check(s, name, e) < 0 && !(j = network_find(s, name, e)))
			return -1;
	}
	return network_check(s, spec->network, e);
}

/* docker makes this check when it puts together the runtime's configuration. */
static int check_shares(const struct spec *s, struct err *e)
{
	return s->cpu_shares != SPEC_UNSET && s->cpu_shares < 0
	               ? err_set(e, ERR_SYSTEM, "shares: invalid argument")
	               : 0;
}

int engine_check_start(const struct store *s, const struct spec *spec, struct err *e)
{
	if (check_networks(s, spec, e) < 0 || find_devices(spec, e) < 0 || find_requested(spec, e) < 0)
		return -1;
	return check_shares(spec, e);
}
