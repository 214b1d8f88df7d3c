/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of an archive that may be images: PATH 0xff TEXT 0xff ..., and all is done with them but to store what they
 * are. A text that begins with ">" is what a link leads to (">>": a hard one), others that are no JSON are layers. 0xfe
 * and a letter, in a path or a text, is the digest of the first text (a), the second one (b) and so on: nobody would guess it.
 */
#include "fuzz.h"
#include "load_parts.h"

#define FILES_MAX 26

typedef char digests[FILES_MAX][SHA256_HEX + 1];

/* What stands for digests becomes them: the first n are known. */
static void spell(const char *text, const digests all, size_t n, struct buf *out)
{
	for (; *text; text++) {
		size_t which = (size_t)(unsigned char)text[1] - 'a';

		if ((unsigned char)*text == 0xfe && which < n) {
			buf_add(out, all[which], SHA256_HEX);
			text++;
		} else {
			buf_add(out, text, 1);
		}
	}
}

static void add_file(struct load *l, const char *path, const char *text, size_t size)
{
	struct tar_entry t = {.type = TAR_FILE, .path = xstrdup(path), .size = (int64_t)size};
	struct member *m = NULL;
	struct err e = {0};

	if (*text == '>') {
		bool hard = text[1] == '>';

		t.type = hard ? TAR_HARD : TAR_LINK;
		t.link = xstrdup(text + 1 + hard);
	}
	if (load_entry(l, &t, &m, &e) == 0 && m && (*text == '{' || *text == '[' || !*text)) {
		m->text = xstrdup(text);
		m->size = size;
	} else if (m) {
		m->is_layer = true;
		sha256_hex(text, size, m->layer.diff_id);
	}
	tar_entry_done(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_strv struct strv report = {0};
	const struct store nothing = {.root = -1, .runtime = -1};
	auto_load struct load l = {.s = &nothing, .report = &report, .trying = true};
	digests known;
	struct err e = {0};

	for (size_t n = 0; size && n < FILES_MAX; n++) {
		auto_free char *path = fuzz_next(&data, &size), *text = fuzz_next(&data, &size);
		auto_buf struct buf spelt = {0}, name = {0};

		spell(text, known, n, &spelt);
		sha256_hex(spelt.s ? spelt.s : "", spelt.len, known[n]);
		spell(path, known, n + 1, &name);
		add_file(&l, name.s ? name.s : "", spelt.s ? spelt.s : "", spelt.len);
	}
	if (load_each(&l, &e) < 0)
		assert(e.kind != ERR_NONE && *e.text);
	assert(report.n == 0 && l.ids.n == 0);
	return 0;
}
