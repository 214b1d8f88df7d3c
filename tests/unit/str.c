/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"
#include "auto.h"
#include "tap.h"

static void test_unset(void)
{
	auto_strv struct strv env = {0};

	strv_add(&env, "A=1");
	strv_add(&env, "B=2");
	strv_add(&env, "C=3");
	strv_env_unset(&env, "A");
	ok(env.n == 2 && !env.v[2], "execve() finds the end of what one was taken out of");
	is_str(env.v[0], "B=2", "the rest stays");
	is_str(env.v[1], "C=3", "in its order");
	strv_env_unset(&env, "C");
	ok(env.n == 1 && !env.v[1], "also when it was the last one");
	strv_env_unset(&env, "none");
	is_int((long)env.n, 1, "what is not there is no matter");
}

static void test_set(void)
{
	auto_strv struct strv env = {0};

	strv_add(&env, "A=1");
	strv_env_set(&env, env.v[0]);
	is_str(env.v[0], "A=1", "one can be set to what it is");
}

int main(void)
{
	test_unset();
	test_set();
	return done_testing();
}
