/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include "container_opts.h"
#include "json.h"
#include "outcome.h"
#include "sys.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *setup_error(const struct err *why, int status)
{
	auto_json json_t *r = outcome_never_ran(why->text, status);

	return json_dumps(r, JSON_COMPACT);
}

int result_begin(const char *where, struct err *e)
{
	struct stat st;
	auto_close int fd = -1;

	if (result_check(where, e) < 0)
		return -1;
	/* A pipe is not opened yet: closing it would be the end of file for its reader. */
	if (!where || (stat(where, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
			      access(where, W_OK) == 0))
		return 0;
	fd = result_open(where, e);
	return fd < 0 ? -1 : 0;
}

void result_write(const char *where, const char *json, const struct err *why, int status)
{
	auto_free char *made = json || !why ? NULL : setup_error(why, status);
	struct err e;
	const char *text = json ? json : made;
	auto_close int fd = result_open(where, &e);
	void (*unread)(int) = signal(SIGPIPE, SIG_IGN); /* we end with the program's status all the same */

	if (fd < 0 || !text || sys_write_all(fd, text, strlen(text)) < 0 ||
		sys_write_all(fd, "\n", 1) < 0)
		(void)fprintf(stderr, "WARNING: --result %s: cannot be written\n", where);
	(void)signal(SIGPIPE, unread);
}

int result_refuse(const char *where, const struct err *why, int status)
{
	if (where)
		result_write(where, NULL, why, status);
	return status;
}

int result_refuse_call(const struct command *c, const void *target, const struct err *why, int status)
{
	for (const struct opt *o = c->opts; o && o->name; o++) {
		const char *where;
		struct err unused;

		if (!str_eq(o->name, "result") || o->type != OPT_IS_STR)
			continue;
		where = *(char *const *)((const char *)target + o->offset);
		if (result_check(where, &unused) == 0)
			return result_refuse(where, why, status);
	}
	return status;
}
