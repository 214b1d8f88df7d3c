/* SPDX-License-Identifier: Apache-2.0 */
/* spec_platform: platforms, and whether an image is for this machine's, or that of --platform. */
#include "parse.h"
#include "spec.h"

const char *spec_own_arch(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__riscv)
	return "riscv64";
#else
	return "unknown";
#endif
}

/* Whether `machine` runs programs for `of`, regardless of variants. Some who make images write uname's name of it. */
static bool runs_on(const char *of, const char *machine)
{
	const char *arch = parse_arch(of);

	return str_eq(arch, machine) || (str_eq(arch, "386") && str_eq(machine, "amd64")) ||
	       (str_eq(arch, "arm") && str_eq(machine, "arm64"));
}

char *spec_platform_text(const char *platform, struct err *e)
{
	auto_free char *os = NULL, *arch = NULL, *variant = NULL;

	if (parse_platform(platform, &os, &arch, &variant, e) < 0)
		return NULL;
	return xasprintf("%s/%s%s%s", os, arch ? arch : spec_own_arch(), variant ? "/" : "",
		variant ? variant : "");
}

int spec_check_platform(const char *platform, const char *name, const char *of, struct err *e)
{
	auto_free char *os = NULL, *arch = NULL, *variant = NULL, *text = NULL;

	if (!platform || !*platform)
		return 0;
	if (parse_platform(platform, &os, &arch, &variant, e) < 0)
		return err_ctx(e, "error parsing specified platform");
	if (!of || !*of)
		of = spec_own_arch();
	if (!name)
		return 0;
	if (str_eq(os, "linux") && runs_on(of, arch ? arch : spec_own_arch()))
		return 0;
	text = spec_platform_text(platform, e);
	return err_set(e, ERR_NOT_FOUND,
		"image with reference %s was found but its platform (linux/%s) does not match "
		"the specified platform (%s)",
		name, of, text ? text : platform);
}

bool spec_platform_differs(const struct spec *s, const char *of)
{
	return !(s->platform && *s->platform) && of && *of && !runs_on(of, spec_own_arch()) &&
	       !str_eq(spec_own_arch(), "unknown");
}

char *spec_platform_warning(const char *of, const char *variant)
{
	/* Of its own variants docker names the processor's; arm64 has only this one. */
	return xasprintf("The requested image's platform (linux/%s%s%s) does not match the detected host platform "
			 "(linux/%s%s) and no specific platform was requested",
		of, variant && *variant ? "/" : "", variant ? variant : "", spec_own_arch(),
		str_eq(spec_own_arch(), "arm64") ? "/v8" : "");
}
