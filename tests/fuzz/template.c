/* SPDX-License-Identifier: Apache-2.0 */
/* A --format comes from the command line, later from the network: any text, on an object like a container's and on the
 * row of a listing. */
#include "fuzz.h"
#include "inspect.h"
#include "json.h"
#include "str.h"
#include "tmpl.h"

static void say(void *self, const char *const *argv, struct buf *out)
{
	buf_puts(out, argv ? argv[0] : self);
}

static json_t *nothing(void *self, const char *const *argv)
{
	(void)self;
	(void)argv;
	return json_null();
}

static const struct tmpl_method columns[] = {
	{"Name", say, 0, "NAME"},
	{"Label", say, 1, NULL},
	{"None", NULL, 0, "NONE", nothing},
	{0},
};

static void over_a_row(const char *text)
{
	char name[] = "a->b \xff\xc3\xa9";
	struct tmpl_object o = {"*formatter.ContainerContext", columns, name};
	struct tmpl_data d = {.object = &o};
	auto_buf struct buf out = {0};
	struct err e = {0};
	auto_tmpl struct tmpl *t = tmpl_parse(text, &e);

	if (t)
		(void)tmpl_exec(t, &d, &out, &e);
}

/* As docker's client has it first, and as it has it then. */
static void over_types(const char *text)
{
	static const char object[] =
		"{\"Id\":\"01\",\"Created\":\"2024-02-29T13:04:05.06+05:30\",\"Number\":1.5,"
		"\"Config\":{\"Env\":[\"A=b\"],\"Cmd\":null,\"Healthcheck\":{\"Interval\":90000000000}},"
		"\"HostConfig\":{\"NetworkMode\":\"container:x\",\"IpcMode\":7,\"PidMode\":\"host\","
		"\"RestartPolicy\":{\"Name\":\"always\",\"MaximumRetryCount\":0},"
		"\"PortBindings\":{\"80/tcp\":[{\"HostPort\":\"80\"}]},"
		"\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":1,\"Hard\":2}],"
		"\"BlkioDeviceReadBps\":[{\"Path\":\"/a\",\"Rate\":1}],\"Memory\":5,"
		"\"Mounts\":[{\"Type\":\"tmpfs\",\"TmpfsOptions\":{\"Mode\":448}}]},"
		"\"NetworkSettings\":{\"Networks\":{\"a\":{\"NetworkID\":\"1\"}}}}";
	auto_json json_t *j = json_loads(object, 0, NULL);
	struct tmpl_data typed = {
		.json = j, .fields = inspect_fields, .exact = true, .type = "network.Inspect"};
	struct tmpl_data raw = {.json = j, .missing_is_error = true, .numbers = true};
	auto_buf struct buf out = {0};
	struct err e = {0};
	auto_tmpl struct tmpl *t = tmpl_parse(text, &e);

	if (!t)
		return;
	(void)tmpl_exec(t, &typed, &out, &e);
	(void)tmpl_exec(t, &raw, &out, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char object[] =
		"{\"Id\":\"0123\",\"Name\":\"/web\",\"N\":3,\"Yes\":true,\"None\":null,"
		"\"State\":{\"Status\":\"running\",\"Pid\":42},"
		"\"Mounts\":[{\"Source\":\"/a\"},{\"Source\":\"/b\"}],\"Labels\":{\"k\":\"v\"}}";
	auto_free char *text = fuzz_text(data, size);
	auto_json json_t *j = json_loads(object, 0, NULL);
	auto_buf struct buf out = {0};
	struct err e = {0};

	(void)tmpl_render(text, j, &out, &e);
	over_a_row(text);
	over_types(text);
	return 0;
}
