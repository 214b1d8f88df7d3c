/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squash_program: a program's file names the interpreter and the libraries that will be read when it starts. So these can be
 * decoded while the container is being made. Only a hint: what is not understood is ignored.
 */
#include "squash_parts.h"

#include "auto.h"

#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>

#define DEPTH    24
#define LINKS    20
#define PATH_LEN 1024
#define NAME_LEN 256
#define FILES    24          /* of one program */
#define ALL      (24u << 20) /* bytes of one program */

/* A file, below the directories that lead to it. */
struct place {
	struct squash_inode at[DEPTH];
	int depth;
};

/* What one file needs of others. */
struct wants {
	char interpreter[NAME_LEN];
	char library[FILES][NAME_LEN];
	int n;
};

/* Found so far, in the order in which they are going to be read. */
struct foresight {
	struct squash *sq;
	struct place dir; /* where libraries are: beside the interpreter */
	struct squash_inode file[FILES];
	int n;
};

static bool root(struct squash *sq, struct place *p)
{
	p->depth = 0;
	return squash_inode(sq, sq->info.root, &p->at[0]) == 0;
}

/* One name further down. */
static bool enter(struct squash *sq, struct place *p, const char *name, size_t len)
{
	uint64_t ref;

	if (len == 0 || (len == 1 && name[0] == '.'))
		return true;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		p->depth -= p->depth > 0;
		return true;
	}
	if (p->depth + 1 == DEPTH || squash_lookup(sq, &p->at[p->depth], name, len, &ref) < 0 ||
		squash_inode(sq, ref, &p->at[p->depth + 1]) < 0)
		return false;
	p->depth++;
	return true;
}

/* Goes along path from where p is; false: it does not lead to a file, and p is nowhere. */
static bool walk(struct squash *sq, struct place *p, const char *path)
{
	char todo[PATH_LEN], rest[PATH_LEN];
	int n = snprintf(todo, sizeof(todo), "%s", path), links = 0;

	if (n < 0 || (size_t)n >= sizeof(todo))
		return false;
	while (todo[0]) {
		size_t len = strcspn(todo, "/");
		ssize_t target;

		if (todo[0] == '/')
			p->depth = 0;
		if (!enter(sq, p, todo, len))
			return false;
		(void)snprintf(rest, sizeof(rest), "%s", todo + len + strspn(todo + len, "/")); /* fits */
		if (!S_ISLNK(p->at[p->depth].mode)) {
			memcpy(todo, rest, strlen(rest) + 1);
			continue;
		}
		target = squash_readlink(sq, &p->at[p->depth--], todo, sizeof(todo) - 1);
		if (++links > LINKS || target <= 0 || (size_t)target + 1 + strlen(rest) >= sizeof(todo))
			return false;
		todo[target] = '/';
		memcpy(todo + target + 1, rest, strlen(rest) + 1);
	}
	return S_ISREG(p->at[p->depth].mode);
}

static bool get(struct squash *sq, const struct squash_inode *i, uint64_t off, void *buf, size_t n)
{
	return squash_read(sq, i, off, buf, n) == (ssize_t)n;
}

/* A text of the file's, which ends with a 0. */
static void get_name(struct squash *sq, const struct squash_inode *i, uint64_t off, char name[NAME_LEN])
{
	ssize_t n = squash_read(sq, i, off, name, NAME_LEN);

	if (n <= 0 || !memchr(name, '\0', (size_t)n))
		name[0] = '\0';
}

/* Where in the file that lies which is seen at addr; 0: nowhere. */
static uint64_t offset_of(const unsigned char *segments, unsigned n, uint64_t addr)
{
	for (unsigned k = 0; k < n; k++) {
		const unsigned char *s = segments + k * sizeof(Elf64_Phdr);
		uint64_t from = get64(s + offsetof(Elf64_Phdr, p_vaddr));

		if (get32(s) == PT_LOAD && addr >= from &&
			addr - from < get64(s + offsetof(Elf64_Phdr, p_filesz)))
			return get64(s + offsetof(Elf64_Phdr, p_offset)) + (addr - from);
	}
	return 0;
}

static void want_libraries(struct squash *sq, const struct squash_inode *i,
	const unsigned char *segments, unsigned n, const unsigned char *dynamic, struct wants *out)
{
	uint64_t at = get64(dynamic + offsetof(Elf64_Phdr, p_offset)),
		 size = get64(dynamic + offsetof(Elf64_Phdr, p_filesz)), names = 0;
	unsigned char rows[128 * sizeof(Elf64_Dyn)];

	if (size > sizeof(rows))
		size = sizeof(rows);
	size -= size % sizeof(Elf64_Dyn);
	if (!get(sq, i, at, rows, size))
		return;
	for (size_t k = 0; k < size; k += sizeof(Elf64_Dyn))
		if (get64(rows + k) == DT_STRTAB)
			names = offset_of(segments, n, get64(rows + k + 8));
	for (size_t k = 0; names && k < size && out->n < FILES; k += sizeof(Elf64_Dyn))
		if (get64(rows + k) == DT_NEEDED)
			get_name(sq, i, names + get64(rows + k + 8), out->library[out->n++]);
}

/* Of a program for 64 bits, the machine's bytes being in the image's order as everywhere in the image. */
static void read_wants(struct squash *sq, const struct squash_inode *i, struct wants *out)
{
	unsigned char head[sizeof(Elf64_Ehdr)], segments[32 * sizeof(Elf64_Phdr)];
	unsigned n;

	out->interpreter[0] = '\0';
	out->n = 0;
	if (!get(sq, i, 0, head, sizeof(head)) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
		head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB ||
		get16(head + offsetof(Elf64_Ehdr, e_phentsize)) != sizeof(Elf64_Phdr))
		return;
	n = get16(head + offsetof(Elf64_Ehdr, e_phnum));
	if (n > sizeof(segments) / sizeof(Elf64_Phdr) ||
		!get(sq, i, get64(head + offsetof(Elf64_Ehdr, e_phoff)), segments, n * sizeof(Elf64_Phdr)))
		return;
	for (unsigned k = 0; k < n; k++) {
		const unsigned char *s = segments + k * sizeof(Elf64_Phdr);

		if (get32(s) == PT_INTERP)
			get_name(sq, i, get64(s + offsetof(Elf64_Phdr, p_offset)), out->interpreter);
		if (get32(s) == PT_DYNAMIC)
			want_libraries(sq, i, segments, n, s, out);
	}
}

static void add(struct foresight *f, const struct place *p)
{
	const struct squash_inode *i = &p->at[p->depth];

	for (int k = 0; k < f->n; k++)
		if (f->file[k].ref == i->ref)
			return;
	if (f->n < FILES)
		f->file[f->n++] = *i;
}

static void add_wanted(struct foresight *f, const struct wants *w)
{
	static const char *const elsewhere[] = {"/usr/lib/", "/lib/", "/usr/lib64/", "/lib64/"};
	struct place p;

	if (w->interpreter[0] && root(f->sq, &p) && walk(f->sq, &p, w->interpreter)) {
		add(f, &p);
		f->dir = p;
		f->dir.depth--;
	}
	for (int k = 0; k < w->n; k++) {
		bool found;

		p = f->dir;
		found = walk(f->sq, &p, w->library[k]);
		for (size_t e = 0; e < ARRAY_LEN(elsewhere) && !found; e++) {
			char path[PATH_LEN];

			(void)snprintf(path, sizeof(path), "%s%s", elsewhere[e], w->library[k]); /* fits */
			found = root(f->sq, &p) && walk(f->sq, &p, path);
		}
		if (found)
			add(f, &p);
	}
}

/* Which are read before any program is. */
static void read_users(struct squash *sq)
{
	static const char *const files[] = {"/etc/passwd", "/etc/group"};
	struct place p;

	for (size_t k = 0; k < ARRAY_LEN(files); k++)
		if (root(sq, &p) && walk(sq, &p, files[k]))
			squash_ahead(sq, &p.at[p.depth]);
}

void squash_foresee(struct squash *sq, const char *paths, size_t len, enum squash_part part)
{
	auto_free struct foresight *f = xcalloc(1, sizeof(*f));
	auto_free struct wants *w = xcalloc(1, sizeof(*w));
	struct place p;
	uint64_t bytes = 0;

	f->sq = sq;
	if (len == 0 || paths[len - 1] != '\0' || !root(sq, &f->dir))
		return;
	if (part == SQUASH_BESIDE)
		read_users(sq);
	for (const char *at = paths; at < paths + len && f->n == 0; at += strlen(at) + 1)
		if (root(sq, &p) && walk(sq, &p, at) && (p.at[p.depth].mode & 0111))
			add(f, &p);
	if (part == SQUASH_PROGRAM && f->n)
		squash_ahead(sq, &f->file[0]);
	for (int k = 0; part == SQUASH_BESIDE && k < f->n && bytes < ALL; k++) {
		const struct squash_inode *i = &f->file[k];

		read_wants(sq, i, w);
		add_wanted(f, w);
		if (k > 0)
			squash_ahead(sq, i);
		bytes += i->size;
	}
}
