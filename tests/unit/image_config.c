/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "tap.h"

static int parse(const char *text, struct image_config *c)
{
	auto_json json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);
	struct err e = {0};
	int result = image_config_parse(j, c, &e);

	if (result < 0)
		printf("# %s\n", e.text);
	return result;
}

static void refused(const char *text, const char *sentence)
{
	auto_image_config struct image_config c = {0};

	ok(parse(text, &c) < 0, sentence);
}

static void test_whole(void)
{
	auto_image_config struct image_config c = {0}, again = {0};
	auto_json json_t *out = NULL;
	auto_free char *text = NULL;

	is_int(parse("{\"Env\":[\"PATH=/bin\",\"A=b=c\"],\"Cmd\":[\"python3\"],\"Entrypoint\":null,"
		     "\"WorkingDir\":\"/app\",\"User\":\"\",\"Labels\":{\"k\":\"v=w\"},\"Volumes\":{\"/data\":{}},"
		     "\"ExposedPorts\":{\"80/tcp\":{}},\"StopSignal\":\"SIGINT\",\"Shell\":[\"/bin/bash\",\"-c\"],"
		     "\"Healthcheck\":{\"Test\":[\"NONE\"]},\"OnBuild\":[]}",
		       &c),
		0, "a whole config parses");
	is_int((long long)c.env.n, 2, "two variables");
	ok(!c.entrypoint.set && c.cmd.set, "null is not given, a list is given");
	is_str(c.user, NULL, "an empty user is none");
	is_str(c.labels.v[0], "k=v=w", "a label keeps its value");
	is_str(c.volumes.v[0], "/data", "a volume");
	is_str(c.exposed.v[0], "80/tcp", "a port");
	ok(c.health != NULL, "a health check");
	out = image_config_json(&c);
	text = json_dumps(out, JSON_COMPACT);
	is_int(parse(text, &again), 0, "what is written parses again");
	is_str(again.stop_signal, "SIGINT", "and says the same");
	is_str(again.shell.v[1], "-c", "in all its fields");
	is_str(again.labels.v[0], "k=v=w", "labels too");
}

int main(void)
{
	auto_image_config struct image_config c = {0};

	test_whole();
	is_int(parse("{\"Entrypoint\":\"/run.sh\"}", &c), 0, "a string where a list is due");
	is_str(c.entrypoint.v[0], "/run.sh", "is a list of one");
	image_config_done(&c);
	is_int(parse("null", &c), 0, "no config is an empty one");
	refused("[]", "a list is no config");
	refused("{\"Env\":{}}", "Env must be a list");
	refused("{\"Cmd\":[1]}", "a number is no word");
	refused("{\"Labels\":{\"a\":1}}", "a label is a string");
	refused("{\"WorkingDir\":[]}", "a working directory is a string");
	refused("{\"Volumes\":[\"/a\"]}", "volumes are an object");
	return done_testing();
}
