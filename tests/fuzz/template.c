/* SPDX-License-Identifier: Apache-2.0 */
/* A --format comes from the command line, later from the network: any text, on an object like a container's. */
#include "fuzz.h"
#include "json.h"
#include "str.h"
#include "tmpl.h"

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
	return 0;
}
