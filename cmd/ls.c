/* SPDX-License-Identifier: Apache-2.0 */
#include "ls.h"

#include "client_config.h"
#include "cmd.h"

int ls_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct ls *)target)->filters, value, e);
}

void ls_done(void *target)
{
	struct ls *p = target;

	free(p->format);
	filter_done(&p->filters);
}

int ls_print(struct ls *p, const struct listing_kind *kind, const char *key,
	int (*list)(const struct ls *p, struct listing *l, struct strv *unread, struct err *e))
{
	auto_listing struct listing l = {0};
	auto_strv struct strv unread = {0};
	auto_buf struct buf out = {0};
	struct err e;

	if (key && !p->quiet)
		client_config(key, &p->format);
	listing_begin(&l, kind, p->format);
	if (list(p, &l, &unread, &e) < 0 || listing_end(&l, &out, &e) < 0)
		return say_error(&e, 1);
	return say_unread(&unread, say_out(&out));
}
