/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"
#include "tap.h"

static void is_table(const char *text, const char *want, const char *sentence)
{
	auto_buf struct buf out = {0};

	table_align(text, strlen(text), &out);
	is_str(out.s, want, sentence);
}

int main(void)
{
	is_table("REPOSITORY\tTAG\tIMAGE ID\tCREATED\tSIZE\n"
		 "python\t3\taaaabbbbcccc\t3 years ago\t123MB\n"
		 "reg.example/x/y\t1\taaaabbbbcccc\t3 years ago\t123MB\n",
		"REPOSITORY        TAG       IMAGE ID       CREATED       SIZE\n"
		"python            3         aaaabbbbcccc   3 years ago   123MB\n"
		"reg.example/x/y   1         aaaabbbbcccc   3 years ago   123MB\n",
		"docker's table of images");
	is_table("NAMES\n", "NAMES\n", "one column is not padded");
	is_table("A\tB\n\tb\n", "A         B\n          b\n", "an empty cell keeps its column");
	is_table("\"echo …\"\tx\n12345678901\ty\n", "\"echo …\"      x\n12345678901   y\n",
		"characters are counted, not bytes");
	is_table("aaaaaaaaaaaaaaa\tx\nplain\nb\ty\n", "aaaaaaaaaaaaaaa   x\nplain\nb         y\n",
		"a line without the cell ends the column");
	is_table("a\vb\nc\t\v\vd\n", "a         b\nc                             d\n",
		"a vertical tab ends a cell, too");
	is_table("aaaaaaaaaaaaaaa\tx\fb\ty\nc\tz\f", "aaaaaaaaaaaaaaa   x\nb         y\nc         z\n",
		"a form feed ends a line and all columns");
	is_table("", "", "nothing");
	return done_testing();
}
