/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include "child.h"
#include "idmap.h"
#include "layers.h"
#include "sys.h"

struct owned {
	const struct store *s;
	int userns;
	int (*work)(const struct store *s, const void *arg, struct err *e);
	const void *arg;
};

static int as_owner(void *arg, struct err *e)
{
	const struct owned *o = arg;

	if (sys_setns(o->userns, CLONE_NEWUSER) < 0)
		return idmap_not_joined(e);
	return o->work(o->s, o->arg, e);
}

int owner_do(const struct store *s, int (*work)(const struct store *s, const void *arg, struct err *e),
	const void *arg, struct err *e)
{
	auto_lease struct lease lease = {.conn = -1, .userns = -1};
	struct owned o = {s, -1, work, arg};

	if (layers_lease(s, IDS_RANGE, NULL, 0, &lease, e) < 0)
		return -1;
	o.userns = lease.userns;
	if (child_do(as_owner, &o, e) == 0)
		return 0;
	(void)err_ctx(e, "files of other ids than one's own");
	e->kind = ERR_DENIED;
	return -1;
}
