/* SPDX-License-Identifier: Apache-2.0 */
#include "log_tag.h"

#include "json.h"
#include "spec.h"
#include "tmpl.h"

#include <string.h>
#include <sys/utsname.h>

enum { SHORT = 12 };

/* clang-format off */
static const struct tmpl_field fields[] = {
	{ "Config",          TMPL_MAP, TMPL_STRING },
	{ "ContainerLabels", TMPL_MAP, TMPL_STRING },
	{ "ContainerArgs",   TMPL_SLICE },
	{ "ContainerEnv",    TMPL_SLICE },
	{ 0 },
};
/* clang-format on */

static void set_image(json_t *info, const struct spec *spec)
{
	const char *id = spec->image_id ? spec->image_id : "", *name = spec->image ? spec->image : "";
	auto_free char *brief = xstrndup(id, SHORT); /* of "sha256:..." as it is */

	json_set_text(info, "ImageID", brief);
	json_set_text(info, "ImageFullID", id);
	json_set_text(info, "ImageName", name);
	json_set_text(info, "ContainerImageID", id);
	json_set_text(info, "ContainerImageName", name);
}

static void set_command(json_t *info, const struct spec *spec)
{
	auto_strv struct strv words = {0};
	auto_buf struct buf line = {0};

	for (size_t i = 0; i < spec->entrypoint.n; i++)
		strv_add(&words, spec->entrypoint.v[i]);
	for (size_t i = 0; i < spec->cmd.n; i++)
		strv_add(&words, spec->cmd.v[i]);
	for (size_t i = 0; i < words.n; i++)
		buf_printf(&line, "%s%s", i ? " " : "", words.v[i]);
	json_set(info, "Command", json_text(line.s ? line.s : ""));
	json_set(info, "ContainerEntrypoint", json_text(words.n ? words.v[0] : ""));
	json_set(info, "ContainerArgs", json_from_strv(&words));
	(void)json_array_remove(json_object_get(info, "ContainerArgs"), 0); /* there is always one */
}

static json_t *describe(const struct spec *spec, const char *id)
{
	const char *name = spec->name ? spec->name : "";
	auto_free char *brief = xstrndup(id, SHORT), *path = xasprintf("/%s", name);
	struct utsname host = {0};
	json_t *info = json_object();

	(void)uname(&host); /* it knows no reason to fail */
	json_set_text(info, "ID", brief);
	json_set_text(info, "FullID", id);
	json_set_text(info, "ContainerID", id);
	json_set_text(info, "Name", name);
	json_set_text(info, "ContainerName", path);
	json_set_text(info, "DaemonName", "docker");
	json_set_text(info, "Hostname", host.nodename);
	json_set(info, "Config", json_from_map(&spec->log_opts));
	json_set(info, "ContainerLabels", json_from_map(&spec->labels));
	json_set(info, "ContainerEnv", json_from_strv(&spec->env));
	set_image(info, spec);
	set_command(info, spec);
	return info;
}

int log_tag(const struct spec *spec, const char *id, char **out, struct err *e)
{
	const char *tag = strv_env(&spec->log_opts, "tag"), *text = tag ? strchr(tag, '=') : NULL;
	auto_tmpl struct tmpl *t = NULL;
	auto_json json_t *info = NULL;
	auto_buf struct buf made = {0};

	*out = NULL;
	if (!text || !text[1])
		return 0;
	t = tmpl_parse_named("log-tag", text + 1, e);
	if (!t)
		return -1;
	info = describe(spec, id);
	if (tmpl_exec(t, &(struct tmpl_data){.json = info, .fields = fields, .type = "*logger.Info"},
		    &made, e) < 0)
		return -1;
	*out = xstrdup(made.s ? made.s : "");
	return 0;
}
