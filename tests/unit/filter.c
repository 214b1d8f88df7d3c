/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include "tap.h"

static bool passes(const char *word, const char *name)
{
	struct filters f = {0};
	struct err e = {0};
	bool yes = filter_add(&f, word, &e) == 0 && filter_match(&f, "name", name);

	filter_done(&f);
	return yes;
}

static void names(void)
{
	ok(passes("name=eb", "web"), "a part of a name is enough");
	ok(passes("name=", "web"), "nothing is a part of all");
	ok(passes(" NAME = web ", "web"), "keys have no case, and blanks around do not count");
	ok(passes("name=(?i)^WEB$", "web"), "(?i) is for both cases");
	ok(passes("name=^w\\w+?\\d\\b", "web1"), "Go's classes are known");
	ok(!passes("name=w\\D1", "w11"), "their opposites, too");
	ok(passes("name=^[[:alpha:]]+$", "web"), "so are POSIX's");
	ok(!passes("name=\\<web", "web"), "the C library's escapes are not");
	ok(!passes("name=(web", "web"), "a broken expression matches nothing");
	ok(passes("name=(web", "(web"), "but what is spelled like it");
	ok(passes("label=x", "web"), "a filter of another key leaves all");
}

int main(void)
{
	names();
	return done_testing();
}
