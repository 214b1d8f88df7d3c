/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_json: parses profiles in docker's JSON format. As with docker unknown keys are
 * ignored, the case of keys does not matter, and a value of the wrong type is an
 * error. */
#include "seccomp_rules.h"

#include "caps.h"
#include "json.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/utsname.h>

#define PREFIX "Decoding seccomp profile failed: "
/* Each rule takes at least an instruction, of which the kernel allows 4096. Names and alternative comparisons multiply
 * to rules, so a profile of a few pages could take all memory. */
#define RULES_MAX 65536
/* What docker leaves to runc. */
#define RUNC "failed to create shim task: OCI runtime create failed: runc create failed: "

struct reading {
	struct seccomp_rules *rules;
	json_t *whole; /* names with a rule that compares nothing */
	json_t *idle;  /* names that get what all others get */
	uint64_t caps;
	struct err *e;
};

/* clang-format off */
static const struct {
	const char *word;
	uint32_t action;
} actions[] = {
	{ "SCMP_ACT_ALLOW",        SECCOMP_RET_ALLOW },
	{ "SCMP_ACT_ERRNO",        SECCOMP_RET_ERRNO },
	{ "SCMP_ACT_KILL",         SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_KILL_THREAD",  SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS },
	{ "SCMP_ACT_LOG",          SECCOMP_RET_LOG },
	{ "SCMP_ACT_TRACE",        SECCOMP_RET_TRACE },
	{ "SCMP_ACT_TRAP",         SECCOMP_RET_TRAP },
};

static const struct {
	const char *word;
	enum seccomp_op op;
} ops[] = {
	{ "SCMP_CMP_EQ",        CMP_EQ },
	{ "SCMP_CMP_NE",        CMP_NE },
	{ "SCMP_CMP_LT",        CMP_LT },
	{ "SCMP_CMP_LE",        CMP_LE },
	{ "SCMP_CMP_GT",        CMP_GT },
	{ "SCMP_CMP_GE",        CMP_GE },
	{ "SCMP_CMP_MASKED_EQ", CMP_MASKED },
};

static const struct {
	const char *word;
	unsigned bit;
} arches[] = {
	{ "SCMP_ARCH_X86_64",  ABI_X86_64 },
	{ "SCMP_ARCH_X86",     ABI_X86 },
	{ "SCMP_ARCH_X32",     ABI_X32 },
	{ "SCMP_ARCH_AARCH64", ABI_AARCH64 },
	{ "SCMP_ARCH_ARM",     ABI_ARM },
};

static const char *const other_arches[] = {
	"SCMP_ARCH_MIPS",   "SCMP_ARCH_MIPS64",   "SCMP_ARCH_MIPS64N32",   "SCMP_ARCH_MIPSEL",
	"SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPSEL64N32", "SCMP_ARCH_PPC",    "SCMP_ARCH_PPC64",
	"SCMP_ARCH_PPC64LE", "SCMP_ARCH_RISCV64", "SCMP_ARCH_S390",        "SCMP_ARCH_S390X",
	"SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K", "SCMP_ARCH_PARISC",     "SCMP_ARCH_PARISC64",
	"SCMP_ARCH_SH",     "SCMP_ARCH_SHEB",
};
/* clang-format on */

#if defined(__x86_64__)
static const char machine[] = "amd64", main_arch[] = "SCMP_ARCH_X86_64";
static const unsigned main_abi = ABI_X86_64;
#else
static const char machine[] = "arm64", main_arch[] = "SCMP_ARCH_AARCH64";
static const unsigned main_abi = ABI_AARCH64;
#endif

static int bad(struct reading *at, const char *what)
{
	return err_set(at->e, ERR_USAGE, PREFIX "%s", what);
}

static json_t *member(const json_t *object, const char *key)
{
	json_t *found = json_object_get(object, key), *v;
	const char *k;

	if (found)
		return found;
	json_object_foreach((json_t *)object, k, v) if (strcasecmp(k, key) == 0) found = v;
	return found;
}

/* The member, if it is an array; NULL if it is null or absent; else an error. */
static int get_array(struct reading *at, const json_t *object, const char *key, json_t **out)
{
	json_t *v = member(object, key);

	if (v && !json_is_null(v) && !json_is_array(v))
		return err_set(at->e, ERR_USAGE, PREFIX "%s is not an array", key);
	*out = json_is_array(v) ? v : NULL;
	return 0;
}

static int get_strings(struct reading *at, const json_t *object, const char *key, json_t **out)
{
	json_t *word;
	size_t i;

	if (get_array(at, object, key, out) < 0)
		return -1;
	json_array_foreach(*out, i, word) if (!json_is_string(word)) return err_set(
		at->e, ERR_USAGE, PREFIX "an element of %s is not a string", key);
	return 0;
}

static int get_string(struct reading *at, const json_t *object, const char *key, const char **out)
{
	json_t *v = member(object, key);

	if (v && !json_is_null(v) && !json_is_string(v))
		return err_set(at->e, ERR_USAGE, PREFIX "%s is not a string", key);
	*out = json_is_string(v) ? json_string_value(v) : "";
	return 0;
}

static int get_number(
	struct reading *at, const json_t *object, const char *key, int64_t otherwise, uint64_t *out)
{
	json_t *v = member(object, key);

	if (!v || json_is_null(v)) {
		*out = (uint64_t)otherwise;
		return 0;
	}
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return err_set(at->e, ERR_USAGE, PREFIX "%s is not a number from 0 to %lld", key,
			(long long)INT64_MAX);
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

static int read_action(struct reading *at, const char *word, uint64_t errno_ret, uint32_t *out)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		if (strcmp(actions[i].word, word) != 0)
			continue;
		*out = actions[i].action;
		if (*out == SECCOMP_RET_ERRNO || *out == SECCOMP_RET_TRACE)
			*out |= (uint32_t)errno_ret & SECCOMP_RET_DATA;
		return 0;
	}
	if (strcmp(word, "SCMP_ACT_NOTIFY") == 0)
		return err_set(at->e, ERR_UNSUPPORTED, PREFIX "SCMP_ACT_NOTIFY is not supported");
	return err_set(at->e, ERR_USAGE,
		RUNC "string %.80s is not a valid action for seccomp: unknown", word);
}

static int read_arch(struct reading *at, const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(arches); i++)
		if (strcmp(arches[i].word, word) == 0) {
			at->rules->abis |= arches[i].bit & ABIS_NATIVE;
			return 0;
		}
	for (size_t i = 0; i < ARRAY_LEN(other_arches); i++)
		if (strcmp(other_arches[i], word) == 0)
			return 0;
	return err_set(at->e, ERR_USAGE,
		RUNC "string %.80s is not a valid arch for seccomp: unknown", word);
}

static int read_arch_list(struct reading *at, const json_t *list)
{
	json_t *word;
	size_t i;

	json_array_foreach(list, i, word) if (read_arch(at, json_string_value(word)) < 0) return -1;
	return 0;
}

/* Reads the first entry for this machine; the content of other entries does not matter. */
static int read_arch_map(struct reading *at, const json_t *map)
{
	json_t *entry, *sub = NULL;
	const char *arch;
	size_t i;

	json_array_foreach(map, i, entry)
	{
		if (!json_is_object(entry))
			return bad(at, "an element of archMap is not an object");
		if (get_string(at, entry, "architecture", &arch) < 0 ||
			get_strings(at, entry, "subArchitectures", &sub) < 0)
			return -1;
		if (strcmp(arch, main_arch) == 0)
			return read_arch_list(at, sub);
	}
	return 0;
}

static int read_arches(struct reading *at, const json_t *profile)
{
	json_t *list = NULL, *map = NULL;

	if (get_strings(at, profile, "architectures", &list) < 0 ||
		get_array(at, profile, "archMap", &map) < 0)
		return -1;
	if (json_array_size(list) > 0 && json_array_size(map) > 0)
		return err_set(at->e, ERR_USAGE,
			"both 'architectures' and 'archMap' are specified in the seccomp profile, use either "
			"'architectures' or 'archMap'");
	at->rules->abis = main_abi;
	return read_arch_list(at, list) < 0 ? -1 : read_arch_map(at, map);
}

static bool kernel_at_least(unsigned kernel, unsigned major)
{
	unsigned have_kernel = 0, have_major = 0;
	struct utsname u;

	if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &have_kernel, &have_major) < 2)
		return true; /* versions that cannot be compared are newer than any that a profile asks for */
	return have_kernel > kernel || (have_kernel == kernel && have_major >= major);
}

/* How a condition ("includes", "excludes") relates to this machine and container. */
struct match {
	bool arch_given, arch;     /* one of the list is this machine */
	bool caps_any, caps_all;   /* of the list, held */
	bool kernel_given, kernel; /* at least */
};

static int read_match(struct reading *at, const json_t *filter, struct match *m)
{
	json_t *caps, *names, *word;
	unsigned kernel, major;
	const char *text;
	size_t i;
	int n = 0;

	*m = (struct match){.caps_all = true};
	if (filter && !json_is_null(filter) && !json_is_object(filter))
		return bad(at, "a filter (includes, excludes) is not an object");
	if (get_strings(at, filter, "caps", &caps) < 0 || get_strings(at, filter, "arches", &names) < 0 ||
		get_string(at, filter, "minKernel", &text) < 0)
		return -1;
	json_array_foreach(names, i, word)
	{
		m->arch_given = true;
		m->arch |= strcmp(json_string_value(word), machine) == 0;
	}
	json_array_foreach(caps, i, word)
	{
		/* here docker accepts no other spelling than "CAP_SYS_TIME" */
		const char *name = json_string_value(word);
		int cap = cap_from_name(name);
		bool held = cap >= 0 && at->caps & CAP_BIT(cap) && strcmp(name, cap_name(cap)) == 0;

		m->caps_any |= held;
		m->caps_all &= held;
	}
	if (!*text)
		return 0;
	if (sscanf(text, "%3u.%3u%n", &kernel, &major, &n) < 2 || text[n] || (kernel == 0 && major == 0))
		return err_set(at->e, ERR_USAGE,
			PREFIX "invalid kernel version: \"%.80s\", expected \"<kernel>.<major>\"", text);
	m->kernel_given = true;
	m->kernel = kernel_at_least(kernel, major);
	return 0;
}

static int applies(struct reading *at, const json_t *call, bool *out)
{
	struct match in, ex;

	if (read_match(at, member(call, "includes"), &in) < 0 ||
		read_match(at, member(call, "excludes"), &ex) < 0)
		return -1;
	*out = !(ex.arch || ex.caps_any || ex.kernel) && (in.arch || !in.arch_given) &&
	       in.caps_all && (in.kernel || !in.kernel_given);
	return 0;
}

static int read_cmp(struct reading *at, const json_t *arg, struct seccomp_cmp *out)
{
	uint64_t index, value, second;
	const char *word;

	if (!json_is_object(arg))
		return bad(at, "an argument is not an object");
	if (get_number(at, arg, "index", 0, &index) < 0 || get_number(at, arg, "value", 0, &value) < 0 ||
		get_number(at, arg, "valueTwo", 0, &second) < 0 || get_string(at, arg, "op", &word) < 0)
		return -1;
	if (index >= SECCOMP_ARGS)
		return bad(at, "the index of an argument is above 5");
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (strcmp(ops[i].word, word) != 0)
			continue;
		*out = (struct seccomp_cmp){(unsigned)index, ops[i].op, value, 0};
		if (ops[i].op == CMP_MASKED) { /* the mask comes first */
			out->mask = value;
			out->value = second;
		}
		return 0;
	}
	return err_set(at->e, ERR_USAGE,
		RUNC "string %.80s is not a valid operator for seccomp: unknown", word);
}

/* Several comparisons of the same argument are alternatives; those of different arguments must all match. */
static void add_call(struct seccomp_rules *r, const char *name, uint32_t action,
	const struct seccomp_cmp *cmp, size_t n, bool alternatives)
{
	struct seccomp_rule *rule = alternatives ? NULL : seccomp_rules_add(r, name, action);

	for (size_t i = 0; i < n; i++) {
		if (alternatives)
			rule = seccomp_rules_add(r, name, action);
		seccomp_rules_cmp(rule, cmp[i]);
	}
}

static int note(json_t *set, const json_t *names)
{
	json_t *word;
	size_t i;

	json_array_foreach(names, i, word)
	{
		(void)json_object_set_new(set, json_string_value(word), json_true()); /* memory */
	}
	return 0;
}

static int check_room(struct reading *at, size_t more)
{
	if (more <= RULES_MAX - at->rules->n)
		return 0;
	return err_set(at->e, ERR_UNSUPPORTED, "seccomp profile: it has more than %d rules", RULES_MAX);
}

static int add_calls(struct reading *at, const json_t *names, uint32_t action, const json_t *args)
{
	const size_t n = json_array_size(args);
	auto_free struct seccomp_cmp *cmp = xcalloc(n + 1, sizeof(*cmp));
	unsigned seen = 0;
	bool alternatives = false;
	json_t *word, *arg;
	size_t i;

	json_array_foreach(args, i, arg)
	{
		if (read_cmp(at, arg, &cmp[i]) < 0)
			return -1;
		alternatives |= seen >> cmp[i].arg & 1;
		seen |= 1u << cmp[i].arg;
	}
	if (check_room(at, json_array_size(names) * (alternatives ? n : 1)) < 0)
		return -1;
	json_array_foreach(names, i, word)
		add_call(at->rules, json_string_value(word), action, cmp, n, alternatives);
	return n == 0 ? note(at->whole, names) : 0;
}

static int read_call(struct reading *at, const json_t *call)
{
	auto_json json_t *one = NULL;
	json_t *names = NULL, *args = NULL;
	const char *name, *word;
	uint64_t errno_ret;
	uint32_t action;
	bool wanted;

	if (!json_is_object(call))
		return bad(at, "an element of syscalls is not an object");
	if (get_strings(at, call, "names", &names) < 0 || get_array(at, call, "args", &args) < 0 ||
		get_string(at, call, "name", &name) < 0 || get_string(at, call, "action", &word) < 0 ||
		get_number(at, call, "errnoRet", EPERM, &errno_ret) < 0 ||
		read_action(at, word, errno_ret, &action) < 0 || applies(at, call, &wanted) < 0)
		return -1;
	if (*name) {
		if (json_array_size(names) > 0)
			return err_set(at->e, ERR_USAGE,
				"'name' and 'names' were specified in the seccomp profile, use either "
				"'name' or 'names'");
		one = json_pack("[s]", name);
		names = one;
	}
	/* A rule with the default's action is left out, as it could come before another rule. */
	if (wanted && action == at->rules->otherwise)
		return note(at->idle, names);
	return wanted ? add_calls(at, names, action, args) : 0;
}

/* As with libseccomp, a rule for all calls of a name makes those with comparisons void. */
static void drop_shadowed(struct seccomp_rules *r, const json_t *whole)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i].n_cmp || !json_object_get(whole, r->v[i].name))
			r->v[n++] = r->v[i];
	r->n = n;
}

static int read_profile(struct reading *at, const json_t *profile)
{
	json_t *calls = NULL, *call;
	const char *word, *name;
	uint64_t errno_ret;
	size_t i;

	if (!json_is_object(profile) && !json_is_null(profile))
		return err_set(at->e, ERR_USAGE,
			PREFIX "json: cannot unmarshal %s into Go value of type seccomp.Seccomp",
			json_is_array(profile)    ? "array"
			: json_is_string(profile) ? "string"
			: json_is_number(profile) ? "number"
						  : "bool");
	if (get_string(at, profile, "defaultAction", &word) < 0 ||
		get_array(at, profile, "syscalls", &calls) < 0 ||
		get_number(at, profile, "defaultErrnoRet", EPERM, &errno_ret) < 0)
		return -1;
	if (!*word && json_array_size(calls) == 0) { /* docker's way to say that there is no filter */
		seccomp_rules_unconfined(at->rules);
		return 0;
	}
	if (read_action(at, word, errno_ret, &at->rules->otherwise) < 0 || read_arches(at, profile) < 0)
		return -1;
	at->rules->foreign = SECCOMP_RET_KILL_PROCESS;
	json_array_foreach(calls, i, call) if (read_call(at, call) < 0) return -1;
	drop_shadowed(at->rules, at->whole);
	if (check_room(at, json_object_size(at->idle)) < 0)
		return -1;
	/* Added last, so that they decide nothing; but then the profile knows these calls (seccomp_bpf.c). */
	json_object_foreach(at->idle, name, call)
	{
		(void)seccomp_rules_add(at->rules, name, at->rules->otherwise);
	}
	return 0;
}

int seccomp_rules_json(struct seccomp_rules *r, const char *text, size_t n, uint64_t caps, struct err *e)
{
	auto_seccomp_rules struct seccomp_rules rules = {0};
	auto_json json_t *whole = json_object();
	auto_json json_t *idle = json_object();
	struct reading at = {&rules, whole, idle, caps, e};
	json_error_t why;
	auto_json json_t *profile = json_loadb(text, n, JSON_DECODE_ANY, &why);

	if (!profile)
		return err_set(e, ERR_USAGE, PREFIX "line %d: %s", why.line, why.text);
	if (read_profile(&at, profile) < 0)
		return -1;
	*r = rules;
	rules = (struct seccomp_rules){0};
	return 0;
}
