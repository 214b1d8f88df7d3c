/* SPDX-License-Identifier: Apache-2.0 */
#include "ref.h"
#include "str.h"
#include "tap.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* full NULL: refused, and familiar holds the words */
static const struct {
	const char *in, *full, *familiar;
} cases[] = {
	{"debian", "docker.io/library/debian:latest", "debian:latest"},
	{"debian:12", "docker.io/library/debian:12", "debian:12"},
	{"library/debian", "docker.io/library/debian:latest", "debian:latest"},
	{"docker.io/debian", "docker.io/library/debian:latest", "debian:latest"},
	{"docker.io/library/debian:12", "docker.io/library/debian:12", "debian:12"},
	{"index.docker.io/debian", "docker.io/library/debian:latest", "debian:latest"},
	{"me/app", "docker.io/me/app:latest", "me/app:latest"},
	{"library/a/b", "docker.io/library/a/b:latest", "library/a/b:latest"},
	{"localhost/x", "localhost/x:latest", "localhost/x:latest"},
	{"localhost:5000/x:1", "localhost:5000/x:1", "localhost:5000/x:1"},
	{"a.b/c", "a.b/c:latest", "a.b/c:latest"},
	{"Foo/bar", "Foo/bar:latest", "Foo/bar:latest"},
	{"[::1]:80/x", "[::1]:80/x:latest", "[::1]:80/x:latest"},
	{"swebench/sweb.eval.x86_64.django_1776_django-1:v2",
		"docker.io/swebench/sweb.eval.x86_64.django_1776_django-1:v2",
		"swebench/sweb.eval.x86_64.django_1776_django-1:v2"},
	{"debian@sha256:" HEX, "docker.io/library/debian@sha256:" HEX, "debian@sha256:" HEX},
	{"debian:12@sha256:" HEX, "docker.io/library/debian:12@sha256:" HEX, "debian:12@sha256:" HEX},
	{"a__b", "docker.io/library/a__b:latest", "a__b:latest"},
	{"a--b", "docker.io/library/a--b:latest", "a--b:latest"},
	{"sha256:abc", "docker.io/library/sha256:abc", "sha256:abc"},
	{"", NULL, "invalid reference format"},
	{"a b", NULL, "invalid reference format"},
	{":tag", NULL, "invalid reference format"},
	{"x:", NULL, "invalid reference format"},
	{"x:-a", NULL, "invalid reference format"},
	{"x:" X64 X64 "y", NULL, "invalid reference format"},
	{"a___b", NULL, "invalid reference format"},
	{"a..b", NULL, "invalid reference format"},
	{"a-_b", NULL, "invalid reference format"},
	{"a._b", NULL, "invalid reference format"},
	{"-a", NULL, "invalid reference format"},
	{"a-", NULL, "invalid reference format"},
	{"a/b/", NULL, "invalid reference format"},
	{"/a", NULL, "invalid reference format"},
	{"./a", NULL, "invalid reference format"},
	{"../a", NULL, "invalid reference format"},
	{"a/../b", NULL, "invalid reference format"},
	{"a//b", NULL, "invalid reference format"},
	{"a\tb", NULL, "invalid reference format"},
	{"foo.com:/x", NULL, "invalid reference format"},
	{"foo:80:x", NULL, "invalid reference format"},
	{"x@sha256:ab", NULL, "invalid reference format"},
	{"x@sha256:" HEX "0", NULL, "invalid checksum digest length"},
	{"x@md5:" HEX, NULL, "unsupported digest algorithm"},
	{"x@sha256:A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL,
		"invalid checksum digest format"},
	{"Debian", NULL, "invalid reference format: repository name (library/Debian) must be lowercase"},
	{"UPPER/Case", NULL, "invalid reference format: repository name (Case) must be lowercase"},
	{"foo/Bar", NULL, "invalid reference format: repository name (foo/Bar) must be lowercase"},
	{HEX, NULL, "invalid repository name (" HEX "), cannot specify 64-byte hexadecimal strings"},
	{X64 X64 X64 X64, NULL, "repository name must not be more than 255 characters"},
};

static void tagged(const char *repository, const char *tag, const char *want)
{
	struct err e = {0};
	auto_free char *name = ref_tagged(repository, tag, &e);

	is_str(name ? name : e.text, want, want);
}

int main(void)
{
	tagged("debian", NULL, "debian:latest");
	tagged("docker.io/library/debian", "", "debian:latest");
	tagged("debian:12", "13", "debian:13");
	tagged("localhost:5000/a", "b", "localhost:5000/a:b");
	tagged("debian", "a/b", "invalid tag format");
	tagged("debian", "-a", "invalid tag format");
	tagged("debian@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"a", "cannot import digest reference");
	tagged("", "a", "invalid reference format");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		auto_ref struct ref r = {0};
		struct err e = {0};
		auto_free char *full = ref_parse(cases[i].in, &r, &e) == 0 ? ref_full(&r) : NULL;
		auto_free char *familiar = full ? ref_familiar(cases[i].in, &e) : NULL;
		char sentence[100];

		(void)snprintf(sentence, sizeof(sentence), "%.70s in full", cases[i].in);
		is_str(full, cases[i].full, sentence);
		(void)snprintf(sentence, sizeof(sentence), "%.70s as users see it", cases[i].in);
		is_str(full ? familiar : e.text, cases[i].familiar, sentence);
	}
	{
		auto_ref struct ref r = {0};
		struct err e;
		auto_free char *name = ref_parse("docker.io/library/debian:12", &r, &e) == 0
		                               ? ref_repository(&r)
		                               : NULL;

		is_str(name, "debian", "a repository without its tag");
	}
	return done_testing();
}
