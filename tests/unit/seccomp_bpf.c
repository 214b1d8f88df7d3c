/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_bpf: programs for rules made at random, run by an interpreter, must give what the
 * rules say. So ABIs are tested which this machine has not, and programs too long for a
 * conditional jump.
 */
#include "auto.h"
#include "caps.h"
#include "seccomp_rules.h"
#include "tap.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

static uint32_t run(
	const struct sock_filter *code, size_t len, const struct seccomp_data *data, size_t *steps)
{
	uint32_t a = 0, x = 0;

	for (size_t pc = 0; pc < len; pc++) {
		const struct sock_filter *i = &code[pc];
		bool yes;

		++*steps;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)data + i->k, 4);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			continue;
		case BPF_ALU | BPF_RSH | BPF_X:
			a >>= x;
			continue;
		case BPF_LD | BPF_IMM:
			a = i->k;
			continue;
		case BPF_MISC | BPF_TAX:
			x = a;
			continue;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			continue;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > i->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = a & i->k;
			break;
		default:
			return 0xbad;
		}
		pc += yes ? i->jt : i->jf;
	}
	return 0xbad;
}

static bool fits(const struct seccomp_rule *rule, const struct seccomp_data *data)
{
	for (int i = 0; i < rule->n_cmp; i++) {
		const struct seccomp_cmp *c = &rule->cmp[i];
		uint64_t v = data->args[c->arg];
		bool good = c->op == CMP_EQ   ? v == c->value
		            : c->op == CMP_NE ? v != c->value
		            : c->op == CMP_LT ? v < c->value
		            : c->op == CMP_LE ? v <= c->value
		            : c->op == CMP_GT ? v > c->value
		            : c->op == CMP_GE ? v >= c->value
		                              : (v & c->mask) == (c->value & c->mask);

		if (!good)
			return false;
	}
	return true;
}

/* By the rules, for a call with this name. */
static uint32_t expected(const struct seccomp_rules *r, const char *name, const struct seccomp_data *data)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < r->n; i++)
			if ((pass == 0) == (r->v[i].n_cmp > 0) && strcmp(r->v[i].name, name) == 0 &&
				fits(&r->v[i], data))
				return r->v[i].action;
	return r->otherwise;
}

static uint64_t seed = 88172645463325252ull;

static uint64_t chance(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Few values, so that they meet. */
static uint64_t value(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 0xffffffff, 0x100000000, 0x100000001, UINT64_MAX, 0x8000000000000000};

	return values[chance(ARRAY_LEN(values))];
}

static void random_rule(struct seccomp_rules *r, const char *name, unsigned answers)
{
	struct seccomp_rule *rule =
		seccomp_rules_add(r, name, SECCOMP_RET_ERRNO | (uint32_t)chance(answers));

	for (uint64_t n = chance(4); n > 1; n--)
		seccomp_rules_cmp(rule, (struct seccomp_cmp){(unsigned)chance(SECCOMP_ARGS),
						(enum seccomp_op)chance(7), value(), value()});
}

static const struct {
	unsigned bit;
	uint32_t token, arch;
} machines[] = {
	{ABI_X86_64, SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64},
	{ABI_X32, SCMP_ARCH_X32, AUDIT_ARCH_X86_64},
	{ABI_X86, SCMP_ARCH_X86, AUDIT_ARCH_I386},
	{ABI_AARCH64, SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64},
	{ABI_ARM, SCMP_ARCH_ARM, AUDIT_ARCH_ARM},
};

/* All named numbers of the rules' ABIs, each with a few arguments; the count of wrong
 * answers. */
static int compare_all(const struct seccomp_rules *r, size_t *longest)
{
	struct sock_filter *code;
	unsigned short len;
	struct err e;
	int wrong = 0;

	if (seccomp_bpf(r, &code, &len, &e) < 0)
		return -1;
	*longest = len > *longest ? len : *longest;
	for (size_t m = 0; m < ARRAY_LEN(machines); m++)
		for (int n = 0; n < 450; n++) {
			int nr = n + (machines[m].bit == ABI_X32 ? 0x40000000 : 0);
			auto_free char *name = seccomp_syscall_resolve_num_arch(machines[m].token, nr);
			struct seccomp_data data = {.nr = nr, .arch = machines[m].arch};
			size_t steps = 0;

			if (!name || !(r->abis & machines[m].bit))
				continue;
			for (int i = 0; i < SECCOMP_ARGS; i++)
				data.args[i] = value();
			wrong += run(code, len, &data, &steps) != expected(r, name, &data);
		}
	free(code);
	return wrong;
}

static void test_random(void)
{
	int wrong = 0, too_long = 0;
	size_t longest = 0;

	for (int round = 0; round < 60; round++) {
		auto_seccomp_rules struct seccomp_rules r = {.otherwise = SECCOMP_RET_ALLOW};
		int density = 1 + (int)chance(6), one;

		r.abis = round % 2 ? ABI_X86_64 | ABI_X86 | ABI_X32 : ABI_AARCH64 | ABI_ARM;
		for (int nr = 0; nr < 450; nr++) {
			auto_free char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, nr);

			for (uint64_t n = chance((uint64_t)density); name && n > 0; n--)
				random_rule(&r, name, round % 3 ? 2 : 4000);
		}
		one = compare_all(&r, &longest);
		too_long += one < 0;
		wrong += one > 0 ? one : 0;
	}
	is_int(wrong, 0, "every call gets the answer of the rules");
	ok(longest > 1500, "in programs too long for conditional jumps, too");
	ok(too_long < 40, "and hardly any is longer than the kernel takes");
}

static uint32_t ask(const struct seccomp_rules *r, uint32_t arch, int nr, uint64_t arg)
{
	struct seccomp_data data = {.nr = nr, .arch = arch, .args = {arg}};
	struct sock_filter *code;
	unsigned short len;
	size_t steps = 0;
	uint32_t action;
	struct err e;

	if (seccomp_bpf(r, &code, &len, &e) < 0)
		return 0xbad;
	action = run(code, len, &data, &steps);
	free(code);
	return action;
}

static void test_default(void)
{
	auto_seccomp_rules struct seccomp_rules r = {0};
	const uint32_t eperm = SECCOMP_RET_ERRNO | EPERM, enosys = SECCOMP_RET_ERRNO | ENOSYS;

	seccomp_rules_default(&r, CAPS_DOCKER_DEFAULT);
	r.abis = ABI_X86_64 | ABI_X86 | ABI_X32;
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0, 0), SECCOMP_RET_ALLOW, "x86-64: read");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 165, 0), eperm, "x86-64: mount");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000, 0), SECCOMP_RET_ALLOW, "x32 asked for: its read");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000 + 165, 0), eperm, "its mount");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000 + 41, AF_ALG), eperm, "its socket");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000 + 451, 0), SECCOMP_RET_ALLOW, "its cachestat");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000 + 700, 0), enosys, "beyond its last");
	is_int(ask(&r, AUDIT_ARCH_X86_64, (int)0xffffffff, 0), enosys, "minus one");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x3fffffff, 0), enosys, "just below x32");
	is_int(ask(&r, AUDIT_ARCH_I386, 359, AF_VSOCK), eperm, "x86: socket of the hypervisor");
	is_int(ask(&r, AUDIT_ARCH_I386, 359, AF_INET), SECCOMP_RET_ALLOW, "x86: another");
	is_int(ask(&r, AUDIT_ARCH_I386, 396, 0), SECCOMP_RET_ALLOW, "x86: shmctl by its own number");
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 63, 0), SECCOMP_RET_KILL_PROCESS,
		"an arch that was not asked for");
	r.abis = ABI_AARCH64 | ABI_ARM;
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 63, 0), SECCOMP_RET_ALLOW, "aarch64: read");
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 40, 0), eperm, "aarch64: mount");
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 198, AF_ALG), eperm, "aarch64: socket");
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 435, 0), enosys, "aarch64: clone3");
	is_int(ask(&r, AUDIT_ARCH_AARCH64, 462, 0), SECCOMP_RET_ALLOW, "aarch64: mseal");
	is_int(ask(&r, AUDIT_ARCH_ARM, 3, 0), SECCOMP_RET_ALLOW, "arm: read");
	is_int(ask(&r, AUDIT_ARCH_ARM, 0xf0002, 0), SECCOMP_RET_ALLOW,
		"arm: cacheflush, far above all others");
	is_int(ask(&r, AUDIT_ARCH_ARM, 0xe0000, 0), enosys, "arm: what lies between");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0, 0), SECCOMP_RET_KILL_PROCESS,
		"and x86-64 is a stranger there");
}

/* The second arch of a machine has its numbers as bits, where the rules are those of most containers. */
static void test_second_arch(void)
{
	static const unsigned abis[] = {ABI_X86_64 | ABI_X86, ABI_AARCH64 | ABI_ARM};
	int wrong = 0;

	for (int round = 0; round < 60; round++) {
		auto_seccomp_rules struct seccomp_rules r = {0};
		size_t longest = 0;

		seccomp_rules_default(&r, round % 3 ? CAPS_DOCKER_DEFAULT : 0);
		if (round % 2)
			seccomp_rules_fake_root(&r, true);
		r.abis = abis[round / 2 % 2];
		wrong += compare_all(&r, &longest);
	}
	is_int(wrong, 0, "every call of the default rules gets its answer, by bits as well");
}

/* How long it takes is how many instructions run: the kernel tries every number when a
 * filter is installed. */
static void test_cost(void)
{
	auto_seccomp_rules struct seccomp_rules r = {0};
	struct sock_filter *code;
	unsigned short len;
	size_t steps = 0;
	struct err e;

	seccomp_rules_default(&r, CAPS_DOCKER_DEFAULT);
	if (seccomp_bpf(&r, &code, &len, &e) < 0) {
		ok(false, e.text);
		return;
	}
	for (int nr = 0; nr < 470; nr++)
		(void)run(code, len, &(struct seccomp_data){.nr = nr, .arch = AUDIT_ARCH_X86_64}, &steps);
	printf("# %u instructions, %.1f of them run for a call\n", len, (double)steps / 470);
	ok(len < 300 && steps < 470 * 15, "the default filter is small and its tree flat");
	free(code);
}

/* Programs are kept on disk under a name with SECCOMP_RULES_VERSION in it: whoever
 * changes what they are made of sees this fail, counts the version up and writes the new
 * sum here. */
static void test_version(void)
{
	auto_seccomp_rules struct seccomp_rules r = {0};
	struct sock_filter *code;
	unsigned short len;
	uint64_t sum = 0xcbf29ce484222325;
	struct err e;

	seccomp_rules_default(&r, CAPS_DOCKER_DEFAULT | CAP_BIT(CAP_SYS_PTRACE));
	seccomp_rules_fake_root(&r, true);
	r.abis = ABI_X86_64 | ABI_X86;
	if (seccomp_bpf(&r, &code, &len, &e) < 0) {
		ok(false, e.text);
		return;
	}
	for (size_t i = 0; i < len * sizeof(*code); i++)
		sum = (sum ^ ((const unsigned char *)code)[i]) * 0x100000001b3;
	is_int(SECCOMP_RULES_VERSION, 6, "the version which this sum is of");
	is_int((int64_t)sum, (int64_t)0x59ed31ef97339b7f,
		"programs changed, so must SECCOMP_RULES_VERSION");
	free(code);
}

/* Both parts of a filter together answer each call as the whole does, and the second one is small. */
static void test_parts(void)
{
	const uint32_t archs[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64};
	struct seccomp_rules r[3] = {0};
	struct sock_filter *code[3] = {0};
	unsigned short len[3];
	size_t steps = 0, wrong = 0, late = 0;
	struct err e = {0};

	for (int i = 0; i < 3; i++) {
		seccomp_rules_default(&r[i], 0);
		seccomp_rules_fake_root(&r[i], true);
		r[i].abis = ABI_X86_64 | ABI_X86;
		if (i > 0)
			(i == 1 ? seccomp_rules_first : seccomp_rules_last)(&r[i]);
		if (!ok(seccomp_bpf(&r[i], &code[i], &len[i], &e) == 0, "a part is made"))
			return;
	}
	for (int nr = -1; nr < 700; nr++)
		for (size_t arg = 0; arg < 3 * ARRAY_LEN(archs); arg++) {
			const uint64_t args[] = {0, CLONE_NEWUSER, AF_VSOCK};
			struct seccomp_data data = {
				.nr = nr, .arch = archs[arg / 3], .args = {args[arg % 3], 0x2000}};
			uint32_t whole = run(code[0], len[0], &data, &steps);
			uint32_t first = run(code[1], len[1], &data, &steps);
			uint32_t last = run(code[2], len[2], &data, &steps);

			late += whole != first;
			wrong += whole != (first == SECCOMP_RET_ALLOW ? last : first);
		}
	is_int((int64_t)wrong, 0, "both parts are the whole");
	ok(late > 0 && len[2] < 40, "a few calls are left to the second one, which is small");
	printf("# %u instructions, %u first, %u last\n", len[0], len[1], len[2]);
	for (int i = 0; i < 3; i++) {
		seccomp_rules_done(&r[i]);
		free(code[i]);
	}
}

static void test_too_long(void)
{
	auto_seccomp_rules struct seccomp_rules r = {.otherwise = SECCOMP_RET_ALLOW, .abis = ABI_X86_64};
	struct sock_filter *code;
	unsigned short len;
	struct err e = {0};

	for (int i = 0; i < 2000; i++)
		seccomp_rules_cmp(seccomp_rules_add(&r, "read", SECCOMP_RET_ERRNO),
			(struct seccomp_cmp){1, CMP_GE, (uint64_t)i << 33, 0});
	ok(seccomp_bpf(&r, &code, &len, &e) < 0 && e.kind == ERR_UNSUPPORTED,
		"what is too long is refused");
}

#ifdef __x86_64__
/* What a profile forbids by name is not to be had by another ABI. */
static void test_foreign(void)
{
	static const char text[] = "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":"
				   "[{\"name\":\"mkdir\",\"action\":\"SCMP_ACT_ERRNO\"}]}";
	auto_seccomp_rules struct seccomp_rules r = {0};
	struct err e;

	ok(seccomp_rules_json(&r, text, strlen(text), 0, &e) == 0, "a profile is read");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 39, 0), SECCOMP_RET_ALLOW, "getpid");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 83, 0), SECCOMP_RET_ERRNO | 1, "mkdir");
	is_int(ask(&r, AUDIT_ARCH_X86_64, 0x40000000 + 83, 0), SECCOMP_RET_KILL_PROCESS, "that of x32");
	is_int(ask(&r, AUDIT_ARCH_I386, 39, 0), SECCOMP_RET_KILL_PROCESS, "and that of 32 bits");
}
#endif

int main(void)
{
	test_random();
	test_default();
	test_second_arch();
	test_cost();
	test_version();
	test_parts();
	test_too_long();
#ifdef __x86_64__
	test_foreign();
#endif
	return done_testing();
}
