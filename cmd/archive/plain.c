/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include "auto.h"
#include "fault.h"
#include "str.h"
#include "sys.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>

#define CHUNK (256u << 10)

struct reading {
	const struct plain_ask *ask;
	bool begun;
	char *chunk;
};

static la_ssize_t read_input(struct archive *a, void *context, const void **out)
{
	struct reading *r = context;
	ssize_t n;

	if (!r->begun && r->ask->n_head > 0) {
		r->begun = true;
		*out = r->ask->head;
		return (la_ssize_t)r->ask->n_head;
	}
	*out = r->chunk;
	n = sys_read_wait(r->ask->in, r->chunk, CHUNK);
	if (n < 0)
		archive_set_error(a, errno, "read: %s", errno_text(errno));
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
	auto_free char *chunk = xcalloc(CHUNK, 1);
	struct reading r = {.ask = ask, .chunk = chunk};
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	int result;

	/* Fails for filters that libarchive lacks. Not support_filter_all(), which would start programs for some. */
	(void)archive_read_support_filter_gzip(a);
	(void)archive_read_support_filter_bzip2(a);
	(void)archive_read_support_filter_xz(a);
	(void)archive_read_support_filter_zstd(a);
	(void)archive_read_support_format_raw(a);
	if (archive_read_open(a, &r, NULL, read_input, NULL) < ARCHIVE_WARN ||
		archive_read_next_header(a, &entry) < ARCHIVE_WARN)
		result = archive_fault(a, e);
	else
		result = copy(a, ask, e);
	archive_read_free(a);
	return result;
}
