/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "sqsh_config.h"
#include "tap.h"

static const char generated[] = "# maintainer NVIDIA <x@example.com>\n"
				"\n"
				"mkdir -p \"/workspace\" 2> /dev/null\n"
				"cd \"/workspace\" && unset OLDPWD || exit 1\n"
				"\n"
				"if [ -s /etc/rc.local ]; then\n"
				"    . /etc/rc.local\n"
				"fi\n"
				"\n"
				"if [ $# -gt 0 ]; then\n"
				"    exec '/opt/entry point.sh' \"$@\"\n"
				"else\n"
				"    exec '/opt/entry point.sh' 'it'\\''s' $'a\\tb'\n"
				"fi\n";

static void read_config(struct image_config *c, const char *json, const char *env, const char *rc,
	const char *local)
{
	struct err e = {0};
	auto_json json_t *j = sqsh_config_from(json, env, rc, local, &e);

	ok(j && image_config_parse(json_object_get(j, "config"), c, &e) == 0, "a config is made");
}

static void test_endless(void)
{
	auto_image_config struct image_config c = {0};
	auto_buf struct buf text = {0};
	auto_json json_t *j = NULL;
	struct err e = {0};

	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "A%d=\n", i);
	j = sqsh_config_from(NULL, text.s, NULL, NULL, &e);
	ok(j && image_config_parse(json_object_get(j, "config"), &c, &e) < 0,
		"more variables than anybody has");
	is_str(e.text, "image config: Env holds more than 16384 words", "are refused, soon");
}

static void test_generated(void)
{
	auto_image_config struct image_config c = {0};

	read_config(&c, NULL, "A=1\n# B=2\nC=\"x y\"\n9=bad\nD=\nA=2\n", generated,
		"# nothing here\n\n  # really\n");
	is_str(c.workdir, "/workspace", "the working directory is read from cd");
	is_int((long long)c.entrypoint.n, 1, "the entrypoint has one word");
	is_str(c.entrypoint.v[0], "/opt/entry point.sh", "quotes of the entrypoint are taken off");
	is_int((long long)c.cmd.n, 2, "the command is what follows the entrypoint");
	is_str(c.cmd.v[0], "it's", "a quote within quotes");
	is_str(c.cmd.v[1], "a\tb", "an ANSI-C quoted word");
	is_int((long long)c.env.n, 3, "lines which are no variable are passed over");
	is_str(c.env.v[0], "A=2", "the last value wins");
	is_str(c.env.v[1], "C=x y", "one layer of quotes is taken off");
	is_str(c.env.v[2], "D=", "an empty value is a value");
	is_str(c.labels.n ? c.labels.v[0] : NULL, "maintainer=NVIDIA <x@example.com>",
		"comments at the top are labels");
}

static void test_no_entrypoint(void)
{
	auto_image_config struct image_config c = {0};

	read_config(&c, NULL, NULL,
		"mkdir -p \"/\" 2> /dev/null\ncd \"/\" && unset OLDPWD || exit 1\n"
		"if [ $# -gt 0 ]; then\n    exec  \"$@\"\nelse\n    exec  'bash'\nfi\n",
		NULL);
	is_int((long long)c.entrypoint.n, 0, "no entrypoint stays none");
	is_str(c.cmd.n ? c.cmd.v[0] : NULL, "bash", "the command alone");
	is_str(c.workdir, NULL, "/ is no working directory");
}

static void test_own_script(const char *rc, const char *local, const char *sentence)
{
	auto_image_config struct image_config c = {0};

	read_config(&c, NULL, NULL, rc, local);
	is_int((long long)c.entrypoint.n, 2, sentence);
	is_str(c.entrypoint.n == 2 ? c.entrypoint.v[1] : NULL, "/etc/rc", "it is the entrypoint");
	is_int((long long)c.cmd.n, 0, "it has no command");
}

static void test_embedded(void)
{
	auto_image_config struct image_config c = {0};
	struct err e = {0};

	read_config(&c, "{\"config\":{\"Env\":[\"X=1\"],\"Cmd\":[\"python3\"]}}", "Y=2\n",
		generated, NULL);
	is_int((long long)c.env.n, 1, "config.json comes before /etc/environment");
	is_str(c.cmd.v[0], "python3", "and before /etc/rc");
	image_config_done(&c);
	read_config(&c, "{\"Env\":[\"X=1\"],\"WorkingDir\":\"/w\"}", NULL, NULL, NULL);
	is_str(c.workdir, "/w", "a Config object alone will do");
	ok(!sqsh_config_from("[1]", NULL, NULL, NULL, &e), "a config.json that is no object is refused");
	is_int(e.kind, ERR_CORRUPT, "as corrupt");
}

int main(void)
{
	auto_image_config struct image_config c = {0};

	test_endless();
	test_generated();
	test_no_entrypoint();
	test_own_script("#!/bin/sh\nexport X=1\nexec \"$@\"\n", NULL, "a script of somebody's own is run");
	test_own_script(generated, "export X=1\n", "an rc.local with commands is run");
	test_own_script(
		"exec $FOO \"$@\"\nexec 'x'\n", NULL, "a word with an expansion is not guessed at");
	test_own_script("", NULL, "an empty rc is not the generated one");
	test_embedded();
	read_config(&c, NULL, NULL, NULL, NULL);
	is_str(c.cmd.n ? c.cmd.v[0] : NULL, "/bin/sh", "a plain tree gets a shell");
	return done_testing();
}
