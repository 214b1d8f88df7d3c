/* SPDX-License-Identifier: Apache-2.0 */
/* watch_late: until when a walk over memory may go on. How long one takes is in the container's hands: each process may have 64,000
 * mappings, of which a walk takes half a second, and all stand still meanwhile. */
#include "watch_parts.h"

#include "sys.h"

void watch_begin_walk(struct watch *w, int64_t most_ns)
{
	w->until = sys_now_ns() + most_ns;
	if (w->end && w->end < w->until)
		w->until = w->end;
	w->late = false;
}

bool watch_is_late(struct watch *w)
{
	w->late = w->late || (w->until && sys_now_ns() >= w->until);
	watch_keep_still(w);
	return w->late;
}

bool watch_is_over(const struct watch *w)
{
	return w->end && sys_now_ns() >= w->end;
}
