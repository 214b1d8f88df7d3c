/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include "sys.h"

#include <archive.h>
#include <archive_entry.h>

static int copy(struct archive *a, int out, struct err *e)
{
	const void *block;
	la_int64_t offset;
	size_t n;
	int code;

	while ((code = archive_read_data_block(a, &block, &n, &offset)) == ARCHIVE_OK)
		if (sys_write_all(out, block, n) < 0)
			return err_sys(e, "write");
	if (code == ARCHIVE_EOF)
		return 0;
	return err_set(e, ERR_CORRUPT, "the archive: %s", archive_error_string(a));
}

int plain_copy(int in, int out, struct err *e)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	int result;

	/* A filter which libarchive was built without is not there. Not all: some would start programs. */
	(void)archive_read_support_filter_gzip(a);
	(void)archive_read_support_filter_bzip2(a);
	(void)archive_read_support_filter_xz(a);
	(void)archive_read_support_filter_zstd(a);
	(void)archive_read_support_format_raw(a);
	if (archive_read_open_fd(a, in, 256 << 10) < ARCHIVE_WARN ||
		archive_read_next_header(a, &entry) < ARCHIVE_WARN)
		result = err_set(e, ERR_CORRUPT, "the archive: %s", archive_error_string(a));
	else
		result = copy(a, out, e);
	archive_read_free(a);
	return result;
}
