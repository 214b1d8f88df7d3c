/* SPDX-License-Identifier: Apache-2.0 */
/* top: lists the processes of a container. */
#include "cmd.h"
#include "engine.h"
#include "event.h"
#include "top.h"

#include <string.h>

/* As in docker, columns are 20 wide, or 3 wider than their widest cell; the last one is not padded. */
static void align(const json_t *table, struct buf *out)
{
	const json_t *heads = json_object_get(table, "Titles"),
		     *rows = json_object_get(table, "Processes");
	size_t columns = json_array_size(heads), n = json_array_size(rows);

	for (size_t r = 0; r <= n; r++) {
		const json_t *cells = r ? json_array_get(rows, r - 1) : heads;

		for (size_t c = 0; c < columns; c++) {
			const char *cell = json_string_value(json_array_get(cells, c));
			size_t width = 20;

			cell = cell ? cell : "";
			for (size_t k = 0; k <= n; k++) {
				const json_t *row = k ? json_array_get(rows, k - 1) : heads;
				size_t len = json_string_length(json_array_get(row, c));

				width = len + 3 > width ? len + 3 : width;
			}
			buf_printf(out, "%-*s", c + 1 < columns ? (int)width : 0, cell);
		}
		buf_putc(out, '\n');
	}
}

static json_t *top(const char *name, char **args, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_state struct state st = {0};
	id_text id;
	json_t *j;

	if (store_open(&s, e) < 0 || state_find(&s, name, id, e) < 0 || state_load(&s, id, &st, e) < 0)
		return NULL;
	if (st.status == ST_RUNNING || st.status == ST_PAUSED) {
		j = top_list(&st, args, e);
		if (j)
			event_container(&s, &st, "top", NULL, NULL);
		return j;
	}
	(void)engine_not_running(&st, e);
	return NULL;
}

static int top_main(void *target, int argc, char **argv)
{
	auto_json json_t *table = NULL;
	auto_buf struct buf out = {0};
	struct err e;

	(void)target, (void)argc;
	table = top(argv[0], argv + 1, &e);
	if (!table) {
		say_daemon_error(&e);
		return 1;
	}
	align(table, &out);
	return say_out(&out);
}

const struct command cmd_top = {
	.name = "top",
	.args = "CONTAINER [ps OPTIONS]",
	.about = "Display the running processes of a container",
	.aliases = "docker container top, docker top",
	.run = top_main,
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true,
};
