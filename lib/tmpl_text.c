/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_node.h"

static void dotted(const struct node *n, size_t first, struct buf *out)
{
	for (size_t i = first; i < n->names.n; i++)
		buf_printf(out, ".%s", n->names.v[i]);
}

static void pipe_string(const struct node *n, struct buf *out)
{
	for (size_t i = 0; i < n->names.n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", n->names.v[i]);
	if (n->names.n)
		buf_puts(out, n->assign ? " = " : " := ");
	for (size_t i = 0; i < n->n; i++) {
		buf_puts(out, i ? " | " : "");
		tmpl_node_string(n->kids[i], out);
	}
}

static void command_string(const struct node *n, struct buf *out)
{
	for (size_t i = 0; i < n->n; i++) {
		bool pipe = n->kids[i]->kind == N_PIPE;

		buf_puts(out, i ? " " : "");
		buf_puts(out, pipe ? "(" : "");
		tmpl_node_string(n->kids[i], out);
		buf_puts(out, pipe ? ")" : "");
	}
}

void tmpl_node_string(const struct node *n, struct buf *out)
{
	switch (n->kind) {
	case N_PIPE:
		pipe_string(n, out);
		break;
	case N_COMMAND:
		command_string(n, out);
		break;
	case N_FIELD:
		dotted(n, 0, out);
		break;
	case N_VARIABLE:
		buf_puts(out, n->names.v[0]);
		dotted(n, 1, out);
		break;
	case N_CHAIN:
		buf_putc(out, '(');
		tmpl_node_string(n->kids[0], out);
		buf_putc(out, ')');
		dotted(n, 0, out);
		break;
	case N_IDENT:
		buf_puts(out, n->text);
		break;
	case N_DOT:
		buf_putc(out, '.');
		break;
	case N_NIL:
		buf_puts(out, "nil");
		break;
	case N_BOOL:
		buf_puts(out, n->truth ? "true" : "false");
		break;
	case N_NUMBER:
	case N_STRING:
		buf_puts(out, n->source);
		break;
	case N_TEMPLATE:
		buf_puts(out, "{{template ");
		fmt_quote(n->text, n->len, out);
		if (n->kids[0]) {
			buf_putc(out, ' ');
			tmpl_node_string(n->kids[0], out);
		}
		buf_puts(out, "}}");
		break;
	default: /* statements: nothing is blamed on the whole of them */
		break;
	}
}
