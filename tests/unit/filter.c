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

/* The API's {"value":false}. */
static void off(void)
{
	struct filters f = {0};
	struct err e = {0};
	bool truth = true;

	filter_put_off(&f, "name", "web");
	filter_put_off(&f, "status", "(a");
	filter_put_off(&f, "dangling", "true");
	ok(filter_has(&f, "name") && filter_lists(&f, "name", "web"), "a value that is off is a value");
	ok(filter_match(&f, "name", "web") && !filter_match(&f, "name", "db"),
		"it is found as an expression");
	ok(!filter_match(&f, "status", "(a"), "but not by how it is spelled");
	ok(!filter_equal(&f, "name", "web"), "it equals nothing");
	ok(filter_equal(&f, "other", "web"), "a key that is not there leaves all");
	ok(filter_bool(&f, "dangling", false, &truth, &e) < 0, "it is no truth");
	ok(str_eq(e.text, "invalid filter 'dangling=[true]'"), "which is said");
	filter_put(&f, "dangling", "false");
	filter_put(&f, "dangling", "x");
	ok(filter_bool(&f, "dangling", true, &truth, &e) == 0 && !truth, "but one beside it may be");
	filter_done(&f);
}

/* The API's {"key":{}}. */
static void empty(void)
{
	struct filters f = {0};
	struct err e = {0};
	bool truth;

	filter_put(&f, "dangling", NULL);
	ok(filter_asked(&f, "dangling") && !filter_has(&f, "dangling"),
		"a key can be there without values");
	ok(filter_bool(&f, "dangling", false, &truth, &e) < 0, "which is no truth");
	ok(str_eq(e.text, "invalid filter 'dangling'"), "and is said");
	ok(filter_bool(&f, "all", true, &truth, &e) == 0 && truth, "one that is not there has a default");
	filter_done(&f);
}

static bool prunes(const char *spared, const char *also, const char *label)
{
	struct filters f = {0};
	struct strv labels = {0};
	bool yes;

	filter_put(&f, "label!", spared);
	filter_put(&f, "label!", also);
	strv_add(&labels, label);
	yes = filter_prunes(&f, &(struct timespec){0}, &labels, NULL);
	strv_done(&labels);
	filter_done(&f);
	return yes;
}

static void labels(void)
{
	ok(!prunes("a", NULL, "a=1"), "what has the label of label!= is spared");
	ok(prunes("a", NULL, "b=1"), "and nothing else");
	ok(prunes("a", "b", "a=1"), "of several labels it must have all");
	ok(!prunes(NULL, NULL, "a=1"), "label! without values spares all");
}

int main(void)
{
	names();
	off();
	empty();
	labels();
	return done_testing();
}
