/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "passwd.h"
#include "str.h"
#include "tap.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "# a comment:x:7:7\n"
			     "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\r\n"
			     "\n"
			     "app:x:1000:1000:An app,,,:/home/app:/bin/sh:more:fields\n"
			     "alias:x:1000:50::/home/alias:\n"
			     "1234:x:77:77::/odd:/bin/sh\n"
			     "broken:x:oops:5::/b:/bin/sh\n"
			     "short:x\n"
			     "homeless:x:44:44\n"
			     "   spaced:x:45:45::/spaced:/bin/sh  \n"
			     "huge:x:4294967296:5::/:\n"
			     "+::::::\n"
			     "last:x:46:46::/last:/bin/sh";
static const char group[] = "root:x:0:\n"
			    "adm:x:4:app,daemon\n"
			    "#audio:x:29:app\n"
			    "audio:x:29:app,root\r\n"
			    "app:x:1000:app\n"
			    "staff:x:50:xapp,appx,app2\n"
			    "999:x:12:\n"
			    "bad:x:zz:app\n"
			    "video:x:44:alias,app";

static struct identity id;
static struct err e;

/* "uid gid g,g,g home", or the error. */
static const char *who_with(
	const char *user, const char *const *add, size_t n_add, const char *p, const char *g)
{
	static char text[2048];
	size_t n;

	err_clear(&e);
	if (identity_find(user, add, n_add, p, g, &id, &e) < 0)
		return e.text;
	n = (size_t)snprintf(text, sizeof(text), "%u %u ", id.uid, id.gid);
	for (size_t i = 0; i < id.n_groups; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? "," : "", id.groups[i]);
	(void)snprintf(text + n, sizeof(text) - n, " %s", id.home);
	return text;
}

static const char *who(const char *user)
{
	return who_with(user, NULL, 0, passwd, group);
}

static void test_users(void)
{
	is_str(who(""), "0 0 0,29 /root", "nothing is root");
	is_str(who("root"), "0 0 0,29 /root", "root by name");
	is_str(who("0"), "0 0 0,29 /root", "root by number");
	is_str(who("app"), "1000 1000 1000,4,29,44 /home/app", "a name brings its groups, own one first");
	is_str(who("1000"), "1000 1000 1000,4,29,44 /home/app", "so does a number with a row");
	is_str(who("alias"), "1000 50 50,44 /home/app", "home goes by number, as the first row has it");
	is_str(who("daemon"), "1 1 1,4 /usr/sbin", "CRLF is no part of a row");
	is_str(who("2000"), "2000 0 0 /", "a number without a row has group 0 and no home");
	is_str(who("1234"), "1234 0 0 /", "digits are a number and no name");
	is_str(who("+5"), "5 0 0 /", "a sign is part of a number, as with docker");
	is_str(who("spaced"), "45 45 45 /spaced", "blanks around a row do not matter");
	is_str(who("last"), "46 46 46 /last", "the last row needs no newline");
	is_str(who("homeless"), "44 44 44 /", "a row may end before the home");
}

static void test_groups(void)
{
	is_str(who("app:staff"), "1000 50 50 /home/app", "a group by name, and no other");
	is_str(who("app:0"), "1000 0 0 /home/app", "a group by number");
	is_str(who("5:777"), "5 777 777 /", "a number without a row");
	is_str(who(":4"), "0 4 4 /root", "only a group");
	is_str(who("app:"), "1000 1000 1000,4,29,44 /home/app", "an empty group is none");
	is_str(who(":"), "0 0 0,29 /root", "only a colon");
	is_str(who("0:999"), "0 999 999 /root", "digits are a number in groups, too");
}

static void test_additional(void)
{
	const char *words[] = {"audio", "77", "0", "audio"};
	const char *unknown[] = {"nosuch"}, *digits[] = {"999", "0999", "+12"};
	auto_strv struct strv many = {0};

	is_str(who_with("daemon", words, 4, passwd, group), "1 1 1,4,29,77,0 /usr/sbin",
		"--group-add by name and number, each once");
	is_str(who_with("", unknown, 1, passwd, group),
		"Unable to find group nosuch: no matching entries in group file", "unknown --group-add");
	is_str(who_with("", digits, 3, passwd, group), "0 0 0,29,12,999 /root",
		"--group-add: a group whose name is digits is found by them, as they are written");
	for (int i = 0; i < 70; i++)
		strv_addf(&many, "%d", 3000 + i);
	is_str(who_with("", (const char *const *)many.v, many.n, passwd, group),
		"a user can be in 64 groups at most", "too many groups are said to be too many");
}

static void test_refusals(void)
{
	is_str(who("nosuch"), "unable to find user nosuch: no matching entries in passwd file",
		"docker's words for a user");
	is_int(e.kind, ERR_USAGE, "which is the caller's mistake");
	is_str(who("root:nosuch"), "unable to find group nosuch: no matching entries in group file",
		"docker's words for a group");
	is_str(who("1:2:3"), "1 2 2 /usr/sbin", "what follows the group is passed over, as runc does");
	is_str(who("broken"), "unable to find user broken: no matching entries in passwd file",
		"a row whose uid is no number is no row, and not root's");
	is_str(who("short"), "unable to find user short: no matching entries in passwd file",
		"half a row is no row");
	is_str(who("# a comment"), "unable to find user # a comment: no matching entries in passwd file",
		"a comment is no row");
	is_str(who("-1"), "uids and gids must be in range 0-2147483647", "no negative ids");
	is_str(who("2147483648"), "uids and gids must be in range 0-2147483647", "no ids above 2^31-1");
	is_str(who("99999999999999999999999"), "uids and gids must be in range 0-2147483647",
		"no numbers that need big integers");
	is_str(who("0:4294967295"), "uids and gids must be in range 0-2147483647", "nor for groups");
	is_str(who("huge"), "uids and gids must be in range 0-2147483647", "nor from the file");
	is_int(who("2147483647") != e.text, 1, "2^31-1 is fine");
}

static void test_files(void)
{
	is_str(who_with("", NULL, 0, NULL, NULL), "0 0 0 /", "no files at all: root");
	is_str(who_with("12:13", NULL, 0, NULL, NULL), "12 13 13 /", "numbers need no files");
	is_str(who_with("app", NULL, 0, NULL, NULL),
		"unable to find user app: no matching entries in passwd file", "names do");
	is_str(who_with("0", NULL, 0, ":::\n::0:0::/x:\n", ""), "0 0 0 /x",
		"an empty name is a row still");
	is_str(who_with("x", NULL, 0, "x:x:1:1::\n", ""), "1 1 1 /", "an empty home is none");
}

static void test_hostile(void)
{
	size_t n = 4u << 20;
	auto_free char *line = xcalloc(n + 1, 1);
	auto_free char *home = xasprintf("x:x:5:5::/%0300d:/bin/sh\n", 7);

	memset(line, 'a', n);
	is_str(who_with("x", NULL, 0, line, line),
		"unable to find user x: no matching entries in passwd file", "a line of megabytes");
	memset(line, ':', n);
	is_str(who_with("x", NULL, 0, line, line),
		"unable to find user x: no matching entries in passwd file", "a line of colons");
	memset(line, '\n', n);
	is_str(who_with("3", NULL, 0, line, line), "3 0 0 /", "nothing but newlines");
	memset(line, ',', n);
	memcpy(line, "g:x:9:", 6);
	memcpy(line + n - 4, ",app", 4);
	is_str(who_with("app", NULL, 0, "app:x:3:3", line), "3 3 3,9 /", "a group of a million members");
	is_str(who_with("x", NULL, 0, home, ""), "5 5 5 /", "a home too long to be one");
	line[0] = line[1] = 'z';
	memset(line + 2, 'z', n - 2);
	is_int(str_starts(who(line), "unable to find user zzz"), 1, "a name of megabytes");
}

int main(void)
{
	test_users();
	test_groups();
	test_additional();
	test_refusals();
	test_files();
	test_hostile();
	return done_testing();
}
