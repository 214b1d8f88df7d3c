/* SPDX-License-Identifier: Apache-2.0 */
#include "complete.h"

#include <string.h>

void complete_offer(struct offers *o, const char *text, const char *about)
{
	size_t n = strlen(text);

	buf_puts(&o->out, text);
	if (about && *about)
		buf_printf(&o->out, "\t%.*s", (int)strcspn(about, "\n"), about);
	buf_putc(&o->out, '\n');
	if (!str_starts(text, o->current))
		return;
	o->fitting++;
	o->open += n && strchr("=:,", text[n - 1]);
}

void complete_offer_fitting(struct offers *o, const char *text, const char *about)
{
	if (str_starts(text, o->current))
		complete_offer(o, text, about);
}

void complete_options(struct offers *o, const struct opt *rows)
{
	for (const struct opt *row = rows; row && row->name; row++) {
		auto_free char *name = xasprintf("--%s", row->name),
			       *letter = xasprintf("-%c", row->letter);

		if ((row->flags & (OPT_HIDDEN | OPT_DEPRECATED)) || opt_is_covered(rows, row))
			continue;
		complete_offer_fitting(o, name, row->help);
		if (row->letter)
			complete_offer_fitting(o, letter, row->help);
	}
}

bool complete_has(const struct offers *o, const char *name, char letter)
{
	for (int i = 0; i < o->n_words; i++) {
		const char *w = o->words[i];

		if (w[0] == '-' && (w[1] == '-' ? str_eq(w + 2, name) : strchr(w + 1, letter) != NULL))
			return true;
	}
	return false;
}

const char *complete_given(const struct offers *o, const char *name)
{
	size_t n = strlen(name);

	for (int i = o->n_words - 1; i >= 0; i--) {
		const char *w = o->words[i];

		if (!str_starts(w, "--") || strncmp(w + 2, name, n) != 0)
			continue;
		if (w[2 + n] == '=')
			return w + 2 + n + 1;
		if (!w[2 + n] && i + 1 < o->n_words)
			return o->words[i + 1];
	}
	return NULL;
}
