/* SPDX-License-Identifier: Apache-2.0 */
/* version: prints docker's version, of which this is the command line, and ours. */
#include "cmd.h"
#include "context.h"

#include "about.h"
#include "tmpl.h"

#include <string.h>
#include <sys/utsname.h>

struct version {
	char *format;
};

static const char *const client_members[] = {"Platform", "Version", "ApiVersion",
	"DefaultAPIVersion", "GitCommit", "GoVersion", "Os", "Arch", "BuildTime", "Context", NULL};

/* clang-format off */
static const struct opt version_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct version, format) },
	{ 0 },
};
static const struct tmpl_field fields[] = {
	{ "Details",    TMPL_MAP, TMPL_STRING },
	{ "Components", TMPL_SLICE, 0, "[]types.ComponentVersion" },
	{ "Server.Experimental", TMPL_BOOL },
	{ "Client",     TMPL_STRUCT, 0, "system.clientVersion", client_members },
	{ "Client.Platform", TMPL_PTR, 0, "*system.platformInfo" },
	{ "Server",     TMPL_PTR, 0, "*types.Version" },
	{ "Server.Platform", TMPL_STRUCT, 0, "struct { Name string }" },
	{ 0 },
};
/* clang-format on */

static void version_done(void *target)
{
	free(((struct version *)target)->format);
}

static const char words[] =
	"Client:\n"
	" Version:           {{.Client.Version}}\n"
	" API version:       {{.Client.APIVersion}}"
	"{{if ne .Client.APIVersion .Client.DefaultAPIVersion}} (downgraded from {{.Client.DefaultAPIVersion}}){{end}}\n"
	" Git commit:        {{.Client.GitCommit}}\n"
	" OS/Arch:           {{.Client.Os}}/{{.Client.Arch}}\n"
	" Context:           {{.Client.Context}}\n"
	"\n"
	"Server: {{.Server.Platform.Name}}\n"
	" Engine:\n"
	"  Version:          {{.Server.Version}}\n"
	"  API version:      {{.Server.APIVersion}} (minimum version {{.Server.MinAPIVersion}})\n"
	"  Git commit:       {{.Server.GitCommit}}\n"
	"  OS/Arch:          {{.Server.Os}}/{{.Server.Arch}}\n"
	"  Experimental:     false\n"
	" sbx:\n"
	"  Version:          {{(index .Server.Components 1).Version}}";

static int version_main(void *target, int argc, char **argv)
{
	const char *format = ((struct version *)target)->format;
	const char *text = !format || !*format      ? words
	                   : str_eq(format, "json") ? "{{json .}}"
	                                            : format;
	auto_tmpl struct tmpl *t = NULL;
	auto_json json_t *j = NULL;
	auto_buf struct buf out = {0};
	struct tmpl_data d = {.fields = fields, .type = "system.versionInfo", .exact = true};
	struct utsname u;
	struct err e;
	int rc;

	(void)argc;
	(void)argv;
	t = tmpl_parse_named("version", text, &e);
	if (!t) {
		(void)err_ctx(&e, "template parsing error");
		return say_error(&e, 64);
	}
	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u)); /* then kernel and architecture are empty */
	j = about_version(&u);
	json_set_text(json_object_get(j, "Client"), "ApiVersion", context_api_version());
	d.json = j;
	rc = tmpl_exec(t, &d, &out, &e);
	buf_putc(&out, '\n');
	if (say_out(&out) != 0)
		return 1;
	return rc < 0 ? say_error(&e, 1) : 0;
}

const struct command cmd_version = {
	.name = "version",
	.args = "[OPTIONS]",
	.about = "Show the Docker version information",
	.opts = version_opts,
	.target_size = sizeof(struct version),
	.run = version_main,
	.done = version_done,
};
