/* SPDX-License-Identifier: Apache-2.0 */
/* A profile in docker's JSON: to rules, and those to a program that the kernel would take. */
#include "fuzz.h"
#include "seccomp_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_seccomp_rules struct seccomp_rules r = {0};
	struct sock_filter *code = NULL;
	unsigned short len = 0;
	struct err e = {0};

	if (seccomp_rules_json(&r, (const char *)data, size, 0xa80425fb, &e) < 0)
		return 0;
	seccomp_rules_fake_root(&r, size % 2);
	if (seccomp_bpf(&r, &code, &len, &e) == 0) {
		assert(len > 0 && len <= BPF_MAXINSNS);
		free(code);
	}
	return 0;
}
