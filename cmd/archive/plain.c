/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include "auto.h"
#include "fault.h"
#include "source.h"
#include "str.h"
#include "sys.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

static la_ssize_t read_input(struct archive *a, void *context, const void **out)
{
	const char *why = NULL;
	ssize_t n = source_read(context, out, &why);

	if (n < 0)
		archive_set_error(a, EIO, "%s", why);
	return n;
}

static int copy(struct archive *a, const struct plain_ask *ask, struct err *e)
{
	uint64_t total = 0;
	const void *block;
	la_int64_t offset;
	size_t n;
	int code;

	while ((code = archive_read_data_block(a, &block, &n, &offset)) == ARCHIVE_OK) {
		total += n;
		if (total > ask->most)
			return err_set(e, ERR_CORRUPT, "the archive: more than %llu GB come out of it",
				(unsigned long long)(ask->most >> 30));
		if (sys_write_all(ask->out, block, n) < 0)
			return err_sys(e, "write");
	}
	if (code == ARCHIVE_EOF)
		return 0;
	return archive_fault(a, e);
}

int plain_copy(const struct plain_ask *ask, struct err *e)
{
	struct source *from = source_new(ask->in, ask->head, ask->n_head, NULL);
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	int result;

	/* Fails for filters that libarchive lacks. Not support_filter_all(), which would start programs for some. */
	(void)archive_read_support_filter_bzip2(a);
	(void)archive_read_support_filter_xz(a);
	(void)archive_read_support_filter_zstd(a);
	(void)archive_read_support_format_raw(a);
	if (archive_read_open(a, from, NULL, read_input, NULL) < ARCHIVE_WARN ||
		archive_read_next_header(a, &entry) < ARCHIVE_WARN)
		result = archive_fault(a, e);
	else
		result = copy(a, ask, e);
	archive_read_free(a);
	source_free(from);
	return result;
}
