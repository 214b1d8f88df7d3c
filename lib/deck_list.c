/* SPDX-License-Identifier: Apache-2.0 */
#include "deck_list.h"

#include "sys.h"

#include <string.h>

#define SETTLED_S 2 /* the coarsest clock that a file system has */

bool deck_list_sign(const struct store *s, const struct deck_kind *k, struct deck_sign *out)
{
	memset(out, 0, sizeof(*out)); /* it is compared whole */
	for (size_t i = 0; i < ARRAY_LEN(k->dirs) && k->dirs[i]; i++)
		if (sys_changed(s->root, k->dirs[i], &out->inode[i], &out->changed[i]) < 0)
			return false;
	return true;
}

/* ---- reading ---- */

bool deck_list_open(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	struct deck_text *out)
{
	size_t len = 0;
	auto_free char *text = deck_file_read(s, k->file, k->form, &len);

	if (!text || len < sizeof(*sign) || memcmp(text, sign, sizeof(*sign)) != 0)
		return false;
	out->text = take(text);
	out->at = out->text + sizeof(*sign);
	out->end = out->text + len;
	return true;
}

void deck_list_close(struct deck_text *d)
{
	free(d->text);
	*d = (struct deck_text){0};
}

const char *deck_next(struct deck_text *d)
{
	const char *s = d->at;

	if (s >= d->end)
		return "";
	d->at += strlen(s) + 1;
	return s;
}

char *deck_next_copy(struct deck_text *d)
{
	const char *s = deck_next(d);

	return *s ? xstrdup(s) : NULL;
}

int64_t deck_next_number(struct deck_text *d)
{
	return strtoll(deck_next(d), NULL, 10);
}

/* Their number precedes them. */
void deck_next_list(struct deck_text *d, struct strv *out)
{
	for (int64_t n = deck_next_number(d); n > 0 && d->at < d->end; n--)
		strv_add(out, deck_next(d));
}

/* ---- writing ---- */

bool deck_list_begin(const struct store *s, const struct deck_kind *k, const struct deck_sign *sign,
	int64_t began_ns, struct deck_pen *out)
{
	struct timespec now;
	int fd = deck_file_begin(s, k->file, began_ns, &now);

	if (fd < 0)
		return false;
	now.tv_sec -= SETTLED_S;
	if (sign->changed[0].tv_sec >= now.tv_sec || sign->changed[1].tv_sec >= now.tv_sec) {
		deck_file_drop(s, k->file);
		(void)close(fd); /* nothing was written */
		return false;
	}
	*out = (struct deck_pen){.s = s, .kind = k, .fd = fd};
	buf_add(&out->body, sign, sizeof(*sign));
	return true;
}

void deck_put_part(struct deck_pen *p, const char *text, size_t n)
{
	buf_add(&p->body, text, n);
	buf_putc(&p->body, '\0');
}

void deck_put(struct deck_pen *p, const char *text)
{
	deck_put_part(p, text ? text : "", text ? strlen(text) : 0);
}

void deck_put_number(struct deck_pen *p, int64_t n)
{
	buf_printf(&p->body, "%lld", (long long)n);
	buf_putc(&p->body, '\0');
}

void deck_put_list(struct deck_pen *p, const struct strv *list)
{
	deck_put_number(p, (int64_t)list->n);
	for (size_t i = 0; i < list->n; i++)
		deck_put(p, list->v[i]);
}

void deck_list_end(struct deck_pen *p)
{
	deck_file_pad(&p->body);
	deck_file_end(p->s, p->kind->file, p->kind->form, p->fd, &p->body);
	(void)close(p->fd); /* what fails is only slower the next time */
	buf_done(&p->body);
}
