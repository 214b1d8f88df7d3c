/* SPDX-License-Identifier: Apache-2.0 */
#include "tar_parts.h"

#include "str.h"

#include <errno.h>
#include <string.h>

#define GIVE_MIN (64 << 10) /* less is sooner copied */

/* What pax records have said about the next entry. */
enum { HAS_SIZE = 1, HAS_UID = 2, HAS_GID = 4, HAS_MTIME = 8 };

static void drop_xattrs(struct tar_entry *t)
{
	for (size_t i = 0; i < t->n_xattrs; i++) {
		free(t->xattrs[i].name);
		free(t->xattrs[i].value);
	}
	free(take(t->xattrs));
	t->n_xattrs = 0;
}

void tar_entry_done(struct tar_entry *t)
{
	free(t->path);
	free(t->link);
	drop_xattrs(t);
	*t = (struct tar_entry){0};
}

void tar_entry_xattr(struct tar_entry *t, const char *name, const void *value, size_t size)
{
	struct tar_xattr *x;

	t->xattrs = xrealloc(t->xattrs, t->n_xattrs + 1, sizeof(*t->xattrs));
	x = &t->xattrs[t->n_xattrs++];
	*x = (struct tar_xattr){xstrdup(name), xcalloc(size + 1, 1), size};
	memcpy(x->value, value, size);
}

bool tar_xattr_may_be(const char *name)
{
	if (str_starts(name, "user."))
		return !str_starts(name, "user.overlay.");
	return str_eq(name, "security.capability");
}

void tar_reader_done(struct tar_reader *r)
{
	tar_entry_done(&r->global);
	sparse_map_done(&r->map);
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* All n bytes: 1; none, at the end: 0. */
static int read_all(struct tar_reader *r, void *to, size_t n, struct err *e)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = r->source(r->context, (char *)to + done, n - done);

		if (got < 0)
			return err_sys(e, "read the archive");
		if (got == 0)
			return done == 0 ? 0 : err_set(e, ERR_CORRUPT, "unexpected EOF");
		done += (size_t)got;
	}
	return 1;
}

int tar_block(struct tar_reader *r, unsigned char *block, struct err *e)
{
	int more = read_all(r, block, TAR_BLOCK, e);

	return more == 0 ? err_set(e, ERR_CORRUPT, "unexpected EOF") : more < 0 ? -1 : 0;
}

/* ---- content ---------------------------------------------------------------------------- */

/* Bytes of a hole that lie here. */
static int64_t hole_here(const struct tar_map *m)
{
	int64_t end = m->next < m->n ? m->v[m->next].at : m->size;

	return end > m->pos ? end - m->pos : 0;
}

/* Bytes that are stored in one piece. */
static int64_t data_here(const struct tar_reader *r)
{
	const struct tar_map *m = &r->map;

	if (!m->size)
		return r->left;
	if (m->next == m->n || m->v[m->next].at > m->pos)
		return 0;
	return m->v[m->next].at + m->v[m->next].n - m->pos;
}

static void took(struct tar_reader *r, int64_t n)
{
	struct tar_map *m = &r->map;

	r->left -= n;
	if (!m->size)
		return;
	m->pos += n;
	if (m->pos == m->v[m->next].at + m->v[m->next].n)
		m->next++;
}

int64_t tar_hole(struct tar_reader *r)
{
	int64_t n = hole_here(&r->map);

	r->map.pos += n;
	return n;
}

ssize_t tar_read(struct tar_reader *r, void *to, size_t n, struct err *e)
{
	int64_t hole = hole_here(&r->map), most = hole ? hole : data_here(r);
	ssize_t got;

	if ((int64_t)n > most)
		n = (size_t)most;
	if (n == 0)
		return 0;
	if (hole) {
		memset(to, 0, n);
		r->map.pos += (int64_t)n;
		return (ssize_t)n;
	}
	got = r->source(r->context, to, n);
	if (got < 0)
		return err_sys(e, "read the archive");
	if (got == 0)
		return err_set(e, ERR_CORRUPT, "unexpected EOF");
	took(r, got);
	return got;
}

ssize_t tar_read_into(struct tar_reader *r, int fd, struct err *e)
{
	int64_t most = data_here(r);
	ssize_t n = r->give && most >= GIVE_MIN ? r->give(r->context, fd, (size_t)most) : 0;

	if (n < 0)
		return err_sys(e, "write");
	if (n > 0)
		took(r, n);
	return n;
}

static int skip_rest(struct tar_reader *r, struct err *e)
{
	char scrap[TAR_BLOCK * 32];
	struct err why = {0};
	ssize_t n;

	sparse_map_done(&r->map); /* there can be more holes than time */
	while ((n = tar_read(r, scrap, sizeof(scrap), e)) > 0)
		;
	if (n < 0)
		return -1;
	if (r->pad && read_all(r, scrap, r->pad, &why) <= 0)
		/* the last block of an archive that ends here may be missing its filling */
		r->ended = true;
	r->pad = 0;
	if (why.kind == ERR_NONE || why.kind == ERR_CORRUPT)
		return 0;
	*e = why;
	return -1;
}

int tar_drain(struct tar_reader *r, struct err *e)
{
	char scrap[TAR_BLOCK * 32];
	ssize_t n;

	while ((n = r->source(r->context, scrap, sizeof(scrap))) > 0)
		;
	return n < 0 ? err_sys(e, "read the archive") : 0;
}

/* ---- numbers and texts ------------------------------------------------------------------ */

bool tar_number(const unsigned char *block, struct field f, int64_t *out)
{
	const unsigned char *s = block + f.at, *end = s + f.size;
	uint64_t v = 0;

	if (*s & 0x80) {
		bool negative = *s & 0x40;

		v = negative ? ~(uint64_t)0 : 0;
		for (const unsigned char *at = s; at < end; at++) {
			unsigned char c =
				at == s ? (unsigned char)((*at & 0x7f) | (negative ? 0x80 : 0)) : *at;

			if ((int64_t)v > (INT64_MAX >> 8) || (int64_t)v < (INT64_MIN >> 8))
				return false;
			v = v << 8 | c;
		}
		*out = (int64_t)v;
		return true;
	}
	while (s < end && *s == ' ')
		s++;
	for (; s < end && *s >= '0' && *s <= '7'; s++) {
		if (v >> 60)
			return false;
		v = v << 3 | (uint64_t)(*s - '0');
	}
	if (s < end && *s != ' ' && *s != '\0')
		return false;
	*out = (int64_t)v;
	return true;
}

static char *text(const unsigned char *block, struct field f)
{
	return xstrndup((const char *)block + f.at, f.size);
}

static bool sum_ok(const unsigned char *block)
{
	int64_t want;
	long plain = 0, with_sign = 0;

	if (!tar_number(block, SUM, &want))
		return false;
	for (unsigned i = 0; i < TAR_BLOCK; i++) {
		unsigned char c = i >= SUM.at && i < SUM.at + SUM.size ? ' ' : block[i];

		plain += c;
		with_sign += (signed char)c; /* some writers of old summed so */
	}
	return want == plain || want == with_sign;
}

static bool is_zero(const unsigned char *block)
{
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

/* ---- pax -------------------------------------------------------------------------------- */

static bool decimal(const char *s, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(s, &end, 10);
	return end != s && errno == 0 && (*end == '\0' || *end == '.');
}

static void set_text(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

/* Records about what comes next. */
struct told {
	struct tar_entry *t;
	unsigned has;
	struct sparse sparse;
};

static int pax_record(struct told *to, const char *key, const char *value, size_t size, struct err *e)
{
	struct tar_entry *t = to->t;
	bool ok = true;

	if (str_starts(key, XATTR)) {
		tar_entry_xattr(t, key + strlen(XATTR), value, size);
		return 0;
	}
	if (str_starts(key, SPARSE))
		return sparse_record(&to->sparse, key + strlen(SPARSE), value, size, e);
	if (size == 0) /* what the header says holds */
		return 0;
	if (str_eq(key, "path") || str_eq(key, "linkpath")) {
		if (strlen(value) != size)
			return err_set(e, ERR_CORRUPT, "a name with a zero byte in it");
		set_text(key[0] == 'p' ? &t->path : &t->link, value);
	} else if (str_eq(key, "size")) {
		ok = decimal(value, &t->size) && t->size >= 0;
		to->has |= HAS_SIZE;
	} else if (str_eq(key, "uid")) {
		ok = decimal(value, &t->uid);
		to->has |= HAS_UID;
	} else if (str_eq(key, "gid")) {
		ok = decimal(value, &t->gid);
		to->has |= HAS_GID;
	} else if (str_eq(key, "mtime")) {
		ok = decimal(value, &t->mtime);
		to->has |= HAS_MTIME;
	}
	return ok ? 0 : err_set(e, ERR_CORRUPT, "invalid pax record %.40s", key);
}

/* "25 path=some/name/of/mine\n" again and again; the length counts itself. */
static int pax_records(char *s, size_t n, struct told *to, struct err *e)
{
	while (n > 0) {
		char *space = memchr(s, ' ', n), *equal;
		size_t len = 0;

		if (!space)
			break;
		for (char *c = s; c < space && len <= TAR_PAX_MAX; c++) {
			if (*c < '0' || *c > '9')
				return err_set(e, ERR_CORRUPT, "invalid pax header");
			len = len * 10 + (size_t)(*c - '0');
		}
		if (len > n || len < (size_t)(space - s) + 3 || s[len - 1] != '\n')
			break;
		s[len - 1] = '\0';
		equal = memchr(space, '=', len - (size_t)(space - s));
		if (!equal || equal == space + 1)
			break;
		*equal = '\0';
		if (pax_record(to, space + 1, equal + 1, (size_t)(s + len - 1 - (equal + 1)), e) < 0)
			return -1;
		s += len;
		n -= len;
	}
	return n ? err_set(e, ERR_CORRUPT, "invalid pax header") : 0;
}

/* The content of an entry that is about other entries, ended by a 0. */
static char *read_text(struct tar_reader *r, int64_t size, struct err *e)
{
	auto_free char *s = NULL;
	int got;

	if (size > TAR_PAX_MAX) {
		(void)err_set(e, ERR_CORRUPT, "a header of %lld bytes", (long long)size);
		return NULL;
	}
	s = xcalloc((size_t)size + 1, 1);
	got = size > 0 ? read_all(r, s, (size_t)size, e) : 1;
	if (got == 0)
		(void)err_set(e, ERR_CORRUPT, "unexpected EOF");
	if (got <= 0)
		return NULL;
	r->left = 0;
	if (skip_rest(r, e) < 0)
		return NULL;
	return take(s);
}

/* ---- entries ---------------------------------------------------------------------------- */

static char *header_path(const unsigned char *block)
{
	/* GNU's form has times where ustar has the rest of a long name. */
	if (memcmp(block + MAGIC_AT, "ustar", 6) == 0 && block[PREFIX.at]) {
		auto_free char *prefix = text(block, PREFIX), *name = text(block, NAME);

		return xasprintf("%s/%s", prefix, name);
	}
	return text(block, NAME);
}

/* Takes the header's own values, except those that pax records before it gave. */
static int fill(const unsigned char *block, struct tar_entry *t, unsigned has, struct err *e)
{
	char type = (char)block[TYPE_AT];
	int64_t mode = 0, uid = 0, gid = 0, mtime = 0, major = 0, minor = 0, size = 0;

	if (!tar_number(block, MODE, &mode) || !tar_number(block, UID, &uid) ||
		!tar_number(block, GID, &gid) || !tar_number(block, MTIME, &mtime) ||
		!tar_number(block, SIZE, &size) || size < 0)
		return err_set(e, ERR_CORRUPT, "invalid tar header");
	if ((type == '3' || type == '4') &&
		(!tar_number(block, MAJOR, &major) || !tar_number(block, MINOR, &minor)))
		return err_set(e, ERR_CORRUPT, "invalid tar header");
	t->mode = (mode_t)mode & 07777;
	t->dev_major = (uint32_t)major;
	t->dev_minor = (uint32_t)minor;
	if (!(has & HAS_UID))
		t->uid = uid;
	if (!(has & HAS_GID))
		t->gid = gid;
	if (!(has & HAS_MTIME))
		t->mtime = mtime;
	if (!(has & HAS_SIZE))
		t->size = size;
	if (!t->path)
		t->path = header_path(block);
	if (!t->link && (type == '1' || type == '2'))
		t->link = text(block, LINK);
	if (type == '\0' || type == '7' || type == 'S')
		type = '0';
	if (type == '0' && str_ends(t->path, "/"))
		type = '5';
	t->type = (enum tar_type)type;
	if (type != '0' && strchr("123456", type))
		t->size = 0; /* whatever the header says: such entries have no content */
	return 0;
}

/* Of records that tell about all files what no file has is forgotten. */
static int tells_all(struct tar_reader *r, char *s, size_t n, struct err *e)
{
	struct told all = {.t = &r->global, .has = r->global_has};
	int result = pax_records(s, n, &all, e);

	r->global_has = all.has;
	drop_xattrs(&r->global);
	sparse_done(&all.sparse);
	return result < 0 ? -1 : 1;
}

/* Entries that tell about the next one. 1: it was one of them. */
static int tells(struct tar_reader *r, const unsigned char *block, struct told *to, struct err *e)
{
	auto_free char *s = NULL;
	char type = (char)block[TYPE_AT];
	int64_t size;

	if (!type || !strchr("xXgLK", type))
		return 0;
	if (!tar_number(block, SIZE, &size) || size < 0)
		return err_set(e, ERR_CORRUPT, "invalid tar header");
	r->pad = (unsigned)(-size & (TAR_BLOCK - 1));
	s = read_text(r, size, e);
	if (!s)
		return -1;
	if (type == 'L' || type == 'K') {
		set_text(type == 'L' ? &to->t->path : &to->t->link, s);
		return 1;
	}
	/* However often they come, what they hold is of one. */
	drop_xattrs(to->t);
	sparse_done(&to->sparse);
	if (type == 'g')
		return tells_all(r, s, (size_t)size, e);
	return pax_records(s, (size_t)size, to, e) < 0 ? -1 : 1;
}

static void from_global(const struct tar_reader *r, struct tar_entry *t, unsigned *has)
{
	const struct tar_entry *g = &r->global;
	unsigned more = r->global_has & ~*has & ~(unsigned)HAS_SIZE;

	if (more & HAS_UID)
		t->uid = g->uid;
	if (more & HAS_GID)
		t->gid = g->gid;
	if (more & HAS_MTIME)
		t->mtime = g->mtime;
	*has |= more;
}

/* Handles the entry of this header. */
static int entry(struct tar_reader *r, const unsigned char *block, struct told *to, struct err *e)
{
	struct tar_entry *t = to->t;

	from_global(r, t, &to->has);
	if (fill(block, t, to->has, e) < 0)
		return -1;
	r->left = t->size;
	r->pad = (unsigned)(-t->size & (TAR_BLOCK - 1));
	return block[TYPE_AT] == 'S' ? sparse_gnu(r, block, t, e) : sparse_pax(r, &to->sparse, t, e);
}

static int next(struct tar_reader *r, struct told *to, struct err *e)
{
	unsigned char block[TAR_BLOCK];
	int more;

	for (;;) {
		if (skip_rest(r, e) < 0)
			return -1;
		if (r->ended)
			return 0;
		more = read_all(r, block, sizeof(block), e);
		if (more < 0)
			return -1;
		if (more == 0 || is_zero(block)) {
			r->ended = true;
			return to->has || to->t->path ? err_set(e, ERR_CORRUPT, "unexpected EOF") : 0;
		}
		if (!sum_ok(block))
			return err_set(e, ERR_CORRUPT, "archive/tar: invalid tar header");
		more = tells(r, block, to, e);
		if (more < 0)
			return -1;
		if (more)
			continue;
		if (entry(r, block, to, e) < 0)
			return -1;
		if (strchr("0123456", (int)to->t->type))
			return 1;
		tar_entry_done(to->t); /* of an unknown type: skipped with its content */
		sparse_done(&to->sparse);
		to->has = 0;
	}
}

int tar_next(struct tar_reader *r, struct tar_entry *out, struct err *e)
{
	auto_tar_entry struct tar_entry t = {0};
	struct told to = {.t = &t};
	int more = next(r, &to, e);

	sparse_done(&to.sparse);
	if (more > 0) {
		*out = t;
		t = (struct tar_entry){0};
	}
	return more;
}

bool tar_peek(const unsigned char *block, struct tar_peek *out)
{
	char type = (char)block[TYPE_AT];
	auto_free char *path = NULL;

	if (is_zero(block) || !sum_ok(block) || !tar_number(block, SIZE, &out->size) || out->size < 0)
		return false;
	out->type = type == '\0' || type == '7' ? '0' : type;
	path = header_path(block);
	out->slash = str_ends(path, "/");
	return true;
}
