/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

/* clang-format off */
static const char *const adjectives[] = {
	"able", "agile", "airy", "alert", "ample", "apt", "ardent", "avid", "bold", "brave",
	"breezy", "bright", "brisk", "calm", "candid", "careful", "cheery", "civil",
	"clear", "clever", "cosy", "crisp", "curious", "daring", "deft", "droll", "eager",
	"early", "earnest", "easy", "exact", "fair", "famous", "fearless", "fleet", "fond",
	"frank", "free", "fresh", "gallant", "gentle", "glad", "golden", "graceful",
	"grand", "handy", "happy", "hardy", "hearty", "honest", "hopeful", "humble",
	"ideal", "jolly", "jovial", "just", "keen", "kind", "lively", "loyal", "lucid",
	"lucky", "mellow", "merry", "mighty", "modest", "neat", "nimble", "noble",
	"patient", "plucky", "polite", "proud", "prudent", "quick", "quiet", "rapid",
	"ready", "robust", "serene", "sharp", "silent", "sincere", "smart", "snug", "sober",
	"solid", "spry", "steady", "sturdy", "subtle", "sunny", "swift", "tender", "tidy",
	"trusty", "upbeat", "valiant", "vivid", "warm", "wise", "witty", "worthy", "zesty",
};

/* Scientists and the like, as in docker's names. */
static const char *const surnames[] = {
	"abel", "ampere", "archimedes", "avogadro", "babbage", "backus", "banach",
	"banneker", "bernoulli", "bessel", "bohr", "boltzmann", "boole", "borlaug", "bose",
	"boyle", "brahe", "cantor", "carnot", "cauchy", "cavendish", "celsius", "chebyshev",
	"church", "clarke", "copernicus", "coulomb", "curie", "dalton", "darwin", "davy",
	"dedekind", "descartes", "dijkstra", "dirac", "doppler", "eddington", "edison",
	"einstein", "elion", "erdos", "euclid", "euler", "faraday", "fermat", "fermi",
	"feynman", "fibonacci", "fourier", "franklin", "fresnel", "galileo", "galois",
	"gauss", "germain", "gibbs", "godel", "goodall", "hadamard", "halley", "hamilton",
	"hamming", "heisenberg", "helmholtz", "herschel", "hertz", "hilbert", "hodgkin",
	"hooke", "hopper", "hubble", "huffman", "huygens", "hypatia", "jacobi", "jemison",
	"johnson", "joule", "kelvin", "kepler", "khorana", "kirchhoff", "klein", "knuth",
	"koch", "kolmogorov", "kovalevskaya", "lagrange", "lamarr", "laplace", "lavoisier",
	"leavitt", "legendre", "leibniz", "linnaeus", "liskov", "lister", "lorentz",
	"lovelace", "mach", "markov", "maxwell", "mccarthy", "mcclintock", "meitner",
	"mendel", "mendeleev", "minkowski", "mirzakhani", "mitchell", "napier", "nash",
	"neumann", "newton", "nightingale", "nobel", "noether", "ohm", "ostrom", "pascal",
	"pasteur", "pauli", "peano", "planck", "poincare", "poisson", "ptolemy",
	"pythagoras", "raman", "ramanujan", "ride", "riemann", "ritchie", "roentgen",
	"rubin", "russell", "rutherford", "sagan", "salam", "schrodinger", "shannon",
	"sinoussi", "somerville", "stokes", "tarski", "tesla", "thales", "torvalds",
	"turing", "volta", "wallis", "watt", "weber", "weierstrass", "wiles", "wing",
	"wozniak", "wright", "wu", "yalow", "yonath", "zeno", "zuse",
};
/* clang-format on */

const char *name_check(const char *name, struct err *e)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	const char *at = name[0] == '/' ? name + 1 : name;
	size_t n = strlen(at);

	if (n < 2 || strspn(at, first) != n || strchr("_.-", at[0])) {
		(void)err_set(e, ERR_USAGE,
			"Invalid container name (%s), only "
			"[a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
			name);
		return NULL;
	}
	if (n > NAME_MAX) {
		(void)err_set(e, ERR_USAGE, "container name of %zu bytes is longer than %d", n, NAME_MAX);
		return NULL;
	}
	return at;
}

char *name_make_up(int tries)
{
	unsigned r[3] = {0};

	/* A short read is as good: it only makes the name less random, and collisions are retried. */
	(void)!getrandom(r, sizeof(r), 0);
	const char *a = adjectives[r[0] % ARRAY_LEN(adjectives)];
	const char *b = surnames[r[1] % ARRAY_LEN(surnames)];

	if (tries > 0)
		return xasprintf("%s_%s%u", a, b, r[2] % (tries > 1 ? 1000U : 10U));
	return xasprintf("%s_%s", a, b);
}

static void link_path(char out[NAME_MAX + 16], const char *name)
{
	(void)snprintf(out, NAME_MAX + 16, "names/%s", name); /* checked names fit */
}

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

void name_target(const char *id, char out[NAME_TARGET + 1])
{
	unsigned bits = 0, n = 0;

	for (int i = 0; i < NAME_TARGET; i++) {
		for (; n < 5; n += 4) {
			char c = *id ? *id++ : '0';

			bits = bits << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
		n -= 5;
		out[i] = digits[bits >> n & 31];
	}
	out[NAME_TARGET] = '\0';
}

static bool id_of_target(const char *target, id_text out)
{
	unsigned bits = 0, n = 0;

	for (int i = 0; i < ID_LEN; i++) {
		if (n < 4) {
			const char *d = *target ? strchr(digits, *target++) : NULL;

			if (!d)
				return false;
			bits = bits << 5 | (unsigned)(d - digits);
			n += 5;
		}
		n -= 4;
		out[i] = digits[bits >> n & 15];
	}
	out[ID_LEN] = '\0';
	return true;
}

bool name_lookup(const struct store *s, const char *name, id_text out)
{
	char path[NAME_MAX + 16], target[NAME_TARGET + 2];
	ssize_t n;

	if (strlen(name) > NAME_MAX)
		return false;
	link_path(path, name);
	n = readlinkat(s->root, path, target, sizeof(target) - 1);
	if (n != NAME_TARGET)
		return false;
	target[n] = '\0';
	return id_of_target(target, out);
}

/* -1 with errno: it is still there. */
static int release(const struct store *s, const char *name, const char *id)
{
	char path[NAME_MAX + 16];
	id_text now;

	if (!name_lookup(s, name, now) || strcmp(now, id) != 0)
		return 0;
	link_path(path, name);
	return unlinkat(s->root, path, 0) < 0 && errno != ENOENT ? -1 : 0;
}

void name_release(const struct store *s, const char *name, const char *id)
{
	(void)release(s, name, id); /* what stays dangles, and the next claim takes it over */
}

struct release_all {
	const struct store *s;
	const char *id;
};

static int release_one(const struct dirent *d, void *arg, struct err *e)
{
	const struct release_all *r = arg;

	(void)e;
	name_release(r->s, d->d_name, r->id);
	return 0;
}

void name_release_all(const struct store *s, const char *id)
{
	struct release_all r = {s, id};
	struct err ignored;

	(void)statedir_each(s->root, "names", release_one, &r, &ignored); /* as in name_release */
}

enum holder { HOLDER_IS, HOLDER_NONE, HOLDER_LEAVES };

/* Whether the container's own state has this name. A process that is giving or taking the name holds the container's
 * lock; a link that the state does not know, while nobody holds the lock, was left by a `rename` that was killed. */
static bool knows_name(const struct store *s, const char *id, const char *name, int dir)
{
	for (int locked = 0; locked < 2; locked++) {
		auto_state struct state st = {0};
		struct err why;

		/* One that cannot be read is better not robbed of its name. */
		if (statedir_read(s, id, false, &st, &why) < 0)
			return why.kind != ERR_NOT_FOUND;
		if (str_eq(st.name, name))
			return true;
		/* Not waited for: a renamer claims while it holds its own lock. */
		if (!locked && flock(dir, LOCK_EX | LOCK_NB) < 0)
			return true;
	}
	return false;
}

/* Looks at a directory that a remover has renamed, if there is one. False: there is none. */
static bool is_retired(const struct store *s, const char *mark, const char *id, enum holder *out)
{
	auto_close int old = statedir_open(s, mark, id);

	*out = HOLDER_NONE;
	if (old < 0 && errno == ENOENT)
		return false;
	if (old < 0) {
		*out = HOLDER_IS;
		return true;
	}
	/* A living remover holds an exclusive lock until the name is free, then a shared one. */
	if (flock(old, LOCK_SH | LOCK_NB) < 0) {
		(void)statedir_flock(old, LOCK_SH); /* only to wait */
		*out = HOLDER_LEAVES;
	}
	return true;
}

/* A directory is renamed from .new-<id> to <id>, .rmv-<id>, .rm-<id>, perhaps skipping some, and never back: so
 * looking in this order cannot miss it. */
static enum holder holder_of(const struct store *s, const char *name, const char *id)
{
	auto_close int made = statedir_open(s, MARK_NEW, id);
	enum holder holder;

	/* Locked: another container is being made with this name. Not locked: its maker is dead, or it was renamed
	 * since we opened it. */
	if (made >= 0 ? flock(made, LOCK_EX | LOCK_NB) < 0 : errno != ENOENT)
		return HOLDER_IS;

	auto_close int there = statedir_open(s, "", id);
	if (there >= 0)
		return knows_name(s, id, name, there) ? HOLDER_IS : HOLDER_NONE;
	if (errno != ENOENT)
		return HOLDER_IS;

	if (!is_retired(s, MARK_VOLUMES, id, &holder))
		(void)is_retired(s, MARK_OLD, id, &holder); /* it sets `holder` */
	return holder;
}

/* Removes the link of a container that is gone. Under a lock: of two processes that found it dangling the slower one
 * must not remove what the quicker one has claimed meanwhile. -1 with errno: it cannot be removed. */
static int take_over(const struct store *s, const char *name, const char *id)
{
	auto_close int names = openat(s->root, "names", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (names < 0 || statedir_flock(names, LOCK_EX) < 0)
		return -1;
	return holder_of(s, name, id) == HOLDER_NONE ? release(s, name, id) : 0;
}

/* Loading a container repairs it: one of --rm whose supervisor was killed is removed, with its name. */
static bool leaves_when_looked_at(const struct store *s, const char *id)
{
	auto_state struct state st = {0};
	auto_close int there = statedir_open(s, "", id);
	struct err why;

	return there >= 0 && state_load(s, id, &st, &why) < 0 && why.kind == ERR_NOT_FOUND;
}

static int in_use(const char *name, const char *id, struct err *e)
{
	return err_set(e, ERR_CONFLICT,
		"Conflict. The container name \"/%s\" is already in use by container \"%s\". You have to "
		"remove (or rename) that container to be able to reuse that name.",
		name, id);
}

int name_is_free(const struct store *s, const char *name, struct err *e)
{
	id_text now;

	if (!name_lookup(s, name, now) || holder_of(s, name, now) != HOLDER_IS ||
		leaves_when_looked_at(s, now))
		return 0;
	return in_use(name, now, e);
}

/* Far more than there can be of processes that are in each other's way. */
#define TRIES 1000

int name_claim(const struct store *s, const char *name, const char *id, struct err *e)
{
	char path[NAME_MAX + 16], target[NAME_TARGET + 1];
	id_text now;

	link_path(path, name);
	name_target(id, target);
	for (int tries = 0; symlinkat(target, s->root, path) < 0; tries++) {
		if (errno == ENOENT && tries < TRIES) {
			if (statedir_make(s->root, "names", e) < 0)
				return -1;
			continue;
		}
		if (errno == EPERM || errno == EOPNOTSUPP) /* vfat, exfat, some of FUSE */
			return err_sys(e, "name %s: its file system has no symbolic links", name);
		if (errno != EEXIST)
			return err_sys(e, "name %s", name);
		if (!name_lookup(s, name, now)) {
			/* Gone since, perhaps back already as another's; or none of ours. */
			struct stat st;

			if (fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
				!(S_ISLNK(st.st_mode) && tries < TRIES))
				return err_set(e, ERR_CORRUPT, "names/%s is not a name", name);
			continue;
		}
		switch (holder_of(s, name, now)) {
		case HOLDER_IS:
			if (tries < TRIES && leaves_when_looked_at(s, now))
				break;
			return in_use(name, now, e);
		case HOLDER_NONE:
			if (take_over(s, name, now) < 0)
				return err_sys(e, "name %s", name);
			break;
		case HOLDER_LEAVES:
			break;
		}
	}
	return 0;
}
