/* SPDX-License-Identifier: Apache-2.0 */
/* What the image server reads of an image, all of it as far as it is willing: never out of bounds, never
 * without end. */
#include "fuzz.h"
#include "squash.h"

#include <sys/mman.h>
#include <sys/stat.h>

struct walk {
	struct squash *sq;
	int left; /* entries, then it is enough */
};

static void look(struct walk *w, uint64_t ref, int depth);

static void list(struct walk *w, const struct squash_inode *i, int depth)
{
	struct squash_entry entry;
	struct squash_dir d;
	char path[512];
	uint64_t ref;

	if (squash_dir_open(w->sq, i, 0, &d) < 0)
		return;
	while (w->left-- > 0 && squash_dir_next(&d, &entry) > 0) {
		struct squash_dir again;

		if (depth == 0 && 2 * entry.len + 3 < sizeof(path)) {
			int n = snprintf(path, sizeof(path), "/%s/%s", entry.name, entry.name);

			squash_foresee(w->sq, path, (size_t)n + 1, SQUASH_BESIDE);
			path[entry.len + 1] = '\0';
			squash_foresee(w->sq, path, entry.len + 2, SQUASH_PROGRAM);
		}
		(void)squash_lookup(w->sq, i, entry.name, entry.len, &ref);
		(void)squash_lookup(w->sq, i, entry.name, entry.len / 2, &ref);
		if (w->left % 16 == 0 && squash_dir_open(w->sq, i, entry.next, &again) == 0)
			squash_dir_done(&again);
		if (depth < 8)
			look(w, entry.ref, depth + 1);
	}
	squash_dir_done(&d);
}

static void look(struct walk *w, uint64_t ref, int depth)
{
	static char buf[1 << 18];
	struct squash_pieces p;
	struct squash_inode i;

	if (squash_inode(w->sq, ref, &i) < 0)
		return;
	(void)squash_readlink(w->sq, &i, buf, 4096);
	(void)squash_read(w->sq, &i, 0, buf, sizeof(buf));
	(void)squash_read(w->sq, &i, 100001, buf, 10);
	(void)squash_read(w->sq, &i, i.size / 2, buf, 10000);
	if (squash_pieces(w->sq, &i, i.size / 3, 100000, &p) > 0)
		squash_pieces_done(&p);
	(void)squash_listxattr(w->sq, &i, true, buf, sizeof(buf));
	(void)squash_getxattr(w->sq, &i, "user.colour", buf, 100);
	if (S_ISDIR(i.mode))
		list(w, &i, depth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("image", MFD_CLOEXEC);
	struct blocks *cache = blocks_new(4 << 20, -1);
	struct walk w = {.left = 200};
	struct err e;

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		w.sq = squash_open(fd, "image", cache, &e);
	if (w.sq) {
		(void)take_fd(&fd);
		(void)squash_has_xattrs(w.sq, true);
		look(&w, squash_info(w.sq)->root, 0);
		squash_free(w.sq);
	}
	blocks_free(cache);
	return 0;
}
