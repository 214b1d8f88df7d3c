/* SPDX-License-Identifier: Apache-2.0 */
#include "detach.h"

#include "parse.h"

#include <string.h>

int detach_init(struct detach *d, const char *words, struct err *e)
{
	struct detach new = {0};

	if (parse_detach_keys(words, new.keys, &new.n, sizeof(new.keys), e) < 0)
		return -1;
	*d = new;
	return 0;
}

bool detach_pass(struct detach *d, const char *from, size_t n, char *to, size_t *passed)
{
	*passed = 0;
	for (size_t i = 0; i < n; i++) {
		if (d->n && (unsigned char)from[i] == d->keys[d->matched]) {
			if (++d->matched == d->n)
				return true;
			continue;
		}
		memcpy(to + *passed, d->keys, d->matched);
		*passed += d->matched;
		d->matched = d->n && (unsigned char)from[i] == d->keys[0];
		if (!d->matched)
			to[(*passed)++] = from[i];
	}
	return false;
}
