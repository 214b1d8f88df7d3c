/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include "auto.h"

#include <string.h>

const char *archive_why(struct archive *a)
{
	const char *why = archive_error_string(a);

	return why ? why : "truncated input"; /* it says nothing of a gzip that ends within its last eight bytes */
}

int archive_fault(struct archive *a, struct err *e)
{
	static const char *const known[][2] = {
		{"runcated ", "unexpected EOF"},
		{"unexpected EOF", "unexpected EOF"},
		{"gzip: invalid checksum", "gzip: invalid checksum"},
		{"gzip: invalid header", "gzip: invalid header"},
		{"No progress is possible", "unexpected EOF"}, /* xz: the input ends too early */
		{"Unrecognized archive format", "archive/tar: invalid tar header"},
		{"Damaged tar archive", "archive/tar: invalid tar header"},
		{"negative size", "archive/tar: invalid tar header"},
		{"size attribute", "archive/tar: invalid tar header"},
	};
	const char *why = archive_why(a);

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strstr(why, known[i][0]))
			return err_set(e, ERR_CORRUPT, "%s", known[i][1]);
	return err_set(e, ERR_CORRUPT, "the archive: %s", why);
}
