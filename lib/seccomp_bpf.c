/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_bpf: compiles rules to a BPF program.
 *
 * libseccomp supplies the numbers of calls by name and ABI, but not the program. Each start
 * of a container has to install it, and then the kernel not only translates the program, but
 * also runs it once for each call number, to know which calls are always allowed. For
 * docker's default, x86-64 and x86, minimum and median of 40 in us on a busy machine:
 *
 *	libseccomp, linear         691 instructions   800  880 us
 *	libseccomp, binary tree    860                224  340
 *	this                       226                 92  140
 *	an empty program             1                 16   26
 *
 * It is shorter because a run of neighbouring numbers with the same answer is one leaf, and
 * leaves are shared. An allowed call takes the same time with all of them. Besides, this
 * compares ints as ints, knows calls newer than the library, and answers ENOSYS to those
 * newer than the profile. Splitting the tree by width of ranges instead of by their count
 * was tried, and gained nothing.
 *
 * A program is a switch on the architecture and, for each, a tree of comparisons over
 * ranges of numbers. Few programs use the machine's second architecture, but each start pays
 * for it; so it has a bit for each number instead, and a tree only for calls that are not
 * simply allowed: 172 instructions instead of 226, with a fake root 236 instead of 304, which
 * take 64 us instead of 86. (The kernel cannot know in advance which calls the bits allow, so
 * such a call runs the program, some 10 ns; calls of the first architecture do not.)
 */
#include "seccomp_rules.h"

#include "auto.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "halves of arguments are taken little end first");

struct abi {
	unsigned bit;
	uint32_t token; /* libseccomp's */
	uint32_t arch;  /* the kernel's; x32 shares that of x86-64 */
	uint32_t base;  /* of its numbers */
};

#define X32_BASE 0x40000000u

/* Those of one arch stand together, by base. */
static const struct abi abis[] = {
	{ABI_X86_64, SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64, 0},
	{ABI_X32, SCMP_ARCH_X32, AUDIT_ARCH_X86_64, X32_BASE},
	{ABI_X86, SCMP_ARCH_X86, AUDIT_ARCH_I386, 0},
	{ABI_AARCH64, SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64, 0},
	{ABI_ARM, SCMP_ARCH_ARM, AUDIT_ARCH_ARM, 0},
};

/* clang-format off */
/* From 424 on, calls have the same number in every ABI. These are newer than the oldest libseccomp that we build
 * with. */
static const struct {
	const char *name;
	uint32_t nr;
} newer[] = {
	{"cachestat", 451},               {"fchmodat2", 452},               {"map_shadow_stack", 453},
	{"futex_wake", 454},              {"futex_wait", 455},              {"futex_requeue", 456},
	{"statmount", 457},               {"listmount", 458},               {"lsm_get_self_attr", 459},
	{"lsm_set_self_attr", 460},       {"lsm_list_modules", 461},        {"mseal", 462},
	{"setxattrat", 463},              {"getxattrat", 464},              {"listxattrat", 465},
	{"removexattrat", 466},           {"open_tree_attr", 467},          {"file_getattr", 468},
	{"file_setattr", 469},            {"memfd_secret", 447},            {"process_mrelease", 448},
	{"futex_waitv", 449},             {"set_mempolicy_home_node", 450},
};

/* libseccomp only tells that x86 has these calls through socketcall or ipc; but most have had numbers of their own as
 * well since Linux 4.3 (sockets) and 5.1. */
static const struct {
	const char *name;
	uint32_t nr;
} direct_x86[] = {
	{"socket", 359},      {"socketpair", 360},  {"bind", 361},        {"connect", 362},
	{"listen", 363},      {"accept4", 364},     {"getsockopt", 365},  {"setsockopt", 366},
	{"getsockname", 367}, {"getpeername", 368}, {"sendto", 369},      {"sendmsg", 370},
	{"recvfrom", 371},    {"recvmsg", 372},     {"shutdown", 373},    {"semget", 393},
	{"semctl", 394},      {"shmget", 395},      {"shmctl", 396},      {"shmat", 397},
	{"shmdt", 398},       {"msgget", 399},      {"msgsnd", 400},      {"msgrcv", 401},
	{"msgctl", 402},      {"recvmmsg", 337},    {"sendmmsg", 345},
};
/* clang-format on */

static bool number(const struct abi *abi, const char *name, uint32_t *out)
{
	int nr = seccomp_syscall_resolve_name_arch(abi->token, name);

	/* For a call that the ABI lacks, libseccomp gives a negative number, or one just below x32's base. */
	if (nr >= 0 && (uint32_t)nr >= abi->base && (uint32_t)nr < abi->base + X32_BASE) {
		*out = (uint32_t)nr;
		return true;
	}
	if (abi->bit == ABI_X86)
		for (size_t i = 0; i < ARRAY_LEN(direct_x86); i++)
			if (strcmp(direct_x86[i].name, name) == 0) {
				*out = direct_x86[i].nr;
				return true;
			}
	if (abi->bit == ABI_X86_64 && strcmp(name, "uretprobe") == 0) {
		*out = 335;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(newer); i++)
		if (strcmp(newer[i].name, name) == 0) {
			*out = abi->base + newer[i].nr;
			return true;
		}
	return false;
}

/* One use of a call number by a rule. */
struct use {
	uint32_t nr;
	const struct seccomp_rule *rule;
};

/* Sorts by number; rules for one number: those with comparisons first, otherwise as they were given. */
static int by_number(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	if (!x->rule->n_cmp != !y->rule->n_cmp)
		return x->rule->n_cmp ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* The numbers from `first` to before the next range's; `uses`: the rules of a single number, if comparisons are
 * needed. */
struct range {
	uint32_t first, action;
	const struct use *uses;
	size_t n_uses;
};

struct ranges {
	struct range *v;
	size_t n;
};

static void add_range(struct ranges *r, struct range next)
{
	struct range *last = r->n ? &r->v[r->n - 1] : NULL;

	if (last && last->first == next.first)
		r->n--; /* the gap before it is empty */
	last = r->n ? &r->v[r->n - 1] : NULL;
	if (last && !last->n_uses && !next.n_uses && last->action == next.action)
		return;
	r->v = xrealloc(r->v, r->n + 1, sizeof(*r->v));
	r->v[r->n++] = next;
}

/* ARM has a few numbers far above all others. */
#define PRIVATE_BASE 0xf0000u

/* The answer for a number without a rule. If it is newer than every call of the profile, ENOSYS, so that programs
 * which probe for it fall back as on an older kernel. */
static uint32_t gap_action(const struct seccomp_rules *r, bool newer_than_all)
{
	uint32_t otherwise = r->otherwise & SECCOMP_RET_ACTION_FULL;

	if (!newer_than_all || otherwise == SECCOMP_RET_ALLOW || otherwise == SECCOMP_RET_LOG ||
		otherwise == SECCOMP_RET_TRACE)
		return r->otherwise;
	return SECCOMP_RET_ERRNO | ENOSYS;
}

/* If x32 is not among the ABIs: the answer of kernels without it, except for calls that the rules forbid by their
 * other number. */
static uint32_t x32_action(const struct seccomp_rules *r)
{
	uint32_t unknown = gap_action(r, true);

	return unknown == r->otherwise ? r->foreign : unknown;
}

static void add_abi(
	const struct seccomp_rules *r, const struct abi *abi, struct use *uses, struct ranges *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (number(abi, r->v[i].name, &uses[n].nr))
			uses[n++].rule = &r->v[i];
	qsort(uses, n, sizeof(*uses), by_number);
	add_range(out, (struct range){abi->base, gap_action(r, n == 0), NULL, 0});
	for (size_t i = 0, next; i < n; i = next) {
		struct range range = {uses[i].nr, r->otherwise, &uses[i], 0};
		bool last;

		for (next = i; next < n && uses[next].nr == uses[i].nr; next++)
			if (uses[next].rule->n_cmp)
				range.n_uses++;
			else if (next - i == range.n_uses) /* the first one without comparisons */
				range.action = uses[next].rule->action;
		last = next == n || uses[next].nr - abi->base >= PRIVATE_BASE;
		add_range(out, range);
		add_range(out, (struct range){range.first + 1, gap_action(r, last), NULL, 0});
	}
}

/* A program is built from its end to its beginning, because jumps only go forward: so the target of a jump exists
 * already, and an answer that is in reach is used again. A place is counted from the end. */
struct program {
	struct sock_filter *v; /* the last instruction first */
	size_t n;
};
typedef size_t place;

static place emit(struct program *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	p->v = xrealloc(p->v, p->n + 1, sizeof(*p->v));
	p->v[p->n] = (struct sock_filter){code, jt, jf, k};
	return p->n++;
}

/* Emits the load for the instruction that was emitted last. */
static place load(struct program *p, size_t offset)
{
	return emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static place answer(struct program *p, uint32_t action)
{
	/* One place less than a jump can reach, as a trampoline may come between. */
	for (size_t i = p->n; i > 0 && p->n - i < UINT8_MAX - 1; i--)
		if (p->v[i - 1].code == (BPF_RET | BPF_K) && p->v[i - 1].k == action)
			return i - 1;
	return emit(p, BPF_RET | BPF_K, action, 0, 0);
}

/* A place that leads to `to` and that the next but one instruction can reach with a condition's 8 bits. */
static place within_reach(struct program *p, place to)
{
	return p->n - to < UINT8_MAX ? to : emit(p, BPF_JMP | BPF_JA, (uint32_t)(p->n - to - 1), 0, 0);
}

static place branch(struct program *p, uint16_t test, uint32_t k, place yes, place no)
{
	yes = within_reach(p, yes);
	no = within_reach(p, no);
	return emit(p, BPF_JMP | test | BPF_K, k, (uint8_t)(p->n - yes - 1), (uint8_t)(p->n - no - 1));
}

static place compare_masked(
	struct program *p, size_t offset, uint32_t mask, uint32_t value, place hit, place miss)
{
	if (!mask)
		return hit;
	/* If the next comparison needs the same word, it is loaded already. */
	if (mask == UINT32_MAX && p->v[miss].code == (BPF_LD | BPF_W | BPF_ABS) && p->v[miss].k == offset)
		miss--;
	(void)branch(p, BPF_JEQ, value & mask, hit, miss);
	if (mask != UINT32_MAX)
		(void)emit(p, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	return load(p, offset);
}

/* 64 bits are compared by halves: the high one decides, unless it is equal; then the low one does. */
static place compare(struct program *p, const struct seccomp_cmp *c, place hit, place miss)
{
	size_t lo = offsetof(struct seccomp_data, args) + 8 * c->arg, hi = lo + 4;
	uint32_t vlo = (uint32_t)c->value, vhi = (uint32_t)(c->value >> 32);
	bool strict = c->op == CMP_GT || c->op == CMP_LE;
	place above = hit, below = miss, low;

	switch (c->op) {
	case CMP_MASKED:
		hit = compare_masked(p, lo, (uint32_t)c->mask, vlo, hit, miss);
		return compare_masked(p, hi, (uint32_t)(c->mask >> 32), vhi, hit, miss);
	case CMP_EQ:
		hit = compare_masked(p, lo, UINT32_MAX, vlo, hit, miss);
		return compare_masked(p, hi, UINT32_MAX, vhi, hit, miss);
	case CMP_NE:
		miss = compare_masked(p, lo, UINT32_MAX, vlo, miss, hit);
		return compare_masked(p, hi, UINT32_MAX, vhi, miss, hit);
	case CMP_LT:
	case CMP_LE:
		above = miss;
		below = hit;
		break;
	case CMP_GT:
	case CMP_GE:
		break;
	}
	(void)branch(p, strict ? BPF_JGT : BPF_JGE, vlo, above, below);
	low = load(p, lo);
	low = branch(p, BPF_JEQ, vhi, low, below);
	(void)branch(p, BPF_JGT, vhi, above, low);
	return load(p, hi);
}

static place add_rule(struct program *p, const struct seccomp_rule *rule, place miss)
{
	place at = answer(p, rule->action);

	for (int i = rule->n_cmp; i > 0; i--)
		at = compare(p, &rule->cmp[i - 1], at, miss);
	return at;
}

/* Of n ranges, the one which holds the number. */
static place add_tree(struct program *p, const struct range *v, size_t n)
{
	place below, above, at;

	if (n > 1) {
		above = add_tree(p, v + n / 2, n - n / 2);
		below = add_tree(p, v, n / 2);
		return branch(p, BPF_JGE, v[n / 2].first, above, below);
	}
	at = answer(p, v->action);
	for (size_t i = v->n_uses; i > 0; i--)
		at = add_rule(p, v->uses[i - 1].rule, at);
	return at;
}

/* Makes the program go on at `to` here, wherever that is. */
static void continue_at(struct program *p, place to)
{
	if (to + 1 != p->n)
		(void)emit(p, BPF_JMP | BPF_JA, (uint32_t)(p->n - to - 1), 0, 0);
}

#define WORD_BITS 32
#define WORDS     16
#define BITS_END  (WORDS * WORD_BITS) /* numbers from here on have no bits */

static bool allows(const struct range *range)
{
	return !range->n_uses && range->action == SECCOMP_RET_ALLOW;
}

static uint32_t range_end(const struct ranges *all, size_t i)
{
	return i + 1 < all->n ? all->v[i + 1].first : UINT32_MAX;
}

static void set_bits(const struct ranges *all, uint32_t words[WORDS])
{
	for (size_t i = 0; i < all->n; i++)
		for (uint32_t nr = all->v[i].first; allows(&all->v[i]) && nr < range_end(all, i); nr++) {
			if (nr >= BITS_END)
				return;
			words[nr / WORD_BITS] |= 1u << nr % WORD_BITS;
		}
}

/* The ranges for calls that no bit allows; allowed calls get the answer of the range before them. */
static struct ranges without_bits(const struct ranges *all)
{
	struct ranges rest = {0};

	for (size_t i = 0; i < all->n && all->v[i].first < BITS_END; i++)
		if (!allows(&all->v[i]))
			add_range(&rest, all->v[i]);
	return rest;
}

static struct ranges beyond_bits(const struct ranges *all)
{
	struct ranges rest = {0};

	for (size_t i = 0; i < all->n; i++)
		if (range_end(all, i) > BITS_END)
			add_range(&rest, all->v[i]);
	return rest;
}

/* Loads, of n words, the one with the number's bit, for `test` to examine. */
static place add_words(struct program *p, const uint32_t *words, uint32_t first, uint32_t n,
	place test, place allowed, place others)
{
	uint32_t half = n / 2;
	place below, above;

	if (n > 1) {
		above = add_words(p, words, first + half, n - half, test, allowed, others);
		below = add_words(p, words, first, half, test, allowed, others);
		return above == below ? below
		                      : branch(p, BPF_JGE, (first + half) * WORD_BITS, above, below);
	}
	if (words[first] == UINT32_MAX)
		return allowed;
	if (!words[first])
		return others;
	continue_at(p, test);
	return emit(p, BPF_LD | BPF_IMM, words[first], 0, 0);
}

static place add_bits(struct program *p, const struct ranges *all)
{
	struct ranges far = beyond_bits(all), near = without_bits(all);
	uint32_t words[WORDS] = {0};
	place beyond, others, allowed, test, at;

	set_bits(all, words);
	beyond = add_tree(p, far.v, far.n);
	others = allowed = answer(p, SECCOMP_RET_ALLOW);
	if (near.n) {
		continue_at(p, add_tree(p, near.v, near.n));
		others = load(p, offsetof(struct seccomp_data, nr)); /* the bits took its place */
	}
	(void)branch(p, BPF_JSET, 1, allowed, others);
	test = emit(p, BPF_ALU | BPF_RSH | BPF_X, 0, 0, 0);
	at = add_words(p, words, 0, WORDS, test, allowed, others);
	(void)branch(p, BPF_JGE, BITS_END, beyond, at);
	(void)load(p, offsetof(struct seccomp_data, nr));
	(void)emit(p, BPF_MISC | BPF_TAX, 0, 0, 0);
	at = emit(p, BPF_ALU | BPF_AND | BPF_K, WORD_BITS - 1, 0, 0);
	free(far.v);
	free(near.v);
	return at;
}

/* As bits if that takes fewer instructions, and the kernel need not know in advance what is allowed. */
static place add_numbers(struct program *p, const struct ranges *all, bool own)
{
	size_t begun = p->n, by_tree;
	place at = add_tree(p, all->v, all->n);

	by_tree = p->n;
	if (own)
		return at;
	p->n = begun;
	at = add_bits(p, all);
	if (p->n < by_tree)
		return at;
	p->n = begun;
	return add_tree(p, all->v, all->n);
}

/* The numbers of an architecture, if the loaded one is that; else goes on to `otherwise`. */
static place add_arch(
	struct program *p, const struct seccomp_rules *r, uint32_t arch, bool own, place otherwise)
{
	/* A rule has one number in an ABI, and no architecture has more than two ABIs. */
	auto_free struct use *uses = xcalloc(2 * r->n + 1, sizeof(*uses));
	struct ranges ranges = {0};
	size_t used = 0;
	place at;

	for (size_t i = 0; i < ARRAY_LEN(abis); i++) {
		if (abis[i].arch != arch)
			continue;
		if (!(r->abis & abis[i].bit)) /* x32, if at all: it does not exist */
			add_range(&ranges, (struct range){abis[i].base, x32_action(r), NULL, 0});
		else
			add_abi(r, &abis[i], uses + r->n * used++, &ranges);
	}
	continue_at(p, add_numbers(p, &ranges, own));
	at = load(p, offsetof(struct seccomp_data, nr));
	free(ranges.v);
	return branch(p, BPF_JEQ, arch, at, otherwise);
}

static void reverse(struct program *p)
{
	for (size_t i = 0; i < p->n / 2; i++) {
		struct sock_filter t = p->v[i];

		p->v[i] = p->v[p->n - i - 1];
		p->v[p->n - i - 1] = t;
	}
}

int seccomp_bpf(
	const struct seccomp_rules *r, struct sock_filter **out, unsigned short *len, struct err *e)
{
	struct program p = {0};
	place at = answer(&p, r->foreign);
	const unsigned own = r->abis & (0u - r->abis); /* the lowest */

	/* What is emitted last is executed first: the machine's own ABI. */
	for (size_t i = ARRAY_LEN(abis); i > 0; i--)
		if (r->abis & abis[i - 1].bit && abis[i - 1].bit != ABI_X32)
			at = add_arch(&p, r, abis[i - 1].arch, abis[i - 1].bit == own, at);
	(void)load(&p, offsetof(struct seccomp_data, arch));
	reverse(&p);
	if (p.n > BPF_MAXINSNS) {
		free(p.v);
		return err_set(e, ERR_UNSUPPORTED,
			"seccomp profile: it takes %zu instructions, and the kernel takes %d at most",
			p.n, BPF_MAXINSNS);
	}
	*out = p.v;
	*len = (unsigned short)p.n;
	return 0;
}
