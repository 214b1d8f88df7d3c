/* SPDX-License-Identifier: Apache-2.0 */
#include "idmap.h"
#include "tap.h"

#include <stdlib.h>

static const char subids[] = "alice:100000:65536\n"
			     "# a comment\n"
			     "1001:200000:1000\n"
			     "alicex:1:1\n"
			     "alice:300000:5\n"
			     "alice:5000000000:5\n"
			     "alice:1\n"
			     "bob:7:0\n"
			     "carol:4294967290:100\n"
			     "dave:10:20";

int main(void)
{
	struct idrange r[8];
	char *name;

	is_int(idmap_parse(subids, "alice", 1000, 1, r, 8), 2,
		"two ranges by name; lines that are none are passed");
	ok(r[0].inside == 1 && r[0].outside == 100000 && r[0].count == 65536,
		"the first begins at the first id");
	ok(r[1].inside == 65537 && r[1].outside == 300000 && r[1].count == 5,
		"the second goes on behind it");
	is_int(idmap_parse(subids, "erin", 1001, 1, r, 8), 1, "by number");
	is_int(idmap_parse(subids, NULL, 1001, 1, r, 8), 1, "by number, for one without a name");
	is_int(idmap_parse(subids, "alice", 1000, 1, r, 1), 1, "no more than there is room for");
	is_int(idmap_parse(subids, "bob", 1002, 1, r, 8), 0, "an empty range is none");
	is_int(idmap_parse(subids, "carol", 1003, 1, r, 8), 0, "one that runs over the last id is none");
	is_int(idmap_parse(subids, "dave", 1004, 1, r, 8), 1, "a last line without its end");
	is_int(idmap_parse("", "alice", 1000, 1, r, 8), 0, "an empty file");
	name = idmap_user("root:x:0:0:root:/root:/bin/sh\nbad\nal:x:1000:5:::\n", 1000);
	is_str(name, "al", "a name by its number");
	free(name);
	ok(!idmap_user("root:x:0:0::/:\nx:y\n", 7), "a number that nobody has");
	return done_testing();
}
