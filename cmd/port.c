/* SPDX-License-Identifier: Apache-2.0 */
/* port: lists where a container's ports are published. */
#include "cmd.h"
#include "state.h"
#include "status.h"

#include <string.h>

struct line {
	int number;
	char *text;
};

static int by_number(const void *a, const void *b)
{
	const struct line *p = a, *q = b;

	return p->number != q->number ? p->number - q->number : strcmp(p->text, q->text);
}

static char *address(const json_t *binding)
{
	const char *ip = json_str(binding, "HostIp", ""), *port = json_str(binding, "HostPort", "");

	return xasprintf(strchr(ip, ':') ? "[%s]:%s" : "%s:%s", ip, port);
}

static void all_lines(const json_t *ports, struct buf *out)
{
	auto_free struct line *lines = NULL;
	const char *key;
	json_t *list, *binding;
	size_t n = 0, i;

	json_object_foreach((json_t *)(uintptr_t)ports, key, list)
	{
		json_array_foreach(list, i, binding)
		{
			auto_free char *at = address(binding);

			lines = xrealloc(lines, n + 1, sizeof(*lines));
			lines[n++] = (struct line){atoi(key), xasprintf("%s -> %s\n", key, at)};
		}
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_number);
	for (i = 0; i < n; i++) {
		buf_puts(out, lines[i].text);
		free(lines[i].text);
	}
}

static int one_port(const json_t *ports, const char *word, const char *container, struct buf *out,
	struct err *e)
{
	const char *slash = strchr(word, '/');
	auto_free char *number = slash ? xstrndup(word, (size_t)(slash - word)) : xstrdup(word);
	auto_free char *key = xasprintf("%s/%s", number, slash ? slash + 1 : "tcp");
	json_t *list, *binding;
	size_t i;

	if (!*number || number[strspn(number, "0123456789")])
		return err_set(e, ERR_USAGE,
			"invalid port (%s): strconv.ParseUint: parsing %s: invalid syntax", number,
			QUOTED(number));
	if (strlen(number) > 5 || atoi(number) > 65535)
		return err_set(e, ERR_USAGE,
			"invalid port (%s): strconv.ParseUint: parsing \"%s\": value out of range",
			number, number);
	list = json_object_get(ports, key);
	if (json_array_size(list) == 0)
		return err_set(e, ERR_NOT_FOUND, "No public port '%s' published for %s", word, container);
	json_array_foreach(list, i, binding)
	{
		auto_free char *at = address(binding);

		buf_printf(out, "%s\n", at);
	}
	return 0;
}

static int port_main(void *target, int argc, char **argv)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_json json_t *spec = NULL, *ports = NULL;
	auto_state struct state st = {0};
	auto_buf struct buf out = {0};
	struct err e;
	id_text id;

	(void)target;
	if (store_open(&s, &e) < 0 || state_find_inspected(&s, argv[0], id, &e) < 0 ||
		state_load(&s, id, &st, &e) < 0 || !(spec = state_load_spec(&s, id, &e))) {
		say_daemon_error(&e);
		return 1;
	}
	ports = status_ports(&st, spec);
	if (argc > 1 && *argv[1] && one_port(ports, argv[1], argv[0], &out, &e) < 0) {
		(void)fprintf(stderr, "Error: %s\n", e.text);
		return 1;
	}
	if (argc == 1 || !*argv[1])
		all_lines(ports, &out);
	return say_out(&out);
}

const struct command cmd_port = {
	.name = "port",
	.args = "CONTAINER [PRIVATE_PORT[/PROTO]]",
	.about = "List port mappings or a specific mapping for the container",
	.aliases = "docker container port, docker port",
	.run = port_main,
	.min_args = 1,
	.max_args = 2,
};
